-- Payments by providers outside our database: an intent is committed before each call, and the outcome after it, in a
-- transaction of its own (docs/decisions/0094).

alter table payment_method
  drop constraint payment_method_provider_check,
  add constraint payment_method_provider check (provider in ('sandbox', 'stripe'));
alter table payment_session
  drop constraint payment_session_provider_check,
  add constraint payment_session_provider check (provider in ('sandbox', 'stripe'));

/* A charge that was sent and has no outcome yet is looked up at next_action_at, until it has one. */
alter table payment_charge
  add column sent_at timestamptz,
  add column look_ups int not null default 0,
  drop constraint payment_charge_provider_check,
  drop constraint payment_charge_origin_check,
  drop constraint payment_charge_status_check,
  drop constraint payment_charge_check1,
  drop constraint payment_charge_check2,
  add constraint payment_charge_provider check (provider in ('sandbox', 'stripe')),
  -- at_once: while somebody waits for a subscription; the invoice's session asks where it is declined
  add constraint payment_charge_origin check (origin in ('automatic', 'by_hand', 'at_once')),
  -- sent: nobody knows the outcome; pending: the bank answers later; unresolved: no look-up found it, so a person must
  add constraint payment_charge_status check (
    status in ('intended', 'sent', 'pending', 'unresolved', 'accepted', 'declined')),
  add constraint payment_charge_due check ((status in ('accepted', 'declined')) = (next_action_at is null)),
  add constraint payment_charge_finished check ((status in ('accepted', 'declined')) = (finished_at is not null)),
  add constraint payment_charge_sent check (status not in ('sent', 'pending', 'unresolved') or sent_at is not null);
drop index payment_charge_on_its_way;
create unique index payment_charge_on_its_way on payment_charge (merchant_id, invoice_id)
  where status in ('intended', 'sent', 'pending', 'unresolved');

/* One payment of a provider is one receipt, whatever number of notices tell of it. A return that the provider could not
   make is for the merchant to make by hand. */
alter table payment_receipt disable trigger keep; -- it refuses any change of a receipt that was given back
alter table payment_receipt
  add column return_look_ups int not null default 0,
  drop constraint payment_receipt_provider_check,
  drop constraint payment_receipt_by_whom,
  add constraint payment_receipt_provider check (provider in ('sandbox', 'stripe')),
  add constraint payment_receipt_by_whom check (
    case method when 'card' then provider is not null and provider_reference is not null
                                and (session_id is null) <> (charge_id is null)
                else provider is null and provider_reference is null and session_id is null and charge_id is null
                     and invoice_id is not null and idempotency_key is not null and return_status <> 'requested' end);
alter table payment_receipt enable trigger keep;
create unique index payment_receipt_reference on payment_receipt (merchant_id, provider, provider_reference)
  where provider_reference is not null;

/* A customer as an account at a provider knows it. */
create table provider_customer (
  merchant_id text not null,
  provider text not null check (provider in ('stripe')),
  account_id text not null,              -- the merchant's account at the provider
  customer_id text not null,
  reference text not null,
  created_at timestamptz not null,
  primary key (merchant_id, provider, account_id, customer_id)
);
call tenant_table('provider_customer');

/* A payment page at a provider, by which a session is paid. Its id `<session>:<attempt>` is the provider's key. The
   provider lives on the wall clock, so a page has no test clock. */
create table payment_checkout (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  session_id text not null,
  provider text not null check (provider in ('stripe')),
  account_id text not null,
  amount numeric not null,
  currency text not null,
  status text not null check (status in ('opening', 'open', 'processing', 'paid', 'stored', 'failed', 'expired')),
  reference text,                        -- null: the provider has not answered
  url text,
  is_closing boolean not null default false, -- its session is over: the provider is to end it
  look_ups int not null default 0,
  clock_id text check (clock_id is null),
  next_action_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, session_id) references payment_session (merchant_id, id),
  check ((status in ('opening', 'open', 'processing')) = (next_action_at is not null)),
  check ((reference is null) = (url is null)),
  check (reference is not null or status in ('opening', 'expired'))
);
call tenant_table('payment_checkout');
call due_table('payment_checkout', 'payment_checkout');
create unique index payment_checkout_reference on payment_checkout (merchant_id, provider, reference)
  where reference is not null;
create unique index payment_checkout_live on payment_checkout (merchant_id, session_id)
  where status in ('opening', 'open', 'processing');
create index payment_checkout_session on payment_checkout (merchant_id, session_id);
revoke delete on payment_checkout from reckoner_app;

/* Money that a provider took and that pays nothing: it came too late, or was not what was asked. It goes back. */
create table stray_payment (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  invoice_id text,
  session_id text,
  charge_id text,
  provider text not null check (provider in ('stripe')),
  provider_reference text not null,
  amount numeric not null check (amount > 0),
  currency text not null,
  reason text not null check (reason in ('too_late', 'differs')),
  received_at timestamptz not null,
  return_status text not null default 'requested' check (return_status in ('requested', 'returned', 'manual')),
  return_started_at timestamptz,
  return_look_ups int not null default 0,
  return_reference text,
  returned_at timestamptz,
  clock_id text check (clock_id is null), -- the provider lives on the wall clock
  next_action_at timestamptz,
  primary key (merchant_id, id),
  check ((return_status = 'returned') = (returned_at is not null)),
  check ((return_status = 'requested') = (next_action_at is not null))
);
call tenant_table('stray_payment');
call due_table('stray_return', 'stray_payment');
create unique index stray_payment_reference on stray_payment (merchant_id, provider, provider_reference);
create index stray_payment_order on stray_payment (merchant_id, seq desc);
revoke delete on stray_payment from reckoner_app;

/* What a provider's webhook said, stored once. What it is about is read from the provider by due work. */
create table provider_notice (
  merchant_id text not null,
  id text not null,                      -- `<provider>:<event>`
  seq bigint generated always as identity,
  provider text not null check (provider in ('stripe')),
  event_id text not null,
  kind text not null,
  object_reference text not null,
  attempts int not null default 0,
  error text,                            -- why the last attempt did not work
  clock_id text check (clock_id is null),
  next_action_at timestamptz,
  received_at timestamptz not null,
  done_at timestamptz,
  primary key (merchant_id, id),
  check (done_at is null or next_action_at is null)
);
call tenant_table('provider_notice');
call due_table('provider_notice', 'provider_notice');
revoke delete on provider_notice from reckoner_app;
