-- Test clocks: simulated time for the records that are attached to one (domain.md §8). Sandbox only.

create table test_clock (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  name text,
  description text,
  clock_time timestamptz not null,      -- currentTime
  advancing_to timestamptz,             -- null: it stands still
  advancing_from timestamptz,           -- where its last advance began
  advance_steps int not null default 0, -- how many steps that has taken
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (merchant_id, id),
  check (advancing_to >= clock_time)
);
call resource_table('test_clock');
create index test_clock_order on test_clock (merchant_id, seq desc) where deleted_at is null;
create index test_clock_advancing on test_clock (merchant_id, id) where advancing_to is not null and deleted_at is null;
create index test_clock_all on test_clock (seq desc) where deleted_at is null;

/* A clock never goes back, whoever writes (§3). */
create function test_clock_goes_forward() returns trigger
  language plpgsql
  as $$
begin
  raise exception 'test clock % would go from % back to %', old.id, old.clock_time, new.clock_time;
end $$;
create trigger goes_forward before update on test_clock
  for each row when (new.clock_time < old.clock_time) execute function test_clock_goes_forward();
