-- Roll-ups: what meters count, added up by subject, group and hour in the transaction of each event; and the one round
-- trip in which a flush of events is accepted.

/* What is rolled up: every different way in which the meters of a merchant read events. Two meters that read the same
   values of the same events by the same dimensions share one. `path` and `dimensions` are paths into the data, without `$.`.
   `kind` is what is kept: `count` how many events have a value, `number` also their sum and extremes, `latest` the value of
   the latest, `set` also the values themselves, by hash. Events up to `boundary` in the order of acceptance were there
   before it and are added by a job, up to `done`; later ones by those who accept them. Questions use it once it is ready. */
create table usage_series (
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
call tenant_table('usage_series');
create index usage_series_pending on usage_series (merchant_id, id) where not is_ready;

/* A row for each hour in which events of a subject have values of one group. `lane` is a number of whoever writes: two who
   flush at once add to different rows and need not wait for each other, and readers add up all of them. */
create table usage_rollup (
  merchant_id text not null,
  series_id bigint not null,
  subject_id bigint not null,
  hour timestamptz not null,
  group_hash uuid not null,
  lane smallint not null,
  group_values text[] not null,
  event_count bigint not null,
  total numeric,
  least_value numeric,
  greatest_value numeric,
  latest_at timestamptz,
  latest_seq bigint,
  latest_value numeric,
  primary key (merchant_id, series_id, subject_id, hour, group_hash, lane)
) with (fillfactor = 70);
call tenant_table('usage_rollup');

/* The values that a `set` has seen, by hash. */
create table usage_value (
  merchant_id text not null,
  series_id bigint not null,
  subject_id bigint not null,
  hour timestamptz not null,
  group_hash uuid not null,
  value_hash uuid not null,
  group_values text[] not null,
  primary key (merchant_id, series_id, subject_id, hour, group_hash, value_hash)
);
call tenant_table('usage_value');

/* 16 bytes of SHA-256: values are chosen outside, and two that collide would be counted as one. */
create function text_hash(value text) returns uuid
  language sql immutable parallel safe
  as $$ select encode(substr(sha256(convert_to(value, 'UTF8')), 1, 16), 'hex')::uuid $$;

/* Adds events to the series of their merchants: to those named, or to all. */
create function roll_up_events(batch event[], merchants text[], named bigint[], flush_lane int) returns void
  language plpgsql
  set enable_nestloop = off
  as $$
begin
  with valued as materialized (
    select s.merchant_id, s.id as series_id, s.kind, e.subject_id, date_trunc('hour', e.at, 'UTC') as hour, e.at, e.seq,
           case when s.dimensions = '{}' then '{}'::text[] else
             array(select event_text(e.data, string_to_array(d.path, '.')) from unnest(s.dimensions) with ordinality d (path, place) order by d.place)
           end as group_values,
           case when s.kind in ('number', 'latest') then event_number(e.data, string_to_array(s.path, '.')) end as number,
           case when s.path is null then '' when s.kind in ('count', 'set') then event_text(e.data, string_to_array(s.path, '.')) end as text
      from unnest(batch) e
      join usage_series s on s.merchant_id = e.merchant_id and s.event_type = e.type
     where s.merchant_id = any (merchants) and (named is null or s.id = any (named))
  ), usable as materialized (
    select *, case when group_values = '{}' then '00000000-0000-0000-0000-000000000000'::uuid
                   else text_hash(group_values::text) end as group_hash
      from valued where number is not null or text is not null
  ), seen as (
    insert into usage_value (merchant_id, series_id, subject_id, hour, group_hash, value_hash, group_values)
    select merchant_id, series_id, subject_id, hour, group_hash, text_hash(text), min(group_values)
      from usable where kind = 'set'
     group by merchant_id, series_id, subject_id, hour, group_hash, text_hash(text)
     order by merchant_id, series_id, subject_id, hour, group_hash, text_hash(text)
        on conflict do nothing
  ), newest as (
    insert into usage_rollup as r (merchant_id, series_id, subject_id, hour, group_hash, lane, group_values, event_count, latest_at, latest_seq, latest_value)
    select distinct on (merchant_id, series_id, subject_id, hour, group_hash)
           merchant_id, series_id, subject_id, hour, group_hash, flush_lane, group_values,
           count(*) over (partition by merchant_id, series_id, subject_id, hour, group_hash), at, seq, number
      from usable where kind = 'latest'
     order by merchant_id, series_id, subject_id, hour, group_hash, at desc, seq desc
        on conflict (merchant_id, series_id, subject_id, hour, group_hash, lane) do update
       set event_count = r.event_count + excluded.event_count,
           (latest_at, latest_seq, latest_value) = (
             select case when later then excluded.latest_at else r.latest_at end,
                    case when later then excluded.latest_seq else r.latest_seq end,
                    case when later then excluded.latest_value else r.latest_value end
               from (select (excluded.latest_at, excluded.latest_seq) > (r.latest_at, r.latest_seq) as later) compared)
  )
  insert into usage_rollup as r (merchant_id, series_id, subject_id, hour, group_hash, lane, group_values, event_count, total, least_value, greatest_value)
  select merchant_id, series_id, subject_id, hour, group_hash, flush_lane, min(group_values), count(*), sum(number), min(number), max(number)
    from usable where kind <> 'latest'
   group by merchant_id, series_id, subject_id, hour, group_hash
   order by merchant_id, series_id, subject_id, hour, group_hash
      on conflict (merchant_id, series_id, subject_id, hour, group_hash, lane) do update
     set event_count = r.event_count + excluded.event_count, total = r.total + excluded.total,
         least_value = least(r.least_value, excluded.least_value),
         greatest_value = greatest(r.greatest_value, excluded.greatest_value);
end $$;

/* Adds the next `most` events in the order of acceptance that were there before a series, and says whether there are more.
   The row of the series is locked, so that two who do this add each event once. */
create function backfill_series(merchant text, series bigint, most int) returns boolean
  language plpgsql
  as $$
declare
  held usage_series;
  last_seq bigint;
  batch event[];
begin
  select * into held from usage_series s where s.merchant_id = merchant and s.id = series and not s.is_ready for update;
  if not found then return false; end if;
  select max(seq) into last_seq from (
    select e.seq from event e where e.merchant_id = merchant and e.seq > held.done and e.seq <= held.boundary
     order by e.seq limit most) next_events;
  if last_seq is not null then
    select array_agg(e) into batch from event e
     where e.merchant_id = merchant and e.type = held.event_type and e.seq > held.done and e.seq <= last_seq;
    perform roll_up_events(batch, array[merchant], array[series], 100);
  end if;
  update usage_series s set done = coalesce(last_seq, held.boundary), is_ready = last_seq is null or last_seq = held.boundary
   where s.merchant_id = merchant and s.id = series;
  return last_seq is not null and last_seq < held.boundary;
end $$;

/* Accepts events in one call. `merchants` come sorted. Whoever has no time to wait for a merchant's ingest lock is told whose
   is taken, and nothing is done. The subjects are those that the events name, each once and sorted; the events are those of
   the keys, each once and sorted by merchant and hash, `places` their order of acceptance, `subject_places` their subject.
   Events of one group are stored together: where the key of one is stored with other content, none of them are.

   Locks are taken in one order: generations of keys, ingest locks, new subjects, keys, roll-ups; each sorted. The locks
   are statements of their own, so that what comes after them sees all that was committed under them.

   Joins of arrays are hashed: a plan that knows nothing of their lengths would compare each with each. Look-ups in tables
   are subqueries of one row, which go by index whatever the planner thinks; and by the one index that is in order already,
   where a plan made for an empty table would take any that begins with the merchant, and sort. */
create function ingest_flush(
  merchants text[], may_wait boolean, flush_lane int, accepted timestamptz,
  subject_merchants text[], subject_kinds text[], subject_keys text[],
  event_merchants text[], hashes uuid[], prints bigint[], ids text[], groups int[], places int[], subject_places int[],
  times timestamptz[], types text[], sources text[], external_subjects text[], external_ids text[], keys text[], datas jsonb[])
  returns table (busy text[], addressees text[], repeated int[], repeated_ids text[], conflicting int[])
  language plpgsql
  set enable_nestloop = off set enable_sort = off
  as $$
#variable_conflict use_variable
declare
  merchant text;
  subject_ids bigint[];
  claimed uuid[];
  refused int[] := '{}';
  batch event[];
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('event keys', 0));
  foreach merchant in array merchants loop
    if may_wait then
      perform pg_advisory_xact_lock_shared(hashtextextended('ingest ' || merchant, 0));
    elsif not pg_try_advisory_xact_lock_shared(hashtextextended('ingest ' || merchant, 0)) then
      busy := array_append(busy, merchant);
    end if;
  end loop;
  if busy is not null then
    return next;
    return;
  end if;

  for attempt in 1..2 loop
    select array_agg(found.id), array_agg(found.name) into subject_ids, addressees from (
      select s.id, s.name
        from unnest(subject_merchants, subject_kinds, subject_keys) with ordinality k (merchant_id, kind, key, place)
        left join lateral (
          select es.id, coalesce(es.customer_id, es.addressee) as name from event_subject es
           where es.merchant_id = k.merchant_id and es.kind = k.kind and es.key = k.key
           order by es.epoch desc limit 1) s on true
       order by k.place) found;
    exit when array_position(subject_ids, null) is null;
    -- First rows for keys never seen. A direct key is addressed to the customer or subscription of this merchant that it
    -- names, if it does; such ids are known to nobody before they exist, so what names nobody today never will.
    insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at)
    select k.merchant_id, k.kind, k.key, case when named.is_ours then k.key end,
           case when named.is_ours and k.key like 'cus\_%' then k.key end, accepted
      from unnest(subject_merchants, subject_kinds, subject_keys, subject_ids) with ordinality k (merchant_id, kind, key, id, place)
     cross join lateral (
       select k.kind = 'direct' and k.key ~ '^(cus|sub)_' and owner_of(k.key) is not distinct from k.merchant_id as is_ours) named
     where k.id is null
     order by k.place
        on conflict do nothing;
  end loop;

  with claim as (
    insert into event_key (merchant_id, h, event_id, fp)
    select k.merchant_id, k.h, k.event_id, k.fp from unnest(event_merchants, hashes, ids, prints) k (merchant_id, h, event_id, fp)
     where (select true from event_key_sealed s where s.merchant_id = k.merchant_id and s.h = k.h limit 1) is null
        on conflict do nothing
    returning h)
  select coalesce(array_agg(claim.h), '{}') into claimed from claim;

  if cardinality(claimed) < cardinality(hashes) then
    select array_agg(k.place), array_agg(stored.event_id), array_agg(k.place) filter (where stored.fp <> k.fp)
      into repeated, repeated_ids, conflicting
      from unnest(event_merchants, hashes, prints) with ordinality k (merchant_id, h, fp, place)
     cross join lateral (
       select a.event_id, a.fp from event_key a where a.merchant_id = k.merchant_id and a.h = k.h
        union all
       select s.event_id, s.fp from event_key_sealed s where s.merchant_id = k.merchant_id and s.h = k.h
        limit 1) stored
     where not exists (select from unnest(claimed) c (h) where c.h = k.h);
    if conflicting is not null then
      select array_agg(distinct groups[n]) into refused from unnest(conflicting) n;
      for n in 1..cardinality(hashes) loop
        if groups[n] = any (refused) then
          delete from event_key k where k.merchant_id = event_merchants[n] and k.h = hashes[n] and k.event_id = ids[n];
        end if;
      end loop;
    end if;
    select coalesce(array_agg(n.a), '{}'), array_agg(n.b), array_agg(n.c), array_agg(n.d), array_agg(n.e), array_agg(n.f),
           array_agg(n.g), array_agg(n.i), array_agg(n.j), array_agg(n.k), array_agg(n.l)
      into event_merchants, ids, places, subject_places, times, types, sources, external_subjects, external_ids, keys, datas
      from unnest(event_merchants, ids, places, subject_places, times, types, sources, external_subjects, external_ids, keys, datas, hashes, groups)
           n (a, b, c, d, e, f, g, i, j, k, l, h, batch_group)
      join unnest(claimed) c (h) on c.h = n.h
     where n.batch_group <> all (refused);
  end if;

  if cardinality(event_merchants) > 0 then
    if exists (select from usage_series s where s.merchant_id = any (merchants)) then
      with stored as (
        insert into event as e (merchant_id, id, at, type, source, subject_id, external_subject, external_id, idempotency_key, data, accepted_at)
        select n.merchant_id, n.id, n.at, n.type, n.source, subject_ids[n.subject], n.external_subject, n.external_id, n.key, n.data, accepted
          from unnest(event_merchants, ids, places, subject_places, times, types, sources, external_subjects, external_ids, keys, datas)
               n (merchant_id, id, place, subject, at, type, source, external_subject, external_id, key, data)
         order by n.place
        returning e)
      select array_agg(stored.e) into batch from stored;
      perform roll_up_events(batch, merchants, null, flush_lane);
    else
      insert into event (merchant_id, id, at, type, source, subject_id, external_subject, external_id, idempotency_key, data, accepted_at)
      select n.merchant_id, n.id, n.at, n.type, n.source, subject_ids[n.subject], n.external_subject, n.external_id, n.key, n.data, accepted
        from unnest(event_merchants, ids, places, subject_places, times, types, sources, external_subjects, external_ids, keys, datas)
             n (merchant_id, id, place, subject, at, type, source, external_subject, external_id, key, data)
       order by n.place;
    end if;
  end if;
  return next;
