-- Entitlements and what funds them (§2 Grant, Active entitlement; §3, §4; domain.md §5). Balances are not stored: they
-- follow from these rows and from usage. Only snapshots hold figures, and dropping all of them changes no answer.

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
  is_from_plan boolean not null,          -- made from the features of the subscription's prices; else by hand
  clock_id text,
  active_from timestamptz not null,
  active_to timestamptz,                  -- null: no end is set
  is_canceled boolean not null default false, -- it ends, or has ended, with its subscription and not by its own time
  billable_metric_ids text[] not null,    -- what it measures; empty where it is not metered
  metadata jsonb not null default '{}',
  next_action_at timestamptz,
  change_count bigint not null default 0, -- of all that its balance depends on beside usage
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
create index entitlement_subscription on entitlement (merchant_id, subscription_id, seq desc)
  where subscription_id is not null;
create index entitlement_feature on entitlement (merchant_id, feature_id);
/* One for each subscription and feature; what has ended stays as history, and a feature that comes back is a new
   one. */
create unique index entitlement_of_subscription on entitlement (merchant_id, subscription_id, feature_id)
  where is_from_plan and not is_canceled;
create index entitlement_all on entitlement (seq desc);

/* What the template says, from an instant on: the first from the start, later ones by a plan change or a
   reconciliation. */
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
  origin text not null check (origin in ('direct', 'purchase', 'template', 'reconciliation')),
  amount numeric not null check (amount > 0),
  priority int not null check (priority between -32768 and 32767),
  effective_at timestamptz not null, -- of one that the template issued: the start or the reset after which it was
  expires_at timestamptz,
  voided_at timestamptz,
  recurrence_period text,
  reset_max_rollover numeric not null check (reset_max_rollover >= 0),
  reset_min_rollover numeric not null check (reset_min_rollover >= 0),
  idempotency_key text,
  idempotency_print bytea,
  invoice_id text,                   -- what a purchase was paid by
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
create unique index entitlement_grant_invoice on entitlement_grant (merchant_id, invoice_id)
  where invoice_id is not null;
create unique index entitlement_grant_issued on entitlement_grant (merchant_id, entitlement_id, effective_at)
  where origin = 'template';
create index entitlement_grant_time on entitlement_grant (merchant_id, entitlement_id, effective_at);

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

/* The balance as it stood right after a reset, or at an instant between two: a cache. It holds as long as no event
   before `at` came that `taken` did not see (metering's usageSnapshot). `is_grouped`: some of its grants are counted as
   one. */
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

/* The last reset up to which everything was written and the usage of the entitlement was marked as settled, and for
   whom to wait before it is (metering's settleUsage). The same of an instant between two resets, while its snapshot is
   to be taken. */
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
create index entitlement_reservation_held on entitlement_reservation (merchant_id, entitlement_id)
  where status = 'held';

/* Lists within one record that may be long. */
create index entitlement_reservation_order on entitlement_reservation (merchant_id, entitlement_id, seq desc);

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
  effective_at timestamptz, -- null: when it is paid
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

/* The metrics that count events of some types. */
create function metrics_of_types(merchant text, types text[]) returns table (id text, event_type text)
  language sql stable
  as $$
    select m.id, m.event_type from billable_metric m where m.merchant_id = merchant and m.event_type = any (types)
  $$;

/* All that the balances of some entitlements depend on beside usage, in the order asked. `ats` are the instants that
   are asked about; from a snapshot of `untils` or before on, only what can still matter is read: so it takes the same
   after any number of periods. `by_grant`: a snapshot that does not name each grant is passed over. Grants are lines of
   fields: there can be ten thousand, and a jsonb object for each takes ten times as long. The plan is made once for a
   connection, as that of `usage_sum`. */
create function entitlement_inputs(merchants text[], ids text[], ats timestamptz[], untils timestamptz[],
  by_grant boolean)
  returns table (entitlement_id text, feature_key text, terms jsonb, grants text, resets jsonb,
                 meters jsonb, preceding jsonb, reserved numeric, snapshot_at timestamptz, snapshot_state jsonb,
                 snapshot_taken text)
  language sql stable
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  as $$
  select e.id, f.key,
         (select jsonb_agg(jsonb_build_object('from', t.effective_from, 'template', t.template)
                           order by t.effective_from)
            from entitlement_term t where t.merchant_id = e.merchant_id and t.entitlement_id = e.id),
         (select string_agg(concat(g.id, '|', g.amount, '|', g.priority, '|', epoch_microseconds(g.effective_at), '|',
                                   epoch_microseconds(g.expires_at), '|', epoch_microseconds(g.voided_at), '|',
                                   g.recurrence_period, '|', g.reset_max_rollover, '|', g.reset_min_rollover, '|',
                                   epoch_microseconds(g.created_at), '|', g.seq, '|', g.origin), E'\n')
            from (select * from entitlement_grant
                   where merchant_id = e.merchant_id and entitlement_grant.entitlement_id = e.id
                     and effective_at >= coalesce(s.at, '-infinity') and effective_at <= w.at
                   union all
                  select held.* from jsonb_array_elements(s.state -> 'balance' -> 'grants') x
                    join entitlement_grant held on held.merchant_id = e.merchant_id and held.id = x ->> 'id'
                   where held.effective_at < s.at) g),
         (select jsonb_agg(jsonb_build_object('at', r.at, 'retainAnchor', r.retain_anchor,
                                             'preserveOverage', r.preserve_overage))
            from entitlement_reset r where r.merchant_id = e.merchant_id and r.entitlement_id = e.id),
         (select jsonb_agg(jsonb_build_object(
                   'id', m.id, 'eventType', m.event_type, 'aggregation', m.aggregation,
                   'valueProperty', m.value_property, 'groupBy', m.group_by, 'eventFrom', m.event_from) order by m.id)
            from billable_metric m where m.merchant_id = e.merchant_id and m.id = any (e.billable_metric_ids)),
         (select jsonb_agg(jsonb_build_object('metricIds', o.billable_metric_ids, 'from', o.active_from,
                                             'to', o.active_to) order by o.seq)
            from entitlement o
           where o.merchant_id = e.merchant_id and o.customer_id = e.customer_id and o.seq < e.seq
             and e.subscription_id is not null and o.subscription_id <> e.subscription_id
             and o.clock_id is not distinct from e.clock_id and o.billable_metric_ids && e.billable_metric_ids),
         (select coalesce(sum(h.amount), 0) from entitlement_reservation h
           where h.merchant_id = e.merchant_id and h.entitlement_id = e.id and h.status = 'held'
             and h.expires_at > w.at),
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

