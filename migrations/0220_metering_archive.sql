-- The archive of raw events: months that are older than the retention lie as Parquet files in an object store, and are
-- brought back into their partition when somebody reads them (docs/retention.md, docs/decisions/0251).

/* A part: some events of a merchant and a month, by their place in the order of acceptance, in one file. The parts of a
   month follow each other; a later one has events that came late. A part is committed before its file is written, so
   whoever tries again writes the same. States (src/metering/archive/states.ts):
   - `writing`: the file is not proven yet; the events are in their partition.
   - `here`: the file is proven, and the events are in their partition as well, at least until `kept_until`.
   - `leaving`: the events are still there, but whoever wants to read them first takes the part back to `here`. So
     nobody reads them when they are removed.
   - `away`: the file alone has the events. */
create table event_archive (
  merchant_id text not null,
  month date not null check (extract(day from month) = 1), -- of the events' own time, in UTC
  first_seq bigint not null,
  last_seq bigint not null check (last_seq >= first_seq),
  event_count int not null check (event_count > 0),
  types jsonb not null,         -- how many events there are of each type
  first_accepted_at timestamptz not null,
  object_key text not null,     -- never used twice, also not by a copy of this database
  state text not null check (state in ('writing', 'here', 'leaving', 'away')),
  state_at timestamptz not null,
  kept_until timestamptz not null,
  hash bytea check (octet_length(hash) = 32), -- SHA-256 of the events
  bytes bigint,
  leased_until timestamptz,     -- a worker is writing it; only for thrift, two of them do no harm
  primary key (merchant_id, month, first_seq),
  unique (merchant_id, object_key),
  check ((state = 'writing') = (hash is null) and (state = 'writing') = (bytes is null))
);
call tenant_table('event_archive');
revoke delete on event_archive from reckoner_app;
create unique index event_archive_writing on event_archive (merchant_id, month) where state = 'writing';
create index event_archive_month on event_archive (month, state);
create index event_archive_away on event_archive (last_seq) where state in ('leaving', 'away');

/* Refuses to go on where some of the asked events are in the archive, so that no answer is ever too small: the program
   brings them back and runs the transaction again. A condition of each statement that reads raw events of a time; it
   names no column, so it is asked once for each scan. @param merchant null: of any
   @param after_seq, up_to only of this part of the order of acceptance @param wanted_type null: of any */
create function events_at_hand(merchant text, from_at timestamptz, to_at timestamptz, after_seq bigint default null,
  up_to bigint default null, wanted_type text default null) returns boolean
  language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  as $$
declare
  is_away boolean;
begin
  if merchant is null then
    is_away := exists (
      select from event_archive a
       where a.state in ('leaving', 'away') and a.last_seq > coalesce(after_seq, -1)
         and (up_to is null or a.first_seq <= up_to)
         and (to_at is null or a.month < to_at at time zone 'UTC')
         and (from_at is null or a.month + interval '1 month' > from_at at time zone 'UTC')
         and (wanted_type is null or a.types ? wanted_type));
  else
    is_away := exists (
      select from event_archive a
       where a.merchant_id = merchant and a.state in ('leaving', 'away') and a.last_seq > coalesce(after_seq, -1)
         and (up_to is null or a.first_seq <= up_to)
         and (to_at is null or a.month < to_at at time zone 'UTC')
         and (from_at is null or a.month + interval '1 month' > from_at at time zone 'UTC')
         and (wanted_type is null or a.types ? wanted_type));
  end if;
  if is_away then
    raise exception 'These events are in the archive.' using errcode = 'RK001', detail = jsonb_build_object(
      'merchantId', merchant, 'from', from_at, 'to', to_at, 'after', after_seq::text, 'upTo', up_to::text,
      'type', wanted_type);
  end if;
  return true;
end $$;

/* Lets go of months before a month: of those that nobody has used for a while, and whose events are all in files. They
   are still there; `remove_event_month` removes them later. @returns how many parts */
create function release_event_months(before date, released timestamptz) returns int
  language plpgsql security definer set search_path = public, pg_temp
  as $$
declare
  parts int;
begin
  update event_archive a set state = 'leaving', state_at = released
   where a.state = 'here' and a.month in (
     select m.month from event_archive m
      where m.month < before
      group by m.month
     having bool_and(m.state <> 'writing' and (m.state <> 'here' or m.kept_until <= released))
        and sum(m.event_count) = (
          select sum(t.event_count) from event_day_tally t
           where t.day >= m.month and t.day < m.month + interval '1 month'));
  get diagnostics parts = row_count;
  return parts;
end $$;

/* Removes the events of a month that were let go before a time: drops its partition, if exactly the events of its
   leaving parts are in it. Events never change, and parts do not overlap, so numbers and bounds tell. Whoever brings
   events of it back waits for the rows of its parts, or comes first. An event that comes late for the month lets this
   be tried again, after it has a file. Whoever accepts events waits at most a second for the locks. @returns whether it
   did */
create function remove_event_month(wanted date, released_before timestamptz, removed timestamptz) returns boolean
  language plpgsql security definer set search_path = public, pg_temp
  as $$
declare
  name text := 'event_' || to_char(wanted, 'YYYYMM');
  is_whole boolean;
begin
  perform set_config('lock_timeout', '1000', true);
  perform from event_archive a where a.month = wanted order by a.merchant_id, a.first_seq for update;
  if exists (select from event_archive a
              where a.month = wanted and a.state <> 'away'
                and not (a.state = 'leaving' and a.state_at <= released_before)) then
    return false;
  end if;
  perform ensure_event_partitions(wanted, 1); -- what came late may lie in the default partition
  execute format('lock table %I in share mode', name);
  execute format($check$
    select not exists (
      select from (select merchant_id, count(*) as events, min(seq) as first_seq, max(seq) as last_seq
                     from %I group by merchant_id) e
        full join (select merchant_id, sum(event_count) as events, min(first_seq) as first_seq,
                          max(last_seq) as last_seq
                     from event_archive where month = %L and state = 'leaving' group by merchant_id) a
          using (merchant_id, events, first_seq, last_seq)
       where e.events is null or a.events is null)$check$, name, wanted)
    into is_whole;
  if not is_whole then return false; end if;
  execute format('drop table %I', name);
  update event_archive a set state = 'away', state_at = removed where a.month = wanted and a.state = 'leaving';
  return true;
end $$;

/* The figure of a part of an hour reads raw events (0054_metering_usage.sql): it asks for them like all others. */
do $do$
declare
  name text;
  was text;
  is_now text;
begin
  foreach name in array array['usage_sum_cut', 'usage_least_cut', 'usage_greatest_cut'] loop
    was := pg_get_functiondef(name::regproc);
    is_now := replace(was, 'and e.at >= read_from and e.at < read_to',
      'and e.at >= read_from and e.at < read_to and events_at_hand(merchant, read_from, read_to)');
    if is_now = was then raise exception '% reads events in another way', name; end if;
    execute is_now;
  end loop;
end $do$;
