-- What changes the figure of an alert without an event has it looked at: triggers, so that no domain must know of alerts.

/* Makes some alerts of a merchant due at their own time, which is that of their clock or of their last look. They are locked
   in the order of their ids, and after everything else that the transaction locks. */
create function wake_alerts(merchant text, ids text[]) returns void
  language plpgsql
  as $$
begin
  /* A statement of its own: the next one sees what a look has written that was waited for here. */
  perform 1 from alert a where a.merchant_id = merchant and a.id = any (ids) order by a.id for no key update;
  update alert a
     set next_action_at = t.due_at
    from (select w.id, coalesce((select c.clock_time from test_clock c
                                  where c.merchant_id = w.merchant_id and c.id = w.clock_id), w.looked_at) as due_at
            from alert w where w.merchant_id = merchant and w.id = any (ids)) t
   where a.merchant_id = merchant and a.id = t.id and (a.next_action_at is null or a.next_action_at > t.due_at);
end $$;

/* Grants, resets by hand and terms. */
create function wake_alerts_of_entitlements() returns trigger
  language plpgsql
  as $$
declare
  each record;
begin
  for each in
    select a.merchant_id, array_agg(a.id) as ids
      from (select distinct merchant_id, entitlement_id from changed) c
      join alert a on a.merchant_id = c.merchant_id and a.entitlement_id = c.entitlement_id
     group by a.merchant_id order by a.merchant_id
  loop
    perform wake_alerts(each.merchant_id, each.ids);
  end loop;
  return null;
end $$;
create trigger wake_alerts_by_insert after insert on entitlement_grant referencing new table as changed
  for each statement execute function wake_alerts_of_entitlements();
create trigger wake_alerts_by_update after update on entitlement_grant referencing new table as changed
  for each statement execute function wake_alerts_of_entitlements();
create trigger wake_alerts_by_insert after insert on entitlement_reset referencing new table as changed
  for each statement execute function wake_alerts_of_entitlements();
create trigger wake_alerts_by_insert after insert on entitlement_term referencing new table as changed
  for each statement execute function wake_alerts_of_entitlements();

/* Plan changes and quantities, adjustments, and lines by hand. */
create function wake_alerts_of_subscription() returns trigger
  language plpgsql
  as $$
declare
  changed record := case when tg_op = 'DELETE' then old else new end;
begin
  perform wake_alerts(changed.merchant_id, ids)
     from (select array_agg(a.id) as ids from alert a
            where a.merchant_id = changed.merchant_id and a.subscription_id = changed.subscription_id) found
    where ids is not null;
  return null;
end $$;
create trigger wake_alerts after insert on subscription_version
  for each row execute function wake_alerts_of_subscription();
create trigger wake_alerts after insert or delete on subscription_adjustment
  for each row execute function wake_alerts_of_subscription();
create trigger wake_alerts after insert or delete on manual_line
  for each row execute function wake_alerts_of_subscription();

/* A period that is opened, and one whose end moves: also for the usage that is billed in it. */
create function wake_alerts_of_period() returns trigger
  language plpgsql
  as $$
begin
  perform wake_alerts(new.merchant_id, ids)
     from (select array_agg(a.id) as ids from alert a
            where a.merchant_id = new.merchant_id and a.customer_id = new.customer_id
              and (a.subscription_id = new.subscription_id or a.period = 'billing')) found
    where ids is not null;
  return null;
end $$;
create trigger wake_alerts_by_insert after insert on invoice
  for each row when (new.kind = 'subscription') execute function wake_alerts_of_period();
create trigger wake_alerts_by_update after update on invoice
  for each row when (new.kind = 'subscription' and new.period_end is distinct from old.period_end)
  execute function wake_alerts_of_period();

/* Events that were sent before anybody was their customer. */
create function wake_alerts_of_customer() returns trigger
  language plpgsql
  as $$
begin
  perform wake_alerts(new.merchant_id, ids)
     from (select array_agg(a.id) as ids from alert a
            where a.merchant_id = new.merchant_id and a.customer_id = new.customer_id) found
    where ids is not null;
  return null;
end $$;
create trigger wake_alerts after update on event_subject
  for each row when (new.customer_id is not null and new.customer_id is distinct from old.customer_id)
  execute function wake_alerts_of_customer();

/* Budgets that are spent, for each question of access. */
create index alert_spent on alert (merchant_id, customer_id) where blocks_access and is_reached;

/* The budgets of a customer that are spent, as of the last look, in a period that has not ended. `wall` is wall time. */
create function spent_budgets(merchant text, customer text, wall timestamptz)
  returns table (subscription_id text, billable_metric_id text)
  language sql stable
  as $$
    select a.subscription_id, a.billable_metric_id from alert a
     where a.merchant_id = merchant and a.customer_id = customer and a.blocks_access and a.is_reached
       and (a.period_end is null
            or a.period_end > coalesce((select c.clock_time from test_clock c
                                         where c.merchant_id = a.merchant_id and c.id = a.clock_id), wall))
  $$;
