-- Payments (§3; domain.md §4; api.md, Invoices and payments): sessions, stored payment methods, what came in and what
-- goes back, charges of stored cards, payment links, and payments at outside providers. Payments stands downstream of
-- invoicing: what is paid for is known here by type and id only, never by a foreign key.

create table payment_method (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  customer_id text not null,
  type text not null check (type in ('card')),
  brand text not null,
  last4 text not null,
  exp_month int not null,
  exp_year int not null,
  is_default boolean not null,
  provider text not null check (provider in ('sandbox', 'stripe')),
  provider_token text not null, -- what the provider knows the card by
  -- the provider's account that the card belongs to, no other one can charge it; null: the sandbox's provider, which
  -- has no accounts
  account_id text,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
call resource_table('payment_method');
create index payment_method_customer on payment_method (merchant_id, customer_id, seq desc);
create unique index payment_method_default on payment_method (merchant_id, customer_id) where is_default;

create table payment_session (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  mode text not null check (mode in ('payment', 'setup')),
  entity_type text not null check (entity_type in ('invoice', 'subscription', 'payment', 'topup', 'customer')),
  entity_id text not null,
  entity_label text,
  invoice_id text,                 -- what the money is for; the entity itself where that is an invoice
  customer_id text,
  subscription_id text,
  amount numeric not null,
  currency text not null,
  status text not null check (status in ('pending', 'processing', 'completed', 'failed', 'expired', 'cancelled')),
  failure_reason text,             -- why the last attempt was declined
  attempts int not null default 0, -- numbers the provider's keys: one key, one charge
  save_payment_method boolean not null,
  -- of a setup in the portal: the stored card is the default from then on
  becomes_default boolean not null default false,
  payment_method_id text,
  provider text not null check (provider in ('sandbox', 'stripe')),
  provider_reference text,
  pending_card text,               -- the test card whose outcome is open: its bank answers later, or asks the customer
  success_redirect_url text,
  failure_redirect_url text,
  metadata jsonb not null default '{}',
  clock_id text,
  expires_at timestamptz not null,
  next_action_at timestamptz,
  completed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check (mode = 'payment' or customer_id is not null),
  check (not save_payment_method or customer_id is not null),
  check (case mode when 'payment' then amount > 0 else amount = 0 end),
  check ((status = 'completed') = (completed_at is not null)),
  foreign key (merchant_id, payment_method_id) references payment_method (merchant_id, id)
    on delete set null (payment_method_id),
  constraint payment_session_invoice check ((mode = 'payment' and entity_type <> 'payment') = (invoice_id is not null)),
  constraint payment_session_due check (
    case when status in ('pending', 'failed') then next_action_at is not null
         when status = 'processing' then (pending_card is not null) = (next_action_at is not null)
         else next_action_at is null end),
  constraint payment_session_pending check (pending_card is null or (status = 'processing' and provider = 'sandbox')),
  constraint payment_session_default_is_of_setup check (not becomes_default or mode = 'setup')
);
call resource_table('payment_session');
call due_table('payment_session', 'payment_session');
create index payment_session_order on payment_session (merchant_id, seq desc);
create index payment_session_customer on payment_session (merchant_id, customer_id, seq desc);
create index payment_session_subscription on payment_session (merchant_id, subscription_id, seq desc)
  where subscription_id is not null;
create index payment_session_method on payment_session (merchant_id, payment_method_id)
  where payment_method_id is not null;
-- At most one session can be paid at a time, for an entity and for an invoice, whatever races.
create unique index payment_session_open_entity on payment_session (merchant_id, entity_id)
  where status in ('pending', 'processing', 'failed');
create unique index payment_session_open_invoice on payment_session (merchant_id, invoice_id)
  where status in ('pending', 'processing', 'failed') and invoice_id is not null;
create index payment_session_all on payment_session (seq desc);
call keep_list_count('payment_session', '{status, entity_type}');

/* Money that came in: by a session, by a charge, or recorded by hand. One payment of a provider is one receipt,
   whatever number of notices tell of it. A return that the provider could not make is for the merchant to make by
   hand. */
create table payment_receipt (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  invoice_id text,                     -- null: of a payment link, which is for no invoice
  session_id text,
  charge_id text,
  payment_method_id text,              -- as it was then; the method may be gone
  card_brand text,                     -- as it was then, too
  card_last4 text,
  amount numeric not null check (amount > 0),
  overpaid numeric not null default 0, -- what was more than the invoice asked: it went to the wallet
  currency text not null,
  method text not null check (method in ('card', 'bank_transfer', 'cash', 'other')),
  provider text check (provider in ('sandbox', 'stripe')), -- null: recorded by hand
  provider_reference text,
  reference text,                      -- what the bank says it is for
  received_at timestamptz not null,
  -- manual: the merchant gives it back by hand
  return_status text not null default 'none' check (
    return_status in ('none', 'requested', 'returned', 'stopped', 'manual')),
  return_refund_id text,
  return_started_at timestamptz,       -- the intent: from here on the money may be on its way
  return_look_ups int not null default 0,
  returned_at timestamptz,
  return_reference text,
  clock_id text,
  next_action_at timestamptz,
  idempotency_key text,
  idempotency_print bytea,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, session_id) references payment_session (merchant_id, id),
  check (return_status = 'none' or return_refund_id is not null),
  check ((return_status = 'returned') = (returned_at is not null)),
  check ((return_status = 'requested') = (next_action_at is not null)),
  check (return_started_at is null or return_status in ('requested', 'returned')),
  constraint payment_receipt_overpaid check (overpaid >= 0 and overpaid <= amount),
  constraint payment_receipt_print check ((idempotency_key is null) = (idempotency_print is null)),
  constraint payment_receipt_card check ((card_brand is null) = (card_last4 is null)
    and (card_brand is null or method = 'card')),
  constraint payment_receipt_by_whom check (
    case method when 'card' then provider is not null and provider_reference is not null
                                and (session_id is null) <> (charge_id is null)
                else provider is null and provider_reference is null and session_id is null and charge_id is null
                     and invoice_id is not null and idempotency_key is not null and return_status <> 'requested' end)
);
call resource_table('payment_receipt');
call due_table('payment_return', 'payment_receipt');
create unique index payment_receipt_session on payment_receipt (merchant_id, session_id);
create index payment_receipt_invoice on payment_receipt (merchant_id, invoice_id, seq desc);
create index payment_receipt_refund on payment_receipt (merchant_id, return_refund_id)
  where return_refund_id is not null;
