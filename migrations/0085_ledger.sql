-- The ledger: what customers owe, have paid and keep in their wallets, by double entry (domain.md §4, Wallet;
-- reliability I-43 to I-45). An amount above 0 debits its account, one below 0 credits it. What is written here is
-- never changed; it is posted against.

create table ledger_transaction (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  key text not null, -- what happened, so that it is booked once, whatever is tried again
  reason text not null,
  invoice_id text,   -- known by its id only: the ledger stands downstream of invoicing
  currency text not null,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, key),
  unique (merchant_id, id, currency)
);
call tenant_table('ledger_transaction');
revoke update, delete on ledger_transaction from reckoner_app;
create index ledger_transaction_invoice on ledger_transaction (merchant_id, invoice_id) where invoice_id is not null;

create table ledger_entry (
  merchant_id text not null,
  transaction_id text not null,
  position int not null,
  seq bigint generated always as identity,
  -- disputes: what a provider holds back for a dispute, or has taken for good; returned_outside: what was given back at
  -- the provider, and no credit note says so
  account text not null check (account in
    ('receivable', 'owed_again', 'wallet', 'top_ups_due', 'cash', 'revenue', 'tax', 'refunds_payable', 'write_off',
     'disputes', 'returned_outside')),
  customer_id text,
  currency text not null,
  amount numeric not null check (amount <> 0),
  wallet_balance numeric, -- of the wallet after this entry
  primary key (merchant_id, transaction_id, position),
  foreign key (merchant_id, transaction_id, currency) references ledger_transaction (merchant_id, id, currency),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  check ((account in ('receivable', 'owed_again', 'wallet', 'top_ups_due')) = (customer_id is not null)),
  check ((account = 'wallet') = (wallet_balance is not null))
);
call tenant_table('ledger_entry');
revoke update, delete on ledger_entry from reckoner_app;
create index ledger_entry_account on ledger_entry (merchant_id, customer_id, account, currency, seq desc);
create index ledger_entry_wallet on ledger_entry (merchant_id, customer_id, seq desc) where account = 'wallet';

/* What is in a wallet: the sum of its entries, kept by the trigger below, so that two who spend at once wait for each
   other. */
create table wallet (
  merchant_id text not null,
  customer_id text not null,
  currency text not null,
  balance numeric not null default 0 check (balance >= 0),
  primary key (merchant_id, customer_id, currency),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id)
);
call tenant_table('wallet');
revoke delete on wallet from reckoner_app;

/* Whoever posts to a wallet has opened and locked its row before. A wallet is what we owe its customer: credits fill
   it. */
create function move_wallet() returns trigger language plpgsql as $$
begin
  update wallet set balance = balance - new.amount
   where merchant_id = new.merchant_id and customer_id = new.customer_id and currency = new.currency
  returning balance into strict new.wallet_balance;
  return new;
end $$;
create trigger move_wallet before insert on ledger_entry for each row when (new.account = 'wallet')
  execute function move_wallet();

/* Transactions of the ledger with their entries; a second one under a key violates the unique index. */
create function book_transactions(transactions jsonb, entries jsonb, happened timestamptz) returns void
  language plpgsql
  as $$
begin
  insert into ledger_transaction (merchant_id, id, key, reason, invoice_id, currency, created_at)
  select t.merchant_id, t.id, t.key, t.reason, t.invoice_id, t.currency, happened
    from jsonb_to_recordset(transactions)
      as t (merchant_id text, id text, key text, reason text, invoice_id text, currency text);
  insert into ledger_entry (merchant_id, transaction_id, position, account, customer_id, currency, amount)
  select e.merchant_id, e.transaction_id, e.position, e.account, e.customer_id, e.currency, e.amount
    from jsonb_to_recordset(entries)
      as e (merchant_id text, transaction_id text, position int, account text, customer_id text, currency text,
        amount numeric);
end $$;

-- The walls around the ledger look at all rows of a statement at once, as entries are written in lists.

/* The entries of a transaction that one statement writes come to 0. At commit: there is no transaction without entries.
   Two at least, because each is of another account and none is 0. */
create function balanced_entries() returns trigger language plpgsql as $$
declare
  posted text;
begin
  select transaction_id into posted from new_rows group by merchant_id, transaction_id having sum(amount) <> 0 limit 1;
  if posted is not null then
    raise exception 'ledger transaction % does not balance', posted using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger balanced after insert on ledger_entry referencing new table as new_rows
  for each statement execute function balanced_entries();

create function booked_entries() returns trigger language plpgsql
  set enable_seqscan = off
  as $$
begin
  if not exists (select from ledger_entry where merchant_id = new.merchant_id and transaction_id = new.id) then
    raise exception 'ledger transaction % has no entries', new.id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger booked after insert on ledger_transaction
  deferrable initially deferred for each row execute function booked_entries();
