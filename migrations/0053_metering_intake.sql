-- Taking events in at little cost: what is the same for many events is sent and looked up once, and a repeated event is
-- answered in the same call. And settled usage: up to when somebody relies on the usage of a customer or subscription,
-- and what came for an earlier time since then. A figure of the past that was stored can be trusted until something
-- before it changes (domain.md §5).

/* Accepts events (`ingest_flush`) as a transaction of its own, in one round trip: takes the role, the merchants and the
   limits that a transaction of the application begins with, until the statement ends. */
create function ingest_transaction(
  merchants text[], may_wait boolean, accepted timestamptz,
  subject_merchants text[], subject_kinds text[], subject_keys text[],
  kind_merchants text[], kind_types text[], kind_sources text[],
  hashes uuid[], prints bigint[], groups int[], kinds int[], subjects int[], times timestamptz[],
  external_subjects text[], external_ids text[], keys text[], datas jsonb[])
  returns table (busy text[], addressees text[], numbers text, repeated int[], repeated_numbers text,
                 repeated_times text[], repeated_addressees text[], conflicting int[])
  language plpgsql
  as $$
#variable_conflict use_variable
begin
  perform set_config('role', 'reckoner_app', true),
          set_config('reckoner.merchants', array_to_string(merchants, ','), true),
          set_config('lock_timeout', '3000', true);
  return query select * from ingest_flush(merchants, may_wait, accepted, subject_merchants, subject_kinds, subject_keys,
    kind_merchants, kind_types, kind_sources, hashes, prints, groups, kinds, subjects, times, external_subjects,
    external_ids, keys, datas);
end $$;

/* Usage before the mark of its subject came: at the earliest `at`, with the transaction `xid`. A figure that was stored
   with its snapshot holds what its snapshot sees. */
create table usage_late (
  merchant_id text not null,
  subject_id bigint not null,
  at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (merchant_id, subject_id, xid)
);
call tenant_table('usage_late');

/* Is somebody raising marks of a merchant right now, which nobody else can see yet? Then all events could be late.
   Whoever raises marks holds the lock, shared, until the end of the transaction; here it is tried and given back at
   once, so nobody waits for it. */
create function is_usage_settling(merchant text) returns boolean
  language sql volatile
  as $$
    select case when pg_try_advisory_lock(hashtextextended('usage marks ' || merchant, 0))
                then not pg_advisory_unlock(hashtextextended('usage marks ' || merchant, 0)) else true end
  $$;

/* The transactions of others that are accepting events of a merchant: they hold its ingest lock, shared, from before
   they read a mark until their events are visible. */
create function ingest_writers(merchant text) returns text[]
  language sql volatile
  as $$
    select coalesce(array_agg(distinct l.virtualtransaction order by l.virtualtransaction), '{}')
      from (select hashtextextended('ingest ' || merchant, 0) as key) k
      join pg_locks l on l.classid = ((k.key >> 32) & 4294967295)::oid and l.objid = (k.key & 4294967295)::oid
     where l.locktype = 'advisory' and l.objsubid = 1 and l.mode = 'ShareLock' and l.granted
       and l.database = (select oid from pg_database where datname = current_database())
       and l.pid <> pg_backend_pid()
  $$;

/* The rows whose events count for some customers or subscriptions, as questions about usage take them. */
create function usage_rows(merchant text, named text[]) returns setof event_subject
  language sql stable
  as $$
    select es.* from event_subject es where es.merchant_id = merchant and es.addressee = any (named)
     union
    select es.* from event_subject es where es.merchant_id = merchant and es.kind = 'direct' and es.key = any (named)
  $$;

/* Did usage of some customers or subscriptions for a time before `until` come that a snapshot does not hold? Late rows
   that came with a dump of another server were there before every snapshot of this one: no transaction of this one that
   is visible now has their number. */
create function is_usage_late(merchant text, named text[], until timestamptz, taken pg_snapshot) returns boolean
  language sql stable
  as $$
    select exists (
      select from usage_late l
       where l.merchant_id = merchant and l.subject_id in (select r.id from usage_rows(merchant, named) r)
         and (pg_visible_in_snapshot(l.xid, pg_current_snapshot()) or l.xid = pg_current_xact_id_if_assigned())
         and l.at < until and not pg_visible_in_snapshot(l.xid, taken))
  $$;

