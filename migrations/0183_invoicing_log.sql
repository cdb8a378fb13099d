-- An invoice run writes less to the log. Entries of revenue, tax and cash have no customer, and nobody looks for them
-- by the account. Mails about an invoice are found by the index that lets a mail be written once: PostgreSQL skips from
-- kind to kind in it.

drop index ledger_entry_account;
create index ledger_entry_account on ledger_entry (merchant_id, customer_id, account, currency, seq desc)
  where customer_id is not null;

drop index mail_about;
