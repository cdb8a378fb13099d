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
   time. Entitlements are never deleted, and all three numbers only grow: they are equal in two snapshots of the database only
   if the same changes are visible in both. The start of the server tells apart two servers with one history. */
create function state_text(catalog_changes bigint, entitlements bigint, entitlement_changes numeric) returns text
  language sql stable
  as $$ select concat_ws('/', extract(epoch from pg_postmaster_start_time()), catalog_changes, entitlements, entitlement_changes) $$;

/* That text for all entitlements of a customer. */
create function entitlements_state(merchant text, customer text) returns text
  language plpgsql stable
  as $$
declare
  found text;
begin
  select state_text((select c.change_count from catalog_change c where c.merchant_id = merchant), count(*), sum(e.change_count))
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

/* All that a process must hear, beside usage, of entitlements that it knows, for many questions of a merchant at once. A question is
   about entitlements of one customer: `customers`, and where it is about the customer itself (`are_about_customers`), the
   customer must be there, with this id of the merchant's (`externals`; null: any), and its spent budgets are told. `held` are
   entitlements of which reservations may hold something, with their clocks; `kept` are the snapshots that balances are
   counted from, each of the question of this number.

   The texts have spaces between their words: the state of each question (`-`: its customer is not there); the numbers of the
   questions of which a snapshot does not hold; the time of each clock in microseconds since 1970 (`-`: there is none); the
   place of each entitlement of which something is held, and how much. Numbers count from 1.

   It is stable, so that all is of the moment of the one statement that calls it, as the usage beside it. */
create function entitlements_now(
  merchant text, wall timestamptz,
  customers text[], are_about_customers boolean[], externals text[],
  held_ids text[], held_clocks text[], clocks text[],
  kept_questions int[], kept_ids text[], kept_subscriptions text[], kept_ats timestamptz[], kept_takens text[])
  returns table (states text, lost text, clock_times text, reserved text, budgets jsonb)
  language plpgsql stable
  set enable_hashjoin = off set enable_mergejoin = off
  as $$
#variable_conflict use_variable
declare
  catalog_changes bigint;
begin
  select c.change_count into catalog_changes from catalog_change c where c.merchant_id = merchant;
  select string_agg(case when q.is_about and not exists (
                             select from customer c
                              where c.merchant_id = merchant and c.id = q.customer and c.deleted_at is null
                                and (q.external is null or c.external_id = q.external)) then '-'
                         else state_text(catalog_changes, e.entitlements, e.changes) end, ' ' order by q.question)
    into states
    from unnest(customers, are_about_customers, externals) with ordinality q (customer, is_about, external, question)
   cross join lateral (
     select count(*) as entitlements, sum(e.change_count) as changes from entitlement e
      where e.merchant_id = merchant and e.customer_id = q.customer) e;
  if true = any (are_about_customers) then
    select jsonb_agg(jsonb_build_object('question', q.question, 'subscriptionId', b.subscription_id, 'billableMetricId', b.billable_metric_id))
      into budgets
      from unnest(customers, are_about_customers) with ordinality q (customer, is_about, question)
     cross join lateral spent_budgets(merchant, q.customer, wall) b
     where q.is_about;
  end if;
  if cardinality(kept_ids) > 0 then
    select string_agg(k.question::text, ' ') into lost
      from unnest(kept_questions, kept_ids, kept_subscriptions, kept_ats, kept_takens) k (question, id, subscription_id, at, taken)
     where not exists (select from entitlement_snapshot s
                        where s.merchant_id = merchant and s.entitlement_id = k.id and s.at = k.at and s.taken = k.taken)
        or is_usage_late(merchant, array_remove(array[customers[k.question], k.subscription_id], null), k.at,
                         split_part(k.taken, '/', 2)::pg_snapshot);
  end if;
  if cardinality(clocks) > 0 then
    select string_agg(coalesce((extract(epoch from c.clock_time) * 1000000)::bigint::text, '-'), ' ' order by w.place) into clock_times
      from unnest(clocks) with ordinality w (id, place)
      left join test_clock c on c.merchant_id = merchant and c.id = w.id;
  end if;
  if cardinality(held_ids) > 0 then
    select string_agg(w.place || ' ' || h.amount, ' ') into reserved
      from unnest(held_ids, held_clocks) with ordinality w (id, clock_id, place)
     cross join lateral (
       select sum(r.amount) as amount from entitlement_reservation r
        where r.merchant_id = merchant and r.entitlement_id = w.id and r.status = 'held'
          and r.expires_at > coalesce(case when w.clock_id is not null then (
                select c.clock_time from test_clock c where c.merchant_id = merchant and c.id = w.clock_id) end, wall)) h
     where h.amount is not null;
  end if;
  return next;
end $$;
