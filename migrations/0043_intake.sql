-- Taking events in at less cost: what is the same for many events is sent and looked up once, policies read whom a transaction
-- may see once for a statement, and a repeated event is answered in the same call.

/* As before, but read once for each statement, not for each row. */
create or replace procedure tenant_table(name regclass)
  language plpgsql
  as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format(
    'create policy merchants on %s to reckoner_app
       using (merchant_id = any ((select string_to_array(current_setting(''reckoner.merchants'', true), '',''))::text[]))
       with check (merchant_id = any ((select string_to_array(current_setting(''reckoner.merchants'', true), '',''))::text[]))', name);
  execute format('create policy operator on %s for select to reckoner_operator using (true)', name);
  execute format('grant select, insert, update, delete on %s to reckoner_app', name);
  execute format('grant select on %s to reckoner_operator', name);
end $$;

do $$
declare
  name regclass;
begin
  for name in select polrelid::regclass from pg_policy where polname = 'merchants' loop
    execute format(
      'alter policy merchants on %s
         using (merchant_id = any ((select string_to_array(current_setting(''reckoner.merchants'', true), '',''))::text[]))
         with check (merchant_id = any ((select string_to_array(current_setting(''reckoner.merchants'', true), '',''))::text[]))', name);
  end loop;
end $$;

/* Raw events of a subject. Whose they are follows from the subject, so comparing merchants in it would only cost each new event. */
drop index event_usage;
create index event_usage on event (subject_id, type, at);

drop function ingest_transaction, ingest_flush, roll_up_events, backfill_series, events_of_month;

/* The exact number of a JSON number or a decimal string; null for anything else. */
create or replace function event_number(data jsonb, path text[]) returns numeric
  language sql immutable parallel safe
  as $$
    select case jsonb_typeof(data #> path)
      when 'number' then (data #> path)::numeric
      when 'string' then case when data #>> path ~ '^-?[0-9]{1,38}(\.[0-9]{1,38})?$' then (data #>> path)::numeric end
    end
  $$;

/* The month of the event that an id is of, by its name: one partition. */
create function event_month(id text) returns timestamptz
  language sql immutable parallel safe
  as $$ select make_timestamp(substr(id, 5, 4)::int, substr(id, 9, 2)::int, 1, 0, 0, 0) at time zone 'UTC' $$;

/* Adds events to the series of their merchants: to those named, or to all. An event has a kind, which is a merchant and a type.
   Hours are cut by arithmetic: in UTC they all have the same length. */
create function roll_up_events(
  kind_merchants text[], kind_types text[], named bigint[], flush_lane int,
  kinds int[], subject_ids bigint[], times timestamptz[], seqs bigint[], datas jsonb[]) returns void
  language plpgsql
  set enable_nestloop = off set plan_cache_mode = force_generic_plan
  as $$
begin
  with read as materialized (
    select k.place as event_kind, s.merchant_id, s.id as series_id, s.kind, string_to_array(s.path, '.') as path, s.dimensions
      from unnest(kind_merchants, kind_types) with ordinality k (merchant_id, event_type, place)
      join usage_series s on s.merchant_id = k.merchant_id and s.event_type = k.event_type
     where s.merchant_id = any (kind_merchants) and (named is null or s.id = any (named))
  ), valued as materialized (
    select r.merchant_id, r.series_id, r.kind, e.subject_id, date_bin('1 hour', e.at, timestamptz '2000-01-01Z') as hour, e.at, e.seq,
           case when r.dimensions = '{}' then '{}'::text[] else
             array(select event_text(e.data, string_to_array(d.path, '.')) from unnest(r.dimensions) with ordinality d (path, place) order by d.place)
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
    insert into usage_value (merchant_id, series_id, subject_id, hour, group_hash, value_hash, group_values)
    select merchant_id, series_id, subject_id, hour, group_hash, text_hash(text), any_value(group_values)
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
  select merchant_id, series_id, subject_id, hour, group_hash, flush_lane, any_value(group_values), count(*), sum(number), min(number), max(number)
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
  subject_ids bigint[];
  times timestamptz[];
  seqs bigint[];
  datas jsonb[];
begin
  select * into held from usage_series s where s.merchant_id = merchant and s.id = series and not s.is_ready for update;
  if not found then return false; end if;
  select max(seq) into last_seq from (
    select e.seq from event e where e.merchant_id = merchant and e.seq > held.done and e.seq <= held.boundary
     order by e.seq limit most) next_events;
  if last_seq is not null then
    select array_agg(e.subject_id), array_agg(e.at), array_agg(e.seq), array_agg(e.data) into subject_ids, times, seqs, datas
      from event e
     where e.merchant_id = merchant and e.type = held.event_type and e.seq > held.done and e.seq <= last_seq;
    perform roll_up_events(array[merchant], array[held.event_type], array[series], 100,
                           array_fill(1, array[coalesce(cardinality(seqs), 0)]), subject_ids, times, seqs, datas);
  end if;
  update usage_series s set done = coalesce(last_seq, held.boundary), is_ready = last_seq is null or last_seq = held.boundary
   where s.merchant_id = merchant and s.id = series;
  return last_seq is not null and last_seq < held.boundary;
end $$;

/* Accepts events in one call. `merchants` come sorted. Whoever has no time to wait for a merchant's ingest lock is told whose
   is taken, and nothing is done. The subjects are those that the events name, each once and sorted. A kind is a merchant, a type
   and a source. The events come in the order of acceptance, each key once; `kinds` and `subjects` are places among those, from 1.
   Events of one group are stored together: where the key of one is stored with other content, none of them are.
   Repeated events are told with what is stored of them and does not follow from what was sent.

   Locks are taken in one order: generations of keys, ingest locks, new subjects, keys, roll-ups; each sorted. The locks
   are statements of their own, so that what comes after them sees all that was committed under them.

   Joins of arrays are hashed: a plan that knows nothing of their lengths would compare each with each. Look-ups in tables
   are subqueries of one row, which go by index whatever the planner thinks; and by the one index that is in order already,
   where a plan made for an empty table would take any that begins with the merchant, and sort. */
create function ingest_flush(
  merchants text[], may_wait boolean, accepted timestamptz,
  subject_merchants text[], subject_kinds text[], subject_keys text[],
  kind_merchants text[], kind_types text[], kind_sources text[],
  hashes uuid[], prints bigint[], ids text[], groups int[], kinds int[], subjects int[], times timestamptz[],
  external_subjects text[], external_ids text[], keys text[], datas jsonb[])
  returns table (busy text[], addressees text[], repeated int[], repeated_ids text[], repeated_times text[],
                 repeated_addressees text[], conflicting int[])
  language plpgsql
  set enable_nestloop = off set enable_sort = off set enable_seqscan = off set plan_cache_mode = force_generic_plan
  as $$
#variable_conflict use_variable
declare
  merchant text;
  subject_ids bigint[];
  sealed int[];
  claimed int;
  is_new boolean[];
  seqs bigint[];
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

  select array_agg(s.place) into sealed from sealed_event_keys(kind_merchants, kinds, hashes) s;
  insert into event_key (merchant_id, h, event_id, fp)
  select kind_merchants[k.kind], k.h, k.event_id, k.fp
    from unnest(kinds, hashes, ids, prints) with ordinality k (kind, h, event_id, fp, place)
   where sealed is null or k.place <> all (sealed)
   order by 1, 2
      on conflict do nothing;
  get diagnostics claimed = row_count;

  if claimed < cardinality(hashes) then
    -- Ids are new, so a key that names the id of ours was claimed here; unless none was, then this very call was made before.
    -- A month has few partitions, so each event is looked up by its own.
    select array_agg(stored.is_new order by k.place),
           array_agg(k.place order by k.place) filter (where not stored.is_new),
           array_agg(stored.event_id order by k.place) filter (where not stored.is_new),
           array_agg(e.time order by k.place) filter (where not stored.is_new),
           array_agg(e.name order by k.place) filter (where not stored.is_new),
           array_agg(k.place order by k.place) filter (where stored.fp <> k.fp)
      into is_new, repeated, repeated_ids, repeated_times, repeated_addressees, conflicting
      from unnest(kinds, hashes, prints, ids) with ordinality k (kind, h, fp, id, place)
     cross join lateral (
       select found.event_id, found.fp, claimed > 0 and found.event_id = k.id as is_new from (
         select a.event_id, a.fp from event_key a where a.merchant_id = kind_merchants[k.kind] and a.h = k.h
          union all
         select s.event_id, s.fp from event_key_sealed s where s.merchant_id = kind_merchants[k.kind] and s.h = k.h
          limit 1) found) stored
      left join lateral (
       select replace((found.at at time zone 'UTC')::text, ' ', 'T') || 'Z' as time,
              (select coalesce(s.customer_id, s.addressee) from event_subject s
                where s.merchant_id = found.merchant_id and s.id = found.subject_id limit 1) as name
         from event found
        where not stored.is_new and found.merchant_id = kind_merchants[k.kind] and found.id = stored.event_id
          and found.at >= event_month(stored.event_id) and found.at < event_month(stored.event_id) + interval '1 month'
        order by found.at
        limit 1) e on true;
    if conflicting is not null then
      select array_agg(n.is_new and batch_group <> all (array(select groups[c] from unnest(conflicting) c)) order by n.place)
        into is_new
        from unnest(is_new, groups) with ordinality n (is_new, batch_group, place);
      delete from event_key k using unnest(kinds, hashes, ids, is_new) n (kind, h, id, is_new)
       where not n.is_new and k.merchant_id = kind_merchants[n.kind] and k.h = n.h and k.event_id = n.id;
    end if;
    select array_agg(n.a), coalesce(array_agg(n.b), '{}'), array_agg(n.c), array_agg(n.d), array_agg(n.e), array_agg(n.f), array_agg(n.g), array_agg(n.i)
      into ids, kinds, subjects, times, external_subjects, external_ids, keys, datas
      from unnest(ids, kinds, subjects, times, external_subjects, external_ids, keys, datas, is_new) n (a, b, c, d, e, f, g, i, is_new)
     where n.is_new;
  end if;

  if cardinality(kinds) > 0 then
    with stored as (
      insert into event (merchant_id, id, at, type, source, subject_id, external_subject, external_id, idempotency_key, data, accepted_at)
      select kind_merchants[n.kind], n.id, n.at, kind_types[n.kind], kind_sources[n.kind], subject_ids[n.subject],
             n.external_subject, n.external_id, n.key, n.data, accepted
        from unnest(kinds, ids, subjects, times, external_subjects, external_ids, keys, datas)
             n (kind, id, subject, at, external_subject, external_id, key, data)
      returning seq)
    select array_agg(stored.seq) into seqs from stored;
    if exists (select from usage_series s where s.merchant_id = any (merchants)) then
      perform roll_up_events(kind_merchants, kind_types, null, free_rollup_lane(), kinds,
        (select array_agg(subject_ids[n.subject] order by n.place) from unnest(subjects) with ordinality n (subject, place)),
        times, seqs, datas);
    end if;
  end if;
  return next;
end $$;

/* The same as a transaction of its own, in one round trip: takes the role, the merchants and the limits that a transaction
   of the application begins with, until the statement ends. */
create function ingest_transaction(
  merchants text[], may_wait boolean, accepted timestamptz,
  subject_merchants text[], subject_kinds text[], subject_keys text[],
  kind_merchants text[], kind_types text[], kind_sources text[],
  hashes uuid[], prints bigint[], ids text[], groups int[], kinds int[], subjects int[], times timestamptz[],
  external_subjects text[], external_ids text[], keys text[], datas jsonb[])
  returns table (busy text[], addressees text[], repeated int[], repeated_ids text[], repeated_times text[],
                 repeated_addressees text[], conflicting int[])
  language plpgsql
  as $$
#variable_conflict use_variable
begin
  perform set_config('role', 'reckoner_app', true), set_config('reckoner.merchants', array_to_string(merchants, ','), true),
          set_config('lock_timeout', '3000', true);
  return query select * from ingest_flush(merchants, may_wait, accepted, subject_merchants, subject_kinds, subject_keys,
    kind_merchants, kind_types, kind_sources, hashes, prints, ids, groups, kinds, subjects, times, external_subjects, external_ids, keys, datas);
end $$;
