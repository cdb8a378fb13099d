-- What tables of all domains share: the owners of resources, and the totals of long lists.

/* Who owns a resource. Tells "unknown" (404) from "another merchant's" (403) before any row of a merchant is visible;
   readable through owner_of() alone. */
create table resource (
  id text primary key,
  merchant_id text not null
);

create function owner_of(resource_id text) returns text
  language sql stable security definer set search_path = public, pg_temp
  as $$ select merchant_id from resource where id = resource_id $$;

create function register_resources() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
  as $$
begin
  insert into resource (id, merchant_id) select id, merchant_id from inserted;
  return null;
end $$;

create function unregister_resources() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
  as $$
begin
  delete from resource where id in (select id from deleted);
  return null;
end $$;

/* A tenant table whose rows are resources with a public id: each insert registers its owner. */
create procedure resource_table(name regclass)
  language plpgsql
  as $$
begin
  call tenant_table(name);
  execute format(
    'create trigger register after insert on %s referencing new table as inserted
       for each statement execute function register_resources()', name);
  execute format(
    'create trigger unregister after delete on %s referencing old table as deleted
       for each statement execute function unregister_resources()', name);
end $$;

/* The migrations that this database has, for readiness. */
create function applied_migrations() returns setof text
  language sql stable security definer set search_path = public, pg_temp
  as $$ select name::text from kysely_migration $$;

-- Lists (docs/decisions/0086). Each page of a list is read in the order of an index: `<table>_order` for the list of
-- one merchant, `<table>_all` for an operator's list over all merchants. The total of a long list is read, not counted:
-- changes are appended in the transaction that makes them, and counts follow in the background. A total is the count
-- and the changes that wait. Counts can be made anew from the rows while the program runs (docs/decisions/0087).

/* A whole number that grows with a number: what lies in a range has its key between the keys of its ends. */
create function range_key(value numeric) returns bigint language sql immutable strict parallel safe as $$
  select greatest(least(floor(value * 1000), 9e18), -9e18)::bigint
$$;

/* The lists whose rows are counted: a table, the expressions by which its rows are divided, the condition of rows that
   count, and the columns by whose ranges rows are counted (times and numbers; of a number "x" the column "x_key" holds
   its `range_key`). */
create table counted_list (
  list text primary key,
  facets text[] not null,
  condition text not null,
  measures text[] not null
);
grant select on counted_list to reckoner_app, reckoner_operator;

create table list_count (
  merchant_id text not null,
  list text not null,
  facet text[] not null, -- by which a list is filtered, e.g. the status; {} where a list is counted as a whole
  count bigint not null,
  primary key (merchant_id, list, facet)
);
call tenant_table('list_count');
create index list_count_of_all on list_count (list, facet); -- an operator's total over all merchants

/* What the counts do not hold yet. Rows are only appended, so that no two transactions wait for each other here. */
create table list_count_change (
  merchant_id text not null,
  seq bigint generated always as identity,
  list text not null,
  facet text[] not null,
  change bigint not null,
  measured numeric[], -- one row of values for each row that came or went, in the order of the measures
  top bigint,         -- no row of these comes later in the list's order
  primary key (merchant_id, seq)
);
call tenant_table('list_count_change');

/* How many rows lie within a stretch of a measure. The stretches of a measure do not overlap; one that grows is divided
   (see add_list_changes), so that the few that a range cuts are counted quickly. */
create table list_range (
  merchant_id text not null,
  list text not null,
  measure text not null,
  starts bigint not null, -- `range_key` of its first value; it reaches to the next one
  facet text[] not null,
  count bigint not null,
  least numeric not null, -- every value that is counted lies between these two, both included
  most numeric not null,
  top bigint not null,    -- no row of these comes later in the list's order
  primary key (merchant_id, list, measure, starts, facet)
);
call tenant_table('list_range');
create index list_range_of_all on list_range (list, measure); -- an operator's total over all merchants

/* A time as a number, and back; exact. */
create function microseconds(instant timestamptz) returns numeric language sql immutable strict parallel safe as $$
  select (extract(epoch from instant) * 1000000)::bigint::numeric
$$;

create function at_microseconds(microseconds numeric) returns timestamptz
  language sql immutable strict parallel safe as $$
  select (timestamp 'epoch' + make_interval(
    days => div(microseconds, 86400000000)::int,
    secs => (mod(microseconds, 86400000000) / 1000000)::float8)) at time zone 'UTC'
$$;

create function is_time(of_list text, measure text) returns boolean language sql stable as $$
  select atttypid = 'timestamptz'::regtype from pg_attribute where attrelid = of_list::regclass and attname = measure
$$;

/* The SQL of a measure's value, a number. */
create function measured(of_list text, measure text) returns text language sql stable as $$
  select format(case when is_time(of_list, measure) then 'microseconds(%I)' else '%I' end, measure)
$$;

/* So many rows a stretch has when it is made; at twice as many it is divided. */
create function rows_of_a_stretch() returns int language sql immutable as $$ select 2000 $$;

/* Counts the rows within a stretch of a measure anew, and divides it where it is long; without `of_stretch` all of the
   measure. A value that many rows share has a stretch of its own, which no range cuts. Counts are the rows less the
   changes that wait, in one snapshot: nobody who writes rows waits. */
create function measure_again(merchant text, of_list text, of_measure text, of_stretch bigint default null) returns void
  language plpgsql as $$
declare
  counted counted_list;
  place int;
  low numeric := '-Infinity';
  high numeric := 'Infinity';
  within text := 'true';
begin
  select * into strict counted from counted_list where list = of_list;
  place := array_position(counted.measures, of_measure);
  if of_stretch is not null then
    select min(least), max(most) into low, high from list_range
     where merchant_id = merchant and list = of_list and measure = of_measure and starts = of_stretch;
    within := format(
      case when is_time(of_list, of_measure)
           then '%1$I between at_microseconds(%2$L) and at_microseconds(%3$L)'
           else '%4$I between range_key(%2$L) and range_key(%3$L) and %1$I between %2$L and %3$L' end,
      of_measure, low, high, of_measure || '_key');
  end if;
  delete from list_range
   where merchant_id = merchant and list = of_list and measure = of_measure and starts = coalesce(of_stretch, starts);
  execute format(
    'with entry as materialized (
       select array[%5$s]::text[] as facet, 1 as change, %6$s as value, seq as top
         from %1$I where merchant_id = $1 and %2$I is not null and %3$s and %4$s
       union all
       select facet, -sign(change), value, top
         from list_count_change, unnest(measured) with ordinality as m (value, n)
        where merchant_id = $1 and list = %1$L and (n - 1) %% %7$s + 1 = %8$s and value between $2 and $3
     ), value as (
       select key, many, sum(many) over (order by key) - many as before
         from (select range_key(value) as key, count(*) as many from entry group by 1) keys
     ), place as (
       select key, case when many > rows_of_a_stretch() or lag(many) over (order by key) > rows_of_a_stretch()
                             or div(before, rows_of_a_stretch()) > lag(div(before, rows_of_a_stretch()))
                                  over (order by key)
                        then 1 else 0 end as is_start
         from value
     ), stretch as (
       select key, sum(is_start) over (order by key) as number from place
     )
     insert into list_range (merchant_id, list, measure, starts, facet, count, least, most, top)
     select $1, %1$L, %2$L,
            case when number = min(number) over () then coalesce($4, range_key(''-Infinity''))
                 else min(min(key)) over (partition by number) end,
            facet, sum(change), min(value), max(value), max(top)
       from entry join stretch on key = range_key(value) group by number, facet',
    of_list, of_measure, counted.condition, within, array_to_string(counted.facets, ', '),
    measured(of_list, of_measure),
    cardinality(counted.measures), place)
    using merchant, low, high, of_stretch;
end $$;

/* Adds the oldest changes of a merchant to its counts, and says how many; 0 where somebody else is at it. */
create function add_list_changes(merchant text, most_changes int) returns int language plpgsql as $$
declare
  taken list_count_change[];
  long record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('list counts ' || merchant, 0)) then
    return 0;
  end if;
  with oldest as materialized (
    select seq from list_count_change where merchant_id = merchant order by seq limit most_changes
  ), gone as (
    delete from list_count_change c using oldest where c.merchant_id = merchant and c.seq = oldest.seq returning c.*
  )
  select array_agg(row(gone.*)::list_count_change) into taken from gone;
  if taken is null then
    return 0;
  end if;
  insert into list_count as kept (merchant_id, list, facet, count)
  select merchant, list, facet, sum(change) from unnest(taken) group by list, facet order by list, facet
  on conflict (merchant_id, list, facet) do update set count = kept.count + excluded.count;
  if not exists (select from unnest(taken) t where t.measured is not null) then
    return cardinality(taken);
  end if;
  insert into list_range as kept (merchant_id, list, measure, starts, facet, count, least, most, top)
  select merchant, e.list, e.measure,
         coalesce(s.starts[width_bucket(range_key(e.value), s.starts)], range_key('-Infinity')), e.facet,
         sum(e.change), min(e.value), max(e.value), max(e.top)
    from (select t.list, t.facet, sign(t.change) as change, t.top, m.value,
                 l.measures[(m.n - 1) % cardinality(l.measures) + 1] as measure
            from unnest(taken) t join counted_list l using (list), unnest(t.measured) with ordinality as m (value, n)
           where m.value is not null) e
    left join (select list, measure, array_agg(distinct starts order by starts) as starts from list_range
                where merchant_id = merchant group by list, measure) s on s.list = e.list and s.measure = e.measure
   group by 2, 3, 4, 5
  on conflict (merchant_id, list, measure, starts, facet) do update
     set count = kept.count + excluded.count, least = least(kept.least, excluded.least),
         most = greatest(kept.most, excluded.most),
         top = greatest(kept.top, excluded.top);
  for long in
    select list, measure, starts from list_range where merchant_id = merchant
     group by list, measure, starts having sum(count) > 2 * rows_of_a_stretch() and min(least) < max(most)
  loop
    perform measure_again(merchant, long.list, long.measure, long.starts);
  end loop;
  delete from list_range where merchant_id = merchant and count = 0;
  return cardinality(taken);
