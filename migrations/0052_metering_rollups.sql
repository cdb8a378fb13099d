-- Roll-ups: what meters count, added up by subject, group and hour in the transaction of each event.

/* What is rolled up: every different way in which the meters of a merchant read events. Two meters that read the same
   values of the same events by the same dimensions share one. `path` and `dimensions` are paths into the data, without
   `$.`. `kind` is what is kept: `count` how many events have a value, `number` also their sum and extremes, `latest`
   the value of the latest, `set` also the values themselves, by hash. Events up to `boundary` in the order of
   acceptance were there before it and are added by a job, up to `done`; later ones by those who accept them. Questions
   use it once it is ready. */
create table rollup_definition (
  merchant_id text not null,
  id bigint generated always as identity,
  event_type text not null,
  kind text not null check (kind in ('count', 'number', 'latest', 'set')),
  path text,
  dimensions text[] not null,
  content uuid not null,
  boundary bigint not null,
  done bigint not null default 0,
  is_ready boolean not null,
  primary key (merchant_id, id),
  unique (merchant_id, event_type, content)
);
call tenant_table('rollup_definition');
create index rollup_definition_pending on rollup_definition (merchant_id, id) where not is_ready;

/* A row for each hour in which events of a subject have values of one group. `lane` is a number of whoever writes: two
   who flush at once add to different rows and need not wait for each other, and readers add up all of them. The times
   of the first and the last event say whether all events of a row lie in a question. Rows of kind `latest` do not keep
   them. */
create table usage_rollup (
  merchant_id text not null,
  definition_id bigint not null,
  subject_id bigint not null,
  hour timestamptz not null,
  group_hash uuid not null,
  lane smallint not null,
  group_values text[] not null,
  event_count bigint not null,
  first_at timestamptz,
  last_at timestamptz,
  total numeric,
  least_value numeric,
  greatest_value numeric,
  latest_at timestamptz,
  latest_seq bigint,
  latest_value numeric,
  primary key (merchant_id, definition_id, subject_id, hour, group_hash, lane)
) with (fillfactor = 70);
call tenant_table('usage_rollup');

/* LATEST is a level: its figure is the value of the last event before a time, whenever that event came (domain.md §5).
   The look-up goes from that time backwards by this index, so that its cost does not grow with the history. Only
   roll-ups of LATEST have a latest event, and their hours never change, so an update of a row stays in its page. */
create index usage_rollup_level on usage_rollup (merchant_id, definition_id, subject_id, group_hash, hour)
  where latest_at is not null;

/* The values that a `set` has seen, by hash. */
create table usage_value (
  merchant_id text not null,
  definition_id bigint not null,
  subject_id bigint not null,
  hour timestamptz not null,
  group_hash uuid not null,
  value_hash uuid not null,
  group_values text[] not null,
  primary key (merchant_id, definition_id, subject_id, hour, group_hash, value_hash)
);
call tenant_table('usage_value');

/* 16 bytes of SHA-256: values are chosen outside, and two that collide would be counted as one. */
create function text_hash(value text) returns uuid
  language sql immutable parallel safe
  as $$ select encode(substr(sha256(convert_to(value, 'UTF8')), 1, 16), 'hex')::uuid $$;

/* Adds events to the roll-ups of the definitions that are named, or of all definitions of their merchants. An event has
   a kind, which is a merchant and a type. Hours are cut by arithmetic: in UTC they all have the same length. */
create function roll_up_events(
  kind_merchants text[], kind_types text[], named bigint[], flush_lane int,
  kinds int[], subject_ids bigint[], times timestamptz[], seqs bigint[], datas jsonb[]) returns void
  language plpgsql
  set enable_nestloop = off set plan_cache_mode = force_generic_plan
  as $$
declare
  added usage_rollup[];
