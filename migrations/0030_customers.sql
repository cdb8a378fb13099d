-- Customers: a consumer organization as one merchant's customer (§2; api.md, Customers and wallet).
-- Deleting marks the row and keeps it: documents that were issued to the customer go on naming it.

create table customer (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  consumer_id text not null,
  external_id text check (char_length(external_id) between 1 and 255),
  tax_id text,
  tax_rates jsonb not null default '{}',             -- plan id, metric id or 'default' → percent
  currency text,
  notification_settings jsonb not null default '{}', -- as set; a kind that is absent is on
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, consumer_id) references organization (merchant_id, id)
);
call resource_table('customer');
create unique index customer_pair on customer (merchant_id, consumer_id) where deleted_at is null;
create unique index customer_external_id on customer (merchant_id, external_id) where deleted_at is null;
create index customer_order on customer (merchant_id, seq desc) where deleted_at is null;

/* The number of the last webhook event about each resource, so that receivers can put them in order (domain.md §9). */
create table outbox_sequence (
  merchant_id text not null,
  resource_id text not null,
  last bigint not null,
  primary key (merchant_id, resource_id)
);
call tenant_table('outbox_sequence');
