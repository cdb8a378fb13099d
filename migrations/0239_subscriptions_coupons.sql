-- Coupons and their redemptions (docs/decisions/0261-coupons.md).

/* A coupon never changes, but for its name, its limits in time and number, its metadata and the mark that it is
   archived. */
create table coupon (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  name text not null,
  code text,                        -- null: only the merchant applies it
  percent_off numeric check (percent_off > 0 and percent_off <= 1),
  amount_off numeric check (amount_off > 0), -- for each period of the plan
  currency text,
  duration text not null check (duration in ('once', 'periods', 'forever')),
  duration_in_periods int check (duration_in_periods > 0),
  carries_over boolean not null,
  applies_to jsonb not null,
  minimum_amount numeric check (minimum_amount > 0),
  max_redemptions int check (max_redemptions > 0),
  max_redemptions_per_customer int not null check (max_redemptions_per_customer > 0),
  new_customers_only boolean not null,
  redeem_by timestamptz,
  metadata jsonb not null,
  archived boolean not null,
  redemption_count int not null check (redemption_count >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check ((percent_off is null) <> (amount_off is null)),
  check ((duration = 'periods') = (duration_in_periods is not null))
);
call resource_table('coupon');
create unique index coupon_code on coupon (merchant_id, lower(code)) where code is not null;
create index coupon_order on coupon (merchant_id, seq desc);
create index coupon_all on coupon (seq desc);

/* Its row counts for the limits of the coupon. It may be there before its subscription: a page has shown its price. */
create table redemption (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  coupon_id text not null,
  customer_id text not null,
  subscription_id text not null,
  idempotency_key text,
  idempotency_print bytea,
  given_back_at timestamptz,        -- the subscription was never paid: it counts no more
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, coupon_id) references coupon (merchant_id, id)
);
call resource_table('redemption');
create index redemption_order on redemption (merchant_id, subscription_id, seq desc);
create index redemption_of_customer on redemption (merchant_id, coupon_id, customer_id) where given_back_at is null;
create unique index redemption_key on redemption (merchant_id, subscription_id, idempotency_key)
  where idempotency_key is not null;

/* What billing needs of its coupons, the oldest first: coupons do not change. */
alter table subscription add column redemptions jsonb not null default '[]';

alter table subscription_change add column ended_redemption_ids jsonb not null default '[]';
