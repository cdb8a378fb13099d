-- Usage that nobody pays for (docs/decisions/0080): each finished day is looked at once, and what was found is told
-- once. Usage that came too late is told on the day on which it came: its own day was looked at long before.

/* A merchant's day (UTC) that was looked at. */
create table unbilled_day (
  merchant_id text not null,
  day date not null,
  mark bigint, -- up to which event, in the order of acceptance, the merchant's events were looked at with this day
  looked_at timestamptz not null,
  primary key (merchant_id, day)
);
call tenant_table('unbilled_day');
create index unbilled_day_latest on unbilled_day (day desc);

/* How many events of a day nobody pays for. */
create table unbilled_finding (
  merchant_id text not null,
  day date not null,
  metric_id text not null, -- '': no metric counts them
  reason text not null,
  event_count bigint not null check (event_count > 0),
  primary key (merchant_id, day, metric_id, reason),
  foreign key (merchant_id, day) references unbilled_day (merchant_id, day)
);
call tenant_table('unbilled_finding');
create index unbilled_finding_day on unbilled_finding (day, reason);
