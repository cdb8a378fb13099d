-- Sources (§2, §3; domain.md §7): revenue that an outside system reports becomes usage, each event of it once.

create table source (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  name text not null,
  description text,
  plan_id text not null,
  type text not null,
  config jsonb not null, -- without its secret
  webhook_secret text,   -- sealed (kernel/sealing.ts); null: none was given
  enabled boolean not null,
  metadata jsonb not null,
  processing_mode text not null check (processing_mode in ('automatic', 'manual')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, plan_id) references plan (merchant_id, id)
);
call resource_table('source');
create index source_order on source (merchant_id, seq desc);
create index source_plan on source (merchant_id, plan_id);
create index source_all on source (seq desc);

create table source_event (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  source_id text not null,
  external_event_id text not null,
  payment_reference text,    -- the payment that several events of a provider may report
  status text not null check (status in ('pending', 'processed', 'failed', 'rejected')),
  customer_external_id text, -- as the provider names the customer
  customer_id text,          -- the customer of that name when it was looked at last
  subscription_id text,
  amount numeric not null,
  currency text not null,
  occurred_at timestamptz not null,
  attributes jsonb not null, -- what the usage event carries beside the amount
  raw_data jsonb not null,
  error_message text,
  usage_event_ids text[] not null,
  processed_at timestamptz,
  processed_by text,         -- a user, a rule, or `system`
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, source_id) references source (merchant_id, id),
  check ((status = 'processed') = (cardinality(usage_event_ids) > 0)),
  check ((status = 'failed') = (error_message is not null)),
  check ((status = 'pending') = (processed_at is null)),
  check ((processed_at is null) = (processed_by is null))
);
call resource_table('source_event');
create index source_event_order on source_event (merchant_id, source_id, seq desc);
create index source_event_status on source_event (merchant_id, source_id, status, seq desc);
create index source_event_customer on source_event (merchant_id, source_id, customer_id, seq desc);
-- domain.md §7: the same external event is one source event, and so is the same payment told by two events.
create unique index source_event_external on source_event (merchant_id, source_id, external_event_id);
create unique index source_event_payment on source_event (merchant_id, source_id, payment_reference)
  where payment_reference is not null;
call keep_list_count('source_event', '{source_id, status}');

/* The table of src/sources/event-states.ts once more: what was received never changes, and what is over stays. */
create function guard_source_event() returns trigger language plpgsql as $$
begin
  if (old.source_id, old.external_event_id, old.payment_reference, old.customer_external_id, old.amount, old.currency,
      old.occurred_at, old.attributes, old.raw_data, old.created_at)
     is distinct from
     (new.source_id, new.external_event_id, new.payment_reference, new.customer_external_id, new.amount, new.currency,
      new.occurred_at, new.attributes, new.raw_data, new.created_at) then
    raise exception 'what a source event received does not change: %', old.id;
  end if;
  if not ((old.status = 'pending' and new.status in ('processed', 'failed', 'rejected'))
          or (old.status = 'failed' and new.status = 'pending')) then
    raise exception 'a source event does not go from % to %: %', old.status, new.status, old.id;
  end if;
  return new;
end $$;
create trigger guard before update on source_event for each row execute function guard_source_event();

create table source_rule (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  source_id text not null,
  name text not null,
  description text not null,
  conditions jsonb not null,
  position int not null, -- `order` of the answer
  enabled boolean not null,
  evaluation_count int not null,
  match_count int not null check (match_count between 0 and evaluation_count),
  last_evaluated_at timestamptz,
  created_by text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, source_id) references source (merchant_id, id)
);
call resource_table('source_rule');
create index source_rule_order on source_rule (merchant_id, seq desc);
create index source_rule_turn on source_rule (merchant_id, source_id, position, seq);
create index source_rule_all on source_rule (seq desc);
