-- A refund gives back the credits that its invoice bore, and a void of the refund takes them back. No credit note is
-- above what is left of its invoice: the deductions of the invoice are credited with its charges.

/* The refund of another invoice: this credit note gives back what credits had paid of that, and is void with it. */
alter table credit_note add column refund_id text;
alter table credit_note add check (refund_id is null or kind = 'credit');
create index credit_note_of_refund on credit_note (merchant_id, refund_id) where refund_id is not null;

/* A credit of a line below 0 is below 0: such a line took back what another invoice had billed. */
alter table unused_credit drop constraint unused_credit_amount_check;
alter table unused_credit drop constraint unused_credit_check1;
alter table unused_credit add check (amount <> 0);
alter table unused_credit add check (
  noted_amount between least(amount, 0) and greatest(amount, 0)
  and noted_tax between least(tax_amount, 0) and greatest(tax_amount, 0));

/* Also where a void takes back what was booked into the wallet: that raises revenue. */
drop trigger keep_revenue on ledger_entry;
create constraint trigger keep_revenue after insert on ledger_entry deferrable initially deferred
  for each row when (new.account = 'revenue') execute function keep_revenue_of_carried_credit();

/* As before, and a void credit note over a part counts for nothing. */
create or replace view revenue_source with (security_invoker = true) as
select i.merchant_id, i.id, 'invoice' as kind,
       case i.status when 'PAID' then 'paid' when 'WRITTEN_OFF' then 'written_off' else 'outstanding' end as status,
       i.issued_at as counted_at, i.currency, i.customer_id, i.subscription_id,
       case when i.subscription_id is null then i.one_off ->> 'planId'
            else plan_at(i.merchant_id, i.subscription_id, i.period_start) end as plan_id,
       i.subtotal - topped.up as amount,
       case when i.unpaid_amount <= 0 or i.grand_total <= noted.total then 0
            else round((i.subtotal - topped.up - noted.amount) * i.unpaid_amount / (i.grand_total - noted.total),
                       minor_digits(i.currency)) end as open_amount
  from invoice i
 cross join lateral (
   select case when i.kind in ('upfront', 'ad_hoc') then
            (select coalesce(sum(l.total_price), 0) from invoice_line l
              where l.merchant_id = i.merchant_id and l.invoice_id = i.id and l.type = 'wallet_top_up')
          else 0 end as up) topped
 cross join lateral (
   select coalesce(sum(n.amount), 0) as amount, coalesce(sum(n.total), 0) as total from credit_note n
    where n.merchant_id = i.merchant_id and n.invoice_id = i.id and n.kind = 'credit'
      and n.status = 'ISSUED') noted
 where i.invoice_number is not null and i.status in ('ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF')
union all
select n.merchant_id, n.id, 'refund', 'issued', n.created_at, n.currency, i.customer_id, i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       n.amount - (select coalesce(sum(l.total_price), 0) from invoice_line l
                    where l.merchant_id = i.merchant_id and l.invoice_id = i.id and l.type = 'wallet_top_up'),
       0
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where n.kind = 'refund' and n.status = 'ISSUED'
union all
select n.merchant_id, n.id, 'rebate', 'issued', n.created_at, n.currency, i.customer_id, i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       n.amount, 0
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where n.kind = 'credit' and n.status = 'ISSUED' and i.status <> 'CANCELLED'
union all
select r.merchant_id, r.id, 'payment', 'completed', r.received_at, r.currency,
       coalesce(i.customer_id, s.customer_id), coalesce(i.subscription_id, s.subscription_id), null, r.amount, 0
  from payment_receipt r
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
union all
select s.merchant_id, s.id, 'payment', case s.status when 'expired' then 'expired' else 'pending' end,
       s.created_at, s.currency,
       s.customer_id, coalesce(s.subscription_id, i.subscription_id), null, s.amount, 0
  from payment_session s
  left join invoice i on i.merchant_id = s.merchant_id and i.id = s.invoice_id
 where s.mode = 'payment' and s.status in ('pending', 'processing', 'failed', 'expired')
union all
select t.merchant_id, t.id, 'rebate', 'issued', t.created_at, t.currency,
       (select w.customer_id from ledger_entry w
         where w.merchant_id = t.merchant_id and w.transaction_id = t.id and w.account = 'wallet'),
       i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       e.amount, 0
  from ledger_transaction t
  join ledger_entry e on e.merchant_id = t.merchant_id and e.transaction_id = t.id and e.account = 'revenue'
  left join invoice i on i.merchant_id = t.merchant_id and i.id = t.invoice_id
 where t.key like 'carried:%';
