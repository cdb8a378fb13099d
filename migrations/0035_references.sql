-- External references: what records in outside systems are called there (§2; api.md, references).

create table external_reference (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  entity_type text not null check (entity_type in ('item', 'customer', 'order', 'invoice', 'subscription')),
  entity_id text not null, -- of any of five tables, so without a foreign key
  provider text not null,
  external_id text not null,
  external_label text,
  metadata jsonb not null,
  is_primary boolean not null,
  is_default boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);
call resource_table('external_reference');
create index external_reference_order on external_reference (merchant_id, seq desc);
create index external_reference_entity on external_reference (merchant_id, entity_id, seq desc);
create index external_reference_external on external_reference (merchant_id, provider, external_id);
-- §2: each external id is the primary reference of at most one entity per merchant.
create unique index external_reference_primary on external_reference (merchant_id, provider, external_id)
  where is_primary;
create unique index external_reference_default on external_reference (merchant_id, entity_id, provider)
  where is_default;
create index external_reference_all on external_reference (seq desc);
call keep_list_count('external_reference', '{entity_type, provider}');
