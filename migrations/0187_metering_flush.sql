-- A flush of events starts fewer statements. The start of one costs as much as several events, and a flush of single
-- events holds about twenty of them (docs/decisions/0207-what-a-flush-costs.md).

/* The values of events as definitions read them, the named ones or all of their merchants. An event has a kind, which is
   a merchant and a type. Hours are cut by arithmetic: in UTC they all have the same length. The planner puts it into the
   statement that reads it. */
create function event_values(
  kind_merchants text[], kind_types text[], named bigint[],
  kinds int[], subject_ids bigint[], times timestamptz[], seqs bigint[], datas jsonb[])
  returns table (merchant_id text, definition_id bigint, kind text, subject_id bigint, hour timestamptz,
                 at timestamptz, seq bigint, group_values text[], group_hash uuid, number numeric, text text)
  language sql stable
  as $$
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
  )
  select v.merchant_id, v.definition_id, v.kind, v.subject_id, v.hour, v.at, v.seq, v.group_values,
         case when v.group_values = '{}' then '00000000-0000-0000-0000-000000000000'::uuid
              else text_hash(v.group_values::text) end,
         v.number, v.text
    from valued v
   where v.number is not null or v.text is not null
$$;

/* Adds events to the roll-ups of the definitions that are named, or of all definitions of their merchants. Without a
   lane it takes a free one. Of events with the latest time the one that was accepted last is the latest: lists of
   numbers are compared by their first number, then by the second. */
create or replace function roll_up_events(
  kind_merchants text[], kind_types text[], named bigint[], flush_lane int,
  kinds int[], subject_ids bigint[], times timestamptz[], seqs bigint[], datas jsonb[]) returns void
  language plpgsql
  set enable_nestloop = off set plan_cache_mode = force_generic_plan
  as $$
declare
  has_sets boolean;
  added usage_rollup[];
begin
  select bool_or(s.kind = 'set') into has_sets
    from rollup_definition s
   where s.merchant_id = any (kind_merchants) and s.event_type = any (kind_types)
     and (named is null or s.id = any (named));
  if has_sets is null then return; end if;
  flush_lane := coalesce(flush_lane, free_rollup_lane());
  if has_sets then
    insert into usage_value (merchant_id, definition_id, subject_id, hour, group_hash, value_hash, group_values)
    select v.merchant_id, v.definition_id, v.subject_id, v.hour, v.group_hash, text_hash(v.text),
           any_value(v.group_values)
      from event_values(kind_merchants, kind_types, named, kinds, subject_ids, times, seqs, datas) v
     where v.kind = 'set'
     group by 1, 2, 3, 4, 5, 6
     order by 1, 2, 3, 4, 5, 6
        on conflict do nothing;
  end if;
  select array_agg(row(g.merchant_id, g.definition_id, g.subject_id, g.hour, g.group_hash, flush_lane,
                       g.group_values,
                       g.event_count, g.first_at, g.last_at, g.total, g.least_value, g.greatest_value,
                       g.hour + g.latest[1] * interval '1 second', g.latest[2]::bigint,
                       g.latest[3])::usage_rollup)
    into added
    from (
      select v.merchant_id, v.definition_id, v.subject_id, v.hour, v.group_hash,
             any_value(v.group_values) as group_values, count(*) as event_count,
             min(v.at) filter (where v.kind <> 'latest') as first_at,
             max(v.at) filter (where v.kind <> 'latest') as last_at,
             sum(v.number) filter (where v.kind <> 'latest') as total,
             min(v.number) filter (where v.kind <> 'latest') as least_value,
             max(v.number) filter (where v.kind <> 'latest') as greatest_value,
             max(array[extract(epoch from v.at - v.hour), v.seq, v.number]) filter (where v.kind = 'latest') as latest
        from event_values(kind_merchants, kind_types, named, kinds, subject_ids, times, seqs, datas) v
       group by 1, 2, 3, 4, 5
       order by 1, 2, 3, 4, 5) g;
  if added is not null then perform add_rollups(added); end if;
end $$;

