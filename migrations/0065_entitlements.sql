-- Entitlements and what funds them (§2 Grant, Active entitlement; §3, §4; domain.md §5). Balances are not stored: they follow from
-- these rows and from usage. Only snapshots hold figures, and dropping all of them changes no answer.

create table entitlement (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  customer_id text not null,
  feature_id text not null,
  feature_type text not null check (feature_type in ('metered', 'static', 'boolean')),
  product_id text not null,
  plan_id text,
  subscription_id text,
  is_from_plan boolean not null,         -- made from the features of the subscription's prices; else by hand
  clock_id text,
  active_from timestamptz not null,
  active_to timestamptz,                 -- null: no end is set
  is_canceled boolean not null default false, -- it ends, or has ended, with its subscription and not by its own time
  billable_metric_ids text[] not null,   -- what it measures; empty where it is not metered
  metadata jsonb not null default '{}',
  next_action_at timestamptz,
  change_count bigint not null default 0, -- of all that its balance depends on beside usage (0200)
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  foreign key (merchant_id, feature_id) references feature (merchant_id, id),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  check (active_to is null or active_to >= active_from),
  check ((feature_type = 'metered') = (cardinality(billable_metric_ids) > 0)),
  check (not is_from_plan or subscription_id is not null)
);
call resource_table('entitlement');
call due_table('entitlement', 'entitlement');
create index entitlement_order on entitlement (merchant_id, seq desc);
create index entitlement_customer on entitlement (merchant_id, customer_id, seq desc);
create index entitlement_subscription on entitlement (merchant_id, subscription_id, seq desc) where subscription_id is not null;
create index entitlement_feature on entitlement (merchant_id, feature_id);
-- One for each subscription and feature; what has ended stays as history, and a feature that comes back is a new one.
create unique index entitlement_of_subscription on entitlement (merchant_id, subscription_id, feature_id)
  where is_from_plan and not is_canceled;

/* What the template says, from an instant on: the first from the start, later ones by a plan change or a reconciliation. */
create table entitlement_term (
  merchant_id text not null,
  entitlement_id text not null,
  effective_from timestamptz not null,
  template jsonb not null,
  primary key (merchant_id, entitlement_id, effective_from),
  foreign key (merchant_id, entitlement_id) references entitlement (merchant_id, id)
);
call tenant_table('entitlement_term');

create table entitlement_grant (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  entitlement_id text not null,
  origin text not null check (origin in ('direct', 'purchase', 'template')),
  amount numeric not null check (amount > 0),
  priority int not null check (priority between -32768 and 32767),
  effective_at timestamptz not null,     -- of one that the template issued: the start or the reset after which it was
  expires_at timestamptz,
  voided_at timestamptz,
  recurrence_period text,
  reset_max_rollover numeric not null check (reset_max_rollover >= 0),
  reset_min_rollover numeric not null check (reset_min_rollover >= 0),
  idempotency_key text,
  idempotency_print bytea,
  invoice_id text,                       -- what a purchase was paid by
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, entitlement_id) references entitlement (merchant_id, id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id),
  check (reset_min_rollover <= reset_max_rollover),
  check (expires_at is null or expires_at > effective_at),
  check ((origin = 'purchase') = (invoice_id is not null))
);
call resource_table('entitlement_grant');
create index entitlement_grant_order on entitlement_grant (merchant_id, entitlement_id, created_at desc, seq desc);
create unique index entitlement_grant_key on entitlement_grant (merchant_id, entitlement_id, idempotency_key)
  where idempotency_key is not null;
create unique index entitlement_grant_invoice on entitlement_grant (merchant_id, invoice_id) where invoice_id is not null;
create unique index entitlement_grant_issued on entitlement_grant (merchant_id, entitlement_id, effective_at) where origin = 'template';

/* Resets by hand; those at the end of each usage period are computed. */
create table entitlement_reset (
  merchant_id text not null,
  entitlement_id text not null,
  at timestamptz not null,
  retain_anchor boolean not null,
  preserve_overage boolean not null,
  created_at timestamptz not null,
  primary key (merchant_id, entitlement_id, at),
  foreign key (merchant_id, entitlement_id) references entitlement (merchant_id, id)
);
call tenant_table('entitlement_reset');

