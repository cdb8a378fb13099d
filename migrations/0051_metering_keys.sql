-- Keys of events for ever at a flat cost. New keys go into `event_key` alone, so the pages that ingestion touches stay
-- few however many keys there are: after a checkpoint each first touch of a page writes all of it into the log. A full
-- table is sealed and becomes a generation. Sealed generations are sifted, so that a new key is looked up in little
-- memory, and merged, so that they stay few. A key lies in one generation.

/* Which events there are, for ever and over all partitions: a unique index of a partitioned table would have to hold
   the time, and a retry that lets the time default would then count twice around midnight. `h` is the first half of
   SHA-256 over (namespace, key); `fp` the first 8 bytes of SHA-256 over the content, to tell a retry from another
   event. The event is found by its number, in the partition that holds its day. Columns of fixed lengths come first, so
   that no bytes are lost between them. */
create table event_key (
  seq bigint not null,
  fp bigint not null,
  day date not null, -- of the event's own timestamp, in UTC
  merchant_number int not null,
  h uuid not null,
  primary key (merchant_number, h)
);
call numbered_table('event_key');

create sequence event_key_number;

/* Seals the active generation of keys once it takes `most_bytes`, and begins the next. Nothing is accepting events
   then, so what is being stored is in the old generation or will look for itself in it. @returns whether it did. */
create function seal_event_keys(most_bytes bigint) returns boolean
  language plpgsql security definer set search_path = public, pg_temp
  as $$
declare
  sealed text;
  renamed record;
begin
  if event_key_bytes('event_key') <= most_bytes then return false; end if;
  perform lock_event_keys();
  if event_key_bytes('event_key') <= most_bytes then return false; end if;
  sealed := 'event_key_' || nextval('event_key_number');
  lock table event_key in access exclusive mode; -- as readers do: first the keys, then the views
  for renamed in
    select c.relname, c.relkind from pg_class c
     where c.oid in (
       select t from event_key_tables('event_key') t union select 'event_key'::regclass
        union select i.indexrelid from pg_index i where i.indrelid in (
          select t from event_key_tables('event_key') t union select 'event_key'::regclass))
  loop
    execute format('alter %s %I rename to %I', case when renamed.relkind in ('i', 'I') then 'index' else 'table' end,
                   renamed.relname, sealed || substr(renamed.relname, length('event_key') + 1));
  end loop;
  execute format('revoke insert, update, delete on %I from reckoner_app', sealed);
  perform create_event_key_table('event_key', sealed, 'including indexes');
  insert into event_key_generation (name, bytes) values (sealed, event_key_bytes(sealed));
  perform refresh_event_key_views();
  return true;
end $$;

create table event_key_generation (
  name text primary key,
  bytes bigint not null,
  key_count bigint
);

/* A part of the sieve is a table that has the hashes of some generations in short: by their first hexadecimal digits
   (`prefix`), the third to fifth byte of each, one after the other (`suffixes`). A key whose bytes are not there is in
   none of these generations. It takes a twentieth of the memory of an index, which keeps it there, and one look-up
   serves many generations. */
create table event_key_sieve_part (
  name text primary key,
  digits int not null check (digits between 4 and 6),
  key_count bigint not null
);

/* The table that is being made of others, slice by slice in the order of the hashes; each slice is a transaction with
   its count, so whoever finds a half-made one goes on with it. Nobody reads it before it takes the place of the others,
   in one transaction. */
create table event_key_work (
  kind text primary key check (kind in ('generation', 'sieve')),
  name text not null,
  generations text[] not null, -- a sieve part is made of one generation and parts, a generation of generations
  parts text[] not null,
  digits int,
  slices int not null check (slices between 1 and 65536),
  done int not null default 0,
  key_count bigint not null default 0
);
grant select on event_key_generation, event_key_sieve_part, event_key_work to reckoner_app, reckoner_operator;

/* The tables that hold the rows of one: itself, or its parts where it is split by merchant. */
create function event_key_tables(name text) returns setof regclass
  language sql stable
  as $$
    select relid from pg_partition_tree(name::regclass) where isleaf
     union all
    select name::regclass where not exists (select from pg_partition_tree(name::regclass))
  $$;

