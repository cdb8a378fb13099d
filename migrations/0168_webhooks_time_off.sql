-- Failures of an endpoint count while webhooks are sent: time in which the program was off counts for nobody
-- (domain.md §9).
alter table webhook_endpoint add column failed_attempts int not null default 0; -- since failing_since

/* When the program ran, by notes that it makes each minute. */
create table program_run (
  started_at timestamptz primary key,
  seen_at timestamptz not null,
  check (seen_at >= started_at)
);

create function note_program_run(at timestamptz) returns void
  language plpgsql security definer set search_path = public, pg_temp
  as $$
begin
  update program_run set seen_at = greatest(seen_at, at)
   where started_at = (select max(started_at) from program_run) and seen_at >= at - interval '5 minutes';
  if not found then
    insert into program_run values (at, at) on conflict do nothing;
  end if;
end $$;

/* How long of a time the program was off; before the first note it ran. */
create function seconds_off(since timestamptz, until timestamptz) returns float8
  language sql stable security definer set search_path = public, pg_temp
  as $$
    select coalesce(sum(extract(epoch from least(o.till, until) - greatest(o.seen_at, since))), 0)::float8
      from (select seen_at, lead(started_at, 1, until) over (order by started_at) as till from program_run) o
     where o.till > o.seen_at + interval '5 minutes' and o.till > since and o.seen_at < until
  $$;