/* Adds to the rows at these places, null where there is none yet. Whatever the planner believes of the table, it cannot
   read more of it: statistics of an empty table would have it compare every row of the merchant with every new one. Most
   rows exist, so the insert is a statement of its own. */
create or replace function write_rollups(added usage_rollup[], places tid[]) returns void
  language plpgsql
  set enable_nestloop = on set enable_hashjoin = off set enable_mergejoin = off
  set enable_seqscan = off set enable_indexscan = off set enable_bitmapscan = off
  set plan_cache_mode = force_generic_plan
  as $$
declare
  done bigint[];
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
  select array_agg(u.ordinality) into done from updated u;
  if cardinality(done) = cardinality(added) then return; end if;
  insert into usage_rollup as r
  select u.merchant_id, u.definition_id, u.subject_id, u.hour, u.group_hash, u.lane, u.group_values, u.event_count,
         u.first_at, u.last_at,
         u.total, u.least_value, u.greatest_value, u.latest_at, u.latest_seq, u.latest_value
    from unnest(added) with ordinality u
   where u.ordinality not in (select d from unnest(done) d)
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

/* Accepts events in one call. `merchants` come sorted. Whoever has no time to wait for a merchant's ingest lock is told
   whose is taken, and nothing is done. The subjects are those that the events name, each once and sorted. A kind is a
   merchant, a type and a source. The events come in the order of acceptance, each key once; `kinds` and `subjects` are
   places among those, from 1. Events of one group are stored together: where the key of one is stored with other
   content, none of them are. Repeated events are told with what is stored of them and does not follow from what was
   sent. The numbers of all events are told, one after the other; that of a repeated event is drawn for nothing.

   Locks are taken in one order: generations of keys, ingest locks, new numbers of merchants, new subjects, keys,
   roll-ups; each sorted. The locks are statements of their own, so that what comes after them sees all that was
   committed under them.

   Joins of arrays are hashed: a plan that knows nothing of their lengths would compare each with each. Look-ups in
   tables are subqueries of one row, which go by index whatever the planner thinks; and by the one index that is in
   order already, where a plan made for an empty table would take any that begins with the merchant, and sort.

   Events for a time before the mark of their subject are noted. Whether somebody is raising marks is asked under the
   ingest lock and before the marks are read: so who raises them sees this transaction at work, or is seen by it, or has
   ended and its marks are read.

   The lock on the table comes before the first number, for those who ask which numbers may still come
   (`event_writers`). */
create or replace function ingest_flush(
  merchants text[], may_wait boolean, accepted timestamptz,
  subject_merchants text[], subject_kinds text[], subject_keys text[],
  kind_merchants text[], kind_types text[], kind_sources text[],
  hashes uuid[], prints bigint[], groups int[], kinds int[], subjects int[], times timestamptz[],
  external_subjects text[], external_ids text[], keys text[], datas jsonb[])
  returns table (busy text[], addressees text[], numbers text, repeated int[], repeated_numbers text,
                 repeated_times text[], repeated_addressees text[], conflicting int[])
  language plpgsql
  set enable_nestloop = off set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off
    set plan_cache_mode = force_generic_plan
  as $$
