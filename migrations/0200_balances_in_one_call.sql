-- A process keeps what balances depend on beside usage, and asks in one call whether it still holds and how much was used
-- (docs/decisions/0134).

/* How often the features and the meters of a merchant have changed, as entitlements see them. */
create table catalog_change (
  merchant_id text not null,
  change_count bigint not null,
  primary key (merchant_id)
);
call tenant_table('catalog_change');

create function count_catalog_change() returns trigger
  language plpgsql
  as $$
begin
  insert into catalog_change as c (merchant_id, change_count) values (new.merchant_id, 1)
      on conflict (merchant_id) do update set change_count = c.change_count + 1;
  return null;
end $$;
create trigger count_changes_by_insert after insert on feature
  for each row execute function count_catalog_change();
create trigger count_changes_by_update after update on feature
  for each row when ((old.key, old.product_id, old.type, old.deleted_at)
                     is distinct from (new.key, new.product_id, new.type, new.deleted_at))
  execute function count_catalog_change();
create trigger count_changes_by_update after update on billable_metric
  for each row when ((old.aggregation, old.event_type, old.value_property, old.group_by, old.event_from)
                     is distinct from (new.aggregation, new.event_type, new.value_property, new.group_by, new.event_from))
  execute function count_catalog_change();

/* An entitlement counts its own changes, and those of its terms, grants and resets by hand. Whoever changes these holds the
   entitlement, so nobody waits here for another one. */
create function count_change_of_entitlement() returns trigger
  language plpgsql
  as $$
begin
  new.change_count := old.change_count + 1;
  return new;
end $$;
create trigger count_changes before update on entitlement
  for each row when ((old.active_from, old.active_to, old.is_canceled, old.is_from_plan, old.clock_id, old.plan_id, old.subscription_id,
                      old.product_id, old.feature_id, old.feature_type, old.customer_id, old.billable_metric_ids, old.metadata)
                     is distinct from
                     (new.active_from, new.active_to, new.is_canceled, new.is_from_plan, new.clock_id, new.plan_id, new.subscription_id,
                      new.product_id, new.feature_id, new.feature_type, new.customer_id, new.billable_metric_ids, new.metadata))
  execute function count_change_of_entitlement();

create function count_changes_of_entitlements() returns trigger
  language plpgsql
  as $$
begin
  update entitlement e set change_count = e.change_count + 1
    from (select distinct merchant_id, entitlement_id from changed) c
   where e.merchant_id = c.merchant_id and e.id = c.entitlement_id;
  return null;
end $$;
create trigger count_changes_by_insert after insert on entitlement_term referencing new table as changed
  for each statement execute function count_changes_of_entitlements();
create trigger count_changes_by_update after update on entitlement_term referencing new table as changed
  for each statement execute function count_changes_of_entitlements();
create trigger count_changes_by_insert after insert on entitlement_grant referencing new table as changed
  for each statement execute function count_changes_of_entitlements();
create trigger count_changes_by_update after update on entitlement_grant referencing new table as changed
  for each statement execute function count_changes_of_entitlements();
create trigger count_changes_by_insert after insert on entitlement_reset referencing new table as changed
  for each statement execute function count_changes_of_entitlements();

/* A text that differs after each change of what the balances of a customer depend on beside usage, reservations, snapshots and
   time. Entitlements are never deleted, and both numbers of them only grow: they are equal in two snapshots of the
   database only if the same changes are visible in both. The start of the server tells apart two servers with one history. */
create function entitlements_state(merchant text, customer text) returns text
  language plpgsql stable
  as $$
declare
  found text;
begin
  select concat_ws('/', extract(epoch from pg_postmaster_start_time()),
                   (select c.change_count from catalog_change c where c.merchant_id = merchant), count(*), sum(e.change_count))
    into found from entitlement e where e.merchant_id = merchant and e.customer_id = customer;
  return found;
end $$;

/* Takes the role, the merchant and the settings of a statement that is a transaction of its own: each plan is made once for a
   connection, as that of `usage_sum`. @returns the merchant */
create function as_merchant(merchant text) returns text
  language plpgsql
  as $$
