-- The revenue of a record is found by its id, also where there are grouped invoices
-- (docs/decisions/0288-conditions-that-indexes-serve.md).

/* As in 0281_invoicing_grouped.sql, with the record of each fact. A member's fact begins with the member: one that
   began with its document was looked for in all grouped invoices, by each change of any invoice. */
create or replace view revenue_source with (security_invoker = true) as
select i.merchant_id, i.id, 'invoice' as kind,
       case i.status when 'PAID' then 'paid' when 'WRITTEN_OFF' then 'written_off' else 'outstanding' end as status,
       i.issued_at as counted_at, i.currency, i.customer_id, i.subscription_id,
       case when i.subscription_id is null then i.one_off ->> 'planId'
            else plan_at(i.merchant_id, i.subscription_id, i.period_start) end as plan_id,
       i.subtotal - i.collected_debt - topped.up as amount,
       case when i.unpaid_amount <= 0 or i.grand_total <= noted.total then 0
            else round((i.subtotal - i.collected_debt - topped.up - noted.amount) * i.unpaid_amount
                         / (i.grand_total - noted.total),
                       minor_digits(i.currency)) end as open_amount,
       i.id as record_id
  from invoice i
 cross join lateral (
   select coalesce(sum(l.total_price), 0) as up from invoice_line l
    where l.merchant_id = i.merchant_id and l.invoice_id = i.id
      and l.type in ('wallet_top_up', 'credit_purchase', 'prepayment')) topped
 cross join lateral (
   select coalesce(sum(n.amount - n.topped_up - n.advanced), 0) as amount,
          coalesce(sum(n.total), 0) as total
     from credit_note n
    where n.merchant_id = i.merchant_id and n.invoice_id = i.id and n.kind in ('credit', 'partial')
      and n.status = 'ISSUED') noted
 where i.invoice_number is not null and i.status in ('ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF')
   and i.kind <> 'grouped'
union all
select g.merchant_id, x.id, 'invoice',
       case g.status when 'PAID' then 'paid' when 'WRITTEN_OFF' then 'written_off' else 'outstanding' end,
       g.issued_at, g.currency, m.customer_id, m.subscription_id,
       plan_at(m.merchant_id, m.subscription_id, m.period_start), m.amount,
       case when m.total = 0 then 0
            else round(noted.open * m.so_far / m.total, minor_digits(g.currency))
                 - round(noted.open * (m.so_far - m.amount) / m.total, minor_digits(g.currency)) end,
       x.id
  from invoice x
  join invoice g on g.merchant_id = x.merchant_id and g.id = x.grouped_into_id
 cross join lateral (
   select case when g.unpaid_amount <= 0 or g.grand_total <= coalesce(sum(n.total), 0) then 0
               else round((g.subtotal - g.collected_debt - coalesce(sum(n.amount), 0)) * g.unpaid_amount
                          / (g.grand_total - coalesce(sum(n.total), 0)), minor_digits(g.currency)) end as open
     from credit_note n
    where n.merchant_id = g.merchant_id and n.invoice_id = g.id and n.kind in ('credit', 'partial')
      and n.status = 'ISSUED') noted
 cross join lateral (
   select * from (
     select s.*, sum(s.amount) over (order by s.seq) as so_far, sum(s.amount) over () as total
       from invoice_section s where s.merchant_id = g.merchant_id and s.invoice_id = g.id) all_members
    where all_members.id = x.id) m
 where x.grouped_into_id is not null and g.kind = 'grouped' and g.invoice_number is not null
   and g.status in ('ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF')
union all
select n.merchant_id, n.id, 'refund', 'issued', n.created_at, n.currency, i.customer_id, i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       n.amount - i.collected_debt - (select coalesce(sum(l.total_price), 0) from invoice_line l
                    where l.merchant_id = i.merchant_id and l.invoice_id = i.id
                      and l.type in ('wallet_top_up', 'credit_purchase', 'prepayment')),
       0, n.id
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where (n.kind = 'refund' or n.kind = 'reissue' and i.status = 'PAID') and n.status = 'ISSUED'
   and i.kind <> 'grouped'
union all
select n.merchant_id, n.id || '/' || m.id, 'refund', 'issued', n.created_at, n.currency, m.customer_id,
       m.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = m.merchant_id and f.id = m.id), m.amount, 0, n.id
  from credit_note n join invoice_section m on m.merchant_id = n.merchant_id and m.invoice_id = n.invoice_id
 where n.kind = 'refund' and n.status = 'ISSUED'
