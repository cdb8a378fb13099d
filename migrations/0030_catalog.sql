-- The catalog: what a merchant sells (§2; api.md, Catalog). Products hold features, metrics, costs and fees; a price
-- belongs to a metric or a fee; a plan's version is a set of prices, and a subscription pins a version. Features,
-- costs, fees and prices are deleted softly: an archived version, and whoever is subscribed to it, still needs them.

create table product (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  name text not null,
  description text not null,
  metadata jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);
call resource_table('product');
create index product_order on product (merchant_id, seq desc);
create index product_all on product (seq desc);

create table feature (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  product_id text not null,
  key text not null,
  name text not null,
  type text not null check (type in ('metered', 'static', 'boolean')),
  metadata jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, product_id) references product (merchant_id, id)
);
call resource_table('feature');
create index feature_order on feature (merchant_id, seq desc);
create unique index feature_key on feature (merchant_id, product_id, key) where deleted_at is null;
create index feature_all on feature (seq desc);

create table item (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  catalog_id text, -- the product whose catalog it stands in
  name text not null,
  metadata jsonb not null,
  archived_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, catalog_id) references product (merchant_id, id)
);
call resource_table('item');
create index item_order on item (merchant_id, seq desc);
create index item_all on item (seq desc);

create table billable_metric (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  product_id text not null,
  item_id text,
  name text not null,
  description text not null,
  unit text not null,
  aggregation text not null check (aggregation in ('SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'UNIQUE_COUNT', 'LATEST')),
  event_type text,
  value_property text,
  group_by jsonb,
  event_from timestamptz,
  tax_rate numeric check (tax_rate between 0 and 100),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, product_id) references product (merchant_id, id),
  foreign key (merchant_id, item_id) references item (merchant_id, id),
  check (value_property is not null or aggregation = 'COUNT')
);
call resource_table('billable_metric');
create index billable_metric_order on billable_metric (merchant_id, seq desc);
create index billable_metric_item on billable_metric (merchant_id, item_id) where item_id is not null;
create index billable_metric_event_type on billable_metric (merchant_id, event_type);
create index billable_metric_all on billable_metric (seq desc);

create table cost (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  product_id text not null,
  type text not null check (type = 'metered'),
  name text not null,
  currency text not null,
  unit_cost numeric not null check (unit_cost >= 0),
  unit text,
  aggregation text check (aggregation in ('SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'UNIQUE_COUNT', 'LATEST')),
  event_type text,
  value_property text,
  group_by jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, product_id) references product (merchant_id, id),
  check (value_property is not null or aggregation is null or aggregation = 'COUNT'),
  check (event_type is null or aggregation is not null)
);
call resource_table('cost');
create index cost_order on cost (merchant_id, seq desc);
create index cost_event_type on cost (merchant_id, event_type) where deleted_at is null;
create index cost_all on cost (seq desc);

create table fee (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  product_id text not null,
  item_id text,
  name text not null,
  description text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, product_id) references product (merchant_id, id),
  -- Only a deleted fee can lose its item this way; a living one blocks the item's deletion.
  foreign key (merchant_id, item_id) references item (merchant_id, id) on delete set null (item_id)
);
call resource_table('fee');
create index fee_order on fee (merchant_id, seq desc);
create index fee_item on fee (merchant_id, item_id) where item_id is not null;
create index fee_all on fee (seq desc);

create table price (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  billable_metric_id text,
  fee_id text,
  invoice_display_name text not null,
  payment_term text not null check (payment_term in ('in_arrears', 'in_advance')),
  model text not null,
  properties jsonb not null,
  billing_cadence text, -- as sent; null: the plan's
  quantity numeric not null check (quantity >= 0),
  minimum_amount numeric,
  maximum_amount numeric,
  tax_rate numeric check (tax_rate between 0 and 100),
  group_filters jsonb,
  grant_discount_enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, billable_metric_id) references billable_metric (merchant_id, id),
  foreign key (merchant_id, fee_id) references fee (merchant_id, id),
  check (num_nonnulls(billable_metric_id, fee_id) = 1),
  check (fee_id is null or billing_cadence is not null)
);
call resource_table('price');
create index price_order on price (merchant_id, seq desc);
create index price_metric on price (merchant_id, billable_metric_id) where billable_metric_id is not null;
create index price_fee on price (merchant_id, fee_id) where fee_id is not null;
create index price_all on price (seq desc);

