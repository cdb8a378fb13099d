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
  replace_prices jsonb not null,         -- a list of {replacesPriceId, withPriceId}
  effective text not null check (effective in ('now', 'periodEnd')),
  proration text not null check (proration in ('second', 'day', 'none')),
  credit text not null check (credit in ('invoice', 'wallet', 'none')),
  is_dry boolean not null,               -- it only says what would be
  status text not null check (status in ('running', 'completed', 'cancelled')),
  total int not null,                    -- subscriptions that belong to it, fixed when it begins
  done int not null default 0,           -- of them changed, or to be changed at the end of a period
  failed int not null default 0,         -- of them refused
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
  position int not null,                 -- from 1
  subscription_id text not null,
  outcome text check (outcome in ('applied', 'scheduled', 'refused')), -- null: it waits, or the migration was cancelled before
  effective_at timestamptz,
  change_id text,                        -- null too where the migration is dry
  reason text,                           -- the code of the refusal
  fault text,                            -- the error behind the reason INTERNAL_ERROR; merchants do not see it
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
