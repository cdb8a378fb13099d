-- The sandbox's own receiver of webhooks: what it took, for people who have no server yet (api.md, /v0/webhookInbox).

create table webhook_receipt (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  endpoint_id text not null,
  event_id text not null,
  type text not null,
  happened_at timestamptz not null,
  data jsonb not null,
  headers jsonb not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
call tenant_table('webhook_receipt');
create index webhook_receipt_order on webhook_receipt (merchant_id, seq desc);
create index webhook_receipt_all on webhook_receipt (seq desc);
