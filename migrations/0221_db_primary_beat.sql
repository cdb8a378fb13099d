-- How old the data of a standby is (docs/decisions/0252-reports-from-a-standby.md), and which programs may work on this
-- schema (docs/decisions/0253-an-older-program-starts.md).

/* The last beat of the primary. Processes that read reports from a standby make one each second. */
create table primary_beat (
  is_only boolean primary key default true check (is_only),
  beaten_at timestamptz not null
);
insert into primary_beat (beaten_at) values (now());

/* Makes a beat. Its time only makes it later than all before it, also on a primary that was a standby: no clock is
   compared with it. */
create function beat_primary() returns timestamptz
  language sql security definer set search_path = public, pg_temp
  as $$
    update primary_beat set beaten_at = greatest(beaten_at + interval '1 microsecond', clock_timestamp())
    returning beaten_at
  $$;

/* The last beat, as this server has it. */
create function last_beat() returns timestamptz
  language sql stable security definer set search_path = public, pg_temp
  as $$ select beaten_at from primary_beat $$;

/* Programs without the migration of this name must not work on the database once it has this one; null: all may. */
alter table migration_hash add column oldest text;

/* The oldest migration that programs must bring, as a migration says. */
create function oldest_program(migration text) returns text
  language sql stable security definer set search_path = public, pg_temp
  as $$ select h.oldest from migration_hash h where h.name = migration $$;
