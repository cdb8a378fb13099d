-- Lines of billing credits and true-ups are found by a column (docs/decisions/0289-lines-are-found-by-columns.md).
-- Under row-level security no index serves an expression over jsonb.

/* The credit that a line uses or gets back, and the commitment of a true-up. */
alter table invoice_line add column billing_credit_id text, add column commitment_id text;

/* A trigger, because older programs insert lines until they are replaced, and a generated column rewrites the table. */
create function name_source_of_line() returns trigger language plpgsql as $$
begin
  new.billing_credit_id := new.workings->'use'->>'billingCreditId';
  new.commitment_id := new.workings->'trueUp'->>'commitmentId';
  return new;
end $$;
create trigger name_source before insert on invoice_line
  for each row when (new.type in ('billing_credit', 'true_up')) execute function name_source_of_line();

alter table invoice_line disable trigger user; -- issued lines do not change otherwise
update invoice_line
   set billing_credit_id = workings->'use'->>'billingCreditId',
       commitment_id = workings->'trueUp'->>'commitmentId'
 where type in ('billing_credit', 'true_up');
alter table invoice_line enable trigger user;

drop index invoice_line_credit_use;
create index invoice_line_credit_use on invoice_line (merchant_id, billing_credit_id)
  where billing_credit_id is not null;
drop index invoice_line_true_up;
create index invoice_line_true_up on invoice_line (merchant_id, commitment_id) where commitment_id is not null;

/* As in 0272_invoicing_credit_purchases.sql: the credits are found by their ids. */
create or replace function wake_credits_of_invoice(merchant text, invoice text) returns void language sql as $$
  select wake_credits(merchant, array_agg(distinct b.customer_id))
    from invoice_line l
    join billing_credit b on b.merchant_id = l.merchant_id and b.id = l.billing_credit_id
   where l.merchant_id = merchant and l.invoice_id = invoice and l.billing_credit_id is not null
  having count(*) > 0
$$;
