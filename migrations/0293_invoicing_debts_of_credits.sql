-- What billing credits cannot pay of an invoice that stands again is a debt
-- (docs/decisions/0281-debts-of-billing-credits.md).

/* Either of a reversed payment, or of a billing credit since a credit note was voided: one for each pair. */
alter table payment_debt
  add column credit_note_id text,
  add column billing_credit_id text,
  -- what of it was collected and went into the wallet, because the credit pays it after all
  add column returned numeric not null default 0,
  drop constraint payment_debt_pkey;
alter table payment_debt alter column payment_id drop not null;
alter table payment_debt
  add column id text not null
    generated always as (coalesce(payment_id, credit_note_id || ':' || billing_credit_id)) stored,
  add primary key (merchant_id, id),
  add foreign key (merchant_id, credit_note_id) references credit_note (merchant_id, id),
  add foreign key (merchant_id, billing_credit_id) references billing_credit (merchant_id, id),
  add check (num_nonnulls(credit_note_id, billing_credit_id) = case when payment_id is null then 2 else 0 end),
  drop constraint payment_debt_amount_check,
  add check (amount >= 0 and returned between 0 and amount); -- 0: nothing is owed of it any more
create index payment_debt_credit on payment_debt (merchant_id, billing_credit_id) where billing_credit_id is not null;
