-- Subscriptions (§2, §4; domain.md §3): who is billed for which plan version, from when, and until when; what changes
-- their invoices beside the plan; changes of plans; migrations of all subscriptions of a plan.

create table subscription (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  customer_id text not null,
  plan_id text not null,
  plan_version_id text not null,          -- pinned: a new version of the plan changes nothing here
  plan_version_number int not null,
  -- A quantity for each fee price of its version. Stored is what differs from the price's own quantity, {price id:
  -- integer}. A price that is in use never changes its own, so what is not stored is known.
  quantities jsonb not null default '{}',
  name text not null,
  status text not null check (status in ('pending_payment', 'active', 'terminated')),
  auto_charge boolean not null,
  auto_approve boolean,                   -- null: as the plan says
  tax_exempt boolean not null,
  bank_transfer_only boolean not null,
  payment_term_days int not null check (payment_term_days between 0 and 365),
  renewal_reminder_enabled boolean,
  renewal_reminder_days int,
  reminded_period int,                    -- the last period of the plan's series whose renewal was told of
  started_at timestamptz not null,
  billing_starts_at timestamptz not null, -- the end of the trial, else started_at
  billing_anchor timestamptz not null,    -- periods are counted from here
  billing_opened boolean not null,        -- its first invoices are open
  activated_at timestamptz,               -- null: not (yet) paid for; such a one never bills any usage
  ending_at timestamptz,
  terminated_at timestamptz,
  terminated_by text,
  termination_reason text,
  -- where what an end leaves unused goes
  end_credit text not null default 'invoice' check (end_credit in ('invoice', 'wallet', 'none')),
  clock_id text,
  redirect_urls jsonb,
  prefund_amount numeric not null default 0 check (prefund_amount >= 0), -- for the wallet, with the upfront invoice
  session_expiry_minutes int check (session_expiry_minutes > 0), -- of the upfront session; null: as usual
  metadata jsonb not null,
  idempotency_key text,
  idempotency_print bytea,
  next_action_at timestamptz,             -- billing_starts_at while that is ahead, then ending_at
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  foreign key (merchant_id, plan_id) references plan (merchant_id, id),
  foreign key (merchant_id, plan_version_id) references plan_version (merchant_id, id),
  check (payment_term_days = 0 or bank_transfer_only),
  check (ending_at is null or ending_at > started_at),
  check ((status = 'terminated') = (terminated_at is not null)),
  constraint subscription_activation check (case status when 'active' then activated_at is not null
                                                            when 'pending_payment' then activated_at is null
                                                            else true end)
);
call resource_table('subscription');
call due_table('subscription', 'subscription');
create index subscription_order on subscription (merchant_id, seq desc);
create index subscription_customer on subscription (merchant_id, customer_id, seq);
create index subscription_plan on subscription (merchant_id, plan_id);
create index subscription_clock on subscription (merchant_id, clock_id) where clock_id is not null;
create unique index subscription_key on subscription (merchant_id, idempotency_key) where idempotency_key is not null;
create index subscription_all on subscription (seq desc);
call keep_list_count('subscription', '{status, plan_id}');

/* An adjustment (§4; domain.md §3, §4): a discount over a window of time. It is never changed; it is deleted until an
   invoice has issued under it. */
create table subscription_adjustment (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  subscription_id text not null,
  percentage_discount numeric not null, -- a fraction: 0.35 is 35 percent
  effective_from timestamptz not null,
  effective_to timestamptz,             -- exclusive; null: never ends
  description text not null,
  idempotency_key text,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  check (percentage_discount > 0 and percentage_discount <= 1 and scale(percentage_discount) <= 6),
  check (effective_to > effective_from)
);
call resource_table('subscription_adjustment');
create index subscription_adjustment_order on subscription_adjustment (merchant_id, subscription_id, seq desc);
create unique index subscription_adjustment_key
  on subscription_adjustment (merchant_id, subscription_id, idempotency_key)
  where idempotency_key is not null;

-- Plan changes (domain.md §3): which version a subscription is pinned to from when, and what was asked.

