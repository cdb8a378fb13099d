-- Balances of levels over time (docs/decisions/0276-balances-over-time.md).

/* As in 0090_entitlements.sql, with the unit of time of a metric. */
create or replace function entitlement_inputs(merchants text[], ids text[], ats timestamptz[], untils timestamptz[],
  by_grant boolean)
  returns table (entitlement_id text, feature_key text, terms jsonb, grants text, resets jsonb,
                 meters jsonb, preceding jsonb, reserved numeric, snapshot_at timestamptz, snapshot_state jsonb,
                 snapshot_taken text)
  language sql stable
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  as $$
  select e.id, f.key,
         (select jsonb_agg(jsonb_build_object('from', t.effective_from, 'template', t.template)
                           order by t.effective_from)
            from entitlement_term t where t.merchant_id = e.merchant_id and t.entitlement_id = e.id),
         (select string_agg(concat(g.id, '|', g.amount, '|', g.priority, '|', epoch_microseconds(g.effective_at), '|',
                                   epoch_microseconds(g.expires_at), '|', epoch_microseconds(g.voided_at), '|',
                                   g.recurrence_period, '|', g.reset_max_rollover, '|', g.reset_min_rollover, '|',
                                   epoch_microseconds(g.created_at), '|', g.seq, '|', g.origin), E'\n')
            from (select * from entitlement_grant
                   where merchant_id = e.merchant_id and entitlement_grant.entitlement_id = e.id
                     and effective_at >= coalesce(s.at, '-infinity') and effective_at <= w.at
                   union all
                  select held.* from jsonb_array_elements(s.state -> 'balance' -> 'grants') x
                    join entitlement_grant held on held.merchant_id = e.merchant_id and held.id = x ->> 'id'
                   where held.effective_at < s.at) g),
         (select jsonb_agg(jsonb_build_object('at', r.at, 'retainAnchor', r.retain_anchor,
                                             'preserveOverage', r.preserve_overage))
            from entitlement_reset r where r.merchant_id = e.merchant_id and r.entitlement_id = e.id),
         (select jsonb_agg(jsonb_build_object(
                   'id', m.id, 'eventType', m.event_type, 'aggregation', m.aggregation,
                   'valueProperty', m.value_property, 'groupBy', m.group_by, 'eventFrom', m.event_from)
                 || case when m.time_unit is null then '{}' else jsonb_build_object('timeUnit', m.time_unit) end
                 order by m.id)
            from billable_metric m where m.merchant_id = e.merchant_id and m.id = any (e.billable_metric_ids)),
         (select jsonb_agg(jsonb_build_object('metricIds', o.billable_metric_ids, 'from', o.active_from,
                                             'to', o.active_to) order by o.seq)
            from entitlement o
           where o.merchant_id = e.merchant_id and o.customer_id = e.customer_id and o.seq < e.seq
             and e.subscription_id is not null and o.subscription_id <> e.subscription_id
             and o.clock_id is not distinct from e.clock_id and o.billable_metric_ids && e.billable_metric_ids),
         (select coalesce(sum(h.amount), 0) from entitlement_reservation h
           where h.merchant_id = e.merchant_id and h.entitlement_id = e.id and h.status = 'held'
             and h.expires_at > w.at),
         s.at, s.state, s.taken
    from unnest(merchants, ids, ats, untils) with ordinality w (merchant, id, at, until, place)
    join entitlement e on e.merchant_id = w.merchant and e.id = w.id
    join feature f on f.merchant_id = e.merchant_id and f.id = e.feature_id
    left join lateral (
      select n.at, n.state, n.taken from entitlement_snapshot n
       where n.merchant_id = e.merchant_id and n.entitlement_id = e.id and n.at <= w.until
         and not (by_grant and n.is_grouped)
       order by n.at desc limit 1) s on true
   order by w.place
  $$;

/* As in 0231_entitlements_pauses.sql, with the unit of time; a metric has the same text as in the inputs, which
   snapshots compare. */
