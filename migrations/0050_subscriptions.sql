-- Subscriptions (§2, §4; domain.md §3): who is billed for which plan version, from when, and until when.

create table subscription (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  customer_id text not null,
  plan_id text not null,
  plan_version_id text not null,        -- pinned: a new version of the plan changes nothing here
  plan_version_number int not null,
  name text not null,
  status text not null check (status in ('pending_payment', 'active', 'terminated')),
  auto_charge boolean not null,
  auto_approve boolean,                 -- null: as the plan says
  tax_exempt boolean not null,
  bank_transfer_only boolean not null,
  payment_term_days int not null check (payment_term_days between 0 and 365),
  renewal_reminder_enabled boolean,
  renewal_reminder_days int,
  started_at timestamptz not null,
  billing_starts_at timestamptz not null, -- the end of the trial, else started_at
  billing_anchor timestamptz not null,    -- periods are counted from here
  billing_opened boolean not null,        -- its first invoices are open
  ending_at timestamptz,
  terminated_at timestamptz,
  terminated_by text,
  termination_reason text,
  clock_id text,
  redirect_urls jsonb,
  metadata jsonb not null,
  idempotency_key text,
  idempotency_print bytea,
  next_action_at timestamptz,             -- billing_starts_at while that is ahead, then ending_at
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  foreign key (merchant_id, plan_id) references plan (merchant_id, id),
  foreign key (merchant_id, plan_version_id) references plan_version (merchant_id, id),
  check (payment_term_days = 0 or bank_transfer_only),
  check (ending_at is null or ending_at > started_at),
  check ((status = 'terminated') = (terminated_at is not null))
);
call resource_table('subscription');
call due_table('subscription', 'subscription');
create index subscription_order on subscription (merchant_id, seq desc);
create index subscription_customer on subscription (merchant_id, customer_id, seq);
create index subscription_plan on subscription (merchant_id, plan_id);
create index subscription_clock on subscription (merchant_id, clock_id) where clock_id is not null;
create unique index subscription_key on subscription (merchant_id, idempotency_key) where idempotency_key is not null;
