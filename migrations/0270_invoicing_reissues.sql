-- Invoices that are issued again (docs/decisions/0270-reissues.md). The new one has the place of the old one, which
-- counts for nothing from then on. Older programs open periods by the index as it was.
-- Oldest program: 0270_invoicing_reissues.

alter table invoice
  add column reissue_of_id text,
  add column reissued_as_id text,
  -- its lines are those of the one that it replaces, and no calculation of its own
  add column is_copy boolean not null default false,
  add foreign key (merchant_id, reissue_of_id) references invoice (merchant_id, id),
  add constraint invoice_copy check (not is_copy or reissue_of_id is not null) not valid;
/* An invoice is replaced once. */
create unique index invoice_reissue on invoice (merchant_id, reissue_of_id) where reissue_of_id is not null;

/* One invoice of a period among those that nothing replaces. */
drop index invoice_period;
create unique index invoice_period on invoice (merchant_id, subscription_id, billing_cadence, period_start)
  where kind = 'subscription' and reissued_as_id is null;

alter table credit_note drop constraint credit_note_kind_check;
alter table credit_note add constraint credit_note_kind_check
  check (kind in ('refund', 'cancellation', 'credit', 'partial', 'reissue'));

/* As in 0250_invoicing_reversed_payments.sql; a paid invoice that is replaced is taken back like a refunded one. */
create or replace view revenue_source with (security_invoker = true) as
select i.merchant_id, i.id, 'invoice' as kind,
       case i.status when 'PAID' then 'paid' when 'WRITTEN_OFF' then 'written_off' else 'outstanding' end as status,
       i.issued_at as counted_at, i.currency, i.customer_id, i.subscription_id,
       case when i.subscription_id is null then i.one_off ->> 'planId'
            else plan_at(i.merchant_id, i.subscription_id, i.period_start) end as plan_id,
       i.subtotal - i.collected_debt - topped.up as amount,
       case when i.unpaid_amount <= 0 or i.grand_total <= noted.total then 0
            else round((i.subtotal - i.collected_debt - topped.up - noted.amount) * i.unpaid_amount / (i.grand_total - noted.total),
                       minor_digits(i.currency)) end as open_amount
  from invoice i
 cross join lateral (
   select case when i.kind in ('upfront', 'ad_hoc') then
            (select coalesce(sum(l.total_price), 0) from invoice_line l
              where l.merchant_id = i.merchant_id and l.invoice_id = i.id and l.type = 'wallet_top_up')
          else 0 end as up) topped
 cross join lateral (
   select coalesce(sum(n.amount - n.topped_up), 0) as amount, coalesce(sum(n.total), 0) as total from credit_note n
    where n.merchant_id = i.merchant_id and n.invoice_id = i.id and n.kind in ('credit', 'partial')
      and n.status = 'ISSUED') noted
 where i.invoice_number is not null and i.status in ('ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF')
union all
select n.merchant_id, n.id, 'refund', 'issued', n.created_at, n.currency, i.customer_id, i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       n.amount - i.collected_debt - (select coalesce(sum(l.total_price), 0) from invoice_line l
                    where l.merchant_id = i.merchant_id and l.invoice_id = i.id and l.type = 'wallet_top_up'),
       0
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where (n.kind = 'refund' or n.kind = 'reissue' and i.status = 'PAID') and n.status = 'ISSUED'
union all
select n.merchant_id, n.id, 'rebate', 'issued', n.created_at, n.currency, i.customer_id, i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       n.amount - n.topped_up, 0
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where n.kind in ('credit', 'partial') and n.status = 'ISSUED' and i.status <> 'CANCELLED'
union all
select r.merchant_id, r.id, 'payment', 'completed', r.received_at, r.currency,
       coalesce(i.customer_id, s.customer_id), coalesce(i.subscription_id, s.subscription_id), null, r.amount, 0
  from payment_receipt r
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
 where r.reversed_at is null
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
 where t.key like 'carried:%'
union all
select d.merchant_id, d.id, 'dispute', d.status, d.created_at, d.currency,
       coalesce(i.customer_id, s.customer_id), coalesce(i.subscription_id, s.subscription_id), null, d.withheld, 0
  from payment_dispute d
  left join payment_receipt r on r.merchant_id = d.merchant_id and r.id = d.payment_id
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
 where d.status in ('open', 'lost');

/* As in 0234_invoicing_partial_credit_notes.sql, and of invoices that are replaced. */
create or replace function keep_revenue_of_credit_notes() returns trigger language plpgsql as $$
declare
  noted record;
begin
  for noted in
    select case when kind in ('refund', 'reissue') then 'refund' else 'rebate' end as fact, array_agg(merchant_id) as merchants,
           array_agg(id) as ids, array_agg(invoice_id) as invoices
      from new_rows where kind in ('refund', 'reissue', 'credit', 'partial') group by 1
  loop
    perform keep_revenue(noted.merchants, noted.ids, noted.fact);
    if noted.fact = 'rebate' then
      perform keep_revenue(noted.merchants, noted.invoices, 'invoice');
    end if;
  end loop;
  return null;
end $$;