begin
  with read as materialized (
    select k.place as event_kind, s.merchant_id, s.id as definition_id, s.kind,
           string_to_array(s.path, '.') as path, s.dimensions
      from unnest(kind_merchants, kind_types) with ordinality k (merchant_id, event_type, place)
      join rollup_definition s on s.merchant_id = k.merchant_id and s.event_type = k.event_type
     where s.merchant_id = any (kind_merchants) and (named is null or s.id = any (named))
  ), valued as materialized (
    select r.merchant_id, r.definition_id, r.kind, e.subject_id,
           date_bin('1 hour', e.at, timestamptz '2000-01-01Z') as hour, e.at, e.seq,
           case when r.dimensions = '{}' then '{}'::text[] else
             array(select event_text(e.data, string_to_array(d.path, '.')) from unnest(r.dimensions)
               with ordinality d (path, place) order by d.place)
           end as group_values,
           case when r.kind in ('number', 'latest') then event_number(e.data, r.path) end as number,
           case when r.path is null then '' when r.kind in ('count', 'set') then event_text(e.data, r.path) end as text
      from unnest(kinds, subject_ids, times, seqs, datas) e (event_kind, subject_id, at, seq, data)
      join read r on r.event_kind = e.event_kind
  ), usable as materialized (
    select *, case when group_values = '{}' then '00000000-0000-0000-0000-000000000000'::uuid
                   else text_hash(group_values::text) end as group_hash
      from valued where number is not null or text is not null
  ), seen as (
    insert into usage_value (merchant_id, definition_id, subject_id, hour, group_hash, value_hash, group_values)
    select merchant_id, definition_id, subject_id, hour, group_hash, text_hash(text), any_value(group_values)
      from usable where kind = 'set'
     group by merchant_id, definition_id, subject_id, hour, group_hash, text_hash(text)
     order by merchant_id, definition_id, subject_id, hour, group_hash, text_hash(text)
        on conflict do nothing
  ), grouped as (
    select definition_id, subject_id, hour, group_hash, merchant_id, any_value(group_values) as group_values,
           count(*) as event_count,
           min(at) as first_at, max(at) as last_at, sum(number) as total, min(number) as least_value,
           max(number) as greatest_value,
           null::timestamptz as latest_at, null::bigint as latest_seq, null::numeric as latest_value
      from usable where kind <> 'latest'
     group by merchant_id, definition_id, subject_id, hour, group_hash
     union all
    select * from (
      select distinct on (merchant_id, definition_id, subject_id, hour, group_hash)
             definition_id, subject_id, hour, group_hash, merchant_id, group_values,
             count(*) over (partition by merchant_id, definition_id, subject_id, hour, group_hash),
             null::timestamptz, null::timestamptz, null::numeric, null::numeric, null::numeric, at, seq, number
        from usable where kind = 'latest'
       order by merchant_id, definition_id, subject_id, hour, group_hash, at desc, seq desc) newest
  )
  select array_agg(row(g.merchant_id, g.definition_id, g.subject_id, g.hour, g.group_hash, flush_lane, g.group_values,
                       g.event_count, g.first_at, g.last_at, g.total, g.least_value, g.greatest_value, g.latest_at,
                       g.latest_seq, g.latest_value)::usage_rollup)
    into added
    from (select * from grouped order by merchant_id, definition_id, subject_id, hour, group_hash) g;
  if added is not null then perform add_rollups(added); end if;
end $$;

/* Adds to roll-ups what is new in them. The rows are in the order in which they are locked.

   Rows that exist are updated, and only the others are inserted: `on conflict` writes two records into the log for
   each, one of them for the lock. Where another transaction inserts or changes a row at the same time, the update
   misses the row and the insert finds it. */
create function add_rollups(added usage_rollup[]) returns void
  language plpgsql
  set enable_seqscan = off set plan_cache_mode = force_generic_plan
  as $$
declare
  places tid[];
begin
  select array_agg((select f.ctid from usage_rollup f
                     where f.merchant_id = u.merchant_id and f.definition_id = u.definition_id
                       and f.subject_id = u.subject_id
                       and f.hour = u.hour and f.group_hash = u.group_hash and f.lane = u.lane) order by u.ordinality)
    into places
    from unnest(added) with ordinality u;
  perform write_rollups(added, places);
end $$;

/* Adds to the rows at these places, null where there is none yet. Whatever the planner believes of the table, it cannot
   read more of it: statistics of an empty table would have it compare every row of the merchant with every new one. */
create function write_rollups(added usage_rollup[], places tid[]) returns void
  language plpgsql
  set enable_nestloop = on set enable_hashjoin = off set enable_mergejoin = off
  set enable_seqscan = off set enable_indexscan = off set enable_bitmapscan = off
  set plan_cache_mode = force_generic_plan
  as $$
