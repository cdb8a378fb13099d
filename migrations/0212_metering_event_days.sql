-- How many events there are of each merchant and day, up to the same place in the order of acceptance as `event_tally`:
-- the overview shows them without reading events.

create table event_day_tally (
  merchant_id text not null,
  day date not null, -- of the event's own time, in UTC
  event_count bigint not null,
  primary key (merchant_id, day)
);
call tenant_table('event_day_tally');
revoke insert, update, delete on event_day_tally from reckoner_app;
insert into event_day_tally (merchant_id, day, event_count)
select e.merchant_id, (e.at at time zone 'UTC')::date, count(*) from event e, event_tally_mark m
 where e.seq <= m.counted_seq group by 1, 2;

/* As in 0054_metering_usage.sql, with the days. */
create or replace function tally_events(most bigint) returns boolean
  language plpgsql security definer set search_path = public, pg_temp
  as $$
declare
  mark event_tally_mark;
  last_seq bigint;
begin
  select * into mark from event_tally_mark for update skip locked;
  if not found then return false; end if;
  if mark.counted_seq < mark.next_seq then
    if mark.writers && event_writers() then return false; end if;
    last_seq := least(mark.next_seq, mark.counted_seq + most);
    with counted as materialized (
      select e.merchant_id, e.type, (e.at at time zone 'UTC')::date as day, count(*) as many from event e
       where e.seq > mark.counted_seq and e.seq <= last_seq
       group by 1, 2, 3
    ), of_days as (
      insert into event_day_tally as t (merchant_id, day, event_count)
      select c.merchant_id, c.day, sum(c.many) from counted c group by 1, 2
          on conflict (merchant_id, day) do update set event_count = t.event_count + excluded.event_count
    )
    insert into event_tally as t (merchant_id, type, event_count)
    select c.merchant_id, c.type, sum(c.many) from counted c group by 1, 2
        on conflict (merchant_id, type) do update set event_count = t.event_count + excluded.event_count;
    update event_tally_mark set counted_seq = last_seq;
    if last_seq < mark.next_seq then return true; end if;
  end if;
  update event_tally_mark m set next_seq = h.last_seq, writers = h.writers from event_horizon() h;
  return false;
end $$;
