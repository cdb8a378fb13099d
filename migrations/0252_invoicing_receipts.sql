-- Money of customers that names no invoice (docs/decisions/0265-reversed-payments-and-receipts.md).

/* It waits until it is applied or returned. What is left of it follows from its applications and its returns. */
create table customer_receipt (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  customer_id text not null,
  amount numeric not null check (amount > 0),
  currency text not null,
  method text not null check (method in ('bank_transfer', 'cash', 'other')),
  reference text,
  received_at timestamptz not null,
  returned_amount numeric not null default 0 check (returned_amount >= 0 and returned_amount <= amount),
  returned_at timestamptz,
  return_reference text,
  clock_id text,
  idempotency_key text not null,
  idempotency_print bytea not null,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  check ((returned_amount = 0) = (returned_at is null))
);
call resource_table('customer_receipt');
create unique index customer_receipt_key on customer_receipt (merchant_id, idempotency_key);
create index customer_receipt_customer on customer_receipt (merchant_id, customer_id, seq desc);
revoke delete on customer_receipt from reckoner_app;

/* A part of it that paid an invoice (by a payment of it), or filled the wallet. */
create table receipt_application (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  receipt_id text not null,
  payment_id text, -- null: it filled the wallet
  invoice_id text,
  amount numeric not null check (amount > 0),
  applied_at timestamptz not null,
  reversed_at timestamptz, -- of its payment: the money is the receipt's again
  primary key (merchant_id, id),
  foreign key (merchant_id, receipt_id) references customer_receipt (merchant_id, id),
  foreign key (merchant_id, payment_id) references payment_receipt (merchant_id, id),
  check ((payment_id is null) = (invoice_id is null))
);
call tenant_table('receipt_application');
create index receipt_application_receipt on receipt_application (merchant_id, receipt_id, seq);
create unique index receipt_application_payment on receipt_application (merchant_id, payment_id)
  where payment_id is not null;
revoke delete on receipt_application from reckoner_app;

/* A payment by money that had come before has no key of its own. */
alter table payment_receipt
  add column receipt_id text,
  add foreign key (merchant_id, receipt_id) references customer_receipt (merchant_id, id);
alter table payment_receipt drop constraint payment_receipt_by_whom;
alter table payment_receipt add constraint payment_receipt_by_whom check (
  case method when 'card' then provider is not null and provider_reference is not null and receipt_id is null
                              and (session_id is null) <> (charge_id is null)
              else provider is null and provider_reference is null and session_id is null and charge_id is null
                   and invoice_id is not null and (idempotency_key is null) = (receipt_id is not null)
                   and return_status <> 'requested' end) not valid;

alter table ledger_entry drop constraint ledger_entry_account_check;
alter table ledger_entry add constraint ledger_entry_account_check check (account in
  ('receivable', 'owed_again', 'to_collect', 'wallet', 'unapplied', 'top_ups_due', 'cash', 'revenue', 'tax',
   'refunds_payable', 'write_off', 'disputes', 'returned_outside')) not valid;
alter table ledger_entry drop constraint ledger_entry_check;
alter table ledger_entry add constraint ledger_entry_check check (
  (account in ('receivable', 'owed_again', 'to_collect', 'wallet', 'unapplied', 'top_ups_due'))
    = (customer_id is not null)) not valid;