#variable_conflict use_variable
declare
  merchant text;
  kind_numbers int[];
  subject_ids bigint[];
  event_subjects bigint[];
  has_sealed boolean;
  sealed int[];
  careful int; -- so many flushes still look keys up first
  known boolean[];
  claimed int;
  is_new boolean[];
  seqs bigint[];
  settling text[];
  marks timestamptz[];
  newest_mark timestamptz;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('event keys', 0));
  foreach merchant in array merchants loop
    if may_wait then
      perform pg_advisory_xact_lock_shared(hashtextextended('ingest ' || merchant, 0));
    elsif not pg_try_advisory_xact_lock_shared(hashtextextended('ingest ' || merchant, 0)) then
      busy := array_append(busy, merchant);
    end if;
    if is_usage_settling(merchant) then settling := array_append(settling, merchant); end if;
  end loop;
  if busy is not null then
    return next;
    return;
  end if;

  for attempt in 1..2 loop
    select array_agg((select n.number from merchant_number n where n.merchant_id = k.merchant_id) order by k.place),
           (select true from event_key_generation limit 1)
      into kind_numbers, has_sealed
      from unnest(kind_merchants) with ordinality k (merchant_id, place);
    exit when array_position(kind_numbers, null) is null;
    insert into merchant_number (merchant_id)
    select m.id from unnest(merchants) with ordinality m (id, place)
     where not exists (select from merchant_number n where n.merchant_id = m.id)
     order by m.place
        on conflict do nothing;
  end loop;

  for attempt in 1..2 loop
    select array_agg(found.id), array_agg(found.name), array_agg(found.mark), max(found.mark)
      into subject_ids, addressees, marks, newest_mark from (
      select s.id, s.name,
             case when s.may_count and k.merchant_id = any (settling) then 'infinity' else s.settled_until end as mark
        from unnest(subject_merchants, subject_kinds, subject_keys) with ordinality k (merchant_id, kind, key, place)
        left join lateral (
          select es.id, coalesce(es.customer_id, es.addressee) as name, es.settled_until,
                 es.kind = 'direct' or es.addressee is not null as may_count
            from event_subject es
           where es.merchant_id = k.merchant_id and es.kind = k.kind and es.key = k.key
           order by es.epoch desc limit 1) s on true
       order by k.place) found;
    exit when array_position(subject_ids, null) is null;
    -- First rows for keys never seen. A direct key is addressed to the customer or subscription of this merchant that
    -- it names, if it does; such ids are known to nobody before they exist, so what names nobody today never will.
    insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at)
    select k.merchant_id, k.kind, k.key, case when named.is_ours then k.key end,
           case when named.is_ours and k.key like 'cus\_%' then k.key end, accepted
      from unnest(subject_merchants, subject_kinds, subject_keys, subject_ids)
        with ordinality k (merchant_id, kind, key, id, place)
     cross join lateral (
       select k.kind = 'direct' and k.key ~ '^(cus|sub)_' and owner_of(k.key) is not distinct from k.merchant_id
                as is_ours) named
     where k.id is null
     order by k.place
        on conflict do nothing;
  end loop;

  lock table only event in row exclusive mode;
  seqs := array(select nextval('event_seq_seq') from generate_series(1, cardinality(hashes)));
  numbers := array_to_string(seqs, ',');
  if has_sealed then
    select array_agg(s.place) into sealed from sealed_event_keys(kind_numbers, kinds, hashes) s;
  end if;
  -- A key that is not stored yet is inserted plainly: `on conflict` writes one more record into the log for each. Where
  -- one of them is stored after all, all are inserted again with `on conflict`. What the first insert wrote is then
  -- wasted, so the session looks keys up before it inserts them for some time after a repeated one.
  careful := coalesce(nullif(current_setting('reckoner.repeated_keys', true), ''), '0');
  if careful > 0 then
    perform set_config('reckoner.repeated_keys', (careful - 1)::text, false);
    known := array(
      select (select true from event_key a where a.merchant_number = kind_numbers[k.kind] and a.h = k.h limit 1)
        from unnest(kinds, hashes) with ordinality k (kind, h, place) order by k.place);
  end if;
  begin
    insert into event_key (seq, fp, day, merchant_number, h)
    select k.seq, k.fp, (k.at at time zone 'UTC')::date, kind_numbers[k.kind], k.h
      from unnest(kinds, hashes, seqs, prints, times, known) with ordinality k (kind, h, seq, fp, at, is_known, place)
     where k.is_known is null and (sealed is null or k.place <> all (sealed))
     order by 4, 5;
    get diagnostics claimed = row_count;
  exception when unique_violation then
    insert into event_key (seq, fp, day, merchant_number, h)
    select k.seq, k.fp, (k.at at time zone 'UTC')::date, kind_numbers[k.kind], k.h
      from unnest(kinds, hashes, seqs, prints, times) with ordinality k (kind, h, seq, fp, at, place)
     where sealed is null or k.place <> all (sealed)
     order by 4, 5
        on conflict do nothing;
    get diagnostics claimed = row_count;
  end;

  if claimed < cardinality(hashes) then
    perform set_config('reckoner.repeated_keys', '16', false);
    -- Numbers are new, so a key with the number of ours was claimed here. A day lies in few partitions, so each event
    -- is looked up by its own.
    select array_agg(stored.is_new order by k.place),
           array_agg(k.place order by k.place) filter (where not stored.is_new),
           string_agg(stored.seq::text, ',' order by k.place) filter (where not stored.is_new),
           array_agg(e.time order by k.place) filter (where not stored.is_new),
           array_agg(e.name order by k.place) filter (where not stored.is_new),
           array_agg(k.place order by k.place) filter (where stored.fp <> k.fp)
      into is_new, repeated, repeated_numbers, repeated_times, repeated_addressees, conflicting
      from unnest(kinds, hashes, prints, seqs) with ordinality k (kind, h, fp, seq, place)
     cross join lateral (
       select found.seq, found.day, found.fp, found.seq = k.seq as is_new from (
         select a.seq, a.day, a.fp from event_key a where a.merchant_number = kind_numbers[k.kind] and a.h = k.h
          union all
         select s.seq, s.day, s.fp from event_key_sealed s where s.merchant_number = kind_numbers[k.kind] and s.h = k.h
          limit 1) found) stored
      left join lateral (
       select replace((found.at at time zone 'UTC')::text, ' ', 'T') || 'Z' as time,
              (select coalesce(s.customer_id, s.addressee) from event_subject s
                where s.merchant_id = found.merchant_id and s.id = found.subject_id limit 1) as name
         from event found
        where not stored.is_new and found.merchant_id = kind_merchants[k.kind] and found.seq = stored.seq
          and found.at >= stored.day::timestamp at time zone 'UTC'
          and found.at < (stored.day + 1)::timestamp at time zone 'UTC'
        limit 1) e on true;
    if conflicting is not null then
      select array_agg(n.is_new and batch_group <> all (array(select groups[c] from unnest(conflicting) c))
        order by n.place)
        into is_new
        from unnest(is_new, groups) with ordinality n (is_new, batch_group, place);
      delete from event_key k using unnest(kinds, hashes, seqs, is_new) n (kind, h, seq, is_new)
       where not n.is_new and k.merchant_number = kind_numbers[n.kind] and k.h = n.h and k.seq = n.seq;
    end if;
    select array_agg(n.a), coalesce(array_agg(n.b), '{}'), array_agg(n.c), array_agg(n.d), array_agg(n.e),
           array_agg(n.f), array_agg(n.g), array_agg(n.i)
      into seqs, kinds, subjects, times, external_subjects, external_ids, keys, datas
      from unnest(seqs, kinds, subjects, times, external_subjects, external_ids, keys, datas, is_new)
           n (a, b, c, d, e, f, g, i, is_new)
     where n.is_new;
  end if;

  if cardinality(kinds) > 0 then
    event_subjects := array(select subject_ids[n.subject] from unnest(subjects) with ordinality n (subject, place)
                             order by n.place);
    insert into event (seq, at, accepted_at, subject_id, merchant_id, type, source, idempotency_key, data,
      external_subject, external_id)
    select n.seq, n.at, accepted, n.subject, kind_merchants[n.kind], kind_types[n.kind],
           kind_sources[n.kind], n.key, n.data, n.external_subject, n.external_id
      from unnest(seqs, kinds, event_subjects, times, external_subjects, external_ids, keys, datas)
           n (seq, kind, subject, at, external_subject, external_id, key, data);
    perform roll_up_events(kind_merchants, kind_types, null, null, kinds, event_subjects, times, seqs, datas);
    if newest_mark is not null then
      if newest_mark > (select min(n.at) from unnest(times) n (at)) then
        insert into usage_late (merchant_id, subject_id, at)
        select subject_merchants[n.subject], subject_ids[n.subject], min(n.at)
          from unnest(subjects, times) n (subject, at)
         where n.at < marks[n.subject]
         group by n.subject
            on conflict (merchant_id, subject_id, xid) do update set at = least(usage_late.at, excluded.at);
      end if;
    end if;
  end if;
  return next;
end $$;