create function event_key_bytes(name text) returns bigint
  language sql stable
  as $$ select coalesce(sum(pg_relation_size(t)), 0)::bigint from event_key_tables(name) t $$;

/* A table for keys, split by merchant as `model` is. Nothing is updated in it and few keys are taken back, so it is
   vacuumed when that must be, and not because it has grown. */
create function create_event_key_table(name text, model text, kept text) returns void
  language plpgsql
  set search_path = public, pg_temp
  as $$
declare
  part record;
begin
  execute format('create table %I (like %I including defaults including constraints %s) %s', name, model, kept,
                 (select 'partition by ' || pg_get_partkeydef(p.partrelid) from pg_partitioned_table p
                   where p.partrelid = model::regclass));
  for part in
    select c.relname, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = model::regclass and c.relispartition
     order by c.relname
  loop
    execute format('create table %I partition of %I %s', name || substr(part.relname, length(model) + 1),
      name, part.bound);
    execute format('alter table %I enable row level security', name || substr(part.relname, length(model) + 1));
  end loop;
  perform set_event_key_storage(name);
  execute format('call numbered_table(%L)', name);
end $$;

create function set_event_key_storage(name text) returns void
  language plpgsql
  as $$
declare
  part regclass;
begin
  for part in select * from event_key_tables(name) loop
    execute format('alter table %s set (autovacuum_vacuum_insert_threshold = -1)', part);
  end loop;
end $$;

select set_event_key_storage('event_key');

/* All sealed keys; those that are not in the sieve yet; and the sieve. They are made anew whenever there are other
   tables. */
create function refresh_event_key_views() returns void
  language plpgsql
  set search_path = public, pg_temp
  as $$
declare
  keys constant text := 'select seq, fp, day, merchant_number, h from %I';
  no_keys constant text := 'select null::bigint as seq, null::bigint as fp, null::date as day,
    null::int as merchant_number, null::uuid as h where false';
  no_sieve constant text := 'select 4 as digits, null::text collate "C" as prefix, null::bytea as suffixes where false';
begin
  execute 'create or replace view event_key_sealed with (security_invoker = true) as '
    || coalesce((select string_agg(format(keys, g.name), ' union all ' order by g.name) from event_key_generation g),
      no_keys);
  execute 'create or replace view event_key_unsifted with (security_invoker = true) as '
    || coalesce((select string_agg(format(keys, g.name), ' union all ' order by g.name) from event_key_generation g
      where g.key_count is null), no_keys);
  execute 'create or replace view event_key_sieve with (security_invoker = true) as '
    || coalesce((select string_agg(format('select %s as digits, prefix, suffixes from %I', p.digits, p.name),
      ' union all ' order by p.key_count desc)
                   from event_key_sieve_part p), no_sieve);
end $$;

select refresh_event_key_views();

grant select on event_key_sealed, event_key_unsifted, event_key_sieve to reckoner_app, reckoner_operator;

/* Which of some keys lie in sealed generations. `places` says, for each hash, whose key it is among `owners`, which are
   numbers of merchants, from 1; `place` is that of the hash. The caller holds the 'event keys' lock, shared, so that
   the tables stay the same.

   Almost all new keys are told by the sieve alone. Look-ups are subqueries of one row, which go by index whatever the
   planner thinks. */
create function sealed_event_keys(owners int[], places int[], hashes uuid[])
  returns table (place int)
  language plpgsql
  set enable_nestloop = off set enable_seqscan = off set plan_cache_mode = force_generic_plan
  as $$
#variable_conflict use_column
declare
  suspects int[];
begin
  select array_agg(k.place) into suspects
    from unnest(places, hashes) with ordinality k (owner, h, place)
   where (select true from event_key_sieve s
           where s.prefix = left(k.h::text, s.digits) and position(substr(uuid_send(k.h), 3, 3) in s.suffixes) > 0
           limit 1)
      or (select true from event_key_unsifted u where u.merchant_number = owners[k.owner] and u.h = k.h limit 1);
  if suspects is null then return; end if;
  return query
    select k.place
      from unnest(suspects) k (place)
     where (select true from event_key_sealed s
             where s.merchant_number = owners[places[k.place]] and s.h = hashes[k.place] limit 1);
