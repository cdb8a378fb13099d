-- Reports of revenue say what disputes hold back, and what they took for good.

alter table revenue_fact drop constraint revenue_fact_kind_check;
alter table revenue_fact add constraint revenue_fact_kind_check
  check (kind in ('invoice', 'refund', 'rebate', 'payment', 'dispute'));
alter table revenue_fact drop constraint revenue_fact_status_check;
alter table revenue_fact add constraint revenue_fact_status_check check (
  status in ('outstanding', 'paid', 'written_off', 'issued', 'completed', 'pending', 'expired', 'open', 'lost'));

create function keep_revenue_of_disputes() returns trigger language plpgsql as $$
begin
  perform keep_revenue(array_agg(merchant_id), array_agg(id), 'dispute') from new_rows having count(*) > 0;
  return null;
end $$;
create trigger keep_revenue after insert on payment_dispute referencing new table as new_rows
  for each statement execute function keep_revenue_of_disputes();
create trigger keep_revenue_of_changed after update on payment_dispute referencing new table as new_rows
  for each statement execute function keep_revenue_of_disputes();

/* As before, and what disputes hold back or took, when they began. One that is won holds back nothing. */
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
 where t.key like 'carried:%'
union all
select d.merchant_id, d.id, 'dispute', d.status, d.created_at, d.currency,
       coalesce(i.customer_id, s.customer_id), coalesce(i.subscription_id, s.subscription_id), null, d.withheld, 0
  from payment_dispute d
  left join payment_receipt r on r.merchant_id = d.merchant_id and r.id = d.payment_id
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
 where d.status in ('open', 'lost');

/* As before, of all kinds. */
create or replace function rebuild_revenue(merchant text, out facts int, out sums int) language plpgsql as $$
declare
  of_kind text;
  ids text[];
begin
  facts := 0;
  -- The facts of invoices come first: those of their credit notes take their plan.
  foreach of_kind in array array['invoice', 'refund', 'rebate', 'payment', 'dispute'] loop
    ids := differing_revenue_facts(merchant, of_kind);
    continue when ids is null;
    perform from invoice where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from credit_note where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_session where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_receipt where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_dispute where merchant_id = merchant and id = any (ids) order by id for no key update;
    ids := differing_revenue_facts(merchant, of_kind);
    continue when ids is null;
    facts := facts + cardinality(ids);
    insert into revenue_fact (merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id,
      plan_id, amount, open_amount)
    select merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id, plan_id,
           amount, open_amount
      from revenue_source s where s.merchant_id = merchant and s.id = any (ids) and s.kind = of_kind
    on conflict (merchant_id, id) do update
      set kind = excluded.kind, status = excluded.status, counted_at = excluded.counted_at,
          currency = excluded.currency,
          customer_id = excluded.customer_id, subscription_id = excluded.subscription_id, amount = excluded.amount,
          open_amount = excluded.open_amount;
    delete from revenue_fact f
     where f.merchant_id = merchant and f.id = any (ids) and f.kind = of_kind
       and not exists (select from revenue_source s where s.merchant_id = merchant and s.id = f.id
         and s.kind = of_kind);
  end loop;
  -- nobody adds changes to the sums meanwhile
  perform pg_advisory_xact_lock(hashtextextended('revenue ' || merchant, 0));
  with grains as (
    select * from (values ('hour'), ('day'), ('month')) as g (grain)
  ), wanted as materialized (
    select grain, starts_at, currency, member, kind, status, sum(count) as count, sum(amount) as amount,
           sum(open_amount) as open_amount
      from (
        select grain, date_trunc(grain, counted_at, 'UTC') as starts_at, currency,
               coalesce(case grain when 'month' then customer_id else plan_id end, '') as member, kind, status,
               1 as count, amount, open_amount
          from revenue_fact cross join grains where merchant_id = merchant
        union all
        select grain, date_trunc(grain, hour, 'UTC'), currency,
               case grain when 'month' then customer_id else plan_id end, kind, status,
               -count, -amount, -open_amount
          from revenue_change cross join grains where merchant_id = merchant) parts
     group by grain, starts_at, currency, member, kind, status
    having sum(count) <> 0 or sum(amount) <> 0 or sum(open_amount) <> 0
  ), kept as materialized (
    select grain, starts_at, currency, member, kind, status, count, amount, open_amount from revenue_sum
      where merchant_id = merchant
  ), gone as (
    delete from revenue_sum s using kept k
     where s.merchant_id = merchant
       and (s.grain, s.starts_at, s.currency, s.member, s.kind, s.status) = (k.grain, k.starts_at, k.currency,
         k.member, k.kind, k.status)
       and not exists (select from wanted w where (w.grain, w.starts_at, w.currency, w.member, w.kind, w.status)
                                               = (k.grain, k.starts_at, k.currency, k.member, k.kind, k.status))
    returning (k.count, k.amount, k.open_amount) is distinct from (0, 0, 0) as was_wrong
  ), saved as (
    insert into revenue_sum as s (merchant_id, grain, starts_at, currency, member, kind, status, count, amount,
      open_amount)
    select merchant, grain, starts_at, currency, member, kind, status, count, amount, open_amount from wanted
    on conflict (merchant_id, grain, starts_at, currency, member, kind, status) do update
      set count = excluded.count, amount = excluded.amount, open_amount = excluded.open_amount
      where (s.count, s.amount, s.open_amount) is distinct from (excluded.count, excluded.amount, excluded.open_amount)
    returning 1
  )
  select (select count(*) from gone where was_wrong) + (select count(*) from saved) into sums;
end $$;

/* The facts of disputes that were there before. */
select keep_revenue(array_agg(merchant_id), array_agg(id), 'dispute') from payment_dispute
 having count(*) > 0;
