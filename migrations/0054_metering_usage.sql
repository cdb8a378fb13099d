-- Reading usage in a time that does not grow: the usual questions are planned once and asked in one call, and a list of
-- events knows its total without counting them all.

/* The figures of many questions about usage in one call: a row for each question, with its `value` and the number of
   values in it. A question is one or more parts, which have its number: a meter, a customer or subscription, and a
   time. The times of one subject in a question do not overlap. Meters are named by their place in `meter_types`.

   A roll-up row is taken whole where the times of its first and last event lie in the part. An hour is cut where a row
   has events in the part and others beside it. It is read event by event (`usage_sum_cut`), unless the caller knows its
   figure: events are only added, so an hour with the same number of values has the same figure. What was read of many
   events comes back in `read_hours`, to be passed in the next time; not in a transaction that has written, whose events
   nobody else may ever see. Where no definition has rolled up all events of a meter, a figure is not complete and worth
   nothing.

   The definitions of the meters are looked up once for each call.

   The plan is made once for a connection, without knowing any value. So tables are read by the index of their
   conditions, in the order in which they stand here, however small they are at that time. Each figure has its own
   function, because the others would be added up for nothing, row by row. */
do $do$
declare
  figure record;
begin
  for figure in
    select * from (values
      ('usage_sum', 'sum', 'total', true),
      ('usage_least', 'min', 'least_value', false),
      ('usage_greatest', 'max', 'greatest_value', false)) f (name, aggregate, kept, is_additive)
  loop
    execute format($format$
/* The figure of one subject row in a time with cut hours. Of a sum, the shorter part of an hour is read: if that is the
   part outside, it is taken away from the whole hour. `part` is the place of the part, to find what is known of it. */
create function %1$s_cut(
  merchant text, wanted_type text, definition bigint, value_kind text, value_path text[], part int, subject bigint,
  from_at timestamptz, to_at timestamptz,
  known_parts int[], known_subjects bigint[], known_hours timestamptz[], known_froms timestamptz[],
  known_tos timestamptz[],
  known_counts bigint[], known_values numeric[], known_events bigint[],
  out value numeric, out event_count bigint, out read_hours jsonb)
  language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  as $$
#variable_conflict use_variable
declare
  cut_hours timestamptz[];
  cut_hour timestamptz;
  next_hour timestamptz;
  read_from timestamptz;
  read_to timestamptz;
  cut_from timestamptz;
  cut_to timestamptz;
  is_outside boolean;
  is_known boolean;
  is_dear boolean;
  whole record;
  read record;
begin
  select array_agg(distinct r.hour) into cut_hours from usage_rollup r
   where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = subject
     and r.hour >= date_bin('1 hour', from_at, '2000-01-01Z') and r.hour < to_at
     and r.first_at < to_at and r.last_at >= from_at and (r.first_at < from_at or r.last_at >= to_at);
  select %2$s(r.%3$s), coalesce(sum(r.event_count), 0) into value, event_count from usage_rollup r
   where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = subject
     and r.hour >= date_bin('1 hour', from_at, '2000-01-01Z') and r.hour < to_at
     and r.first_at >= from_at and r.last_at < to_at and r.hour <> all (cut_hours);
  foreach cut_hour in array cut_hours loop
    select sum(r.event_count) as event_count, sum(r.total) as value, min(r.first_at) as first_at,
           max(r.last_at) as last_at
      into whole from usage_rollup r
     where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = subject and r.hour = cut_hour;
    cut_from := case when whole.first_at < from_at then from_at end;
    cut_to := case when whole.last_at >= to_at then to_at end;
    is_known := false;
    if cardinality(known_parts) > 0 then
      select k.figure as value, k.events as event_count into read
        from unnest(known_parts, known_subjects, known_hours, known_froms, known_tos, known_counts,
          known_values, known_events)
             k (part, subject, hour, cut_from, cut_to, event_count, figure, events)
       where k.part = part and k.subject = subject and k.hour = cut_hour and k.event_count = whole.event_count
         and k.cut_from is not distinct from cut_from and k.cut_to is not distinct from cut_to
       limit 1;
      is_known := found;
    end if;
    if not is_known then
      next_hour := cut_hour + interval '1 hour';
      read_from := coalesce(cut_from, cut_hour);
      read_to := coalesce(cut_to, next_hour);
      is_outside := %4$L and read_to - read_from > interval '30 minutes' and (cut_from is null or cut_to is null);
      if is_outside and cut_from is null then
        read_from := read_to;
        read_to := next_hour;
      elsif is_outside then
        read_to := read_from;
        read_from := cut_hour;
      end if;
      select %2$s(e.value) as value, count(e.value) as event_count into read
        from (
          select case when value_kind = 'number' then event_number(e.data, value_path)
                      when value_path is null or event_text(e.data, value_path) is not null then 1 end as value
            from event e
           where e.merchant_id = merchant and e.type = wanted_type and e.subject_id = subject
             and e.at >= read_from and e.at < read_to
          offset 0) e;
      is_dear := read.event_count >= 32;
      if is_outside then
        read.value := whole.value - coalesce(read.value, 0);
        read.event_count := whole.event_count - read.event_count;
      end if;
      if is_dear and pg_current_xact_id_if_assigned() is null then
        read_hours := coalesce(read_hours, '[]') || jsonb_build_object(
          'part', part::text, 'subject', subject::text, 'hour', cut_hour, 'isFromCut', cut_from is not null, 'isToCut',
          cut_to is not null,
          'eventCount', whole.event_count::text, 'value', read.value::text, 'events', read.event_count::text);
      end if;
    end if;
    select %2$s(v), event_count + read.event_count into value, event_count from unnest(array[value, read.value]) v;
  end loop;
end $$;

create function %1$s(
  merchant text, meter_types text[], meter_contents text[],
  questions int[], meters int[], subjects text[], froms timestamptz[], tos timestamptz[],
  known_parts int[] default '{}', known_subjects bigint[] default '{}', known_hours timestamptz[] default '{}',
  known_froms timestamptz[] default '{}', known_tos timestamptz[] default '{}', known_counts bigint[] default '{}',
  known_values numeric[] default '{}', known_events bigint[] default '{}')
  returns table (question int, value numeric, event_count bigint, is_complete boolean, read_hours jsonb)
  language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
#variable_conflict use_column
declare
  definition_ids bigint[];
  definition_kinds text[];
  definition_paths text[];
begin
  select array_agg(s.id order by m.place), array_agg(s.kind order by m.place), array_agg(s.path order by m.place)
    into definition_ids, definition_kinds, definition_paths
    from unnest(meter_types, meter_contents) with ordinality m (event_type, content, place)
   cross join lateral (select text_hash(m.content) as content offset 0) h
    left join lateral (
      select s.id, s.kind, s.path from rollup_definition s
       where s.merchant_id = merchant and s.event_type = m.event_type and s.content = h.content
         and s.is_ready) s on true;
  return query
  select w.question, %2$s(case when f.is_cut then c.value else f.value end),
         coalesce(sum(case when f.is_cut then c.event_count else f.event_count end), 0)::bigint,
         bool_and(definition_ids[w.meter] is not null), jsonb_agg(c.read_hours) filter (where c.read_hours is not null)
    from unnest(questions, meters, subjects, froms, tos) with ordinality w (question, meter, subject,
      from_at, to_at, part)
    left join lateral (
      select es.id from event_subject es where es.merchant_id = merchant and es.addressee = w.subject
       union all
      select es.id from event_subject es
       where es.merchant_id = merchant and es.kind = 'direct' and es.key = w.subject and es.addressee
         is distinct from w.subject) a on true
    left join lateral (
      select %2$s(r.%3$s) as value, sum(r.event_count) as event_count,
             bool_or(r.first_at < w.from_at or r.last_at >= w.to_at) as is_cut
        from usage_rollup r
       where r.merchant_id = merchant and r.definition_id = definition_ids[w.meter] and r.subject_id = a.id
         and r.hour >= date_bin('1 hour', w.from_at, '2000-01-01Z') and r.hour < w.to_at
         and r.first_at < w.to_at and r.last_at >= w.from_at) f on true
    left join lateral (
      select p.* from %1$s_cut(merchant, meter_types[w.meter], definition_ids[w.meter], definition_kinds[w.meter],
                               string_to_array(definition_paths[w.meter], '.'), w.part::int, a.id, w.from_at, w.to_at,
                               known_parts, known_subjects, known_hours, known_froms, known_tos,
                               known_counts, known_values, known_events) p
       where f.is_cut offset 0) c on true
   group by w.question;
end $$;
    $format$, figure.name, figure.aggregate, figure.kept, figure.is_additive);
  end loop;