create or replace function entitlement_openings(
  merchant text, customers text[], externals text[], entitlements text[], products text[], keys text[],
  wall timestamptz, ahead interval)
  returns table (question int, customer_id text, state text, asked json, opened text)
  language plpgsql stable
  set enable_hashjoin = off set enable_mergejoin = off
  as $$
#variable_conflict use_variable
declare
  catalog_changes bigint;
  ids text[]; -- the customer of each question
  features json[];
begin
  -- Most statements are of one kind, and each table of a plan costs its start.
  if cardinality(array_remove(customers, null)) > 0 then
    select array_agg(c.id order by q.question) into ids
      from unnest(customers) with ordinality q (id, question)
      left join customer c on c.merchant_id = merchant and c.id = q.id and c.deleted_at is null;
  end if;
  if cardinality(array_remove(externals, null)) > 0 then
    select array_agg(coalesce(ids[q.question], c.id) order by q.question) into ids
      from unnest(externals) with ordinality q (id, question)
      left join customer c on c.merchant_id = merchant and c.external_id = q.id and c.deleted_at is null;
  end if;
  if cardinality(array_remove(entitlements, null)) > 0 then
    select array_agg(coalesce(ids[q.question], e.customer_id) order by q.question) into ids
      from unnest(entitlements) with ordinality q (id, question)
      left join entitlement e on e.merchant_id = merchant and e.id = q.id;
  end if;
  if cardinality(array_remove(keys, null)) > 0 then
    select array_agg(case when q.key is not null then
                       (select coalesce(json_agg(json_build_object('id', f.id, 'key', f.key,
                                                                   'productId', f.product_id, 'type', f.type)
                                                 order by f.seq), '[]')
                          from feature f
                         where f.merchant_id = merchant and f.key = q.key
                           and (q.product is null or f.product_id = q.product)) end order by q.question)
      into features
      from unnest(keys, products) with ordinality q (key, product, question);
  end if;
  select c.change_count into catalog_changes from catalog_change c where c.merchant_id = merchant;
  return query
    select q.question::int, q.customer, state_text(catalog_changes, h.entitlements, h.changes), features[q.question],
           h.opened
      from unnest(ids, entitlements, products, keys)
             with ordinality q (customer, entitlement, product, key, question)
     cross join lateral (
       select count(*) as entitlements, sum(e.change_count) as changes,
              string_agg((
                select json_build_array(
                  e.id, e.feature_id, e.feature_type, e.product_id, e.plan_id, e.subscription_id, e.is_from_plan,
                  e.clock_id, e.active_from, e.active_to, e.is_canceled, e.billable_metric_ids, e.metadata, t.at,
                  f.key,
                  (select json_agg(json_build_object('from', r.effective_from, 'template', r.template)
                                   order by r.effective_from)
                     from entitlement_term r where r.merchant_id = merchant and r.entitlement_id = e.id),
                  case when e.feature_type = 'metered' then
                    (select string_agg(
                              concat(g.id, '|', g.amount, '|', g.priority, '|', epoch_microseconds(g.effective_at),
                                     '|', epoch_microseconds(g.expires_at), '|', epoch_microseconds(g.voided_at),
                                     '|', g.recurrence_period, '|', g.reset_max_rollover, '|', g.reset_min_rollover,
                                     '|', epoch_microseconds(g.created_at), '|', g.seq, '|', g.origin), E'\n')
                       from (select * from entitlement_grant n
                              where n.merchant_id = merchant and n.entitlement_id = e.id
                                and n.effective_at >= coalesce(s.at, '-infinity') and n.effective_at <= t.at + ahead
                              union all
                             select held.* from jsonb_array_elements(s.state -> 'balance' -> 'grants') x
                               join entitlement_grant held on held.merchant_id = merchant and held.id = x ->> 'id'
                              where held.effective_at < s.at) g) end,
                  case when e.feature_type = 'metered' then
                    (select json_agg(json_build_object('at', r.at, 'retainAnchor', r.retain_anchor,
                                                       'preserveOverage', r.preserve_overage))
                       from entitlement_reset r where r.merchant_id = merchant and r.entitlement_id = e.id) end,
                  case when e.feature_type = 'metered' then
                    (select json_agg(jsonb_build_object(
                              'id', m.id, 'eventType', m.event_type, 'aggregation', m.aggregation,
                              'valueProperty', m.value_property, 'groupBy', m.group_by, 'eventFrom', m.event_from)
                            || case when m.time_unit is null then '{}'
                                    else jsonb_build_object('timeUnit', m.time_unit) end
                            order by m.id)
                       from billable_metric m
                      where m.merchant_id = merchant and m.id = any (e.billable_metric_ids)) end,
                  case when e.feature_type = 'metered' and e.subscription_id is not null then
                    (select json_agg(json_build_object('metricIds', o.billable_metric_ids, 'from', o.active_from,
                                                       'to', o.active_to) order by o.seq)
                       from entitlement o
                      where o.merchant_id = merchant and o.customer_id = q.customer and o.seq < e.seq
                        and o.subscription_id <> e.subscription_id
                        and o.clock_id is not distinct from e.clock_id
                        and o.billable_metric_ids && e.billable_metric_ids) end,
                  s.at, s.state, s.taken, e.pauses)::text
                  from (select) one
                  left join lateral (
                    select n.at, n.state, n.taken from entitlement_snapshot n
                     where n.merchant_id = merchant and n.entitlement_id = e.id and n.at <= t.at
                     order by n.at desc limit 1) s on e.feature_type = 'metered'), E'\n' order by e.seq)
              filter (where case when q.entitlement is not null then e.id = q.entitlement
                            else (e.active_to is null or e.active_to > t.at)
                             and (q.product is null or e.product_id = q.product)
                             and (q.key is null or f.key = q.key) end) as opened
         from entitlement e
         join feature f on f.merchant_id = merchant and f.id = e.feature_id
        cross join lateral (
          select case when e.clock_id is null then wall
                      else coalesce((select c.clock_time from test_clock c
                                      where c.merchant_id = merchant and c.id = e.clock_id), wall) end as at
          offset 0) t
        where e.merchant_id = merchant and e.customer_id = q.customer) h
     where q.customer is not null;