end $$;

/* Counts a list anew. Nobody writes its table meanwhile. */
create procedure count_list_again(of_list text) language plpgsql as $$
declare
  counted counted_list;
  merchant text;
  measure text;
begin
  select * into strict counted from counted_list where list = of_list;
  execute format('lock table %I in share row exclusive mode', of_list);
  delete from list_count where list = of_list;
  delete from list_count_change where list = of_list;
  delete from list_range where list = of_list;
  execute format(
    'insert into list_count (merchant_id, list, facet, count)
     select merchant_id, %L, array[%s]::text[], count(*) from %I where %s group by 1, 3',
    of_list, array_to_string(counted.facets, ', '), of_list, counted.condition);
  for merchant in select distinct merchant_id from list_count where list = of_list loop
    foreach measure in array counted.measures loop
      perform measure_again(merchant, of_list, measure);
    end loop;
  end loop;
end $$;

/* Keeps the count of a list from here on: of the rows that are there, and of each change. */
create procedure keep_list_count(of_list text, facets text[] default '{}', condition text default 'true',
  measures text[] default '{}')
  language plpgsql as $$
declare
  facet text := format('array[%s]::text[]', array_to_string(facets, ', '));
  measure text := (select string_agg(measured(of_list, each), ', ' order by n) from unnest(measures)
    with ordinality as m (each, n));