end $$;

/* The same as a transaction of its own, in one round trip: takes the role, the merchants and the limits that a transaction
   of the application begins with, until the statement ends. */
create function ingest_transaction(
  merchants text[], may_wait boolean, flush_lane int, accepted timestamptz,
  subject_merchants text[], subject_kinds text[], subject_keys text[],
  event_merchants text[], hashes uuid[], prints bigint[], ids text[], groups int[], places int[], subject_places int[],
  times timestamptz[], types text[], sources text[], external_subjects text[], external_ids text[], keys text[], datas jsonb[])
  returns table (busy text[], addressees text[], repeated int[], repeated_ids text[], conflicting int[])
  language plpgsql
  as $$
#variable_conflict use_variable
begin
  perform set_config('role', 'reckoner_app', true), set_config('reckoner.merchants', array_to_string(merchants, ','), true),
          set_config('lock_timeout', '3000', true);
  return query select * from ingest_flush(merchants, may_wait, flush_lane, accepted, subject_merchants, subject_kinds, subject_keys,
    event_merchants, hashes, prints, ids, groups, places, subject_places, times, types, sources, external_subjects, external_ids, keys, datas);
end $$;

/* The events of some ids, all of which name one month. The order of the look-up is that of
   the primary key alone, and sorting is off: without statistics any index that begins with the merchant looks as good. */
create function events_of_month(merchants text[], ids text[], month_start timestamptz, month_end timestamptz) returns setof event
  language sql stable
  set enable_sort = off
  as $$
    select e.*
      from unnest(merchants, ids) k (merchant_id, id)
     cross join lateral (
       select * from event found
        where found.merchant_id = k.merchant_id and found.id = k.id and found.at >= month_start and found.at < month_end
        order by found.at
        limit 1) e
  $$;
