-- Numbers stand in the order of their dates, also where the clock of a machine was set back
-- (docs/decisions/0254-a-clock-that-was-set-back.md).

/* The latest time at which a number of the counter was drawn on the wall clock. */
alter table merchant_counter add column dated_at timestamptz;

/* As in 0080_invoicing.sql, for a document with this date; null: it is on a test clock, whose days are its own. It is
   refused on a day (UTC) before that of a number drawn already: SQLSTATE RK002. */
create function draw_numbers(merchant text, of_kind text, many bigint, dated timestamptz) returns bigint
  language plpgsql
  as $$
declare
  last_one bigint;
  last_dated timestamptz;
begin
  insert into merchant_counter as c (merchant_id, kind, value, dated_at) values (merchant, of_kind, many, dated)
  on conflict (merchant_id, kind) do update set value = c.value + many, dated_at = greatest(c.dated_at, dated)
  returning c.value, c.dated_at into last_one, last_dated;
  if (last_dated at time zone 'UTC')::date > (dated at time zone 'UTC')::date then
    raise exception 'The clock says %, and the last number has the date %.', dated, last_dated using errcode = 'RK002';
  end if;
  return last_one - many + 1;
end $$;

/* Takes a clock as right that is behind what was read before: how many counters were ahead of it. Only the owner of the
   database calls it. */
create function accept_clock(at timestamptz) returns int
  language sql
  as $$
    update clock_reading set read_at = at where read_at > at;
    with ahead as (update merchant_counter set dated_at = at where dated_at > at returning 1)
    select count(*)::int from ahead
  $$;
revoke execute on function accept_clock(timestamptz) from public;