begin
  perform set_config('role', 'reckoner_app', true), set_config('reckoner.merchants', merchant, true),
          set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true);
  return merchant;
end $$;

/* An entitlement that a process does not know yet, at its effective now, with the state of all of its customer's and the time at
   which its next grant begins. All is of one moment, as the inputs beside it. */
create function entitlement_opening(merchant text, wanted text, wall timestamptz)
  returns table (found entitlement, state text, effective_now timestamptz, next_grant_at timestamptz)
  language plpgsql stable
  as $$
begin
  return query
    select e, entitlements_state(e.merchant_id, e.customer_id), t.at,
           (select min(g.effective_at) from entitlement_grant g
             where g.merchant_id = e.merchant_id and g.entitlement_id = e.id and g.effective_at > t.at)
      from entitlement e
     cross join lateral (select coalesce((select c.clock_time from test_clock c
                                           where c.merchant_id = e.merchant_id and c.id = e.clock_id), wall) as at) t
     where e.merchant_id = merchant and e.id = wanted;
end $$;

/* All that a process must hear of some entitlements of a customer that it knows, beside usage: whether the inputs are as they were
   (`state`), the time of each one's clock and what reservations hold of it (texts in the order asked, with spaces between
   them; `-`: no clock). `kept_…` are the snapshots that balances are counted from: does each hold? Of a question about the
   customer: is it there, with this id of the merchant's, and which of its budgets are spent?

   It is stable, so that all is of the moment of the one statement that calls it, as the usage beside it. */
create function entitlements_now(
  merchant text, customer text, external text, is_about_customer boolean, wall timestamptz,
  entitlements text[], clocks text[],
  kept_ids text[], kept_subscriptions text[], kept_ats timestamptz[], kept_takens text[])
  returns table (state text, is_there boolean, holds boolean, clock_times text, reserved text, budgets jsonb)
  language plpgsql stable
  as $$
#variable_conflict use_variable
begin
  state := entitlements_state(merchant, customer);
  is_there := true;
  holds := true;
  if is_about_customer then
    is_there := exists (
      select from customer c
       where c.merchant_id = merchant and c.id = customer and c.deleted_at is null and (external is null or c.external_id = external));
    budgets := (
      select jsonb_agg(jsonb_build_object('subscriptionId', b.subscription_id, 'billableMetricId', b.billable_metric_id))
        from spent_budgets(merchant, customer, wall) b);
  end if;
  if cardinality(kept_ids) > 0 then
    holds := (
      select bool_and(exists (select from entitlement_snapshot s
                               where s.merchant_id = merchant and s.entitlement_id = k.id and s.at = k.at and s.taken = k.taken)
                      and not is_usage_late(merchant, array_remove(array[customer, k.subscription_id], null), k.at,
                                            split_part(k.taken, '/', 2)::pg_snapshot))
        from unnest(kept_ids, kept_subscriptions, kept_ats, kept_takens) k (id, subscription_id, at, taken));
  end if;
  if array_remove(clocks, null) = '{}' then
    select string_agg(coalesce(h.amount, 0)::text, ' ' order by w.place) into reserved
      from unnest(entitlements) with ordinality w (id, place)
      left join lateral (
        select sum(r.amount) as amount from entitlement_reservation r
         where r.merchant_id = merchant and r.entitlement_id = w.id and r.status = 'held' and r.expires_at > wall) h on true;
  else
    select string_agg(coalesce((extract(epoch from c.clock_time) * 1000000)::bigint::text, '-'), ' ' order by w.place),
           string_agg(coalesce(h.amount, 0)::text, ' ' order by w.place)
      into clock_times, reserved
      from unnest(entitlements, clocks) with ordinality w (id, clock_id, place)
      left join test_clock c on c.merchant_id = merchant and c.id = w.clock_id
      left join lateral (
        select sum(r.amount) as amount from entitlement_reservation r
         where r.merchant_id = merchant and r.entitlement_id = w.id and r.status = 'held'
           and r.expires_at > coalesce(c.clock_time, wall)) h on true;
  end if;
  return next;
end $$;