end $$;

/* Is one of these metrics a level over time? Then what it measures grows without an event. */
create function is_over_time(merchant text, metrics text[]) returns boolean
  language sql stable
  as $$
    select exists (select from billable_metric m
                    where m.merchant_id = merchant and m.id = any (metrics) and m.aggregation = 'TIME_WEIGHTED')
  $$;

/* An advance of a test clock leaves its watched levels over time to their background jobs: events that came since the
   last look may have moved the instant at which a balance or an alert reaches something. They are locked after their
   clock, entitlements first, in the order of their ids. */
create function wake_levels_of_clock() returns trigger language plpgsql as $$
declare
  ids text[];
begin
  perform 1 from entitlement e
   where e.merchant_id = new.merchant_id and e.clock_id = new.id and e.feature_type = 'metered'
     and e.active_from <= new.clock_time and (e.active_to is null or e.active_to > new.clock_time)
     and (e.next_action_at is null or e.next_action_at > new.clock_time)
     and is_over_time(e.merchant_id, e.billable_metric_ids)
   order by e.id for no key update;
  update entitlement e set next_action_at = new.clock_time
   where e.merchant_id = new.merchant_id and e.clock_id = new.id and e.feature_type = 'metered'
     and e.active_from <= new.clock_time and (e.active_to is null or e.active_to > new.clock_time)
     and (e.next_action_at is null or e.next_action_at > new.clock_time)
     and is_over_time(e.merchant_id, e.billable_metric_ids);
  select array_agg(a.id) into ids
    from alert a left join entitlement e on e.merchant_id = a.merchant_id and e.id = a.entitlement_id
   where a.merchant_id = new.merchant_id and a.clock_id = new.id
     and is_over_time(a.merchant_id, coalesce(e.billable_metric_ids, array[a.billable_metric_id]));
  if ids is not null then
    perform wake_alerts(new.merchant_id, ids);
  end if;
  return null;
end $$;
create trigger wake_levels after update of advancing_to on test_clock
  for each row when (new.advancing_to is not null and new.advancing_to is distinct from old.advancing_to)
  execute function wake_levels_of_clock();
