-- Money of a payment leaves at most once: a refund sends what a lost dispute, or a refund at the provider's dashboard,
-- has left of it.

/* What the payer's bank, and the merchant at the dashboard, had taken of it: that is credited without money. */
alter table payment_receipt add column less_disputed numeric not null default 0;
alter table payment_receipt add column less_outside numeric not null default 0;
alter table payment_receipt add constraint payment_receipt_less check (
  less_disputed >= 0 and less_outside >= 0 and less_disputed + less_outside <= amount - overpaid);
