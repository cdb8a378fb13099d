-- The revenue of an issued invoice is planned once for a connection, not for each batch of invoices
-- (docs/decisions/0292-the-invoice-run-as-before.md).

/* As in 0298_analytics_revenue_by_records.sql. The plan is made for tables that may be new and small then. */
create or replace function keep_revenue(merchants text[], ids text[], of_kind text) returns void language plpgsql
  set enable_hashjoin = on set enable_seqscan = off set plan_cache_mode = force_generic_plan
  as $$
declare
  -- the facts of a credit note by members have its id and theirs
  records text[] := array(select distinct split_part(each, '/', 1) from unnest(ids) each);
begin
  with now_so as materialized (
    select * from revenue_source s
     where s.merchant_id = any (merchants) and s.record_id = any (records) and s.kind = of_kind
       and (s.id = s.record_id or s.id = any (ids))
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