create unique index payment_receipt_key on payment_receipt (merchant_id, idempotency_key)
  where idempotency_key is not null;
create unique index payment_receipt_charge on payment_receipt (merchant_id, charge_id) where charge_id is not null;
create unique index payment_receipt_reference on payment_receipt (merchant_id, provider, provider_reference)
  where provider_reference is not null;
create index payment_receipt_exception on payment_receipt (merchant_id, created_at desc, id desc)
  where provider is not null and (return_status = 'manual' or (return_status = 'requested' and return_look_ups >= 6));
create index payment_receipt_exception_of_all on payment_receipt (created_at desc, id desc)
  where provider is not null and (return_status = 'manual' or (return_status = 'requested' and return_look_ups >= 6));

/* The sandbox provider's own books: what it was asked under which key, and what it answered. It stands for a payment
   provider, so nothing else reads it; the second index is the provider's own rule that a charge goes back at most
   once. */
create table sandbox_provider_record (
  merchant_id text not null,
  key text not null,
  kind text not null check (kind in ('charge', 'setup', 'refund')),
  token text,
  charge_reference text,
  amount numeric not null,
  currency text not null,
  decline_reason text, -- null: it worked
  reference text not null,
  created_at timestamptz not null,
  primary key (merchant_id, key)
);
call tenant_table('sandbox_provider_record');
create index sandbox_provider_token on sandbox_provider_record (merchant_id, token) where decline_reason is null;
create unique index sandbox_provider_refund on sandbox_provider_record (merchant_id, charge_reference)
  where kind = 'refund';