begin
  with updated as (
    update usage_rollup r
       set event_count = r.event_count + n.event_count, total = r.total + n.total,
           first_at = least(r.first_at, n.first_at), last_at = greatest(r.last_at, n.last_at),
           least_value = least(r.least_value, n.least_value),
           greatest_value = greatest(r.greatest_value, n.greatest_value),
           latest_at = case when (n.latest_at, n.latest_seq) > (r.latest_at, r.latest_seq)
                       then n.latest_at else r.latest_at end,
           latest_seq = case when (n.latest_at, n.latest_seq) > (r.latest_at, r.latest_seq)
                        then n.latest_seq else r.latest_seq end,
           latest_value = case when (n.latest_at, n.latest_seq) > (r.latest_at, r.latest_seq)
                          then n.latest_value else r.latest_value end
      from (select u.*, places[u.ordinality] as place from unnest(added) with ordinality u offset 0) n
     where r.ctid = n.place and r.merchant_id = n.merchant_id and r.definition_id = n.definition_id
       and r.subject_id = n.subject_id
       and r.hour = n.hour and r.group_hash = n.group_hash and r.lane = n.lane
    returning n.ordinality
  )
  insert into usage_rollup as r
  select u.merchant_id, u.definition_id, u.subject_id, u.hour, u.group_hash, u.lane, u.group_values, u.event_count,
         u.first_at, u.last_at,
         u.total, u.least_value, u.greatest_value, u.latest_at, u.latest_seq, u.latest_value
    from unnest(added) with ordinality u
   where u.ordinality not in (select ordinality from updated)
      on conflict (merchant_id, definition_id, subject_id, hour, group_hash, lane) do update
     set event_count = r.event_count + excluded.event_count, total = r.total + excluded.total,
         first_at = least(r.first_at, excluded.first_at), last_at = greatest(r.last_at, excluded.last_at),
         least_value = least(r.least_value, excluded.least_value),
         greatest_value = greatest(r.greatest_value, excluded.greatest_value),
         (latest_at, latest_seq, latest_value) = (
           select case when later then excluded.latest_at else r.latest_at end,
                  case when later then excluded.latest_seq else r.latest_seq end,
                  case when later then excluded.latest_value else r.latest_value end
             from (select (excluded.latest_at, excluded.latest_seq) > (r.latest_at, r.latest_seq) as later) compared);
end $$;

/* Adds the next `most` events in the order of acceptance that were there before a definition, and says whether there
   are more. The row of the definition is locked, so that two who do this add each event once. */
create function backfill_rollups(merchant text, definition bigint, most int) returns boolean
  language plpgsql
  as $$
declare
  held rollup_definition;
  last_seq bigint;
  subject_ids bigint[];
  times timestamptz[];
  seqs bigint[];
  datas jsonb[];
begin
  select * into held from rollup_definition s where s.merchant_id = merchant and s.id = definition
    and not s.is_ready for update;
  if not found then return false; end if;
  select max(seq) into last_seq from (
    select e.seq from event e where e.merchant_id = merchant and e.seq > held.done and e.seq <= held.boundary
     order by e.seq limit most) next_events;
  if last_seq is not null then
    select array_agg(e.subject_id), array_agg(e.at), array_agg(e.seq), array_agg(e.data) into subject_ids,
           times, seqs, datas
      from event e
     where e.merchant_id = merchant and e.type = held.event_type and e.seq > held.done and e.seq <= last_seq;
    perform roll_up_events(array[merchant], array[held.event_type], array[definition], 100,
                           array_fill(1, array[coalesce(cardinality(seqs), 0)]), subject_ids, times, seqs, datas);
  end if;
  update rollup_definition s set done = coalesce(last_seq, held.boundary), is_ready = last_seq is null
    or last_seq = held.boundary
   where s.merchant_id = merchant and s.id = definition;
  return last_seq is not null and last_seq < held.boundary;
end $$;

/* The lane in which a transaction adds to roll-ups, until its end: the lowest that nobody has. So two who flush at the
   same time never wait for each other's rows, however many processes there are, and a group has no more rows than
   flushes were at work at once. Nobody waits for a lane either: where all are taken, one is shared, which is only
   slower. */
create function free_rollup_lane() returns int
  language plpgsql
  as $$
begin
  for lane in 0..15 loop
    if pg_try_advisory_xact_lock(hashtext('rollup lane'), lane) then return lane; end if;
  end loop;
  return pg_backend_pid() % 16;
end $$;

/* Definitions that no meter reads any more. Nothing is added to their roll-ups, which wait here to be deleted. */
create table rollup_definition_deleted (
  merchant_id text not null,
  definition_id bigint not null,
  primary key (merchant_id, definition_id)
);
call tenant_table('rollup_definition_deleted');