begin
  insert into counted_list values (of_list, facets, condition, measures);
  execute format(
    case when measures = '{}' then
    'create function count_%1$s() returns trigger language plpgsql as $body$
     begin
       if tg_op = ''INSERT'' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, %1$L, %2$s, count(*) from new_rows where %3$s group by 1, 3;
       elsif tg_op = ''DELETE'' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, %1$L, %2$s, -count(*) from old_rows where %3$s group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, %1$L, facet, sum(change)
           from (select merchant_id, %2$s as facet, 1 as change from new_rows where %3$s
                 union all
                 select merchant_id, %2$s, -1 from old_rows where %3$s) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $body$'
    else
    'create function count_%1$s() returns trigger language plpgsql as $body$
     begin
       if tg_op = ''INSERT'' then
         insert into list_count_change (merchant_id, list, facet, change, measured, top)
         select merchant_id, %1$L, %2$s, count(*), array_agg(array[%4$s]), max(seq) from new_rows
           where %3$s group by 1, 3;
       elsif tg_op = ''DELETE'' then
         insert into list_count_change (merchant_id, list, facet, change, measured, top)
         select merchant_id, %1$L, %2$s, -count(*), array_agg(array[%4$s]), max(seq) from old_rows
           where %3$s group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change, measured, top)
         select merchant_id, %1$L, side.facet, sum(side.change), array_agg(side.measured), max(seq)
           from (select merchant_id, seq, %2$s as facet, array[%4$s] as measured, %3$s as counts from new_rows) new_row
           join (select merchant_id, seq, %2$s as facet, array[%4$s] as measured, %3$s as counts from old_rows) old_row
             using (merchant_id, seq),
                lateral (values (new_row.facet, new_row.measured, 1, new_row.counts),
                                (old_row.facet, old_row.measured, -1, old_row.counts)) side
                  (facet, measured, change, counts)
          where (new_row.facet, new_row.measured, new_row.counts)
            is distinct from (old_row.facet, old_row.measured, old_row.counts)
            and side.counts
          group by merchant_id, side.facet, side.change;
       end if;
       return null;
     end $body$ set enable_nestloop = off set enable_hashjoin = on' end, of_list, facet, condition, measure);
  execute format('create trigger count_new after insert on %1$I referencing new table as new_rows
    for each statement execute function count_%1$s()', of_list);
  execute format('create trigger count_moved after update on %1$I
    referencing old table as old_rows new table as new_rows
    for each statement execute function count_%1$s()', of_list);
  execute format('create trigger count_gone after delete on %1$I referencing old table as old_rows
    for each statement execute function count_%1$s()', of_list);
  call count_list_again(of_list);
end $$;

/* How many rows the stretches of a measure count, by facet. */
create function range_totals(merchant text, of_list text, of_measure text) returns jsonb language sql stable as $$
  select jsonb_object_agg(facet::text, count)
    from (select facet, sum(count) as count from list_range
           where merchant_id = merchant and list = of_list and measure = of_measure
             group by facet having sum(count) <> 0) totals
$$;

/* Counts all lists of a merchant anew, and says how many counts were something else. Only who adds changes to counts
   waits: counts are the rows less the changes that wait, in one snapshot. */
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
           from (select array[%2$s]::text[] as facet, count(*) as count from %1$I where merchant_id = $1
             and %3$s group by 1
                 union all
                 select facet, -change from list_count_change where merchant_id = $1 and list = %1$L) parts
          group by 1 having sum(count) <> 0
       ), gone as (
         delete from list_count c where c.merchant_id = $1 and c.list = %1$L
           and c.facet not in (select facet from wanted)
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
