-- Integrations of a merchant with outside systems (api.md, references): one for each provider.

create table merchant_integration (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  provider text not null,
  external_id text,       -- the merchant's account there
  status text not null check (status in ('active', 'disconnected', 'error')),
  -- why it does not work, as the provider said when the connection was tried (api.md, merchantIntegrations)
  status_reason text,
  config jsonb not null,  -- without its secrets
  secrets jsonb not null, -- by their path in config, each sealed (kernel/sealing.ts)
  metadata jsonb not null,
  connected_at timestamptz not null,
  disconnected_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check ((status = 'disconnected') = (disconnected_at is not null)),
  check (status <> 'disconnected' or secrets = '{}'),
  check (status_reason is null or status = 'error')
);
call resource_table('merchant_integration');
create index merchant_integration_order on merchant_integration (merchant_id, seq desc);
create unique index merchant_integration_provider on merchant_integration (merchant_id, provider);
create index merchant_integration_all on merchant_integration (seq desc);
