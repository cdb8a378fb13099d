-- Parts of payments that go back (docs/decisions/0260-a-note-is-a-reduction-of-its-line.md).

/* A part of a payment that goes back because of such a credit note. A payment has any number of them. */
create table payment_part_return (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  payment_id text not null,
  invoice_id text not null,
  refund_id text not null, -- the credit note (crn_)
  amount numeric not null check (amount > 0),
  currency text not null,
  provider text check (provider in ('sandbox', 'stripe')), -- null: the merchant sends it back by hand
  status text not null check (status in ('requested', 'manual', 'returned', 'stopped')),
  started_at timestamptz, -- the intent: from here on the money may have left
  look_ups int not null default 0,
  returned_at timestamptz,
  reference text,
  clock_id text,
  next_action_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, payment_id) references payment_receipt (merchant_id, id),
  check ((status = 'returned') = (returned_at is not null)),
  check ((status = 'requested') = (next_action_at is not null))
);
call tenant_table('payment_part_return');
call due_table('part_return', 'payment_part_return');
create index payment_part_return_payment on payment_part_return (merchant_id, payment_id);
create index payment_part_return_invoice on payment_part_return (merchant_id, invoice_id);
create index payment_part_return_refund on payment_part_return (merchant_id, refund_id);
revoke delete on payment_part_return from reckoner_app;

/* Of a charge any number of parts go back, each under a key of its own. */
drop index sandbox_provider_refund;
create index sandbox_provider_refund on sandbox_provider_record (merchant_id, charge_reference) where kind = 'refund';