end $$;

/* Whoever makes other tables of keys the ones that are read: nobody is accepting events then, so what is being stored
   looked into the tables of before or will look into those of after, and nobody is reading them. It does not wait for
   long: who comes meanwhile waits behind it. */
create function lock_event_keys() returns void
  language plpgsql
  as $$
begin
  perform set_config('lock_timeout', '1000', true);
  perform pg_advisory_xact_lock(hashtextextended('event keys', 0));
end $$;

/* Begins to make one table of others, unless one of its kind is being made already or they are not what they were: a
   `sieve` part of a generation that is in none yet, and of parts; or a `generation` of generations. */
create function begin_event_key_work(wanted text, from_generations text[], from_parts text[], wanted_digits int,
  wanted_slices int) returns void
  language plpgsql security definer set search_path = public, pg_temp
  as $$
declare
  made text := case wanted when 'sieve' then 'event_key_sieve_' else 'event_key_' end || nextval('event_key_number');
begin
  insert into event_key_work (kind, name, generations, parts, digits, slices)
  values (wanted, made, from_generations, from_parts, wanted_digits, wanted_slices)
      on conflict do nothing;
  if not found then return; end if;
  if (select count(*) from event_key_generation g where g.name = any (from_generations)
    and (g.key_count is null) = (wanted = 'sieve'))
       <> cardinality(from_generations)
     or (select count(*) from event_key_sieve_part p where p.name = any (from_parts)) <> cardinality(from_parts) then
    delete from event_key_work where kind = wanted;
    return;
  end if;
  if wanted = 'sieve' then
    -- Not compressed: random bytes are not made shorter by it, and each look-up would have to unpack them.
    execute format('create table %I (prefix text collate "C" primary key, suffixes bytea storage external not null)',
      made);
    execute format('grant select on %I to reckoner_app, reckoner_operator', made);
  else
    perform create_event_key_table(made, 'event_key', '');
    execute format('revoke insert, update, delete on %I from reckoner_app', made);
    execute format('create index %I on %I (h)', made || '_h', made);
  end if;
end $$;

/* Takes the next step of what is being made: a slice, or after the last one the exchange. Somebody else may be at it.
   @returns whether a step was taken. */