revoke update, delete on sandbox_provider_record from reckoner_app;

/* Money leaves once: a returned receipt never changes its return again, and what came in never changes at all. */
create function keep_payment_receipt() returns trigger language plpgsql as $$
begin
  if old.return_status = 'returned' and new is distinct from old then
    raise exception 'payment receipt % has been returned', old.id;
  end if;
  if (new.invoice_id, new.session_id, new.charge_id, new.amount, new.overpaid, new.currency, new.method, new.reference,
      new.provider_reference, new.received_at, new.card_brand, new.card_last4)
     is distinct from
     (old.invoice_id, old.session_id, old.charge_id, old.amount, old.overpaid, old.currency, old.method, old.reference,
      old.provider_reference, old.received_at, old.card_brand, old.card_last4) then
    raise exception 'what came in with payment receipt % does not change', old.id;
  end if;
  return new;
end $$;
create trigger keep before update on payment_receipt for each row execute function keep_payment_receipt();

/* The intent to charge a stored card, committed before the provider is called, and what came of it. Its id is the
   provider's key, `<invoice>:<attempt>`; the second index lets one charge of an invoice be on its way at a time. */
create table payment_charge (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  invoice_id text not null,
  customer_id text not null,
  -- at_once: while somebody waits for a subscription; the invoice's session asks where it is declined
  origin text not null check (origin in ('automatic', 'by_hand', 'at_once')),
  payment_method_id text, -- null: there was nothing to charge; the provider is not asked
  provider text not null check (provider in ('sandbox', 'stripe')),
  provider_token text,
  amount numeric not null check (amount > 0),
  currency text not null,
  -- sent: nobody knows the outcome; pending: the bank answers later; unresolved: no look-up found it, so a person must
  status text not null check (
    status in ('intended', 'sent', 'pending', 'unresolved', 'accepted', 'declined')),
  decline_reason text,
  provider_reference text,
  sent_at timestamptz,    -- a charge without an outcome is looked up at next_action_at, until it has one
  look_ups int not null default 0,
  clock_id text,
  next_action_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (merchant_id, id),
  check ((payment_method_id is null) = (provider_token is null)),
  check ((status = 'declined') = (decline_reason is not null)),
  constraint payment_charge_due check ((status in ('accepted', 'declined')) = (next_action_at is null)),
  constraint payment_charge_finished check ((status in ('accepted', 'declined')) = (finished_at is not null)),
  constraint payment_charge_sent check (status not in ('sent', 'pending', 'unresolved') or sent_at is not null)
);
call tenant_table('payment_charge');
call due_table('payment_charge', 'payment_charge');
create unique index payment_charge_on_its_way on payment_charge (merchant_id, invoice_id)
  where status in ('intended', 'sent', 'pending', 'unresolved');
create index payment_charge_invoice on payment_charge (merchant_id, invoice_id, seq);
revoke delete on payment_charge from reckoner_app;
/* Payment exceptions: money of which a provider does not say what became of it, or that a person has to send back
   (docs/decisions/0104). They are read from the records themselves, in the order of the indexes `…_exception`; there
   are few. */
create index payment_charge_exception on payment_charge (merchant_id, created_at desc, id desc)
  where status = 'unresolved';
create index payment_charge_exception_of_all on payment_charge (created_at desc, id desc)
  where status = 'unresolved';