/* The balance as it stood right after a reset, or at an instant between two: a cache. It holds as long as no event before
   `at` came that `taken` did not see (metering's usageSnapshot). `is_grouped`: some of its grants are counted as one. */
create table entitlement_snapshot (
  merchant_id text not null,
  entitlement_id text not null,
  at timestamptz not null,
  state jsonb not null,
  is_grouped boolean not null,
  taken text not null,
  primary key (merchant_id, entitlement_id, at),
  foreign key (merchant_id, entitlement_id) references entitlement (merchant_id, id)
);
call tenant_table('entitlement_snapshot');

/* The last reset up to which everything was written and the usage of the entitlement was marked as settled, and for whom to wait before
   it is (metering's settleUsage). The same of an instant between two resets, while its snapshot is to be taken. */
create table entitlement_mark (
  merchant_id text not null,
  entitlement_id text not null,
  at timestamptz not null,
  wait_for text not null,
  between_at timestamptz,
  between_wait_for text,
  check ((between_at is null) = (between_wait_for is null)),
  primary key (merchant_id, entitlement_id),
  foreign key (merchant_id, entitlement_id) references entitlement (merchant_id, id)
);
call tenant_table('entitlement_mark');

create table entitlement_reservation (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  entitlement_id text not null,
  amount numeric not null check (amount > 0),
  status text not null check (status in ('held', 'settled', 'released', 'expired')),
  settled_amount numeric check (settled_amount >= 0),
  event_id text,
  expires_at timestamptz not null,
  clock_id text,
  next_action_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, entitlement_id) references entitlement (merchant_id, id),
  check ((status = 'settled') = (settled_amount is not null)),
  check ((status = 'held') = (next_action_at is not null))
);
call resource_table('entitlement_reservation');
call due_table('entitlement_reservation', 'entitlement_reservation');
create index entitlement_reservation_held on entitlement_reservation (merchant_id, entitlement_id) where status = 'held';

/* What was told of a usage period, each kind once. */
create table entitlement_notice (
  merchant_id text not null,
  entitlement_id text not null,
  period_start timestamptz not null,
  kind text not null check (kind in ('balance_low', 'exhausted', 'reset')),
  created_at timestamptz not null,
  primary key (merchant_id, entitlement_id, period_start, kind),
  foreign key (merchant_id, entitlement_id) references entitlement (merchant_id, id)
);
call tenant_table('entitlement_notice');

/* A grant that is asked for and paid by an invoice (§3 Grant purchase). */
create table grant_purchase (
  merchant_id text not null,
  invoice_id text not null,
  entitlement_id text not null,
  idempotency_key text not null,
  idempotency_print bytea not null,
  amount numeric not null check (amount > 0),
  price numeric not null,
  currency text not null,
  effective_at timestamptz,              -- null: when it is paid
  expires_at timestamptz,
  reset_max_rollover numeric not null,
  reset_min_rollover numeric not null,
  created_at timestamptz not null,
  primary key (merchant_id, invoice_id),
  foreign key (merchant_id, entitlement_id) references entitlement (merchant_id, id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id),
  check (reset_min_rollover <= reset_max_rollover)
);
call tenant_table('grant_purchase');
create unique index grant_purchase_key on grant_purchase (merchant_id, entitlement_id, idempotency_key);

/* A grant never changes but by being voided, once. */
create function keep_grant() returns trigger language plpgsql as $$
begin
  if old.voided_at is not null and new.voided_at is distinct from old.voided_at then
    raise exception 'grant % is voided', old.id;
  end if;
  if (new.entitlement_id, new.origin, new.amount, new.priority, new.effective_at, new.expires_at, new.recurrence_period,
      new.reset_max_rollover, new.reset_min_rollover, new.invoice_id, new.created_at)
     is distinct from
     (old.entitlement_id, old.origin, old.amount, old.priority, old.effective_at, old.expires_at, old.recurrence_period,
      old.reset_max_rollover, old.reset_min_rollover, old.invoice_id, old.created_at) then
    raise exception 'grant % does not change', old.id;
  end if;
  return new;
end $$;
create trigger keep before update on entitlement_grant for each row execute function keep_grant();

