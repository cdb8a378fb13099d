-- Alerts (docs/decisions/0100): a figure is watched against a threshold, and crossing it is told once in each period.

create table alert (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  type text not null check (type in ('balance', 'invoice_total', 'usage')),
  name text,
  customer_id text not null,               -- whose figure it is
  entitlement_id text,
  subscription_id text,
  billable_metric_id text,
  period text check (period in ('billing', 'day', 'week', 'month')),
  threshold numeric check (threshold >= 0),
  percent numeric check (percent > 0),
  whole numeric check (whole > 0),         -- what the percentage is of; a balance has a whole of its own
  blocks_access boolean not null,
  notifies_customer boolean not null,
  metadata jsonb not null,
  clock_id text,
  /* The period that was looked at last, and what was seen. */
  period_start timestamptz,
  period_end timestamptz,
  invoice_id text,                         -- the open invoice that gave the period
  is_reached boolean not null,
  looked_at timestamptz not null,          -- effective now of the last step
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
  leased_by text,                          -- the process that looks; only for thrift, two of them do no harm
  leased_until timestamptz
);
insert into alert_mark (seen_seq) select last_seq from event_horizon(); -- there is no alert yet
grant select, update on alert_mark to reckoner_app;
grant select on alert_mark to reckoner_operator;