/* A payment link: an amount that is asked for without an invoice. What became of it its session says. */
create table payment_link (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  customer_id text,
  session_id text not null,
  amount numeric not null check (amount > 0),
  currency text not null,
  reference text,
  metadata jsonb not null default '{}',
  line_items jsonb not null default '[]',
  idempotency_key text,
  idempotency_print bytea,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, session_id) references payment_session (merchant_id, id),
  check ((idempotency_key is null) = (idempotency_print is null))
);
call resource_table('payment_link');
create unique index payment_link_key on payment_link (merchant_id, idempotency_key) where idempotency_key is not null;
create index payment_link_order on payment_link (merchant_id, seq desc);
create index payment_link_customer on payment_link (merchant_id, customer_id, seq desc) where customer_id is not null;
revoke update, delete on payment_link from reckoner_app;
create index payment_link_all on payment_link (seq desc);
call keep_list_count('payment_link');

-- Payments by providers outside our database: an intent is committed before each call, and the outcome after it, in a
-- transaction of its own (docs/decisions/0094).

/* A customer as an account at a provider knows it. */
create table provider_customer (
  merchant_id text not null,
  provider text not null check (provider in ('stripe')),
  account_id text not null, -- the merchant's account at the provider
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
  reference text,                            -- null: the provider has not answered
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
call resource_table('stray_payment');
call due_table('stray_return', 'stray_payment');
create unique index stray_payment_reference on stray_payment (merchant_id, provider, provider_reference);
create index stray_payment_order on stray_payment (merchant_id, seq desc);
revoke delete on stray_payment from reckoner_app;
create index stray_payment_exception on stray_payment (merchant_id, received_at desc, id desc)
  where return_status = 'manual' or (return_status = 'requested' and return_look_ups >= 6);
create index stray_payment_exception_of_all on stray_payment (received_at desc, id desc)
  where return_status = 'manual' or (return_status = 'requested' and return_look_ups >= 6);

/* What a provider's webhook said, stored once. What it is about is read from the provider by due work. */
create table provider_notice (
  merchant_id text not null,
  id text not null, -- `<provider>:<event>`
  seq bigint generated always as identity,
  provider text not null check (provider in ('stripe')),
  event_id text not null,
  kind text not null,
  object_reference text not null,
  attempts int not null default 0,
  error text,       -- why the last attempt did not work
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
create index provider_notice_exception on provider_notice (merchant_id, received_at desc, id desc)
  where done_at is null and attempts >= 6;
create index provider_notice_exception_of_all on provider_notice (received_at desc, id desc)
  where done_at is null and attempts >= 6;

-- What happens to payments at their provider beside us (docs/decisions/0095).

/* Disputes: what a provider holds back for one, or has taken for good. */
create table payment_dispute (
  merchant_id text not null,
  id text not null,          -- `<provider>:<reference>`
  seq bigint generated always as identity,
  provider text not null check (provider in ('stripe')),
  charge_reference text not null,
  payment_id text not null,  -- the receipt, or the stray payment
  amount numeric not null check (amount > 0),
  currency text not null,
  reason text not null,
  status text not null check (status in ('inquiry', 'open', 'won', 'lost')),
  withheld numeric not null, -- what is booked as held back
  bookings int not null,     -- numbers the keys of what was booked
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check (withheld = case when status in ('open', 'lost') then amount else 0 end)
);
call tenant_table('payment_dispute');
create index payment_dispute_payment on payment_dispute (merchant_id, payment_id, seq);
revoke delete on payment_dispute from reckoner_app;

/* Refunds made at the provider's dashboard. */
create table outside_refund (
  merchant_id text not null,
  id text not null,         -- `<provider>:<reference>`
  seq bigint generated always as identity,
  provider text not null check (provider in ('stripe')),
  payment_id text not null, -- the receipt, or the stray payment
  amount numeric not null check (amount > 0),
  currency text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  booked_as text check (booked_as in ('return', 'credit_note', 'adjustment')),
  created_at timestamptz not null,
  primary key (merchant_id, id),
  check (status <> 'pending' or booked_as is null),
  check (status <> 'succeeded' or booked_as is not null)
);
call tenant_table('outside_refund');
create index outside_refund_payment on outside_refund (merchant_id, payment_id);
revoke delete on outside_refund from reckoner_app;