-- A process keeps what balances depend on beside usage, and asks in one call whether it still holds and how much was
-- used (docs/decisions/0134).

/* An entitlement counts its own changes, and those of its terms, grants and resets by hand. Whoever changes these holds
   the entitlement, so nobody waits here for another one. */
create function count_change_of_entitlement() returns trigger
  language plpgsql
  as $$
begin
  new.change_count := old.change_count + 1;
  return new;
end $$;
create trigger count_changes before update on entitlement
  for each row when ((old.active_from, old.active_to, old.is_canceled, old.is_from_plan, old.clock_id, old.plan_id,
                      old.subscription_id, old.product_id, old.feature_id, old.feature_type, old.customer_id,
                      old.billable_metric_ids, old.metadata)
                     is distinct from
                     (new.active_from, new.active_to, new.is_canceled, new.is_from_plan, new.clock_id, new.plan_id,
                      new.subscription_id, new.product_id, new.feature_id, new.feature_type, new.customer_id,
                      new.billable_metric_ids, new.metadata))
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

/* A text that differs after each change of what the balances of a customer depend on beside usage, reservations,
   snapshots and time. Entitlements are never deleted, and all three numbers only grow: they are equal in two snapshots
   of the database only if the same changes are visible in both. The start of the server tells apart two servers with
   one history. */
create function state_text(catalog_changes bigint, entitlements bigint, entitlement_changes numeric) returns text
  language sql stable
  as $$
    select concat_ws('/', extract(epoch from pg_postmaster_start_time()), catalog_changes, entitlements,
                     entitlement_changes)
  $$;

/* That text for all entitlements of a customer. */
create function entitlements_state(merchant text, customer text) returns text
  language plpgsql stable
  as $$
declare
  found text;
begin
  select state_text((select c.change_count from catalog_change c where c.merchant_id = merchant),
                    count(*), sum(e.change_count))
    into found from entitlement e where e.merchant_id = merchant and e.customer_id = customer;
  return found;
end $$;

/* Takes the role, the merchant and the settings of a statement that is a transaction of its own: each plan is made once
   for a connection, as that of `usage_sum`. @returns the merchant */
create function as_merchant(merchant text) returns text
  language plpgsql
  as $$
begin
  perform set_config('role', 'reckoner_app', true), set_config('reckoner.merchants', merchant, true),
          set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true);
  return merchant;
end $$;

/* An entitlement that a process does not know yet, at its effective now, with the state of all of its customer's and
   the time at which its next grant begins. All is of one moment, as the inputs beside it. */
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

/* All that a process must hear, beside usage, of entitlements that it knows, for many questions of a merchant at once.
   A question is about entitlements of one customer: `customers`, and where it is about the customer itself
   (`are_about_customers`), the customer must be there, with this id of the merchant's (`externals`; null: any), and its
   spent budgets are told. `held` are entitlements of which reservations may hold something, with their clocks; `kept`
   are the snapshots that balances are counted from, each of the question of this number.

   The texts have spaces between their words: the state of each question (`-`: its customer is not there); the numbers
   of the questions of which a snapshot does not hold; the time of each clock in microseconds since 1970 (`-`: there is
   none); the place of each entitlement of which something is held, and how much. Numbers count from 1.

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
    select jsonb_agg(jsonb_build_object('question', q.question, 'subscriptionId', b.subscription_id,
                                        'billableMetricId', b.billable_metric_id))
      into budgets
      from unnest(customers, are_about_customers) with ordinality q (customer, is_about, question)
     cross join lateral spent_budgets(merchant, q.customer, wall) b
     where q.is_about;
  end if;
  if cardinality(kept_ids) > 0 then
    select string_agg(k.question::text, ' ') into lost
      from unnest(kept_questions, kept_ids, kept_subscriptions, kept_ats, kept_takens) k (question, id,
        subscription_id, at, taken)
     where not exists (select from entitlement_snapshot s
                        where s.merchant_id = merchant and s.entitlement_id = k.id and s.at = k.at
                          and s.taken = k.taken)
        or is_usage_late(merchant, array_remove(array[customers[k.question], k.subscription_id], null), k.at,
                         split_part(k.taken, '/', 2)::pg_snapshot);
  end if;
  if cardinality(clocks) > 0 then
    select string_agg(coalesce((extract(epoch from c.clock_time) * 1000000)::bigint::text, '-'), ' '
      order by w.place) into clock_times
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
                select c.clock_time from test_clock c where c.merchant_id = merchant and c.id = w.clock_id) end,
                  wall)) h
     where h.amount is not null;
  end if;
  return next;
end $$;
