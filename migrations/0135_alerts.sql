-- Alerts (docs/decisions/0100): a figure is watched against a threshold, and crossing it is told once in each period.

create table alert (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  type text not null check (type in ('balance', 'invoice_total', 'usage')),
  name text,
  customer_id text not null,       -- whose figure it is
  entitlement_id text,
  subscription_id text,
  billable_metric_id text,
  period text check (period in ('billing', 'day', 'week', 'month')),
  threshold numeric check (threshold >= 0),
  percent numeric check (percent > 0),
  whole numeric check (whole > 0), -- what the percentage is of; a balance has a whole of its own
  blocks_access boolean not null,
  notifies_customer boolean not null,
  metadata jsonb not null,
  clock_id text,
  /* The period that was looked at last, and what was seen. */ period_start timestamptz,
  period_end timestamptz,
  invoice_id text,                 -- the open invoice that gave the period
  is_reached boolean not null,
  looked_at timestamptz not null,  -- effective now of the last step
  next_action_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  check ((type = 'balance') = (entitlement_id is not null)),
  check ((type = 'invoice_total') = (subscription_id is not null)),
  check ((type = 'usage') = (billable_metric_id is not null)),
  check ((type = 'usage') = (period is not null)),
  check ((threshold is null) <> (percent is null)),
  check ((whole is not null) = (percent is not null and type <> 'balance')),
  check (not blocks_access or type <> 'balance'),
  check (period_end > period_start)
);
call resource_table('alert');
call due_table('alert', 'alert');
create index alert_order on alert (merchant_id, seq desc);
create index alert_all on alert (seq desc);
create index alert_of_customer on alert (merchant_id, customer_id, seq desc);
create index alert_of_entitlement on alert (merchant_id, entitlement_id, seq desc) where entitlement_id is not null;
create index alert_of_subscription on alert (merchant_id, subscription_id, seq desc) where subscription_id is not null;

/* Budgets that are spent: every question of access reads them. */
create index alert_spent on alert (merchant_id, customer_id) where blocks_access and is_reached;

/* Once in each period: the key is the rule. */
create table alert_trigger (
  merchant_id text not null,
  alert_id text not null,
  seq bigint generated always as identity,
  period_start timestamptz not null,
  period_end timestamptz,
  threshold numeric,
  percent numeric,
  whole numeric,
  value numeric not null,
  webhook_event_id text not null,
  triggered_at timestamptz not null,
  primary key (merchant_id, alert_id, period_start),
  foreign key (merchant_id, alert_id) references alert (merchant_id, id) on delete cascade
);
call tenant_table('alert_trigger');
create index alert_trigger_order on alert_trigger (merchant_id, alert_id, seq desc);

/* Up to where the events of all merchants have been looked at, in the order of acceptance. */
create table alert_mark (
  is_only boolean primary key default true check (is_only),
  seen_seq bigint not null,
  leased_by text, -- the process that looks; only for thrift, two of them do no harm
  leased_until timestamptz
);
insert into alert_mark (seen_seq) select last_seq from event_horizon(); -- there is no alert yet
grant select, update on alert_mark to reckoner_app;
grant select on alert_mark to reckoner_operator;

-- What changes the figure of an alert without an event has it looked at: triggers, so that no domain must know of
-- alerts.

/* Makes some alerts of a merchant due at their own time, which is that of their clock or of their last look. They are
   locked in the order of their ids, and after everything else that the transaction locks. */
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

/* A period whose end moves: also for the usage that is billed in it. */
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

/* The budgets of a customer that are spent, as of the last look, in a period that has not ended. `wall` is wall
   time. */
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

/* Periods that are opened: once for all that a statement opens. */
create function wake_alerts_of_new_periods() returns trigger language plpgsql as $$
declare
  each record;
begin
  for each in
    select a.merchant_id, array_agg(distinct a.id) as ids
      from opened n
      join alert a on a.merchant_id = n.merchant_id and a.customer_id = n.customer_id
                  and (a.subscription_id = n.subscription_id or a.period = 'billing')
     where n.kind = 'subscription'
     group by a.merchant_id order by a.merchant_id
  loop
    perform wake_alerts(each.merchant_id, each.ids);
  end loop;
  return null;
end $$;
create trigger wake_alerts_by_insert after insert on invoice referencing new table as opened
  for each statement execute function wake_alerts_of_new_periods();
