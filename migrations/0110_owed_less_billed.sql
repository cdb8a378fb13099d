-- An invoice bears what is owed less what other invoices bill (docs/decisions/0064). What is billed is read from lines and credits, so
-- that nothing is kept beside them of parts of periods, of late usage and of charges in advance.

drop table late_usage;
drop table usage_of_parts;

/* Lines in the order in which they were billed: an invoice is calculated again against what was billed before it. */
alter table invoice_line add column seq bigint generated always as identity;

/* An upfront invoice asks what is due at its anchor. */
update invoice set billing_anchor = coalesce((advances -> 0 ->> 'from')::timestamptz,
         (select s.billing_starts_at from subscription s
           where s.merchant_id = invoice.merchant_id and s.id = invoice.subscription_id), billing_anchor)
 where kind = 'upfront' and status in ('CALCULATING', 'DRAFT', 'FAILED');
alter table invoice drop column advances;
alter table invoice drop column continues_from;

/* A credit takes back time, or what a closed period comes to less; then `correction` says what of each kind of line. */
alter table unused_credit add column correction jsonb;
alter table unused_credit alter column price_id drop not null; -- null: the commitment of the plan
alter table unused_credit drop column withheld_by;
/* The last line that was billed as the credit was given. */
alter table unused_credit add column line_seq bigint not null default 0;
create index unused_credit_subscription on unused_credit (merchant_id, subscription_id, charged_to);

/* Where what an end leaves unused goes. */
alter table subscription add column end_credit text not null default 'invoice'
  check (end_credit in ('invoice', 'wallet', 'none'));

/* Where what a change leaves unused goes. */
alter table subscription_version add column credit text not null default 'invoice'
  check (credit in ('invoice', 'wallet', 'none'));
update subscription_version v set credit = c.credit from subscription_change c
 where c.merchant_id = v.merchant_id and c.id = v.change_id;
