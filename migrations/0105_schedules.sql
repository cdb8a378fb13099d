-- Billing schedules: when an order or a subscription is billed (§2; domain.md §6). What they owe less what their
-- invoices bill is staged, and pushed as invoices of kind `order` at its bill date.

/* The moves of a schedule's status (src/schedules/states.ts); a test holds the two equal. */
create table billing_schedule_edge (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into billing_schedule_edge values
  ('draft', 'active'),
  ('draft', 'cancelled'),
  ('active', 'draft'),
  ('active', 'completed'),
  ('active', 'cancelled'),
  ('completed', 'active');
grant select on billing_schedule_edge to reckoner_app, reckoner_operator;

create table billing_schedule (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  order_id text,
  subscription_id text,
  customer_id text not null,
  currency text not null,
  status text not null check (status in ('draft', 'active', 'completed', 'cancelled')),
  start_date timestamptz not null,
  end_date timestamptz not null,
  billing_anchor timestamptz not null,
  alignment_policy text not null check (alignment_policy in ('anchor', 'calendar', 'coterm')),
  proration_policy text not null check (proration_policy in ('none', 'daily')),
  period_preset text not null check (period_preset in ('single', 'P1M', 'P3M', 'P6M', 'P1Y', 'custom')),
  custom_period_windows jsonb not null, -- [{start, end}], in their order; [] unless the preset is custom
  payment_term_days int check (payment_term_days between 0 and 365), -- null: the order's, or the subscription's
  metadata jsonb not null,
  activated_at timestamptz,             -- null: nothing of it was ever to be billed
  cancelled_at timestamptz,             -- time from here on is not owed
  clock_id text,
  next_action_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, order_id) references sales_order (merchant_id, id),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  check (num_nonnulls(order_id, subscription_id) = 1),
  check (start_date < end_date),
  check (status not in ('active', 'completed') or activated_at is not null)
);
call resource_table('billing_schedule');
call due_table('billing_schedule', 'billing_schedule');
create index billing_schedule_order on billing_schedule (merchant_id, seq desc);
create index billing_schedule_all on billing_schedule (seq desc);
create index billing_schedule_of_order on billing_schedule (merchant_id, order_id, seq) where order_id is not null;
create index billing_schedule_of_subscription on billing_schedule (merchant_id, subscription_id, seq)
  where subscription_id is not null;
create index billing_schedule_customer on billing_schedule (merchant_id, customer_id, seq desc);
create index billing_schedule_status on billing_schedule (merchant_id, status, seq desc);
call keep_list_count('billing_schedule', '{status}');

create table schedule_interval (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  schedule_id text not null,
  order_line_item_id text,
  item_id text,
  price_id text,
  description text,
  unit_price numeric check (unit_price >= 0), -- null: the order line's, for the whole line
  base_quantity numeric not null check (base_quantity >= 0),
  quantity_transitions jsonb not null, -- [{effectiveDate, quantity}], in the order of the dates
  billing_cadence text not null,       -- a duration, or one_off
  billing_mode text not null check (billing_mode in ('advance', 'arrears')),
  bill_date timestamptz,
  start_date timestamptz not null,
  end_date timestamptz,                -- null: the schedule's
  usage_filter jsonb,
  metadata jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, schedule_id) references billing_schedule (merchant_id, id) on delete cascade,
  foreign key (merchant_id, order_line_item_id) references order_line_item (merchant_id, id),
  foreign key (merchant_id, item_id) references item (merchant_id, id),
  foreign key (merchant_id, price_id) references price (merchant_id, id),
  check (start_date < end_date)
);
call resource_table('schedule_interval');
create index schedule_interval_of on schedule_interval (merchant_id, schedule_id, seq);
create index schedule_interval_line on schedule_interval (merchant_id, order_line_item_id)
  where order_line_item_id is not null;
create index schedule_interval_item on schedule_interval (merchant_id, item_id) where item_id is not null;
create index schedule_interval_price on schedule_interval (merchant_id, price_id) where price_id is not null;

/* What is invoiced for one bill date: staged, then pushed once. A correction is for no window; several may be of one
   instant. */
create table schedule_invoice (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  schedule_id text not null,
  bill_at timestamptz not null,
  correction int not null check (correction >= 0), -- 0: of the windows; else a number of its own
  period_start timestamptz not null,
  period_end timestamptz not null,
  amount numeric not null, -- before tax, less what it takes back
  lines jsonb not null,
  status text not null check (status in ('staged', 'pushed', 'cancelled')),
  invoice_id text,         -- null: staged, or nothing but credit notes
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, schedule_id) references billing_schedule (merchant_id, id) on delete cascade,
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id),
  check (invoice_id is null or status <> 'staged')
);
call resource_table('schedule_invoice');
create index schedule_invoice_of on schedule_invoice (merchant_id, schedule_id, bill_at, correction, seq);

/* A bill date of a schedule is invoiced once. */
create unique index schedule_invoice_date on schedule_invoice (merchant_id, schedule_id, bill_at, correction)
  where status <> 'cancelled';
create unique index schedule_invoice_invoice on schedule_invoice (merchant_id, invoice_id) where invoice_id is not null;

/* The second lock behind the state table. */
create function guard_billing_schedule() returns trigger language plpgsql as $$
begin
  if new.status <> old.status
     and not exists (select from billing_schedule_edge where from_status = old.status and to_status = new.status) then
    raise exception 'billing schedule % cannot go from % to %', old.id, old.status, new.status;
  end if;
  if (new.order_id, new.subscription_id, new.customer_id, new.currency, new.clock_id)
     is distinct from (old.order_id, old.subscription_id, old.customer_id, old.currency, old.clock_id) then
    raise exception 'billing schedule % keeps whose it is', old.id;
  end if;
  return new;
end $$;
create trigger guard before update on billing_schedule for each row execute function guard_billing_schedule();

create function guard_billing_schedule_deletion() returns trigger language plpgsql as $$
begin
  if old.status <> 'draft' then raise exception 'billing schedule % is no draft and is not deleted', old.id; end if;
  return old;
end $$;
create trigger guard_delete before delete on billing_schedule
  for each row execute function guard_billing_schedule_deletion();

/* What was pushed stays as it is; only a draft that is made again is marked as cancelled. */
create function guard_schedule_invoice() returns trigger language plpgsql as $$
begin
  if old.status = 'pushed' and (tg_op = 'DELETE' or new.status not in ('pushed', 'cancelled')
     or (new.amount, new.lines, new.bill_at, new.invoice_id) is distinct from (old.amount, old.lines, old.bill_at,
       old.invoice_id))
  then raise exception 'schedule invoice % is pushed and does not change', old.id; end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger guard before update or delete on schedule_invoice for each row execute function guard_schedule_invoice();

/* A schedule of a subscription follows it, whatever changes its status or its end: its job looks at it at once. A
   trigger, because subscriptions know no schedules and end on many roads. */
create function wake_schedules() returns trigger language plpgsql as $$
begin
  update billing_schedule set next_action_at = new.updated_at
   where merchant_id = new.merchant_id and subscription_id = new.id and status <> 'cancelled';
  return null;
end $$;
create trigger wake_schedules after update of status, ending_at, terminated_at on subscription
  for each row
  when ((old.status, old.ending_at, old.terminated_at) is distinct from (new.status, new.ending_at, new.terminated_at))
  execute function wake_schedules();
