-- What is kept of other rows can be made anew from them while the program runs (docs/decisions/0087): sums of revenue, counts of lists.

/* The facts of a kind that are not what `revenue_source` says: null where there are none. The plan of a fact stays. */
create function differing_revenue_facts(merchant text, of_kind text) returns text[] language sql stable as $$
  with source as materialized (
    select id, status, counted_at, currency, customer_id, subscription_id, amount, open_amount
      from revenue_source where merchant_id = merchant and kind = of_kind
  ), fact as materialized (
    select id, status, counted_at, currency, customer_id, subscription_id, amount, open_amount
      from revenue_fact where merchant_id = merchant and kind = of_kind
  )
  select array_agg(id order by id)
    from (select id from (select * from source except select * from fact) missing
          union
          select id from (select * from fact except select * from source) surplus) differing
$$;

/* Makes the facts and sums of a merchant what they follow from, and says how many were something else. Facts that differ are written anew,
   under the locks of what they tell of. Sums are the facts less the changes that wait, in one snapshot: every transaction writes facts
   and changes together, so nobody who issues invoices meanwhile waits. */
create function rebuild_revenue(merchant text, out facts int, out sums int) language plpgsql as $$
declare
  of_kind text;
  ids text[];
begin
  facts := 0;
  -- The facts of invoices come first: those of their credit notes take their plan.
  foreach of_kind in array array['invoice', 'refund', 'rebate', 'payment'] loop
    ids := differing_revenue_facts(merchant, of_kind);
    continue when ids is null;
    perform from invoice where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from credit_note where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_session where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_receipt where merchant_id = merchant and id = any (ids) order by id for no key update;
    ids := differing_revenue_facts(merchant, of_kind);
    continue when ids is null;
    facts := facts + cardinality(ids);
    insert into revenue_fact (merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id, plan_id, amount, open_amount)
    select merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id, plan_id, amount, open_amount
      from revenue_source s where s.merchant_id = merchant and s.id = any (ids) and s.kind = of_kind
    on conflict (merchant_id, id) do update
      set kind = excluded.kind, status = excluded.status, counted_at = excluded.counted_at, currency = excluded.currency,
          customer_id = excluded.customer_id, subscription_id = excluded.subscription_id, amount = excluded.amount,
          open_amount = excluded.open_amount;
    delete from revenue_fact f
     where f.merchant_id = merchant and f.id = any (ids) and f.kind = of_kind
       and not exists (select from revenue_source s where s.merchant_id = merchant and s.id = f.id and s.kind = of_kind);
  end loop;
  perform pg_advisory_xact_lock(hashtextextended('revenue ' || merchant, 0)); -- nobody adds changes to the sums meanwhile
  with grains as (
    select * from (values ('hour'), ('day'), ('month')) as g (grain)
  ), wanted as materialized (
    select grain, starts_at, currency, member, kind, status, sum(count) as count, sum(amount) as amount, sum(open_amount) as open_amount
      from (
        select grain, date_trunc(grain, counted_at, 'UTC') as starts_at, currency,
               coalesce(case grain when 'month' then customer_id else plan_id end, '') as member, kind, status, 1 as count, amount, open_amount
          from revenue_fact cross join grains where merchant_id = merchant
        union all
        select grain, date_trunc(grain, hour, 'UTC'), currency, case grain when 'month' then customer_id else plan_id end, kind, status,
               -count, -amount, -open_amount
          from revenue_change cross join grains where merchant_id = merchant) parts
     group by grain, starts_at, currency, member, kind, status
    having sum(count) <> 0 or sum(amount) <> 0 or sum(open_amount) <> 0
  ), kept as materialized (
    select grain, starts_at, currency, member, kind, status, count, amount, open_amount from revenue_sum where merchant_id = merchant
  ), gone as (
    delete from revenue_sum s using kept k
     where s.merchant_id = merchant
       and (s.grain, s.starts_at, s.currency, s.member, s.kind, s.status) = (k.grain, k.starts_at, k.currency, k.member, k.kind, k.status)
       and not exists (select from wanted w where (w.grain, w.starts_at, w.currency, w.member, w.kind, w.status)
                                               = (k.grain, k.starts_at, k.currency, k.member, k.kind, k.status))
    returning (k.count, k.amount, k.open_amount) is distinct from (0, 0, 0) as was_wrong
  ), saved as (
    insert into revenue_sum as s (merchant_id, grain, starts_at, currency, member, kind, status, count, amount, open_amount)
    select merchant, grain, starts_at, currency, member, kind, status, count, amount, open_amount from wanted
    on conflict (merchant_id, grain, starts_at, currency, member, kind, status) do update
      set count = excluded.count, amount = excluded.amount, open_amount = excluded.open_amount
      where (s.count, s.amount, s.open_amount) is distinct from (excluded.count, excluded.amount, excluded.open_amount)
    returning 1
  )
  select (select count(*) from gone where was_wrong) + (select count(*) from saved) into sums;
end $$;

/* How many rows the stretches of a measure count, by facet. */
create function range_totals(merchant text, of_list text, of_measure text) returns jsonb language sql stable as $$
  select jsonb_object_agg(facet::text, count)
    from (select facet, sum(count) as count from list_range
           where merchant_id = merchant and list = of_list and measure = of_measure group by facet having sum(count) <> 0) totals
$$;

/* Counts all lists of a merchant anew, and says how many counts were something else. Only who adds changes to counts waits: counts are the
   rows less the changes that wait, in one snapshot. */
create function count_lists_again(merchant text) returns int language plpgsql as $$
declare
  counted counted_list;
  mended int := 0;
  wrong int;
  measure text;
  found jsonb;
begin
  lock table list_count in share row exclusive mode;
  for counted in select * from counted_list order by list loop
    execute format(
      'with wanted as materialized (
         select facet, sum(count)::bigint as count
           from (select array[%2$s]::text[] as facet, count(*) as count from %1$I where merchant_id = $1 and %3$s group by 1
                 union all
                 select facet, -change from list_count_change where merchant_id = $1 and list = %1$L) parts
          group by 1 having sum(count) <> 0
       ), gone as (
         delete from list_count c where c.merchant_id = $1 and c.list = %1$L and c.facet not in (select facet from wanted)
         returning c.count <> 0 as was_wrong
       ), saved as (
         insert into list_count as c (merchant_id, list, facet, count) select $1, %1$L, facet, count from wanted
         on conflict (merchant_id, list, facet) do update set count = excluded.count where c.count <> excluded.count
         returning 1
       )
       select (select count(*) from gone where was_wrong) + (select count(*) from saved)',
      counted.list, array_to_string(counted.facets, ', '), counted.condition) into wrong using merchant;
    mended := mended + wrong;
    foreach measure in array counted.measures loop
      found := range_totals(merchant, counted.list, measure);
      perform measure_again(merchant, counted.list, measure);
      mended := mended + (found is distinct from range_totals(merchant, counted.list, measure))::int;
    end loop;
  end loop;
  return mended;
end $$;

create function merchants_with_lists() returns setof text language sql stable as $$
  select merchant_id from organization where type <> 'consumer'
$$;
