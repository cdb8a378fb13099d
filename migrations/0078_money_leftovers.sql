-- Burnt units that an invoice of one series has not charged are charged by those of the others, which took each of them off once more.

/* Units that grants burnt and that a price of a period does not charge (prices with grantDiscountEnabled). Written in the transaction
   that reads the usage of the period, and anew where usage that came late is billed. */
create table burnt_taken (
  merchant_id text not null,
  invoice_id text not null,              -- whose period it is
  price_id text not null,
  entitlement_id text not null,          -- whose grants burnt them
  taken_from timestamptz not null,
  taken_to timestamptz not null,
  units numeric not null check (units > 0),
  primary key (merchant_id, invoice_id, price_id, entitlement_id, taken_from),
  check (taken_from < taken_to),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id)
);
call tenant_table('burnt_taken');

/* What was not used of a charge whose invoice is refunded goes back with the refund; where that is voided, it is given back after all. */
alter table unused_credit add column withheld_by text; -- the refund that is in force
alter table unused_credit add constraint unused_credit_withheld check (withheld_by is null or (target_invoice_id is null and noted_amount = 0));
alter table unused_credit add foreign key (merchant_id, withheld_by) references credit_note (merchant_id, id);
create index unused_credit_withheld on unused_credit (merchant_id, withheld_by, seq) where withheld_by is not null;

/* Recorded money that was given back by hand is returned once the merchant says so. */
alter table payment_receipt drop constraint payment_receipt_by_whom;
alter table payment_receipt add constraint payment_receipt_by_whom check (
  case method when 'card' then provider is not null and provider_reference is not null
                               and (session_id is null) <> (charge_id is null) and return_status <> 'manual'
              else provider is null and provider_reference is null and session_id is null and charge_id is null
                   and invoice_id is not null and idempotency_key is not null and return_status <> 'requested' end);
