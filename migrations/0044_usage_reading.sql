-- Reading in a time that does not grow: the usual question about usage is planned once and asked in one call, and a list of
-- events knows its total without counting them all.

/* One figure of some customers or subscriptions (`value`) and how many values it is of: of full hours as they were added up, and of
   the rest event by event. A rest is added where its sign is 1, and taken away where it is -1, from an hour that holds more
   than was asked; only sums and numbers can be. A subject may come several times, at times that do not overlap. The rest is from
   `earliest` to `latest`, so that other partitions of events are not opened. Without a series whose roll-ups hold all events
   it is not complete, and the figure is worth nothing.

   The plan is made once for a connection, without knowing any value: so tables are entered by the index that their
   conditions name, in the order in which they stand here, however small they were then. And each figure has a function of its
   own, because the others would be added up for nothing, row by row. */
do $do$
declare
  figure record;
begin
  for figure in
    select * from (values
      ('usage_sum', 'sum', 'r.total', 'w.sign * v.value'),
      ('usage_least', 'min', 'r.least_value', 'v.value'),
      ('usage_greatest', 'max', 'r.greatest_value', 'v.value')) f (name, aggregate, kept, passed_on)
  loop
    execute format($format$
create function %1$I(
  merchant text, wanted_type text, wanted uuid,
  hour_subjects text[], hour_froms timestamptz[], hour_tos timestamptz[],
  rest_subjects text[], rest_froms timestamptz[], rest_tos timestamptz[], rest_signs int[],
  earliest timestamptz, latest timestamptz)
  returns table (value numeric, event_count bigint, is_complete boolean)
  language sql stable
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  as $$
  with series as materialized (
    select s.id, s.kind, string_to_array(s.path, '.') as path from usage_series s
     where s.merchant_id = merchant and s.event_type = wanted_type and s.content = wanted and s.is_ready
  ), addressed as materialized (
    select distinct w.subject, es.id
      from unnest(hour_subjects || rest_subjects) w (subject)
     cross join lateral (
       select es.id from event_subject es where es.merchant_id = merchant and es.addressee = w.subject
        union all
       select es.id from event_subject es where es.merchant_id = merchant and es.kind = 'direct' and es.key = w.subject) es
  ), counted as (
    select r.*
      from series s
     cross join unnest(hour_subjects, hour_froms, hour_tos) w (subject, from_at, to_at)
      join addressed a on a.subject = w.subject
     cross join lateral (
       select %2$s(%3$s) as value, sum(r.event_count) as event_count
         from usage_rollup r
        where r.merchant_id = merchant and r.series_id = s.id and r.subject_id = a.id and r.hour >= w.from_at and r.hour < w.to_at) r
     union all
    select %4$s, w.sign * v.event_count
      from series s
     cross join unnest(rest_subjects, rest_froms, rest_tos, rest_signs) w (subject, from_at, to_at, sign)
      join addressed a on a.subject = w.subject
     cross join lateral (
       select %2$s(e.value) as value, count(e.value) as event_count
         from (
           select case when s.kind = 'number' then event_number(e.data, s.path)
                       when s.path is null or event_text(e.data, s.path) is not null then 1 end as value
             from event e
            where e.merchant_id = merchant and e.type = wanted_type and e.subject_id = a.id
              and e.at >= w.from_at and e.at < w.to_at and e.at >= earliest and e.at < latest
           offset 0) e) v
  )
  select %2$s(c.value), coalesce(sum(c.event_count), 0)::bigint, exists (select from series)
    from counted c
  $$
    $format$, figure.name, figure.aggregate, figure.kept, figure.passed_on);
  end loop;
end $do$;

/* How many events there are of each merchant and type, up to one place in the order of acceptance: with those after it, the
   exact total of a list. */
create table event_tally (
  merchant_id text not null,
  type text not null,
  event_count bigint not null,
  primary key (merchant_id, type)
);
call tenant_table('event_tally');
revoke insert, update, delete on event_tally from reckoner_app;

/* Up to where they are counted. Those up to `next_seq` can be once none of `writers` is at work any more: then they are all
   visible, or never will be. */
create table event_tally_mark (
  is_only boolean primary key default true check (is_only),
  counted_seq bigint not null,
  next_seq bigint not null,
  writers text[] not null
);
grant select on event_tally_mark to reckoner_app, reckoner_operator;
insert into event_tally_mark (counted_seq, next_seq, writers) values (0, 0, '{}');

/* Counts the next events, of `most` numbers at once, and notes up to where it can go on the next time. The mark is locked, so that
   two who do this count each event once; the second has nothing to do. @returns whether there are more to count now. */
create function tally_events(most bigint) returns boolean
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
    insert into event_tally as t (merchant_id, type, event_count)
    select e.merchant_id, e.type, count(*) from event e
     where e.seq > mark.counted_seq and e.seq <= last_seq
     group by e.merchant_id, e.type
        on conflict (merchant_id, type) do update set event_count = t.event_count + excluded.event_count;
    update event_tally_mark set counted_seq = last_seq;
    if last_seq < mark.next_seq then return true; end if;
  end if;
  update event_tally_mark m set next_seq = h.last_seq, writers = h.writers from event_horizon() h;
  return false;
end $$;

/* Events lie about in the order in which they were accepted, and so about in that of their time. A question about a part of
   an hour over all subjects finds them by block; the index by subject would be entered once for each. */
drop index event_shipping;
create index event_blocks on event using brin (seq, at) with (pages_per_range = 32, autosummarize = on);