/* The versions of a subscription that had more than one; those that were never changed have no rows. */
create table subscription_version (
  merchant_id text not null,
  subscription_id text not null,
  holds_from timestamptz not null,        -- until the next row's; the first from the start
  seq bigint generated always as identity,
  change_id text,                         -- null: the first
  plan_id text not null,
  plan_version_id text not null,
  quantities jsonb not null default '{}', -- which quantities held with this version
  anchors jsonb not null,                 -- from where the periods of each series are counted, by cadence
  proration text not null check (proration in ('second', 'day', 'none')),
  -- where what a change leaves unused goes
  credit text not null default 'invoice' check (credit in ('invoice', 'wallet', 'none')),
  primary key (merchant_id, subscription_id, seq),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  foreign key (merchant_id, plan_version_id) references plan_version (merchant_id, id)
);
call tenant_table('subscription_version');
create index subscription_version_order on subscription_version (merchant_id, subscription_id, holds_from, seq);

create table subscription_change (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  subscription_id text not null,
  status text not null check (status in ('scheduled', 'applied', 'cancelled')),
  effective text not null check (effective in ('now', 'periodEnd')),
  effective_at timestamptz not null,
  from_plan_version_id text not null,
  plan_id text not null,
  plan_version_id text not null,
  plan_version_number int not null,
  quantities jsonb not null default '{}', -- what the change brings
  proration text not null check (proration in ('second', 'day', 'none')),
  credit text not null check (credit in ('invoice', 'wallet', 'none')),
  clock_id text,
  next_action_at timestamptz,             -- effective_at while it is scheduled
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  check ((status = 'scheduled') = (next_action_at is not null))
);
call resource_table('subscription_change');
call due_table('subscription_change', 'subscription_change');
create index subscription_change_order on subscription_change (merchant_id, subscription_id, seq desc);
create unique index subscription_change_scheduled on subscription_change (merchant_id, subscription_id)
  where status = 'scheduled';

-- Migrations of plans: all subscriptions of one version are changed to another one, some at a time, as due work.
create table plan_migration (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  plan_id text not null,
  from_version_id text not null,
  from_version int not null,
  to_version_id text not null,
  to_version int not null,
  replace_prices jsonb not null,          -- a list of {replacesPriceId, withPriceId}
  effective text not null check (effective in ('now', 'periodEnd')),
  proration text not null check (proration in ('second', 'day', 'none')),
  credit text not null check (credit in ('invoice', 'wallet', 'none')),
  is_dry boolean not null,                -- it only says what would be
  status text not null check (status in ('running', 'completed', 'cancelled')),
  total int not null,                     -- subscriptions that belong to it, fixed when it begins
  done int not null default 0,            -- of them changed, or to be changed at the end of a period
  failed int not null default 0,          -- of them refused
  clock_id text check (clock_id is null), -- it runs in wall time, whatever clocks its subscriptions are on
  next_action_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ended_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, from_version_id) references plan_version (merchant_id, id),
  foreign key (merchant_id, to_version_id) references plan_version (merchant_id, id),
  check (done >= 0 and failed >= 0 and done + failed <= total),
  check ((status = 'running') = (next_action_at is not null)),
  check ((status = 'running') = (ended_at is null)),
  check (status <> 'completed' or done + failed = total)
);
call resource_table('plan_migration');
call due_table('plan_migration', 'plan_migration');
create index plan_migration_order on plan_migration (merchant_id, plan_id, seq desc);
create unique index plan_migration_running on plan_migration (merchant_id, from_version_id)
  where status = 'running' and not is_dry;

/* The subscriptions of a migration in the order of their creation, which is the order in which they are changed. */
create table plan_migration_subscription (
  merchant_id text not null,
  migration_id text not null,
  position int not null, -- from 1
  subscription_id text not null,
  -- null: it waits, or the migration was cancelled before
  outcome text check (outcome in ('applied', 'scheduled', 'refused')),
  effective_at timestamptz,
  change_id text,        -- null too where the migration is dry
  reason text,           -- the code of the refusal
  fault text,            -- the error behind the reason INTERNAL_ERROR; merchants do not see it
  primary key (merchant_id, migration_id, position),
  foreign key (merchant_id, migration_id) references plan_migration (merchant_id, id),
  check (coalesce(outcome in ('applied', 'scheduled'), false) = (effective_at is not null)),
  check (coalesce(outcome = 'refused', false) = (reason is not null)),
  check (change_id is null or outcome <> 'refused'),
  check (fault is null or outcome = 'refused')
);
call tenant_table('plan_migration_subscription');
create unique index plan_migration_subscription_once
  on plan_migration_subscription (merchant_id, migration_id, subscription_id);