/* What the holder of a price is entitled to: at most one feature for each price. */
create table price_feature (
  merchant_id text not null,
  id text not null,
  price_id text not null,
  feature_id text not null,
  entitlement_template jsonb not null,
  primary key (merchant_id, id),
  unique (merchant_id, price_id),
  foreign key (merchant_id, price_id) references price (merchant_id, id),
  foreign key (merchant_id, feature_id) references feature (merchant_id, id)
);
call tenant_table('price_feature');
create index price_feature_feature on price_feature (merchant_id, feature_id);

create table plan (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  product_id text not null,
  name text not null,
  description text,
  invoice_display_name text,
  currency text not null,
  billing_cadence text not null,
  billing_version int not null check (billing_version in (0, 1)), -- §9: 0 in imported plans only
  billing_anchor timestamptz,
  grace_period text not null,
  trial_period text,
  auto_approve boolean not null,
  default_tax_code text not null,
  default_tax_rate numeric check (default_tax_rate between 0 and 100),
  tax_behavior text not null check (tax_behavior in ('exclusive', 'inclusive')),
  renewal_reminder_enabled boolean not null,
  renewal_reminder_days int not null check (renewal_reminder_days between 1 and 30),
  metadata jsonb not null,
  default_version_id text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, product_id) references product (merchant_id, id)
);
call resource_table('plan');
create index plan_order on plan (merchant_id, seq desc);
create index plan_product on plan (merchant_id, product_id);
create index plan_all on plan (seq desc);

create table plan_version (
  merchant_id text not null,
  id text not null,
  plan_id text not null,
  version_number int not null check (version_number >= 1),
  -- a commitment: what all charges of a period of the plan come to at least; null: none
  minimum_amount numeric check (minimum_amount >= 0),
  status text not null check (status in ('draft', 'published', 'archived')),
  based_on_version_id text,
  published_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, plan_id, version_number),
  foreign key (merchant_id, plan_id) references plan (merchant_id, id),
  check (status <> 'published' or published_at is not null)
);
call resource_table('plan_version');
-- A plan and its first version are made together, so the plan points at a version that comes a statement later.
alter table plan add constraint plan_default_version foreign key (merchant_id, default_version_id)
  references plan_version (merchant_id, id) deferrable initially deferred;

/* The prices of a version, in the order in which they were given. Written once, with the version. */
create table plan_version_price (
  merchant_id text not null,
  version_id text not null,
  price_id text not null,
  position int not null,
  primary key (merchant_id, version_id, price_id),
  foreign key (merchant_id, version_id) references plan_version (merchant_id, id),
  foreign key (merchant_id, price_id) references price (merchant_id, id)
);
call tenant_table('plan_version_price');
create index plan_version_price_price on plan_version_price (merchant_id, price_id);
revoke update, delete on plan_version_price from reckoner_app;

/* How often the features and the meters of a merchant have changed, as entitlements see them: a process that keeps what
   balances depend on asks whether it still holds (docs/decisions/0134). */
create table catalog_change (
  merchant_id text not null,
  change_count bigint not null,
  primary key (merchant_id)
);
call tenant_table('catalog_change');

create function count_catalog_change() returns trigger
  language plpgsql
  as $$
begin
  insert into catalog_change as c (merchant_id, change_count) values (new.merchant_id, 1)
      on conflict (merchant_id) do update set change_count = c.change_count + 1;
  return null;
end $$;
create trigger count_changes_by_insert after insert on feature
  for each row execute function count_catalog_change();
create trigger count_changes_by_update after update on feature
  for each row when ((old.key, old.product_id, old.type, old.deleted_at)
                     is distinct from (new.key, new.product_id, new.type, new.deleted_at))
  execute function count_catalog_change();
create trigger count_changes_by_update after update on billable_metric
  for each row when ((old.aggregation, old.event_type, old.value_property, old.group_by, old.event_from)
                     is distinct from (new.aggregation, new.event_type, new.value_property, new.group_by,
                       new.event_from))
  execute function count_catalog_change();
