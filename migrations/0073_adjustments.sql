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
