-- Money that comes outside a payment session: recorded payments, charges of stored cards with what follows where they are
-- declined, and payment links that stand alone (domain.md §4; api.md, Invoices and payments).

/* Money that somebody says came in, beside what a provider took; and what a charge or a payment link brought. */
alter table payment_receipt disable trigger keep; -- it refuses any change of a receipt that was given back
alter table payment_receipt
  alter column invoice_id drop not null,         -- null: of a payment link, which is for no invoice
  alter column session_id drop not null,
  alter column provider drop not null,           -- null: recorded by hand
  alter column provider_reference drop not null,
  add column charge_id text,
  add column overpaid numeric not null default 0, -- what was more than the invoice asked: it went to the wallet
  add column reference text,                     -- what the bank says it is for
  add column idempotency_key text,
  add column idempotency_print bytea,
  add column created_at timestamptz,
  drop constraint payment_receipt_method_check,
  drop constraint payment_receipt_return_status_check;
update payment_receipt set created_at = received_at;
alter table payment_receipt
  alter column created_at set not null,
  add constraint payment_receipt_method check (method in ('card', 'bank_transfer', 'cash', 'other')),
  -- manual: the merchant gives it back by hand
  add constraint payment_receipt_return check (return_status in ('none', 'requested', 'returned', 'stopped', 'manual')),
  add constraint payment_receipt_overpaid check (overpaid >= 0 and overpaid <= amount),
  add constraint payment_receipt_by_whom check (
    case method when 'card' then provider is not null and provider_reference is not null
                                 and (session_id is null) <> (charge_id is null) and return_status <> 'manual'
                else provider is null and provider_reference is null and session_id is null and charge_id is null
                     and invoice_id is not null and idempotency_key is not null
                     and return_status not in ('requested', 'returned') end),
  add constraint payment_receipt_print check ((idempotency_key is null) = (idempotency_print is null));
alter table payment_receipt enable trigger keep;
create unique index payment_receipt_key on payment_receipt (merchant_id, idempotency_key) where idempotency_key is not null;
create unique index payment_receipt_charge on payment_receipt (merchant_id, charge_id) where charge_id is not null;

/* As before, for all that a receipt says now. */
create or replace function keep_payment_receipt() returns trigger language plpgsql as $$
begin
  if old.return_status = 'returned' and new is distinct from old then
    raise exception 'payment receipt % has been returned', old.id;
  end if;
  if (new.invoice_id, new.session_id, new.charge_id, new.amount, new.overpaid, new.currency, new.method, new.reference,
      new.provider_reference, new.received_at)
     is distinct from
     (old.invoice_id, old.session_id, old.charge_id, old.amount, old.overpaid, old.currency, old.method, old.reference,
      old.provider_reference, old.received_at) then
    raise exception 'what came in with payment receipt % does not change', old.id;
  end if;
  return new;
end $$;

/* The intent to charge a stored card, committed before the provider is called, and what came of it. Its id is the
   provider's key, `<invoice>:<attempt>`; the second index lets one charge of an invoice be on its way at a time. */
create table payment_charge (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  invoice_id text not null,
  customer_id text not null,
  origin text not null check (origin in ('automatic', 'by_hand')),
  payment_method_id text,                -- null: there was nothing to charge; the provider is not asked
  provider text not null check (provider in ('sandbox')),
  provider_token text,
  amount numeric not null check (amount > 0),
  currency text not null,
  status text not null check (status in ('intended', 'accepted', 'declined')),
  decline_reason text,
  provider_reference text,
  clock_id text,
  next_action_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (merchant_id, id),
  check ((payment_method_id is null) = (provider_token is null)),
  check ((status = 'intended') = (next_action_at is not null)),
  check ((status = 'intended') = (finished_at is null)),
  check ((status = 'declined') = (decline_reason is not null))
);
call tenant_table('payment_charge');
call due_table('payment_charge', 'payment_charge');
create unique index payment_charge_on_its_way on payment_charge (merchant_id, invoice_id) where status = 'intended';
create index payment_charge_invoice on payment_charge (merchant_id, invoice_id, seq);
revoke delete on payment_charge from reckoner_app;

/* How many automatic charges of an invoice were declined: which retry comes next (domain.md §4, rows 13 to 16). */
alter table invoice add column failed_attempts int not null default 0;

/* The webhook about an overdue invoice whose own due time is its next retry. */
create table invoice_overdue (
  merchant_id text not null,
  id text not null,                      -- the invoice
  clock_id text,
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references invoice (merchant_id, id)
);
call tenant_table('invoice_overdue');
call due_table('invoice_overdue', 'invoice_overdue');

/* Subscriptions that end because an invoice was not paid: in a step of their own, for a subscription is locked before its invoices. */
create table dunning_end (
  merchant_id text not null,
  id text not null,                      -- the invoice
  clock_id text,
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references invoice (merchant_id, id)
);
call tenant_table('dunning_end');
call due_table('dunning_end', 'dunning_end');

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

alter table payment_session
  drop constraint payment_session_check,
  add constraint payment_session_invoice check ((mode = 'payment' and entity_type <> 'payment') = (invoice_id is not null));
