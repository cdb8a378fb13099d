-- Background jobs ("due work"): everything that happens by itself is a row whose next_action_at has come (domain.md
-- §8). A table of such rows is handed to due_table() once; the one runner (src/jobs) finds them through due_now(). It
-- has the columns merchant_id, id, clock_id (null: wall time) and next_action_at (null: nothing to do). With a column
-- seq, records that are due at the same instant go in the order of their creation, else in the order of their ids.

/* Steps that threw: tried again later, parked after the fifth time (domain.md §8). */
create table due_failure (
  merchant_id text not null,
  kind text not null,
  id text not null,
  due_at timestamptz not null, -- the due time at which the step failed: a record with another due time is new work
  attempts int not null,
  error text not null,
  retry_at timestamptz,
  parked_at timestamptz,
  primary key (merchant_id, kind, id)
);
call tenant_table('due_failure');

/* The kinds of jobs, each with its table. */
create table due_kind (
  kind text primary key,
  table_name text not null,
  order_column text not null
);
grant select on due_kind to reckoner_app;

/* Writes the functions by which the runner finds due work, with a statement for each kind: so their plans are kept. The
   runner asks all the time, and to plan a statement for each kind took most of that. They read by the indexes of what
   is due, whatever was in the tables when the plans were made.

   `due_now`: what is due on the wall clock, across merchants: the runner's view, and the only one, on rows of all of
   them. Of each kind at most `most`, those that are due longest. Records that failed wait until their retry, parked
   ones for ever.

   `clocks_with_work`: the clocks that have something to do, across merchants: those that are on their way, and those
   that stand still while a record of theirs is due at the time they show (it was just created, or a payment just
   arrived).

   `first_on_clock`: of each kind the record of a clock that is due first until a time; of those that are due at one
   instant the one that was made first. Parked ones are passed over. It sees what its caller sees. */
create procedure write_due_functions() language plpgsql as $$
declare
  settings text := 'set plan_cache_mode = force_generic_plan set enable_seqscan = off
    set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off';
begin
  execute format(
    'create or replace function due_now(kinds text[], at timestamptz, most int)
       returns table (kind text, merchant_id text, id text, due_at timestamptz)
       language plpgsql stable security definer set search_path = public, pg_temp %s
       as $body$ begin %s end $body$',
    settings,
    (select string_agg(format(
       'if %1$L = any ($1) then
          return query
          select %1$L::text, t.merchant_id, t.id, t.next_action_at
            from %2$I t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = %1$L and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;', d.kind, d.table_name), E'\n' order by d.kind) from due_kind d));
  execute format(
    'create or replace function clocks_with_work(kinds text[])
       returns table (merchant_id text, id text)
       language plpgsql stable security definer set search_path = public, pg_temp %s
       as $body$ begin
         return query select c.merchant_id, c.id from test_clock c where c.advancing_to is not null
           and c.deleted_at is null;
         if not exists (select from test_clock c where c.deleted_at is null and c.advancing_to is null) then
           return;
         end if;
         %s
       end $body$',
    settings,
    (select string_agg(format(
       'if %1$L = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from %2$I t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = %1$L and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;', d.kind, d.table_name), E'\n' order by d.kind) from due_kind d));
  execute format(
    'create or replace function first_on_clock(kinds text[], merchant text, clock text, until timestamptz)
       returns table (kind text, merchant_id text, id text, due_at timestamptz)
       language plpgsql stable %s
       as $body$ begin %s end $body$',
    settings,
    (select string_agg(format(
       'if %1$L = any ($1) then
          return query
          select %1$L::text, t.merchant_id, t.id, t.next_action_at
            from %2$I t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = %1$L and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.%3$I
           limit 1;
        end if;', d.kind, d.table_name, d.order_column), E'\n' order by d.kind) from due_kind d));
end $$;

/* Makes the rows of a table due work of this kind. */
create procedure due_table(kind_name text, name regclass)
  language plpgsql
  as $$
declare
  bare text := (select relname from pg_class where oid = name);
  ordered text := coalesce(
    (select attname::text from pg_attribute where attrelid = name and attname = 'seq' and not attisdropped), 'id');
begin
  insert into due_kind (kind, table_name, order_column) values (kind_name, bare, ordered);
  execute format('alter table %s add foreign key (merchant_id, clock_id) references test_clock (merchant_id, id)',
    name);
  execute format(
    'create index %I on %s (next_action_at) where clock_id is null and next_action_at is not null',
    bare || '_due', name);
  execute format(
    'create index %I on %s (merchant_id, clock_id, next_action_at, %I)
       where clock_id is not null and next_action_at is not null',
    bare || '_due_on_clock', name, ordered);
  call write_due_functions();
end $$;