union all
select n.merchant_id, n.id, 'rebate', 'issued', n.created_at, n.currency, i.customer_id, i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       n.amount - n.topped_up - n.advanced, 0, n.id
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where n.kind in ('credit', 'partial') and n.status = 'ISSUED' and i.status <> 'CANCELLED' and i.kind <> 'grouped'
union all
select n.merchant_id, n.id || '/' || m.id, 'rebate', 'issued', n.created_at, n.currency, m.customer_id,
       m.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = m.merchant_id and f.id = m.id), part.amount, 0, n.id
  from credit_note n join invoice g on g.merchant_id = n.merchant_id and g.id = n.invoice_id and g.kind = 'grouped'
 cross join lateral (
   select coalesce(
            (select l.member_id from invoice_line l
              where l.merchant_id = r.merchant_id and l.invoice_id = n.invoice_id and l.id = r.applies_to_line_id),
            (select o.id from unused_credit c join invoice o
                on o.merchant_id = c.merchant_id and o.grouped_into_id = n.invoice_id
                   and o.subscription_id = c.subscription_id
              where c.merchant_id = r.merchant_id and c.id = r.credit_id order by o.seq limit 1),
            (select o.id from invoice o
              where o.merchant_id = n.merchant_id and o.grouped_into_id = n.invoice_id order by o.seq limit 1))
            as member_id,
          sum(r.amount) as amount
     from credit_note_line r where r.merchant_id = n.merchant_id and r.credit_note_id = n.id group by 1) part
  join invoice m on m.merchant_id = n.merchant_id and m.id = part.member_id
 where n.kind in ('credit', 'partial') and n.status = 'ISSUED' and g.status <> 'CANCELLED'
union all
select r.merchant_id, r.id, 'payment', 'completed', r.received_at, r.currency,
       coalesce(i.customer_id, s.customer_id), coalesce(i.subscription_id, s.subscription_id), null, r.amount, 0, r.id
  from payment_receipt r
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
 where r.reversed_at is null
union all
select s.merchant_id, s.id, 'payment', case s.status when 'expired' then 'expired' else 'pending' end,
       s.created_at, s.currency,
       s.customer_id, coalesce(s.subscription_id, i.subscription_id), null, s.amount, 0, s.id
  from payment_session s
  left join invoice i on i.merchant_id = s.merchant_id and i.id = s.invoice_id
 where s.mode = 'payment' and s.status in ('pending', 'processing', 'failed', 'expired')
union all
select t.merchant_id, t.id, 'rebate', 'issued', t.created_at, t.currency,
       (select w.customer_id from ledger_entry w
         where w.merchant_id = t.merchant_id and w.transaction_id = t.id and w.account = 'wallet'),
       i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       e.amount, 0, t.id
  from ledger_transaction t
  join ledger_entry e on e.merchant_id = t.merchant_id and e.transaction_id = t.id and e.account = 'revenue'
  left join invoice i on i.merchant_id = t.merchant_id and i.id = t.invoice_id
 where t.key like 'carried:%'
union all
select t.merchant_id, t.id, 'earned', 'issued', t.created_at, t.currency,
       (select w.customer_id from ledger_entry w
         where w.merchant_id = t.merchant_id and w.transaction_id = t.id and w.account = 'deferred_credits'),
       null, null, -e.amount, 0, t.id
  from ledger_transaction t
  join ledger_entry e on e.merchant_id = t.merchant_id and e.transaction_id = t.id and e.account = 'revenue'
 where t.key like 'earned:%'
union all
select d.merchant_id, d.id, 'dispute', d.status, d.created_at, d.currency,
       coalesce(i.customer_id, s.customer_id), coalesce(i.subscription_id, s.subscription_id), null, d.withheld, 0, d.id
  from payment_dispute d
  left join payment_receipt r on r.merchant_id = d.merchant_id and r.id = d.payment_id
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
 where d.status in ('open', 'lost');

/* As in 0120_analytics.sql, by the records. */
create or replace function keep_revenue(merchants text[], ids text[], of_kind text) returns void language plpgsql
  set enable_hashjoin = on
  as $$
declare
  -- the facts of a credit note by members have its id and theirs
  records text[] := array(select distinct split_part(each, '/', 1) from unnest(ids) each);
begin
  with now_so as materialized (
    select * from revenue_source s
     where s.merchant_id = any (merchants) and s.record_id = any (records) and s.id = any (ids) and s.kind = of_kind
  ), before as materialized (
    select * from revenue_fact f where f.merchant_id = any (merchants) and f.id = any (ids)
  ), gone as (
    delete from revenue_fact f using before b
     where f.merchant_id = b.merchant_id and f.id = b.id
       and not exists (select from now_so s where s.merchant_id = b.merchant_id and s.id = b.id)
  ), saved as (
    insert into revenue_fact as f (merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id,
      plan_id, amount, open_amount)
    select merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id, plan_id,
           amount, open_amount
      from now_so
    on conflict (merchant_id, id) do update
      set status = excluded.status, amount = excluded.amount, open_amount = excluded.open_amount
      where (f.status, f.amount, f.open_amount)
        is distinct from (excluded.status, excluded.amount, excluded.open_amount)
  )
  insert into revenue_change (merchant_id, hour, currency, customer_id, plan_id, kind, status, count, amount,
    open_amount)
  select merchant_id, date_trunc('hour', counted_at, 'UTC'), currency, coalesce(customer_id, ''),
         coalesce(plan_id, ''), kind, status, sum(count), sum(amount), sum(open_amount)
    from (select s.merchant_id, s.counted_at, s.currency, s.customer_id,
                 coalesce(b.plan_id, s.plan_id) as plan_id, s.kind, s.status, 1 as count, s.amount, s.open_amount
            from now_so s left join before b on b.merchant_id = s.merchant_id and b.id = s.id
          union all
          select merchant_id, counted_at, currency, customer_id, plan_id, kind, status, -1, -amount, -open_amount
            from before) c
   group by 1, 2, 3, 4, 5, 6, 7
  having sum(count) <> 0 or sum(amount) <> 0 or sum(open_amount) <> 0;
end $$;
