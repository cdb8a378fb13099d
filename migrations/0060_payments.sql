-- Payment sessions, stored payment methods, what came in, and what goes back (§3; api.md, Invoices and payments).
-- Payments stands downstream of invoicing: what is paid for is known here by type and id only, never by a foreign key.

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
  provider text not null check (provider in ('sandbox')),
  provider_token text not null,     -- what the provider knows the card by
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
  invoice_id text,                  -- what the money is for; the entity itself where that is an invoice
  customer_id text,
  subscription_id text,
  amount numeric not null,
  currency text not null,
  status text not null check (status in ('pending', 'processing', 'completed', 'failed', 'expired', 'cancelled')),
  failure_reason text,              -- why the last attempt was declined
  attempts int not null default 0,  -- numbers the provider's keys: one key, one charge
  save_payment_method boolean not null,
  payment_method_id text,
  provider text not null check (provider in ('sandbox')),
  provider_reference text,
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
  check ((mode = 'payment') = (invoice_id is not null)),
  check (mode = 'payment' or customer_id is not null),
  check (not save_payment_method or customer_id is not null),
  check (case mode when 'payment' then amount > 0 else amount = 0 end),
  check ((status = 'completed') = (completed_at is not null)),
  check ((status in ('pending', 'failed')) = (next_action_at is not null)),
  foreign key (merchant_id, payment_method_id) references payment_method (merchant_id, id)
    on delete set null (payment_method_id)
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

create table payment_receipt (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  invoice_id text not null,
  session_id text not null,
  payment_method_id text,           -- as it was then; the method may be gone
  amount numeric not null check (amount > 0),
  currency text not null,
  method text not null check (method in ('card')),
  provider text not null check (provider in ('sandbox')),
  provider_reference text not null,
  received_at timestamptz not null,
  return_status text not null default 'none' check (return_status in ('none', 'requested', 'returned', 'stopped')),
  return_refund_id text,
  return_started_at timestamptz,    -- the intent: from here on the money may be on its way
  returned_at timestamptz,
  return_reference text,
  clock_id text,
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, session_id) references payment_session (merchant_id, id),
  check (return_status = 'none' or return_refund_id is not null),
  check ((return_status = 'returned') = (returned_at is not null)),
  check ((return_status = 'requested') = (next_action_at is not null)),
  check (return_started_at is null or return_status in ('requested', 'returned'))
);
call resource_table('payment_receipt');
call due_table('payment_return', 'payment_receipt');
create unique index payment_receipt_session on payment_receipt (merchant_id, session_id);
create index payment_receipt_invoice on payment_receipt (merchant_id, invoice_id);
create index payment_receipt_refund on payment_receipt (merchant_id, return_refund_id) where return_refund_id is not null;

/* The sandbox provider's own books: what it was asked under which key, and what it answered. It stands for a payment
   provider, so nothing else reads it; the second index is the provider's own rule that a charge goes back at most once. */
create table sandbox_provider_record (
  merchant_id text not null,
  key text not null,
  kind text not null check (kind in ('charge', 'setup', 'refund')),
  token text,
  charge_reference text,
  amount numeric not null,
  currency text not null,
  decline_reason text,              -- null: it worked
  reference text not null,
  created_at timestamptz not null,
  primary key (merchant_id, key)
);
call tenant_table('sandbox_provider_record');
create index sandbox_provider_token on sandbox_provider_record (merchant_id, token) where decline_reason is null;
create unique index sandbox_provider_refund on sandbox_provider_record (merchant_id, charge_reference) where kind = 'refund';
revoke update, delete on sandbox_provider_record from reckoner_app;

/* Money leaves once: a returned receipt never changes its return again, and what came in never changes at all. */
create function keep_payment_receipt() returns trigger language plpgsql as $$
begin
  if old.return_status = 'returned' and new is distinct from old then
    raise exception 'payment receipt % has been returned', old.id;
  end if;
  if (new.invoice_id, new.session_id, new.amount, new.currency, new.provider_reference, new.received_at)
     is distinct from (old.invoice_id, old.session_id, old.amount, old.currency, old.provider_reference, old.received_at) then
    raise exception 'what came in with payment receipt % does not change', old.id;
  end if;
  return new;
end $$;
create trigger keep before update on payment_receipt for each row execute function keep_payment_receipt();
