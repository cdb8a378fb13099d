-- What changes a subscription's invoices beside its plan: adjustments, lines by hand, late usage, units that grants cover (§4; domain.md §3, §4).

/* A discount over a window of time. It is never changed; it is deleted until an invoice has issued under it. */
create table subscription_adjustment (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  subscription_id text not null,
  percentage_discount numeric not null,  -- a fraction: 0.35 is 35 percent
  effective_from timestamptz not null,
  effective_to timestamptz,              -- exclusive; null: never ends
  description text not null,
  idempotency_key text,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  check (percentage_discount > 0 and percentage_discount <= 1 and scale(percentage_discount) <= 6),
  check (effective_to > effective_from)
);
call resource_table('subscription_adjustment');
create index subscription_adjustment_order on subscription_adjustment (merchant_id, subscription_id, seq desc);
create unique index subscription_adjustment_key on subscription_adjustment (merchant_id, subscription_id, idempotency_key)
  where idempotency_key is not null;

/* A line that somebody writes for an invoice whose period is open. Once the invoice's usage has been read it is on it, for good. */
create table manual_line (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  subscription_id text not null,
  invoice_id text,                       -- the invoice that was asked for, or that took it; null: the first that closes at or after invoice_at
  item_id text,
  display_name text not null,
  description text,
  currency text not null,
  quantity numeric not null,
  unit_price numeric not null,
  period_start timestamptz not null,
  period_end timestamptz not null,
  invoice_at timestamptz not null,
  calculated_at timestamptz,             -- when an invoice took it
  idempotency_key text,
  idempotency_print bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id) on delete set null (invoice_id),
  check (period_start <= period_end),
  check (calculated_at is null or invoice_id is not null),
  check ((idempotency_key is null) = (idempotency_print is null))
);
call resource_table('manual_line');
create unique index manual_line_key on manual_line (merchant_id, idempotency_key) where idempotency_key is not null;
create index manual_line_pending on manual_line (merchant_id, subscription_id, seq) where calculated_at is null;
create index manual_line_invoice on manual_line (merchant_id, invoice_id, seq);

/* Units of billed usage that grants covered (prices with grantDiscountEnabled): they are not charged. */
alter table invoice_usage add column granted numeric not null default 0;

/* Which events were there when the usage of a closed period was last read (metering's usageSnapshot): while nothing came late for
   it since, nobody reads it again. */
create table usage_taken (
  merchant_id text not null,
  invoice_id text not null,
  snapshot text not null,
  primary key (merchant_id, invoice_id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id)
);
call tenant_table('usage_taken');

/* What an invoice bills of the usage of a period that was closed before: what had been billed of it until then, and what there was. */
create table late_usage (
  merchant_id text not null,
  invoice_id text not null,              -- which bills the difference
  of_invoice_id text not null,           -- whose period it is
  price_id text not null,
  group_key text not null,
  seq bigint generated always as identity,
  group_values jsonb not null,
  billed_quantity numeric not null,
  billed_event_count int not null,
  billed_granted numeric not null,
  quantity numeric not null,
  event_count int not null,
  granted numeric not null,
  primary key (merchant_id, invoice_id, of_invoice_id, price_id, group_key),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id),
  foreign key (merchant_id, of_invoice_id) references invoice (merchant_id, id)
);
call tenant_table('late_usage');
create index late_usage_of on late_usage (merchant_id, of_invoice_id, price_id, seq desc);
