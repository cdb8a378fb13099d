-- LATEST is a level: its figure is the value of the last event before a time, whenever that event came (domain.md §5).
-- The look-up goes from that time backwards by index, so that its cost does not grow with the history.

/* Of one subject and group, hour by hour. Only roll-ups of LATEST have a latest event, and their hours never change, so an update of
   a row stays in its page. */
create index usage_rollup_level on usage_rollup (merchant_id, series_id, subject_id, group_hash, hour)
  where latest_at is not null;

/* The last rows before a full hour of a series of kind `latest`: of one subject, or of each one where `subject` is null; of each group,
   or of all groups together. Rows of the same hour come all, one for each lane: the caller takes the latest.

   Each row is found by a look-up of its own, in the order of an index: the steps are from subject to subject, from group to group, and
   to the last hour. Sorting is off, because a plan that was made for an empty table would read a history and sort it. */
create function usage_levels(merchant text, series bigint, subject bigint, before timestamptz, by_group boolean)
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
  if series is null then return; end if;
  loop
    if subject is null then
      select r.subject_id into one from usage_rollup r
       where r.merchant_id = merchant and r.series_id = series and r.subject_id > coalesce(one, -1) and r.latest_at is not null
       order by r.subject_id limit 1;
      exit when not found;
    end if;
    if by_group then
      select r.group_hash into one_group from usage_rollup r
       where r.merchant_id = merchant and r.series_id = series and r.subject_id = one and r.latest_at is not null
       order by r.group_hash limit 1;
      while found loop
        select r.hour into last_hour from usage_rollup r
         where r.merchant_id = merchant and r.series_id = series and r.subject_id = one and r.group_hash = one_group
           and r.hour < before and r.latest_at is not null
         order by r.hour desc limit 1;
        if found then
          return query
            select r.subject_id, r.group_values, r.latest_at, r.latest_seq, r.latest_value from usage_rollup r
             where r.merchant_id = merchant and r.series_id = series and r.subject_id = one and r.group_hash = one_group
               and r.hour = last_hour and r.latest_at is not null;
        end if;
        select r.group_hash into one_group from usage_rollup r
         where r.merchant_id = merchant and r.series_id = series and r.subject_id = one and r.group_hash > one_group
           and r.latest_at is not null
         order by r.group_hash limit 1;
      end loop;
    else
      select r.hour into last_hour from usage_rollup r
       where r.merchant_id = merchant and r.series_id = series and r.subject_id = one and r.hour < before
       order by r.hour desc limit 1;
      if found then
        return query
          select r.subject_id, r.group_values, r.latest_at, r.latest_seq, r.latest_value from usage_rollup r
           where r.merchant_id = merchant and r.series_id = series and r.subject_id = one and r.hour = last_hour;
      end if;
    end if;
    exit when subject is not null;
  end loop;
end $$;