end $do$;

/* How many events there are of each merchant and type, up to one place in the order of acceptance: with those after it,
   the exact total of a list. */
create table event_tally (
  merchant_id text not null,
  type text not null,
  event_count bigint not null,
  primary key (merchant_id, type)
);
call tenant_table('event_tally');
revoke insert, update, delete on event_tally from reckoner_app;

/* Up to where they are counted. Those up to `next_seq` can be once none of `writers` is at work any more: then they are
   all visible, or never will be. */
create table event_tally_mark (
  is_only boolean primary key default true check (is_only),
  counted_seq bigint not null,
  next_seq bigint not null,
  writers text[] not null
);
grant select on event_tally_mark to reckoner_app, reckoner_operator;
insert into event_tally_mark (counted_seq, next_seq, writers) values (0, 0, '{}');

/* Counts the next events, of `most` numbers at once, and notes up to where it can go on the next time. The mark is
   locked, so that two who do this count each event once; the second has nothing to do. @returns whether there are more
   to count now. */
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

/* The last rows before a full hour of a definition of kind `latest`: of one subject, or of each one where `subject` is
   null; of each group, or of all groups together. Rows of the same hour come all, one for each lane: the caller takes
   the latest.

   Each row is found by a look-up of its own, in the order of an index: the steps are from subject to subject, from
   group to group, and to the last hour. Sorting is off, because a plan that was made for an empty table would read a
   history and sort it. */