create index entitlement_grant_time on entitlement_grant (merchant_id, entitlement_id, effective_at);

/* The metrics that count events of some types. */
create function metrics_of_types(merchant text, types text[]) returns table (id text, event_type text)
  language sql stable
  as $$ select m.id, m.event_type from billable_metric m where m.merchant_id = merchant and m.event_type = any (types) $$;

/* All that the balances of some entitlements depend on beside usage, in the order asked. `ats` are the instants that are asked
   about; from a snapshot of `untils` or before on, only what can still matter is read: so it takes the same after any number of
   periods. `by_grant`: a snapshot that does not name each grant is passed over. Grants are lines of fields: there can be ten
   thousand, and a jsonb object for each takes ten times as long. The plan is made once for a connection, as that of `usage_sum`. */
create function entitlement_inputs(merchants text[], ids text[], ats timestamptz[], untils timestamptz[], by_grant boolean)
  returns table (entitlement_id text, feature_key text, terms jsonb, grants text, resets jsonb, meters jsonb, elders jsonb,
                 reserved numeric, snapshot_at timestamptz, snapshot_state jsonb, snapshot_taken text)
  language sql stable
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  as $$
  select e.id, f.key,
         (select jsonb_agg(jsonb_build_object('from', t.effective_from, 'template', t.template) order by t.effective_from)
            from entitlement_term t where t.merchant_id = e.merchant_id and t.entitlement_id = e.id),
         (select string_agg(concat(g.id, '|', g.amount, '|', g.priority, '|', epoch_microseconds(g.effective_at), '|',
                                   epoch_microseconds(g.expires_at), '|', epoch_microseconds(g.voided_at), '|', g.recurrence_period, '|',
                                   g.reset_max_rollover, '|', g.reset_min_rollover, '|', epoch_microseconds(g.created_at), '|',
                                   g.seq, '|', g.origin), E'\n')
            from (select * from entitlement_grant
                   where merchant_id = e.merchant_id and entitlement_grant.entitlement_id = e.id
                     and effective_at >= coalesce(s.at, '-infinity') and effective_at <= w.at
                   union all
                  select held.* from jsonb_array_elements(s.state -> 'balance' -> 'grants') x
                    join entitlement_grant held on held.merchant_id = e.merchant_id and held.id = x ->> 'id'
                   where held.effective_at < s.at) g),
         (select jsonb_agg(jsonb_build_object('at', r.at, 'retainAnchor', r.retain_anchor, 'preserveOverage', r.preserve_overage))
            from entitlement_reset r where r.merchant_id = e.merchant_id and r.entitlement_id = e.id),
         (select jsonb_agg(jsonb_build_object(
                   'id', m.id, 'eventType', m.event_type, 'aggregation', m.aggregation, 'valueProperty', m.value_property,
                   'groupBy', m.group_by, 'eventFrom', m.event_from) order by m.id)
            from billable_metric m where m.merchant_id = e.merchant_id and m.id = any (e.billable_metric_ids)),
         (select jsonb_agg(jsonb_build_object('metricIds', o.billable_metric_ids, 'from', o.active_from, 'to', o.active_to) order by o.seq)
            from entitlement o
           where o.merchant_id = e.merchant_id and o.customer_id = e.customer_id and o.seq < e.seq
             and e.subscription_id is not null and o.subscription_id <> e.subscription_id
             and o.clock_id is not distinct from e.clock_id and o.billable_metric_ids && e.billable_metric_ids),
         (select coalesce(sum(h.amount), 0) from entitlement_reservation h
           where h.merchant_id = e.merchant_id and h.entitlement_id = e.id and h.status = 'held' and h.expires_at > w.at),
         s.at, s.state, s.taken
    from unnest(merchants, ids, ats, untils) with ordinality w (merchant, id, at, until, place)
    join entitlement e on e.merchant_id = w.merchant and e.id = w.id
    join feature f on f.merchant_id = e.merchant_id and f.id = e.feature_id
    left join lateral (
      select n.at, n.state, n.taken from entitlement_snapshot n
       where n.merchant_id = e.merchant_id and n.entitlement_id = e.id and n.at <= w.until
         and not (by_grant and n.is_grouped)
       order by n.at desc limit 1) s on true
   order by w.place
  $$;