create function continue_event_key_work(wanted text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp
  as $$
declare
  work event_key_work;
begin
  select * into work from event_key_work w where w.kind = wanted for update skip locked;
  if not found then return false; end if;
  if work.done = work.slices then
    if wanted = 'sieve' then perform exchange_event_key_sieve(work);
    else perform exchange_event_key_generations(work);
    end if;
    delete from event_key_work w where w.kind = wanted;
  else
    update event_key_work w
       set done = w.done + 1,
           key_count = w.key_count + case wanted when 'sieve' then sift_event_keys(work) else merge_event_keys(work) end
     where w.kind = wanted;
  end if;
  return true;
end $$;

/* The hashes of a slice: from the first to before the second; after the last slice there is nothing. By their first
   four digits. */
create function event_key_slice(slices int, slice int, out first_digits text, out end_digits text)
  language sql immutable
  as $$
    select lpad(to_hex(slice * 65536::bigint / slices), 4, '0'),
           case when slice + 1 < slices then lpad(to_hex((slice + 1) * 65536::bigint / slices), 4, '0') else 'g' end
  $$;

/* As a condition on `h`. */
create function in_event_key_slice(first_digits text, end_digits text) returns text
  language sql immutable
  as $$
    select format('h >= %L', rpad(first_digits, 32, '0')) || case when end_digits <> 'g' then format(' and h < %L',
      rpad(end_digits, 32, '0')) else '' end
  $$;

/* Adds the next slice of a sieve part. @returns how many keys. */
create function sift_event_keys(work event_key_work) returns bigint
  language plpgsql
  set work_mem = '32MB'
  as $$
declare
  slice record;
  sources text;
  added bigint;
begin
  slice := event_key_slice(work.slices, work.done);
  select string_agg(source, ' union all ') into sources from (
    select format($sifted$select left(h::text, %s) collate "C" as prefix,
      string_agg(substr(uuid_send(h), 3, 3), '') as suffixes
                            from %I where %s group by 1$sifted$,
                  work.digits, g.name, in_event_key_slice(slice.first_digits, slice.end_digits)) as source
      from unnest(work.generations) g (name)
     union all
    select case when p.digits = work.digits
             then format('select prefix, suffixes from %I where prefix >= %L and prefix < %L', p.name,
                         slice.first_digits, slice.end_digits)
             -- More digits than those of the part: the next ones are the first of the bytes.
             else format($split$select prefix || substr(encode(substr(suffixes, place, 3), 'hex'), %s, %s),
               string_agg(substr(suffixes, place, 3), '')
                                  from %I cross join lateral generate_series(1, octet_length(suffixes), 3) place
                                 where prefix >= %L and prefix < %L group by 1$split$,
                         p.digits - 3, work.digits - p.digits, p.name, slice.first_digits, slice.end_digits)
           end
      from event_key_sieve_part p where p.name = any (work.parts)) listed;
  execute format($made$
    with added as (
      insert into %I (prefix, suffixes) select prefix, string_agg(suffixes, '') from (%s) source group by prefix
        order by prefix
      returning octet_length(suffixes) / 3 as keys)
    select coalesce(sum(keys), 0)::bigint from added$made$, work.name, sources) into added;
  return added;
end $$;

/* Adds the next slice of a merged generation. @returns how many keys. */
create function merge_event_keys(work event_key_work) returns bigint
  language plpgsql
  set work_mem = '32MB'
  as $$
declare
  slice record;
  sources text;
  added bigint;
begin
  slice := event_key_slice(work.slices, work.done);
  select string_agg(format('select seq, fp, day, merchant_number, h from %I where %s', g.name,
                           in_event_key_slice(slice.first_digits, slice.end_digits)), ' union all ')
    into sources from unnest(work.generations) g (name);
  execute format('insert into %I (seq, fp, day, merchant_number, h) select * from (%s) source order by h',
    work.name, sources);
  get diagnostics added = row_count;
  return added;
end $$;

/* Puts the part in the place of the generation itself and of the parts that it was made of: it is asked instead. */
create function exchange_event_key_sieve(work event_key_work) returns void
  language plpgsql
  set search_path = public, pg_temp
  as $$
declare
  part text;
  known bigint := (select coalesce(sum(p.key_count), 0) from event_key_sieve_part p where p.name = any (work.parts));
begin
  -- Who reads a row first notes on its page that it is committed. Done now, while the pages are in the log anyway, it
  -- is not those who accept events that write them to it once more.
  execute format('select count(suffixes) from %I', work.name);
  perform lock_event_keys();
  delete from event_key_sieve_part p where p.name = any (work.parts);
  insert into event_key_sieve_part (name, digits, key_count) values (work.name, work.digits, work.key_count);
  update event_key_generation g set key_count = work.key_count - known where g.name = any (work.generations);
  perform refresh_event_key_views();
  foreach part in array work.parts loop
    execute format('drop table %I', part);
  end loop;
end $$;

/* Puts the merged generation in the place of those that it was made of. They are dropped, so nothing of them may be
   missing. */
create function exchange_event_key_generations(work event_key_work) returns void
  language plpgsql
  set search_path = public, pg_temp
  as $$
declare
  generation text;
  known bigint := (select sum(g.key_count) from event_key_generation g where g.name = any (work.generations));
begin
  if work.key_count is distinct from known then
    raise exception 'the generations % have % keys, and % came into %', work.generations, known,
      work.key_count, work.name;
  end if;
  perform lock_event_keys();
  delete from event_key_generation g where g.name = any (work.generations);
  insert into event_key_generation (name, bytes, key_count) values (work.name, event_key_bytes(work.name),
    work.key_count);
  perform refresh_event_key_views();
  foreach generation in array work.generations loop
    execute format('drop table %I', generation);
  end loop;
end $$;

revoke execute on function
  create_event_key_table, set_event_key_storage, refresh_event_key_views, lock_event_keys, sift_event_keys,
  merge_event_keys,
  exchange_event_key_sieve, exchange_event_key_generations from public;