create function usage_levels(merchant text, definition bigint, subject bigint, before timestamptz, by_group boolean)
  returns table (subject_id bigint, group_values text[], at timestamptz, seq bigint, value numeric)
  language plpgsql stable
  set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
  as $$
#variable_conflict use_column
declare
  one bigint := subject;
  one_group uuid;
  last_hour timestamptz;
begin
  if definition is null then return; end if;
  loop
    if subject is null then
      select r.subject_id into one from usage_rollup r
       where r.merchant_id = merchant and r.definition_id = definition and r.subject_id > coalesce(one, -1)
         and r.latest_at is not null
       order by r.subject_id limit 1;
      exit when not found;
    end if;
    if by_group then
      select r.group_hash into one_group from usage_rollup r
       where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = one
         and r.latest_at is not null
       order by r.group_hash limit 1;
      while found loop
        select r.hour into last_hour from usage_rollup r
         where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = one
           and r.group_hash = one_group
           and r.hour < before and r.latest_at is not null
         order by r.hour desc limit 1;
        if found then
          return query
            select r.subject_id, r.group_values, r.latest_at, r.latest_seq, r.latest_value from usage_rollup r
             where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = one
               and r.group_hash = one_group
               and r.hour = last_hour and r.latest_at is not null;
        end if;
        select r.group_hash into one_group from usage_rollup r
         where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = one
           and r.group_hash > one_group
           and r.latest_at is not null
         order by r.group_hash limit 1;
      end loop;
    else
      select r.hour into last_hour from usage_rollup r
       where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = one and r.hour < before
       order by r.hour desc limit 1;
      if found then
        return query
          select r.subject_id, r.group_values, r.latest_at, r.latest_seq, r.latest_value from usage_rollup r
           where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = one
             and r.hour = last_hour;
      end if;
    end if;
    exit when subject is not null;
  end loop;
end $$;
