-- What happens to payments at their provider beside us: refunds made at its dashboard, and disputes
-- (docs/decisions/0095).

/* disputes: what a provider holds back for a dispute, or has taken for good. returned_outside: what was given back at the
   provider, and no credit note says so. */
alter table ledger_entry
  drop constraint ledger_entry_account_check,
  add constraint ledger_entry_account check (account in
    ('receivable', 'owed_again', 'wallet', 'top_ups_due', 'cash', 'revenue', 'tax', 'refunds_payable', 'write_off',
     'disputes', 'returned_outside'));

create table payment_dispute (
  merchant_id text not null,
  id text not null,                      -- `<provider>:<reference>`
  seq bigint generated always as identity,
  provider text not null check (provider in ('stripe')),
  charge_reference text not null,
  payment_id text not null,              -- the receipt, or the stray payment
  amount numeric not null check (amount > 0),
  currency text not null,
  reason text not null,
  status text not null check (status in ('inquiry', 'open', 'won', 'lost')),
  withheld numeric not null,             -- what is booked as held back
  bookings int not null,                 -- numbers the keys of what was booked
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check (withheld = case when status in ('open', 'lost') then amount else 0 end)
);
call tenant_table('payment_dispute');
create index payment_dispute_payment on payment_dispute (merchant_id, payment_id, seq);
revoke delete on payment_dispute from reckoner_app;

create table outside_refund (
  merchant_id text not null,
  id text not null,                      -- `<provider>:<reference>`
  seq bigint generated always as identity,
  provider text not null check (provider in ('stripe')),
  payment_id text not null,              -- the receipt, or the stray payment
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