/* Raises the mark of each of some customers and subscriptions to a time, and tells who may still be storing events
   without having seen them. Who begins to accept events from now on finds the lock of those who raise marks taken, or
   the marks.

   The direct rows are locked first and sorted, so that two who raise marks, or one and another who links an externalId,
   come one after the other; the statement after that sees all rows. */
create function settle_usage(merchant text, named text[], untils timestamptz[], made_at timestamptz) returns text[]
  language plpgsql
  as $$
begin
  if not exists (select from unnest(named, untils) n (key, until)
                  where (select es.settled_until >= n.until from event_subject es
                          where es.merchant_id = merchant and es.kind = 'direct'
                            and es.key = n.key limit 1) is not true) then
    return ingest_writers(merchant); -- no row of them has a mark below that of its direct row
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('usage marks ' || merchant, 0));
  insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at, settled_until)
  select merchant, 'direct', n.key, case when ours.is_ours then n.key end,
         case when ours.is_ours and n.key like 'cus\_%' then n.key end, made_at, n.until
    from (select key, max(until) as until from unnest(named, untils) u (key, until) group by key) n
   cross join lateral (select owner_of(n.key) is not distinct from merchant as is_ours) ours
   order by n.key
      on conflict do nothing;
  perform from event_subject es
    where es.merchant_id = merchant and es.kind = 'direct' and es.key = any (named)
    order by es.key
      for no key update;
  update event_subject es set settled_until = raised.until
    from (select id, max(until) as until
            from (select s.id, n.until from unnest(named, untils) n (key, until)
                    join event_subject s on s.merchant_id = merchant and s.addressee = n.key
                  union all
                  select s.id, n.until from unnest(named, untils) n (key, until)
                    join event_subject s on s.merchant_id = merchant and s.kind = 'direct' and s.key = n.key) found
           group by id) raised
   where es.merchant_id = merchant and es.id = raised.id and es.settled_until >= raised.until is not true;
  return ingest_writers(merchant);
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
create function ingest_flush(
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
  sealed int[];
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
    kind_numbers := array(
      select (select n.number from merchant_number n where n.merchant_id = k.merchant_id)
        from unnest(kind_merchants) with ordinality k (merchant_id, place) order by k.place);
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
  select array_agg(s.place) into sealed from sealed_event_keys(kind_numbers, kinds, hashes) s;
  -- A key that is not stored yet is inserted plainly: `on conflict` writes one more record into the log for each. Where
  -- another transaction stores one of them at the same time, all are inserted again with `on conflict`.
  known := array(
    select (select true from event_key a where a.merchant_number = kind_numbers[k.kind] and a.h = k.h limit 1)
      from unnest(kinds, hashes) with ordinality k (kind, h, place) order by k.place);
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
    insert into event (seq, at, accepted_at, subject_id, merchant_id, type, source, idempotency_key, data,
      external_subject, external_id)
    select n.seq, n.at, accepted, subject_ids[n.subject], kind_merchants[n.kind], kind_types[n.kind],
           kind_sources[n.kind], n.key, n.data, n.external_subject, n.external_id
      from unnest(seqs, kinds, subjects, times, external_subjects, external_ids, keys, datas)
           n (seq, kind, subject, at, external_subject, external_id, key, data);
    if exists (select from rollup_definition s where s.merchant_id = any (merchants)) then
      perform roll_up_events(kind_merchants, kind_types, null, free_rollup_lane(), kinds,
        (select array_agg(subject_ids[n.subject] order by n.place) from unnest(subjects)
          with ordinality n (subject, place)),
        times, seqs, datas);
    end if;
    if newest_mark > (select min(n.at) from unnest(times) n (at)) then
      insert into usage_late (merchant_id, subject_id, at)
      select subject_merchants[n.subject], subject_ids[n.subject], min(n.at)
        from unnest(subjects, times) n (subject, at)
       where n.at < marks[n.subject]
       group by n.subject
          on conflict (merchant_id, subject_id, xid) do update set at = least(usage_late.at, excluded.at);
    end if;
  end if;
  return next;
end $$;
