-- The events of a customer by day and type, for its timeline (docs/decisions/0242). The days are found one after the
-- other by the key of the roll-ups, so that a page costs the same for a million events.

/* The latest days (UTC) that begin in [from_at, to_at) on which a customer or its subscriptions had events. Of each
   event type one definition is read, best one that counts every event: types that no metric counts are missing.
   @param most how many rows there are at least beside those of the latest day, where there are so many */
create function usage_days(merchant text, customer text, from_at timestamptz, to_at timestamptz, most int)
  returns table (starts_at timestamptz, event_type text, event_count bigint)
  language plpgsql stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  definitions bigint[];
  subjects bigint[];
  types text[];
  last_hours timestamptz[]; -- of each pair of a definition and a subject: its last hour with events before `day`
  day timestamptz := coalesce(date_trunc('day', to_at - interval '1 microsecond', 'UTC') + interval '24 hours',
                              'infinity');
  is_first boolean := true;
  found_rows int := 0;
  added int;
begin
  select array_agg(d.id), array_agg(s.id), array_agg(d.event_type) into definitions, subjects, types
    from (select distinct on (r.event_type) r.id, r.event_type
            from rollup_definition r
           where r.merchant_id = merchant and r.is_ready
           order by r.event_type, (r.kind = 'count' and r.path is null) desc, r.kind = 'set', cardinality(r.dimensions),
                    r.id) d
   cross join event_subject s
   where s.merchant_id = merchant and s.customer_id = customer;
  last_hours := array_fill(null::timestamptz, array[coalesce(cardinality(definitions), 0)]);
  loop
    select array_agg(case when not is_first and (p.last_hour is null or p.last_hour < day) then p.last_hour
                          else (select r.hour from usage_rollup r
                                 where r.merchant_id = merchant and r.definition_id = p.definition
                                   and r.subject_id = p.subject and r.hour < day
                                   and r.hour >= coalesce(from_at, '-infinity')
                                 order by r.hour desc limit 1) end order by p.place) into last_hours
      from unnest(definitions, subjects, last_hours) with ordinality p (definition, subject, last_hour, place);
    select date_trunc('day', max(l.hour), 'UTC') into day from unnest(last_hours) l (hour);
    exit when day is null or day < from_at;
    return query
      select day, p.type, sum(c.event_count)::bigint
        from unnest(definitions, subjects, types, last_hours) p (definition, subject, type, last_hour)
       cross join lateral (
         select r.event_count from usage_rollup r
          where r.merchant_id = merchant and r.definition_id = p.definition and r.subject_id = p.subject
            and r.hour >= day and r.hour < day + interval '24 hours') c
       where p.last_hour >= day
       group by p.type
      having sum(c.event_count) > 0;
    get diagnostics added = row_count;
    found_rows := found_rows + case when is_first then 0 else added end;
    exit when found_rows >= most;
    is_first := false;
  end loop;
end $$;
