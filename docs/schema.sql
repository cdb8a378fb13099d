-- The schema of the database as all migrations leave it: tables with their columns, constraints, indexes, policies and
-- triggers; views; functions as they are now. Printed by `npm run docs:schema`; a test holds this page and the
-- migrations equal. Lines are as wide as PostgreSQL prints them. Partitions and the migrator's own tables are left out. Reasons stand in the migrations.

create table alert (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  type text not null,
  name text,
  customer_id text not null,
  entitlement_id text,
  subscription_id text,
  billable_metric_id text,
  period text,
  threshold numeric,
  percent numeric,
  whole numeric,
  blocks_access boolean not null,
  notifies_customer boolean not null,
  metadata jsonb not null,
  clock_id text,
  period_start timestamp with time zone,
  period_end timestamp with time zone,
  invoice_id text,
  is_reached boolean not null,
  looked_at timestamp with time zone not null,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  currency text,
  constraint alert_pkey PRIMARY KEY (merchant_id, id),
  constraint alert_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint alert_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint alert_check CHECK (((type = 'balance'::text) = (entitlement_id IS NOT NULL))),
  constraint alert_check1 CHECK (((type = 'invoice_total'::text) = (subscription_id IS NOT NULL))),
  constraint alert_check2 CHECK (((type = 'usage'::text) = (billable_metric_id IS NOT NULL))),
  constraint alert_check3 CHECK (((type = 'usage'::text) = (period IS NOT NULL))),
  constraint alert_check4 CHECK (((threshold IS NULL) <> (percent IS NULL))),
  constraint alert_check6 CHECK (((NOT blocks_access) OR (type <> 'balance'::text))),
  constraint alert_check7 CHECK ((period_end > period_start)),
  constraint alert_credits_block_nothing CHECK (((NOT blocks_access) OR (type <> 'billing_credits'::text))) NOT VALID,
  constraint alert_of_credits CHECK (((type = 'billing_credits'::text) = (currency IS NOT NULL))) NOT VALID,
  constraint alert_percent_check CHECK ((percent > (0)::numeric)),
  constraint alert_period_check CHECK ((period = ANY (ARRAY['billing'::text, 'day'::text, 'week'::text, 'month'::text]))),
  constraint alert_threshold_check CHECK ((threshold >= (0)::numeric)),
  constraint alert_type_check CHECK ((type = ANY (ARRAY['balance'::text, 'invoice_total'::text, 'usage'::text, 'billing_credits'::text]))) NOT VALID,
  constraint alert_whole CHECK (((whole IS NOT NULL) = ((percent IS NOT NULL) AND (type <> ALL (ARRAY['balance'::text, 'billing_credits'::text]))))) NOT VALID,
  constraint alert_whole_check CHECK ((whole > (0)::numeric))
);
CREATE INDEX alert_all ON alert USING btree (seq DESC);
CREATE INDEX alert_due ON alert USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX alert_due_on_clock ON alert USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX alert_of_customer ON alert USING btree (merchant_id, customer_id, seq DESC);
CREATE INDEX alert_of_entitlement ON alert USING btree (merchant_id, entitlement_id, seq DESC) WHERE (entitlement_id IS NOT NULL);
CREATE INDEX alert_of_subscription ON alert USING btree (merchant_id, subscription_id, seq DESC) WHERE (subscription_id IS NOT NULL);
CREATE INDEX alert_order ON alert USING btree (merchant_id, seq DESC);
CREATE INDEX alert_spent ON alert USING btree (merchant_id, customer_id) WHERE (blocks_access AND is_reached);
alter table alert enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON alert REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON alert REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table alert_mark (
  is_only boolean default true not null,
  seen_seq bigint not null,
  leased_by text,
  leased_until timestamp with time zone,
  constraint alert_mark_pkey PRIMARY KEY (is_only),
  constraint alert_mark_is_only_check CHECK (is_only)
);

create table alert_trigger (
  merchant_id text not null,
  alert_id text not null,
  seq bigint generated always as identity not null,
  period_start timestamp with time zone not null,
  period_end timestamp with time zone,
  threshold numeric,
  percent numeric,
  whole numeric,
  value numeric not null,
  webhook_event_id text not null,
  triggered_at timestamp with time zone not null,
  constraint alert_trigger_pkey PRIMARY KEY (merchant_id, alert_id, period_start),
  constraint alert_trigger_merchant_id_alert_id_fkey FOREIGN KEY (merchant_id, alert_id) REFERENCES alert(merchant_id, id) ON DELETE CASCADE
);
CREATE INDEX alert_trigger_order ON alert_trigger USING btree (merchant_id, alert_id, seq DESC);
alter table alert_trigger enable row level security; -- with the two policies of tenant_table()

create table api_key (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  user_id text not null,
  name text not null,
  hash bytea not null,
  prefix text not null,
  last4 text not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone not null,
  setting text,
  constraint api_key_pkey PRIMARY KEY (merchant_id, id),
  constraint api_key_merchant_id_user_id_fkey FOREIGN KEY (merchant_id, user_id) REFERENCES app_user(merchant_id, id),
  constraint api_key_setting_check CHECK ((setting = ANY (ARRAY['current'::text, 'former'::text])))
);
CREATE UNIQUE INDEX api_key_hash ON api_key USING btree (hash);
CREATE INDEX api_key_user ON api_key USING btree (merchant_id, user_id, seq DESC);
alter table api_key enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON api_key REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON api_key REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table app_user (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  organization_id text not null,
  email text not null,
  first_name text,
  last_name text,
  phone text,
  address jsonb,
  type text,
  role text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint app_user_pkey PRIMARY KEY (merchant_id, id),
  constraint app_user_merchant_id_organization_id_fkey FOREIGN KEY (merchant_id, organization_id) REFERENCES organization(merchant_id, id),
  constraint app_user_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text, 'viewer'::text]))),
  constraint app_user_type_check CHECK ((type = ANY (ARRAY['COMPANY'::text, 'INDIVIDUAL'::text])))
);
CREATE INDEX app_user_all ON app_user USING btree (seq DESC);
CREATE INDEX app_user_email ON app_user USING btree (lower(email));
CREATE INDEX app_user_order ON app_user USING btree (merchant_id, seq DESC);
CREATE INDEX app_user_organization ON app_user USING btree (merchant_id, organization_id);
alter table app_user enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON app_user REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON app_user REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table approval (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  resource_type text not null,
  resource_id text not null,
  kind text not null,
  decision text not null,
  requester text not null,
  reviewer text,
  request_note text,
  decision_note text,
  data_snapshot_hash text not null,
  content jsonb not null,
  pushed_at timestamp with time zone,
  decided_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint approval_pkey PRIMARY KEY (merchant_id, id),
  constraint approval_check CHECK ((reviewer IS DISTINCT FROM requester)),
  constraint approval_check1 CHECK (((decision = 'pending'::text) = (decided_at IS NULL))),
  constraint approval_check2 CHECK (((decision <> ALL (ARRAY['approved'::text, 'rejected'::text])) OR (reviewer IS NOT NULL))),
  constraint approval_check3 CHECK (((pushed_at IS NULL) OR (kind = 'push'::text))),
  constraint approval_decision_check CHECK ((decision = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'cancelled'::text]))),
  constraint approval_kind_check CHECK ((kind = ANY (ARRAY['data_review'::text, 'financial_review'::text, 'push'::text]))),
  constraint approval_resource_type_check CHECK ((resource_type = ANY (ARRAY['order'::text, 'invoice'::text])))
);
CREATE INDEX approval_all ON approval USING btree (seq DESC);
CREATE INDEX approval_decision ON approval USING btree (merchant_id, decision, seq DESC);
CREATE INDEX approval_order ON approval USING btree (merchant_id, seq DESC);
CREATE UNIQUE INDEX approval_pending ON approval USING btree (merchant_id, resource_id, kind) WHERE (decision = 'pending'::text);
CREATE INDEX approval_resource ON approval USING btree (merchant_id, resource_id, seq DESC);
alter table approval enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_gone AFTER DELETE ON approval REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_approval();
CREATE TRIGGER count_moved AFTER UPDATE ON approval REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_approval();
CREATE TRIGGER count_new AFTER INSERT ON approval REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_approval();
CREATE TRIGGER guard BEFORE UPDATE ON approval FOR EACH ROW EXECUTE FUNCTION guard_approval();
CREATE TRIGGER register AFTER INSERT ON approval REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON approval REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table approval_edge (
  from_decision text not null,
  to_decision text not null,
  constraint approval_edge_pkey PRIMARY KEY (from_decision, to_decision)
);

create table audit_entry (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  actor text default 'user'::text not null,
  at timestamp with time zone not null,
  user_id text,
  key_id text,
  customer_id text,
  operation text not null,
  resource_id text,
  before jsonb,
  after jsonb,
  request_id text not null,
  constraint audit_entry_pkey PRIMARY KEY (merchant_id, id),
  constraint audit_entry_actor CHECK ((((actor = 'user'::text) = (user_id IS NOT NULL)) AND ((actor = 'user'::text) OR (key_id IS NULL)) AND ((actor = 'customer'::text) = (customer_id IS NOT NULL)))) NOT VALID,
  constraint audit_entry_actor_check CHECK ((actor = ANY (ARRAY['user'::text, 'customer'::text])))
);
CREATE INDEX audit_entry_all ON audit_entry USING btree (seq DESC);
CREATE INDEX audit_entry_order ON audit_entry USING btree (merchant_id, seq DESC);
CREATE INDEX audit_entry_resource ON audit_entry USING btree (merchant_id, resource_id, seq DESC);
CREATE INDEX audit_entry_user ON audit_entry USING btree (merchant_id, user_id, seq DESC);
alter table audit_entry enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_gone AFTER DELETE ON audit_entry REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_audit_entry();
CREATE TRIGGER count_moved AFTER UPDATE ON audit_entry REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_audit_entry();
CREATE TRIGGER count_new AFTER INSERT ON audit_entry REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_audit_entry();
CREATE TRIGGER keep_timeline AFTER INSERT ON audit_entry REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_timeline_of_new();

create table billable_metric (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  product_id text not null,
  item_id text,
  name text not null,
  description text not null,
  unit text not null,
  aggregation text not null,
  event_type text,
  value_property text,
  group_by jsonb,
  event_from timestamp with time zone,
  tax_rate numeric,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  time_unit text,
  display_unit jsonb,
  percentile numeric,
  sample_window text,
  sample_aggregation text,
  constraint billable_metric_pkey PRIMARY KEY (merchant_id, id),
  constraint billable_metric_merchant_id_item_id_fkey FOREIGN KEY (merchant_id, item_id) REFERENCES item(merchant_id, id),
  constraint billable_metric_merchant_id_product_id_fkey FOREIGN KEY (merchant_id, product_id) REFERENCES product(merchant_id, id),
  constraint billable_metric_aggregation_check CHECK ((aggregation = ANY (ARRAY['SUM'::text, 'COUNT'::text, 'AVG'::text, 'MIN'::text, 'MAX'::text, 'UNIQUE_COUNT'::text, 'LATEST'::text, 'TIME_WEIGHTED'::text, 'PERCENTILE'::text]))),
  constraint billable_metric_check CHECK (((value_property IS NOT NULL) OR (COALESCE(sample_aggregation, aggregation) = 'COUNT'::text))),
  constraint billable_metric_percentile CHECK ((num_nonnulls(percentile, sample_window, sample_aggregation) =
CASE aggregation
    WHEN 'PERCENTILE'::text THEN 3
    ELSE 0
END)),
  constraint billable_metric_percentile_check CHECK (((percentile > (0)::numeric) AND (percentile <= (100)::numeric))),
  constraint billable_metric_sample_aggregation_check CHECK ((sample_aggregation = ANY (ARRAY['SUM'::text, 'MAX'::text, 'COUNT'::text, 'AVG'::text]))),
  constraint billable_metric_tax_rate_check CHECK (((tax_rate >= (0)::numeric) AND (tax_rate <= (100)::numeric))),
  constraint billable_metric_time_unit CHECK (((time_unit IS NOT NULL) = (aggregation = 'TIME_WEIGHTED'::text))),
  constraint billable_metric_time_unit_check CHECK ((time_unit = ANY (ARRAY['hour'::text, 'day'::text, 'period'::text])))
);
CREATE INDEX billable_metric_all ON billable_metric USING btree (seq DESC);
CREATE INDEX billable_metric_event_type ON billable_metric USING btree (merchant_id, event_type);
CREATE INDEX billable_metric_item ON billable_metric USING btree (merchant_id, item_id) WHERE (item_id IS NOT NULL);
CREATE INDEX billable_metric_order ON billable_metric USING btree (merchant_id, seq DESC);
alter table billable_metric enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_changes_by_update AFTER UPDATE ON billable_metric FOR EACH ROW WHEN ((((((old.aggregation IS DISTINCT FROM new.aggregation) OR (old.event_type IS DISTINCT FROM new.event_type)) OR (old.value_property IS DISTINCT FROM new.value_property)) OR (old.group_by IS DISTINCT FROM new.group_by)) OR (old.event_from IS DISTINCT FROM new.event_from))) EXECUTE FUNCTION count_catalog_change();
CREATE TRIGGER register AFTER INSERT ON billable_metric REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON billable_metric REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table billing_credit (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  customer_id text not null,
  subscription_id text,
  invoice_id text,
  name text not null,
  amount numeric not null,
  currency text not null,
  category text not null,
  priority integer not null,
  effective_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  voided_at timestamp with time zone,
  applies_to jsonb not null,
  source text not null,
  idempotency_key text,
  idempotency_print bytea,
  test_clock_id text,
  metadata jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  price numeric,
  earned numeric default 0 not null,
  is_undone boolean default false not null,
  is_expiry_told boolean default false not null,
  commitment_id text,
  segment integer,
  rolled_from text,
  released numeric,
  order_id text,
  constraint billing_credit_pkey PRIMARY KEY (merchant_id, id),
  constraint billing_credit_amount_check CHECK ((amount > (0)::numeric)),
  constraint billing_credit_category_check CHECK ((category = ANY (ARRAY['promotional'::text, 'paid'::text]))),
  constraint billing_credit_check CHECK ((expires_at > effective_at)),
  constraint billing_credit_price_check CHECK ((price >= (0)::numeric)),
  constraint billing_credit_released_check CHECK ((released >= (0)::numeric)),
  constraint billing_credit_source_check CHECK ((source = ANY (ARRAY['manual'::text, 'purchase'::text, 'commitment'::text, 'top_up'::text])))
);
CREATE INDEX billing_credit_invoice ON billing_credit USING btree (merchant_id, invoice_id) WHERE (invoice_id IS NOT NULL);
CREATE UNIQUE INDEX billing_credit_key ON billing_credit USING btree (merchant_id, customer_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX billing_credit_of_commitment ON billing_credit USING btree (merchant_id, commitment_id, segment, seq) WHERE (commitment_id IS NOT NULL);
CREATE UNIQUE INDEX billing_credit_of_invoice ON billing_credit USING btree (merchant_id, invoice_id) WHERE ((source = ANY (ARRAY['purchase'::text, 'top_up'::text])) AND (NOT is_undone));
CREATE UNIQUE INDEX billing_credit_of_segment ON billing_credit USING btree (merchant_id, commitment_id, segment, invoice_id) WHERE ((commitment_id IS NOT NULL) AND (rolled_from IS NULL) AND (NOT is_undone));
CREATE INDEX billing_credit_order ON billing_credit USING btree (merchant_id, customer_id, seq DESC);
CREATE UNIQUE INDEX billing_credit_rolled ON billing_credit USING btree (merchant_id, rolled_from) WHERE (rolled_from IS NOT NULL);
alter table billing_credit enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON billing_credit REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON billing_credit REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();
CREATE TRIGGER wake_credits AFTER UPDATE OF voided_at, is_undone, released ON billing_credit FOR EACH ROW EXECUTE FUNCTION wake_credits_of_credit();

create table billing_schedule (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  order_id text,
  subscription_id text,
  customer_id text not null,
  currency text not null,
  status text not null,
  start_date timestamp with time zone not null,
  end_date timestamp with time zone not null,
  billing_anchor timestamp with time zone not null,
  alignment_policy text not null,
  proration_policy text not null,
  period_preset text not null,
  custom_period_windows jsonb not null,
  payment_term_days integer,
  metadata jsonb not null,
  activated_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  clock_id text,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint billing_schedule_pkey PRIMARY KEY (merchant_id, id),
  constraint billing_schedule_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint billing_schedule_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint billing_schedule_merchant_id_order_id_fkey FOREIGN KEY (merchant_id, order_id) REFERENCES sales_order(merchant_id, id),
  constraint billing_schedule_merchant_id_subscription_id_fkey FOREIGN KEY (merchant_id, subscription_id) REFERENCES subscription(merchant_id, id),
  constraint billing_schedule_alignment_policy_check CHECK ((alignment_policy = ANY (ARRAY['anchor'::text, 'calendar'::text, 'coterm'::text]))),
  constraint billing_schedule_check CHECK ((num_nonnulls(order_id, subscription_id) = 1)),
  constraint billing_schedule_check1 CHECK ((start_date < end_date)),
  constraint billing_schedule_check2 CHECK (((status <> ALL (ARRAY['active'::text, 'completed'::text])) OR (activated_at IS NOT NULL))),
  constraint billing_schedule_payment_term_days_check CHECK (((payment_term_days >= 0) AND (payment_term_days <= 365))),
  constraint billing_schedule_period_preset_check CHECK ((period_preset = ANY (ARRAY['single'::text, 'P1M'::text, 'P3M'::text, 'P6M'::text, 'P1Y'::text, 'custom'::text]))),
  constraint billing_schedule_proration_policy_check CHECK ((proration_policy = ANY (ARRAY['none'::text, 'daily'::text]))),
  constraint billing_schedule_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'completed'::text, 'cancelled'::text])))
);
CREATE INDEX billing_schedule_all ON billing_schedule USING btree (seq DESC);
CREATE INDEX billing_schedule_customer ON billing_schedule USING btree (merchant_id, customer_id, seq DESC);
CREATE INDEX billing_schedule_due ON billing_schedule USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX billing_schedule_due_on_clock ON billing_schedule USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX billing_schedule_of_order ON billing_schedule USING btree (merchant_id, order_id, seq) WHERE (order_id IS NOT NULL);
CREATE INDEX billing_schedule_of_subscription ON billing_schedule USING btree (merchant_id, subscription_id, seq) WHERE (subscription_id IS NOT NULL);
CREATE INDEX billing_schedule_order ON billing_schedule USING btree (merchant_id, seq DESC);
CREATE INDEX billing_schedule_status ON billing_schedule USING btree (merchant_id, status, seq DESC);
alter table billing_schedule enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_gone AFTER DELETE ON billing_schedule REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_billing_schedule();
CREATE TRIGGER count_moved AFTER UPDATE ON billing_schedule REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_billing_schedule();
CREATE TRIGGER count_new AFTER INSERT ON billing_schedule REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_billing_schedule();
CREATE TRIGGER guard BEFORE UPDATE ON billing_schedule FOR EACH ROW EXECUTE FUNCTION guard_billing_schedule();
CREATE TRIGGER guard_delete BEFORE DELETE ON billing_schedule FOR EACH ROW EXECUTE FUNCTION guard_billing_schedule_deletion();
CREATE TRIGGER register AFTER INSERT ON billing_schedule REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON billing_schedule REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table billing_schedule_edge (
  from_status text not null,
  to_status text not null,
  constraint billing_schedule_edge_pkey PRIMARY KEY (from_status, to_status)
);

create table burnt_taken (
  merchant_id text not null,
  invoice_id text not null,
  price_id text not null,
  entitlement_id text not null,
  taken_from timestamp with time zone not null,
  taken_to timestamp with time zone not null,
  units numeric not null,
  constraint burnt_taken_pkey PRIMARY KEY (merchant_id, invoice_id, price_id, entitlement_id, taken_from),
  constraint burnt_taken_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id),
  constraint burnt_taken_check CHECK ((taken_from < taken_to)),
  constraint burnt_taken_units_check CHECK ((units > (0)::numeric))
);
alter table burnt_taken enable row level security; -- with the two policies of tenant_table()

create table catalog_change (
  merchant_id text not null,
  change_count bigint not null,
  constraint catalog_change_pkey PRIMARY KEY (merchant_id)
);
alter table catalog_change enable row level security; -- with the two policies of tenant_table()

create table checkout (
  merchant_id text not null,
  id text not null,
  link_id text not null,
  form text not null,
  plan_version_id text not null,
  typed jsonb,
  amount numeric not null,
  currency text not null,
  customer_id text not null,
  subscription_id text not null,
  invoice_id text not null,
  session_id text,
  expires_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  details_print bytea,
  tax numeric,
  coupons jsonb default '[]'::jsonb not null,
  constraint checkout_pkey PRIMARY KEY (merchant_id, id),
  constraint checkout_merchant_id_link_id_fkey FOREIGN KEY (merchant_id, link_id) REFERENCES checkout_link(merchant_id, id),
  constraint checkout_merchant_id_session_id_fkey FOREIGN KEY (merchant_id, session_id) REFERENCES payment_session(merchant_id, id),
  constraint checkout_amount_check CHECK ((amount >= (0)::numeric))
);
CREATE INDEX checkout_details ON checkout USING btree (merchant_id, link_id, details_print);
CREATE UNIQUE INDEX checkout_form ON checkout USING btree (merchant_id, link_id, form);
CREATE UNIQUE INDEX checkout_session ON checkout USING btree (merchant_id, session_id) WHERE (session_id IS NOT NULL);
CREATE UNIQUE INDEX checkout_subscription ON checkout USING btree (merchant_id, subscription_id);
CREATE INDEX checkout_unfinished ON checkout USING btree (expires_at) WHERE (completed_at IS NULL);
alter table checkout enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON checkout REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON checkout REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table checkout_input (
  merchant_id text not null,
  link_id text not null,
  form text not null,
  typed jsonb not null,
  reason text not null,
  register text,
  created_at timestamp with time zone not null,
  constraint checkout_input_pkey PRIMARY KEY (merchant_id, link_id, form),
  constraint checkout_input_merchant_id_link_id_fkey FOREIGN KEY (merchant_id, link_id) REFERENCES checkout_link(merchant_id, id),
  constraint checkout_input_reason_check CHECK ((reason = ANY (ARRAY['checked'::text, 'mistakes'::text, 'changed'::text, 'repeated'::text]))),
  constraint checkout_input_register_check CHECK ((register = ANY (ARRAY['valid'::text, 'invalid'::text, 'unavailable'::text])))
);
CREATE INDEX checkout_input_age ON checkout_input USING btree (created_at);
alter table checkout_input enable row level security; -- with the two policies of tenant_table()

create table checkout_link (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  plan_id text not null,
  customer_id text,
  known jsonb,
  max_uses integer,
  uses integer default 0 not null,
  success_redirect_url text,
  failure_redirect_url text,
  metadata jsonb not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  currency text,
  coupons jsonb default '[]'::jsonb not null,
  allow_promotion_codes boolean default false not null,
  constraint checkout_link_pkey PRIMARY KEY (merchant_id, id),
  constraint checkout_link_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint checkout_link_merchant_id_plan_id_fkey FOREIGN KEY (merchant_id, plan_id) REFERENCES plan(merchant_id, id),
  constraint checkout_link_check CHECK (((uses >= 0) AND (uses <= max_uses))),
  constraint checkout_link_check1 CHECK (((customer_id IS NULL) OR (known IS NULL))),
  constraint checkout_link_check2 CHECK ((((customer_id IS NULL) AND (known IS NULL)) OR (max_uses = 1))),
  constraint checkout_link_max_uses_check CHECK ((max_uses > 0))
);
CREATE INDEX checkout_link_all ON checkout_link USING btree (seq DESC);
CREATE INDEX checkout_link_customer ON checkout_link USING btree (merchant_id, customer_id, seq DESC) WHERE (customer_id IS NOT NULL);
CREATE INDEX checkout_link_order ON checkout_link USING btree (merchant_id, seq DESC);
CREATE INDEX checkout_link_plan ON checkout_link USING btree (merchant_id, plan_id, seq DESC);
alter table checkout_link enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER own_currency BEFORE INSERT ON checkout_link FOR EACH ROW WHEN ((new.currency IS NULL)) EXECUTE FUNCTION currency_of_link();
CREATE TRIGGER register AFTER INSERT ON checkout_link REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON checkout_link REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table clock_reading (
  is_only boolean default true not null,
  read_at timestamp with time zone not null,
  constraint clock_reading_pkey PRIMARY KEY (is_only),
  constraint clock_reading_is_only_check CHECK (is_only)
);

create table commitment (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  customer_id text not null,
  subscription_id text,
  name text not null,
  currency text not null,
  type text not null,
  segments jsonb not null,
  applies_to jsonb not null,
  priority integer not null,
  true_up text,
  on_end text not null,
  ended_at timestamp with time zone,
  end_reason text,
  clock_id text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  invoice_at jsonb,
  available_on text,
  rollover jsonb,
  next_action_at timestamp with time zone,
  overrides jsonb default '[]'::jsonb not null,
  order_id text,
  constraint commitment_pkey PRIMARY KEY (merchant_id, id),
  constraint commitment_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint commitment_merchant_id_order_id_fkey FOREIGN KEY (merchant_id, order_id) REFERENCES sales_order(merchant_id, id),
  constraint commitment_available_on_check CHECK ((available_on = ANY (ARRAY['issue'::text, 'payment'::text]))),
  constraint commitment_check CHECK ((num_nonnulls(order_id, subscription_id) < 2)),
  constraint commitment_on_end_check CHECK ((on_end = ANY (ARRAY['owed'::text, 'prorated'::text, 'waived'::text]))),
  constraint commitment_true_up_check CHECK ((true_up = ANY (ARRAY['segment'::text, 'term'::text]))),
  constraint commitment_type_check CHECK ((type = ANY (ARRAY['prepaid'::text, 'postpaid'::text])))
);
CREATE INDEX commitment_agreed ON commitment USING btree (merchant_id, customer_id) WHERE (overrides <> '[]'::jsonb);
CREATE INDEX commitment_all ON commitment USING btree (seq DESC);
CREATE INDEX commitment_due ON commitment USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX commitment_due_on_clock ON commitment USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX commitment_of_customer ON commitment USING btree (merchant_id, customer_id, seq DESC);
CREATE INDEX commitment_of_order ON commitment USING btree (merchant_id, order_id) WHERE (order_id IS NOT NULL);
CREATE INDEX commitment_of_subscription ON commitment USING btree (merchant_id, subscription_id, priority, seq);
CREATE INDEX commitment_order ON commitment USING btree (merchant_id, seq DESC);
alter table commitment enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON commitment REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON commitment REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table commitment_date (
  merchant_id text not null,
  commitment_id text not null,
  place integer not null,
  invoice_id text not null,
  created_at timestamp with time zone not null,
  constraint commitment_date_pkey PRIMARY KEY (merchant_id, commitment_id, place)
);
CREATE UNIQUE INDEX commitment_date_of_invoice ON commitment_date USING btree (merchant_id, invoice_id);
alter table commitment_date enable row level security; -- with the two policies of tenant_table()

create table commitment_true_up (
  merchant_id text not null,
  commitment_id text not null,
  segment integer not null,
  number integer not null,
  invoice_id text not null,
  created_at timestamp with time zone not null,
  constraint commitment_true_up_pkey PRIMARY KEY (merchant_id, commitment_id, segment, number)
);
CREATE UNIQUE INDEX commitment_true_up_of_invoice ON commitment_true_up USING btree (merchant_id, invoice_id);
alter table commitment_true_up enable row level security; -- with the two policies of tenant_table()

create table confirmed_tax_id (
  merchant_id text not null,
  prefix text not null,
  number text not null,
  name text,
  address text,
  confirmed_at timestamp with time zone not null,
  constraint confirmed_tax_id_pkey PRIMARY KEY (merchant_id, prefix, number)
);
CREATE INDEX confirmed_tax_id_age ON confirmed_tax_id USING btree (confirmed_at);
alter table confirmed_tax_id enable row level security; -- with the two policies of tenant_table()

create table cost (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  product_id text not null,
  type text not null,
  name text not null,
  currency text not null,
  unit_cost numeric not null,
  unit text,
  aggregation text,
  event_type text,
  value_property text,
  group_by jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  time_unit text,
  constraint cost_pkey PRIMARY KEY (merchant_id, id),
  constraint cost_merchant_id_product_id_fkey FOREIGN KEY (merchant_id, product_id) REFERENCES product(merchant_id, id),
  constraint cost_aggregation_check CHECK ((aggregation = ANY (ARRAY['SUM'::text, 'COUNT'::text, 'AVG'::text, 'MIN'::text, 'MAX'::text, 'UNIQUE_COUNT'::text, 'LATEST'::text, 'TIME_WEIGHTED'::text]))),
  constraint cost_check CHECK (((value_property IS NOT NULL) OR (aggregation IS NULL) OR (aggregation = 'COUNT'::text))),
  constraint cost_check1 CHECK (((event_type IS NULL) OR (aggregation IS NOT NULL))),
  constraint cost_time_unit CHECK (((time_unit IS NOT NULL) = (NOT (aggregation IS DISTINCT FROM 'TIME_WEIGHTED'::text)))),
  constraint cost_time_unit_check CHECK ((time_unit = ANY (ARRAY['hour'::text, 'day'::text, 'period'::text]))),
  constraint cost_type_check CHECK ((type = 'metered'::text)),
  constraint cost_unit_cost_check CHECK ((unit_cost >= (0)::numeric))
);
CREATE INDEX cost_all ON cost USING btree (seq DESC);
CREATE INDEX cost_event_type ON cost USING btree (merchant_id, event_type) WHERE (deleted_at IS NULL);
CREATE INDEX cost_order ON cost USING btree (merchant_id, seq DESC);
alter table cost enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON cost REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON cost REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table counted_list (
  list text not null,
  facets text[] not null,
  condition text not null,
  measures text[] not null,
  constraint counted_list_pkey PRIMARY KEY (list)
);

create table coupon (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  name text not null,
  code text,
  percent_off numeric,
  amount_off numeric,
  currency text,
  duration text not null,
  duration_in_periods integer,
  carries_over boolean not null,
  applies_to jsonb not null,
  minimum_amount numeric,
  max_redemptions integer,
  max_redemptions_per_customer integer not null,
  new_customers_only boolean not null,
  redeem_by timestamp with time zone,
  metadata jsonb not null,
  archived boolean not null,
  redemption_count integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint coupon_pkey PRIMARY KEY (merchant_id, id),
  constraint coupon_amount_off_check CHECK ((amount_off > (0)::numeric)),
  constraint coupon_check CHECK (((percent_off IS NULL) <> (amount_off IS NULL))),
  constraint coupon_check1 CHECK (((duration = 'periods'::text) = (duration_in_periods IS NOT NULL))),
  constraint coupon_duration_check CHECK ((duration = ANY (ARRAY['once'::text, 'periods'::text, 'forever'::text]))),
  constraint coupon_duration_in_periods_check CHECK ((duration_in_periods > 0)),
  constraint coupon_max_redemptions_check CHECK ((max_redemptions > 0)),
  constraint coupon_max_redemptions_per_customer_check CHECK ((max_redemptions_per_customer > 0)),
  constraint coupon_minimum_amount_check CHECK ((minimum_amount > (0)::numeric)),
  constraint coupon_percent_off_check CHECK (((percent_off > (0)::numeric) AND (percent_off <= (1)::numeric))),
  constraint coupon_redemption_count_check CHECK ((redemption_count >= 0))
);
CREATE INDEX coupon_all ON coupon USING btree (seq DESC);
CREATE UNIQUE INDEX coupon_code ON coupon USING btree (merchant_id, lower(code)) WHERE (code IS NOT NULL);
CREATE INDEX coupon_order ON coupon USING btree (merchant_id, seq DESC);
alter table coupon enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON coupon REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON coupon REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table credit_note (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  kind text not null,
  invoice_id text not null,
  number text not null,
  amount numeric not null,
  tax_amount numeric not null,
  total numeric not null,
  currency text not null,
  outside_tax jsonb,
  status text not null,
  reason text,
  void_reason text,
  created_at timestamp with time zone not null,
  voided_at timestamp with time zone,
  refund_id text,
  is_within_total boolean default true not null,
  settlement text,
  topped_up numeric default 0 not null,
  idempotency_key text,
  idempotency_print bytea,
  advanced numeric default 0 not null,
  constraint credit_note_pkey PRIMARY KEY (merchant_id, id),
  constraint credit_note_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id),
  constraint credit_note_check CHECK (((amount + tax_amount) = total)),
  constraint credit_note_check1 CHECK (((status = 'VOIDED'::text) = (voided_at IS NOT NULL))),
  constraint credit_note_check2 CHECK (((refund_id IS NULL) OR (kind = 'credit'::text))),
  constraint credit_note_kind_check CHECK ((kind = ANY (ARRAY['refund'::text, 'cancellation'::text, 'credit'::text, 'partial'::text, 'reissue'::text]))),
  constraint credit_note_print CHECK ((((idempotency_key IS NULL) = (idempotency_print IS NULL)) AND ((idempotency_key IS NOT NULL) = (kind = 'partial'::text)))),
  constraint credit_note_settlement CHECK (((settlement IS NULL) OR (kind = 'partial'::text))),
  constraint credit_note_settlement_check CHECK ((settlement = ANY (ARRAY['refund'::text, 'wallet'::text, 'reduce'::text]))),
  constraint credit_note_status_check CHECK ((status = ANY (ARRAY['ISSUED'::text, 'VOIDED'::text])))
);
CREATE INDEX credit_note_by_number ON credit_note USING btree (merchant_id, lower(number) COLLATE "C");
CREATE UNIQUE INDEX credit_note_key ON credit_note USING btree (merchant_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE UNIQUE INDEX credit_note_number ON credit_note USING btree (merchant_id, number);
CREATE INDEX credit_note_of ON credit_note USING btree (merchant_id, invoice_id, seq DESC);
CREATE INDEX credit_note_of_refund ON credit_note USING btree (merchant_id, refund_id) WHERE (refund_id IS NOT NULL);
CREATE UNIQUE INDEX one_unvoided_credit_note ON credit_note USING btree (merchant_id, invoice_id) WHERE ((status = 'ISSUED'::text) AND (kind <> ALL (ARRAY['credit'::text, 'partial'::text])));
alter table credit_note enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER keep_revenue AFTER INSERT ON credit_note REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_revenue_of_credit_notes();
CREATE TRIGGER keep_revenue_of_changed AFTER UPDATE ON credit_note REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_revenue_of_credit_notes();
CREATE TRIGGER keep_timeline AFTER INSERT ON credit_note REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_timeline_of_new();
CREATE TRIGGER keep_timeline_of_changed AFTER UPDATE OF voided_at ON credit_note FOR EACH ROW WHEN ((new.voided_at IS DISTINCT FROM old.voided_at)) EXECUTE FUNCTION keep_timeline_of_row('credit_note', 'id');
CREATE TRIGGER register AFTER INSERT ON credit_note REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER render AFTER INSERT ON credit_note FOR EACH ROW EXECUTE FUNCTION render_credit_note();
CREATE TRIGGER unregister AFTER DELETE ON credit_note REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();
CREATE TRIGGER wake_credits_by_insert AFTER INSERT ON credit_note FOR EACH ROW EXECUTE FUNCTION wake_credits_of_note();
CREATE TRIGGER wake_credits_by_update AFTER UPDATE OF status ON credit_note FOR EACH ROW EXECUTE FUNCTION wake_credits_of_note();

create table credit_note_job (
  merchant_id text not null,
  id text not null,
  attempts integer default 0 not null,
  clock_id text,
  next_action_at timestamp with time zone,
  constraint credit_note_job_pkey PRIMARY KEY (merchant_id, id),
  constraint credit_note_job_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint credit_note_job_merchant_id_id_fkey FOREIGN KEY (merchant_id, id) REFERENCES credit_note(merchant_id, id),
  constraint credit_note_job_clock_id_check CHECK ((clock_id IS NULL))
);
CREATE INDEX credit_note_job_due ON credit_note_job USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX credit_note_job_due_on_clock ON credit_note_job USING btree (merchant_id, clock_id, next_action_at, id) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
alter table credit_note_job enable row level security; -- with the two policies of tenant_table()

create table credit_note_line (
  merchant_id text not null,
  credit_note_id text not null,
  position integer not null,
  display_name text not null,
  amount numeric not null,
  tax_amount numeric not null,
  tax_rate numeric not null,
  period_start timestamp with time zone not null,
  period_end timestamp with time zone not null,
  credit_id text,
  id text not null,
  price_id text,
  applies_to_line_id text,
  quantity numeric not null,
  unit_price numeric not null,
  is_amount boolean not null,
  constraint credit_note_line_pkey PRIMARY KEY (merchant_id, credit_note_id, "position"),
  constraint credit_note_line_merchant_id_credit_note_id_fkey FOREIGN KEY (merchant_id, credit_note_id) REFERENCES credit_note(merchant_id, id)
);
CREATE INDEX credit_note_line_credit ON credit_note_line USING btree (merchant_id, credit_id) WHERE (credit_id IS NOT NULL);
alter table credit_note_line enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER keep_revenue_of_noted AFTER INSERT ON credit_note_line REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_revenue_of_noted_lines();

create table credit_top_up (
  merchant_id text not null,
  customer_id text not null,
  currency text not null,
  threshold numeric not null,
  amount numeric not null,
  expires_after text,
  maximum_per_month integer,
  status text not null,
  declines integer not null,
  clock_id text,
  invoice_id text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint credit_top_up_pkey PRIMARY KEY (merchant_id, customer_id),
  constraint credit_top_up_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint credit_top_up_amount_check CHECK ((amount > (0)::numeric)),
  constraint credit_top_up_maximum_per_month_check CHECK ((maximum_per_month > 0)),
  constraint credit_top_up_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text]))),
  constraint credit_top_up_threshold_check CHECK ((threshold >= (0)::numeric))
);
alter table credit_top_up enable row level security; -- with the two policies of tenant_table()

create table credit_watch (
  merchant_id text not null,
  id text not null,
  customer_id text not null,
  currency text not null,
  clock_id text,
  is_low boolean default false not null,
  is_exhausted boolean default false not null,
  looked_at timestamp with time zone not null,
  next_action_at timestamp with time zone,
  constraint credit_watch_pkey PRIMARY KEY (merchant_id, id),
  constraint credit_watch_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint credit_watch_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id)
);
CREATE INDEX credit_watch_due ON credit_watch USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX credit_watch_due_on_clock ON credit_watch USING btree (merchant_id, clock_id, next_action_at, id) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX credit_watch_of_customer ON credit_watch USING btree (merchant_id, customer_id);
alter table credit_watch enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER wake_alerts AFTER INSERT OR UPDATE OF looked_at ON credit_watch FOR EACH ROW EXECUTE FUNCTION wake_alerts_of_credits();

create table customer (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  consumer_id text not null,
  consumer_name text default ''::text not null,
  consumer_emails text default ''::text not null,
  external_id text,
  buyer_reference text,
  tax_id text,
  tax_rates jsonb default '{}'::jsonb not null,
  tax_verdict jsonb,
  currency text,
  locale text,
  notification_settings jsonb default '{}'::jsonb not null,
  metadata jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  changed_at timestamp with time zone default clock_timestamp() not null,
  tax_exempt boolean default false not null,
  tax_exempt_reason text,
  payer_id text,
  invoice_grouping text,
  constraint customer_pkey PRIMARY KEY (merchant_id, id),
  constraint customer_merchant_id_consumer_id_fkey FOREIGN KEY (merchant_id, consumer_id) REFERENCES organization(merchant_id, id),
  constraint customer_merchant_id_payer_id_fkey FOREIGN KEY (merchant_id, payer_id) REFERENCES customer(merchant_id, id),
  constraint customer_buyer_reference_check CHECK (((length(buyer_reference) >= 1) AND (length(buyer_reference) <= 200))),
  constraint customer_check CHECK ((payer_id <> id)),
  constraint customer_external_id_check CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 255))),
  constraint customer_invoice_grouping_check CHECK ((invoice_grouping = 'customer'::text)),
  constraint customer_locale_check CHECK ((locale = ANY (ARRAY['en'::text, 'de'::text, 'fr'::text, 'es'::text]))),
  constraint customer_tax_exempt_reason_check CHECK (((length(tax_exempt_reason) >= 1) AND (length(tax_exempt_reason) <= 500)))
);
CREATE INDEX customer_all ON customer USING btree (seq DESC) WHERE (deleted_at IS NULL);
CREATE INDEX customer_by_email ON customer USING btree (merchant_id, "left"(consumer_emails, 100) COLLATE "C", seq) WHERE (deleted_at IS NULL);
CREATE INDEX customer_by_external_id ON customer USING btree (merchant_id, lower(external_id) COLLATE "C", seq) WHERE ((deleted_at IS NULL) AND (external_id IS NOT NULL));
CREATE INDEX customer_by_name ON customer USING btree (merchant_id, "left"(consumer_name, 100) COLLATE "C", seq) WHERE (deleted_at IS NULL);
CREATE INDEX customer_changed ON customer USING btree (merchant_id, changed_at);
CREATE UNIQUE INDEX customer_external_id ON customer USING btree (merchant_id, external_id) WHERE (deleted_at IS NULL);
CREATE INDEX customer_order ON customer USING btree (merchant_id, seq DESC) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX customer_pair ON customer USING btree (merchant_id, consumer_id) WHERE (deleted_at IS NULL);
CREATE INDEX customer_payer ON customer USING btree (merchant_id, payer_id) WHERE ((payer_id IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX customer_search ON customer USING gin (((search_keys(merchant_id, 'name'::text, consumer_name) || search_keys(merchant_id, 'email'::text, consumer_emails)))) WHERE (deleted_at IS NULL);
alter table customer enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER ask_for_tax_address AFTER INSERT ON customer FOR EACH ROW EXECUTE FUNCTION ask_for_tax_address_of_customer();
CREATE TRIGGER changed BEFORE INSERT OR UPDATE ON customer FOR EACH ROW EXECUTE FUNCTION set_changed_at();
CREATE TRIGGER copy_consumer BEFORE INSERT ON customer FOR EACH ROW EXECUTE FUNCTION copy_consumer();
CREATE TRIGGER count_gone AFTER DELETE ON customer REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_customer();
CREATE TRIGGER count_moved AFTER UPDATE ON customer REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_customer();
CREATE TRIGGER count_new AFTER INSERT ON customer REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_customer();
CREATE TRIGGER register AFTER INSERT ON customer REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON customer REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table customer_receipt (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  customer_id text not null,
  amount numeric not null,
  currency text not null,
  method text not null,
  reference text,
  received_at timestamp with time zone not null,
  returned_amount numeric default 0 not null,
  returned_at timestamp with time zone,
  return_reference text,
  clock_id text,
  idempotency_key text not null,
  idempotency_print bytea not null,
  created_at timestamp with time zone not null,
  constraint customer_receipt_pkey PRIMARY KEY (merchant_id, id),
  constraint customer_receipt_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint customer_receipt_amount_check CHECK ((amount > (0)::numeric)),
  constraint customer_receipt_check CHECK (((returned_amount >= (0)::numeric) AND (returned_amount <= amount))),
  constraint customer_receipt_check1 CHECK (((returned_amount = (0)::numeric) = (returned_at IS NULL))),
  constraint customer_receipt_method_check CHECK ((method = ANY (ARRAY['bank_transfer'::text, 'cash'::text, 'other'::text])))
);
CREATE INDEX customer_receipt_customer ON customer_receipt USING btree (merchant_id, customer_id, seq DESC);
CREATE UNIQUE INDEX customer_receipt_key ON customer_receipt USING btree (merchant_id, idempotency_key);
alter table customer_receipt enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON customer_receipt REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON customer_receipt REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table database_life (
  number integer not null,
  began_at timestamp with time zone not null,
  restored_to timestamp with time zone,
  first_seq bigint not null,
  constraint database_life_pkey PRIMARY KEY (number),
  constraint database_life_check CHECK (((number = 1) = (restored_to IS NULL))),
  constraint database_life_number_check CHECK ((number >= 1))
);

create table document (
  merchant_id text not null,
  owner_id text not null,
  content bytea not null,
  sha256 bytea not null,
  created_at timestamp with time zone not null,
  constraint document_pkey PRIMARY KEY (merchant_id, owner_id)
);
alter table document enable row level security; -- with the two policies of tenant_table()

create table document_job (
  merchant_id text not null,
  id text not null,
  attempts integer default 0 not null,
  clock_id text,
  next_action_at timestamp with time zone,
  constraint document_job_pkey PRIMARY KEY (merchant_id, id),
  constraint document_job_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint document_job_merchant_id_id_fkey FOREIGN KEY (merchant_id, id) REFERENCES invoice(merchant_id, id),
  constraint document_job_clock_id_check CHECK ((clock_id IS NULL))
);
CREATE INDEX document_job_due ON document_job USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX document_job_due_on_clock ON document_job USING btree (merchant_id, clock_id, next_action_at, id) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
alter table document_job enable row level security; -- with the two policies of tenant_table()

create table due_claim (
  merchant_id text not null,
  kind text not null,
  id text not null,
  worker integer not null,
  due_at timestamp with time zone not null,
  constraint due_claim_pkey PRIMARY KEY (merchant_id, kind, id)
);
CREATE INDEX due_claim_over ON due_claim USING btree (due_at);
alter table due_claim enable row level security; -- with the two policies of tenant_table()

create table due_failure (
  merchant_id text not null,
  kind text not null,
  id text not null,
  due_at timestamp with time zone not null,
  attempts integer not null,
  error text not null,
  retry_at timestamp with time zone,
  parked_at timestamp with time zone,
  constraint due_failure_pkey PRIMARY KEY (merchant_id, kind, id)
);
alter table due_failure enable row level security; -- with the two policies of tenant_table()

create table due_kind (
  kind text not null,
  table_name text not null,
  order_column text not null,
  constraint due_kind_pkey PRIMARY KEY (kind)
);

create table dunning_end (
  merchant_id text not null,
  id text not null,
  clock_id text,
  next_action_at timestamp with time zone,
  constraint dunning_end_pkey PRIMARY KEY (merchant_id, id),
  constraint dunning_end_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint dunning_end_merchant_id_id_fkey FOREIGN KEY (merchant_id, id) REFERENCES invoice(merchant_id, id)
);
CREATE INDEX dunning_end_due ON dunning_end USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX dunning_end_due_on_clock ON dunning_end USING btree (merchant_id, clock_id, next_action_at, id) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
alter table dunning_end enable row level security; -- with the two policies of tenant_table()

create table e_invoice (
  merchant_id text not null,
  owner_id text not null,
  content text not null,
  created_at timestamp with time zone not null,
  constraint e_invoice_pkey PRIMARY KEY (merchant_id, owner_id)
);
alter table e_invoice enable row level security; -- with the two policies of tenant_table()

create table earlier_unit_cost (
  merchant_id text not null,
  cost_id text not null,
  until timestamp with time zone not null,
  unit_cost numeric not null,
  constraint earlier_unit_cost_pkey PRIMARY KEY (merchant_id, cost_id, until),
  constraint earlier_unit_cost_merchant_id_cost_id_fkey FOREIGN KEY (merchant_id, cost_id) REFERENCES cost(merchant_id, id),
  constraint earlier_unit_cost_unit_cost_check CHECK ((unit_cost >= (0)::numeric))
);
alter table earlier_unit_cost enable row level security; -- with the two policies of tenant_table()

create table entitlement (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  customer_id text not null,
  feature_id text not null,
  feature_type text not null,
  product_id text not null,
  plan_id text,
  subscription_id text,
  is_from_plan boolean not null,
  clock_id text,
  active_from timestamp with time zone not null,
  active_to timestamp with time zone,
  is_canceled boolean default false not null,
  billable_metric_ids text[] not null,
  metadata jsonb default '{}'::jsonb not null,
  next_action_at timestamp with time zone,
  change_count bigint default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  pauses jsonb default '[]'::jsonb not null,
  constraint entitlement_pkey PRIMARY KEY (merchant_id, id),
  constraint entitlement_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint entitlement_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint entitlement_merchant_id_feature_id_fkey FOREIGN KEY (merchant_id, feature_id) REFERENCES feature(merchant_id, id),
  constraint entitlement_merchant_id_subscription_id_fkey FOREIGN KEY (merchant_id, subscription_id) REFERENCES subscription(merchant_id, id),
  constraint entitlement_check CHECK (((active_to IS NULL) OR (active_to >= active_from))),
  constraint entitlement_check1 CHECK (((feature_type = 'metered'::text) = (cardinality(billable_metric_ids) > 0))),
  constraint entitlement_check2 CHECK (((NOT is_from_plan) OR (subscription_id IS NOT NULL))),
  constraint entitlement_feature_type_check CHECK ((feature_type = ANY (ARRAY['metered'::text, 'static'::text, 'boolean'::text])))
);
CREATE INDEX entitlement_all ON entitlement USING btree (seq DESC);
CREATE INDEX entitlement_customer ON entitlement USING btree (merchant_id, customer_id, seq DESC);
CREATE INDEX entitlement_due ON entitlement USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX entitlement_due_on_clock ON entitlement USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX entitlement_feature ON entitlement USING btree (merchant_id, feature_id);
CREATE INDEX entitlement_metered ON entitlement USING btree (merchant_id, customer_id) WHERE (feature_type = 'metered'::text);
CREATE UNIQUE INDEX entitlement_of_subscription ON entitlement USING btree (merchant_id, subscription_id, feature_id) WHERE (is_from_plan AND (NOT is_canceled));
CREATE INDEX entitlement_order ON entitlement USING btree (merchant_id, seq DESC);
CREATE INDEX entitlement_subscription ON entitlement USING btree (merchant_id, subscription_id, seq DESC) WHERE (subscription_id IS NOT NULL);
alter table entitlement enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_changes BEFORE UPDATE ON entitlement FOR EACH ROW WHEN (((((((((((((((old.active_from IS DISTINCT FROM new.active_from) OR (old.active_to IS DISTINCT FROM new.active_to)) OR (old.is_canceled IS DISTINCT FROM new.is_canceled)) OR (old.is_from_plan IS DISTINCT FROM new.is_from_plan)) OR (old.clock_id IS DISTINCT FROM new.clock_id)) OR (old.plan_id IS DISTINCT FROM new.plan_id)) OR (old.subscription_id IS DISTINCT FROM new.subscription_id)) OR (old.product_id IS DISTINCT FROM new.product_id)) OR (old.feature_id IS DISTINCT FROM new.feature_id)) OR (old.feature_type IS DISTINCT FROM new.feature_type)) OR (old.customer_id IS DISTINCT FROM new.customer_id)) OR (old.billable_metric_ids IS DISTINCT FROM new.billable_metric_ids)) OR (old.metadata IS DISTINCT FROM new.metadata)) OR (old.pauses IS DISTINCT FROM new.pauses))) EXECUTE FUNCTION count_change_of_entitlement();
CREATE TRIGGER register AFTER INSERT ON entitlement REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON entitlement REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table entitlement_grant (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  entitlement_id text not null,
  origin text not null,
  amount numeric not null,
  priority integer not null,
  effective_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  voided_at timestamp with time zone,
  recurrence_period text,
  reset_max_rollover numeric not null,
  reset_min_rollover numeric not null,
  idempotency_key text,
  idempotency_print bytea,
  invoice_id text,
  created_at timestamp with time zone not null,
  constraint entitlement_grant_pkey PRIMARY KEY (merchant_id, id),
  constraint entitlement_grant_merchant_id_entitlement_id_fkey FOREIGN KEY (merchant_id, entitlement_id) REFERENCES entitlement(merchant_id, id),
  constraint entitlement_grant_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id),
  constraint entitlement_grant_amount_check CHECK ((amount > (0)::numeric)),
  constraint entitlement_grant_check CHECK ((reset_min_rollover <= reset_max_rollover)),
  constraint entitlement_grant_check1 CHECK (((expires_at IS NULL) OR (expires_at > effective_at))),
  constraint entitlement_grant_check2 CHECK (((origin = 'purchase'::text) = (invoice_id IS NOT NULL))),
  constraint entitlement_grant_origin_check CHECK ((origin = ANY (ARRAY['direct'::text, 'purchase'::text, 'template'::text, 'reconciliation'::text]))),
  constraint entitlement_grant_priority_check CHECK (((priority >= '-32768'::integer) AND (priority <= 32767))),
  constraint entitlement_grant_reset_max_rollover_check CHECK ((reset_max_rollover >= (0)::numeric)),
  constraint entitlement_grant_reset_min_rollover_check CHECK ((reset_min_rollover >= (0)::numeric))
);
CREATE UNIQUE INDEX entitlement_grant_invoice ON entitlement_grant USING btree (merchant_id, invoice_id) WHERE ((invoice_id IS NOT NULL) AND (voided_at IS NULL));
CREATE UNIQUE INDEX entitlement_grant_issued ON entitlement_grant USING btree (merchant_id, entitlement_id, effective_at) WHERE (origin = 'template'::text);
CREATE UNIQUE INDEX entitlement_grant_key ON entitlement_grant USING btree (merchant_id, entitlement_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX entitlement_grant_order ON entitlement_grant USING btree (merchant_id, entitlement_id, created_at DESC, seq DESC);
CREATE INDEX entitlement_grant_time ON entitlement_grant USING btree (merchant_id, entitlement_id, effective_at);
alter table entitlement_grant enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_changes_by_insert AFTER INSERT ON entitlement_grant REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_changes_of_entitlements();
CREATE TRIGGER count_changes_by_update AFTER UPDATE ON entitlement_grant REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_changes_of_entitlements();
CREATE TRIGGER keep BEFORE UPDATE ON entitlement_grant FOR EACH ROW EXECUTE FUNCTION keep_grant();
CREATE TRIGGER register AFTER INSERT ON entitlement_grant REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON entitlement_grant REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();
CREATE TRIGGER wake_alerts_by_insert AFTER INSERT ON entitlement_grant REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wake_alerts_of_entitlements();
CREATE TRIGGER wake_alerts_by_update AFTER UPDATE ON entitlement_grant REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wake_alerts_of_entitlements();

create table entitlement_mark (
  merchant_id text not null,
  entitlement_id text not null,
  at timestamp with time zone not null,
  wait_for text not null,
  between_at timestamp with time zone,
  between_wait_for text,
  constraint entitlement_mark_pkey PRIMARY KEY (merchant_id, entitlement_id),
  constraint entitlement_mark_merchant_id_entitlement_id_fkey FOREIGN KEY (merchant_id, entitlement_id) REFERENCES entitlement(merchant_id, id),
  constraint entitlement_mark_check CHECK (((between_at IS NULL) = (between_wait_for IS NULL)))
);
alter table entitlement_mark enable row level security; -- with the two policies of tenant_table()

create table entitlement_notice (
  merchant_id text not null,
  entitlement_id text not null,
  period_start timestamp with time zone not null,
  kind text not null,
  created_at timestamp with time zone not null,
  constraint entitlement_notice_pkey PRIMARY KEY (merchant_id, entitlement_id, period_start, kind),
  constraint entitlement_notice_merchant_id_entitlement_id_fkey FOREIGN KEY (merchant_id, entitlement_id) REFERENCES entitlement(merchant_id, id),
  constraint entitlement_notice_kind_check CHECK ((kind = ANY (ARRAY['balance_low'::text, 'exhausted'::text, 'reset'::text])))
);
alter table entitlement_notice enable row level security; -- with the two policies of tenant_table()

create table entitlement_reservation (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  entitlement_id text not null,
  amount numeric not null,
  status text not null,
  settled_amount numeric,
  event_id text,
  expires_at timestamp with time zone not null,
  clock_id text,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint entitlement_reservation_pkey PRIMARY KEY (merchant_id, id),
  constraint entitlement_reservation_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint entitlement_reservation_merchant_id_entitlement_id_fkey FOREIGN KEY (merchant_id, entitlement_id) REFERENCES entitlement(merchant_id, id),
  constraint entitlement_reservation_amount_check CHECK ((amount > (0)::numeric)),
  constraint entitlement_reservation_check CHECK (((status = 'settled'::text) = (settled_amount IS NOT NULL))),
  constraint entitlement_reservation_check1 CHECK (((status = 'held'::text) = (next_action_at IS NOT NULL))),
  constraint entitlement_reservation_settled_amount_check CHECK ((settled_amount >= (0)::numeric)),
  constraint entitlement_reservation_status_check CHECK ((status = ANY (ARRAY['held'::text, 'settled'::text, 'released'::text, 'expired'::text])))
);
CREATE INDEX entitlement_reservation_due ON entitlement_reservation USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX entitlement_reservation_due_on_clock ON entitlement_reservation USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX entitlement_reservation_held ON entitlement_reservation USING btree (merchant_id, entitlement_id) WHERE (status = 'held'::text);
CREATE INDEX entitlement_reservation_order ON entitlement_reservation USING btree (merchant_id, entitlement_id, seq DESC);
alter table entitlement_reservation enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON entitlement_reservation REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON entitlement_reservation REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table entitlement_reset (
  merchant_id text not null,
  entitlement_id text not null,
  at timestamp with time zone not null,
  retain_anchor boolean not null,
  preserve_overage boolean not null,
  created_at timestamp with time zone not null,
  constraint entitlement_reset_pkey PRIMARY KEY (merchant_id, entitlement_id, at),
  constraint entitlement_reset_merchant_id_entitlement_id_fkey FOREIGN KEY (merchant_id, entitlement_id) REFERENCES entitlement(merchant_id, id)
);
alter table entitlement_reset enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_changes_by_insert AFTER INSERT ON entitlement_reset REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_changes_of_entitlements();
CREATE TRIGGER wake_alerts_by_insert AFTER INSERT ON entitlement_reset REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wake_alerts_of_entitlements();

create table entitlement_snapshot (
  merchant_id text not null,
  entitlement_id text not null,
  at timestamp with time zone not null,
  state jsonb not null,
  is_grouped boolean not null,
  taken text not null,
  constraint entitlement_snapshot_pkey PRIMARY KEY (merchant_id, entitlement_id, at),
  constraint entitlement_snapshot_merchant_id_entitlement_id_fkey FOREIGN KEY (merchant_id, entitlement_id) REFERENCES entitlement(merchant_id, id)
);
alter table entitlement_snapshot enable row level security; -- with the two policies of tenant_table()

create table entitlement_term (
  merchant_id text not null,
  entitlement_id text not null,
  effective_from timestamp with time zone not null,
  template jsonb not null,
  constraint entitlement_term_pkey PRIMARY KEY (merchant_id, entitlement_id, effective_from),
  constraint entitlement_term_merchant_id_entitlement_id_fkey FOREIGN KEY (merchant_id, entitlement_id) REFERENCES entitlement(merchant_id, id)
);
alter table entitlement_term enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_changes_by_insert AFTER INSERT ON entitlement_term REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_changes_of_entitlements();
CREATE TRIGGER count_changes_by_update AFTER UPDATE ON entitlement_term REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_changes_of_entitlements();
CREATE TRIGGER wake_alerts_by_insert AFTER INSERT ON entitlement_term REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wake_alerts_of_entitlements();

create table event (
  seq bigint generated by default as identity not null,
  at timestamp with time zone not null,
  accepted_at timestamp with time zone not null,
  subject_id bigint not null,
  merchant_id text not null,
  type text not null,
  source text not null,
  idempotency_key text not null,
  data jsonb not null,
  external_subject text,
  external_id text
) partition by RANGE (at);
CREATE INDEX event_accepted ON ONLY event USING brin (accepted_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX event_blocks ON ONLY event USING brin (seq, at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX event_external_id ON ONLY event USING btree (merchant_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX event_order ON ONLY event USING btree (merchant_id, seq);
CREATE INDEX event_usage ON ONLY event USING btree (subject_id, type, at);
alter table event enable row level security; -- with the two policies of tenant_table()

create table event_archive (
  merchant_id text not null,
  month date not null,
  first_seq bigint not null,
  last_seq bigint not null,
  event_count integer not null,
  types jsonb not null,
  first_accepted_at timestamp with time zone not null,
  object_key text not null,
  state text not null,
  state_at timestamp with time zone not null,
  kept_until timestamp with time zone not null,
  hash bytea,
  bytes bigint,
  leased_until timestamp with time zone,
  constraint event_archive_merchant_id_object_key_key UNIQUE (merchant_id, object_key),
  constraint event_archive_pkey PRIMARY KEY (merchant_id, month, first_seq),
  constraint event_archive_check CHECK ((last_seq >= first_seq)),
  constraint event_archive_check1 CHECK ((((state = 'writing'::text) = (hash IS NULL)) AND ((state = 'writing'::text) = (bytes IS NULL)))),
  constraint event_archive_event_count_check CHECK ((event_count > 0)),
  constraint event_archive_hash_check CHECK ((octet_length(hash) = 32)),
  constraint event_archive_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  constraint event_archive_state_check CHECK ((state = ANY (ARRAY['writing'::text, 'here'::text, 'leaving'::text, 'away'::text])))
);
CREATE INDEX event_archive_away ON event_archive USING btree (last_seq) WHERE (state = ANY (ARRAY['leaving'::text, 'away'::text]));
CREATE INDEX event_archive_month ON event_archive USING btree (month, state);
CREATE UNIQUE INDEX event_archive_writing ON event_archive USING btree (merchant_id, month) WHERE (state = 'writing'::text);
alter table event_archive enable row level security; -- with the two policies of tenant_table()

create table event_day_tally (
  merchant_id text not null,
  day date not null,
  event_count bigint not null,
  constraint event_day_tally_pkey PRIMARY KEY (merchant_id, day)
);
alter table event_day_tally enable row level security; -- with the two policies of tenant_table()

create table event_id_seed (
  is_only boolean default true not null,
  seed bytea not null,
  constraint event_id_seed_pkey PRIMARY KEY (is_only),
  constraint event_id_seed_is_only_check CHECK (is_only),
  constraint event_id_seed_seed_check CHECK ((octet_length(seed) = 32))
);

create table event_key (
  seq bigint not null,
  fp bigint not null,
  day date not null,
  merchant_number integer not null,
  h uuid not null,
  constraint event_key_pkey PRIMARY KEY (merchant_number, h)
);
alter table event_key enable row level security; -- with the two policies of tenant_table()

create table event_key_generation (
  name text not null,
  bytes bigint not null,
  key_count bigint,
  constraint event_key_generation_pkey PRIMARY KEY (name)
);

create table event_key_sieve_part (
  name text not null,
  digits integer not null,
  key_count bigint not null,
  constraint event_key_sieve_part_pkey PRIMARY KEY (name),
  constraint event_key_sieve_part_digits_check CHECK (((digits >= 4) AND (digits <= 6)))
);

create table event_key_work (
  kind text not null,
  name text not null,
  generations text[] not null,
  parts text[] not null,
  digits integer,
  slices integer not null,
  done integer default 0 not null,
  key_count bigint default 0 not null,
  constraint event_key_work_pkey PRIMARY KEY (kind),
  constraint event_key_work_kind_check CHECK ((kind = ANY (ARRAY['generation'::text, 'sieve'::text]))),
  constraint event_key_work_slices_check CHECK (((slices >= 1) AND (slices <= 65536)))
);

create table event_subject (
  merchant_id text not null,
  id bigint generated always as identity not null,
  kind text not null,
  key text not null,
  epoch integer default 0 not null,
  addressee text,
  customer_id text,
  created_at timestamp with time zone not null,
  linked_at timestamp with time zone,
  settled_until timestamp with time zone,
  constraint event_subject_merchant_id_kind_key_epoch_key UNIQUE (merchant_id, kind, key, epoch),
  constraint event_subject_pkey PRIMARY KEY (merchant_id, id),
  constraint event_subject_check CHECK (((customer_id IS NULL) OR (addressee IS NOT NULL))),
  constraint event_subject_kind_check CHECK ((kind = ANY (ARRAY['direct'::text, 'external'::text])))
);
CREATE INDEX event_subject_addressee ON event_subject USING btree (merchant_id, addressee) WHERE (addressee IS NOT NULL);
CREATE INDEX event_subject_customer ON event_subject USING btree (merchant_id, customer_id) WHERE (customer_id IS NOT NULL);
alter table event_subject enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER wake_alerts AFTER UPDATE ON event_subject FOR EACH ROW WHEN (((new.customer_id IS NOT NULL) AND (new.customer_id IS DISTINCT FROM old.customer_id))) EXECUTE FUNCTION wake_alerts_of_customer();

create table event_tally (
  merchant_id text not null,
  type text not null,
  event_count bigint not null,
  constraint event_tally_pkey PRIMARY KEY (merchant_id, type)
);
alter table event_tally enable row level security; -- with the two policies of tenant_table()

create table event_tally_mark (
  is_only boolean default true not null,
  counted_seq bigint not null,
  next_seq bigint not null,
  writers text[] not null,
  constraint event_tally_mark_pkey PRIMARY KEY (is_only),
  constraint event_tally_mark_is_only_check CHECK (is_only)
);

create table exhausted_credit (
  merchant_id text not null,
  customer_id text not null,
  subscription_id text not null,
  billable_metric_id text not null,
  constraint exhausted_credit_pkey PRIMARY KEY (merchant_id, customer_id, subscription_id, billable_metric_id)
);
alter table exhausted_credit enable row level security; -- with the two policies of tenant_table()

create table external_reference (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  entity_type text not null,
  entity_id text not null,
  provider text not null,
  external_id text not null,
  external_label text,
  metadata jsonb not null,
  is_primary boolean not null,
  is_default boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint external_reference_pkey PRIMARY KEY (merchant_id, id),
  constraint external_reference_entity_type_check CHECK ((entity_type = ANY (ARRAY['item'::text, 'customer'::text, 'order'::text, 'invoice'::text, 'subscription'::text])))
);
CREATE INDEX external_reference_all ON external_reference USING btree (seq DESC);
CREATE UNIQUE INDEX external_reference_default ON external_reference USING btree (merchant_id, entity_id, provider) WHERE is_default;
CREATE INDEX external_reference_entity ON external_reference USING btree (merchant_id, entity_id, seq DESC);
CREATE INDEX external_reference_external ON external_reference USING btree (merchant_id, provider, external_id);
CREATE INDEX external_reference_order ON external_reference USING btree (merchant_id, seq DESC);
CREATE UNIQUE INDEX external_reference_primary ON external_reference USING btree (merchant_id, provider, external_id) WHERE is_primary;
alter table external_reference enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_gone AFTER DELETE ON external_reference REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_external_reference();
CREATE TRIGGER count_moved AFTER UPDATE ON external_reference REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_external_reference();
CREATE TRIGGER count_new AFTER INSERT ON external_reference REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_external_reference();
CREATE TRIGGER register AFTER INSERT ON external_reference REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON external_reference REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table feature (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  product_id text not null,
  key text not null,
  name text not null,
  type text not null,
  metadata jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint feature_pkey PRIMARY KEY (merchant_id, id),
  constraint feature_merchant_id_product_id_fkey FOREIGN KEY (merchant_id, product_id) REFERENCES product(merchant_id, id),
  constraint feature_type_check CHECK ((type = ANY (ARRAY['metered'::text, 'static'::text, 'boolean'::text])))
);
CREATE INDEX feature_all ON feature USING btree (seq DESC);
CREATE UNIQUE INDEX feature_key ON feature USING btree (merchant_id, product_id, key) WHERE (deleted_at IS NULL);
CREATE INDEX feature_order ON feature USING btree (merchant_id, seq DESC);
alter table feature enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_changes_by_insert AFTER INSERT ON feature FOR EACH ROW EXECUTE FUNCTION count_catalog_change();
CREATE TRIGGER count_changes_by_update AFTER UPDATE ON feature FOR EACH ROW WHEN (((((old.key IS DISTINCT FROM new.key) OR (old.product_id IS DISTINCT FROM new.product_id)) OR (old.type IS DISTINCT FROM new.type)) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION count_catalog_change();
CREATE TRIGGER register AFTER INSERT ON feature REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON feature REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table fee (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  product_id text not null,
  item_id text,
  name text not null,
  description text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint fee_pkey PRIMARY KEY (merchant_id, id),
  constraint fee_merchant_id_item_id_fkey FOREIGN KEY (merchant_id, item_id) REFERENCES item(merchant_id, id) ON DELETE SET NULL (item_id),
  constraint fee_merchant_id_product_id_fkey FOREIGN KEY (merchant_id, product_id) REFERENCES product(merchant_id, id)
);
CREATE INDEX fee_all ON fee USING btree (seq DESC);
CREATE INDEX fee_item ON fee USING btree (merchant_id, item_id) WHERE (item_id IS NOT NULL);
CREATE INDEX fee_order ON fee USING btree (merchant_id, seq DESC);
alter table fee enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON fee REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON fee REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table grant_purchase (
  merchant_id text not null,
  invoice_id text not null,
  entitlement_id text not null,
  idempotency_key text not null,
  amount numeric not null,
  price numeric not null,
  currency text not null,
  effective_at timestamp with time zone,
  expires_at timestamp with time zone,
  reset_max_rollover numeric not null,
  reset_min_rollover numeric not null,
  created_at timestamp with time zone not null,
  constraint grant_purchase_pkey PRIMARY KEY (merchant_id, invoice_id),
  constraint grant_purchase_merchant_id_entitlement_id_fkey FOREIGN KEY (merchant_id, entitlement_id) REFERENCES entitlement(merchant_id, id),
  constraint grant_purchase_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id),
  constraint grant_purchase_amount_check CHECK ((amount > (0)::numeric)),
  constraint grant_purchase_check CHECK ((reset_min_rollover <= reset_max_rollover))
);
CREATE UNIQUE INDEX grant_purchase_key ON grant_purchase USING btree (merchant_id, entitlement_id, idempotency_key);
alter table grant_purchase enable row level security; -- with the two policies of tenant_table()

create table idempotency_key (
  merchant_id text not null,
  route text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  body text,
  intent jsonb,
  answer_due_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint idempotency_key_pkey PRIMARY KEY (merchant_id, route, key),
  constraint idempotency_key_check CHECK (((intent IS NULL) = (answer_due_at IS NULL))),
  constraint idempotency_key_check1 CHECK (((intent IS NULL) OR (status IS NULL)))
);
CREATE INDEX idempotency_key_age ON idempotency_key USING btree (created_at);
alter table idempotency_key enable row level security; -- with the two policies of tenant_table()

create table invoice (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  kind text not null,
  status text not null,
  customer_id text not null,
  subscription_id text,
  clock_id text,
  currency text not null,
  billing_cadence text not null,
  billing_anchor timestamp with time zone not null,
  period_number integer not null,
  period_start timestamp with time zone not null,
  period_end timestamp with time zone not null,
  grace_period_end timestamp with time zone not null,
  sequence_number integer not null,
  auto_approve boolean not null,
  payment_term_days integer not null,
  terms jsonb,
  one_off jsonb,
  subtotal numeric default 0 not null,
  total_tax numeric default 0 not null,
  grand_total numeric default 0 not null,
  grand_total_key bigint generated always as (range_key(grand_total)) stored,
  paid_amount numeric default 0 not null,
  credited_amount numeric default 0 not null,
  unpaid_amount numeric generated always as ((grand_total - paid_amount)) stored,
  wallet_applied numeric default 0 not null,
  item_count integer default 0 not null,
  taxes jsonb default '[]'::jsonb not null,
  outside_tax jsonb,
  content_hash text,
  invoice_number text,
  seller jsonb,
  buyer jsonb,
  issued_at timestamp with time zone,
  due_at timestamp with time zone,
  paid_at timestamp with time zone,
  overdue_at timestamp with time zone,
  failure_reason text,
  failure_detail text,
  calculation_attempts integer default 0 not null,
  usage_mark bigint,
  payment_in_flight boolean default false not null,
  failed_attempts integer default 0 not null,
  pays_online boolean default false not null,
  lives_by_session boolean default false not null,
  purpose_type text,
  purpose_id text,
  document_failure text,
  metadata jsonb default '{}'::jsonb not null,
  idempotency_key text,
  idempotency_print bytea,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  rebilled_from bigint,
  changed_at timestamp with time zone default clock_timestamp() not null,
  payer_id text,
  collected_debt numeric default 0 not null,
  reissue_of_id text,
  reissued_as_id text,
  is_copy boolean default false not null,
  grouped_into_id text,
  sections jsonb default '[]'::jsonb not null,
  constraint invoice_pkey PRIMARY KEY (merchant_id, id),
  constraint invoice_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint invoice_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint invoice_merchant_id_grouped_into_id_fkey FOREIGN KEY (merchant_id, grouped_into_id) REFERENCES invoice(merchant_id, id),
  constraint invoice_merchant_id_payer_id_fkey FOREIGN KEY (merchant_id, payer_id) REFERENCES customer(merchant_id, id),
  constraint invoice_merchant_id_reissue_of_id_fkey FOREIGN KEY (merchant_id, reissue_of_id) REFERENCES invoice(merchant_id, id),
  constraint invoice_merchant_id_subscription_id_fkey FOREIGN KEY (merchant_id, subscription_id) REFERENCES subscription(merchant_id, id),
  constraint invoice_check CHECK (((credited_amount >= (0)::numeric) AND (credited_amount <= paid_amount))),
  constraint invoice_check1 CHECK (((period_start <= period_end) AND (period_end <= grace_period_end))),
  constraint invoice_check2 CHECK (((subtotal + total_tax) = grand_total)),
  constraint invoice_check3 CHECK (((paid_amount >= (0)::numeric) AND (paid_amount <= grand_total))),
  constraint invoice_check4 CHECK ((payer_id <> customer_id)),
  constraint invoice_copy CHECK (((NOT is_copy) OR (reissue_of_id IS NOT NULL))) NOT VALID,
  constraint invoice_issue_has_number CHECK (((issued_at IS NULL) OR (invoice_number IS NOT NULL) OR (lives_by_session AND (status <> 'PAID'::text)))),
  constraint invoice_kind_check CHECK ((kind = ANY (ARRAY['subscription'::text, 'upfront'::text, 'ad_hoc'::text, 'order'::text, 'grouped'::text]))),
  constraint invoice_member CHECK (((grouped_into_id IS NULL) OR ((kind = 'subscription'::text) AND (status = 'CANCELLED'::text) AND (item_count = 0)))) NOT VALID,
  constraint invoice_number_is_of_issue CHECK (((invoice_number IS NULL) OR (issued_at IS NOT NULL))),
  constraint invoice_print CHECK (((idempotency_key IS NULL) = (idempotency_print IS NULL))),
  constraint invoice_purpose CHECK (((purpose_id IS NULL) OR (purpose_type IS NOT NULL))),
  constraint invoice_sections CHECK (((kind = 'grouped'::text) OR (sections = '[]'::jsonb))) NOT VALID
);
CREATE INDEX invoice_all ON invoice USING btree (seq DESC);
CREATE UNIQUE INDEX invoice_awaited ON invoice USING btree (merchant_id, purpose_id) WHERE ((kind = 'upfront'::text) AND (purpose_id IS NOT NULL) AND (reissued_as_id IS NULL));
CREATE INDEX invoice_by_amount ON invoice USING btree (merchant_id, grand_total_key, seq) INCLUDE (grand_total, status);
CREATE INDEX invoice_by_due_at ON invoice USING btree (merchant_id, due_at, seq) INCLUDE (status, grand_total) WHERE (due_at IS NOT NULL);
CREATE INDEX invoice_by_issued_at ON invoice USING btree (merchant_id, issued_at, seq) INCLUDE (status, grand_total) WHERE (issued_at IS NOT NULL);
CREATE INDEX invoice_by_number ON invoice USING btree (merchant_id, lower(invoice_number) COLLATE "C") WHERE (invoice_number IS NOT NULL);
CREATE INDEX invoice_changed ON invoice USING btree (merchant_id, changed_at);
CREATE INDEX invoice_customer ON invoice USING btree (merchant_id, customer_id, seq DESC);
CREATE INDEX invoice_due ON invoice USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX invoice_due_on_clock ON invoice USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE UNIQUE INDEX invoice_key ON invoice USING btree (merchant_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX invoice_member_of ON invoice USING btree (merchant_id, grouped_into_id) WHERE (grouped_into_id IS NOT NULL);
CREATE UNIQUE INDEX invoice_number ON invoice USING btree (merchant_id, invoice_number) WHERE (invoice_number IS NOT NULL);
CREATE INDEX invoice_order ON invoice USING btree (merchant_id, seq DESC) INCLUDE (status, grand_total);
CREATE INDEX invoice_payer ON invoice USING btree (merchant_id, payer_id) WHERE (payer_id IS NOT NULL);
CREATE UNIQUE INDEX invoice_period ON invoice USING btree (merchant_id, subscription_id, billing_cadence, period_start) WHERE ((kind = 'subscription'::text) AND (reissued_as_id IS NULL));
CREATE INDEX invoice_purpose_id ON invoice USING btree (merchant_id, purpose_id) WHERE (purpose_id IS NOT NULL);
CREATE UNIQUE INDEX invoice_reissue ON invoice USING btree (merchant_id, reissue_of_id) WHERE (reissue_of_id IS NOT NULL);
CREATE INDEX invoice_status ON invoice USING btree (merchant_id, status, seq DESC);
CREATE INDEX invoice_subscription ON invoice USING btree (merchant_id, subscription_id, seq DESC);
CREATE INDEX invoice_unpaid ON invoice USING btree (merchant_id, seq DESC) INCLUDE (due_at, clock_id, status, currency, unpaid_amount) WHERE ((status = ANY (ARRAY['ISSUED'::text, 'PAYMENT_FAILED'::text])) AND (unpaid_amount > (0)::numeric) AND (NOT lives_by_session));
alter table invoice enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER changed BEFORE INSERT OR UPDATE ON invoice FOR EACH ROW EXECUTE FUNCTION set_changed_at();
CREATE TRIGGER count_gone AFTER DELETE ON invoice REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_invoice();
CREATE TRIGGER count_moved AFTER UPDATE ON invoice REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_invoice();
CREATE TRIGGER count_new AFTER INSERT ON invoice REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_invoice();
CREATE TRIGGER guard AFTER UPDATE ON invoice REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION guard_invoices();
CREATE TRIGGER guard_delete BEFORE DELETE ON invoice FOR EACH ROW EXECUTE FUNCTION guard_issued_invoice();
CREATE TRIGGER keep_revenue AFTER UPDATE ON invoice REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_revenue_of_invoices();
CREATE TRIGGER keep_revenue_of_new AFTER INSERT ON invoice REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_revenue_of_new_invoices();
CREATE TRIGGER register AFTER INSERT ON invoice REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON invoice REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();
CREATE TRIGGER wake_alerts_by_insert AFTER INSERT ON invoice REFERENCING NEW TABLE AS opened FOR EACH STATEMENT EXECUTE FUNCTION wake_alerts_of_new_periods();
CREATE TRIGGER wake_alerts_by_update AFTER UPDATE ON invoice FOR EACH ROW WHEN (((new.kind = 'subscription'::text) AND (new.period_end IS DISTINCT FROM old.period_end))) EXECUTE FUNCTION wake_alerts_of_period();
CREATE TRIGGER wake_credits_by_end AFTER UPDATE ON invoice FOR EACH ROW WHEN (((new.status = ANY (ARRAY['CANCELLED'::text, 'FAILED'::text])) AND (new.status IS DISTINCT FROM old.status))) EXECUTE FUNCTION wake_credits_of_cancelled();
CREATE TRIGGER wake_credits_by_insert AFTER INSERT ON invoice REFERENCING NEW TABLE AS opened FOR EACH STATEMENT EXECUTE FUNCTION wake_credits_of_new_periods();

create table invoice_edge (
  from_status text not null,
  to_status text not null,
  constraint invoice_edge_pkey PRIMARY KEY (from_status, to_status)
);

create table invoice_line (
  merchant_id text not null,
  invoice_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  position integer not null,
  event_type text not null,
  line_item_type text not null,
  type text not null,
  price_id text,
  billable_metric_id text,
  fee_id text,
  item_id text,
  source_key text,
  display_name text not null,
  metric_name text not null,
  metric_unit text not null,
  metric_description text not null,
  quantity numeric not null,
  unit_price numeric not null,
  total_price numeric not null,
  discount_price numeric default 0 not null,
  tax_rate numeric not null,
  total_tax numeric not null,
  total_amount numeric not null,
  period_start timestamp with time zone not null,
  period_end timestamp with time zone not null,
  group_values jsonb,
  tiers jsonb,
  workings jsonb,
  applies_to_line_id text,
  member_id text,
  subscription_id text,
  billing_credit_id text,
  commitment_id text,
  constraint invoice_line_pkey PRIMARY KEY (merchant_id, invoice_id, id),
  constraint invoice_line_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id),
  constraint invoice_line_check CHECK (((total_price + total_tax) = total_amount)),
  constraint invoice_line_event_type_check CHECK ((event_type = ANY (ARRAY['usage'::text, 'fee'::text, 'discount'::text]))),
  constraint invoice_line_line_item_type_check CHECK ((line_item_type = ANY (ARRAY['charge'::text, 'refund'::text]))),
  constraint invoice_line_member CHECK (((member_id IS NULL) = (subscription_id IS NULL))) NOT VALID
);
CREATE INDEX invoice_line_ahead ON invoice_line USING btree (merchant_id, invoice_id) WHERE (type = ANY (ARRAY['wallet_top_up'::text, 'credit_purchase'::text, 'prepayment'::text]));
CREATE INDEX invoice_line_credit_use ON invoice_line USING btree (merchant_id, billing_credit_id) WHERE (billing_credit_id IS NOT NULL);
CREATE INDEX invoice_line_order ON invoice_line USING btree (merchant_id, invoice_id, "position");
CREATE INDEX invoice_line_priced ON invoice_line USING btree (merchant_id, seq) WHERE ((event_type = 'usage'::text) AND (total_price > (0)::numeric));
CREATE INDEX invoice_line_true_up ON invoice_line USING btree (merchant_id, commitment_id) WHERE (commitment_id IS NOT NULL);
alter table invoice_line enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER guard_delete AFTER DELETE ON invoice_line REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION guard_rows_of_issued();
CREATE TRIGGER guard_insert AFTER INSERT ON invoice_line REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION guard_rows_of_issued();
CREATE TRIGGER guard_update AFTER UPDATE ON invoice_line REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION guard_rows_of_issued();
CREATE TRIGGER name_source BEFORE INSERT ON invoice_line FOR EACH ROW WHEN ((new.type = ANY (ARRAY['billing_credit'::text, 'true_up'::text]))) EXECUTE FUNCTION name_source_of_line();
CREATE TRIGGER wake_credits AFTER INSERT ON invoice_line FOR EACH ROW WHEN ((new.type = 'billing_credit'::text)) EXECUTE FUNCTION wake_credits_of_line();

create table invoice_overdue (
  merchant_id text not null,
  id text not null,
  clock_id text,
  next_action_at timestamp with time zone,
  constraint invoice_overdue_pkey PRIMARY KEY (merchant_id, id),
  constraint invoice_overdue_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint invoice_overdue_merchant_id_id_fkey FOREIGN KEY (merchant_id, id) REFERENCES invoice(merchant_id, id)
);
CREATE INDEX invoice_overdue_due ON invoice_overdue USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX invoice_overdue_due_on_clock ON invoice_overdue USING btree (merchant_id, clock_id, next_action_at, id) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
alter table invoice_overdue enable row level security; -- with the two policies of tenant_table()

create table invoice_usage (
  merchant_id text not null,
  invoice_id text not null,
  price_id text not null,
  group_key text not null,
  group_values jsonb not null,
  quantity numeric not null,
  granted numeric default 0 not null,
  event_count integer not null,
  share_numerator bigint,
  share_denominator bigint,
  of_each numeric,
  of_each_at_list numeric,
  constraint invoice_usage_pkey PRIMARY KEY (merchant_id, invoice_id, price_id, group_key),
  constraint invoice_usage_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id),
  constraint invoice_usage_share CHECK ((((share_numerator IS NULL) = (share_denominator IS NULL)) AND ((share_numerator IS NULL) OR ((share_numerator >= 1) AND (share_numerator <= share_denominator)))))
);
alter table invoice_usage enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER guard_delete AFTER DELETE ON invoice_usage REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION guard_rows_of_issued();
CREATE TRIGGER guard_insert AFTER INSERT ON invoice_usage REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION guard_rows_of_issued();
CREATE TRIGGER guard_update AFTER UPDATE ON invoice_usage REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION guard_rows_of_issued();

create table item (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  catalog_id text,
  name text not null,
  metadata jsonb not null,
  archived_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint item_pkey PRIMARY KEY (merchant_id, id),
  constraint item_merchant_id_catalog_id_fkey FOREIGN KEY (merchant_id, catalog_id) REFERENCES product(merchant_id, id)
);
CREATE INDEX item_all ON item USING btree (seq DESC);
CREATE INDEX item_order ON item USING btree (merchant_id, seq DESC);
alter table item enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON item REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON item REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table ledger_entry (
  merchant_id text not null,
  transaction_id text not null,
  position integer not null,
  seq bigint generated always as identity not null,
  account text not null,
  customer_id text,
  currency text not null,
  amount numeric not null,
  wallet_balance numeric,
  constraint ledger_entry_pkey PRIMARY KEY (merchant_id, transaction_id, "position"),
  constraint ledger_entry_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint ledger_entry_merchant_id_transaction_id_currency_fkey FOREIGN KEY (merchant_id, transaction_id, currency) REFERENCES ledger_transaction(merchant_id, id, currency),
  constraint ledger_entry_account_check CHECK ((account = ANY (ARRAY['receivable'::text, 'owed_again'::text, 'to_collect'::text, 'wallet'::text, 'unapplied'::text, 'top_ups_due'::text, 'deferred_credits'::text, 'cash'::text, 'revenue'::text, 'tax'::text, 'refunds_payable'::text, 'write_off'::text, 'disputes'::text, 'returned_outside'::text]))) NOT VALID,
  constraint ledger_entry_amount_check CHECK ((amount <> (0)::numeric)),
  constraint ledger_entry_check CHECK (((account = ANY (ARRAY['receivable'::text, 'owed_again'::text, 'to_collect'::text, 'wallet'::text, 'unapplied'::text, 'top_ups_due'::text, 'deferred_credits'::text])) = (customer_id IS NOT NULL))) NOT VALID,
  constraint ledger_entry_check1 CHECK (((account = 'wallet'::text) = (wallet_balance IS NOT NULL)))
);
CREATE INDEX ledger_entry_account ON ledger_entry USING btree (merchant_id, customer_id, account, currency, seq DESC) WHERE (customer_id IS NOT NULL);
CREATE INDEX ledger_entry_wallet ON ledger_entry USING btree (merchant_id, customer_id, seq DESC) WHERE (account = 'wallet'::text);
alter table ledger_entry enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER balanced AFTER INSERT ON ledger_entry REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION balanced_entries();
CREATE CONSTRAINT TRIGGER keep_revenue AFTER INSERT ON ledger_entry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.account = 'revenue'::text)) EXECUTE FUNCTION keep_revenue_of_carried_credit();
CREATE TRIGGER keep_timeline AFTER INSERT ON ledger_entry FOR EACH ROW WHEN ((new.account = 'wallet'::text)) EXECUTE FUNCTION keep_timeline_of_row('ledger_entry', 'transaction_id');
CREATE TRIGGER move_wallet BEFORE INSERT ON ledger_entry FOR EACH ROW WHEN ((new.account = 'wallet'::text)) EXECUTE FUNCTION move_wallet();

create table ledger_transaction (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  key text not null,
  reason text not null,
  invoice_id text,
  currency text not null,
  created_at timestamp with time zone not null,
  constraint ledger_transaction_merchant_id_id_currency_key UNIQUE (merchant_id, id, currency),
  constraint ledger_transaction_merchant_id_key_key UNIQUE (merchant_id, key),
  constraint ledger_transaction_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX ledger_transaction_invoice ON ledger_transaction USING btree (merchant_id, invoice_id) WHERE (invoice_id IS NOT NULL);
alter table ledger_transaction enable row level security; -- with the two policies of tenant_table()
CREATE CONSTRAINT TRIGGER booked AFTER INSERT ON ledger_transaction DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION booked_entries();

create table auth.link (
  token bytea not null,
  merchant_id text not null,
  user_id text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint link_pkey PRIMARY KEY (token),
  constraint link_merchant_id_user_id_fkey FOREIGN KEY (merchant_id, user_id) REFERENCES app_user(merchant_id, id) ON DELETE CASCADE
);
CREATE INDEX link_of_user ON auth.link USING btree (user_id);
alter table link enable row level security;
create policy nobody on link to reckoner_app using ((COALESCE(current_setting('reckoner.merchants'::text, true), ''::text) = ''::text));

create table list_count (
  merchant_id text not null,
  list text not null,
  facet text[] not null,
  count bigint not null,
  constraint list_count_pkey PRIMARY KEY (merchant_id, list, facet)
);
CREATE INDEX list_count_of_all ON list_count USING btree (list, facet);
alter table list_count enable row level security; -- with the two policies of tenant_table()

create table list_count_change (
  merchant_id text not null,
  seq bigint generated always as identity not null,
  list text not null,
  facet text[] not null,
  change bigint not null,
  measured numeric[],
  top bigint,
  constraint list_count_change_pkey PRIMARY KEY (merchant_id, seq)
);
alter table list_count_change enable row level security; -- with the two policies of tenant_table()

create table list_range (
  merchant_id text not null,
  list text not null,
  measure text not null,
  starts bigint not null,
  facet text[] not null,
  count bigint not null,
  least numeric not null,
  most numeric not null,
  top bigint not null,
  constraint list_range_pkey PRIMARY KEY (merchant_id, list, measure, starts, facet)
);
CREATE INDEX list_range_of_all ON list_range USING btree (list, measure);
alter table list_range enable row level security; -- with the two policies of tenant_table()

create table auth.login (
  id text not null,
  merchant_id text not null,
  created_at timestamp with time zone not null,
  constraint login_pkey PRIMARY KEY (id),
  constraint login_merchant_id_id_fkey FOREIGN KEY (merchant_id, id) REFERENCES app_user(merchant_id, id) ON DELETE CASCADE
);
alter table login enable row level security;
create policy nobody on login to reckoner_app using ((COALESCE(current_setting('reckoner.merchants'::text, true), ''::text) = ''::text));

create table mail (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  kind text not null,
  about_id text not null,
  occasion text not null,
  customer_id text not null,
  recipients text[] not null,
  sender_name text not null,
  reply_to text,
  content jsonb not null,
  attachments jsonb default '[]'::jsonb not null,
  status text not null,
  attempts integer default 0 not null,
  last_error text,
  clock_id text,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  constraint mail_merchant_id_kind_about_id_occasion_key UNIQUE (merchant_id, kind, about_id, occasion),
  constraint mail_pkey PRIMARY KEY (merchant_id, id),
  constraint mail_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint mail_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint mail_check CHECK (((status = 'pending'::text) = (next_action_at IS NOT NULL))),
  constraint mail_check1 CHECK (((status = 'sent'::text) = (sent_at IS NOT NULL))),
  constraint mail_clock_id_check CHECK ((clock_id IS NULL)),
  constraint mail_kind_check CHECK ((kind = ANY (ARRAY['invoiceIssued'::text, 'invoicePaid'::text, 'paymentReceived'::text, 'paymentReversed'::text, 'paymentFailed'::text, 'invoiceRefunded'::text, 'refundVoided'::text, 'invoiceCredited'::text, 'invoiceCancelled'::text, 'renewalReminder'::text, 'trialEnding'::text, 'alertTriggered'::text, 'alertReached'::text, 'portalLink'::text]))),
  constraint mail_recipients_check CHECK ((cardinality(recipients) > 0)),
  constraint mail_status_check CHECK ((status = ANY (ARRAY['held'::text, 'pending'::text, 'sent'::text, 'failed'::text, 'withdrawn'::text])))
);
CREATE INDEX mail_all ON mail USING btree (seq DESC);
CREATE INDEX mail_due ON mail USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX mail_due_on_clock ON mail USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX mail_of_customer ON mail USING btree (merchant_id, customer_id, seq DESC);
CREATE INDEX mail_order ON mail USING btree (merchant_id, seq DESC);
alter table mail enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_gone AFTER DELETE ON mail REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_mail();
CREATE TRIGGER count_moved AFTER UPDATE ON mail REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_mail();
CREATE TRIGGER count_new AFTER INSERT ON mail REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_mail();
CREATE TRIGGER keep_timeline AFTER INSERT ON mail REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_timeline_of_new();
CREATE TRIGGER keep_timeline_of_changed AFTER UPDATE OF status ON mail FOR EACH ROW WHEN ((new.status IS DISTINCT FROM old.status)) EXECUTE FUNCTION keep_timeline_of_row('mail', 'id');
CREATE TRIGGER register AFTER INSERT ON mail REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON mail REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table manual_line (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  subscription_id text not null,
  invoice_id text,
  item_id text,
  display_name text not null,
  description text,
  currency text not null,
  quantity numeric not null,
  unit_price numeric not null,
  tax_rate numeric,
  period_start timestamp with time zone not null,
  period_end timestamp with time zone not null,
  invoice_at timestamp with time zone not null,
  calculated_at timestamp with time zone,
  carried_from_id text,
  carried_because text,
  into_wallet_at timestamp with time zone,
  idempotency_key text,
  idempotency_print bytea,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint manual_line_pkey PRIMARY KEY (merchant_id, id),
  constraint manual_line_merchant_id_carried_from_id_fkey FOREIGN KEY (merchant_id, carried_from_id) REFERENCES manual_line(merchant_id, id),
  constraint manual_line_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id) ON DELETE SET NULL (invoice_id),
  constraint manual_line_merchant_id_subscription_id_fkey FOREIGN KEY (merchant_id, subscription_id) REFERENCES subscription(merchant_id, id),
  constraint manual_line_carried_because_check CHECK ((carried_because = ANY (ARRAY['remainder'::text, 'cancellation'::text]))),
  constraint manual_line_check CHECK ((period_start <= period_end)),
  constraint manual_line_check1 CHECK (((calculated_at IS NULL) OR (invoice_id IS NOT NULL))),
  constraint manual_line_check2 CHECK (((idempotency_key IS NULL) = (idempotency_print IS NULL))),
  constraint manual_line_check3 CHECK (((carried_from_id IS NULL) = (carried_because IS NULL))),
  constraint manual_line_check4 CHECK (((into_wallet_at IS NULL) OR ((carried_from_id IS NOT NULL) AND (invoice_id IS NULL))))
);
CREATE UNIQUE INDEX manual_line_carried ON manual_line USING btree (merchant_id, carried_from_id, carried_because) WHERE (carried_from_id IS NOT NULL);
CREATE INDEX manual_line_invoice ON manual_line USING btree (merchant_id, invoice_id, seq);
CREATE UNIQUE INDEX manual_line_key ON manual_line USING btree (merchant_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX manual_line_pending ON manual_line USING btree (merchant_id, subscription_id, seq) WHERE ((calculated_at IS NULL) AND (into_wallet_at IS NULL));
alter table manual_line enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON manual_line REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON manual_line REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();
CREATE TRIGGER wake_alerts AFTER INSERT OR DELETE ON manual_line FOR EACH ROW EXECUTE FUNCTION wake_alerts_of_subscription();

create table master_key (
  name text not null,
  proof text not null,
  lost_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint master_key_pkey PRIMARY KEY (name)
);

create table merchant_counter (
  merchant_id text not null,
  kind text not null,
  value bigint not null,
  skipped bigint default 0 not null,
  dated_at timestamp with time zone,
  constraint merchant_counter_pkey PRIMARY KEY (merchant_id, kind),
  constraint merchant_counter_kind_check CHECK ((kind = ANY (ARRAY['invoice'::text, 'credit_note'::text]))),
  constraint merchant_counter_skipped_check CHECK ((skipped >= 0))
);
alter table merchant_counter enable row level security; -- with the two policies of tenant_table()

create table merchant_integration (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  provider text not null,
  external_id text,
  status text not null,
  status_reason text,
  config jsonb not null,
  secrets jsonb not null,
  metadata jsonb not null,
  connected_at timestamp with time zone not null,
  disconnected_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint merchant_integration_pkey PRIMARY KEY (merchant_id, id),
  constraint merchant_integration_check CHECK (((status = 'disconnected'::text) = (disconnected_at IS NOT NULL))),
  constraint merchant_integration_check1 CHECK (((status <> 'disconnected'::text) OR (secrets = '{}'::jsonb))),
  constraint merchant_integration_check2 CHECK (((status_reason IS NULL) OR (status = 'error'::text))),
  constraint merchant_integration_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disconnected'::text, 'error'::text])))
);
CREATE INDEX merchant_integration_all ON merchant_integration USING btree (seq DESC);
CREATE INDEX merchant_integration_order ON merchant_integration USING btree (merchant_id, seq DESC);
CREATE UNIQUE INDEX merchant_integration_provider ON merchant_integration USING btree (merchant_id, provider);
alter table merchant_integration enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON merchant_integration REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON merchant_integration REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table merchant_number (
  merchant_id text not null,
  number integer generated always as identity not null,
  constraint merchant_number_number_key UNIQUE (number),
  constraint merchant_number_pkey PRIMARY KEY (merchant_id)
);
alter table merchant_number enable row level security; -- with the two policies of tenant_table()

create table migration_hash (
  name text not null,
  hash text not null,
  oldest text,
  constraint migration_hash_pkey PRIMARY KEY (name)
);

create table order_edge (
  from_status text not null,
  to_status text not null,
  constraint order_edge_pkey PRIMARY KEY (from_status, to_status)
);

create table order_line_item (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  order_id text not null,
  item_id text,
  description text,
  quantity numeric not null,
  list_unit_price numeric not null,
  discount_unit_amount numeric not null,
  unit_price numeric not null,
  total_price numeric not null,
  term_start_date timestamp with time zone,
  term_end_date timestamp with time zone,
  metadata jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint order_line_item_pkey PRIMARY KEY (merchant_id, id),
  constraint order_line_item_merchant_id_item_id_fkey FOREIGN KEY (merchant_id, item_id) REFERENCES item(merchant_id, id),
  constraint order_line_item_merchant_id_order_id_fkey FOREIGN KEY (merchant_id, order_id) REFERENCES sales_order(merchant_id, id) ON DELETE CASCADE,
  constraint order_line_item_check CHECK (((discount_unit_amount >= (0)::numeric) AND (discount_unit_amount <= list_unit_price))),
  constraint order_line_item_check1 CHECK ((unit_price = (list_unit_price - discount_unit_amount))),
  constraint order_line_item_check2 CHECK ((term_start_date < term_end_date)),
  constraint order_line_item_list_unit_price_check CHECK ((list_unit_price >= (0)::numeric)),
  constraint order_line_item_quantity_check CHECK ((quantity >= (0)::numeric)),
  constraint order_line_item_total_price_check CHECK ((total_price >= (0)::numeric))
);
CREATE INDEX order_line_item_item ON order_line_item USING btree (merchant_id, item_id) WHERE (item_id IS NOT NULL);
CREATE INDEX order_line_item_order ON order_line_item USING btree (merchant_id, order_id, seq DESC);
alter table order_line_item enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE ON order_line_item FOR EACH ROW EXECUTE FUNCTION guard_order_line();
CREATE TRIGGER register AFTER INSERT ON order_line_item REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON order_line_item REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table organization (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  type text not null,
  name text not null,
  legal_name text,
  tax_id text,
  address jsonb,
  billing_emails text[] default '{}'::text[] not null,
  email text,
  found_by_email boolean default true not null,
  phone text,
  default_currency text,
  settings jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  changed_at timestamp with time zone default clock_timestamp() not null,
  constraint organization_pkey PRIMARY KEY (merchant_id, id),
  constraint organization_check CHECK (((type = 'consumer'::text) OR (merchant_id = id))),
  constraint organization_type_check CHECK ((type = ANY (ARRAY['merchant'::text, 'consumer'::text, 'platform'::text])))
);
CREATE UNIQUE INDEX consumer_email ON organization USING btree (merchant_id, email) WHERE ((type = 'consumer'::text) AND found_by_email);
CREATE INDEX consumers_of_email ON organization USING btree (merchant_id, email) WHERE (type = 'consumer'::text);
CREATE UNIQUE INDEX one_platform ON organization USING btree (type) WHERE (type = 'platform'::text);
CREATE INDEX organization_all ON organization USING btree (seq DESC);
CREATE INDEX organization_changed ON organization USING btree (merchant_id, changed_at);
CREATE INDEX organization_mailboxes ON organization USING gin (mailboxes_of(billing_emails, email)) WHERE (type = 'consumer'::text);
CREATE INDEX organization_order ON organization USING btree (merchant_id, seq DESC);
alter table organization enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER ask_for_tax_address AFTER UPDATE ON organization FOR EACH ROW WHEN (((new.type = 'consumer'::text) AND (new.address IS DISTINCT FROM old.address))) EXECUTE FUNCTION ask_for_tax_address_of_consumer();
CREATE TRIGGER changed BEFORE INSERT OR UPDATE ON organization FOR EACH ROW EXECUTE FUNCTION set_changed_at();
CREATE TRIGGER copy_changed_consumer AFTER UPDATE ON organization FOR EACH ROW WHEN (((new.type = 'consumer'::text) AND (((new.name IS DISTINCT FROM old.name) OR (new.email IS DISTINCT FROM old.email)) OR (new.billing_emails IS DISTINCT FROM old.billing_emails)))) EXECUTE FUNCTION copy_changed_consumer();
CREATE TRIGGER count_gone AFTER DELETE ON organization REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_organization();
CREATE TRIGGER count_moved AFTER UPDATE ON organization REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_organization();
CREATE TRIGGER count_new AFTER INSERT ON organization REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_organization();
CREATE TRIGGER register AFTER INSERT ON organization REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON organization REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table organization_logo (
  merchant_id text not null,
  content_type text not null,
  width integer not null,
  height integer not null,
  content bytea not null,
  updated_at timestamp with time zone not null,
  constraint organization_logo_pkey PRIMARY KEY (merchant_id),
  constraint organization_logo_content_check CHECK ((length(content) <= 524288)),
  constraint organization_logo_content_type_check CHECK ((content_type = ANY (ARRAY['image/png'::text, 'image/svg+xml'::text]))),
  constraint organization_logo_height_check CHECK ((height > 0)),
  constraint organization_logo_width_check CHECK ((width > 0))
);
alter table organization_logo enable row level security; -- with the two policies of tenant_table()

create table outbox (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  type text not null,
  resource_id text not null,
  data jsonb not null,
  transaction_id xid8 default pg_current_xact_id() not null,
  created_at timestamp with time zone not null,
  recorded_at timestamp with time zone default clock_timestamp() not null,
  constraint outbox_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX outbox_all ON outbox USING btree (seq DESC);
CREATE INDEX outbox_commit ON outbox USING btree (merchant_id, transaction_id, seq);
CREATE INDEX outbox_order ON outbox USING btree (merchant_id, seq);
CREATE INDEX outbox_resource ON outbox USING btree (merchant_id, resource_id, seq DESC);
alter table outbox enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER keep_timeline AFTER INSERT ON outbox REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_timeline_of_new();
CREATE TRIGGER register AFTER INSERT ON outbox REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON outbox REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table outbox_sequence (
  merchant_id text not null,
  resource_id text not null,
  last bigint not null,
  constraint outbox_sequence_pkey PRIMARY KEY (merchant_id, resource_id)
);
alter table outbox_sequence enable row level security; -- with the two policies of tenant_table()

create table outside_refund (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  provider text not null,
  payment_id text not null,
  amount numeric not null,
  currency text not null,
  status text not null,
  booked_as text,
  created_at timestamp with time zone not null,
  constraint outside_refund_pkey PRIMARY KEY (merchant_id, id),
  constraint outside_refund_amount_check CHECK ((amount > (0)::numeric)),
  constraint outside_refund_booked_as_check CHECK ((booked_as = ANY (ARRAY['return'::text, 'credit_note'::text, 'adjustment'::text]))),
  constraint outside_refund_check CHECK (((status <> 'pending'::text) OR (booked_as IS NULL))),
  constraint outside_refund_check1 CHECK (((status <> 'succeeded'::text) OR (booked_as IS NOT NULL))),
  constraint outside_refund_provider_check CHECK ((provider = 'stripe'::text)),
  constraint outside_refund_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])))
);
CREATE INDEX outside_refund_payment ON outside_refund USING btree (merchant_id, payment_id);
alter table outside_refund enable row level security; -- with the two policies of tenant_table()

create table auth.password (
  user_id text not null,
  hash text not null,
  updated_at timestamp with time zone not null,
  constraint password_pkey PRIMARY KEY (user_id),
  constraint password_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.login(id) ON DELETE CASCADE
);
alter table password enable row level security;
create policy nobody on password to reckoner_app using ((COALESCE(current_setting('reckoner.merchants'::text, true), ''::text) = ''::text));

create table payment_charge (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  invoice_id text not null,
  customer_id text not null,
  origin text not null,
  payment_method_id text,
  provider text not null,
  provider_token text,
  amount numeric not null,
  currency text not null,
  status text not null,
  decline_reason text,
  provider_reference text,
  sent_at timestamp with time zone,
  look_ups integer default 0 not null,
  clock_id text,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint payment_charge_pkey PRIMARY KEY (merchant_id, id),
  constraint payment_charge_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint payment_charge_amount_check CHECK ((amount > (0)::numeric)),
  constraint payment_charge_check CHECK (((payment_method_id IS NULL) = (provider_token IS NULL))),
  constraint payment_charge_check1 CHECK (((status = 'declined'::text) = (decline_reason IS NOT NULL))),
  constraint payment_charge_due CHECK (((status = ANY (ARRAY['accepted'::text, 'declined'::text])) = (next_action_at IS NULL))),
  constraint payment_charge_finished CHECK (((status = ANY (ARRAY['accepted'::text, 'declined'::text])) = (finished_at IS NOT NULL))),
  constraint payment_charge_origin_check CHECK ((origin = ANY (ARRAY['automatic'::text, 'by_hand'::text, 'at_once'::text]))),
  constraint payment_charge_provider_check CHECK ((provider = ANY (ARRAY['sandbox'::text, 'stripe'::text]))),
  constraint payment_charge_sent CHECK (((status <> ALL (ARRAY['sent'::text, 'pending'::text, 'unresolved'::text])) OR (sent_at IS NOT NULL))),
  constraint payment_charge_status_check CHECK ((status = ANY (ARRAY['intended'::text, 'sent'::text, 'pending'::text, 'unresolved'::text, 'accepted'::text, 'declined'::text])))
);
CREATE INDEX payment_charge_due ON payment_charge USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX payment_charge_due_on_clock ON payment_charge USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX payment_charge_exception ON payment_charge USING btree (merchant_id, created_at DESC, id DESC) WHERE (status = 'unresolved'::text);
CREATE INDEX payment_charge_exception_of_all ON payment_charge USING btree (created_at DESC, id DESC) WHERE (status = 'unresolved'::text);
CREATE INDEX payment_charge_invoice ON payment_charge USING btree (merchant_id, invoice_id, seq);
CREATE UNIQUE INDEX payment_charge_on_its_way ON payment_charge USING btree (merchant_id, invoice_id) WHERE (status = ANY (ARRAY['intended'::text, 'sent'::text, 'pending'::text, 'unresolved'::text]));
alter table payment_charge enable row level security; -- with the two policies of tenant_table()

create table payment_checkout (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  session_id text not null,
  provider text not null,
  account_id text not null,
  amount numeric not null,
  currency text not null,
  status text not null,
  reference text,
  url text,
  is_closing boolean default false not null,
  look_ups integer default 0 not null,
  clock_id text,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint payment_checkout_pkey PRIMARY KEY (merchant_id, id),
  constraint payment_checkout_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint payment_checkout_merchant_id_session_id_fkey FOREIGN KEY (merchant_id, session_id) REFERENCES payment_session(merchant_id, id),
  constraint payment_checkout_check CHECK (((status = ANY (ARRAY['opening'::text, 'open'::text, 'processing'::text])) = (next_action_at IS NOT NULL))),
  constraint payment_checkout_check1 CHECK (((reference IS NULL) = (url IS NULL))),
  constraint payment_checkout_check2 CHECK (((reference IS NOT NULL) OR (status = ANY (ARRAY['opening'::text, 'expired'::text])))),
  constraint payment_checkout_clock_id_check CHECK ((clock_id IS NULL)),
  constraint payment_checkout_provider_check CHECK ((provider = 'stripe'::text)),
  constraint payment_checkout_status_check CHECK ((status = ANY (ARRAY['opening'::text, 'open'::text, 'processing'::text, 'paid'::text, 'stored'::text, 'failed'::text, 'expired'::text])))
);
CREATE INDEX payment_checkout_due ON payment_checkout USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX payment_checkout_due_on_clock ON payment_checkout USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE UNIQUE INDEX payment_checkout_live ON payment_checkout USING btree (merchant_id, session_id) WHERE (status = ANY (ARRAY['opening'::text, 'open'::text, 'processing'::text]));
CREATE UNIQUE INDEX payment_checkout_reference ON payment_checkout USING btree (merchant_id, provider, reference) WHERE (reference IS NOT NULL);
CREATE INDEX payment_checkout_session ON payment_checkout USING btree (merchant_id, session_id);
alter table payment_checkout enable row level security; -- with the two policies of tenant_table()

create table payment_comparison (
  merchant_id text not null,
  life integer not null,
  compared_at timestamp with time zone not null,
  constraint payment_comparison_pkey PRIMARY KEY (merchant_id, life)
);
alter table payment_comparison enable row level security; -- with the two policies of tenant_table()

create table payment_debt (
  merchant_id text not null,
  payment_id text,
  customer_id text not null,
  currency text not null,
  amount numeric not null,
  source_number text not null,
  invoice_id text,
  created_at timestamp with time zone not null,
  credit_note_id text,
  billing_credit_id text,
  returned numeric default 0 not null,
  id text generated always as (COALESCE(payment_id, ((credit_note_id || ':'::text) || billing_credit_id))) stored not null,
  constraint payment_debt_pkey PRIMARY KEY (merchant_id, id),
  constraint payment_debt_merchant_id_billing_credit_id_fkey FOREIGN KEY (merchant_id, billing_credit_id) REFERENCES billing_credit(merchant_id, id),
  constraint payment_debt_merchant_id_credit_note_id_fkey FOREIGN KEY (merchant_id, credit_note_id) REFERENCES credit_note(merchant_id, id),
  constraint payment_debt_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint payment_debt_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id),
  constraint payment_debt_merchant_id_payment_id_fkey FOREIGN KEY (merchant_id, payment_id) REFERENCES payment_receipt(merchant_id, id),
  constraint payment_debt_check CHECK ((num_nonnulls(credit_note_id, billing_credit_id) =
CASE
    WHEN (payment_id IS NULL) THEN 2
    ELSE 0
END)),
  constraint payment_debt_check1 CHECK (((amount >= (0)::numeric) AND ((returned >= (0)::numeric) AND (returned <= amount))))
);
CREATE INDEX payment_debt_credit ON payment_debt USING btree (merchant_id, billing_credit_id) WHERE (billing_credit_id IS NOT NULL);
CREATE INDEX payment_debt_invoice ON payment_debt USING btree (merchant_id, invoice_id) WHERE (invoice_id IS NOT NULL);
CREATE INDEX payment_debt_waiting ON payment_debt USING btree (merchant_id, customer_id, currency) WHERE (invoice_id IS NULL);
alter table payment_debt enable row level security; -- with the two policies of tenant_table()

create table payment_dispute (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  provider text not null,
  charge_reference text not null,
  payment_id text not null,
  amount numeric not null,
  currency text not null,
  reason text not null,
  status text not null,
  withheld numeric not null,
  bookings integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  changed_at timestamp with time zone default clock_timestamp() not null,
  clock_id text,
  next_action_at timestamp with time zone,
  constraint payment_dispute_pkey PRIMARY KEY (merchant_id, id),
  constraint payment_dispute_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint payment_dispute_amount_check CHECK ((amount > (0)::numeric)),
  constraint payment_dispute_check CHECK ((withheld =
CASE
    WHEN (status = ANY (ARRAY['open'::text, 'lost'::text])) THEN amount
    ELSE (0)::numeric
END)),
  constraint payment_dispute_provider_check CHECK ((provider = ANY (ARRAY['stripe'::text, 'sandbox'::text]))),
  constraint payment_dispute_status_check CHECK ((status = ANY (ARRAY['inquiry'::text, 'open'::text, 'won'::text, 'lost'::text]))),
  constraint payment_dispute_waits_for_its_start CHECK (((next_action_at IS NULL) OR (status = 'inquiry'::text)))
);
CREATE INDEX payment_dispute_changed ON payment_dispute USING btree (merchant_id, changed_at);
CREATE INDEX payment_dispute_due ON payment_dispute USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX payment_dispute_due_on_clock ON payment_dispute USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX payment_dispute_payment ON payment_dispute USING btree (merchant_id, payment_id, seq);
alter table payment_dispute enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER changed BEFORE INSERT OR UPDATE ON payment_dispute FOR EACH ROW EXECUTE FUNCTION set_changed_at();
CREATE TRIGGER keep_revenue AFTER INSERT ON payment_dispute REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_revenue_of_disputes();
CREATE TRIGGER keep_revenue_of_changed AFTER UPDATE ON payment_dispute REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_revenue_of_disputes();

create table payment_link (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  customer_id text,
  session_id text not null,
  amount numeric not null,
  currency text not null,
  reference text,
  metadata jsonb default '{}'::jsonb not null,
  line_items jsonb default '[]'::jsonb not null,
  idempotency_key text,
  idempotency_print bytea,
  created_at timestamp with time zone not null,
  changed_at timestamp with time zone default clock_timestamp() not null,
  constraint payment_link_pkey PRIMARY KEY (merchant_id, id),
  constraint payment_link_merchant_id_session_id_fkey FOREIGN KEY (merchant_id, session_id) REFERENCES payment_session(merchant_id, id),
  constraint payment_link_amount_check CHECK ((amount > (0)::numeric)),
  constraint payment_link_check CHECK (((idempotency_key IS NULL) = (idempotency_print IS NULL)))
);
CREATE INDEX payment_link_all ON payment_link USING btree (seq DESC);
CREATE INDEX payment_link_changed ON payment_link USING btree (merchant_id, changed_at);
CREATE INDEX payment_link_customer ON payment_link USING btree (merchant_id, customer_id, seq DESC) WHERE (customer_id IS NOT NULL);
CREATE UNIQUE INDEX payment_link_key ON payment_link USING btree (merchant_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX payment_link_order ON payment_link USING btree (merchant_id, seq DESC);
CREATE INDEX payment_link_session ON payment_link USING btree (merchant_id, session_id);
alter table payment_link enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER changed BEFORE INSERT OR UPDATE ON payment_link FOR EACH ROW EXECUTE FUNCTION set_changed_at();
CREATE TRIGGER count_gone AFTER DELETE ON payment_link REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_payment_link();
CREATE TRIGGER count_moved AFTER UPDATE ON payment_link REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_payment_link();
CREATE TRIGGER count_new AFTER INSERT ON payment_link REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_payment_link();
CREATE TRIGGER register AFTER INSERT ON payment_link REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON payment_link REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table payment_method (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  customer_id text not null,
  type text not null,
  brand text not null,
  last4 text not null,
  exp_month integer not null,
  exp_year integer not null,
  is_default boolean not null,
  provider text not null,
  provider_token text not null,
  account_id text,
  created_at timestamp with time zone not null,
  constraint payment_method_pkey PRIMARY KEY (merchant_id, id),
  constraint payment_method_provider_check CHECK ((provider = ANY (ARRAY['sandbox'::text, 'stripe'::text]))),
  constraint payment_method_type_check CHECK ((type = 'card'::text))
);
CREATE INDEX payment_method_customer ON payment_method USING btree (merchant_id, customer_id, seq DESC);
CREATE UNIQUE INDEX payment_method_default ON payment_method USING btree (merchant_id, customer_id) WHERE is_default;
alter table payment_method enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON payment_method REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON payment_method REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table payment_part_return (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  payment_id text not null,
  invoice_id text not null,
  refund_id text not null,
  amount numeric not null,
  currency text not null,
  provider text,
  status text not null,
  started_at timestamp with time zone,
  look_ups integer default 0 not null,
  returned_at timestamp with time zone,
  reference text,
  clock_id text,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint payment_part_return_pkey PRIMARY KEY (merchant_id, id),
  constraint payment_part_return_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint payment_part_return_merchant_id_payment_id_fkey FOREIGN KEY (merchant_id, payment_id) REFERENCES payment_receipt(merchant_id, id),
  constraint payment_part_return_amount_check CHECK ((amount > (0)::numeric)),
  constraint payment_part_return_check CHECK (((status = 'returned'::text) = (returned_at IS NOT NULL))),
  constraint payment_part_return_check1 CHECK (((status = 'requested'::text) = (next_action_at IS NOT NULL))),
  constraint payment_part_return_provider_check CHECK ((provider = ANY (ARRAY['sandbox'::text, 'stripe'::text]))),
  constraint payment_part_return_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'manual'::text, 'returned'::text, 'stopped'::text])))
);
CREATE INDEX payment_part_return_due ON payment_part_return USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX payment_part_return_due_on_clock ON payment_part_return USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX payment_part_return_invoice ON payment_part_return USING btree (merchant_id, invoice_id);
CREATE INDEX payment_part_return_payment ON payment_part_return USING btree (merchant_id, payment_id);
CREATE INDEX payment_part_return_refund ON payment_part_return USING btree (merchant_id, refund_id);
alter table payment_part_return enable row level security; -- with the two policies of tenant_table()

create table payment_receipt (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  invoice_id text,
  session_id text,
  charge_id text,
  payment_method_id text,
  card_brand text,
  card_last4 text,
  amount numeric not null,
  overpaid numeric default 0 not null,
  currency text not null,
  method text not null,
  provider text,
  provider_reference text,
  reference text,
  received_at timestamp with time zone not null,
  return_status text default 'none'::text not null,
  return_refund_id text,
  return_started_at timestamp with time zone,
  return_look_ups integer default 0 not null,
  returned_at timestamp with time zone,
  return_reference text,
  clock_id text,
  next_action_at timestamp with time zone,
  idempotency_key text,
  idempotency_print bytea,
  created_at timestamp with time zone not null,
  less_disputed numeric default 0 not null,
  less_outside numeric default 0 not null,
  changed_at timestamp with time zone default clock_timestamp() not null,
  reversed_at timestamp with time zone,
  reverse_reason text,
  reverse_key text,
  reverse_print bytea,
  receipt_id text,
  constraint payment_receipt_pkey PRIMARY KEY (merchant_id, id),
  constraint payment_receipt_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint payment_receipt_merchant_id_receipt_id_fkey FOREIGN KEY (merchant_id, receipt_id) REFERENCES customer_receipt(merchant_id, id),
  constraint payment_receipt_merchant_id_session_id_fkey FOREIGN KEY (merchant_id, session_id) REFERENCES payment_session(merchant_id, id),
  constraint payment_receipt_amount_check CHECK ((amount > (0)::numeric)),
  constraint payment_receipt_by_whom CHECK (
CASE method
    WHEN 'card'::text THEN ((provider IS NOT NULL) AND (provider_reference IS NOT NULL) AND (receipt_id IS NULL) AND ((session_id IS NULL) <> (charge_id IS NULL)))
    ELSE ((provider IS NULL) AND (provider_reference IS NULL) AND (session_id IS NULL) AND (charge_id IS NULL) AND (invoice_id IS NOT NULL) AND ((idempotency_key IS NULL) = (receipt_id IS NOT NULL)) AND (return_status <> 'requested'::text))
END) NOT VALID,
  constraint payment_receipt_card CHECK ((((card_brand IS NULL) = (card_last4 IS NULL)) AND ((card_brand IS NULL) OR (method = 'card'::text)))),
  constraint payment_receipt_check CHECK (((return_status = 'none'::text) OR (return_refund_id IS NOT NULL))),
  constraint payment_receipt_check1 CHECK (((return_status = 'returned'::text) = (returned_at IS NOT NULL))),
  constraint payment_receipt_check2 CHECK (((return_status = 'requested'::text) = (next_action_at IS NOT NULL))),
  constraint payment_receipt_check3 CHECK (((return_started_at IS NULL) OR (return_status = ANY (ARRAY['requested'::text, 'returned'::text])))),
  constraint payment_receipt_less CHECK (((less_disputed >= (0)::numeric) AND (less_outside >= (0)::numeric) AND ((less_disputed + less_outside) <= (amount - overpaid)))),
  constraint payment_receipt_method_check CHECK ((method = ANY (ARRAY['card'::text, 'bank_transfer'::text, 'cash'::text, 'other'::text]))),
  constraint payment_receipt_overpaid CHECK (((overpaid >= (0)::numeric) AND (overpaid <= amount))),
  constraint payment_receipt_print CHECK (((idempotency_key IS NULL) = (idempotency_print IS NULL))),
  constraint payment_receipt_provider_check CHECK ((provider = ANY (ARRAY['sandbox'::text, 'stripe'::text]))),
  constraint payment_receipt_return_status_check CHECK ((return_status = ANY (ARRAY['none'::text, 'requested'::text, 'returned'::text, 'stopped'::text, 'manual'::text]))),
  constraint payment_receipt_reversed CHECK ((((reversed_at IS NULL) = (reverse_reason IS NULL)) AND ((reversed_at IS NULL) = (reverse_key IS NULL)) AND ((reversed_at IS NULL) = (reverse_print IS NULL)) AND ((reversed_at IS NULL) OR ((provider IS NULL) AND (return_status = ANY (ARRAY['none'::text, 'stopped'::text]))))))
);
CREATE INDEX payment_receipt_changed ON payment_receipt USING btree (merchant_id, changed_at);
CREATE UNIQUE INDEX payment_receipt_charge ON payment_receipt USING btree (merchant_id, charge_id) WHERE (charge_id IS NOT NULL);
CREATE INDEX payment_receipt_due ON payment_receipt USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX payment_receipt_due_on_clock ON payment_receipt USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX payment_receipt_exception ON payment_receipt USING btree (merchant_id, created_at DESC, id DESC) WHERE ((provider IS NOT NULL) AND ((return_status = 'manual'::text) OR ((return_status = 'requested'::text) AND (return_look_ups >= 6))));
CREATE INDEX payment_receipt_exception_of_all ON payment_receipt USING btree (created_at DESC, id DESC) WHERE ((provider IS NOT NULL) AND ((return_status = 'manual'::text) OR ((return_status = 'requested'::text) AND (return_look_ups >= 6))));
CREATE INDEX payment_receipt_invoice ON payment_receipt USING btree (merchant_id, invoice_id, seq DESC);
CREATE UNIQUE INDEX payment_receipt_key ON payment_receipt USING btree (merchant_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE UNIQUE INDEX payment_receipt_reference ON payment_receipt USING btree (merchant_id, provider, provider_reference) WHERE (provider_reference IS NOT NULL);
CREATE INDEX payment_receipt_refund ON payment_receipt USING btree (merchant_id, return_refund_id) WHERE (return_refund_id IS NOT NULL);
CREATE UNIQUE INDEX payment_receipt_reverse_key ON payment_receipt USING btree (merchant_id, reverse_key) WHERE (reverse_key IS NOT NULL);
CREATE UNIQUE INDEX payment_receipt_session ON payment_receipt USING btree (merchant_id, session_id);
alter table payment_receipt enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER changed BEFORE INSERT OR UPDATE ON payment_receipt FOR EACH ROW EXECUTE FUNCTION set_changed_at();
CREATE TRIGGER keep BEFORE UPDATE ON payment_receipt FOR EACH ROW EXECUTE FUNCTION keep_payment_receipt();
CREATE TRIGGER keep_revenue AFTER INSERT ON payment_receipt REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_revenue_of_receipts();
CREATE TRIGGER keep_revenue_of_reversed AFTER UPDATE OF reversed_at ON payment_receipt FOR EACH ROW WHEN ((new.reversed_at IS DISTINCT FROM old.reversed_at)) EXECUTE FUNCTION keep_revenue_of_reversed_receipt();
CREATE TRIGGER keep_timeline AFTER INSERT ON payment_receipt REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_timeline_of_new();
CREATE TRIGGER keep_timeline_of_changed AFTER UPDATE OF returned_at ON payment_receipt FOR EACH ROW WHEN ((new.returned_at IS DISTINCT FROM old.returned_at)) EXECUTE FUNCTION keep_timeline_of_row('payment_receipt', 'id');
CREATE TRIGGER keep_timeline_of_reversed AFTER UPDATE OF reversed_at ON payment_receipt FOR EACH ROW WHEN ((new.reversed_at IS DISTINCT FROM old.reversed_at)) EXECUTE FUNCTION keep_timeline_of_row('payment_receipt', 'id');
CREATE TRIGGER register AFTER INSERT ON payment_receipt REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON payment_receipt REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table payment_session (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  mode text not null,
  entity_type text not null,
  entity_id text not null,
  entity_label text,
  invoice_id text,
  customer_id text,
  subscription_id text,
  amount numeric not null,
  currency text not null,
  status text not null,
  failure_reason text,
  attempts integer default 0 not null,
  save_payment_method boolean not null,
  becomes_default boolean default false not null,
  payment_method_id text,
  provider text not null,
  provider_reference text,
  pending_card text,
  success_redirect_url text,
  failure_redirect_url text,
  metadata jsonb default '{}'::jsonb not null,
  clock_id text,
  expires_at timestamp with time zone not null,
  next_action_at timestamp with time zone,
  completed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  changed_at timestamp with time zone default clock_timestamp() not null,
  constraint payment_session_pkey PRIMARY KEY (merchant_id, id),
  constraint payment_session_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint payment_session_merchant_id_payment_method_id_fkey FOREIGN KEY (merchant_id, payment_method_id) REFERENCES payment_method(merchant_id, id) ON DELETE SET NULL (payment_method_id),
  constraint payment_session_check CHECK (((mode = 'payment'::text) OR (customer_id IS NOT NULL))),
  constraint payment_session_check1 CHECK (((NOT save_payment_method) OR (customer_id IS NOT NULL))),
  constraint payment_session_check2 CHECK (
CASE mode
    WHEN 'payment'::text THEN (amount > (0)::numeric)
    ELSE (amount = (0)::numeric)
END),
  constraint payment_session_check3 CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
  constraint payment_session_default_is_of_setup CHECK (((NOT becomes_default) OR (mode = 'setup'::text))),
  constraint payment_session_due CHECK (
CASE
    WHEN (status = ANY (ARRAY['pending'::text, 'failed'::text])) THEN (next_action_at IS NOT NULL)
    WHEN (status = 'processing'::text) THEN ((pending_card IS NOT NULL) = (next_action_at IS NOT NULL))
    ELSE (next_action_at IS NULL)
END),
  constraint payment_session_entity_type_check CHECK ((entity_type = ANY (ARRAY['invoice'::text, 'subscription'::text, 'payment'::text, 'topup'::text, 'customer'::text]))),
  constraint payment_session_invoice CHECK ((((mode = 'payment'::text) AND (entity_type <> 'payment'::text)) = (invoice_id IS NOT NULL))),
  constraint payment_session_mode_check CHECK ((mode = ANY (ARRAY['payment'::text, 'setup'::text]))),
  constraint payment_session_pending CHECK (((pending_card IS NULL) OR ((status = 'processing'::text) AND (provider = 'sandbox'::text)))),
  constraint payment_session_provider_check CHECK ((provider = ANY (ARRAY['sandbox'::text, 'stripe'::text]))),
  constraint payment_session_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'expired'::text, 'cancelled'::text])))
);
CREATE INDEX payment_session_all ON payment_session USING btree (seq DESC);
CREATE INDEX payment_session_changed ON payment_session USING btree (merchant_id, changed_at);
CREATE INDEX payment_session_customer ON payment_session USING btree (merchant_id, customer_id, seq DESC);
CREATE INDEX payment_session_due ON payment_session USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX payment_session_due_on_clock ON payment_session USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX payment_session_method ON payment_session USING btree (merchant_id, payment_method_id) WHERE (payment_method_id IS NOT NULL);
CREATE UNIQUE INDEX payment_session_open_entity ON payment_session USING btree (merchant_id, entity_id) WHERE (status = ANY (ARRAY['pending'::text, 'processing'::text, 'failed'::text]));
CREATE UNIQUE INDEX payment_session_open_invoice ON payment_session USING btree (merchant_id, invoice_id) WHERE ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'failed'::text])) AND (invoice_id IS NOT NULL));
CREATE INDEX payment_session_order ON payment_session USING btree (merchant_id, seq DESC);
CREATE INDEX payment_session_subscription ON payment_session USING btree (merchant_id, subscription_id, seq DESC) WHERE (subscription_id IS NOT NULL);
alter table payment_session enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER changed BEFORE INSERT OR UPDATE ON payment_session FOR EACH ROW EXECUTE FUNCTION set_changed_at();
CREATE TRIGGER count_gone AFTER DELETE ON payment_session REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_payment_session();
CREATE TRIGGER count_moved AFTER UPDATE ON payment_session REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_payment_session();
CREATE TRIGGER count_new AFTER INSERT ON payment_session REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_payment_session();
CREATE TRIGGER keep_revenue AFTER INSERT ON payment_session REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_revenue_of_sessions();
CREATE TRIGGER keep_revenue_of_changed AFTER UPDATE ON payment_session REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_revenue_of_sessions();
CREATE TRIGGER register AFTER INSERT ON payment_session REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON payment_session REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table plan (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  product_id text not null,
  name text not null,
  description text,
  invoice_display_name text,
  currency text not null,
  billing_cadence text not null,
  billing_version integer not null,
  billing_anchor timestamp with time zone,
  grace_period text not null,
  trial_period text,
  auto_approve boolean not null,
  default_tax_code text not null,
  default_tax_rate numeric,
  tax_behavior text not null,
  renewal_reminder_enabled boolean not null,
  renewal_reminder_days integer not null,
  metadata jsonb not null,
  default_version_id text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint plan_pkey PRIMARY KEY (merchant_id, id),
  constraint plan_default_version FOREIGN KEY (merchant_id, default_version_id) REFERENCES plan_version(merchant_id, id) DEFERRABLE INITIALLY DEFERRED,
  constraint plan_merchant_id_product_id_fkey FOREIGN KEY (merchant_id, product_id) REFERENCES product(merchant_id, id),
  constraint plan_billing_version_check CHECK ((billing_version = ANY (ARRAY[0, 1]))),
  constraint plan_default_tax_rate_check CHECK (((default_tax_rate >= (0)::numeric) AND (default_tax_rate <= (100)::numeric))),
  constraint plan_renewal_reminder_days_check CHECK (((renewal_reminder_days >= 1) AND (renewal_reminder_days <= 30))),
  constraint plan_tax_behavior_check CHECK ((tax_behavior = ANY (ARRAY['exclusive'::text, 'inclusive'::text])))
);
CREATE INDEX plan_all ON plan USING btree (seq DESC);
CREATE INDEX plan_order ON plan USING btree (merchant_id, seq DESC);
CREATE INDEX plan_product ON plan USING btree (merchant_id, product_id);
alter table plan enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON plan REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON plan REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table plan_migration (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  plan_id text not null,
  from_version_id text not null,
  from_version integer not null,
  to_version_id text not null,
  to_version integer not null,
  replace_prices jsonb not null,
  effective text not null,
  proration text not null,
  credit text not null,
  is_dry boolean not null,
  status text not null,
  total integer not null,
  done integer default 0 not null,
  failed integer default 0 not null,
  clock_id text,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint plan_migration_pkey PRIMARY KEY (merchant_id, id),
  constraint plan_migration_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint plan_migration_merchant_id_from_version_id_fkey FOREIGN KEY (merchant_id, from_version_id) REFERENCES plan_version(merchant_id, id),
  constraint plan_migration_merchant_id_to_version_id_fkey FOREIGN KEY (merchant_id, to_version_id) REFERENCES plan_version(merchant_id, id),
  constraint plan_migration_check CHECK (((done >= 0) AND (failed >= 0) AND ((done + failed) <= total))),
  constraint plan_migration_check1 CHECK (((status = 'running'::text) = (next_action_at IS NOT NULL))),
  constraint plan_migration_check2 CHECK (((status = 'running'::text) = (ended_at IS NULL))),
  constraint plan_migration_check3 CHECK (((status <> 'completed'::text) OR ((done + failed) = total))),
  constraint plan_migration_clock_id_check CHECK ((clock_id IS NULL)),
  constraint plan_migration_credit_check CHECK ((credit = ANY (ARRAY['invoice'::text, 'wallet'::text, 'none'::text]))),
  constraint plan_migration_effective_check CHECK ((effective = ANY (ARRAY['now'::text, 'periodEnd'::text]))),
  constraint plan_migration_proration_check CHECK ((proration = ANY (ARRAY['second'::text, 'day'::text, 'none'::text]))),
  constraint plan_migration_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text, 'cancelled'::text])))
);
CREATE INDEX plan_migration_due ON plan_migration USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX plan_migration_due_on_clock ON plan_migration USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX plan_migration_order ON plan_migration USING btree (merchant_id, plan_id, seq DESC);
CREATE UNIQUE INDEX plan_migration_running ON plan_migration USING btree (merchant_id, from_version_id) WHERE ((status = 'running'::text) AND (NOT is_dry));
alter table plan_migration enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON plan_migration REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON plan_migration REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table plan_migration_subscription (
  merchant_id text not null,
  migration_id text not null,
  position integer not null,
  subscription_id text not null,
  outcome text,
  effective_at timestamp with time zone,
  change_id text,
  reason text,
  fault text,
  constraint plan_migration_subscription_pkey PRIMARY KEY (merchant_id, migration_id, "position"),
  constraint plan_migration_subscription_merchant_id_migration_id_fkey FOREIGN KEY (merchant_id, migration_id) REFERENCES plan_migration(merchant_id, id),
  constraint plan_migration_subscription_check CHECK ((COALESCE((outcome = ANY (ARRAY['applied'::text, 'scheduled'::text])), false) = (effective_at IS NOT NULL))),
  constraint plan_migration_subscription_check1 CHECK ((COALESCE((outcome = 'refused'::text), false) = (reason IS NOT NULL))),
  constraint plan_migration_subscription_check2 CHECK (((change_id IS NULL) OR (outcome <> 'refused'::text))),
  constraint plan_migration_subscription_check3 CHECK (((fault IS NULL) OR (outcome = 'refused'::text))),
  constraint plan_migration_subscription_outcome_check CHECK ((outcome = ANY (ARRAY['applied'::text, 'scheduled'::text, 'refused'::text])))
);
CREATE UNIQUE INDEX plan_migration_subscription_once ON plan_migration_subscription USING btree (merchant_id, migration_id, subscription_id);
alter table plan_migration_subscription enable row level security; -- with the two policies of tenant_table()

create table plan_version (
  merchant_id text not null,
  id text not null,
  plan_id text not null,
  version_number integer not null,
  minimum_amount numeric,
  status text not null,
  based_on_version_id text,
  published_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  currency_minimums jsonb default '{}'::jsonb not null,
  trial_requires_payment_method boolean default false not null,
  trial_end_behavior text default 'invoice'::text not null,
  constraint plan_version_merchant_id_plan_id_version_number_key UNIQUE (merchant_id, plan_id, version_number),
  constraint plan_version_pkey PRIMARY KEY (merchant_id, id),
  constraint plan_version_merchant_id_plan_id_fkey FOREIGN KEY (merchant_id, plan_id) REFERENCES plan(merchant_id, id),
  constraint plan_version_check CHECK (((status <> 'published'::text) OR (published_at IS NOT NULL))),
  constraint plan_version_minimum_amount_check CHECK ((minimum_amount >= (0)::numeric)),
  constraint plan_version_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text]))),
  constraint plan_version_trial_end_behavior_check CHECK ((trial_end_behavior = ANY (ARRAY['invoice'::text, 'terminate'::text, 'pause'::text]))),
  constraint plan_version_version_number_check CHECK ((version_number >= 1))
);
alter table plan_version enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON plan_version REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON plan_version REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table plan_version_price (
  merchant_id text not null,
  version_id text not null,
  price_id text not null,
  position integer not null,
  constraint plan_version_price_pkey PRIMARY KEY (merchant_id, version_id, price_id),
  constraint plan_version_price_merchant_id_price_id_fkey FOREIGN KEY (merchant_id, price_id) REFERENCES price(merchant_id, id),
  constraint plan_version_price_merchant_id_version_id_fkey FOREIGN KEY (merchant_id, version_id) REFERENCES plan_version(merchant_id, id)
);
CREATE INDEX plan_version_price_price ON plan_version_price USING btree (merchant_id, price_id);
alter table plan_version_price enable row level security; -- with the two policies of tenant_table()

create table portal_link (
  merchant_id text not null,
  link_hash bytea not null,
  customer_id text not null,
  subscription_id text,
  way text not null,
  return_url text,
  expires_at timestamp with time zone not null,
  opened_at timestamp with time zone,
  session_hash bytea,
  session_ends_at timestamp with time zone,
  ended_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint portal_link_pkey PRIMARY KEY (merchant_id, link_hash),
  constraint portal_link_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint portal_link_merchant_id_subscription_id_fkey FOREIGN KEY (merchant_id, subscription_id) REFERENCES subscription(merchant_id, id),
  constraint portal_link_check CHECK (((opened_at IS NULL) = (session_hash IS NULL))),
  constraint portal_link_check1 CHECK (((opened_at IS NULL) = (session_ends_at IS NULL))),
  constraint portal_link_check2 CHECK (((ended_at IS NULL) OR (opened_at IS NOT NULL))),
  constraint portal_link_check3 CHECK ((expires_at > created_at)),
  constraint portal_link_way_check CHECK ((way = ANY (ARRAY['api'::text, 'mail'::text])))
);
CREATE INDEX portal_link_age ON portal_link USING btree (created_at);
CREATE INDEX portal_link_hash ON portal_link USING btree (link_hash);
CREATE INDEX portal_link_of_customer ON portal_link USING btree (merchant_id, customer_id, created_at DESC);
CREATE INDEX portal_link_of_subscription ON portal_link USING btree (merchant_id, subscription_id) WHERE (subscription_id IS NOT NULL);
CREATE UNIQUE INDEX portal_session ON portal_link USING btree (merchant_id, session_hash) WHERE (session_hash IS NOT NULL);
CREATE INDEX portal_session_hash ON portal_link USING btree (session_hash) WHERE (session_hash IS NOT NULL);
alter table portal_link enable row level security; -- with the two policies of tenant_table()

create table portal_planned_end (
  merchant_id text not null,
  subscription_id text not null,
  ending_at timestamp with time zone not null,
  constraint portal_planned_end_pkey PRIMARY KEY (merchant_id, subscription_id),
  constraint portal_planned_end_merchant_id_subscription_id_fkey FOREIGN KEY (merchant_id, subscription_id) REFERENCES subscription(merchant_id, id)
);
alter table portal_planned_end enable row level security; -- with the two policies of tenant_table()

create table price (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  billable_metric_id text,
  fee_id text,
  invoice_display_name text not null,
  payment_term text not null,
  model text not null,
  properties jsonb not null,
  billing_cadence text,
  quantity numeric not null,
  minimum_amount numeric,
  maximum_amount numeric,
  tax_rate numeric,
  group_filters jsonb,
  grant_discount_enabled boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  currency_prices jsonb default '{}'::jsonb not null,
  display_unit jsonb,
  constraint price_pkey PRIMARY KEY (merchant_id, id),
  constraint price_merchant_id_billable_metric_id_fkey FOREIGN KEY (merchant_id, billable_metric_id) REFERENCES billable_metric(merchant_id, id),
  constraint price_merchant_id_fee_id_fkey FOREIGN KEY (merchant_id, fee_id) REFERENCES fee(merchant_id, id),
  constraint price_check CHECK ((num_nonnulls(billable_metric_id, fee_id) = 1)),
  constraint price_check1 CHECK (((fee_id IS NULL) OR (billing_cadence IS NOT NULL))),
  constraint price_payment_term_check CHECK ((payment_term = ANY (ARRAY['in_arrears'::text, 'in_advance'::text]))),
  constraint price_quantity_check CHECK ((quantity >= (0)::numeric)),
  constraint price_tax_rate_check CHECK (((tax_rate >= (0)::numeric) AND (tax_rate <= (100)::numeric)))
);
CREATE INDEX price_all ON price USING btree (seq DESC);
CREATE INDEX price_fee ON price USING btree (merchant_id, fee_id) WHERE (fee_id IS NOT NULL);
CREATE INDEX price_metric ON price USING btree (merchant_id, billable_metric_id) WHERE (billable_metric_id IS NOT NULL);
CREATE INDEX price_order ON price USING btree (merchant_id, seq DESC);
alter table price enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON price REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON price REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table price_feature (
  merchant_id text not null,
  id text not null,
  price_id text not null,
  feature_id text not null,
  entitlement_template jsonb not null,
  constraint price_feature_merchant_id_price_id_key UNIQUE (merchant_id, price_id),
  constraint price_feature_pkey PRIMARY KEY (merchant_id, id),
  constraint price_feature_merchant_id_feature_id_fkey FOREIGN KEY (merchant_id, feature_id) REFERENCES feature(merchant_id, id),
  constraint price_feature_merchant_id_price_id_fkey FOREIGN KEY (merchant_id, price_id) REFERENCES price(merchant_id, id)
);
CREATE INDEX price_feature_feature ON price_feature USING btree (merchant_id, feature_id);
alter table price_feature enable row level security; -- with the two policies of tenant_table()

create table primary_beat (
  is_only boolean default true not null,
  beaten_at timestamp with time zone not null,
  constraint primary_beat_pkey PRIMARY KEY (is_only),
  constraint primary_beat_is_only_check CHECK (is_only)
);

create table product (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  name text not null,
  description text not null,
  metadata jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint product_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX product_all ON product USING btree (seq DESC);
CREATE INDEX product_order ON product USING btree (merchant_id, seq DESC);
alter table product enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON product REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON product REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table program_run (
  started_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  constraint program_run_pkey PRIMARY KEY (started_at),
  constraint program_run_check CHECK ((seen_at >= started_at))
);

create table provider_customer (
  merchant_id text not null,
  provider text not null,
  account_id text not null,
  customer_id text not null,
  reference text not null,
  created_at timestamp with time zone not null,
  constraint provider_customer_pkey PRIMARY KEY (merchant_id, provider, account_id, customer_id),
  constraint provider_customer_provider_check CHECK ((provider = 'stripe'::text))
);
alter table provider_customer enable row level security; -- with the two policies of tenant_table()

create table provider_notice (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  provider text not null,
  event_id text not null,
  kind text not null,
  object_reference text not null,
  attempts integer default 0 not null,
  error text,
  clock_id text,
  next_action_at timestamp with time zone,
  received_at timestamp with time zone not null,
  done_at timestamp with time zone,
  constraint provider_notice_pkey PRIMARY KEY (merchant_id, id),
  constraint provider_notice_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint provider_notice_check CHECK (((done_at IS NULL) OR (next_action_at IS NULL))),
  constraint provider_notice_clock_id_check CHECK ((clock_id IS NULL)),
  constraint provider_notice_provider_check CHECK ((provider = 'stripe'::text))
);
CREATE INDEX provider_notice_due ON provider_notice USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX provider_notice_due_on_clock ON provider_notice USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX provider_notice_exception ON provider_notice USING btree (merchant_id, received_at DESC, id DESC) WHERE ((done_at IS NULL) AND (attempts >= 6));
CREATE INDEX provider_notice_exception_of_all ON provider_notice USING btree (received_at DESC, id DESC) WHERE ((done_at IS NULL) AND (attempts >= 6));
alter table provider_notice enable row level security; -- with the two policies of tenant_table()

create table receipt_application (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  receipt_id text not null,
  payment_id text,
  invoice_id text,
  amount numeric not null,
  applied_at timestamp with time zone not null,
  reversed_at timestamp with time zone,
  constraint receipt_application_pkey PRIMARY KEY (merchant_id, id),
  constraint receipt_application_merchant_id_payment_id_fkey FOREIGN KEY (merchant_id, payment_id) REFERENCES payment_receipt(merchant_id, id),
  constraint receipt_application_merchant_id_receipt_id_fkey FOREIGN KEY (merchant_id, receipt_id) REFERENCES customer_receipt(merchant_id, id),
  constraint receipt_application_amount_check CHECK ((amount > (0)::numeric)),
  constraint receipt_application_check CHECK (((payment_id IS NULL) = (invoice_id IS NULL)))
);
CREATE UNIQUE INDEX receipt_application_payment ON receipt_application USING btree (merchant_id, payment_id) WHERE (payment_id IS NOT NULL);
CREATE INDEX receipt_application_receipt ON receipt_application USING btree (merchant_id, receipt_id, seq);
alter table receipt_application enable row level security; -- with the two policies of tenant_table()

create table receipt_job (
  merchant_id text not null,
  id text not null,
  invoice_id text not null,
  position integer not null,
  remaining numeric not null,
  attempts integer default 0 not null,
  clock_id text,
  next_action_at timestamp with time zone,
  constraint receipt_job_pkey PRIMARY KEY (merchant_id, id),
  constraint receipt_job_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint receipt_job_merchant_id_id_fkey FOREIGN KEY (merchant_id, id) REFERENCES payment_receipt(merchant_id, id),
  constraint receipt_job_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id),
  constraint receipt_job_clock_id_check CHECK ((clock_id IS NULL)),
  constraint receipt_job_remaining_check CHECK ((remaining >= (0)::numeric))
);
CREATE INDEX receipt_job_due ON receipt_job USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX receipt_job_due_on_clock ON receipt_job USING btree (merchant_id, clock_id, next_action_at, id) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE UNIQUE INDEX receipt_number ON receipt_job USING btree (merchant_id, invoice_id, "position");
alter table receipt_job enable row level security; -- with the two policies of tenant_table()

create table redemption (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  coupon_id text not null,
  customer_id text not null,
  subscription_id text not null,
  idempotency_key text,
  idempotency_print bytea,
  given_back_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint redemption_pkey PRIMARY KEY (merchant_id, id),
  constraint redemption_merchant_id_coupon_id_fkey FOREIGN KEY (merchant_id, coupon_id) REFERENCES coupon(merchant_id, id)
);
CREATE UNIQUE INDEX redemption_key ON redemption USING btree (merchant_id, subscription_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX redemption_of_customer ON redemption USING btree (merchant_id, coupon_id, customer_id) WHERE (given_back_at IS NULL);
CREATE INDEX redemption_order ON redemption USING btree (merchant_id, subscription_id, seq DESC);
alter table redemption enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON redemption REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON redemption REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table resource (
  id text not null,
  merchant_id text not null,
  constraint resource_pkey PRIMARY KEY (id)
);

create table revenue_change (
  merchant_id text not null,
  seq bigint generated always as identity not null,
  hour timestamp with time zone not null,
  currency text not null,
  customer_id text not null,
  plan_id text not null,
  kind text not null,
  status text not null,
  count bigint not null,
  amount numeric not null,
  open_amount numeric not null,
  constraint revenue_change_pkey PRIMARY KEY (merchant_id, seq)
);
alter table revenue_change enable row level security; -- with the two policies of tenant_table()

create table revenue_fact (
  merchant_id text not null,
  id text not null,
  kind text not null,
  status text not null,
  counted_at timestamp with time zone not null,
  currency text not null,
  customer_id text,
  subscription_id text,
  plan_id text,
  amount numeric not null,
  open_amount numeric not null,
  constraint revenue_fact_pkey PRIMARY KEY (merchant_id, id),
  constraint revenue_fact_kind_check CHECK ((kind = ANY (ARRAY['invoice'::text, 'refund'::text, 'rebate'::text, 'payment'::text, 'dispute'::text, 'earned'::text]))) NOT VALID,
  constraint revenue_fact_status_check CHECK ((status = ANY (ARRAY['outstanding'::text, 'paid'::text, 'written_off'::text, 'issued'::text, 'completed'::text, 'pending'::text, 'expired'::text, 'open'::text, 'lost'::text])))
);
CREATE INDEX revenue_fact_customer ON revenue_fact USING btree (merchant_id, customer_id, counted_at);
CREATE INDEX revenue_fact_time ON revenue_fact USING btree (merchant_id, counted_at);
alter table revenue_fact enable row level security; -- with the two policies of tenant_table()

create table revenue_sum (
  merchant_id text not null,
  grain text not null,
  starts_at timestamp with time zone not null,
  currency text not null,
  member text not null,
  kind text not null,
  status text not null,
  count bigint not null,
  amount numeric not null,
  open_amount numeric not null,
  constraint revenue_sum_pkey PRIMARY KEY (merchant_id, grain, starts_at, currency, member, kind, status),
  constraint revenue_sum_grain_check CHECK ((grain = ANY (ARRAY['hour'::text, 'day'::text, 'month'::text])))
);
alter table revenue_sum enable row level security; -- with the two policies of tenant_table()

create table rollup_definition (
  merchant_id text not null,
  id bigint generated always as identity not null,
  event_type text not null,
  kind text not null,
  path text,
  dimensions text[] not null,
  content uuid not null,
  boundary bigint not null,
  done bigint default 0 not null,
  is_ready boolean not null,
  constraint rollup_definition_merchant_id_event_type_content_key UNIQUE (merchant_id, event_type, content),
  constraint rollup_definition_pkey PRIMARY KEY (merchant_id, id),
  constraint rollup_definition_kind_check CHECK ((kind = ANY (ARRAY['count'::text, 'number'::text, 'latest'::text, 'set'::text])))
);
CREATE INDEX rollup_definition_pending ON rollup_definition USING btree (merchant_id, id) WHERE (NOT is_ready);
alter table rollup_definition enable row level security; -- with the two policies of tenant_table()

create table rollup_definition_deleted (
  merchant_id text not null,
  definition_id bigint not null,
  constraint rollup_definition_deleted_pkey PRIMARY KEY (merchant_id, definition_id)
);
alter table rollup_definition_deleted enable row level security; -- with the two policies of tenant_table()

create table sales_order (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  customer_id text not null,
  reseller_id text,
  tax_exempt boolean not null,
  selling_entity text,
  currency text not null,
  approval_status text not null,
  cancelled_at timestamp with time zone,
  type text,
  term_start_date timestamp with time zone not null,
  term_end_date timestamp with time zone not null,
  close_date timestamp with time zone,
  named_total numeric,
  default_payment_term_days integer not null,
  metadata jsonb not null,
  clock_id text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint sales_order_pkey PRIMARY KEY (merchant_id, id),
  constraint sales_order_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint sales_order_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint sales_order_approval_status_check CHECK ((approval_status = ANY (ARRAY['draft'::text, 'pending'::text, 'approved'::text, 'rejected'::text]))),
  constraint sales_order_check CHECK ((term_start_date < term_end_date)),
  constraint sales_order_default_payment_term_days_check CHECK (((default_payment_term_days >= 0) AND (default_payment_term_days <= 365))),
  constraint sales_order_named_total_check CHECK ((named_total >= (0)::numeric)),
  constraint sales_order_type_check CHECK ((type = ANY (ARRAY['new_business'::text, 'renewal'::text, 'expansion'::text])))
);
CREATE INDEX sales_order_all ON sales_order USING btree (seq DESC);
CREATE INDEX sales_order_cancelled ON sales_order USING btree (merchant_id, seq DESC) WHERE (cancelled_at IS NOT NULL);
CREATE INDEX sales_order_clock ON sales_order USING btree (merchant_id, clock_id) WHERE (clock_id IS NOT NULL);
CREATE INDEX sales_order_customer ON sales_order USING btree (merchant_id, customer_id, seq DESC);
CREATE INDEX sales_order_order ON sales_order USING btree (merchant_id, seq DESC);
CREATE INDEX sales_order_status ON sales_order USING btree (merchant_id, approval_status, seq DESC) WHERE (cancelled_at IS NULL);
alter table sales_order enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_gone AFTER DELETE ON sales_order REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_sales_order();
CREATE TRIGGER count_moved AFTER UPDATE ON sales_order REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_sales_order();
CREATE TRIGGER count_new AFTER INSERT ON sales_order REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_sales_order();
CREATE TRIGGER guard BEFORE UPDATE ON sales_order FOR EACH ROW EXECUTE FUNCTION guard_order();
CREATE TRIGGER guard_delete BEFORE DELETE ON sales_order FOR EACH ROW EXECUTE FUNCTION guard_order_deletion();
CREATE TRIGGER register AFTER INSERT ON sales_order REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON sales_order REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table sandbox_provider_record (
  merchant_id text not null,
  key text not null,
  kind text not null,
  token text,
  charge_reference text,
  amount numeric not null,
  currency text not null,
  decline_reason text,
  reference text not null,
  created_at timestamp with time zone not null,
  constraint sandbox_provider_record_pkey PRIMARY KEY (merchant_id, key),
  constraint sandbox_provider_record_kind_check CHECK ((kind = ANY (ARRAY['charge'::text, 'setup'::text, 'refund'::text])))
);
CREATE INDEX sandbox_provider_refund ON sandbox_provider_record USING btree (merchant_id, charge_reference) WHERE (kind = 'refund'::text);
CREATE INDEX sandbox_provider_token ON sandbox_provider_record USING btree (merchant_id, token) WHERE (decline_reason IS NULL);
alter table sandbox_provider_record enable row level security; -- with the two policies of tenant_table()

create table schedule_interval (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  schedule_id text not null,
  order_line_item_id text,
  item_id text,
  price_id text,
  description text,
  unit_price numeric,
  base_quantity numeric not null,
  quantity_transitions jsonb not null,
  billing_cadence text not null,
  billing_mode text not null,
  bill_date timestamp with time zone,
  start_date timestamp with time zone not null,
  end_date timestamp with time zone,
  usage_filter jsonb,
  metadata jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint schedule_interval_pkey PRIMARY KEY (merchant_id, id),
  constraint schedule_interval_merchant_id_item_id_fkey FOREIGN KEY (merchant_id, item_id) REFERENCES item(merchant_id, id),
  constraint schedule_interval_merchant_id_order_line_item_id_fkey FOREIGN KEY (merchant_id, order_line_item_id) REFERENCES order_line_item(merchant_id, id),
  constraint schedule_interval_merchant_id_price_id_fkey FOREIGN KEY (merchant_id, price_id) REFERENCES price(merchant_id, id),
  constraint schedule_interval_merchant_id_schedule_id_fkey FOREIGN KEY (merchant_id, schedule_id) REFERENCES billing_schedule(merchant_id, id) ON DELETE CASCADE,
  constraint schedule_interval_base_quantity_check CHECK ((base_quantity >= (0)::numeric)),
  constraint schedule_interval_billing_mode_check CHECK ((billing_mode = ANY (ARRAY['advance'::text, 'arrears'::text]))),
  constraint schedule_interval_check CHECK ((start_date < end_date)),
  constraint schedule_interval_unit_price_check CHECK ((unit_price >= (0)::numeric))
);
CREATE INDEX schedule_interval_item ON schedule_interval USING btree (merchant_id, item_id) WHERE (item_id IS NOT NULL);
CREATE INDEX schedule_interval_line ON schedule_interval USING btree (merchant_id, order_line_item_id) WHERE (order_line_item_id IS NOT NULL);
CREATE INDEX schedule_interval_of ON schedule_interval USING btree (merchant_id, schedule_id, seq);
CREATE INDEX schedule_interval_price ON schedule_interval USING btree (merchant_id, price_id) WHERE (price_id IS NOT NULL);
alter table schedule_interval enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON schedule_interval REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON schedule_interval REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table schedule_invoice (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  schedule_id text not null,
  bill_at timestamp with time zone not null,
  correction integer not null,
  period_start timestamp with time zone not null,
  period_end timestamp with time zone not null,
  amount numeric not null,
  lines jsonb not null,
  status text not null,
  invoice_id text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint schedule_invoice_pkey PRIMARY KEY (merchant_id, id),
  constraint schedule_invoice_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id),
  constraint schedule_invoice_merchant_id_schedule_id_fkey FOREIGN KEY (merchant_id, schedule_id) REFERENCES billing_schedule(merchant_id, id) ON DELETE CASCADE,
  constraint schedule_invoice_check CHECK (((invoice_id IS NULL) OR (status <> 'staged'::text))),
  constraint schedule_invoice_correction_check CHECK ((correction >= 0)),
  constraint schedule_invoice_status_check CHECK ((status = ANY (ARRAY['staged'::text, 'pushed'::text, 'cancelled'::text])))
);
CREATE UNIQUE INDEX schedule_invoice_date ON schedule_invoice USING btree (merchant_id, schedule_id, bill_at, correction) WHERE (status <> 'cancelled'::text);
CREATE UNIQUE INDEX schedule_invoice_invoice ON schedule_invoice USING btree (merchant_id, invoice_id) WHERE (invoice_id IS NOT NULL);
CREATE INDEX schedule_invoice_of ON schedule_invoice USING btree (merchant_id, schedule_id, bill_at, correction, seq);
alter table schedule_invoice enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER guard BEFORE DELETE OR UPDATE ON schedule_invoice FOR EACH ROW EXECUTE FUNCTION guard_schedule_invoice();
CREATE TRIGGER register AFTER INSERT ON schedule_invoice REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON schedule_invoice REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table auth.session (
  id text not null,
  user_id text not null,
  token bytea not null,
  method text not null,
  ip_address text not null,
  user_agent text not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint session_token_key UNIQUE (token),
  constraint session_pkey PRIMARY KEY (id),
  constraint session_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.login(id) ON DELETE CASCADE,
  constraint session_method_check CHECK ((method = ANY (ARRAY['password'::text, 'link'::text])))
);
CREATE INDEX session_of_user ON auth.session USING btree (user_id);
CREATE INDEX session_used ON auth.session USING btree (used_at);
alter table session enable row level security;
create policy nobody on session to reckoner_app using ((COALESCE(current_setting('reckoner.merchants'::text, true), ''::text) = ''::text));

create table source (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  name text not null,
  description text,
  plan_id text not null,
  type text not null,
  config jsonb not null,
  webhook_secret text,
  enabled boolean not null,
  metadata jsonb not null,
  processing_mode text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint source_pkey PRIMARY KEY (merchant_id, id),
  constraint source_merchant_id_plan_id_fkey FOREIGN KEY (merchant_id, plan_id) REFERENCES plan(merchant_id, id),
  constraint source_processing_mode_check CHECK ((processing_mode = ANY (ARRAY['automatic'::text, 'manual'::text])))
);
CREATE INDEX source_all ON source USING btree (seq DESC);
CREATE INDEX source_order ON source USING btree (merchant_id, seq DESC);
CREATE INDEX source_plan ON source USING btree (merchant_id, plan_id);
alter table source enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON source REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON source REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table source_event (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  source_id text not null,
  external_event_id text not null,
  payment_reference text,
  status text not null,
  customer_external_id text,
  customer_id text,
  subscription_id text,
  amount numeric not null,
  currency text not null,
  occurred_at timestamp with time zone not null,
  attributes jsonb not null,
  raw_data jsonb not null,
  error_message text,
  usage_event_ids text[] not null,
  processed_at timestamp with time zone,
  processed_by text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint source_event_pkey PRIMARY KEY (merchant_id, id),
  constraint source_event_merchant_id_source_id_fkey FOREIGN KEY (merchant_id, source_id) REFERENCES source(merchant_id, id),
  constraint source_event_check CHECK (((status = 'processed'::text) = (cardinality(usage_event_ids) > 0))),
  constraint source_event_check1 CHECK (((status = 'failed'::text) = (error_message IS NOT NULL))),
  constraint source_event_check2 CHECK (((status = 'pending'::text) = (processed_at IS NULL))),
  constraint source_event_check3 CHECK (((processed_at IS NULL) = (processed_by IS NULL))),
  constraint source_event_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processed'::text, 'failed'::text, 'rejected'::text])))
);
CREATE INDEX source_event_customer ON source_event USING btree (merchant_id, source_id, customer_id, seq DESC);
CREATE UNIQUE INDEX source_event_external ON source_event USING btree (merchant_id, source_id, external_event_id);
CREATE INDEX source_event_order ON source_event USING btree (merchant_id, source_id, seq DESC);
CREATE UNIQUE INDEX source_event_payment ON source_event USING btree (merchant_id, source_id, payment_reference) WHERE (payment_reference IS NOT NULL);
CREATE INDEX source_event_status ON source_event USING btree (merchant_id, source_id, status, seq DESC);
alter table source_event enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER count_gone AFTER DELETE ON source_event REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_source_event();
CREATE TRIGGER count_moved AFTER UPDATE ON source_event REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_source_event();
CREATE TRIGGER count_new AFTER INSERT ON source_event REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_source_event();
CREATE TRIGGER guard BEFORE UPDATE ON source_event FOR EACH ROW EXECUTE FUNCTION guard_source_event();
CREATE TRIGGER register AFTER INSERT ON source_event REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON source_event REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table source_rule (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  source_id text not null,
  name text not null,
  description text not null,
  conditions jsonb not null,
  position integer not null,
  enabled boolean not null,
  evaluation_count integer not null,
  match_count integer not null,
  last_evaluated_at timestamp with time zone,
  created_by text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint source_rule_pkey PRIMARY KEY (merchant_id, id),
  constraint source_rule_merchant_id_source_id_fkey FOREIGN KEY (merchant_id, source_id) REFERENCES source(merchant_id, id),
  constraint source_rule_check CHECK (((match_count >= 0) AND (match_count <= evaluation_count)))
);
CREATE INDEX source_rule_all ON source_rule USING btree (seq DESC);
CREATE INDEX source_rule_order ON source_rule USING btree (merchant_id, seq DESC);
CREATE INDEX source_rule_turn ON source_rule USING btree (merchant_id, source_id, "position", seq);
alter table source_rule enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON source_rule REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON source_rule REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table stray_payment (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  invoice_id text,
  session_id text,
  charge_id text,
  provider text not null,
  provider_reference text not null,
  amount numeric not null,
  currency text not null,
  reason text not null,
  received_at timestamp with time zone not null,
  return_status text default 'requested'::text not null,
  return_started_at timestamp with time zone,
  return_look_ups integer default 0 not null,
  return_reference text,
  returned_at timestamp with time zone,
  clock_id text,
  next_action_at timestamp with time zone,
  constraint stray_payment_pkey PRIMARY KEY (merchant_id, id),
  constraint stray_payment_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint stray_payment_amount_check CHECK ((amount > (0)::numeric)),
  constraint stray_payment_check CHECK (((return_status = 'returned'::text) = (returned_at IS NOT NULL))),
  constraint stray_payment_check1 CHECK (((return_status = 'requested'::text) = (next_action_at IS NOT NULL))),
  constraint stray_payment_clock_id_check CHECK ((clock_id IS NULL)),
  constraint stray_payment_provider_check CHECK ((provider = 'stripe'::text)),
  constraint stray_payment_reason_check CHECK ((reason = ANY (ARRAY['too_late'::text, 'differs'::text]))),
  constraint stray_payment_return_status_check CHECK ((return_status = ANY (ARRAY['requested'::text, 'returned'::text, 'manual'::text])))
);
CREATE INDEX stray_payment_due ON stray_payment USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX stray_payment_due_on_clock ON stray_payment USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX stray_payment_exception ON stray_payment USING btree (merchant_id, received_at DESC, id DESC) WHERE ((return_status = 'manual'::text) OR ((return_status = 'requested'::text) AND (return_look_ups >= 6)));
CREATE INDEX stray_payment_exception_of_all ON stray_payment USING btree (received_at DESC, id DESC) WHERE ((return_status = 'manual'::text) OR ((return_status = 'requested'::text) AND (return_look_ups >= 6)));
CREATE INDEX stray_payment_order ON stray_payment USING btree (merchant_id, seq DESC);
CREATE UNIQUE INDEX stray_payment_reference ON stray_payment USING btree (merchant_id, provider, provider_reference);
alter table stray_payment enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON stray_payment REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON stray_payment REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table subscription (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  customer_id text not null,
  plan_id text not null,
  plan_version_id text not null,
  plan_version_number integer not null,
  quantities jsonb default '{}'::jsonb not null,
  name text not null,
  status text not null,
  auto_charge boolean not null,
  auto_approve boolean,
  tax_exempt boolean not null,
  bank_transfer_only boolean not null,
  payment_term_days integer not null,
  renewal_reminder_enabled boolean,
  renewal_reminder_days integer,
  reminded_period integer,
  started_at timestamp with time zone not null,
  billing_starts_at timestamp with time zone not null,
  billing_anchor timestamp with time zone not null,
  billing_opened boolean not null,
  activated_at timestamp with time zone,
  ending_at timestamp with time zone,
  terminated_at timestamp with time zone,
  terminated_by text,
  termination_reason text,
  end_credit text default 'invoice'::text not null,
  clock_id text,
  redirect_urls jsonb,
  prefund_amount numeric default 0 not null,
  session_expiry_minutes integer,
  metadata jsonb not null,
  idempotency_key text,
  idempotency_print bytea,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  changed_at timestamp with time zone default clock_timestamp() not null,
  price_overrides jsonb default '[]'::jsonb not null,
  currency text,
  pauses jsonb default '[]'::jsonb not null,
  redemptions jsonb default '[]'::jsonb not null,
  trial_end timestamp with time zone,
  trial_ends_told jsonb default '[]'::jsonb not null,
  is_committed boolean default false not null,
  credits_required boolean default false not null,
  order_id text,
  constraint subscription_pkey PRIMARY KEY (merchant_id, id),
  constraint subscription_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint subscription_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint subscription_merchant_id_order_id_fkey FOREIGN KEY (merchant_id, order_id) REFERENCES sales_order(merchant_id, id),
  constraint subscription_merchant_id_plan_id_fkey FOREIGN KEY (merchant_id, plan_id) REFERENCES plan(merchant_id, id),
  constraint subscription_merchant_id_plan_version_id_fkey FOREIGN KEY (merchant_id, plan_version_id) REFERENCES plan_version(merchant_id, id),
  constraint subscription_activation CHECK (
CASE status
    WHEN 'active'::text THEN (activated_at IS NOT NULL)
    WHEN 'pending_payment'::text THEN (activated_at IS NULL)
    ELSE true
END),
  constraint subscription_check CHECK (((payment_term_days = 0) OR bank_transfer_only)),
  constraint subscription_check1 CHECK (((ending_at IS NULL) OR (ending_at > started_at))),
  constraint subscription_check2 CHECK (((status = 'terminated'::text) = (terminated_at IS NOT NULL))),
  constraint subscription_end_credit_check CHECK ((end_credit = ANY (ARRAY['invoice'::text, 'wallet'::text, 'none'::text]))),
  constraint subscription_payment_term_days_check CHECK (((payment_term_days >= 0) AND (payment_term_days <= 365))),
  constraint subscription_prefund_amount_check CHECK ((prefund_amount >= (0)::numeric)),
  constraint subscription_session_expiry_minutes_check CHECK ((session_expiry_minutes > 0)),
  constraint subscription_status_check CHECK ((status = ANY (ARRAY['pending_payment'::text, 'active'::text, 'terminated'::text])))
);
CREATE INDEX subscription_all ON subscription USING btree (seq DESC);
CREATE INDEX subscription_changed ON subscription USING btree (merchant_id, changed_at);
CREATE INDEX subscription_clock ON subscription USING btree (merchant_id, clock_id) WHERE (clock_id IS NOT NULL);
CREATE INDEX subscription_customer ON subscription USING btree (merchant_id, customer_id, seq);
CREATE INDEX subscription_due ON subscription USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX subscription_due_on_clock ON subscription USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX subscription_ending ON subscription USING btree (merchant_id, seq DESC) WHERE ((status = 'active'::text) AND (ending_at IS NOT NULL));
CREATE UNIQUE INDEX subscription_key ON subscription USING btree (merchant_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX subscription_of_order ON subscription USING btree (merchant_id, order_id) WHERE (order_id IS NOT NULL);
CREATE INDEX subscription_order ON subscription USING btree (merchant_id, seq DESC);
CREATE INDEX subscription_plan ON subscription USING btree (merchant_id, plan_id);
CREATE INDEX subscription_requiring_credits ON subscription USING btree (merchant_id, customer_id) WHERE credits_required;
alter table subscription enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER changed BEFORE INSERT OR UPDATE ON subscription FOR EACH ROW EXECUTE FUNCTION set_changed_at();
CREATE TRIGGER count_gone AFTER DELETE ON subscription REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_subscription();
CREATE TRIGGER count_moved AFTER UPDATE ON subscription REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_subscription();
CREATE TRIGGER count_new AFTER INSERT ON subscription REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_subscription();
CREATE TRIGGER keep_timeline_of_end AFTER UPDATE OF ending_at ON subscription FOR EACH ROW WHEN (((new.ending_at IS DISTINCT FROM old.ending_at) AND (new.terminated_at IS NULL))) EXECUTE FUNCTION keep_timeline_of_end();
CREATE TRIGGER own_trial BEFORE INSERT ON subscription FOR EACH ROW WHEN (((new.trial_end IS NULL) AND (new.billing_starts_at > new.started_at))) EXECUTE FUNCTION trial_of_subscription();
CREATE TRIGGER register AFTER INSERT ON subscription REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON subscription REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();
CREATE TRIGGER wake_credits AFTER UPDATE OF pauses, ending_at ON subscription FOR EACH ROW WHEN (((old.pauses IS DISTINCT FROM new.pauses) OR (old.ending_at IS DISTINCT FROM new.ending_at))) EXECUTE FUNCTION wake_credits_of_subscription();
CREATE TRIGGER wake_schedules AFTER UPDATE OF status, ending_at, terminated_at ON subscription FOR EACH ROW WHEN ((((old.status IS DISTINCT FROM new.status) OR (old.ending_at IS DISTINCT FROM new.ending_at)) OR (old.terminated_at IS DISTINCT FROM new.terminated_at))) EXECUTE FUNCTION wake_schedules();

create table subscription_adjustment (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  subscription_id text not null,
  percentage_discount numeric not null,
  effective_from timestamp with time zone not null,
  effective_to timestamp with time zone,
  description text not null,
  idempotency_key text,
  created_at timestamp with time zone not null,
  constraint subscription_adjustment_pkey PRIMARY KEY (merchant_id, id),
  constraint subscription_adjustment_merchant_id_subscription_id_fkey FOREIGN KEY (merchant_id, subscription_id) REFERENCES subscription(merchant_id, id),
  constraint subscription_adjustment_check CHECK ((effective_to > effective_from)),
  constraint subscription_adjustment_percentage_discount_check CHECK (((percentage_discount > (0)::numeric) AND (percentage_discount <= (1)::numeric) AND (scale(percentage_discount) <= 6)))
);
CREATE UNIQUE INDEX subscription_adjustment_key ON subscription_adjustment USING btree (merchant_id, subscription_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX subscription_adjustment_order ON subscription_adjustment USING btree (merchant_id, subscription_id, seq DESC);
alter table subscription_adjustment enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON subscription_adjustment REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON subscription_adjustment REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();
CREATE TRIGGER wake_alerts AFTER INSERT OR DELETE ON subscription_adjustment FOR EACH ROW EXECUTE FUNCTION wake_alerts_of_subscription();

create table subscription_change (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  subscription_id text not null,
  status text not null,
  effective text not null,
  effective_at timestamp with time zone not null,
  from_plan_version_id text not null,
  plan_id text not null,
  plan_version_id text not null,
  plan_version_number integer not null,
  quantities jsonb default '{}'::jsonb not null,
  proration text not null,
  credit text not null,
  clock_id text,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  price_overrides jsonb,
  dropped_price_overrides jsonb default '[]'::jsonb not null,
  ended_redemption_ids jsonb default '[]'::jsonb not null,
  constraint subscription_change_pkey PRIMARY KEY (merchant_id, id),
  constraint subscription_change_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint subscription_change_merchant_id_subscription_id_fkey FOREIGN KEY (merchant_id, subscription_id) REFERENCES subscription(merchant_id, id),
  constraint subscription_change_check CHECK (((status = 'scheduled'::text) = (next_action_at IS NOT NULL))),
  constraint subscription_change_credit_check CHECK ((credit = ANY (ARRAY['invoice'::text, 'wallet'::text, 'none'::text]))),
  constraint subscription_change_effective_check CHECK ((effective = ANY (ARRAY['now'::text, 'periodEnd'::text]))),
  constraint subscription_change_proration_check CHECK ((proration = ANY (ARRAY['second'::text, 'day'::text, 'none'::text]))),
  constraint subscription_change_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'applied'::text, 'cancelled'::text])))
);
CREATE INDEX subscription_change_due ON subscription_change USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX subscription_change_due_on_clock ON subscription_change USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX subscription_change_order ON subscription_change USING btree (merchant_id, subscription_id, seq DESC);
CREATE UNIQUE INDEX subscription_change_scheduled ON subscription_change USING btree (merchant_id, subscription_id) WHERE (status = 'scheduled'::text);
alter table subscription_change enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER keep_timeline AFTER INSERT ON subscription_change REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_timeline_of_new();
CREATE TRIGGER keep_timeline_of_changed AFTER UPDATE OF status ON subscription_change FOR EACH ROW WHEN ((new.status IS DISTINCT FROM old.status)) EXECUTE FUNCTION keep_timeline_of_row('subscription_change', 'id');
CREATE TRIGGER register AFTER INSERT ON subscription_change REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON subscription_change REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table subscription_version (
  merchant_id text not null,
  subscription_id text not null,
  holds_from timestamp with time zone not null,
  seq bigint generated always as identity not null,
  change_id text,
  plan_id text not null,
  plan_version_id text not null,
  quantities jsonb default '{}'::jsonb not null,
  anchors jsonb not null,
  proration text not null,
  credit text default 'invoice'::text not null,
  takes_up_anew boolean default true not null,
  price_overrides jsonb,
  waits boolean default false not null,
  cancelled boolean default false not null,
  constraint subscription_version_pkey PRIMARY KEY (merchant_id, subscription_id, seq),
  constraint subscription_version_merchant_id_plan_version_id_fkey FOREIGN KEY (merchant_id, plan_version_id) REFERENCES plan_version(merchant_id, id),
  constraint subscription_version_merchant_id_subscription_id_fkey FOREIGN KEY (merchant_id, subscription_id) REFERENCES subscription(merchant_id, id),
  constraint subscription_version_credit_check CHECK ((credit = ANY (ARRAY['invoice'::text, 'wallet'::text, 'none'::text]))),
  constraint subscription_version_proration_check CHECK ((proration = ANY (ARRAY['second'::text, 'day'::text, 'none'::text])))
);
CREATE INDEX subscription_version_order ON subscription_version USING btree (merchant_id, subscription_id, holds_from, seq);
alter table subscription_version enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER wake_alerts AFTER INSERT ON subscription_version FOR EACH ROW EXECUTE FUNCTION wake_alerts_of_subscription();
CREATE TRIGGER wake_credits AFTER INSERT ON subscription_version FOR EACH ROW EXECUTE FUNCTION wake_credits_of_version();

create table tax_address_check (
  merchant_id text not null,
  id text not null,
  look_ups integer default 0 not null,
  asked_at timestamp with time zone not null,
  clock_id text,
  next_action_at timestamp with time zone,
  constraint tax_address_check_pkey PRIMARY KEY (merchant_id, id),
  constraint tax_address_check_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint tax_address_check_merchant_id_id_fkey FOREIGN KEY (merchant_id, id) REFERENCES customer(merchant_id, id),
  constraint tax_address_check_clock_id_check CHECK ((clock_id IS NULL))
);
CREATE INDEX tax_address_check_due ON tax_address_check USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX tax_address_check_due_on_clock ON tax_address_check USING btree (merchant_id, clock_id, next_action_at, id) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
alter table tax_address_check enable row level security; -- with the two policies of tenant_table()

create table tax_id_check (
  merchant_id text not null,
  id text not null,
  tax_id text,
  country text,
  status text not null,
  reason text,
  name text,
  address text,
  checked_at timestamp with time zone,
  attempts integer default 0 not null,
  clock_id text,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  changed_at timestamp with time zone default clock_timestamp() not null,
  constraint tax_id_check_pkey PRIMARY KEY (merchant_id, id),
  constraint tax_id_check_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint tax_id_check_merchant_id_id_fkey FOREIGN KEY (merchant_id, id) REFERENCES customer(merchant_id, id),
  constraint tax_id_check_check CHECK (((status = 'unchecked'::text) OR (checked_at IS NOT NULL))),
  constraint tax_id_check_clock_id_check CHECK ((clock_id IS NULL)),
  constraint tax_id_check_status_check CHECK ((status = ANY (ARRAY['valid'::text, 'invalid'::text, 'unchecked'::text])))
);
CREATE INDEX tax_id_check_changed ON tax_id_check USING btree (merchant_id, changed_at);
CREATE INDEX tax_id_check_due ON tax_id_check USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX tax_id_check_due_on_clock ON tax_id_check USING btree (merchant_id, clock_id, next_action_at, id) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
alter table tax_id_check enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER changed BEFORE INSERT OR UPDATE ON tax_id_check FOR EACH ROW EXECUTE FUNCTION set_changed_at();

create table tax_quote (
  merchant_id text not null,
  seq bigint generated always as identity not null,
  invoice_id text,
  print text not null,
  provider text not null,
  request jsonb not null,
  answer jsonb,
  created_at timestamp with time zone not null,
  constraint tax_quote_pkey PRIMARY KEY (merchant_id, seq),
  constraint tax_quote_provider_check CHECK ((provider = 'stripe_tax'::text))
);
CREATE UNIQUE INDEX tax_quote_of_invoice ON tax_quote USING btree (merchant_id, invoice_id, print) WHERE (invoice_id IS NOT NULL);
CREATE INDEX tax_quote_waiting ON tax_quote USING btree (merchant_id, print) WHERE (invoice_id IS NULL);
alter table tax_quote enable row level security; -- with the two policies of tenant_table()

create table tax_record (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  invoice_id text not null,
  credit_note_id text,
  kind text not null,
  after_id text,
  provider text not null,
  currency text not null,
  net numeric not null,
  tax numeric not null,
  status text not null,
  look_ups integer default 0 not null,
  reference text,
  recorded_tax numeric,
  problem text,
  sent_at timestamp with time zone,
  done_at timestamp with time zone,
  clock_id text,
  next_action_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint tax_record_pkey PRIMARY KEY (merchant_id, id),
  constraint tax_record_merchant_id_after_id_fkey FOREIGN KEY (merchant_id, after_id) REFERENCES tax_record(merchant_id, id),
  constraint tax_record_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint tax_record_merchant_id_credit_note_id_fkey FOREIGN KEY (merchant_id, credit_note_id) REFERENCES credit_note(merchant_id, id),
  constraint tax_record_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id),
  constraint tax_record_check CHECK (((kind = 'invoice'::text) = (after_id IS NULL))),
  constraint tax_record_check1 CHECK (((kind = ANY (ARRAY['credit_note'::text, 'void'::text])) = (credit_note_id IS NOT NULL))),
  constraint tax_record_check2 CHECK (((status = ANY (ARRAY['done'::text, 'failed'::text])) = (next_action_at IS NULL))),
  constraint tax_record_check3 CHECK (((status = 'done'::text) = (done_at IS NOT NULL))),
  constraint tax_record_check4 CHECK (((status = 'done'::text) = ((recorded_tax IS NOT NULL) AND (reference IS NOT NULL)))),
  constraint tax_record_check5 CHECK (((status <> 'failed'::text) OR (problem IS NOT NULL))),
  constraint tax_record_kind_check CHECK ((kind = ANY (ARRAY['invoice'::text, 'credits'::text, 'credit_note'::text, 'void'::text]))),
  constraint tax_record_provider_check CHECK ((provider = 'stripe_tax'::text)),
  constraint tax_record_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'sent'::text, 'done'::text, 'failed'::text])))
);
CREATE INDEX tax_record_after ON tax_record USING btree (merchant_id, after_id) WHERE (after_id IS NOT NULL);
CREATE INDEX tax_record_due ON tax_record USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX tax_record_due_on_clock ON tax_record USING btree (merchant_id, clock_id, next_action_at, seq) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX tax_record_of_invoice ON tax_record USING btree (merchant_id, invoice_id);
CREATE UNIQUE INDEX tax_record_of_note ON tax_record USING btree (merchant_id, credit_note_id, kind) WHERE (credit_note_id IS NOT NULL);
CREATE UNIQUE INDEX tax_record_once ON tax_record USING btree (merchant_id, invoice_id, kind) WHERE (kind = ANY (ARRAY['invoice'::text, 'credits'::text]));
CREATE UNIQUE INDEX tax_record_reference ON tax_record USING btree (merchant_id, provider, reference) WHERE (reference IS NOT NULL);
alter table tax_record enable row level security; -- with the two policies of tenant_table()

create table test_clock (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  name text,
  description text,
  clock_time timestamp with time zone not null,
  advancing_to timestamp with time zone,
  advancing_from timestamp with time zone,
  advance_steps integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint test_clock_pkey PRIMARY KEY (merchant_id, id),
  constraint test_clock_check CHECK ((advancing_to >= clock_time))
);
CREATE INDEX test_clock_advancing ON test_clock USING btree (merchant_id, id) WHERE ((advancing_to IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX test_clock_all ON test_clock USING btree (seq DESC) WHERE (deleted_at IS NULL);
CREATE INDEX test_clock_order ON test_clock USING btree (merchant_id, seq DESC) WHERE (deleted_at IS NULL);
alter table test_clock enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER goes_forward BEFORE UPDATE ON test_clock FOR EACH ROW WHEN ((new.clock_time < old.clock_time)) EXECUTE FUNCTION test_clock_goes_forward();
CREATE TRIGGER register AFTER INSERT ON test_clock REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER unregister AFTER DELETE ON test_clock REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();
CREATE TRIGGER wake_levels AFTER UPDATE OF advancing_to ON test_clock FOR EACH ROW WHEN (((new.advancing_to IS NOT NULL) AND (new.advancing_to IS DISTINCT FROM old.advancing_to))) EXECUTE FUNCTION wake_levels_of_clock();

create table timeline_fact (
  merchant_id text not null,
  customer_id text not null,
  kind text not null,
  at timestamp with time zone not null,
  seq bigint generated always as identity not null,
  id text not null,
  what text not null,
  resource_id text,
  invoice_id text,
  amount numeric,
  currency text,
  label text,
  user_id text,
  constraint timeline_fact_pkey PRIMARY KEY (merchant_id, customer_id, kind, at, seq),
  constraint timeline_fact_kind_check CHECK ((kind = ANY (ARRAY['invoice'::text, 'creditNote'::text, 'payment'::text, 'wallet'::text, 'subscription'::text, 'entitlement'::text, 'alert'::text, 'order'::text, 'change'::text, 'mail'::text, 'webhook'::text])))
);
alter table timeline_fact enable row level security; -- with the two policies of tenant_table()

create table true_up_watch (
  merchant_id text not null,
  id text not null,
  clock_id text,
  settled integer default 0 not null,
  next_action_at timestamp with time zone,
  constraint true_up_watch_pkey PRIMARY KEY (merchant_id, id),
  constraint true_up_watch_merchant_id_clock_id_fkey FOREIGN KEY (merchant_id, clock_id) REFERENCES test_clock(merchant_id, id),
  constraint true_up_watch_merchant_id_id_fkey FOREIGN KEY (merchant_id, id) REFERENCES commitment(merchant_id, id)
);
CREATE INDEX true_up_watch_due ON true_up_watch USING btree (next_action_at) WHERE ((clock_id IS NULL) AND (next_action_at IS NOT NULL));
CREATE INDEX true_up_watch_due_on_clock ON true_up_watch USING btree (merchant_id, clock_id, next_action_at, id) WHERE ((clock_id IS NOT NULL) AND (next_action_at IS NOT NULL));
alter table true_up_watch enable row level security; -- with the two policies of tenant_table()

create table unbilled_day (
  merchant_id text not null,
  day date not null,
  mark bigint,
  looked_at timestamp with time zone not null,
  constraint unbilled_day_pkey PRIMARY KEY (merchant_id, day)
);
CREATE INDEX unbilled_day_latest ON unbilled_day USING btree (day DESC);
alter table unbilled_day enable row level security; -- with the two policies of tenant_table()

create table unbilled_finding (
  merchant_id text not null,
  day date not null,
  metric_id text not null,
  reason text not null,
  event_count bigint not null,
  constraint unbilled_finding_pkey PRIMARY KEY (merchant_id, day, metric_id, reason),
  constraint unbilled_finding_merchant_id_day_fkey FOREIGN KEY (merchant_id, day) REFERENCES unbilled_day(merchant_id, day),
  constraint unbilled_finding_event_count_check CHECK ((event_count > 0))
);
CREATE INDEX unbilled_finding_day ON unbilled_finding USING btree (day, reason);
alter table unbilled_finding enable row level security; -- with the two policies of tenant_table()

create table unused_credit (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  subscription_id text,
  source_key text,
  invoice_id text not null,
  line_seq bigint default 0 not null,
  price_id text,
  charged_from timestamp with time zone not null,
  charged_to timestamp with time zone not null,
  unused_from timestamp with time zone not null,
  unused_to timestamp with time zone not null,
  display_name text not null,
  amount numeric not null,
  tax_amount numeric not null,
  tax_rate numeric not null,
  workings jsonb,
  correction jsonb,
  noted_amount numeric not null,
  noted_tax numeric not null,
  target_invoice_id text,
  created_at timestamp with time zone not null,
  quantity numeric,
  unit_price numeric,
  is_note boolean default false not null,
  constraint unused_credit_pkey PRIMARY KEY (merchant_id, id),
  constraint unused_credit_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id),
  constraint unused_credit_amount_check CHECK ((amount <> (0)::numeric)),
  constraint unused_credit_check CHECK (((charged_from <= unused_from) AND (unused_from < unused_to) AND (unused_to <= charged_to))),
  constraint unused_credit_check1 CHECK ((((noted_amount >= LEAST(amount, (0)::numeric)) AND (noted_amount <= GREATEST(amount, (0)::numeric))) AND ((noted_tax >= LEAST(tax_amount, (0)::numeric)) AND (noted_tax <= GREATEST(tax_amount, (0)::numeric))))),
  constraint unused_credit_check2 CHECK (((subscription_id IS NULL) = (source_key IS NOT NULL))),
  constraint unused_credit_units CHECK (((quantity IS NULL) = (unit_price IS NULL)))
);
CREATE INDEX unused_credit_of ON unused_credit USING btree (merchant_id, invoice_id);
CREATE INDEX unused_credit_subscription ON unused_credit USING btree (merchant_id, subscription_id, charged_to);
CREATE INDEX unused_credit_target ON unused_credit USING btree (merchant_id, target_invoice_id, seq) WHERE (target_invoice_id IS NOT NULL);
alter table unused_credit enable row level security; -- with the two policies of tenant_table()

create table usage_late (
  merchant_id text not null,
  subject_id bigint not null,
  at timestamp with time zone not null,
  xid xid8 default pg_current_xact_id() not null,
  constraint usage_late_pkey PRIMARY KEY (merchant_id, subject_id, xid)
);
alter table usage_late enable row level security; -- with the two policies of tenant_table()

create table usage_projection (
  generation integer generated always as identity not null,
  name text not null,
  state text not null,
  reason text not null,
  created_at timestamp with time zone not null,
  retired_at timestamp with time zone,
  leased_until timestamp with time zone,
  constraint usage_projection_name_key UNIQUE (name),
  constraint usage_projection_pkey PRIMARY KEY (generation),
  constraint usage_projection_state_check CHECK ((state = ANY (ARRAY['new'::text, 'building'::text, 'serving'::text, 'retired'::text, 'dropped'::text])))
);
CREATE UNIQUE INDEX usage_projection_coming ON usage_projection USING btree ((true)) WHERE (state = ANY (ARRAY['new'::text, 'building'::text]));
CREATE UNIQUE INDEX usage_projection_serving ON usage_projection USING btree (state) WHERE (state = 'serving'::text);

create table usage_rollup (
  merchant_id text not null,
  definition_id bigint not null,
  subject_id bigint not null,
  hour timestamp with time zone not null,
  group_hash uuid not null,
  lane smallint not null,
  group_values text[] not null,
  event_count bigint not null,
  first_at timestamp with time zone,
  last_at timestamp with time zone,
  total numeric,
  least_value numeric,
  greatest_value numeric,
  latest_at timestamp with time zone,
  latest_seq bigint,
  latest_value numeric,
  constraint usage_rollup_pkey PRIMARY KEY (merchant_id, definition_id, subject_id, hour, group_hash, lane)
);
CREATE INDEX usage_rollup_level ON usage_rollup USING btree (merchant_id, definition_id, subject_id, group_hash, hour) WHERE (latest_at IS NOT NULL);
alter table usage_rollup enable row level security; -- with the two policies of tenant_table()

create table usage_shipment (
  generation integer not null,
  batch_no integer not null,
  from_seq bigint not null,
  to_seq bigint not null,
  token text not null,
  event_count integer not null,
  shipped_at timestamp with time zone,
  constraint usage_shipment_generation_from_seq_key UNIQUE (generation, from_seq),
  constraint usage_shipment_pkey PRIMARY KEY (generation, batch_no),
  constraint usage_shipment_generation_fkey FOREIGN KEY (generation) REFERENCES usage_projection(generation),
  constraint usage_shipment_batch_no_check CHECK ((batch_no > 0)),
  constraint usage_shipment_check CHECK ((from_seq < to_seq)),
  constraint usage_shipment_event_count_check CHECK ((event_count >= 0))
);
CREATE UNIQUE INDEX usage_shipment_under_way ON usage_shipment USING btree (generation) WHERE (shipped_at IS NULL);

create table usage_taken (
  merchant_id text not null,
  invoice_id text not null,
  snapshot text not null,
  constraint usage_taken_pkey PRIMARY KEY (merchant_id, invoice_id),
  constraint usage_taken_merchant_id_invoice_id_fkey FOREIGN KEY (merchant_id, invoice_id) REFERENCES invoice(merchant_id, id)
);
alter table usage_taken enable row level security; -- with the two policies of tenant_table()

create table usage_value (
  merchant_id text not null,
  definition_id bigint not null,
  subject_id bigint not null,
  hour timestamp with time zone not null,
  group_hash uuid not null,
  value_hash uuid not null,
  group_values text[] not null,
  constraint usage_value_pkey PRIMARY KEY (merchant_id, definition_id, subject_id, hour, group_hash, value_hash)
);
alter table usage_value enable row level security; -- with the two policies of tenant_table()

create table wallet (
  merchant_id text not null,
  customer_id text not null,
  currency text not null,
  balance numeric default 0 not null,
  constraint wallet_pkey PRIMARY KEY (merchant_id, customer_id, currency),
  constraint wallet_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint wallet_balance_check CHECK ((balance >= (0)::numeric))
);
alter table wallet enable row level security; -- with the two policies of tenant_table()

create table webhook_attempt (
  merchant_id text not null,
  id text not null,
  event_id text not null,
  endpoint_id text not null,
  number integer not null,
  status text not null,
  status_code integer,
  error text,
  reply text,
  duration_milliseconds integer,
  created_at timestamp with time zone not null,
  constraint webhook_attempt_pkey PRIMARY KEY (merchant_id, event_id, endpoint_id, number),
  constraint webhook_attempt_status_check CHECK ((status = ANY (ARRAY['delivered'::text, 'failed'::text])))
);
CREATE INDEX webhook_attempt_order ON webhook_attempt USING btree (merchant_id, event_id, created_at DESC, endpoint_id DESC, number DESC);
alter table webhook_attempt enable row level security; -- with the two policies of tenant_table()

create table webhook_delivery (
  merchant_id text not null,
  event_id text not null,
  endpoint_id text not null,
  seq bigint not null,
  status text default 'pending'::text not null,
  attempts integer default 0 not null,
  slot integer default 0 not null,
  next_attempt_at timestamp with time zone default '-infinity'::timestamp with time zone,
  begun_at timestamp with time zone,
  begun_by integer,
  constraint webhook_delivery_pkey PRIMARY KEY (merchant_id, event_id, endpoint_id),
  constraint webhook_delivery_check CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_delivery_check1 CHECK (((begun_at IS NULL) OR (status = 'pending'::text))),
  constraint webhook_delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'exhausted'::text])))
);
CREATE INDEX webhook_delivery_begun ON webhook_delivery USING btree (merchant_id, endpoint_id) WHERE (begun_at IS NOT NULL);
CREATE INDEX webhook_delivery_queue ON webhook_delivery USING btree (merchant_id, endpoint_id, next_attempt_at, seq) WHERE (status = 'pending'::text);
alter table webhook_delivery enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER keep_timeline_of_changed AFTER UPDATE OF status ON webhook_delivery FOR EACH ROW WHEN (((new.status <> 'pending'::text) AND (old.status = 'pending'::text))) EXECUTE FUNCTION keep_timeline_of_row('webhook_delivery', 'event_id');

create table webhook_endpoint (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  url text not null,
  event_types text[] not null,
  description text,
  status text not null,
  disabled_reason text,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamp with time zone,
  failing_since timestamp with time zone,
  told_at timestamp with time zone,
  wants_since timestamp with time zone default clock_timestamp() not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  failed_attempts integer default 0 not null,
  first_delivered_at timestamp with time zone,
  constraint webhook_endpoint_pkey PRIMARY KEY (merchant_id, id),
  constraint webhook_endpoint_check CHECK (((previous_secret IS NULL) = (previous_secret_until IS NULL))),
  constraint webhook_endpoint_check1 CHECK (((status = 'disabled'::text) = (disabled_reason IS NOT NULL))),
  constraint webhook_endpoint_check2 CHECK (((told_at IS NULL) OR (failing_since IS NOT NULL))),
  constraint webhook_endpoint_check3 CHECK (((deleted_at IS NULL) OR (status = 'disabled'::text))),
  constraint webhook_endpoint_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['request'::text, 'gone'::text, 'failing'::text]))),
  constraint webhook_endpoint_event_types_check CHECK ((cardinality(event_types) > 0)),
  constraint webhook_endpoint_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text])))
);
CREATE INDEX webhook_endpoint_all ON webhook_endpoint USING btree (seq DESC) WHERE (deleted_at IS NULL);
CREATE INDEX webhook_endpoint_order ON webhook_endpoint USING btree (merchant_id, seq DESC) WHERE (deleted_at IS NULL);
alter table webhook_endpoint enable row level security; -- with the two policies of tenant_table()
CREATE TRIGGER register AFTER INSERT ON webhook_endpoint REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION register_resources();
CREATE TRIGGER renew BEFORE UPDATE ON webhook_endpoint FOR EACH ROW EXECUTE FUNCTION renew_wants_since();
CREATE TRIGGER unregister AFTER DELETE ON webhook_endpoint REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION unregister_resources();

create table webhook_receipt (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity not null,
  endpoint_id text not null,
  event_id text not null,
  type text not null,
  happened_at timestamp with time zone not null,
  data jsonb not null,
  headers jsonb not null,
  created_at timestamp with time zone not null,
  constraint webhook_receipt_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX webhook_receipt_all ON webhook_receipt USING btree (created_at DESC, seq DESC);
CREATE INDEX webhook_receipt_order ON webhook_receipt USING btree (merchant_id, created_at DESC, seq DESC);
alter table webhook_receipt enable row level security; -- with the two policies of tenant_table()

create table worker (
  id integer generated by default as identity not null,
  constraint worker_pkey PRIMARY KEY (id)
);

create view event_key_sealed with (security_invoker=true) as
 SELECT NULL::bigint AS seq,
    NULL::bigint AS fp,
    NULL::date AS day,
    NULL::integer AS merchant_number,
    NULL::uuid AS h
  WHERE false;

create view event_key_sieve with (security_invoker=true) as
 SELECT 4 AS digits,
    (NULL::text COLLATE "C") AS prefix,
    NULL::bytea AS suffixes
  WHERE false;

create view event_key_unsifted with (security_invoker=true) as
 SELECT NULL::bigint AS seq,
    NULL::bigint AS fp,
    NULL::date AS day,
    NULL::integer AS merchant_number,
    NULL::uuid AS h
  WHERE false;

create view invoice_section with (security_invoker=true) as
 SELECT merchant_id,
    grouped_into_id AS invoice_id,
    id,
    seq,
    customer_id,
    subscription_id,
    period_start,
    ( SELECT COALESCE(sum(l.total_price), (0)::numeric) AS "coalesce"
           FROM invoice_line l
          WHERE ((l.merchant_id = m.merchant_id) AND (l.invoice_id = m.grouped_into_id) AND (l.member_id = m.id))) AS amount
   FROM invoice m
  WHERE (grouped_into_id IS NOT NULL);

create view revenue_source with (security_invoker=true) as
 SELECT i.merchant_id,
    i.id,
    'invoice'::text AS kind,
        CASE i.status
            WHEN 'PAID'::text THEN 'paid'::text
            WHEN 'WRITTEN_OFF'::text THEN 'written_off'::text
            ELSE 'outstanding'::text
        END AS status,
    i.issued_at AS counted_at,
    i.currency,
    i.customer_id,
    i.subscription_id,
        CASE
            WHEN (i.subscription_id IS NULL) THEN (i.one_off ->> 'planId'::text)
            ELSE plan_at(i.merchant_id, i.subscription_id, i.period_start)
        END AS plan_id,
    ((i.subtotal - i.collected_debt) - topped.up) AS amount,
        CASE
            WHEN ((i.unpaid_amount <= (0)::numeric) OR (i.grand_total <= noted.total)) THEN (0)::numeric
            ELSE round((((((i.subtotal - i.collected_debt) - topped.up) - noted.amount) * i.unpaid_amount) / (i.grand_total - noted.total)), minor_digits(i.currency))
        END AS open_amount,
    i.id AS record_id
   FROM ((invoice i
     CROSS JOIN LATERAL ( SELECT COALESCE(sum(l.total_price), (0)::numeric) AS up
           FROM invoice_line l
          WHERE ((l.merchant_id = i.merchant_id) AND (l.invoice_id = i.id) AND (l.type = ANY (ARRAY['wallet_top_up'::text, 'credit_purchase'::text, 'prepayment'::text])))) topped)
     CROSS JOIN LATERAL ( SELECT COALESCE(sum(((n.amount - n.topped_up) - n.advanced)), (0)::numeric) AS amount,
            COALESCE(sum(n.total), (0)::numeric) AS total
           FROM credit_note n
          WHERE ((n.merchant_id = i.merchant_id) AND (n.invoice_id = i.id) AND (n.kind = ANY (ARRAY['credit'::text, 'partial'::text])) AND (n.status = 'ISSUED'::text))) noted)
  WHERE ((i.invoice_number IS NOT NULL) AND (i.status = ANY (ARRAY['ISSUED'::text, 'PAYMENT_FAILED'::text, 'PAID'::text, 'WRITTEN_OFF'::text])) AND (i.kind <> 'grouped'::text))
UNION ALL
 SELECT g.merchant_id,
    x.id,
    'invoice'::text AS kind,
        CASE g.status
            WHEN 'PAID'::text THEN 'paid'::text
            WHEN 'WRITTEN_OFF'::text THEN 'written_off'::text
            ELSE 'outstanding'::text
        END AS status,
    g.issued_at AS counted_at,
    g.currency,
    m.customer_id,
    m.subscription_id,
    plan_at(m.merchant_id, m.subscription_id, m.period_start) AS plan_id,
    m.amount,
        CASE
            WHEN (m.total = (0)::numeric) THEN (0)::numeric
            ELSE (round(((noted.open * m.so_far) / m.total), minor_digits(g.currency)) - round(((noted.open * (m.so_far - m.amount)) / m.total), minor_digits(g.currency)))
        END AS open_amount,
    x.id AS record_id
   FROM (((invoice x
     JOIN invoice g ON (((g.merchant_id = x.merchant_id) AND (g.id = x.grouped_into_id))))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN ((g.unpaid_amount <= (0)::numeric) OR (g.grand_total <= COALESCE(sum(n.total), (0)::numeric))) THEN (0)::numeric
                    ELSE round(((((g.subtotal - g.collected_debt) - COALESCE(sum(n.amount), (0)::numeric)) * g.unpaid_amount) / (g.grand_total - COALESCE(sum(n.total), (0)::numeric))), minor_digits(g.currency))
                END AS open
           FROM credit_note n
          WHERE ((n.merchant_id = g.merchant_id) AND (n.invoice_id = g.id) AND (n.kind = ANY (ARRAY['credit'::text, 'partial'::text])) AND (n.status = 'ISSUED'::text))) noted)
     CROSS JOIN LATERAL ( SELECT all_members.merchant_id,
            all_members.invoice_id,
            all_members.id,
            all_members.seq,
            all_members.customer_id,
            all_members.subscription_id,
            all_members.period_start,
            all_members.amount,
            all_members.so_far,
            all_members.total
           FROM ( SELECT s.merchant_id,
                    s.invoice_id,
                    s.id,
                    s.seq,
                    s.customer_id,
                    s.subscription_id,
                    s.period_start,
                    s.amount,
                    sum(s.amount) OVER (ORDER BY s.seq) AS so_far,
                    sum(s.amount) OVER () AS total
                   FROM invoice_section s
                  WHERE ((s.merchant_id = g.merchant_id) AND (s.invoice_id = g.id))) all_members
          WHERE (all_members.id = x.id)) m)
  WHERE ((x.grouped_into_id IS NOT NULL) AND (g.kind = 'grouped'::text) AND (g.invoice_number IS NOT NULL) AND (g.status = ANY (ARRAY['ISSUED'::text, 'PAYMENT_FAILED'::text, 'PAID'::text, 'WRITTEN_OFF'::text])))
UNION ALL
 SELECT n.merchant_id,
    n.id,
    'refund'::text AS kind,
    'issued'::text AS status,
    n.created_at AS counted_at,
    n.currency,
    i.customer_id,
    i.subscription_id,
    ( SELECT f.plan_id
           FROM revenue_fact f
          WHERE ((f.merchant_id = i.merchant_id) AND (f.id = i.id))) AS plan_id,
    ((n.amount - i.collected_debt) - ( SELECT COALESCE(sum(l.total_price), (0)::numeric) AS "coalesce"
           FROM invoice_line l
          WHERE ((l.merchant_id = i.merchant_id) AND (l.invoice_id = i.id) AND (l.type = ANY (ARRAY['wallet_top_up'::text, 'credit_purchase'::text, 'prepayment'::text]))))) AS amount,
    0 AS open_amount,
    n.id AS record_id
   FROM (credit_note n
     JOIN invoice i ON (((i.merchant_id = n.merchant_id) AND (i.id = n.invoice_id))))
  WHERE (((n.kind = 'refund'::text) OR ((n.kind = 'reissue'::text) AND (i.status = 'PAID'::text))) AND (n.status = 'ISSUED'::text) AND (i.kind <> 'grouped'::text))
UNION ALL
 SELECT n.merchant_id,
    ((n.id || '/'::text) || m.id) AS id,
    'refund'::text AS kind,
    'issued'::text AS status,
    n.created_at AS counted_at,
    n.currency,
    m.customer_id,
    m.subscription_id,
    ( SELECT f.plan_id
           FROM revenue_fact f
          WHERE ((f.merchant_id = m.merchant_id) AND (f.id = m.id))) AS plan_id,
    m.amount,
    0 AS open_amount,
    n.id AS record_id
   FROM (credit_note n
     JOIN invoice_section m ON (((m.merchant_id = n.merchant_id) AND (m.invoice_id = n.invoice_id))))
  WHERE ((n.kind = 'refund'::text) AND (n.status = 'ISSUED'::text))
UNION ALL
 SELECT n.merchant_id,
    n.id,
    'rebate'::text AS kind,
    'issued'::text AS status,
    n.created_at AS counted_at,
    n.currency,
    i.customer_id,
    i.subscription_id,
    ( SELECT f.plan_id
           FROM revenue_fact f
          WHERE ((f.merchant_id = i.merchant_id) AND (f.id = i.id))) AS plan_id,
    ((n.amount - n.topped_up) - n.advanced) AS amount,
    0 AS open_amount,
    n.id AS record_id
   FROM (credit_note n
     JOIN invoice i ON (((i.merchant_id = n.merchant_id) AND (i.id = n.invoice_id))))
  WHERE ((n.kind = ANY (ARRAY['credit'::text, 'partial'::text])) AND (n.status = 'ISSUED'::text) AND (i.status <> 'CANCELLED'::text) AND (i.kind <> 'grouped'::text))
UNION ALL
 SELECT n.merchant_id,
    ((n.id || '/'::text) || m.id) AS id,
    'rebate'::text AS kind,
    'issued'::text AS status,
    n.created_at AS counted_at,
    n.currency,
    m.customer_id,
    m.subscription_id,
    ( SELECT f.plan_id
           FROM revenue_fact f
          WHERE ((f.merchant_id = m.merchant_id) AND (f.id = m.id))) AS plan_id,
    part.amount,
    0 AS open_amount,
    n.id AS record_id
   FROM (((credit_note n
     JOIN invoice g ON (((g.merchant_id = n.merchant_id) AND (g.id = n.invoice_id) AND (g.kind = 'grouped'::text))))
     CROSS JOIN LATERAL ( SELECT COALESCE(( SELECT l.member_id
                   FROM invoice_line l
                  WHERE ((l.merchant_id = r.merchant_id) AND (l.invoice_id = n.invoice_id) AND (l.id = r.applies_to_line_id))), ( SELECT o.id
                   FROM (unused_credit c
                     JOIN invoice o ON (((o.merchant_id = c.merchant_id) AND (o.grouped_into_id = n.invoice_id) AND (o.subscription_id = c.subscription_id))))
                  WHERE ((c.merchant_id = r.merchant_id) AND (c.id = r.credit_id))
                  ORDER BY o.seq
                 LIMIT 1), ( SELECT o.id
                   FROM invoice o
                  WHERE ((o.merchant_id = n.merchant_id) AND (o.grouped_into_id = n.invoice_id))
                  ORDER BY o.seq
                 LIMIT 1)) AS member_id,
            sum(r.amount) AS amount
           FROM credit_note_line r
          WHERE ((r.merchant_id = n.merchant_id) AND (r.credit_note_id = n.id))
          GROUP BY COALESCE(( SELECT l.member_id
                   FROM invoice_line l
                  WHERE ((l.merchant_id = r.merchant_id) AND (l.invoice_id = n.invoice_id) AND (l.id = r.applies_to_line_id))), ( SELECT o.id
                   FROM (unused_credit c
                     JOIN invoice o ON (((o.merchant_id = c.merchant_id) AND (o.grouped_into_id = n.invoice_id) AND (o.subscription_id = c.subscription_id))))
                  WHERE ((c.merchant_id = r.merchant_id) AND (c.id = r.credit_id))
                  ORDER BY o.seq
                 LIMIT 1), ( SELECT o.id
                   FROM invoice o
                  WHERE ((o.merchant_id = n.merchant_id) AND (o.grouped_into_id = n.invoice_id))
                  ORDER BY o.seq
                 LIMIT 1))) part)
     JOIN invoice m ON (((m.merchant_id = n.merchant_id) AND (m.id = part.member_id))))
  WHERE ((n.kind = ANY (ARRAY['credit'::text, 'partial'::text])) AND (n.status = 'ISSUED'::text) AND (g.status <> 'CANCELLED'::text))
UNION ALL
 SELECT r.merchant_id,
    r.id,
    'payment'::text AS kind,
    'completed'::text AS status,
    r.received_at AS counted_at,
    r.currency,
    COALESCE(i.customer_id, s.customer_id) AS customer_id,
    COALESCE(i.subscription_id, s.subscription_id) AS subscription_id,
    NULL::text AS plan_id,
    r.amount,
    0 AS open_amount,
    r.id AS record_id
   FROM ((payment_receipt r
     LEFT JOIN invoice i ON (((i.merchant_id = r.merchant_id) AND (i.id = r.invoice_id))))
     LEFT JOIN payment_session s ON (((s.merchant_id = r.merchant_id) AND (s.id = r.session_id))))
  WHERE (r.reversed_at IS NULL)
UNION ALL
 SELECT s.merchant_id,
    s.id,
    'payment'::text AS kind,
        CASE s.status
            WHEN 'expired'::text THEN 'expired'::text
            ELSE 'pending'::text
        END AS status,
    s.created_at AS counted_at,
    s.currency,
    s.customer_id,
    COALESCE(s.subscription_id, i.subscription_id) AS subscription_id,
    NULL::text AS plan_id,
    s.amount,
    0 AS open_amount,
    s.id AS record_id
   FROM (payment_session s
     LEFT JOIN invoice i ON (((i.merchant_id = s.merchant_id) AND (i.id = s.invoice_id))))
  WHERE ((s.mode = 'payment'::text) AND (s.status = ANY (ARRAY['pending'::text, 'processing'::text, 'failed'::text, 'expired'::text])))
UNION ALL
 SELECT t.merchant_id,
    t.id,
    'rebate'::text AS kind,
    'issued'::text AS status,
    t.created_at AS counted_at,
    t.currency,
    ( SELECT w.customer_id
           FROM ledger_entry w
          WHERE ((w.merchant_id = t.merchant_id) AND (w.transaction_id = t.id) AND (w.account = 'wallet'::text))) AS customer_id,
    i.subscription_id,
    ( SELECT f.plan_id
           FROM revenue_fact f
          WHERE ((f.merchant_id = i.merchant_id) AND (f.id = i.id))) AS plan_id,
    e.amount,
    0 AS open_amount,
    t.id AS record_id
   FROM ((ledger_transaction t
     JOIN ledger_entry e ON (((e.merchant_id = t.merchant_id) AND (e.transaction_id = t.id) AND (e.account = 'revenue'::text))))
     LEFT JOIN invoice i ON (((i.merchant_id = t.merchant_id) AND (i.id = t.invoice_id))))
  WHERE (t.key ~~ 'carried:%'::text)
UNION ALL
 SELECT t.merchant_id,
    t.id,
    'earned'::text AS kind,
    'issued'::text AS status,
    t.created_at AS counted_at,
    t.currency,
    ( SELECT w.customer_id
           FROM ledger_entry w
          WHERE ((w.merchant_id = t.merchant_id) AND (w.transaction_id = t.id) AND (w.account = 'deferred_credits'::text))) AS customer_id,
    NULL::text AS subscription_id,
    NULL::text AS plan_id,
    (- e.amount) AS amount,
    0 AS open_amount,
    t.id AS record_id
   FROM (ledger_transaction t
     JOIN ledger_entry e ON (((e.merchant_id = t.merchant_id) AND (e.transaction_id = t.id) AND (e.account = 'revenue'::text))))
  WHERE (t.key ~~ 'earned:%'::text)
UNION ALL
 SELECT d.merchant_id,
    d.id,
    'dispute'::text AS kind,
    d.status,
    d.created_at AS counted_at,
    d.currency,
    COALESCE(i.customer_id, s.customer_id) AS customer_id,
    COALESCE(i.subscription_id, s.subscription_id) AS subscription_id,
    NULL::text AS plan_id,
    d.withheld AS amount,
    0 AS open_amount,
    d.id AS record_id
   FROM (((payment_dispute d
     LEFT JOIN payment_receipt r ON (((r.merchant_id = d.merchant_id) AND (r.id = d.payment_id))))
     LEFT JOIN invoice i ON (((i.merchant_id = r.merchant_id) AND (i.id = r.invoice_id))))
     LEFT JOIN payment_session s ON (((s.merchant_id = r.merchant_id) AND (s.id = r.session_id))))
  WHERE (d.status = ANY (ARRAY['open'::text, 'lost'::text]));

create view timeline_of_audit_entry with (security_invoker=true) as
 SELECT a.merchant_id,
    'audit_entry'::text AS source,
    a.id AS source_id,
    a.seq,
    about.customer_id,
    'change'::text AS kind,
    a.at,
    a.id,
    a.operation AS what,
    a.resource_id,
        CASE
            WHEN (a.resource_id ~~ 'inv\_%'::text) THEN a.resource_id
            ELSE (a.after ->> 'invoiceId'::text)
        END AS invoice_id,
    NULL::numeric AS amount,
    NULL::text AS currency,
    NULL::text AS label,
    a.user_id
   FROM ((audit_entry a
     CROSS JOIN LATERAL ( SELECT COALESCE((a.after ->> 'subscriptionId'::text), a.resource_id) AS subscription_id,
            COALESCE((a.after ->> 'entitlementId'::text), a.resource_id) AS entitlement_id,
            COALESCE((a.after ->> 'invoiceId'::text), a.resource_id) AS invoice_id
         OFFSET 0) named)
     CROSS JOIN LATERAL ( SELECT COALESCE(a.customer_id, (a.after ->> 'customerId'::text), (a.before ->> 'customerId'::text),
                CASE 'customer'::text
                    WHEN (a.after ->> 'object'::text) THEN (a.after ->> 'id'::text)
                    WHEN (a.before ->> 'object'::text) THEN (a.before ->> 'id'::text)
                    ELSE NULL::text
                END, ( SELECT s.customer_id
                   FROM subscription s
                  WHERE ((s.merchant_id = a.merchant_id) AND (s.id = named.subscription_id))), ( SELECT e.customer_id
                   FROM entitlement e
                  WHERE ((e.merchant_id = a.merchant_id) AND (e.id = named.entitlement_id))), ( SELECT i.customer_id
                   FROM invoice i
                  WHERE ((i.merchant_id = a.merchant_id) AND (i.id = named.invoice_id)))) AS customer_id) about)
  WHERE (about.customer_id IS NOT NULL);

create view timeline_of_credit_note with (security_invoker=true) as
 SELECT n.merchant_id,
    'credit_note'::text AS source,
    n.id AS source_id,
    n.seq,
    i.customer_id,
    'creditNote'::text AS kind,
    told.at,
    told.id,
    told.what,
    n.id AS resource_id,
    i.id AS invoice_id,
    n.total AS amount,
    n.currency,
    n.number AS label,
    NULL::text AS user_id
   FROM ((credit_note n
     JOIN invoice i ON (((i.merchant_id = n.merchant_id) AND (i.id = n.invoice_id))))
     CROSS JOIN LATERAL ( VALUES (n.created_at,n.id,'creditNote.issued'::text), (n.voided_at,(n.id || '_voided'::text),'creditNote.voided'::text)) told(at, id, what))
  WHERE (told.at IS NOT NULL);

create view timeline_of_ledger_entry with (security_invoker=true) as
 SELECT e.merchant_id,
    'ledger_entry'::text AS source,
    e.transaction_id AS source_id,
    e.seq,
    e.customer_id,
    'wallet'::text AS kind,
    t.created_at AS at,
    ((t.id || '_'::text) || e."position") AS id,
    ('wallet.'::text || replace(t.reason, 'wallet_'::text, ''::text)) AS what,
    t.id AS resource_id,
    t.invoice_id,
    (- e.amount) AS amount,
    e.currency,
    NULL::text AS label,
    NULL::text AS user_id
   FROM (ledger_entry e
     JOIN ledger_transaction t ON (((t.merchant_id = e.merchant_id) AND (t.id = e.transaction_id))))
  WHERE (e.account = 'wallet'::text);

create view timeline_of_mail with (security_invoker=true) as
 SELECT merchant_id,
    'mail'::text AS source,
    id AS source_id,
    seq,
    customer_id,
    'mail'::text AS kind,
    created_at AS at,
    id,
    ('mail.'::text || status) AS what,
    id AS resource_id,
        CASE
            WHEN (about_id ~~ 'inv\_%'::text) THEN about_id
            ELSE NULL::text
        END AS invoice_id,
    NULL::numeric AS amount,
    NULL::text AS currency,
    kind AS label,
    NULL::text AS user_id
   FROM mail m;

create view timeline_of_outbox with (security_invoker=true) as
 SELECT o.merchant_id,
    'outbox'::text AS source,
    o.id AS source_id,
    o.seq,
    (o.data ->> 'customerId'::text) AS customer_id,
        CASE t.noun
            WHEN 'grant'::text THEN 'entitlement'::text
            WHEN 'payment_session'::text THEN 'payment'::text
            WHEN 'customer'::text THEN 'change'::text
            ELSE t.noun
        END AS kind,
    o.created_at AS at,
    o.id,
    ((t.noun || '.'::text) || split_part(o.type, '.'::text, 2)) AS what,
    o.resource_id,
    COALESCE(i.id, (o.data ->> 'invoiceId'::text)) AS invoice_id,
    COALESCE(i.grand_total, NULLIF(p.amount, (0)::numeric), g.amount) AS amount,
    COALESCE(i.currency,
        CASE
            WHEN (p.amount > (0)::numeric) THEN p.currency
            ELSE NULL::text
        END) AS currency,
    COALESCE(i.invoice_number, s.name, f.name, (o.data ->> 'name'::text)) AS label,
    NULL::text AS user_id
   FROM (((((((outbox o
     CROSS JOIN LATERAL ( SELECT split_part(o.type, '.'::text, 1) AS noun) t)
     LEFT JOIN invoice i ON (((t.noun = 'invoice'::text) AND (i.merchant_id = o.merchant_id) AND (i.id = o.resource_id))))
     LEFT JOIN subscription s ON (((t.noun = 'subscription'::text) AND (s.merchant_id = o.merchant_id) AND (s.id = o.resource_id))))
     LEFT JOIN payment_session p ON (((t.noun = 'payment_session'::text) AND (p.merchant_id = o.merchant_id) AND (p.id = o.resource_id))))
     LEFT JOIN entitlement_grant g ON (((t.noun = 'grant'::text) AND (g.merchant_id = o.merchant_id) AND (g.id = o.resource_id))))
     LEFT JOIN entitlement e ON (((t.noun = ANY (ARRAY['grant'::text, 'entitlement'::text])) AND (e.merchant_id = o.merchant_id) AND (e.id = (o.data ->> 'entitlementId'::text)))))
     LEFT JOIN feature f ON (((f.merchant_id = e.merchant_id) AND (f.id = e.feature_id))))
  WHERE ((t.noun = ANY (ARRAY['invoice'::text, 'subscription'::text, 'grant'::text, 'entitlement'::text, 'payment_session'::text, 'customer'::text, 'alert'::text, 'order'::text])) AND (o.type <> 'subscription.updated.v0'::text) AND ((o.data ->> 'customerId'::text) IS NOT NULL));

create view timeline_of_payment_receipt with (security_invoker=true) as
 SELECT r.merchant_id,
    'payment_receipt'::text AS source,
    r.id AS source_id,
    r.seq,
    COALESCE(i.customer_id, s.customer_id) AS customer_id,
    'payment'::text AS kind,
    told.at,
    told.id,
    told.what,
    r.id AS resource_id,
    r.invoice_id,
    r.amount,
    r.currency,
    COALESCE(r.card_brand, r.method) AS label,
    NULL::text AS user_id
   FROM (((payment_receipt r
     LEFT JOIN invoice i ON (((i.merchant_id = r.merchant_id) AND (i.id = r.invoice_id))))
     LEFT JOIN payment_session s ON (((s.merchant_id = r.merchant_id) AND (s.id = r.session_id))))
     CROSS JOIN LATERAL ( VALUES (r.received_at,r.id,'payment.received'::text), (r.returned_at,(r.id || '_returned'::text),'payment.returned'::text), (r.reversed_at,(r.id || '_reversed'::text),'payment.reversed'::text)) told(at, id, what))
  WHERE ((told.at IS NOT NULL) AND (COALESCE(i.customer_id, s.customer_id) IS NOT NULL));

create view timeline_of_subscription_change with (security_invoker=true) as
 SELECT c.merchant_id,
    'subscription_change'::text AS source,
    c.id AS source_id,
    c.seq,
    s.customer_id,
    'subscription'::text AS kind,
    c.effective_at AS at,
    c.id,
        CASE
            WHEN (c.plan_version_id <> c.from_plan_version_id) THEN 'subscription.plan_changed'::text
            WHEN (c.price_overrides IS NOT NULL) THEN 'subscription.prices_changed'::text
            ELSE 'subscription.quantities_changed'::text
        END AS what,
    s.id AS resource_id,
    NULL::text AS invoice_id,
    NULL::numeric AS amount,
    NULL::text AS currency,
    p.name AS label,
    NULL::text AS user_id
   FROM ((subscription_change c
     JOIN subscription s ON (((s.merchant_id = c.merchant_id) AND (s.id = c.subscription_id))))
     JOIN plan p ON (((p.merchant_id = c.merchant_id) AND (p.id = c.plan_id))))
  WHERE (c.status = 'applied'::text);

create view timeline_of_webhook_delivery with (security_invoker=true) as
 SELECT d.merchant_id,
    'webhook_delivery'::text AS source,
    d.event_id AS source_id,
    d.seq,
    (o.data ->> 'customerId'::text) AS customer_id,
    'webhook'::text AS kind,
    o.created_at AS at,
    ((d.event_id || '_'::text) || d.endpoint_id) AS id,
        CASE d.status
            WHEN 'delivered'::text THEN 'webhook.delivered'::text
            ELSE 'webhook.failed'::text
        END AS what,
    d.event_id AS resource_id,
    (o.data ->> 'invoiceId'::text) AS invoice_id,
    NULL::numeric AS amount,
    NULL::text AS currency,
    o.type AS label,
    NULL::text AS user_id
   FROM (webhook_delivery d
     JOIN outbox o ON (((o.merchant_id = d.merchant_id) AND (o.id = d.event_id))))
  WHERE ((d.status <> 'pending'::text) AND ((o.data ->> 'customerId'::text) IS NOT NULL));

create view timeline_source with (security_invoker=true) as
 SELECT timeline_of_outbox.merchant_id,
    timeline_of_outbox.source,
    timeline_of_outbox.source_id,
    timeline_of_outbox.seq,
    timeline_of_outbox.customer_id,
    timeline_of_outbox.kind,
    timeline_of_outbox.at,
    timeline_of_outbox.id,
    timeline_of_outbox.what,
    timeline_of_outbox.resource_id,
    timeline_of_outbox.invoice_id,
    timeline_of_outbox.amount,
    timeline_of_outbox.currency,
    timeline_of_outbox.label,
    timeline_of_outbox.user_id
   FROM timeline_of_outbox
UNION ALL
 SELECT timeline_of_subscription_change.merchant_id,
    timeline_of_subscription_change.source,
    timeline_of_subscription_change.source_id,
    timeline_of_subscription_change.seq,
    timeline_of_subscription_change.customer_id,
    timeline_of_subscription_change.kind,
    timeline_of_subscription_change.at,
    timeline_of_subscription_change.id,
    timeline_of_subscription_change.what,
    timeline_of_subscription_change.resource_id,
    timeline_of_subscription_change.invoice_id,
    timeline_of_subscription_change.amount,
    timeline_of_subscription_change.currency,
    timeline_of_subscription_change.label,
    timeline_of_subscription_change.user_id
   FROM timeline_of_subscription_change
UNION ALL
 SELECT timeline_of_credit_note.merchant_id,
    timeline_of_credit_note.source,
    timeline_of_credit_note.source_id,
    timeline_of_credit_note.seq,
    timeline_of_credit_note.customer_id,
    timeline_of_credit_note.kind,
    timeline_of_credit_note.at,
    timeline_of_credit_note.id,
    timeline_of_credit_note.what,
    timeline_of_credit_note.resource_id,
    timeline_of_credit_note.invoice_id,
    timeline_of_credit_note.amount,
    timeline_of_credit_note.currency,
    timeline_of_credit_note.label,
    timeline_of_credit_note.user_id
   FROM timeline_of_credit_note
UNION ALL
 SELECT timeline_of_payment_receipt.merchant_id,
    timeline_of_payment_receipt.source,
    timeline_of_payment_receipt.source_id,
    timeline_of_payment_receipt.seq,
    timeline_of_payment_receipt.customer_id,
    timeline_of_payment_receipt.kind,
    timeline_of_payment_receipt.at,
    timeline_of_payment_receipt.id,
    timeline_of_payment_receipt.what,
    timeline_of_payment_receipt.resource_id,
    timeline_of_payment_receipt.invoice_id,
    timeline_of_payment_receipt.amount,
    timeline_of_payment_receipt.currency,
    timeline_of_payment_receipt.label,
    timeline_of_payment_receipt.user_id
   FROM timeline_of_payment_receipt
UNION ALL
 SELECT timeline_of_ledger_entry.merchant_id,
    timeline_of_ledger_entry.source,
    timeline_of_ledger_entry.source_id,
    timeline_of_ledger_entry.seq,
    timeline_of_ledger_entry.customer_id,
    timeline_of_ledger_entry.kind,
    timeline_of_ledger_entry.at,
    timeline_of_ledger_entry.id,
    timeline_of_ledger_entry.what,
    timeline_of_ledger_entry.resource_id,
    timeline_of_ledger_entry.invoice_id,
    timeline_of_ledger_entry.amount,
    timeline_of_ledger_entry.currency,
    timeline_of_ledger_entry.label,
    timeline_of_ledger_entry.user_id
   FROM timeline_of_ledger_entry
UNION ALL
 SELECT timeline_of_audit_entry.merchant_id,
    timeline_of_audit_entry.source,
    timeline_of_audit_entry.source_id,
    timeline_of_audit_entry.seq,
    timeline_of_audit_entry.customer_id,
    timeline_of_audit_entry.kind,
    timeline_of_audit_entry.at,
    timeline_of_audit_entry.id,
    timeline_of_audit_entry.what,
    timeline_of_audit_entry.resource_id,
    timeline_of_audit_entry.invoice_id,
    timeline_of_audit_entry.amount,
    timeline_of_audit_entry.currency,
    timeline_of_audit_entry.label,
    timeline_of_audit_entry.user_id
   FROM timeline_of_audit_entry
UNION ALL
 SELECT timeline_of_mail.merchant_id,
    timeline_of_mail.source,
    timeline_of_mail.source_id,
    timeline_of_mail.seq,
    timeline_of_mail.customer_id,
    timeline_of_mail.kind,
    timeline_of_mail.at,
    timeline_of_mail.id,
    timeline_of_mail.what,
    timeline_of_mail.resource_id,
    timeline_of_mail.invoice_id,
    timeline_of_mail.amount,
    timeline_of_mail.currency,
    timeline_of_mail.label,
    timeline_of_mail.user_id
   FROM timeline_of_mail
UNION ALL
 SELECT timeline_of_webhook_delivery.merchant_id,
    timeline_of_webhook_delivery.source,
    timeline_of_webhook_delivery.source_id,
    timeline_of_webhook_delivery.seq,
    timeline_of_webhook_delivery.customer_id,
    timeline_of_webhook_delivery.kind,
    timeline_of_webhook_delivery.at,
    timeline_of_webhook_delivery.id,
    timeline_of_webhook_delivery.what,
    timeline_of_webhook_delivery.resource_id,
    timeline_of_webhook_delivery.invoice_id,
    timeline_of_webhook_delivery.amount,
    timeline_of_webhook_delivery.currency,
    timeline_of_webhook_delivery.label,
    timeline_of_webhook_delivery.user_id
   FROM timeline_of_webhook_delivery;

create view webhook_queue with (security_invoker=true) as
 WITH RECURSIVE waiting AS (
        ( SELECT d.merchant_id,
            d.endpoint_id
           FROM webhook_delivery d
          WHERE (d.status = 'pending'::text)
          ORDER BY d.merchant_id, d.endpoint_id
         LIMIT 1)
        UNION ALL
         SELECT further.merchant_id,
            further.endpoint_id
           FROM (waiting w_1
             CROSS JOIN LATERAL ( SELECT d.merchant_id,
                    d.endpoint_id
                   FROM webhook_delivery d
                  WHERE ((d.status = 'pending'::text) AND (ROW(d.merchant_id, d.endpoint_id) > ROW(w_1.merchant_id, w_1.endpoint_id)))
                  ORDER BY d.merchant_id, d.endpoint_id
                 LIMIT 1) further)
        )
 SELECT w.merchant_id,
    w.endpoint_id,
    e.status
   FROM (waiting w
     JOIN webhook_endpoint e ON (((e.merchant_id = w.merchant_id) AND (e.id = w.endpoint_id))));

CREATE OR REPLACE FUNCTION accept_clock(at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
AS $function$
    update clock_reading set read_at = at where read_at > at;
    with ahead as (update merchant_counter set dated_at = at where dated_at > at returning 1)
    select count(*)::int from ahead
  $function$;

CREATE OR REPLACE FUNCTION add_list_changes(merchant text, most_changes integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  taken list_count_change[];
  long record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('list counts ' || merchant, 0)) then
    return 0;
  end if;
  with oldest as materialized (
    select seq from list_count_change where merchant_id = merchant order by seq limit most_changes
  ), gone as (
    delete from list_count_change c using oldest where c.merchant_id = merchant and c.seq = oldest.seq returning c.*
  )
  select array_agg(row(gone.*)::list_count_change) into taken from gone;
  if taken is null then
    return 0;
  end if;
  insert into list_count as kept (merchant_id, list, facet, count)
  select merchant, list, facet, sum(change) from unnest(taken) group by list, facet order by list, facet
  on conflict (merchant_id, list, facet) do update set count = kept.count + excluded.count;
  if not exists (select from unnest(taken) t where t.measured is not null) then
    return cardinality(taken);
  end if;
  insert into list_range as kept (merchant_id, list, measure, starts, facet, count, least, most, top)
  select merchant, e.list, e.measure,
         coalesce(s.starts[width_bucket(range_key(e.value), s.starts)], range_key('-Infinity')), e.facet,
         sum(e.change), min(e.value), max(e.value), max(e.top)
    from (select t.list, t.facet, sign(t.change) as change, t.top, m.value,
                 l.measures[(m.n - 1) % cardinality(l.measures) + 1] as measure
            from unnest(taken) t join counted_list l using (list), unnest(t.measured) with ordinality as m (value, n)
           where m.value is not null) e
    left join (select list, measure, array_agg(distinct starts order by starts) as starts from list_range
                where merchant_id = merchant group by list, measure) s on s.list = e.list and s.measure = e.measure
   group by 2, 3, 4, 5
  on conflict (merchant_id, list, measure, starts, facet) do update
     set count = kept.count + excluded.count, least = least(kept.least, excluded.least),
         most = greatest(kept.most, excluded.most),
         top = greatest(kept.top, excluded.top);
  for long in
    select list, measure, starts from list_range where merchant_id = merchant
     group by list, measure, starts having sum(count) > 2 * rows_of_a_stretch() and min(least) < max(most)
  loop
    perform measure_again(merchant, long.list, long.measure, long.starts);
  end loop;
  delete from list_range where merchant_id = merchant and count = 0;
  return cardinality(taken);
end $function$;

CREATE OR REPLACE FUNCTION add_revenue_changes(merchant text, most integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  added int;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('revenue ' || merchant, 0)) then
    return 0;
  end if;
  with taken as (
    delete from revenue_change c
     where c.merchant_id = merchant
       and c.seq = any (array(select seq from revenue_change where merchant_id = merchant order by seq limit most))
    returning c.*
  ), by_member as (
    select 'hour' as grain, hour as starts_at, plan_id as member, t.* from taken t
    union all
    select 'day', date_trunc('day', hour, 'UTC'), plan_id, t.* from taken t
    union all
    select 'month', date_trunc('month', hour, 'UTC'), customer_id, t.* from taken t
  ), saved as (
    insert into revenue_sum as s (merchant_id, grain, starts_at, currency, member, kind, status, count, amount,
      open_amount)
    select merchant, grain, starts_at, currency, member, kind, status, sum(count), sum(amount), sum(open_amount)
      from by_member group by grain, starts_at, currency, member, kind, status
    on conflict (merchant_id, grain, starts_at, currency, member, kind, status) do update
      set count = s.count + excluded.count, amount = s.amount + excluded.amount,
          open_amount = s.open_amount + excluded.open_amount
  )
  select count(*) into added from taken;
  return added;
end $function$;

CREATE OR REPLACE FUNCTION add_rollups(added usage_rollup[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  places tid[];
begin
  select array_agg((select f.ctid from usage_rollup f
                     where f.merchant_id = u.merchant_id and f.definition_id = u.definition_id
                       and f.subject_id = u.subject_id
                       and f.hour = u.hour and f.group_hash = u.group_hash and f.lane = u.lane) order by u.ordinality)
    into places
    from unnest(added) with ordinality u;
  perform write_rollups(added, places);
end $function$;

CREATE OR REPLACE FUNCTION adopt_webhook_events()
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    with adopted as (
      update outbox set transaction_id = pg_current_xact_id()
       where transaction_id >= pg_snapshot_xmax(pg_current_snapshot()) and transaction_id <> pg_current_xact_id()
      returning 1
    )
    select count(*) from adopted
  $function$;

CREATE OR REPLACE FUNCTION as_merchant(merchant text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('role', 'reckoner_app', true), set_config('reckoner.merchants', merchant, true),
          set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true);
  return merchant;
end $function$;

CREATE OR REPLACE FUNCTION ask_for_tax_address_of_consumer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform ask_for_tax_addresses(new.merchant_id, new.id, new.updated_at);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION ask_for_tax_address_of_customer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform ask_for_tax_addresses(new.merchant_id, new.consumer_id, new.created_at);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION ask_for_tax_addresses(merchant text, consumer text, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into tax_address_check (merchant_id, id, asked_at, next_action_at)
  select c.merchant_id, c.id, at, at
    from customer c
   where c.merchant_id = merchant and c.consumer_id = consumer and c.deleted_at is null
     and exists (select from organization o
                  where o.merchant_id = merchant and o.id = merchant
                    and coalesce(o.settings ->> 'taxProvider', 'internal') <> 'internal')
      on conflict (merchant_id, id) do update set look_ups = 0, asked_at = at, next_action_at = at;
end $function$;

CREATE OR REPLACE FUNCTION at_microseconds(microseconds numeric)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select (timestamp 'epoch' + make_interval(
    days => div(microseconds, 86400000000)::int,
    secs => (mod(microseconds, 86400000000) / 1000000)::float8)) at time zone 'UTC'
$function$;

CREATE OR REPLACE FUNCTION backfill_rollups(merchant text, definition bigint, most integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  held rollup_definition;
  last_seq bigint;
  subject_ids bigint[];
  times timestamptz[];
  seqs bigint[];
  datas jsonb[];
begin
  select * into held from rollup_definition s where s.merchant_id = merchant and s.id = definition
    and not s.is_ready for update;
  if not found then return false; end if;
  select max(seq) into last_seq from (
    select e.seq from event e where e.merchant_id = merchant and e.seq > held.done and e.seq <= held.boundary
     order by e.seq limit most) next_events;
  if last_seq is not null then
    select array_agg(e.subject_id), array_agg(e.at), array_agg(e.seq), array_agg(e.data) into subject_ids,
           times, seqs, datas
      from event e
     where e.merchant_id = merchant and e.type = held.event_type and e.seq > held.done and e.seq <= last_seq;
    perform roll_up_events(array[merchant], array[held.event_type], array[definition], 100,
                           array_fill(1, array[coalesce(cardinality(seqs), 0)]), subject_ids, times, seqs, datas);
  end if;
  update rollup_definition s set done = coalesce(last_seq, held.boundary), is_ready = last_seq is null
    or last_seq = held.boundary
   where s.merchant_id = merchant and s.id = definition;
  return last_seq is not null and last_seq < held.boundary;
end $function$;

CREATE OR REPLACE FUNCTION balanced_entries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  posted text;
begin
  select transaction_id into posted from new_rows group by merchant_id, transaction_id having sum(amount) <> 0 limit 1;
  if posted is not null then
    raise exception 'ledger transaction % does not balance', posted using errcode = 'check_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION beat_primary()
 RETURNS timestamp with time zone
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    update primary_beat set beaten_at = greatest(beaten_at + interval '1 microsecond', clock_timestamp())
    returning beaten_at
  $function$;

CREATE OR REPLACE FUNCTION begin_event_key_work(wanted text, from_generations text[], from_parts text[], wanted_digits integer, wanted_slices integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  made text := case wanted when 'sieve' then 'event_key_sieve_' else 'event_key_' end || nextval('event_key_number');
begin
  insert into event_key_work (kind, name, generations, parts, digits, slices)
  values (wanted, made, from_generations, from_parts, wanted_digits, wanted_slices)
      on conflict do nothing;
  if not found then return; end if;
  if (select count(*) from event_key_generation g where g.name = any (from_generations)
    and (g.key_count is null) = (wanted = 'sieve'))
       <> cardinality(from_generations)
     or (select count(*) from event_key_sieve_part p where p.name = any (from_parts)) <> cardinality(from_parts) then
    delete from event_key_work where kind = wanted;
    return;
  end if;
  if wanted = 'sieve' then
    -- Not compressed: random bytes are not made shorter by it, and each look-up would have to unpack them.
    execute format('create table %I (prefix text collate "C" primary key, suffixes bytea storage external not null)',
      made);
    execute format('grant select on %I to reckoner_app, reckoner_operator', made);
  else
    perform create_event_key_table(made, 'event_key', '');
    execute format('revoke insert, update, delete on %I from reckoner_app', made);
    execute format('create index %I on %I (h)', made || '_h', made);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION begin_life(began timestamp with time zone)
 RETURNS database_life
 LANGUAGE sql
AS $function$
    insert into database_life (number, began_at, restored_to, first_seq)
    select l.number + 1, began, coalesce((select read_at from clock_reading), l.began_at),
           (select last_seq + 1 from event_horizon())
      from database_life l order by l.number desc limit 1
    returning *
  $function$;

CREATE OR REPLACE FUNCTION book_transactions(transactions jsonb, entries jsonb, happened timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into ledger_transaction (merchant_id, id, key, reason, invoice_id, currency, created_at)
  select t.merchant_id, t.id, t.key, t.reason, t.invoice_id, t.currency, happened
    from jsonb_to_recordset(transactions)
      as t (merchant_id text, id text, key text, reason text, invoice_id text, currency text);
  insert into ledger_entry (merchant_id, transaction_id, position, account, customer_id, currency, amount)
  select e.merchant_id, e.transaction_id, e.position, e.account, e.customer_id, e.currency, e.amount
    from jsonb_to_recordset(entries)
      as e (merchant_id text, transaction_id text, position int, account text, customer_id text, currency text,
        amount numeric);
end $function$;

CREATE OR REPLACE FUNCTION booked_entries()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  if not exists (select from ledger_entry where merchant_id = new.merchant_id and transaction_id = new.id) then
    raise exception 'ledger transaction % has no entries', new.id using errcode = 'check_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION claim_webhook_deliveries(at timestamp with time zone, lease_until timestamp with time zone, most integer, most_each integer, worker integer)
 RETURNS TABLE(merchant_id text, event_id text, endpoint_id text, attempts integer, slot integer, lost_at timestamp with time zone, url text, secret text, previous_secret text, type text, data jsonb, happened_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock(hashtextextended('claim_webhook_deliveries', 0));
  return query
  with found as (
    select d.merchant_id, d.event_id, d.endpoint_id, d.next_attempt_at, d.seq, d.begun_at,
           row_number() over (partition by d.merchant_id, d.endpoint_id order by d.next_attempt_at, d.seq) as turn
      from webhook_queue q
     cross join lateral (
       select greatest(0, most_each - count(*)) as places from webhook_delivery b
        where b.merchant_id = q.merchant_id and b.endpoint_id = q.endpoint_id
          and b.begun_at is not null and b.next_attempt_at > at) free
     cross join lateral (
       select w.* from webhook_delivery w
        where w.merchant_id = q.merchant_id and w.endpoint_id = q.endpoint_id
          and w.status = 'pending' and w.next_attempt_at <= at
        order by w.next_attempt_at, w.seq
        limit free.places) d
     where q.status = 'enabled'
  ), chosen as (
    select * from found order by turn, next_attempt_at, seq limit most
  ), begun as (
    update webhook_delivery d
       set attempts = d.attempts + 1, slot = d.slot + 1, begun_at = at, begun_by = worker,
           next_attempt_at = lease_until
      from chosen c
     where d.merchant_id = c.merchant_id and d.event_id = c.event_id and d.endpoint_id = c.endpoint_id
       and d.status = 'pending' and d.next_attempt_at <= at
    returning d.merchant_id, d.event_id, d.endpoint_id, d.attempts, d.slot, c.begun_at as lost_at
  )
  select b.*, e.url, e.secret, case when e.previous_secret_until > at then e.previous_secret end, o.type,
         o.data, o.created_at
    from begun b
    join webhook_endpoint e on e.merchant_id = b.merchant_id and e.id = b.endpoint_id
    join outbox o on o.merchant_id = b.merchant_id and o.id = b.event_id;
end $function$;

CREATE OR REPLACE FUNCTION clocks_with_work(kinds text[])
 RETURNS TABLE(merchant_id text, id text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$ begin
         return query select c.merchant_id, c.id from test_clock c where c.advancing_to is not null
           and c.deleted_at is null;
         if not exists (select from test_clock c where c.deleted_at is null and c.advancing_to is null) then
           return;
         end if;
         if 'alert' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from alert t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'alert' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'billing_schedule' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from billing_schedule t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'billing_schedule' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'commitment' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from commitment t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'commitment' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'credit_note_document' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from credit_note_job t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'credit_note_document' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'credit_watch' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from credit_watch t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'credit_watch' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'dunning_end' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from dunning_end t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'dunning_end' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'entitlement' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from entitlement t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'entitlement' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'entitlement_reservation' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from entitlement_reservation t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'entitlement_reservation' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'invoice' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from invoice t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'invoice' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'invoice_document' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from document_job t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'invoice_document' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'invoice_overdue' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from invoice_overdue t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'invoice_overdue' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'mail' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from mail t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'mail' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'part_return' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from payment_part_return t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'part_return' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'payment_charge' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from payment_charge t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'payment_charge' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'payment_checkout' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from payment_checkout t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'payment_checkout' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'payment_dispute' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from payment_dispute t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'payment_dispute' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'payment_return' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from payment_receipt t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'payment_return' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'payment_session' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from payment_session t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'payment_session' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'plan_migration' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from plan_migration t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'plan_migration' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'provider_notice' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from provider_notice t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'provider_notice' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'receipt_document' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from receipt_job t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'receipt_document' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'stray_return' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from stray_payment t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'stray_return' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'subscription' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from subscription t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'subscription' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'subscription_change' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from subscription_change t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'subscription_change' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'tax_address' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from tax_address_check t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'tax_address' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'tax_id_check' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from tax_id_check t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'tax_id_check' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'tax_record' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from tax_record t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'tax_record' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
if 'true_up_watch' = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from true_up_watch t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = 'true_up_watch' and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;
       end $function$;

CREATE OR REPLACE FUNCTION continue_event_key_work(wanted text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  work event_key_work;
begin
  select * into work from event_key_work w where w.kind = wanted for update skip locked;
  if not found then return false; end if;
  if work.done = work.slices then
    if wanted = 'sieve' then perform exchange_event_key_sieve(work);
    else perform exchange_event_key_generations(work);
    end if;
    delete from event_key_work w where w.kind = wanted;
  else
    update event_key_work w
       set done = w.done + 1,
           key_count = w.key_count + case wanted when 'sieve' then sift_event_keys(work) else merge_event_keys(work) end
     where w.kind = wanted;
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION copy_changed_consumer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update customer set consumer_name = lower(new.name), consumer_emails = lower_emails(new.email, new.billing_emails)
   where merchant_id = new.merchant_id and consumer_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION copy_consumer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select lower(name), lower_emails(email, billing_emails) into new.consumer_name, new.consumer_emails
    from organization where merchant_id = new.merchant_id and id = new.consumer_id for share;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION count_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'approval', array[decision, kind]::text[], count(*) from new_rows where true group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'approval', array[decision, kind]::text[], -count(*) from old_rows where true group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'approval', facet, sum(change)
           from (select merchant_id, array[decision, kind]::text[] as facet, 1 as change from new_rows where true
                 union all
                 select merchant_id, array[decision, kind]::text[], -1 from old_rows where true) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE FUNCTION count_audit_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'audit_entry', array[]::text[], count(*) from new_rows where true group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'audit_entry', array[]::text[], -count(*) from old_rows where true group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'audit_entry', facet, sum(change)
           from (select merchant_id, array[]::text[] as facet, 1 as change from new_rows where true
                 union all
                 select merchant_id, array[]::text[], -1 from old_rows where true) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE FUNCTION count_billing_schedule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'billing_schedule', array[status]::text[], count(*) from new_rows where true group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'billing_schedule', array[status]::text[], -count(*) from old_rows where true group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'billing_schedule', facet, sum(change)
           from (select merchant_id, array[status]::text[] as facet, 1 as change from new_rows where true
                 union all
                 select merchant_id, array[status]::text[], -1 from old_rows where true) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE FUNCTION count_catalog_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into catalog_change as c (merchant_id, change_count) values (new.merchant_id, 1)
      on conflict (merchant_id) do update set change_count = c.change_count + 1;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_change_of_entitlement()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.change_count := old.change_count + 1;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION count_changes_of_entitlements()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update entitlement e set change_count = e.change_count + 1
    from (select distinct merchant_id, entitlement_id from changed) c
   where e.merchant_id = c.merchant_id and e.id = c.entitlement_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_customer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'customer', array[]::text[], count(*) from new_rows where deleted_at is null group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'customer', array[]::text[], -count(*) from old_rows where deleted_at is null group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'customer', facet, sum(change)
           from (select merchant_id, array[]::text[] as facet, 1 as change from new_rows where deleted_at is null
                 union all
                 select merchant_id, array[]::text[], -1 from old_rows where deleted_at is null) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE FUNCTION count_external_reference()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'external_reference', array[entity_type, provider]::text[], count(*) from new_rows where true group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'external_reference', array[entity_type, provider]::text[], -count(*) from old_rows where true group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'external_reference', facet, sum(change)
           from (select merchant_id, array[entity_type, provider]::text[] as facet, 1 as change from new_rows where true
                 union all
                 select merchant_id, array[entity_type, provider]::text[], -1 from old_rows where true) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE FUNCTION count_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_nestloop TO 'off'
 SET enable_hashjoin TO 'on'
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change, measured, top)
         select merchant_id, 'invoice', array[status]::text[], count(*), array_agg(array[microseconds(issued_at), microseconds(due_at), grand_total]), max(seq) from new_rows
           where true group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change, measured, top)
         select merchant_id, 'invoice', array[status]::text[], -count(*), array_agg(array[microseconds(issued_at), microseconds(due_at), grand_total]), max(seq) from old_rows
           where true group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change, measured, top)
         select merchant_id, 'invoice', side.facet, sum(side.change), array_agg(side.measured), max(seq)
           from (select merchant_id, seq, array[status]::text[] as facet, array[microseconds(issued_at), microseconds(due_at), grand_total] as measured, true as counts from new_rows) new_row
           join (select merchant_id, seq, array[status]::text[] as facet, array[microseconds(issued_at), microseconds(due_at), grand_total] as measured, true as counts from old_rows) old_row
             using (merchant_id, seq),
                lateral (values (new_row.facet, new_row.measured, 1, new_row.counts),
                                (old_row.facet, old_row.measured, -1, old_row.counts)) side
                  (facet, measured, change, counts)
          where (new_row.facet, new_row.measured, new_row.counts)
            is distinct from (old_row.facet, old_row.measured, old_row.counts)
            and side.counts
          group by merchant_id, side.facet, side.change;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE PROCEDURE count_list_again(IN of_list text)
 LANGUAGE plpgsql
AS $procedure$
declare
  counted counted_list;
  merchant text;
  measure text;
begin
  select * into strict counted from counted_list where list = of_list;
  execute format('lock table %I in share row exclusive mode', of_list);
  delete from list_count where list = of_list;
  delete from list_count_change where list = of_list;
  delete from list_range where list = of_list;
  execute format(
    'insert into list_count (merchant_id, list, facet, count)
     select merchant_id, %L, array[%s]::text[], count(*) from %I where %s group by 1, 3',
    of_list, array_to_string(counted.facets, ', '), of_list, counted.condition);
  for merchant in select distinct merchant_id from list_count where list = of_list loop
    foreach measure in array counted.measures loop
      perform measure_again(merchant, of_list, measure);
    end loop;
  end loop;
end $procedure$;

CREATE OR REPLACE FUNCTION count_lists_again(merchant text)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  counted counted_list;
  mended int := 0;
  wrong int;
  measure text;
  found jsonb;
begin
  lock table list_count in share row exclusive mode;
  for counted in select * from counted_list order by list loop
    execute format(
      'with wanted as materialized (
         select facet, sum(count)::bigint as count
           from (select array[%2$s]::text[] as facet, count(*) as count from %1$I where merchant_id = $1
             and %3$s group by 1
                 union all
                 select facet, -change from list_count_change where merchant_id = $1 and list = %1$L) parts
          group by 1 having sum(count) <> 0
       ), gone as (
         delete from list_count c where c.merchant_id = $1 and c.list = %1$L
           and c.facet not in (select facet from wanted)
         returning c.count <> 0 as was_wrong
       ), saved as (
         insert into list_count as c (merchant_id, list, facet, count) select $1, %1$L, facet, count from wanted
         on conflict (merchant_id, list, facet) do update set count = excluded.count where c.count <> excluded.count
         returning 1
       )
       select (select count(*) from gone where was_wrong) + (select count(*) from saved)',
      counted.list, array_to_string(counted.facets, ', '), counted.condition) into wrong using merchant;
    mended := mended + wrong;
    foreach measure in array counted.measures loop
      found := range_totals(merchant, counted.list, measure);
      perform measure_again(merchant, counted.list, measure);
      mended := mended + (found is distinct from range_totals(merchant, counted.list, measure))::int;
    end loop;
  end loop;
  return mended;
end $function$;

CREATE OR REPLACE FUNCTION count_mail()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'mail', array[status, kind]::text[], count(*) from new_rows where true group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'mail', array[status, kind]::text[], -count(*) from old_rows where true group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'mail', facet, sum(change)
           from (select merchant_id, array[status, kind]::text[] as facet, 1 as change from new_rows where true
                 union all
                 select merchant_id, array[status, kind]::text[], -1 from old_rows where true) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE FUNCTION count_organization()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'organization', array[type]::text[], count(*) from new_rows where true group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'organization', array[type]::text[], -count(*) from old_rows where true group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'organization', facet, sum(change)
           from (select merchant_id, array[type]::text[] as facet, 1 as change from new_rows where true
                 union all
                 select merchant_id, array[type]::text[], -1 from old_rows where true) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE FUNCTION count_payment_link()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'payment_link', array[]::text[], count(*) from new_rows where true group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'payment_link', array[]::text[], -count(*) from old_rows where true group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'payment_link', facet, sum(change)
           from (select merchant_id, array[]::text[] as facet, 1 as change from new_rows where true
                 union all
                 select merchant_id, array[]::text[], -1 from old_rows where true) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE FUNCTION count_payment_session()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'payment_session', array[status, entity_type]::text[], count(*) from new_rows where true group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'payment_session', array[status, entity_type]::text[], -count(*) from old_rows where true group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'payment_session', facet, sum(change)
           from (select merchant_id, array[status, entity_type]::text[] as facet, 1 as change from new_rows where true
                 union all
                 select merchant_id, array[status, entity_type]::text[], -1 from old_rows where true) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE FUNCTION count_sales_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'sales_order', array[case when cancelled_at is null then approval_status else 'cancelled' end, type]::text[], count(*) from new_rows where true group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'sales_order', array[case when cancelled_at is null then approval_status else 'cancelled' end, type]::text[], -count(*) from old_rows where true group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'sales_order', facet, sum(change)
           from (select merchant_id, array[case when cancelled_at is null then approval_status else 'cancelled' end, type]::text[] as facet, 1 as change from new_rows where true
                 union all
                 select merchant_id, array[case when cancelled_at is null then approval_status else 'cancelled' end, type]::text[], -1 from old_rows where true) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE FUNCTION count_source_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'source_event', array[source_id, status]::text[], count(*) from new_rows where true group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'source_event', array[source_id, status]::text[], -count(*) from old_rows where true group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'source_event', facet, sum(change)
           from (select merchant_id, array[source_id, status]::text[] as facet, 1 as change from new_rows where true
                 union all
                 select merchant_id, array[source_id, status]::text[], -1 from old_rows where true) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE FUNCTION count_subscription()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
     begin
       if tg_op = 'INSERT' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'subscription', array[status, plan_id]::text[], count(*) from new_rows where true group by 1, 3;
       elsif tg_op = 'DELETE' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'subscription', array[status, plan_id]::text[], -count(*) from old_rows where true group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, 'subscription', facet, sum(change)
           from (select merchant_id, array[status, plan_id]::text[] as facet, 1 as change from new_rows where true
                 union all
                 select merchant_id, array[status, plan_id]::text[], -1 from old_rows where true) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $function$;

CREATE OR REPLACE FUNCTION create_event_key_table(name text, model text, kept text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  part record;
begin
  execute format('create table %I (like %I including defaults including constraints %s) %s', name, model, kept,
                 (select 'partition by ' || pg_get_partkeydef(p.partrelid) from pg_partitioned_table p
                   where p.partrelid = model::regclass));
  for part in
    select c.relname, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = model::regclass and c.relispartition
     order by c.relname
  loop
    execute format('create table %I partition of %I %s', name || substr(part.relname, length(model) + 1),
      name, part.bound);
    execute format('alter table %I enable row level security', name || substr(part.relname, length(model) + 1));
  end loop;
  perform set_event_key_storage(name);
  execute format('call numbered_table(%L)', name);
end $function$;

CREATE OR REPLACE FUNCTION currency_of_link()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select currency into new.currency from plan where merchant_id = new.merchant_id and id = new.plan_id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION customer_opening(merchant text, wanted text, external text, product text, key text, wall timestamp with time zone)
 RETURNS TABLE(customer text, state text, asked jsonb, found entitlement, effective_now timestamp with time zone, next_grant_at timestamp with time zone, feature_key text, terms jsonb, grants text, resets jsonb, meters jsonb, preceding jsonb, reserved numeric, snapshot_at timestamp with time zone, snapshot_state jsonb, snapshot_taken text)
 LANGUAGE plpgsql
 STABLE
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_variable
declare
  ids text[];
  ats timestamptz[];
begin
  if wanted is not null then
    select c.id into customer from customer c
     where c.merchant_id = merchant and c.id = wanted and c.deleted_at is null;
  else
    select c.id into customer from customer c
     where c.merchant_id = merchant and c.external_id = external and c.deleted_at is null;
  end if;
  if customer is null then return; end if;
  if key is not null then
    select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'key', f.key, 'productId', f.product_id, 'type', f.type)
                              order by f.seq), '[]')
      into asked from feature f
     where f.merchant_id = merchant and f.key = customer_opening.key and (product is null or f.product_id = product);
  end if;
  select array_agg(e.id order by e.seq), array_agg(t.at order by e.seq)
    into ids, ats
    from entitlement e
   cross join lateral (select coalesce((select c.clock_time from test_clock c
                                         where c.merchant_id = merchant and c.id = e.clock_id), wall) as at) t
   where e.merchant_id = merchant and e.customer_id = customer and (e.active_to is null or e.active_to > t.at)
     and (product is null or e.product_id = product)
     and (asked is null or exists (select from jsonb_array_elements(asked) f where f ->> 'id' = e.feature_id));
  state := entitlements_state(merchant, customer);
  if ids is null then return next; return; end if;
  return query
    select customer, state, asked, e, w.at,
           (select min(g.effective_at) from entitlement_grant g
             where g.merchant_id = merchant and g.entitlement_id = w.id and g.effective_at > w.at),
           i.feature_key, i.terms, i.grants, i.resets, i.meters, i.preceding, i.reserved, i.snapshot_at,
           i.snapshot_state, i.snapshot_taken
      from unnest(ids, ats) with ordinality w (id, at, place)
      join entitlement e on e.merchant_id = merchant and e.id = w.id
      join entitlement_inputs(array_fill(merchant, array[cardinality(ids)]), ids, ats, ats, false) i
        on i.entitlement_id = w.id
     order by w.place;
end $function$;

CREATE OR REPLACE FUNCTION customers_found(merchant text, asked text, most integer)
 RETURNS TABLE(id text, name text, email text, external_id text, rank integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET jit TO 'off'
AS $function$
declare
  part text := lower(asked);
  low text := left(part, 100);
  high text := low || chr(1114111); -- the last character of all
  places bigint[];
  ranks int[];
  parts bigint[] := '{}';
  missing int;
begin
  if current_setting('role') <> 'reckoner_operator'
     and not coalesce(merchant = any (string_to_array(current_setting('reckoner.merchants', true), ',')), false) then
    return;
  end if;
  select coalesce(array_agg(best.seq order by best.place), '{}'),
         coalesce(array_agg(best.rank order by best.place), '{}')
    into places, ranks
    from (
      select d.seq, d.rank, row_number() over (order by d.rank, d.word, d.seq) as place
        from (
          select distinct on (u.seq) u.seq, u.rank, u.word
            from (
              (select c.seq, 2 as rank, left(c.consumer_name, 100) collate "C" as word from customer c
                where c.merchant_id = merchant and c.deleted_at is null
                  and left(c.consumer_name, 100) collate "C" >= low and left(c.consumer_name, 100) collate "C" <= high
                  and starts_with(c.consumer_name, part)
                order by left(c.consumer_name, 100) collate "C", c.seq limit most)
              union all
              (select c.seq, case when starts_with(c.consumer_emails || e'\n', part || e'\n') then 1 else 3 end,
                      left(c.consumer_emails, 100) collate "C" from customer c
                where c.merchant_id = merchant and c.deleted_at is null
                  and left(c.consumer_emails, 100) collate "C" >= low
                  and left(c.consumer_emails, 100) collate "C" <= high
                  and starts_with(c.consumer_emails, part)
                order by left(c.consumer_emails, 100) collate "C", c.seq limit most)
              union all
              (select c.seq, case when lower(c.external_id) = part then 1 else 3 end,
                      lower(c.external_id) collate "C" from customer c
                where c.merchant_id = merchant and c.deleted_at is null and c.external_id is not null
                  and lower(c.external_id) collate "C" >= part
                  and lower(c.external_id) collate "C" <= part || chr(1114111)
                order by lower(c.external_id) collate "C", c.seq limit most)
            ) u
           order by u.seq, u.rank, u.word
        ) d
       order by place limit most
    ) best;
  missing := most - cardinality(places);
  if missing > 0 and char_length(part) >= 3 and not (strpos(part, '@') > 0 and cardinality(places) > 0) then
    parts := array(
      select seq
        from (select seq, consumer_name, consumer_emails from customer
               where merchant_id = merchant and deleted_at is null order by seq desc limit 3000) newest
       where (strpos(consumer_name, part) > 0 or strpos(consumer_emails, part) > 0) and seq <> all (places)
       union
      select seq
        from (select seq, consumer_name, consumer_emails from customer
               where merchant_id = merchant and deleted_at is null order by seq limit 3000) oldest
       where (strpos(consumer_name, part) > 0 or strpos(consumer_emails, part) > 0) and seq <> all (places)
       order by seq desc limit missing);
    if cardinality(parts) < missing then
      parts := array(
        select f.seq
          from (select c.seq from customer c
                 where c.merchant_id = merchant and c.deleted_at is null
                   and (search_keys(c.merchant_id, 'name', c.consumer_name)
                          || search_keys(c.merchant_id, 'email', c.consumer_emails)
                          @> search_keys(merchant, 'name', part)
                        or search_keys(c.merchant_id, 'name', c.consumer_name)
                          || search_keys(c.merchant_id, 'email', c.consumer_emails)
                          @> search_keys(merchant, 'email', part))
                   and (strpos(c.consumer_name, part) > 0 or strpos(c.consumer_emails, part) > 0)
                   and c.seq <> all (places)
                offset 0) f
         order by f.seq desc limit missing);
    end if;
  end if;
  return query
  select c.id, o.name, coalesce(o.email, o.billing_emails[1]), c.external_id, f.rank
    from unnest(places || parts, ranks || array_fill(4, array[cardinality(parts)]))
           with ordinality f (seq, rank, place)
    join customer c on c.merchant_id = merchant and c.seq = f.seq and c.deleted_at is null
    join organization o on o.merchant_id = c.merchant_id and o.id = c.consumer_id
   order by f.place;
end $function$;

CREATE OR REPLACE FUNCTION customers_mailed_at(of_merchant text, mailbox text, most integer)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select customer.id
      from organization
      join customer on customer.merchant_id = organization.merchant_id and customer.consumer_id = organization.id
     where organization.merchant_id = of_merchant and organization.type = 'consumer' and customer.deleted_at is null
       and mailboxes_of(organization.billing_emails, organization.email) @> array[lower(mailbox)]
     order by customer.seq limit most
  $function$;

CREATE OR REPLACE FUNCTION customers_with(merchant text, name_part text, email_part text)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
    select seq from customer
     where merchant_id = merchant and deleted_at is null
       and (current_setting('role') = 'reckoner_operator'
            or merchant = any (string_to_array(current_setting('reckoner.merchants', true), ',')))
       and search_keys(merchant_id, 'name', consumer_name) || search_keys(merchant_id, 'email', consumer_emails)
           @> (search_keys(merchant, 'name', lower(name_part)) || search_keys(merchant, 'email', lower(email_part)))
       and (name_part is null or strpos(consumer_name, lower(name_part)) > 0)
       and (email_part is null or strpos(consumer_emails, lower(email_part)) > 0 and strpos(email_part, e'\n') = 0)
  $function$;

CREATE OR REPLACE FUNCTION differing_revenue_facts(merchant text, of_kind text)
 RETURNS text[]
 LANGUAGE sql
 STABLE
AS $function$
  with source as materialized (
    select id, status, counted_at, currency, customer_id, subscription_id, amount, open_amount
      from revenue_source where merchant_id = merchant and kind = of_kind
  ), fact as materialized (
    select id, status, counted_at, currency, customer_id, subscription_id, amount, open_amount
      from revenue_fact where merchant_id = merchant and kind = of_kind
  )
  select array_agg(id order by id)
    from (select id from (select * from source except select * from fact) missing
          union
          select id from (select * from fact except select * from source) surplus) differing
$function$;

CREATE OR REPLACE FUNCTION document_due(merchant text, clock text, at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
    select coalesce((select updated_at from test_clock where merchant_id = merchant and id = clock), at)
  $function$;

CREATE OR REPLACE FUNCTION draw_numbers(merchant text, of_kind text, many bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  last_one bigint;
begin
  insert into merchant_counter as c (merchant_id, kind, value) values (merchant, of_kind, many)
  on conflict (merchant_id, kind) do update set value = c.value + many
  returning c.value into last_one;
  return last_one - many + 1;
end $function$;

CREATE OR REPLACE FUNCTION draw_numbers(merchant text, of_kind text, many bigint, dated timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  last_one bigint;
  last_dated timestamptz;
begin
  insert into merchant_counter as c (merchant_id, kind, value, dated_at) values (merchant, of_kind, many, dated)
  on conflict (merchant_id, kind) do update set value = c.value + many, dated_at = greatest(c.dated_at, dated)
  returning c.value, c.dated_at into last_one, last_dated;
  if (last_dated at time zone 'UTC')::date > (dated at time zone 'UTC')::date then
    raise exception 'The clock says %, and the last number has the date %.', dated, last_dated using errcode = 'RK002';
  end if;
  return last_one - many + 1;
end $function$;

CREATE OR REPLACE FUNCTION due_now(kinds text[], at timestamp with time zone, most integer)
 RETURNS TABLE(kind text, merchant_id text, id text, due_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$ begin if 'alert' = any ($1) then
          return query
          select 'alert'::text, t.merchant_id, t.id, t.next_action_at
            from alert t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'alert' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'billing_schedule' = any ($1) then
          return query
          select 'billing_schedule'::text, t.merchant_id, t.id, t.next_action_at
            from billing_schedule t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'billing_schedule' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'commitment' = any ($1) then
          return query
          select 'commitment'::text, t.merchant_id, t.id, t.next_action_at
            from commitment t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'commitment' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'credit_note_document' = any ($1) then
          return query
          select 'credit_note_document'::text, t.merchant_id, t.id, t.next_action_at
            from credit_note_job t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'credit_note_document' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'credit_watch' = any ($1) then
          return query
          select 'credit_watch'::text, t.merchant_id, t.id, t.next_action_at
            from credit_watch t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'credit_watch' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'dunning_end' = any ($1) then
          return query
          select 'dunning_end'::text, t.merchant_id, t.id, t.next_action_at
            from dunning_end t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'dunning_end' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'entitlement' = any ($1) then
          return query
          select 'entitlement'::text, t.merchant_id, t.id, t.next_action_at
            from entitlement t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'entitlement' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'entitlement_reservation' = any ($1) then
          return query
          select 'entitlement_reservation'::text, t.merchant_id, t.id, t.next_action_at
            from entitlement_reservation t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'entitlement_reservation' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'invoice' = any ($1) then
          return query
          select 'invoice'::text, t.merchant_id, t.id, t.next_action_at
            from invoice t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'invoice' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'invoice_document' = any ($1) then
          return query
          select 'invoice_document'::text, t.merchant_id, t.id, t.next_action_at
            from document_job t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'invoice_document' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'invoice_overdue' = any ($1) then
          return query
          select 'invoice_overdue'::text, t.merchant_id, t.id, t.next_action_at
            from invoice_overdue t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'invoice_overdue' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'mail' = any ($1) then
          return query
          select 'mail'::text, t.merchant_id, t.id, t.next_action_at
            from mail t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'mail' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'part_return' = any ($1) then
          return query
          select 'part_return'::text, t.merchant_id, t.id, t.next_action_at
            from payment_part_return t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'part_return' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'payment_charge' = any ($1) then
          return query
          select 'payment_charge'::text, t.merchant_id, t.id, t.next_action_at
            from payment_charge t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'payment_charge' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'payment_checkout' = any ($1) then
          return query
          select 'payment_checkout'::text, t.merchant_id, t.id, t.next_action_at
            from payment_checkout t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'payment_checkout' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'payment_dispute' = any ($1) then
          return query
          select 'payment_dispute'::text, t.merchant_id, t.id, t.next_action_at
            from payment_dispute t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'payment_dispute' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'payment_return' = any ($1) then
          return query
          select 'payment_return'::text, t.merchant_id, t.id, t.next_action_at
            from payment_receipt t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'payment_return' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'payment_session' = any ($1) then
          return query
          select 'payment_session'::text, t.merchant_id, t.id, t.next_action_at
            from payment_session t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'payment_session' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'plan_migration' = any ($1) then
          return query
          select 'plan_migration'::text, t.merchant_id, t.id, t.next_action_at
            from plan_migration t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'plan_migration' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'provider_notice' = any ($1) then
          return query
          select 'provider_notice'::text, t.merchant_id, t.id, t.next_action_at
            from provider_notice t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'provider_notice' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'receipt_document' = any ($1) then
          return query
          select 'receipt_document'::text, t.merchant_id, t.id, t.next_action_at
            from receipt_job t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'receipt_document' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'stray_return' = any ($1) then
          return query
          select 'stray_return'::text, t.merchant_id, t.id, t.next_action_at
            from stray_payment t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'stray_return' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'subscription' = any ($1) then
          return query
          select 'subscription'::text, t.merchant_id, t.id, t.next_action_at
            from subscription t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'subscription' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'subscription_change' = any ($1) then
          return query
          select 'subscription_change'::text, t.merchant_id, t.id, t.next_action_at
            from subscription_change t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'subscription_change' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'tax_address' = any ($1) then
          return query
          select 'tax_address'::text, t.merchant_id, t.id, t.next_action_at
            from tax_address_check t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'tax_address' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'tax_id_check' = any ($1) then
          return query
          select 'tax_id_check'::text, t.merchant_id, t.id, t.next_action_at
            from tax_id_check t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'tax_id_check' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'tax_record' = any ($1) then
          return query
          select 'tax_record'::text, t.merchant_id, t.id, t.next_action_at
            from tax_record t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'tax_record' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;
if 'true_up_watch' = any ($1) then
          return query
          select 'true_up_watch'::text, t.merchant_id, t.id, t.next_action_at
            from true_up_watch t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'true_up_watch' and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if; end $function$;

CREATE OR REPLACE PROCEDURE due_table(IN kind_name text, IN name regclass)
 LANGUAGE plpgsql
AS $procedure$
declare
  bare text := (select relname from pg_class where oid = name);
  ordered text := coalesce(
    (select attname::text from pg_attribute where attrelid = name and attname = 'seq' and not attisdropped), 'id');
begin
  insert into due_kind (kind, table_name, order_column) values (kind_name, bare, ordered);
  execute format('alter table %s add foreign key (merchant_id, clock_id) references test_clock (merchant_id, id)',
    name);
  execute format(
    'create index %I on %s (next_action_at) where clock_id is null and next_action_at is not null',
    bare || '_due', name);
  execute format(
    'create index %I on %s (merchant_id, clock_id, next_action_at, %I)
       where clock_id is not null and next_action_at is not null',
    bare || '_due_on_clock', name, ordered);
  call write_due_functions();
end $procedure$;

CREATE OR REPLACE FUNCTION ensure_event_partitions(first_month date, month_count integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  month date;
  name text;
  created int := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('event partitions', 0));
  for month in
    select (date_trunc('month', first_month::timestamp) + make_interval(months => n))::date
      from generate_series(0, month_count - 1) n
  loop
    name := 'event_' || to_char(month, 'YYYYMM');
    continue when to_regclass(name) is not null;
    execute format('create table %I (like event including defaults including constraints)', name);
    lock table event_default in access exclusive mode;
    execute format(
      'with moved as (delete from event_default where at >= %L and at < %L returning *)
       insert into %I select * from moved',
      month::timestamp at time zone 'UTC', (month + interval '1 month')::timestamp at time zone 'UTC', name);
    execute format('alter table event attach partition %I for values from (%L) to (%L)',
      name, month::timestamp at time zone 'UTC', (month + interval '1 month')::timestamp at time zone 'UTC');
    execute format('alter table %I enable row level security', name);
    created := created + 1;
  end loop;
  return created;
end $function$;

CREATE OR REPLACE FUNCTION entitlement_inputs(merchants text[], ids text[], ats timestamp with time zone[], untils timestamp with time zone[], by_grant boolean)
 RETURNS TABLE(entitlement_id text, feature_key text, terms jsonb, grants text, resets jsonb, meters jsonb, preceding jsonb, reserved numeric, snapshot_at timestamp with time zone, snapshot_state jsonb, snapshot_taken text)
 LANGUAGE sql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
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
                   'valueProperty', m.value_property, 'groupBy', m.group_by, 'eventFrom', m.event_from)
                 || case when m.time_unit is null then '{}' else jsonb_build_object('timeUnit', m.time_unit) end
                 order by m.id)
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
  $function$;

CREATE OR REPLACE FUNCTION entitlement_opening(merchant text, wanted text, wall timestamp with time zone)
 RETURNS TABLE(found entitlement, state text, effective_now timestamp with time zone, next_grant_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return query
    select e, entitlements_state(e.merchant_id, e.customer_id), t.at,
           (select min(g.effective_at) from entitlement_grant g
             where g.merchant_id = e.merchant_id and g.entitlement_id = e.id and g.effective_at > t.at)
      from entitlement e
     cross join lateral (select coalesce((select c.clock_time from test_clock c
                                           where c.merchant_id = e.merchant_id and c.id = e.clock_id), wall) as at) t
     where e.merchant_id = merchant and e.id = wanted;
end $function$;

CREATE OR REPLACE FUNCTION entitlement_openings(merchant text, customers text[], externals text[], entitlements text[], products text[], keys text[], wall timestamp with time zone, ahead interval)
 RETURNS TABLE(question integer, customer_id text, state text, asked json, opened text)
 LANGUAGE plpgsql
 STABLE
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_variable
declare
  catalog_changes bigint;
  ids text[]; -- the customer of each question
  features json[];
begin
  -- Most statements are of one kind, and each table of a plan costs its start.
  if cardinality(array_remove(customers, null)) > 0 then
    select array_agg(c.id order by q.question) into ids
      from unnest(customers) with ordinality q (id, question)
      left join customer c on c.merchant_id = merchant and c.id = q.id and c.deleted_at is null;
  end if;
  if cardinality(array_remove(externals, null)) > 0 then
    select array_agg(coalesce(ids[q.question], c.id) order by q.question) into ids
      from unnest(externals) with ordinality q (id, question)
      left join customer c on c.merchant_id = merchant and c.external_id = q.id and c.deleted_at is null;
  end if;
  if cardinality(array_remove(entitlements, null)) > 0 then
    select array_agg(coalesce(ids[q.question], e.customer_id) order by q.question) into ids
      from unnest(entitlements) with ordinality q (id, question)
      left join entitlement e on e.merchant_id = merchant and e.id = q.id;
  end if;
  if cardinality(array_remove(keys, null)) > 0 then
    select array_agg(case when q.key is not null then
                       (select coalesce(json_agg(json_build_object('id', f.id, 'key', f.key,
                                                                   'productId', f.product_id, 'type', f.type)
                                                 order by f.seq), '[]')
                          from feature f
                         where f.merchant_id = merchant and f.key = q.key
                           and (q.product is null or f.product_id = q.product)) end order by q.question)
      into features
      from unnest(keys, products) with ordinality q (key, product, question);
  end if;
  select c.change_count into catalog_changes from catalog_change c where c.merchant_id = merchant;
  return query
    select q.question::int, q.customer, state_text(catalog_changes, h.entitlements, h.changes), features[q.question],
           h.opened
      from unnest(ids, entitlements, products, keys)
             with ordinality q (customer, entitlement, product, key, question)
     cross join lateral (
       select count(*) as entitlements, sum(e.change_count) as changes,
              string_agg((
                select json_build_array(
                  e.id, e.feature_id, e.feature_type, e.product_id, e.plan_id, e.subscription_id, e.is_from_plan,
                  e.clock_id, e.active_from, e.active_to, e.is_canceled, e.billable_metric_ids, e.metadata, t.at,
                  f.key,
                  (select json_agg(json_build_object('from', r.effective_from, 'template', r.template)
                                   order by r.effective_from)
                     from entitlement_term r where r.merchant_id = merchant and r.entitlement_id = e.id),
                  case when e.feature_type = 'metered' then
                    (select string_agg(
                              concat(g.id, '|', g.amount, '|', g.priority, '|', epoch_microseconds(g.effective_at),
                                     '|', epoch_microseconds(g.expires_at), '|', epoch_microseconds(g.voided_at),
                                     '|', g.recurrence_period, '|', g.reset_max_rollover, '|', g.reset_min_rollover,
                                     '|', epoch_microseconds(g.created_at), '|', g.seq, '|', g.origin), E'\n')
                       from (select * from entitlement_grant n
                              where n.merchant_id = merchant and n.entitlement_id = e.id
                                and n.effective_at >= coalesce(s.at, '-infinity') and n.effective_at <= t.at + ahead
                              union all
                             select held.* from jsonb_array_elements(s.state -> 'balance' -> 'grants') x
                               join entitlement_grant held on held.merchant_id = merchant and held.id = x ->> 'id'
                              where held.effective_at < s.at) g) end,
                  case when e.feature_type = 'metered' then
                    (select json_agg(json_build_object('at', r.at, 'retainAnchor', r.retain_anchor,
                                                       'preserveOverage', r.preserve_overage))
                       from entitlement_reset r where r.merchant_id = merchant and r.entitlement_id = e.id) end,
                  case when e.feature_type = 'metered' then
                    (select json_agg(jsonb_build_object(
                              'id', m.id, 'eventType', m.event_type, 'aggregation', m.aggregation,
                              'valueProperty', m.value_property, 'groupBy', m.group_by, 'eventFrom', m.event_from)
                            || case when m.time_unit is null then '{}'
                                    else jsonb_build_object('timeUnit', m.time_unit) end
                            order by m.id)
                       from billable_metric m
                      where m.merchant_id = merchant and m.id = any (e.billable_metric_ids)) end,
                  case when e.feature_type = 'metered' and e.subscription_id is not null then
                    (select json_agg(json_build_object('metricIds', o.billable_metric_ids, 'from', o.active_from,
                                                       'to', o.active_to) order by o.seq)
                       from entitlement o
                      where o.merchant_id = merchant and o.customer_id = q.customer and o.seq < e.seq
                        and o.subscription_id <> e.subscription_id
                        and o.clock_id is not distinct from e.clock_id
                        and o.billable_metric_ids && e.billable_metric_ids) end,
                  s.at, s.state, s.taken, e.pauses)::text
                  from (select) one
                  left join lateral (
                    select n.at, n.state, n.taken from entitlement_snapshot n
                     where n.merchant_id = merchant and n.entitlement_id = e.id and n.at <= t.at
                     order by n.at desc limit 1) s on e.feature_type = 'metered'), E'\n' order by e.seq)
              filter (where case when q.entitlement is not null then e.id = q.entitlement
                            else (e.active_to is null or e.active_to > t.at)
                             and (q.product is null or e.product_id = q.product)
                             and (q.key is null or f.key = q.key) end) as opened
         from entitlement e
         join feature f on f.merchant_id = merchant and f.id = e.feature_id
        cross join lateral (
          select case when e.clock_id is null then wall
                      else coalesce((select c.clock_time from test_clock c
                                      where c.merchant_id = merchant and c.id = e.clock_id), wall) end as at
          offset 0) t
        where e.merchant_id = merchant and e.customer_id = q.customer) h
     where q.customer is not null;
end $function$;

CREATE OR REPLACE FUNCTION entitlements_now(merchant text, wall timestamp with time zone, customers text[], are_about_customers boolean[], externals text[], held_ids text[], held_clocks text[], clocks text[], kept_questions integer[], kept_ids text[], kept_subscriptions text[], kept_ats timestamp with time zone[], kept_takens text[])
 RETURNS TABLE(states text, lost text, clock_times text, reserved text, budgets jsonb)
 LANGUAGE plpgsql
 STABLE
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
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
                                        'billableMetricId', b.billable_metric_id, 'byCredits', b.by_credits))
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
end $function$;

CREATE OR REPLACE FUNCTION entitlements_state(merchant text, customer text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  found text;
begin
  select state_text((select c.change_count from catalog_change c where c.merchant_id = merchant),
                    count(*), sum(e.change_count))
    into found from entitlement e where e.merchant_id = merchant and e.customer_id = customer;
  return found;
end $function$;

CREATE OR REPLACE FUNCTION environment_name()
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$ select settings ->> 'environment' from organization where type = 'platform' $function$;

CREATE OR REPLACE FUNCTION epoch_microseconds(at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
RETURN ((EXTRACT(epoch FROM at) * (1000000)::numeric))::bigint;

CREATE OR REPLACE FUNCTION event_horizon(OUT last_seq bigint, OUT writers text[])
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  execute format('select case when is_called then last_value else 0 end from %s',
    pg_get_serial_sequence('event', 'seq'))
    into last_seq;
  writers := event_writers();
end $function$;

CREATE OR REPLACE FUNCTION event_id_key()
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$ select sha256(seed || convert_to(coalesce(platform_organization(), ''), 'UTF8')) from event_id_seed $function$;

CREATE OR REPLACE FUNCTION event_key_bytes(name text)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$ select coalesce(sum(pg_relation_size(t)), 0)::bigint from event_key_tables(name) t $function$;

CREATE OR REPLACE FUNCTION event_key_slice(slices integer, slice integer, OUT first_digits text, OUT end_digits text)
 RETURNS record
 LANGUAGE sql
 IMMUTABLE
AS $function$
    select lpad(to_hex(slice * 65536::bigint / slices), 4, '0'),
           case when slice + 1 < slices then lpad(to_hex((slice + 1) * 65536::bigint / slices), 4, '0') else 'g' end
  $function$;

CREATE OR REPLACE FUNCTION event_key_tables(name text)
 RETURNS SETOF regclass
 LANGUAGE sql
 STABLE
AS $function$
    select relid from pg_partition_tree(name::regclass) where isleaf
     union all
    select name::regclass where not exists (select from pg_partition_tree(name::regclass))
  $function$;

CREATE OR REPLACE FUNCTION event_number(data jsonb, path text[])
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    select case jsonb_typeof(data #> path)
      when 'number' then (data #> path)::numeric
      when 'string' then case when data #>> path ~ '^-?[0-9]{1,38}(\.[0-9]{1,38})?$' then (data #>> path)::numeric end
    end
  $function$;

CREATE OR REPLACE FUNCTION event_text(data jsonb, path text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    select case jsonb_typeof(data #> path)
      when 'string' then data #>> path
      when 'boolean' then data #>> path
      when 'number' then trim_scale((data #>> path)::numeric)::text
    end
  $function$;

CREATE OR REPLACE FUNCTION event_values(kind_merchants text[], kind_types text[], named bigint[], kinds integer[], subject_ids bigint[], times timestamp with time zone[], seqs bigint[], datas jsonb[])
 RETURNS TABLE(merchant_id text, definition_id bigint, kind text, subject_id bigint, hour timestamp with time zone, at timestamp with time zone, seq bigint, group_values text[], group_hash uuid, number numeric, text text)
 LANGUAGE sql
 STABLE
AS $function$
  with read as materialized (
    select k.place as event_kind, s.merchant_id, s.id as definition_id, s.kind,
           string_to_array(s.path, '.') as path, s.dimensions
      from unnest(kind_merchants, kind_types) with ordinality k (merchant_id, event_type, place)
      join rollup_definition s on s.merchant_id = k.merchant_id and s.event_type = k.event_type
     where s.merchant_id = any (kind_merchants) and (named is null or s.id = any (named))
  ), valued as materialized (
    select r.merchant_id, r.definition_id, r.kind, e.subject_id,
           date_bin('1 hour', e.at, timestamptz '2000-01-01Z') as hour, e.at, e.seq,
           case when r.dimensions = '{}' then '{}'::text[] else
             array(select event_text(e.data, string_to_array(d.path, '.')) from unnest(r.dimensions)
               with ordinality d (path, place) order by d.place)
           end as group_values,
           case when r.kind in ('number', 'latest') then event_number(e.data, r.path) end as number,
           case when r.path is null then '' when r.kind in ('count', 'set') then event_text(e.data, r.path) end as text
      from unnest(kinds, subject_ids, times, seqs, datas) e (event_kind, subject_id, at, seq, data)
      join read r on r.event_kind = e.event_kind
  )
  select v.merchant_id, v.definition_id, v.kind, v.subject_id, v.hour, v.at, v.seq, v.group_values,
         case when v.group_values = '{}' then '00000000-0000-0000-0000-000000000000'::uuid
              else text_hash(v.group_values::text) end,
         v.number, v.text
    from valued v
   where v.number is not null or v.text is not null
$function$;

CREATE OR REPLACE FUNCTION event_writers()
 RETURNS text[]
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select coalesce(array_agg(distinct virtualtransaction order by virtualtransaction), '{}')
      from pg_locks
     where locktype = 'relation' and mode = 'RowExclusiveLock' and granted
       and database = (select oid from pg_database where datname = current_database())
       and relation in (select relid from pg_partition_tree('event'))
       and pid is distinct from pg_backend_pid()
  $function$;

CREATE OR REPLACE FUNCTION events_at_hand(merchant text, from_at timestamp with time zone, to_at timestamp with time zone, after_seq bigint DEFAULT NULL::bigint, up_to bigint DEFAULT NULL::bigint, wanted_type text DEFAULT NULL::text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  is_away boolean;
begin
  if merchant is null then
    is_away := exists (
      select from event_archive a
       where a.state in ('leaving', 'away') and a.last_seq > coalesce(after_seq, -1)
         and (up_to is null or a.first_seq <= up_to)
         and (to_at is null or a.month < to_at at time zone 'UTC')
         and (from_at is null or a.month + interval '1 month' > from_at at time zone 'UTC')
         and (wanted_type is null or a.types ? wanted_type));
  else
    is_away := exists (
      select from event_archive a
       where a.merchant_id = merchant and a.state in ('leaving', 'away') and a.last_seq > coalesce(after_seq, -1)
         and (up_to is null or a.first_seq <= up_to)
         and (to_at is null or a.month < to_at at time zone 'UTC')
         and (from_at is null or a.month + interval '1 month' > from_at at time zone 'UTC')
         and (wanted_type is null or a.types ? wanted_type));
  end if;
  if is_away then
    raise exception 'These events are in the archive.' using errcode = 'RK001', detail = jsonb_build_object(
      'merchantId', merchant, 'from', from_at, 'to', to_at, 'after', after_seq::text, 'upTo', up_to::text,
      'type', wanted_type);
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION exchange_event_key_generations(work event_key_work)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  generation text;
  known bigint := (select sum(g.key_count) from event_key_generation g where g.name = any (work.generations));
begin
  if work.key_count is distinct from known then
    raise exception 'the generations % have % keys, and % came into %', work.generations, known,
      work.key_count, work.name;
  end if;
  perform lock_event_keys();
  delete from event_key_generation g where g.name = any (work.generations);
  insert into event_key_generation (name, bytes, key_count) values (work.name, event_key_bytes(work.name),
    work.key_count);
  perform refresh_event_key_views();
  foreach generation in array work.generations loop
    execute format('drop table %I', generation);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION exchange_event_key_sieve(work event_key_work)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  part text;
  known bigint := (select coalesce(sum(p.key_count), 0) from event_key_sieve_part p where p.name = any (work.parts));
begin
  -- Who reads a row first notes on its page that it is committed. Done now, while the pages are in the log anyway, it
  -- is not those who accept events that write them to it once more.
  execute format('select count(suffixes) from %I', work.name);
  perform lock_event_keys();
  delete from event_key_sieve_part p where p.name = any (work.parts);
  insert into event_key_sieve_part (name, digits, key_count) values (work.name, work.digits, work.key_count);
  update event_key_generation g set key_count = work.key_count - known where g.name = any (work.generations);
  perform refresh_event_key_views();
  foreach part in array work.parts loop
    execute format('drop table %I', part);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION exhaust_webhook_deliveries(at timestamp with time zone, most integer)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    with given_up as (
      update webhook_delivery d set status = 'exhausted', next_attempt_at = null, begun_at = null
        from webhook_queue q
       cross join lateral (
         select w.event_id from webhook_delivery w
          where w.merchant_id = q.merchant_id and w.endpoint_id = q.endpoint_id and w.status = 'pending'
            and (w.begun_at is null or w.next_attempt_at <= at)
          limit most) old
       where q.status = 'disabled'
         and d.merchant_id = q.merchant_id and d.event_id = old.event_id and d.endpoint_id = q.endpoint_id
         and d.status = 'pending' and (d.begun_at is null or d.next_attempt_at <= at)
      returning 1
    )
    select count(*) from given_up
  $function$;

CREATE OR REPLACE PROCEDURE expect_one_merchant(IN name regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  perform pg_restore_attribute_stats(
            'schemaname', n.nspname::text, 'relname', c.relname::text, 'attname', 'merchant_id', 'inherited', false,
            'null_frac', 0::real, 'avg_width', 26, 'n_distinct', 1::real)
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
    where c.oid = name and c.relkind = 'r'
      and not exists (select from pg_statistic s where s.starelid = c.oid);
end $procedure$;

CREATE OR REPLACE FUNCTION find_api_keys(hashes bytea[], used_at timestamp with time zone)
 RETURNS TABLE(hash bytea, key_id text, user_id text, organization_id text, organization_type text, role text, expires_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
begin
  if exists (
    select from api_key k
     where k.hash = any (hashes) and k.revoked_at is null
       and (k.last_used_at is null or k.last_used_at < used_at - interval '1 minute')
  ) then
    with stale as (
      select k.merchant_id, k.id from api_key k
       where k.hash = any (hashes) and k.revoked_at is null
         and (k.last_used_at is null or k.last_used_at < used_at - interval '1 minute')
         for no key update skip locked
    )
    update api_key k set last_used_at = used_at
      from stale where k.merchant_id = stale.merchant_id and k.id = stale.id;
  end if;
  return query
    select k.hash, k.id, u.id, u.organization_id, o.type, u.role, k.expires_at
      from api_key k
      join app_user u on u.merchant_id = k.merchant_id and u.id = k.user_id
      join organization o on o.merchant_id = u.merchant_id and o.id = u.organization_id
     where k.hash = any (hashes) and k.revoked_at is null;
end $function$;

CREATE OR REPLACE FUNCTION find_console_session(hash bytea, at timestamp with time zone)
 RETURNS TABLE(id text, user_id text, organization_id text, organization_type text, role text, method text, created_at timestamp with time zone, expires_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
begin
  update auth.session s set used_at = at
   where s.token = hash and s.used_at < at - interval '1 minute'
     and s.used_at > at - interval '12 hours' and s.expires_at > at;
  return query
    select s.id, u.id, u.organization_id, o.type, u.role, s.method, s.created_at,
           least(s.used_at + interval '12 hours', s.expires_at)
      from auth.session s
      join auth.login l on l.id = s.user_id
      join app_user u on u.merchant_id = l.merchant_id and u.id = l.id
      join organization o on o.merchant_id = u.merchant_id and o.id = u.organization_id
     where s.token = hash and s.used_at > at - interval '12 hours' and s.expires_at > at;
end $function$;

CREATE OR REPLACE FUNCTION find_users_of_email(mailbox text, chosen text)
 RETURNS TABLE(id text, organization_id text, organization_name text, organization_type text, role text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select u.id, o.id, o.name, o.type, u.role
      from app_user u
      join organization o on o.merchant_id = u.merchant_id and o.id = u.organization_id
     where lower(u.email) = lower(mailbox) and (chosen is null or u.id = chosen)
     order by (o.type = 'platform') desc, u.created_at, u.id
     limit 10
  $function$;

CREATE OR REPLACE FUNCTION first_on_clock(kinds text[], merchant text, clock text, until timestamp with time zone)
 RETURNS TABLE(kind text, merchant_id text, id text, due_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$ begin if 'alert' = any ($1) then
          return query
          select 'alert'::text, t.merchant_id, t.id, t.next_action_at
            from alert t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'alert' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'billing_schedule' = any ($1) then
          return query
          select 'billing_schedule'::text, t.merchant_id, t.id, t.next_action_at
            from billing_schedule t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'billing_schedule' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'commitment' = any ($1) then
          return query
          select 'commitment'::text, t.merchant_id, t.id, t.next_action_at
            from commitment t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'commitment' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'credit_note_document' = any ($1) then
          return query
          select 'credit_note_document'::text, t.merchant_id, t.id, t.next_action_at
            from credit_note_job t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'credit_note_document' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.id
           limit 1;
        end if;
if 'credit_watch' = any ($1) then
          return query
          select 'credit_watch'::text, t.merchant_id, t.id, t.next_action_at
            from credit_watch t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'credit_watch' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.id
           limit 1;
        end if;
if 'dunning_end' = any ($1) then
          return query
          select 'dunning_end'::text, t.merchant_id, t.id, t.next_action_at
            from dunning_end t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'dunning_end' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.id
           limit 1;
        end if;
if 'entitlement' = any ($1) then
          return query
          select 'entitlement'::text, t.merchant_id, t.id, t.next_action_at
            from entitlement t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'entitlement' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'entitlement_reservation' = any ($1) then
          return query
          select 'entitlement_reservation'::text, t.merchant_id, t.id, t.next_action_at
            from entitlement_reservation t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'entitlement_reservation' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'invoice' = any ($1) then
          return query
          select 'invoice'::text, t.merchant_id, t.id, t.next_action_at
            from invoice t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'invoice' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'invoice_document' = any ($1) then
          return query
          select 'invoice_document'::text, t.merchant_id, t.id, t.next_action_at
            from document_job t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'invoice_document' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.id
           limit 1;
        end if;
if 'invoice_overdue' = any ($1) then
          return query
          select 'invoice_overdue'::text, t.merchant_id, t.id, t.next_action_at
            from invoice_overdue t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'invoice_overdue' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.id
           limit 1;
        end if;
if 'mail' = any ($1) then
          return query
          select 'mail'::text, t.merchant_id, t.id, t.next_action_at
            from mail t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'mail' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'part_return' = any ($1) then
          return query
          select 'part_return'::text, t.merchant_id, t.id, t.next_action_at
            from payment_part_return t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'part_return' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'payment_charge' = any ($1) then
          return query
          select 'payment_charge'::text, t.merchant_id, t.id, t.next_action_at
            from payment_charge t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'payment_charge' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'payment_checkout' = any ($1) then
          return query
          select 'payment_checkout'::text, t.merchant_id, t.id, t.next_action_at
            from payment_checkout t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'payment_checkout' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'payment_dispute' = any ($1) then
          return query
          select 'payment_dispute'::text, t.merchant_id, t.id, t.next_action_at
            from payment_dispute t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'payment_dispute' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'payment_return' = any ($1) then
          return query
          select 'payment_return'::text, t.merchant_id, t.id, t.next_action_at
            from payment_receipt t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'payment_return' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'payment_session' = any ($1) then
          return query
          select 'payment_session'::text, t.merchant_id, t.id, t.next_action_at
            from payment_session t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'payment_session' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'plan_migration' = any ($1) then
          return query
          select 'plan_migration'::text, t.merchant_id, t.id, t.next_action_at
            from plan_migration t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'plan_migration' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'provider_notice' = any ($1) then
          return query
          select 'provider_notice'::text, t.merchant_id, t.id, t.next_action_at
            from provider_notice t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'provider_notice' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'receipt_document' = any ($1) then
          return query
          select 'receipt_document'::text, t.merchant_id, t.id, t.next_action_at
            from receipt_job t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'receipt_document' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.id
           limit 1;
        end if;
if 'stray_return' = any ($1) then
          return query
          select 'stray_return'::text, t.merchant_id, t.id, t.next_action_at
            from stray_payment t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'stray_return' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'subscription' = any ($1) then
          return query
          select 'subscription'::text, t.merchant_id, t.id, t.next_action_at
            from subscription t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'subscription' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'subscription_change' = any ($1) then
          return query
          select 'subscription_change'::text, t.merchant_id, t.id, t.next_action_at
            from subscription_change t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'subscription_change' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'tax_address' = any ($1) then
          return query
          select 'tax_address'::text, t.merchant_id, t.id, t.next_action_at
            from tax_address_check t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'tax_address' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.id
           limit 1;
        end if;
if 'tax_id_check' = any ($1) then
          return query
          select 'tax_id_check'::text, t.merchant_id, t.id, t.next_action_at
            from tax_id_check t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'tax_id_check' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.id
           limit 1;
        end if;
if 'tax_record' = any ($1) then
          return query
          select 'tax_record'::text, t.merchant_id, t.id, t.next_action_at
            from tax_record t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'tax_record' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.seq
           limit 1;
        end if;
if 'true_up_watch' = any ($1) then
          return query
          select 'true_up_watch'::text, t.merchant_id, t.id, t.next_action_at
            from true_up_watch t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = 'true_up_watch' and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.id
           limit 1;
        end if; end $function$;

CREATE OR REPLACE FUNCTION forget_checkout_inputs(created_before timestamp with time zone, most integer)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with forgotten as (
    delete from checkout_input where (merchant_id, link_id, form) in (
      select merchant_id, link_id, form from checkout_input
       where created_at < created_before
       order by created_at limit most for update skip locked)
    returning 1)
  select count(*) from forgotten
$function$;

CREATE OR REPLACE FUNCTION forget_checkouts(expired_before timestamp with time zone, most integer)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with forgotten as (
    delete from checkout where (merchant_id, id) in (
      select merchant_id, id from checkout
       where completed_at is null and expires_at < expired_before
       order by expires_at limit most for update skip locked)
    returning 1)
  select count(*) from forgotten
$function$;

CREATE OR REPLACE FUNCTION forget_claims(at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    with over as (delete from due_claim where due_at <= at returning 1) select count(*) from over
  $function$;

CREATE OR REPLACE FUNCTION forget_confirmed_tax_ids(confirmed_before timestamp with time zone, most integer)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with forgotten as (
    delete from confirmed_tax_id where (merchant_id, prefix, number) in (
      select merchant_id, prefix, number from confirmed_tax_id
       where confirmed_at < confirmed_before
       order by confirmed_at limit most for update skip locked)
    returning 1)
  select count(*) from forgotten
$function$;

CREATE OR REPLACE FUNCTION forget_idempotency_keys(older_than timestamp with time zone, most integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    with old as (
      select merchant_id, route, key from idempotency_key
        where created_at < older_than limit most for update skip locked
    ), gone as (
      delete from idempotency_key where (merchant_id, route, key) in (select * from old) returning 1
    )
    select count(*)::int from gone
  $function$;

CREATE OR REPLACE FUNCTION forget_portal_links(older_than timestamp with time zone, most integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    with gone as (
      delete from portal_link
       where (merchant_id, link_hash) in (
         select merchant_id, link_hash from portal_link where created_at < older_than order by created_at limit most)
      returning 1)
    select count(*)::int from gone
  $function$;

CREATE OR REPLACE FUNCTION forget_webhook_events(older_than timestamp with time zone, most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  forgotten bigint;
begin
  with old as (
    select o.merchant_id, o.id from (select * from outbox order by seq limit most) o where o.recorded_at < older_than
  ), attempts as (
    delete from webhook_attempt a using old where a.merchant_id = old.merchant_id and a.event_id = old.id
  ), deliveries as (
    delete from webhook_delivery d using old where d.merchant_id = old.merchant_id and d.event_id = old.id
  ), events as (
    delete from outbox o using old where o.merchant_id = old.merchant_id and o.id = old.id returning 1
  )
  select count(*) into forgotten from events;
  delete from webhook_endpoint where deleted_at < older_than;
  return forgotten;
end $function$;

CREATE OR REPLACE FUNCTION free_rollup_lane()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
begin
  for lane in 0..15 loop
    if pg_try_advisory_xact_lock(hashtext('rollup lane'), lane) then return lane; end if;
  end loop;
  return pg_backend_pid() % 16;
end $function$;

CREATE OR REPLACE FUNCTION guard_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.decision <> old.decision
     and not exists (select from approval_edge
                      where from_decision = old.decision and to_decision = new.decision) then
    raise exception 'approval % cannot go from % to %', old.id, old.decision, new.decision;
  end if;
  if (new.resource_type, new.resource_id, new.kind, new.requester, new.data_snapshot_hash, new.content, new.created_at)
     is distinct from
     (old.resource_type, old.resource_id, old.kind, old.requester, old.data_snapshot_hash, old.content, old.created_at)
  then
    raise exception 'approval % keeps what was asked', old.id;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION guard_billing_schedule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION guard_billing_schedule_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status <> 'draft' then raise exception 'billing schedule % is no draft and is not deleted', old.id; end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION guard_invoices()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
 SET enable_nestloop TO 'off'
AS $function$
declare
  refusal text;
begin
  select said into refusal
    from (select case
            when o.id is null then format('invoice %s keeps its id', n.id)
            when n.status <> o.status
                 and not exists (select from invoice_edge where from_status = o.status and to_status = n.status)
            then format('invoice %s cannot go from %s to %s', o.id, o.status, n.status)
            when o.issued_at is not null and (
                   (n.issued_at, n.due_at, n.subtotal, n.total_tax, n.grand_total, n.currency, n.customer_id,
                    n.payer_id, n.period_start, n.period_end, n.seller, n.buyer, n.taxes, n.item_count,
                    n.payment_term_days, n.lives_by_session, n.purpose_type, n.purpose_id, n.one_off, n.collected_debt)
                   is distinct from
                   (o.issued_at, o.due_at, o.subtotal, o.total_tax, o.grand_total, o.currency, o.customer_id,
                    o.payer_id, o.period_start, o.period_end, o.seller, o.buyer, o.taxes, o.item_count,
                    o.payment_term_days, o.lives_by_session, o.purpose_type, o.purpose_id, o.one_off, o.collected_debt)
                   or (n.invoice_number, n.content_hash) is distinct from (o.invoice_number, o.content_hash)
                      and not (o.lives_by_session and o.invoice_number is null and n.invoice_number is not null
                               and o.status <> 'PAID' and n.status = 'PAID'))
            then format('invoice %s is issued and does not change; it is credited', o.id)
            when o.issued_at is not null and n.sections <> o.sections
                 or o.grouped_into_id is not null and n.grouped_into_id is distinct from o.grouped_into_id
            then format('invoice %s keeps what is joined', o.id)
            when n.paid_amount < o.paid_amount
                 and o.paid_amount - n.paid_amount <> o.credited_amount - n.credited_amount
                 and not (o.status <> 'CANCELLED' and n.status = 'CANCELLED' and n.wallet_applied = 0
                          and n.paid_amount = o.paid_amount - o.wallet_applied)
                 and not exists (
                   select from payment_receipt r
                    where r.merchant_id = n.merchant_id and r.invoice_id = n.id and r.reversed_at is not null
                      and r.amount - r.overpaid = o.paid_amount - n.paid_amount)
            then format('the paid amount of invoice %s does not fall', o.id)
            end as said
            from new_rows n left join old_rows o on o.merchant_id = n.merchant_id and o.id = n.id) judged
   where said is not null limit 1;
  if refusal is not null then
    raise exception '%', refusal;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION guard_issued_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.issued_at is not null then raise exception 'invoice % is issued and is never deleted', old.id; end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION guard_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.cancelled_at is not null then
    raise exception 'order % is cancelled and does not change', old.id;
  end if;
  if new.approval_status <> old.approval_status
     and not exists (select from order_edge
                      where from_status = old.approval_status and to_status = new.approval_status) then
    raise exception 'order % cannot go from % to %', old.id, old.approval_status, new.approval_status;
  end if;
  if (new.customer_id, new.currency, new.clock_id) is distinct from (old.customer_id, old.currency, old.clock_id) then
    raise exception 'order % keeps its customer, its currency and its clock', old.id;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION guard_order_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.approval_status <> 'draft' or old.cancelled_at is not null then
    raise exception 'order % is no draft and is not deleted', old.id;
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION guard_order_line()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  touched record;
begin
  if tg_op = 'INSERT' then touched := new; else touched := old; end if;
  if exists (select from sales_order
              where merchant_id = touched.merchant_id and id = touched.order_id and cancelled_at is not null) then
    raise exception 'order % is cancelled; its lines do not change', touched.order_id;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $function$;

CREATE OR REPLACE FUNCTION guard_rows_of_issued()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  issued text;
begin
  select t.invoice_id into issued
    from (select distinct merchant_id, invoice_id from touched) t
   where (select coalesce(i.issued_at::text, i.grouped_into_id) from invoice i
           where i.merchant_id = t.merchant_id and i.id = t.invoice_id) is not null
   limit 1;
  if issued is not null then
    raise exception 'invoice % is issued; its lines and quantities do not change', issued;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION guard_schedule_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status = 'pushed' and (tg_op = 'DELETE' or new.status not in ('pushed', 'cancelled')
     or (new.amount, new.lines, new.bill_at) is distinct from (old.amount, old.lines, old.bill_at)
     or new.invoice_id is distinct from old.invoice_id
        and not has_replaced(old.merchant_id, old.invoice_id, new.invoice_id))
  then raise exception 'schedule invoice % is pushed and does not change', old.id; end if;
  return case tg_op when 'DELETE' then old else new end;
end $function$;

CREATE OR REPLACE FUNCTION guard_source_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION has_replaced(merchant text, replaced text, by_id text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (select from invoice where merchant_id = merchant and id = replaced and reissued_as_id = by_id)
$function$;

CREATE OR REPLACE FUNCTION in_event_key_slice(first_digits text, end_digits text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
    select format('h >= %L', rpad(first_digits, 32, '0')) || case when end_digits <> 'g' then format(' and h < %L',
      rpad(end_digits, 32, '0')) else '' end
  $function$;

CREATE OR REPLACE FUNCTION ingest_flush(merchants text[], may_wait boolean, accepted timestamp with time zone, subject_merchants text[], subject_kinds text[], subject_keys text[], kind_merchants text[], kind_types text[], kind_sources text[], hashes uuid[], prints bigint[], groups integer[], kinds integer[], subjects integer[], times timestamp with time zone[], external_subjects text[], external_ids text[], keys text[], datas jsonb[])
 RETURNS TABLE(busy text[], addressees text[], numbers text, repeated integer[], repeated_numbers text, repeated_times text[], repeated_addressees text[], conflicting integer[])
 LANGUAGE plpgsql
 SET enable_nestloop TO 'off'
 SET enable_sort TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_variable
declare
  merchant text;
  kind_numbers int[];
  subject_ids bigint[];
  event_subjects bigint[];
  has_sealed boolean;
  sealed int[];
  careful int; -- so many flushes still look keys up first
  known boolean[];
  claimed int;
  is_new boolean[];
  seqs bigint[];
  settling text[];
  marks timestamptz[];
  newest_mark timestamptz;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('event keys', 0));
  foreach merchant in array merchants loop
    if may_wait then
      perform pg_advisory_xact_lock_shared(hashtextextended('ingest ' || merchant, 0));
    elsif not pg_try_advisory_xact_lock_shared(hashtextextended('ingest ' || merchant, 0)) then
      busy := array_append(busy, merchant);
    end if;
    if is_usage_settling(merchant) then settling := array_append(settling, merchant); end if;
  end loop;
  if busy is not null then
    return next;
    return;
  end if;

  for attempt in 1..2 loop
    select array_agg((select n.number from merchant_number n where n.merchant_id = k.merchant_id) order by k.place),
           (select true from event_key_generation limit 1)
      into kind_numbers, has_sealed
      from unnest(kind_merchants) with ordinality k (merchant_id, place);
    exit when array_position(kind_numbers, null) is null;
    insert into merchant_number (merchant_id)
    select m.id from unnest(merchants) with ordinality m (id, place)
     where not exists (select from merchant_number n where n.merchant_id = m.id)
     order by m.place
        on conflict do nothing;
  end loop;

  for attempt in 1..2 loop
    select array_agg(found.id), array_agg(found.name), array_agg(found.mark), max(found.mark)
      into subject_ids, addressees, marks, newest_mark from (
      select s.id, s.name,
             case when s.may_count and k.merchant_id = any (settling) then 'infinity' else s.settled_until end as mark
        from unnest(subject_merchants, subject_kinds, subject_keys) with ordinality k (merchant_id, kind, key, place)
        left join lateral (
          select es.id, coalesce(es.customer_id, es.addressee) as name, es.settled_until,
                 es.kind = 'direct' or es.addressee is not null as may_count
            from event_subject es
           where es.merchant_id = k.merchant_id and es.kind = k.kind and es.key = k.key
           order by es.epoch desc limit 1) s on true
       order by k.place) found;
    exit when array_position(subject_ids, null) is null;
    -- First rows for keys never seen. A direct key is addressed to the customer or subscription of this merchant that
    -- it names, if it does; such ids are known to nobody before they exist, so what names nobody today never will.
    insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at)
    select k.merchant_id, k.kind, k.key, case when named.is_ours then k.key end,
           case when named.is_ours and k.key like 'cus\_%' then k.key end, accepted
      from unnest(subject_merchants, subject_kinds, subject_keys, subject_ids)
        with ordinality k (merchant_id, kind, key, id, place)
     cross join lateral (
       select k.kind = 'direct' and k.key ~ '^(cus|sub)_' and owner_of(k.key) is not distinct from k.merchant_id
                as is_ours) named
     where k.id is null
     order by k.place
        on conflict do nothing;
  end loop;

  lock table only event in row exclusive mode;
  seqs := array(select nextval('event_seq_seq') from generate_series(1, cardinality(hashes)));
  numbers := array_to_string(seqs, ',');
  if has_sealed then
    select array_agg(s.place) into sealed from sealed_event_keys(kind_numbers, kinds, hashes) s;
  end if;
  -- A key that is not stored yet is inserted plainly: `on conflict` writes one more record into the log for each. Where
  -- one of them is stored after all, all are inserted again with `on conflict`. What the first insert wrote is then
  -- wasted, so the session looks keys up before it inserts them for some time after a repeated one.
  careful := coalesce(nullif(current_setting('reckoner.repeated_keys', true), ''), '0');
  if careful > 0 then
    perform set_config('reckoner.repeated_keys', (careful - 1)::text, false);
    known := array(
      select (select true from event_key a where a.merchant_number = kind_numbers[k.kind] and a.h = k.h limit 1)
        from unnest(kinds, hashes) with ordinality k (kind, h, place) order by k.place);
  end if;
  begin
    insert into event_key (seq, fp, day, merchant_number, h)
    select k.seq, k.fp, (k.at at time zone 'UTC')::date, kind_numbers[k.kind], k.h
      from unnest(kinds, hashes, seqs, prints, times, known) with ordinality k (kind, h, seq, fp, at, is_known, place)
     where k.is_known is null and (sealed is null or k.place <> all (sealed))
     order by 4, 5;
    get diagnostics claimed = row_count;
  exception when unique_violation then
    insert into event_key (seq, fp, day, merchant_number, h)
    select k.seq, k.fp, (k.at at time zone 'UTC')::date, kind_numbers[k.kind], k.h
      from unnest(kinds, hashes, seqs, prints, times) with ordinality k (kind, h, seq, fp, at, place)
     where sealed is null or k.place <> all (sealed)
     order by 4, 5
        on conflict do nothing;
    get diagnostics claimed = row_count;
  end;

  if claimed < cardinality(hashes) then
    perform set_config('reckoner.repeated_keys', '16', false);
    -- Numbers are new, so a key with the number of ours was claimed here. A day lies in few partitions, so each event
    -- is looked up by its own.
    select array_agg(stored.is_new order by k.place),
           array_agg(k.place order by k.place) filter (where not stored.is_new),
           string_agg(stored.seq::text, ',' order by k.place) filter (where not stored.is_new),
           array_agg(e.time order by k.place) filter (where not stored.is_new),
           array_agg(e.name order by k.place) filter (where not stored.is_new),
           array_agg(k.place order by k.place) filter (where stored.fp <> k.fp)
      into is_new, repeated, repeated_numbers, repeated_times, repeated_addressees, conflicting
      from unnest(kinds, hashes, prints, seqs) with ordinality k (kind, h, fp, seq, place)
     cross join lateral (
       select found.seq, found.day, found.fp, found.seq = k.seq as is_new from (
         select a.seq, a.day, a.fp from event_key a where a.merchant_number = kind_numbers[k.kind] and a.h = k.h
          union all
         select s.seq, s.day, s.fp from event_key_sealed s where s.merchant_number = kind_numbers[k.kind] and s.h = k.h
          limit 1) found) stored
      left join lateral (
       select replace((found.at at time zone 'UTC')::text, ' ', 'T') || 'Z' as time,
              (select coalesce(s.customer_id, s.addressee) from event_subject s
                where s.merchant_id = found.merchant_id and s.id = found.subject_id limit 1) as name
         from event found
        where not stored.is_new and found.merchant_id = kind_merchants[k.kind] and found.seq = stored.seq
          and found.at >= stored.day::timestamp at time zone 'UTC'
          and found.at < (stored.day + 1)::timestamp at time zone 'UTC'
        limit 1) e on true;
    if conflicting is not null then
      select array_agg(n.is_new and batch_group <> all (array(select groups[c] from unnest(conflicting) c))
        order by n.place)
        into is_new
        from unnest(is_new, groups) with ordinality n (is_new, batch_group, place);
      delete from event_key k using unnest(kinds, hashes, seqs, is_new) n (kind, h, seq, is_new)
       where not n.is_new and k.merchant_number = kind_numbers[n.kind] and k.h = n.h and k.seq = n.seq;
    end if;
    select array_agg(n.a), coalesce(array_agg(n.b), '{}'), array_agg(n.c), array_agg(n.d), array_agg(n.e),
           array_agg(n.f), array_agg(n.g), array_agg(n.i)
      into seqs, kinds, subjects, times, external_subjects, external_ids, keys, datas
      from unnest(seqs, kinds, subjects, times, external_subjects, external_ids, keys, datas, is_new)
           n (a, b, c, d, e, f, g, i, is_new)
     where n.is_new;
  end if;

  if cardinality(kinds) > 0 then
    event_subjects := array(select subject_ids[n.subject] from unnest(subjects) with ordinality n (subject, place)
                             order by n.place);
    insert into event (seq, at, accepted_at, subject_id, merchant_id, type, source, idempotency_key, data,
      external_subject, external_id)
    select n.seq, n.at, accepted, n.subject, kind_merchants[n.kind], kind_types[n.kind],
           kind_sources[n.kind], n.key, n.data, n.external_subject, n.external_id
      from unnest(seqs, kinds, event_subjects, times, external_subjects, external_ids, keys, datas)
           n (seq, kind, subject, at, external_subject, external_id, key, data);
    perform roll_up_events(kind_merchants, kind_types, null, null, kinds, event_subjects, times, seqs, datas);
    if newest_mark is not null then
      if newest_mark > (select min(n.at) from unnest(times) n (at)) then
        insert into usage_late (merchant_id, subject_id, at)
        select subject_merchants[n.subject], subject_ids[n.subject], min(n.at)
          from unnest(subjects, times) n (subject, at)
         where n.at < marks[n.subject]
         group by n.subject
            on conflict (merchant_id, subject_id, xid) do update set at = least(usage_late.at, excluded.at);
      end if;
    end if;
  end if;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION ingest_transaction(merchants text[], may_wait boolean, accepted timestamp with time zone, subject_merchants text[], subject_kinds text[], subject_keys text[], kind_merchants text[], kind_types text[], kind_sources text[], hashes uuid[], prints bigint[], groups integer[], kinds integer[], subjects integer[], times timestamp with time zone[], external_subjects text[], external_ids text[], keys text[], datas jsonb[])
 RETURNS TABLE(busy text[], addressees text[], numbers text, repeated integer[], repeated_numbers text, repeated_times text[], repeated_addressees text[], conflicting integer[])
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_variable
begin
  perform set_config('role', 'reckoner_app', true),
          set_config('reckoner.merchants', array_to_string(merchants, ','), true),
          set_config('lock_timeout', '3000', true);
  return query select * from ingest_flush(merchants, may_wait, accepted, subject_merchants, subject_kinds, subject_keys,
    kind_merchants, kind_types, kind_sources, hashes, prints, groups, kinds, subjects, times, external_subjects,
    external_ids, keys, datas);
end $function$;

CREATE OR REPLACE FUNCTION ingest_writers(merchant text)
 RETURNS text[]
 LANGUAGE sql
AS $function$
    select coalesce(array_agg(distinct l.virtualtransaction order by l.virtualtransaction), '{}')
      from (select hashtextextended('ingest ' || merchant, 0) as key) k
      join pg_locks l on l.classid = ((k.key >> 32) & 4294967295)::oid and l.objid = (k.key & 4294967295)::oid
     where l.locktype = 'advisory' and l.objsubid = 1 and l.mode = 'ShareLock' and l.granted
       and l.database = (select oid from pg_database where datname = current_database())
       and l.pid <> pg_backend_pid()
  $function$;

CREATE OR REPLACE FUNCTION is_over_time(merchant text, metrics text[])
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    select exists (select from billable_metric m
                    where m.merchant_id = merchant and m.id = any (metrics) and m.aggregation = 'TIME_WEIGHTED')
  $function$;

CREATE OR REPLACE FUNCTION is_time(of_list text, measure text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select atttypid = 'timestamptz'::regtype from pg_attribute where attrelid = of_list::regclass and attname = measure
$function$;

CREATE OR REPLACE FUNCTION is_usage_late(merchant text, named text[], until timestamp with time zone, taken pg_snapshot)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    select exists (
      select from usage_late l
       where l.merchant_id = merchant and l.subject_id in (select r.id from usage_rows(merchant, named) r)
         and (pg_visible_in_snapshot(l.xid, pg_current_snapshot()) or l.xid = pg_current_xact_id_if_assigned())
         and l.at < until and not pg_visible_in_snapshot(l.xid, taken))
  $function$;

CREATE OR REPLACE FUNCTION is_usage_settling(merchant text)
 RETURNS boolean
 LANGUAGE sql
AS $function$
    select case when pg_try_advisory_lock(hashtextextended('usage marks ' || merchant, 0))
                then not pg_advisory_unlock(hashtextextended('usage marks ' || merchant, 0)) else true end
  $function$;

CREATE OR REPLACE FUNCTION join_workers(known integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  joined int := known;
begin
  if known is null then
    insert into worker default values returning id into joined;
  else
    insert into worker (id) values (known) on conflict do nothing;
  end if;
  return joined;
end $function$;

CREATE OR REPLACE PROCEDURE keep_changed_at(IN name regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s add column changed_at timestamptz not null default now()', name);
  execute format('alter table %s alter column changed_at set default clock_timestamp()', name);
  execute format(
    'create trigger changed before insert or update on %s for each row execute function set_changed_at()', name);
  execute format('create index %I on %s (merchant_id, changed_at)', name::text || '_changed', name);
end $procedure$;

CREATE OR REPLACE FUNCTION keep_grant()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE PROCEDURE keep_list_count(IN of_list text, IN facets text[] DEFAULT '{}'::text[], IN condition text DEFAULT 'true'::text, IN measures text[] DEFAULT '{}'::text[])
 LANGUAGE plpgsql
AS $procedure$
declare
  facet text := format('array[%s]::text[]', array_to_string(facets, ', '));
  measure text := (select string_agg(measured(of_list, each), ', ' order by n) from unnest(measures)
    with ordinality as m (each, n));
begin
  insert into counted_list values (of_list, facets, condition, measures);
  execute format(
    case when measures = '{}' then
    'create function count_%1$s() returns trigger language plpgsql as $body$
     begin
       if tg_op = ''INSERT'' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, %1$L, %2$s, count(*) from new_rows where %3$s group by 1, 3;
       elsif tg_op = ''DELETE'' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, %1$L, %2$s, -count(*) from old_rows where %3$s group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, %1$L, facet, sum(change)
           from (select merchant_id, %2$s as facet, 1 as change from new_rows where %3$s
                 union all
                 select merchant_id, %2$s, -1 from old_rows where %3$s) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $body$'
    else
    'create function count_%1$s() returns trigger language plpgsql as $body$
     begin
       if tg_op = ''INSERT'' then
         insert into list_count_change (merchant_id, list, facet, change, measured, top)
         select merchant_id, %1$L, %2$s, count(*), array_agg(array[%4$s]), max(seq) from new_rows
           where %3$s group by 1, 3;
       elsif tg_op = ''DELETE'' then
         insert into list_count_change (merchant_id, list, facet, change, measured, top)
         select merchant_id, %1$L, %2$s, -count(*), array_agg(array[%4$s]), max(seq) from old_rows
           where %3$s group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change, measured, top)
         select merchant_id, %1$L, side.facet, sum(side.change), array_agg(side.measured), max(seq)
           from (select merchant_id, seq, %2$s as facet, array[%4$s] as measured, %3$s as counts from new_rows) new_row
           join (select merchant_id, seq, %2$s as facet, array[%4$s] as measured, %3$s as counts from old_rows) old_row
             using (merchant_id, seq),
                lateral (values (new_row.facet, new_row.measured, 1, new_row.counts),
                                (old_row.facet, old_row.measured, -1, old_row.counts)) side
                  (facet, measured, change, counts)
          where (new_row.facet, new_row.measured, new_row.counts)
            is distinct from (old_row.facet, old_row.measured, old_row.counts)
            and side.counts
          group by merchant_id, side.facet, side.change;
       end if;
       return null;
     end $body$ set enable_nestloop = off set enable_hashjoin = on' end, of_list, facet, condition, measure);
  execute format('create trigger count_new after insert on %1$I referencing new table as new_rows
    for each statement execute function count_%1$s()', of_list);
  execute format('create trigger count_moved after update on %1$I
    referencing old table as old_rows new table as new_rows
    for each statement execute function count_%1$s()', of_list);
  execute format('create trigger count_gone after delete on %1$I referencing old table as old_rows
    for each statement execute function count_%1$s()', of_list);
  call count_list_again(of_list);
end $procedure$;

CREATE OR REPLACE FUNCTION keep_payment_receipt()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (old.return_status = 'returned' or old.reversed_at is not null) and new is distinct from old then
    raise exception 'payment receipt % has been returned', old.id;
  end if;
  if (new.invoice_id, new.session_id, new.charge_id, new.amount, new.overpaid, new.currency, new.method, new.reference,
      new.provider_reference, new.received_at, new.card_brand, new.card_last4)
     is distinct from
     (old.invoice_id, old.session_id, old.charge_id, old.amount, old.overpaid, old.currency, old.method, old.reference,
      old.provider_reference, old.received_at, old.card_brand, old.card_last4) then
    raise exception 'what came in with payment receipt % does not change', old.id;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION keep_revenue(merchants text[], ids text[], of_kind text)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  -- the facts of a credit note by members have its id and theirs
  records text[] := array(select distinct split_part(each, '/', 1) from unnest(ids) each);
begin
  with now_so as materialized (
    select * from revenue_source s
     where s.merchant_id = any (merchants) and s.record_id = any (records) and s.id = any (ids) and s.kind = of_kind
  ), before as materialized (
    select * from revenue_fact f where f.merchant_id = any (merchants) and f.id = any (ids)
  ), gone as (
    delete from revenue_fact f using before b
     where f.merchant_id = b.merchant_id and f.id = b.id
       and not exists (select from now_so s where s.merchant_id = b.merchant_id and s.id = b.id)
  ), saved as (
    insert into revenue_fact as f (merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id,
      plan_id, amount, open_amount)
    select merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id, plan_id,
           amount, open_amount
      from now_so
    on conflict (merchant_id, id) do update
      set status = excluded.status, amount = excluded.amount, open_amount = excluded.open_amount
      where (f.status, f.amount, f.open_amount)
        is distinct from (excluded.status, excluded.amount, excluded.open_amount)
  )
  insert into revenue_change (merchant_id, hour, currency, customer_id, plan_id, kind, status, count, amount,
    open_amount)
  select merchant_id, date_trunc('hour', counted_at, 'UTC'), currency, coalesce(customer_id, ''),
         coalesce(plan_id, ''), kind, status, sum(count), sum(amount), sum(open_amount)
    from (select s.merchant_id, s.counted_at, s.currency, s.customer_id,
                 coalesce(b.plan_id, s.plan_id) as plan_id, s.kind, s.status, 1 as count, s.amount, s.open_amount
            from now_so s left join before b on b.merchant_id = s.merchant_id and b.id = s.id
          union all
          select merchant_id, counted_at, currency, customer_id, plan_id, kind, status, -1, -amount, -open_amount
            from before) c
   group by 1, 2, 3, 4, 5, 6, 7
  having sum(count) <> 0 or sum(amount) <> 0 or sum(open_amount) <> 0;
end $function$;

CREATE OR REPLACE FUNCTION keep_revenue_of_carried_credit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  of_kind text := (select case when t.key like 'carried:%' then 'rebate' when t.key like 'earned:%' then 'earned' end
                     from ledger_transaction t where t.merchant_id = new.merchant_id and t.id = new.transaction_id);
begin
  if of_kind is not null then
    perform keep_revenue(array[new.merchant_id], array[new.transaction_id], of_kind);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_revenue_of_credit_notes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  noted record;
begin
  for noted in
    select case when kind in ('refund', 'reissue') then 'refund' else 'rebate' end as fact,
           array_agg(merchant_id) as merchants,
           array_agg(id) as ids, array_agg(invoice_id) as invoices
      from new_rows where kind in ('refund', 'reissue', 'credit', 'partial') group by 1
  loop
    perform keep_revenue(noted.merchants, noted.ids, noted.fact);
    perform keep_revenue_of_sections(noted.merchants, noted.invoices, noted.fact);
    if noted.fact = 'rebate' then
      perform keep_revenue(noted.merchants, noted.invoices, 'invoice');
      perform keep_revenue_of_sections(noted.merchants, noted.invoices, 'invoice');
    end if;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_revenue_of_disputes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform keep_revenue(array_agg(merchant_id), array_agg(id), 'dispute') from new_rows having count(*) > 0;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_revenue_of_invoices()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
declare
  merchants text[];
  ids text[];
begin
  select array_agg(merchant_id), array_agg(id) into merchants, ids
    from (select merchant_id, id, status, paid_amount, invoice_number from new_rows where issued_at is not null
          except
          select merchant_id, id, status, paid_amount, invoice_number from old_rows) changed;
  if ids is null then
    return null;
  end if;
  perform keep_revenue(merchants, ids, 'invoice');
  if exists (select from new_rows where kind = 'grouped') then
    perform keep_revenue_of_sections(merchants, ids, 'invoice');
  end if;
  select array_agg(c.merchant_id), array_agg(c.id) into merchants, ids
    from new_rows n join old_rows o on o.merchant_id = n.merchant_id and o.id = n.id
    join credit_note c on c.merchant_id = n.merchant_id and c.invoice_id = n.id and c.kind in ('credit', 'partial')
   where n.status = 'CANCELLED' and o.status <> 'CANCELLED';
  if ids is not null then
    perform keep_revenue(merchants, ids, 'rebate');
    perform keep_revenue_of_sections(array_agg(merchant_id), array_agg(id), 'rebate')
       from new_rows where kind = 'grouped' having count(*) > 0;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_revenue_of_new_invoices()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  merchants text[];
  ids text[];
begin
  select array_agg(merchant_id), array_agg(id) into merchants, ids from new_rows where issued_at is not null;
  if ids is not null then
    perform keep_revenue(merchants, ids, 'invoice');
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_revenue_of_noted_lines()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform keep_revenue_of_sections(array_agg(n.merchant_id), array_agg(n.invoice_id), 'rebate')
     from (select distinct merchant_id, credit_note_id from new_rows) r
     join credit_note n on n.merchant_id = r.merchant_id and n.id = r.credit_note_id and n.kind in ('credit', 'partial')
     join invoice g on g.merchant_id = n.merchant_id and g.id = n.invoice_id and g.kind = 'grouped'
   having count(*) > 0;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_revenue_of_receipts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform keep_revenue(array_agg(merchant_id), array_agg(id), 'payment') from new_rows having count(*) > 0;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_revenue_of_reversed_receipt()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform keep_revenue(array[new.merchant_id], array[new.id], 'payment');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_revenue_of_sections(merchants text[], invoices text[], of_kind text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if of_kind = 'invoice' then
    perform keep_revenue(array_agg(m.merchant_id), array_agg(m.id), of_kind)
       from unnest(merchants, invoices) as g (merchant_id, id)
       join invoice m on m.merchant_id = g.merchant_id and m.grouped_into_id = g.id
     having count(*) > 0;
  else
    perform keep_revenue(array_agg(m.merchant_id), array_agg(n.id || '/' || m.id), of_kind)
       from unnest(merchants, invoices) as g (merchant_id, id)
       join invoice m on m.merchant_id = g.merchant_id and m.grouped_into_id = g.id
       join credit_note n on n.merchant_id = g.merchant_id and n.invoice_id = g.id
        and case of_kind when 'refund' then n.kind = 'refund' else n.kind in ('credit', 'partial') end
     having count(*) > 0;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION keep_revenue_of_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform keep_revenue(array_agg(merchant_id), array_agg(id), 'payment') from new_rows
    where mode = 'payment' having count(*) > 0;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_timeline_of_audit_entry(merchants text[], ids text[], is_new boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  if is_new then
    insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
      label, user_id)
    select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
      from timeline_of_audit_entry s
     where s.merchant_id = any (merchants) and s.source_id = any (ids)
     order by s.at, s.seq;
    return;
  end if;
  insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
    label, user_id)
  select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
    from timeline_of_audit_entry s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and not exists (
       select from timeline_fact f
        where f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
          and f.id = s.id)
   order by s.at, s.seq;
  update timeline_fact f set what = s.what
    from timeline_of_audit_entry s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
     and f.id = s.id and f.what <> s.what;
end $function$;

CREATE OR REPLACE FUNCTION keep_timeline_of_credit_note(merchants text[], ids text[], is_new boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  if is_new then
    insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
      label, user_id)
    select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
      from timeline_of_credit_note s
     where s.merchant_id = any (merchants) and s.source_id = any (ids)
     order by s.at, s.seq;
    return;
  end if;
  insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
    label, user_id)
  select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
    from timeline_of_credit_note s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and not exists (
       select from timeline_fact f
        where f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
          and f.id = s.id)
   order by s.at, s.seq;
  update timeline_fact f set what = s.what
    from timeline_of_credit_note s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
     and f.id = s.id and f.what <> s.what;
end $function$;

CREATE OR REPLACE FUNCTION keep_timeline_of_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  said_what text := case when new.ending_at is null then 'subscription.end_withdrawn' else 'subscription.end_scheduled' end;
  said_day text := to_char(new.ending_at at time zone 'UTC', 'YYYY-MM-DD');
  fact_id text := new.id || '_end_' || epoch_microseconds(new.updated_at);
begin
  update timeline_fact set what = said_what, label = said_day
   where merchant_id = new.merchant_id and customer_id = new.customer_id and kind = 'subscription'
     and at = new.updated_at and id = fact_id;
  if not found then
    insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, label)
    values (new.merchant_id, new.customer_id, 'subscription', new.updated_at, fact_id, said_what, new.id, said_day);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_timeline_of_ledger_entry(merchants text[], ids text[], is_new boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  if is_new then
    insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
      label, user_id)
    select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
      from timeline_of_ledger_entry s
     where s.merchant_id = any (merchants) and s.source_id = any (ids)
     order by s.at, s.seq;
    return;
  end if;
  insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
    label, user_id)
  select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
    from timeline_of_ledger_entry s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and not exists (
       select from timeline_fact f
        where f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
          and f.id = s.id)
   order by s.at, s.seq;
  update timeline_fact f set what = s.what
    from timeline_of_ledger_entry s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
     and f.id = s.id and f.what <> s.what;
end $function$;

CREATE OR REPLACE FUNCTION keep_timeline_of_mail(merchants text[], ids text[], is_new boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  if is_new then
    insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
      label, user_id)
    select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
      from timeline_of_mail s
     where s.merchant_id = any (merchants) and s.source_id = any (ids)
     order by s.at, s.seq;
    return;
  end if;
  insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
    label, user_id)
  select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
    from timeline_of_mail s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and not exists (
       select from timeline_fact f
        where f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
          and f.id = s.id)
   order by s.at, s.seq;
  update timeline_fact f set what = s.what
    from timeline_of_mail s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
     and f.id = s.id and f.what <> s.what;
end $function$;

CREATE OR REPLACE FUNCTION keep_timeline_of_new()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  execute format('select %I(array_agg(merchant_id), array_agg(id), true) from new_rows having count(*) > 0',
    'keep_timeline_of_' || tg_table_name);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_timeline_of_outbox(merchants text[], ids text[], is_new boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  if is_new then
    insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
      label, user_id)
    select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
      from timeline_of_outbox s
     where s.merchant_id = any (merchants) and s.source_id = any (ids)
     order by s.at, s.seq;
    return;
  end if;
  insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
    label, user_id)
  select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
    from timeline_of_outbox s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and not exists (
       select from timeline_fact f
        where f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
          and f.id = s.id)
   order by s.at, s.seq;
  update timeline_fact f set what = s.what
    from timeline_of_outbox s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
     and f.id = s.id and f.what <> s.what;
end $function$;

CREATE OR REPLACE FUNCTION keep_timeline_of_payment_receipt(merchants text[], ids text[], is_new boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  if is_new then
    insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
      label, user_id)
    select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
      from timeline_of_payment_receipt s
     where s.merchant_id = any (merchants) and s.source_id = any (ids)
     order by s.at, s.seq;
    return;
  end if;
  insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
    label, user_id)
  select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
    from timeline_of_payment_receipt s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and not exists (
       select from timeline_fact f
        where f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
          and f.id = s.id)
   order by s.at, s.seq;
  update timeline_fact f set what = s.what
    from timeline_of_payment_receipt s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
     and f.id = s.id and f.what <> s.what;
end $function$;

CREATE OR REPLACE FUNCTION keep_timeline_of_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  execute format('select %I($1, $2, $3)', 'keep_timeline_of_' || tg_argv[0])
    using array[new.merchant_id], array[to_jsonb(new) ->> tg_argv[1]], tg_op = 'INSERT';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_timeline_of_subscription_change(merchants text[], ids text[], is_new boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  if is_new then
    insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
      label, user_id)
    select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
      from timeline_of_subscription_change s
     where s.merchant_id = any (merchants) and s.source_id = any (ids)
     order by s.at, s.seq;
    return;
  end if;
  insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
    label, user_id)
  select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
    from timeline_of_subscription_change s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and not exists (
       select from timeline_fact f
        where f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
          and f.id = s.id)
   order by s.at, s.seq;
  update timeline_fact f set what = s.what
    from timeline_of_subscription_change s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
     and f.id = s.id and f.what <> s.what;
end $function$;

CREATE OR REPLACE FUNCTION keep_timeline_of_webhook_delivery(merchants text[], ids text[], is_new boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  if is_new then
    insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
      label, user_id)
    select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
      from timeline_of_webhook_delivery s
     where s.merchant_id = any (merchants) and s.source_id = any (ids)
     order by s.at, s.seq;
    return;
  end if;
  insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
    label, user_id)
  select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
    from timeline_of_webhook_delivery s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and not exists (
       select from timeline_fact f
        where f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
          and f.id = s.id)
   order by s.at, s.seq;
  update timeline_fact f set what = s.what
    from timeline_of_webhook_delivery s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
     and f.id = s.id and f.what <> s.what;
end $function$;

CREATE OR REPLACE FUNCTION last_beat()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$ select beaten_at from primary_beat $function$;

CREATE OR REPLACE FUNCTION list_place_key()
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$ select sha256(event_id_key() || convert_to('places in lists', 'UTF8')) $function$;

CREATE OR REPLACE FUNCTION lock_event_keys()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('lock_timeout', '1000', true);
  perform pg_advisory_xact_lock(hashtextextended('event keys', 0));
end $function$;

CREATE OR REPLACE FUNCTION lock_worker(number integer)
 RETURNS void
 LANGUAGE sql
AS $function$ select pg_advisory_xact_lock(1919, number) $function$;

CREATE OR REPLACE FUNCTION lost_workers()
 RETURNS SETOF integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select id from worker
     where id not in (
       select l.objid::bigint::int from pg_locks l
        where l.locktype = 'advisory' and l.objsubid = 2 and l.classid = 1919 and l.granted
          and l.database = (select oid from pg_database where datname = current_database()))
  $function$;

CREATE OR REPLACE FUNCTION lower_emails(email text, billing_emails text[])
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select lower(array_to_string(array[email] || billing_emails, e'\n'))
$function$;

CREATE OR REPLACE FUNCTION mailboxes_of(billing_emails text[], email text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    select array_agg(lower(box.address))
      from unnest(case when cardinality(billing_emails) > 0 then billing_emails else array[email] end) box (address)
  $function$;

CREATE OR REPLACE FUNCTION matrix_cells(merchant text, of_subscription text)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
    select sum(jsonb_array_length(p.properties -> 'cells'))
      from subscription s
      join plan_version_price v on v.merchant_id = s.merchant_id and v.version_id = s.plan_version_id
      join price p on p.merchant_id = v.merchant_id and p.id = v.price_id and p.model = 'matrix'
     where s.merchant_id = merchant and s.id = of_subscription
  $function$;

CREATE OR REPLACE FUNCTION measure_again(merchant text, of_list text, of_measure text, of_stretch bigint DEFAULT NULL::bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  counted counted_list;
  place int;
  low numeric := '-Infinity';
  high numeric := 'Infinity';
  within text := 'true';
begin
  select * into strict counted from counted_list where list = of_list;
  place := array_position(counted.measures, of_measure);
  if of_stretch is not null then
    select min(least), max(most) into low, high from list_range
     where merchant_id = merchant and list = of_list and measure = of_measure and starts = of_stretch;
    within := format(
      case when is_time(of_list, of_measure)
           then '%1$I between at_microseconds(%2$L) and at_microseconds(%3$L)'
           else '%4$I between range_key(%2$L) and range_key(%3$L) and %1$I between %2$L and %3$L' end,
      of_measure, low, high, of_measure || '_key');
  end if;
  delete from list_range
   where merchant_id = merchant and list = of_list and measure = of_measure and starts = coalesce(of_stretch, starts);
  execute format(
    'with entry as materialized (
       select array[%5$s]::text[] as facet, 1 as change, %6$s as value, seq as top
         from %1$I where merchant_id = $1 and %2$I is not null and %3$s and %4$s
       union all
       select facet, -sign(change), value, top
         from list_count_change, unnest(measured) with ordinality as m (value, n)
        where merchant_id = $1 and list = %1$L and (n - 1) %% %7$s + 1 = %8$s and value between $2 and $3
     ), value as (
       select key, many, sum(many) over (order by key) - many as before
         from (select range_key(value) as key, count(*) as many from entry group by 1) keys
     ), place as (
       select key, case when many > rows_of_a_stretch() or lag(many) over (order by key) > rows_of_a_stretch()
                             or div(before, rows_of_a_stretch()) > lag(div(before, rows_of_a_stretch()))
                                  over (order by key)
                        then 1 else 0 end as is_start
         from value
     ), stretch as (
       select key, sum(is_start) over (order by key) as number from place
     )
     insert into list_range (merchant_id, list, measure, starts, facet, count, least, most, top)
     select $1, %1$L, %2$L,
            case when number = min(number) over () then coalesce($4, range_key(''-Infinity''))
                 else min(min(key)) over (partition by number) end,
            facet, sum(change), min(value), max(value), max(top)
       from entry join stretch on key = range_key(value) group by number, facet',
    of_list, of_measure, counted.condition, within, array_to_string(counted.facets, ', '),
    measured(of_list, of_measure),
    cardinality(counted.measures), place)
    using merchant, low, high, of_stretch;
end $function$;

CREATE OR REPLACE FUNCTION measured(of_list text, measure text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select format(case when is_time(of_list, measure) then 'microseconds(%I)' else '%I' end, measure)
$function$;

CREATE OR REPLACE FUNCTION merchant_of_portal_link(hash bytea)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$ select merchant_id from portal_link where link_hash = hash $function$;

CREATE OR REPLACE FUNCTION merchant_of_portal_session(hash bytea)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$ select merchant_id from portal_link where session_hash = hash $function$;

CREATE OR REPLACE FUNCTION merchants_with_lists()
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
AS $function$
  select merchant_id from organization where type <> 'consumer'
$function$;

CREATE OR REPLACE FUNCTION merge_event_keys(work event_key_work)
 RETURNS bigint
 LANGUAGE plpgsql
 SET work_mem TO '32MB'
AS $function$
declare
  slice record;
  sources text;
  added bigint;
begin
  slice := event_key_slice(work.slices, work.done);
  select string_agg(format('select seq, fp, day, merchant_number, h from %I where %s', g.name,
                           in_event_key_slice(slice.first_digits, slice.end_digits)), ' union all ')
    into sources from unnest(work.generations) g (name);
  execute format('insert into %I (seq, fp, day, merchant_number, h) select * from (%s) source order by h',
    work.name, sources);
  get diagnostics added = row_count;
  return added;
end $function$;

CREATE OR REPLACE FUNCTION metrics_of_types(merchant text, types text[])
 RETURNS TABLE(id text, event_type text)
 LANGUAGE sql
 STABLE
AS $function$
    select m.id, m.event_type from billable_metric m where m.merchant_id = merchant and m.event_type = any (types)
  $function$;

CREATE OR REPLACE FUNCTION microseconds(instant timestamp with time zone)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select (extract(epoch from instant) * 1000000)::bigint::numeric
$function$;

CREATE OR REPLACE FUNCTION migration_hashes()
 RETURNS TABLE(name text, hash text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$ select m.name::text, h.hash from kysely_migration m left join migration_hash h on h.name = m.name $function$;

CREATE OR REPLACE FUNCTION minor_digits(currency text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case
    when currency in ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV',
      'XAF', 'XOF', 'XPF') then 0
    when currency in ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') then 3
    when currency in ('CLF', 'UYW') then 4
    else 2 end
$function$;

CREATE OR REPLACE FUNCTION move_wallet()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update wallet set balance = balance - new.amount
   where merchant_id = new.merchant_id and customer_id = new.customer_id and currency = new.currency
  returning balance into strict new.wallet_balance;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION name_source_of_line()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.billing_credit_id := new.workings->'use'->>'billingCreditId';
  new.commitment_id := new.workings->'trueUp'->>'commitmentId';
  return new;
end $function$;

CREATE OR REPLACE FUNCTION note_program_run(at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update program_run set seen_at = greatest(seen_at, at)
   where started_at = (select max(started_at) from program_run) and seen_at >= at - interval '5 minutes';
  if not found then
    insert into program_run values (at, at) on conflict do nothing;
  end if;
end $function$;

CREATE OR REPLACE PROCEDURE numbered_table(IN name regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', name);
  execute format(
    'create policy merchants on %s to reckoner_app
       using (merchant_number = any ((select array_agg(n.number) from merchant_number n)::int[]))
       with check (merchant_number = any ((select array_agg(n.number) from merchant_number n)::int[]))', name);
  execute format('create policy operator on %s for select to reckoner_operator using (true)', name);
  execute format('grant select, insert, update, delete on %s to reckoner_app', name);
  execute format('grant select on %s to reckoner_operator', name);
end $procedure$;

CREATE OR REPLACE FUNCTION numbers_found(merchant text, asked text, most integer)
 RETURNS TABLE(type text, id text, number text, status text, customer_id text, invoice_id text, rank integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 50
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET jit TO 'off'
AS $function$
    (select 'invoice', i.id, i.invoice_number, i.status, i.customer_id, i.id,
            case when lower(i.invoice_number) = lower(asked) then 1 else 2 end
       from invoice i
      where i.merchant_id = merchant and i.invoice_number is not null
        and lower(i.invoice_number) collate "C" >= lower(asked)
        and lower(i.invoice_number) collate "C" <= lower(asked) || chr(1114111)
        and (current_setting('role') = 'reckoner_operator'
             or merchant = any (string_to_array(current_setting('reckoner.merchants', true), ',')))
      order by lower(i.invoice_number) collate "C" limit most)
    union all
    (select 'refund', c.id, c.number, c.status, i.customer_id, c.invoice_id,
            case when lower(c.number) = lower(asked) then 1 else 2 end
       from credit_note c
       join invoice i on i.merchant_id = c.merchant_id and i.id = c.invoice_id
      where c.merchant_id = merchant
        and lower(c.number) collate "C" >= lower(asked) and lower(c.number) collate "C" <= lower(asked) || chr(1114111)
        and (current_setting('role') = 'reckoner_operator'
             or merchant = any (string_to_array(current_setting('reckoner.merchants', true), ',')))
      order by lower(c.number) collate "C" limit most)
  $function$;

CREATE OR REPLACE FUNCTION oldest_program(migration text)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$ select h.oldest from migration_hash h where h.name = migration $function$;

CREATE OR REPLACE FUNCTION owner_of(resource_id text)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$ select merchant_id from resource where id = resource_id $function$;

CREATE OR REPLACE FUNCTION period_invoice_id(key bytea, subscription text, cadence text, starts timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
    select 'inv_' || left(encode(sha256(key || convert_to(
      concat_ws(' ', subscription, cadence, (extract(epoch from starts) * 1000000)::bigint), 'UTF8')), 'hex'), 32)
  $function$;

CREATE OR REPLACE FUNCTION plan_at(merchant text, subscription text, instant timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select coalesce(
    (select v.plan_id from subscription_version v
      where v.merchant_id = merchant and v.subscription_id = subscription and not v.cancelled
      order by v.holds_from <= instant desc,
               case when v.holds_from <= instant then v.holds_from end desc,
               case when v.holds_from <= instant then v.seq end desc,
               v.holds_from, v.seq
      limit 1),
    (select s.plan_id from subscription s where s.merchant_id = merchant and s.id = subscription))
$function$;

CREATE OR REPLACE FUNCTION platform_organization()
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$ select id from organization where type = 'platform' $function$;

CREATE OR REPLACE FUNCTION publish_events(events jsonb, happened timestamp with time zone)
 RETURNS text[]
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
declare
  published text[];
  key bytea := event_id_key();
begin
  with event as (
    select e.* from jsonb_to_recordset(events) as e
      (place int, merchant text, resource text, id text, type text, data jsonb)
  ), counted as (
    insert into outbox_sequence as s (merchant_id, resource_id, last)
    select e.merchant, e.resource, count(*) from event e group by e.merchant, e.resource order by e.merchant, e.resource
    on conflict (merchant_id, resource_id) do update set last = s.last + excluded.last
    returning s.merchant_id, s.resource_id, s.last
  ), numbered as (
    select e.*, c.last + 1 - row_number() over (partition by e.merchant, e.resource order by e.place desc) as sequence
      from event e join counted c on c.merchant_id = e.merchant and c.resource_id = e.resource
  ), told as (
    insert into outbox (merchant_id, id, type, data, resource_id, created_at)
    select n.merchant,
           coalesce(n.id, 'wev_' || left(encode(sha256(key || convert_to(
             concat_ws(' ', n.type, n.resource, n.sequence), 'UTF8')), 'hex'), 32)),
           n.type, n.data || jsonb_build_object('sequence', n.sequence), n.resource, happened
      from numbered n
     order by n.place
    returning merchant_id, id, seq, type
  ), fanned as (
    insert into webhook_delivery (merchant_id, event_id, endpoint_id, seq)
    select t.merchant_id, t.id, w.id, t.seq
      from told t join webhook_endpoint w on w.merchant_id = t.merchant_id
     where w.status = 'enabled' and w.event_types && array['*', t.type]
  )
  select array_agg(id order by seq) into published from told;
  return published;
end $function$;

CREATE OR REPLACE FUNCTION range_key(value numeric)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select greatest(least(floor(value * 1000), 9e18), -9e18)::bigint
$function$;

CREATE OR REPLACE FUNCTION range_totals(merchant text, of_list text, of_measure text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_object_agg(facet::text, count)
    from (select facet, sum(count) as count from list_range
           where merchant_id = merchant and list = of_list and measure = of_measure
             group by facet having sum(count) <> 0) totals
$function$;

CREATE OR REPLACE FUNCTION rebuild_revenue(merchant text, OUT facts integer, OUT sums integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  of_kind text;
  ids text[];
begin
  facts := 0;
  -- The facts of invoices come first: those of their credit notes take their plan.
  foreach of_kind in array array['invoice', 'refund', 'rebate', 'payment', 'dispute', 'earned'] loop
    ids := differing_revenue_facts(merchant, of_kind);
    continue when ids is null;
    perform from invoice where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from credit_note where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_session where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_receipt where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_dispute where merchant_id = merchant and id = any (ids) order by id for no key update;
    ids := differing_revenue_facts(merchant, of_kind);
    continue when ids is null;
    facts := facts + cardinality(ids);
    insert into revenue_fact (merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id,
      plan_id, amount, open_amount)
    select merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id, plan_id,
           amount, open_amount
      from revenue_source s where s.merchant_id = merchant and s.id = any (ids) and s.kind = of_kind
    on conflict (merchant_id, id) do update
      set kind = excluded.kind, status = excluded.status, counted_at = excluded.counted_at,
          currency = excluded.currency,
          customer_id = excluded.customer_id, subscription_id = excluded.subscription_id, amount = excluded.amount,
          open_amount = excluded.open_amount;
    delete from revenue_fact f
     where f.merchant_id = merchant and f.id = any (ids) and f.kind = of_kind
       and not exists (select from revenue_source s where s.merchant_id = merchant and s.id = f.id
         and s.kind = of_kind);
  end loop;
  -- nobody adds changes to the sums meanwhile
  perform pg_advisory_xact_lock(hashtextextended('revenue ' || merchant, 0));
  with grains as (
    select * from (values ('hour'), ('day'), ('month')) as g (grain)
  ), wanted as materialized (
    select grain, starts_at, currency, member, kind, status, sum(count) as count, sum(amount) as amount,
           sum(open_amount) as open_amount
      from (
        select grain, date_trunc(grain, counted_at, 'UTC') as starts_at, currency,
               coalesce(case grain when 'month' then customer_id else plan_id end, '') as member, kind, status,
               1 as count, amount, open_amount
          from revenue_fact cross join grains where merchant_id = merchant
        union all
        select grain, date_trunc(grain, hour, 'UTC'), currency,
               case grain when 'month' then customer_id else plan_id end, kind, status,
               -count, -amount, -open_amount
          from revenue_change cross join grains where merchant_id = merchant) parts
     group by grain, starts_at, currency, member, kind, status
    having sum(count) <> 0 or sum(amount) <> 0 or sum(open_amount) <> 0
  ), kept as materialized (
    select grain, starts_at, currency, member, kind, status, count, amount, open_amount from revenue_sum
      where merchant_id = merchant
  ), gone as (
    delete from revenue_sum s using kept k
     where s.merchant_id = merchant
       and (s.grain, s.starts_at, s.currency, s.member, s.kind, s.status) = (k.grain, k.starts_at, k.currency,
         k.member, k.kind, k.status)
       and not exists (select from wanted w where (w.grain, w.starts_at, w.currency, w.member, w.kind, w.status)
                                               = (k.grain, k.starts_at, k.currency, k.member, k.kind, k.status))
    returning (k.count, k.amount, k.open_amount) is distinct from (0, 0, 0) as was_wrong
  ), saved as (
    insert into revenue_sum as s (merchant_id, grain, starts_at, currency, member, kind, status, count, amount,
      open_amount)
    select merchant, grain, starts_at, currency, member, kind, status, count, amount, open_amount from wanted
    on conflict (merchant_id, grain, starts_at, currency, member, kind, status) do update
      set count = excluded.count, amount = excluded.amount, open_amount = excluded.open_amount
      where (s.count, s.amount, s.open_amount) is distinct from (excluded.count, excluded.amount, excluded.open_amount)
    returning 1
  )
  select (select count(*) from gone where was_wrong) + (select count(*) from saved) into sums;
end $function$;

CREATE OR REPLACE FUNCTION refresh_event_key_views()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  keys constant text := 'select seq, fp, day, merchant_number, h from %I';
  no_keys constant text := 'select null::bigint as seq, null::bigint as fp, null::date as day,
    null::int as merchant_number, null::uuid as h where false';
  no_sieve constant text := 'select 4 as digits, null::text collate "C" as prefix, null::bytea as suffixes where false';
begin
  execute 'create or replace view event_key_sealed with (security_invoker = true) as '
    || coalesce((select string_agg(format(keys, g.name), ' union all ' order by g.name) from event_key_generation g),
      no_keys);
  execute 'create or replace view event_key_unsifted with (security_invoker = true) as '
    || coalesce((select string_agg(format(keys, g.name), ' union all ' order by g.name) from event_key_generation g
      where g.key_count is null), no_keys);
  execute 'create or replace view event_key_sieve with (security_invoker = true) as '
    || coalesce((select string_agg(format('select %s as digits, prefix, suffixes from %I', p.digits, p.name),
      ' union all ' order by p.key_count desc)
                   from event_key_sieve_part p), no_sieve);
end $function$;

CREATE OR REPLACE FUNCTION register_resources()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into resource (id, merchant_id) select id, merchant_id from inserted;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION release_claims(lost integer[], at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  gone int[] := array(select id from worker where id = any (lost) order by id for update skip locked);
  claimed record;
begin
  for claimed in
    select d.kind, d.table_name from due_kind d
     where exists (select from due_claim c where c.kind = d.kind and c.worker = any (gone))
     order by d.kind
  loop
    execute format(
      'update %I t set next_action_at = $1
         from due_claim c
        where c.worker = any ($2) and c.kind = $3 and t.merchant_id = c.merchant_id and t.id = c.id
          and t.next_action_at = c.due_at and t.next_action_at > $1 and t.clock_id is null', claimed.table_name)
      using at, gone, claimed.kind;
  end loop;
  delete from due_claim where worker = any (gone);
  update webhook_delivery set next_attempt_at = at
   where begun_at is not null and begun_by = any (gone) and next_attempt_at > at;
  delete from worker where id = any (gone);
end $function$;

CREATE OR REPLACE FUNCTION release_event_months(before date, released timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  parts int;
begin
  update event_archive a set state = 'leaving', state_at = released
   where a.state = 'here' and a.month in (
     select m.month from event_archive m
      where m.month < before
      group by m.month
     having bool_and(m.state <> 'writing' and (m.state <> 'here' or m.kept_until <= released))
        and sum(m.event_count) = (
          select sum(t.event_count) from event_day_tally t
           where t.day >= m.month and t.day < m.month + interval '1 month'));
  get diagnostics parts = row_count;
  return parts;
end $function$;

CREATE OR REPLACE FUNCTION remove_event_month(wanted date, released_before timestamp with time zone, removed timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  name text := 'event_' || to_char(wanted, 'YYYYMM');
  is_whole boolean;
begin
  perform set_config('lock_timeout', '1000', true);
  perform from event_archive a where a.month = wanted order by a.merchant_id, a.first_seq for update;
  if exists (select from event_archive a
              where a.month = wanted and a.state <> 'away'
                and not (a.state = 'leaving' and a.state_at <= released_before)) then
    return false;
  end if;
  perform ensure_event_partitions(wanted, 1); -- what came late may lie in the default partition
  execute format('lock table %I in share mode', name);
  execute format($check$
    select not exists (
      select from (select merchant_id, count(*) as events, min(seq) as first_seq, max(seq) as last_seq
                     from %I group by merchant_id) e
        full join (select merchant_id, sum(event_count) as events, min(first_seq) as first_seq,
                          max(last_seq) as last_seq
                     from event_archive where month = %L and state = 'leaving' group by merchant_id) a
          using (merchant_id, events, first_seq, last_seq)
       where e.events is null or a.events is null)$check$, name, wanted)
    into is_whole;
  if not is_whole then return false; end if;
  execute format('drop table %I', name);
  update event_archive a set state = 'away', state_at = removed where a.month = wanted and a.state = 'leaving';
  return true;
end $function$;

CREATE OR REPLACE FUNCTION render_credit_note()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into credit_note_job (merchant_id, id, next_action_at)
  select new.merchant_id, new.id, document_due(new.merchant_id, clock_id, new.created_at)
    from invoice where merchant_id = new.merchant_id and id = new.invoice_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION renew_wants_since()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (old.status, old.event_types) is distinct from (new.status, new.event_types) then
    new.wants_since := clock_timestamp();
  end if;
  return new;
end $function$;

CREATE OR REPLACE PROCEDURE resource_table(IN name regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  call tenant_table(name);
  execute format(
    'create trigger register after insert on %s referencing new table as inserted
       for each statement execute function register_resources()', name);
  execute format(
    'create trigger unregister after delete on %s referencing old table as deleted
       for each statement execute function unregister_resources()', name);
end $procedure$;

CREATE OR REPLACE FUNCTION roll_up_events(kind_merchants text[], kind_types text[], named bigint[], flush_lane integer, kinds integer[], subject_ids bigint[], times timestamp with time zone[], seqs bigint[], datas jsonb[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_nestloop TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  has_sets boolean;
  added usage_rollup[];
begin
  select bool_or(s.kind = 'set') into has_sets
    from rollup_definition s
   where s.merchant_id = any (kind_merchants) and s.event_type = any (kind_types)
     and (named is null or s.id = any (named));
  if has_sets is null then return; end if;
  flush_lane := coalesce(flush_lane, free_rollup_lane());
  if has_sets then
    insert into usage_value (merchant_id, definition_id, subject_id, hour, group_hash, value_hash, group_values)
    select v.merchant_id, v.definition_id, v.subject_id, v.hour, v.group_hash, text_hash(v.text),
           any_value(v.group_values)
      from event_values(kind_merchants, kind_types, named, kinds, subject_ids, times, seqs, datas) v
     where v.kind = 'set'
     group by 1, 2, 3, 4, 5, 6
     order by 1, 2, 3, 4, 5, 6
        on conflict do nothing;
  end if;
  select array_agg(row(g.merchant_id, g.definition_id, g.subject_id, g.hour, g.group_hash, flush_lane,
                       g.group_values,
                       g.event_count, g.first_at, g.last_at, g.total, g.least_value, g.greatest_value,
                       g.hour + g.latest[1] * interval '1 second', g.latest[2]::bigint,
                       g.latest[3])::usage_rollup)
    into added
    from (
      select v.merchant_id, v.definition_id, v.subject_id, v.hour, v.group_hash,
             any_value(v.group_values) as group_values, count(*) as event_count,
             min(v.at) filter (where v.kind <> 'latest') as first_at,
             max(v.at) filter (where v.kind <> 'latest') as last_at,
             sum(v.number) filter (where v.kind <> 'latest') as total,
             min(v.number) filter (where v.kind <> 'latest') as least_value,
             max(v.number) filter (where v.kind <> 'latest') as greatest_value,
             max(array[extract(epoch from v.at - v.hour), v.seq, v.number]) filter (where v.kind = 'latest') as latest
        from event_values(kind_merchants, kind_types, named, kinds, subject_ids, times, seqs, datas) v
       group by 1, 2, 3, 4, 5
       order by 1, 2, 3, 4, 5) g;
  if added is not null then perform add_rollups(added); end if;
end $function$;

CREATE OR REPLACE FUNCTION rows_of_a_stretch()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$ select 2000 $function$;

CREATE OR REPLACE FUNCTION seal_event_keys(most_bytes bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  sealed text;
  renamed record;
begin
  if event_key_bytes('event_key') <= most_bytes then return false; end if;
  perform lock_event_keys();
  if event_key_bytes('event_key') <= most_bytes then return false; end if;
  sealed := 'event_key_' || nextval('event_key_number');
  lock table event_key in access exclusive mode; -- as readers do: first the keys, then the views
  for renamed in
    select c.relname, c.relkind from pg_class c
     where c.oid in (
       select t from event_key_tables('event_key') t union select 'event_key'::regclass
        union select i.indexrelid from pg_index i where i.indrelid in (
          select t from event_key_tables('event_key') t union select 'event_key'::regclass))
  loop
    execute format('alter %s %I rename to %I', case when renamed.relkind in ('i', 'I') then 'index' else 'table' end,
                   renamed.relname, sealed || substr(renamed.relname, length('event_key') + 1));
  end loop;
  execute format('revoke insert, update, delete on %I from reckoner_app', sealed);
  perform create_event_key_table('event_key', sealed, 'including indexes');
  insert into event_key_generation (name, bytes) values (sealed, event_key_bytes(sealed));
  perform refresh_event_key_views();
  return true;
end $function$;

CREATE OR REPLACE FUNCTION sealed_event_keys(owners integer[], places integer[], hashes uuid[])
 RETURNS TABLE(place integer)
 LANGUAGE plpgsql
 SET enable_nestloop TO 'off'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  suspects int[];
begin
  select array_agg(k.place) into suspects
    from unnest(places, hashes) with ordinality k (owner, h, place)
   where (select true from event_key_sieve s
           where s.prefix = left(k.h::text, s.digits) and position(substr(uuid_send(k.h), 3, 3) in s.suffixes) > 0
           limit 1)
      or (select true from event_key_unsifted u where u.merchant_number = owners[k.owner] and u.h = k.h limit 1);
  if suspects is null then return; end if;
  return query
    select k.place
      from unnest(suspects) k (place)
     where (select true from event_key_sealed s
             where s.merchant_number = owners[places[k.place]] and s.h = hashes[k.place] limit 1);
end $function$;

CREATE OR REPLACE FUNCTION search_keys(merchant text, kind text, content text)
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select coalesce(array_agg(distinct hashtext(concat(merchant, kind, substr(content, n, 3)))), '{}')
    from generate_series(1, char_length(content) - 2) n
$function$;

CREATE OR REPLACE FUNCTION seconds_off(since timestamp with time zone, until timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select coalesce(sum(extract(epoch from least(o.till, until) - greatest(o.seen_at, since))), 0)::float8
      from (select seen_at, lead(started_at, 1, until) over (order by started_at) as till from program_run) o
     where o.till > o.seen_at + interval '5 minutes' and o.till > since and o.seen_at < until
  $function$;

CREATE OR REPLACE FUNCTION set_changed_at()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.changed_at := clock_timestamp();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION set_event_key_storage(name text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  part regclass;
begin
  for part in select * from event_key_tables(name) loop
    execute format('alter table %s set (autovacuum_vacuum_insert_threshold = -1)', part);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION settle_usage(merchant text, named text[], untils timestamp with time zone[], made_at timestamp with time zone)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from unnest(named, untils) n (key, until)
                  where (select es.settled_until >= n.until from event_subject es
                          where es.merchant_id = merchant and es.kind = 'direct'
                            and es.key = n.key limit 1) is not true) then
    return ingest_writers(merchant); -- no row of them has a mark below that of its direct row
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('usage marks ' || merchant, 0));
  insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at, settled_until)
  select merchant, 'direct', n.key, case when ours.is_ours then n.key end,
         case when ours.is_ours and n.key like 'cus\_%' then n.key end, made_at, n.until
    from (select u.key, max(u.until) as until from unnest(named, untils) u (key, until)
           where (select true from event_subject es
                   where es.merchant_id = merchant and es.kind = 'direct' and es.key = u.key and es.epoch = 0
                   limit 1) is not true
           group by u.key) n
   cross join lateral (select owner_of(n.key) is not distinct from merchant as is_ours) ours
   order by n.key
      on conflict do nothing;
  perform from event_subject es
    where es.merchant_id = merchant and es.kind = 'direct' and es.key = any (named)
    order by es.key
      for no key update;
  update event_subject es set settled_until = raised.until
    from (select id, max(until) as until
            from (select s.id, n.until from unnest(named, untils) n (key, until)
                    join event_subject s on s.merchant_id = merchant and s.addressee = n.key
                  union all
                  select s.id, n.until from unnest(named, untils) n (key, until)
                    join event_subject s on s.merchant_id = merchant and s.kind = 'direct' and s.key = n.key) found
           group by id) raised
   where es.merchant_id = merchant and es.id = raised.id and es.settled_until >= raised.until is not true;
  return ingest_writers(merchant);
end $function$;

CREATE OR REPLACE FUNCTION sift_event_keys(work event_key_work)
 RETURNS bigint
 LANGUAGE plpgsql
 SET work_mem TO '32MB'
AS $function$
declare
  slice record;
  sources text;
  added bigint;
begin
  slice := event_key_slice(work.slices, work.done);
  select string_agg(source, ' union all ') into sources from (
    select format($sifted$select left(h::text, %s) collate "C" as prefix,
      string_agg(substr(uuid_send(h), 3, 3), '') as suffixes
                            from %I where %s group by 1$sifted$,
                  work.digits, g.name, in_event_key_slice(slice.first_digits, slice.end_digits)) as source
      from unnest(work.generations) g (name)
     union all
    select case when p.digits = work.digits
             then format('select prefix, suffixes from %I where prefix >= %L and prefix < %L', p.name,
                         slice.first_digits, slice.end_digits)
             -- More digits than those of the part: the next ones are the first of the bytes.
             else format($split$select prefix || substr(encode(substr(suffixes, place, 3), 'hex'), %s, %s),
               string_agg(substr(suffixes, place, 3), '')
                                  from %I cross join lateral generate_series(1, octet_length(suffixes), 3) place
                                 where prefix >= %L and prefix < %L group by 1$split$,
                         p.digits - 3, work.digits - p.digits, p.name, slice.first_digits, slice.end_digits)
           end
      from event_key_sieve_part p where p.name = any (work.parts)) listed;
  execute format($made$
    with added as (
      insert into %I (prefix, suffixes) select prefix, string_agg(suffixes, '') from (%s) source group by prefix
        order by prefix
      returning octet_length(suffixes) / 3 as keys)
    select coalesce(sum(keys), 0)::bigint from added$made$, work.name, sources) into added;
  return added;
end $function$;

CREATE OR REPLACE FUNCTION spent_budgets(merchant text, customer text, wall timestamp with time zone)
 RETURNS TABLE(subscription_id text, billable_metric_id text, by_credits boolean)
 LANGUAGE sql
 STABLE
AS $function$
    select a.subscription_id, a.billable_metric_id, false from alert a
     where a.merchant_id = merchant and a.customer_id = customer and a.blocks_access and a.is_reached
       and (a.period_end is null
            or a.period_end > coalesce((select c.clock_time from test_clock c
                                         where c.merchant_id = a.merchant_id and c.id = a.clock_id), wall))
    union all
    select e.subscription_id, nullif(e.billable_metric_id, ''), true from exhausted_credit e
     where e.merchant_id = merchant and e.customer_id = customer
  $function$;

CREATE OR REPLACE FUNCTION state_text(catalog_changes bigint, entitlements bigint, entitlement_changes numeric)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
    select concat_ws('/', extract(epoch from pg_postmaster_start_time()), catalog_changes, entitlements,
                     entitlement_changes)
  $function$;

CREATE OR REPLACE FUNCTION tally_events(most bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  mark event_tally_mark;
  last_seq bigint;
begin
  select * into mark from event_tally_mark for update skip locked;
  if not found then return false; end if;
  if mark.counted_seq < mark.next_seq then
    if mark.writers && event_writers() then return false; end if;
    last_seq := least(mark.next_seq, mark.counted_seq + most);
    with counted as materialized (
      select e.merchant_id, e.type, (e.at at time zone 'UTC')::date as day, count(*) as many from event e
       where e.seq > mark.counted_seq and e.seq <= last_seq
       group by 1, 2, 3
    ), of_days as (
      insert into event_day_tally as t (merchant_id, day, event_count)
      select c.merchant_id, c.day, sum(c.many) from counted c group by 1, 2
          on conflict (merchant_id, day) do update set event_count = t.event_count + excluded.event_count
    )
    insert into event_tally as t (merchant_id, type, event_count)
    select c.merchant_id, c.type, sum(c.many) from counted c group by 1, 2
        on conflict (merchant_id, type) do update set event_count = t.event_count + excluded.event_count;
    update event_tally_mark set counted_seq = last_seq;
    if last_seq < mark.next_seq then return true; end if;
  end if;
  update event_tally_mark m set next_seq = h.last_seq, writers = h.writers from event_horizon() h;
  return false;
end $function$;

CREATE OR REPLACE PROCEDURE tenant_table(IN name regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', name);
  execute format(
    'create policy merchants on %s to reckoner_app
       using (merchant_id = any (
         (select string_to_array(current_setting(''reckoner.merchants'', true), '',''))::text[]))
       with check (merchant_id = any (
         (select string_to_array(current_setting(''reckoner.merchants'', true), '',''))::text[]))', name);
  execute format('create policy operator on %s for select to reckoner_operator using (true)', name);
  execute format('grant select, insert, update, delete on %s to reckoner_app', name);
  execute format('grant select on %s to reckoner_operator', name);
  call expect_one_merchant(name);
end $procedure$;

CREATE OR REPLACE FUNCTION test_clock_goes_forward()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'test clock % would go from % back to %', old.id, old.clock_time, new.clock_time;
end $function$;

CREATE OR REPLACE FUNCTION text_hash(value text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ select encode(substr(sha256(convert_to(value, 'UTF8')), 1, 16), 'hex')::uuid $function$;

CREATE OR REPLACE FUNCTION trial_of_subscription()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.trial_end := new.billing_starts_at;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION unregister_resources()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from resource where id in (select id from deleted);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION usage_days(merchant text, customer text, from_at timestamp with time zone, to_at timestamp with time zone, most integer)
 RETURNS TABLE(starts_at timestamp with time zone, event_type text, event_count bigint)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  definitions bigint[];
  subjects bigint[];
  types text[];
  last_hours timestamptz[]; -- of each pair of a definition and a subject: its last hour with events before `day`
  day timestamptz := coalesce(date_trunc('day', to_at - interval '1 microsecond', 'UTC') + interval '24 hours',
                              'infinity');
  is_first boolean := true;
  found_rows int := 0;
  added int;
begin
  select array_agg(d.id), array_agg(s.id), array_agg(d.event_type) into definitions, subjects, types
    from (select distinct on (r.event_type) r.id, r.event_type
            from rollup_definition r
           where r.merchant_id = merchant and r.is_ready
           order by r.event_type, (r.kind = 'count' and r.path is null) desc, r.kind = 'set', cardinality(r.dimensions),
                    r.id) d
   cross join event_subject s
   where s.merchant_id = merchant and s.customer_id = customer;
  last_hours := array_fill(null::timestamptz, array[coalesce(cardinality(definitions), 0)]);
  loop
    select array_agg(case when not is_first and (p.last_hour is null or p.last_hour < day) then p.last_hour
                          else (select r.hour from usage_rollup r
                                 where r.merchant_id = merchant and r.definition_id = p.definition
                                   and r.subject_id = p.subject and r.hour < day
                                   and r.hour >= coalesce(from_at, '-infinity')
                                 order by r.hour desc limit 1) end order by p.place) into last_hours
      from unnest(definitions, subjects, last_hours) with ordinality p (definition, subject, last_hour, place);
    select date_trunc('day', max(l.hour), 'UTC') into day from unnest(last_hours) l (hour);
    exit when day is null or day < from_at;
    return query
      select day, p.type, sum(c.event_count)::bigint
        from unnest(definitions, subjects, types, last_hours) p (definition, subject, type, last_hour)
       cross join lateral (
         select r.event_count from usage_rollup r
          where r.merchant_id = merchant and r.definition_id = p.definition and r.subject_id = p.subject
            and r.hour >= day and r.hour < day + interval '24 hours') c
       where p.last_hour >= day
       group by p.type
      having sum(c.event_count) > 0;
    get diagnostics added = row_count;
    found_rows := found_rows + case when is_first then 0 else added end;
    exit when found_rows >= most;
    is_first := false;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION usage_greatest(merchant text, meter_types text[], meter_contents text[], questions integer[], meters integer[], subjects text[], froms timestamp with time zone[], tos timestamp with time zone[], known_parts integer[] DEFAULT '{}'::integer[], known_subjects bigint[] DEFAULT '{}'::bigint[], known_hours timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[], known_froms timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[], known_tos timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[], known_counts bigint[] DEFAULT '{}'::bigint[], known_values numeric[] DEFAULT '{}'::numeric[], known_events bigint[] DEFAULT '{}'::bigint[])
 RETURNS TABLE(question integer, value numeric, event_count bigint, is_complete boolean, read_hours jsonb)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  definition_ids bigint[];
  definition_kinds text[];
  definition_paths text[];
begin
  select array_agg(s.id order by m.place), array_agg(s.kind order by m.place), array_agg(s.path order by m.place)
    into definition_ids, definition_kinds, definition_paths
    from unnest(meter_types, meter_contents) with ordinality m (event_type, content, place)
   cross join lateral (select text_hash(m.content) as content offset 0) h
    left join lateral (
      select s.id, s.kind, s.path from rollup_definition s
       where s.merchant_id = merchant and s.event_type = m.event_type and s.content = h.content
         and s.is_ready) s on true;
  return query
  select w.question, max(case when f.is_cut then c.value else f.value end),
         coalesce(sum(case when f.is_cut then c.event_count else f.event_count end), 0)::bigint,
         bool_and(definition_ids[w.meter] is not null), jsonb_agg(c.read_hours) filter (where c.read_hours is not null)
    from unnest(questions, meters, subjects, froms, tos) with ordinality w (question, meter, subject,
      from_at, to_at, part)
    left join lateral (
      select es.id from event_subject es where es.merchant_id = merchant and es.addressee = w.subject
       union all
      select es.id from event_subject es
       where es.merchant_id = merchant and es.kind = 'direct' and es.key = w.subject and es.addressee
         is distinct from w.subject) a on true
    left join lateral (
      select max(r.greatest_value) as value, sum(r.event_count) as event_count,
             bool_or(r.first_at < w.from_at or r.last_at >= w.to_at) as is_cut
        from usage_rollup r
       where r.merchant_id = merchant and r.definition_id = definition_ids[w.meter] and r.subject_id = a.id
         and r.hour >= date_bin('1 hour', w.from_at, '2000-01-01Z') and r.hour < w.to_at
         and r.first_at < w.to_at and r.last_at >= w.from_at) f on true
    left join lateral (
      select p.* from usage_greatest_cut(merchant, meter_types[w.meter], definition_ids[w.meter], definition_kinds[w.meter],
                               string_to_array(definition_paths[w.meter], '.'), w.part::int, a.id, w.from_at, w.to_at,
                               known_parts, known_subjects, known_hours, known_froms, known_tos,
                               known_counts, known_values, known_events) p
       where f.is_cut offset 0) c on true
   group by w.question;
end $function$;

CREATE OR REPLACE FUNCTION usage_greatest_cut(merchant text, wanted_type text, definition bigint, value_kind text, value_path text[], part integer, subject bigint, from_at timestamp with time zone, to_at timestamp with time zone, known_parts integer[], known_subjects bigint[], known_hours timestamp with time zone[], known_froms timestamp with time zone[], known_tos timestamp with time zone[], known_counts bigint[], known_values numeric[], known_events bigint[], OUT value numeric, OUT event_count bigint, OUT read_hours jsonb)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_variable
declare
  cut_hours timestamptz[];
  cut_hour timestamptz;
  next_hour timestamptz;
  read_from timestamptz;
  read_to timestamptz;
  cut_from timestamptz;
  cut_to timestamptz;
  is_outside boolean;
  is_known boolean;
  is_dear boolean;
  whole record;
  read record;
begin
  select array_agg(distinct r.hour) into cut_hours from usage_rollup r
   where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = subject
     and r.hour >= date_bin('1 hour', from_at, '2000-01-01Z') and r.hour < to_at
     and r.first_at < to_at and r.last_at >= from_at and (r.first_at < from_at or r.last_at >= to_at);
  select max(r.greatest_value), coalesce(sum(r.event_count), 0) into value, event_count from usage_rollup r
   where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = subject
     and r.hour >= date_bin('1 hour', from_at, '2000-01-01Z') and r.hour < to_at
     and r.first_at >= from_at and r.last_at < to_at and r.hour <> all (cut_hours);
  foreach cut_hour in array cut_hours loop
    select sum(r.event_count) as event_count, sum(r.total) as value, min(r.first_at) as first_at,
           max(r.last_at) as last_at
      into whole from usage_rollup r
     where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = subject and r.hour = cut_hour;
    cut_from := case when whole.first_at < from_at then from_at end;
    cut_to := case when whole.last_at >= to_at then to_at end;
    is_known := false;
    if cardinality(known_parts) > 0 then
      select k.figure as value, k.events as event_count into read
        from unnest(known_parts, known_subjects, known_hours, known_froms, known_tos, known_counts,
          known_values, known_events)
             k (part, subject, hour, cut_from, cut_to, event_count, figure, events)
       where k.part = part and k.subject = subject and k.hour = cut_hour and k.event_count = whole.event_count
         and k.cut_from is not distinct from cut_from and k.cut_to is not distinct from cut_to
       limit 1;
      is_known := found;
    end if;
    if not is_known then
      next_hour := cut_hour + interval '1 hour';
      read_from := coalesce(cut_from, cut_hour);
      read_to := coalesce(cut_to, next_hour);
      is_outside := 'f' and read_to - read_from > interval '30 minutes' and (cut_from is null or cut_to is null);
      if is_outside and cut_from is null then
        read_from := read_to;
        read_to := next_hour;
      elsif is_outside then
        read_to := read_from;
        read_from := cut_hour;
      end if;
      select max(e.value) as value, count(e.value) as event_count into read
        from (
          select case when value_kind = 'number' then event_number(e.data, value_path)
                      when value_path is null or event_text(e.data, value_path) is not null then 1 end as value
            from event e
           where e.merchant_id = merchant and e.type = wanted_type and e.subject_id = subject
             and e.at >= read_from and e.at < read_to and events_at_hand(merchant, read_from, read_to)
          offset 0) e;
      is_dear := read.event_count >= 32;
      if is_outside then
        read.value := whole.value - coalesce(read.value, 0);
        read.event_count := whole.event_count - read.event_count;
      end if;
      if is_dear and pg_current_xact_id_if_assigned() is null then
        read_hours := coalesce(read_hours, '[]') || jsonb_build_object(
          'part', part::text, 'subject', subject::text, 'hour', cut_hour, 'isFromCut', cut_from is not null, 'isToCut',
          cut_to is not null,
          'eventCount', whole.event_count::text, 'value', read.value::text, 'events', read.event_count::text);
      end if;
    end if;
    select max(v), event_count + read.event_count into value, event_count from unnest(array[value, read.value]) v;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION usage_least(merchant text, meter_types text[], meter_contents text[], questions integer[], meters integer[], subjects text[], froms timestamp with time zone[], tos timestamp with time zone[], known_parts integer[] DEFAULT '{}'::integer[], known_subjects bigint[] DEFAULT '{}'::bigint[], known_hours timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[], known_froms timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[], known_tos timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[], known_counts bigint[] DEFAULT '{}'::bigint[], known_values numeric[] DEFAULT '{}'::numeric[], known_events bigint[] DEFAULT '{}'::bigint[])
 RETURNS TABLE(question integer, value numeric, event_count bigint, is_complete boolean, read_hours jsonb)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  definition_ids bigint[];
  definition_kinds text[];
  definition_paths text[];
begin
  select array_agg(s.id order by m.place), array_agg(s.kind order by m.place), array_agg(s.path order by m.place)
    into definition_ids, definition_kinds, definition_paths
    from unnest(meter_types, meter_contents) with ordinality m (event_type, content, place)
   cross join lateral (select text_hash(m.content) as content offset 0) h
    left join lateral (
      select s.id, s.kind, s.path from rollup_definition s
       where s.merchant_id = merchant and s.event_type = m.event_type and s.content = h.content
         and s.is_ready) s on true;
  return query
  select w.question, min(case when f.is_cut then c.value else f.value end),
         coalesce(sum(case when f.is_cut then c.event_count else f.event_count end), 0)::bigint,
         bool_and(definition_ids[w.meter] is not null), jsonb_agg(c.read_hours) filter (where c.read_hours is not null)
    from unnest(questions, meters, subjects, froms, tos) with ordinality w (question, meter, subject,
      from_at, to_at, part)
    left join lateral (
      select es.id from event_subject es where es.merchant_id = merchant and es.addressee = w.subject
       union all
      select es.id from event_subject es
       where es.merchant_id = merchant and es.kind = 'direct' and es.key = w.subject and es.addressee
         is distinct from w.subject) a on true
    left join lateral (
      select min(r.least_value) as value, sum(r.event_count) as event_count,
             bool_or(r.first_at < w.from_at or r.last_at >= w.to_at) as is_cut
        from usage_rollup r
       where r.merchant_id = merchant and r.definition_id = definition_ids[w.meter] and r.subject_id = a.id
         and r.hour >= date_bin('1 hour', w.from_at, '2000-01-01Z') and r.hour < w.to_at
         and r.first_at < w.to_at and r.last_at >= w.from_at) f on true
    left join lateral (
      select p.* from usage_least_cut(merchant, meter_types[w.meter], definition_ids[w.meter], definition_kinds[w.meter],
                               string_to_array(definition_paths[w.meter], '.'), w.part::int, a.id, w.from_at, w.to_at,
                               known_parts, known_subjects, known_hours, known_froms, known_tos,
                               known_counts, known_values, known_events) p
       where f.is_cut offset 0) c on true
   group by w.question;
end $function$;

CREATE OR REPLACE FUNCTION usage_least_cut(merchant text, wanted_type text, definition bigint, value_kind text, value_path text[], part integer, subject bigint, from_at timestamp with time zone, to_at timestamp with time zone, known_parts integer[], known_subjects bigint[], known_hours timestamp with time zone[], known_froms timestamp with time zone[], known_tos timestamp with time zone[], known_counts bigint[], known_values numeric[], known_events bigint[], OUT value numeric, OUT event_count bigint, OUT read_hours jsonb)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_variable
declare
  cut_hours timestamptz[];
  cut_hour timestamptz;
  next_hour timestamptz;
  read_from timestamptz;
  read_to timestamptz;
  cut_from timestamptz;
  cut_to timestamptz;
  is_outside boolean;
  is_known boolean;
  is_dear boolean;
  whole record;
  read record;
begin
  select array_agg(distinct r.hour) into cut_hours from usage_rollup r
   where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = subject
     and r.hour >= date_bin('1 hour', from_at, '2000-01-01Z') and r.hour < to_at
     and r.first_at < to_at and r.last_at >= from_at and (r.first_at < from_at or r.last_at >= to_at);
  select min(r.least_value), coalesce(sum(r.event_count), 0) into value, event_count from usage_rollup r
   where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = subject
     and r.hour >= date_bin('1 hour', from_at, '2000-01-01Z') and r.hour < to_at
     and r.first_at >= from_at and r.last_at < to_at and r.hour <> all (cut_hours);
  foreach cut_hour in array cut_hours loop
    select sum(r.event_count) as event_count, sum(r.total) as value, min(r.first_at) as first_at,
           max(r.last_at) as last_at
      into whole from usage_rollup r
     where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = subject and r.hour = cut_hour;
    cut_from := case when whole.first_at < from_at then from_at end;
    cut_to := case when whole.last_at >= to_at then to_at end;
    is_known := false;
    if cardinality(known_parts) > 0 then
      select k.figure as value, k.events as event_count into read
        from unnest(known_parts, known_subjects, known_hours, known_froms, known_tos, known_counts,
          known_values, known_events)
             k (part, subject, hour, cut_from, cut_to, event_count, figure, events)
       where k.part = part and k.subject = subject and k.hour = cut_hour and k.event_count = whole.event_count
         and k.cut_from is not distinct from cut_from and k.cut_to is not distinct from cut_to
       limit 1;
      is_known := found;
    end if;
    if not is_known then
      next_hour := cut_hour + interval '1 hour';
      read_from := coalesce(cut_from, cut_hour);
      read_to := coalesce(cut_to, next_hour);
      is_outside := 'f' and read_to - read_from > interval '30 minutes' and (cut_from is null or cut_to is null);
      if is_outside and cut_from is null then
        read_from := read_to;
        read_to := next_hour;
      elsif is_outside then
        read_to := read_from;
        read_from := cut_hour;
      end if;
      select min(e.value) as value, count(e.value) as event_count into read
        from (
          select case when value_kind = 'number' then event_number(e.data, value_path)
                      when value_path is null or event_text(e.data, value_path) is not null then 1 end as value
            from event e
           where e.merchant_id = merchant and e.type = wanted_type and e.subject_id = subject
             and e.at >= read_from and e.at < read_to and events_at_hand(merchant, read_from, read_to)
          offset 0) e;
      is_dear := read.event_count >= 32;
      if is_outside then
        read.value := whole.value - coalesce(read.value, 0);
        read.event_count := whole.event_count - read.event_count;
      end if;
      if is_dear and pg_current_xact_id_if_assigned() is null then
        read_hours := coalesce(read_hours, '[]') || jsonb_build_object(
          'part', part::text, 'subject', subject::text, 'hour', cut_hour, 'isFromCut', cut_from is not null, 'isToCut',
          cut_to is not null,
          'eventCount', whole.event_count::text, 'value', read.value::text, 'events', read.event_count::text);
      end if;
    end if;
    select min(v), event_count + read.event_count into value, event_count from unnest(array[value, read.value]) v;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION usage_levels(merchant text, definition bigint, subject bigint, before timestamp with time zone, by_group boolean)
 RETURNS TABLE(subject_id bigint, group_values text[], at timestamp with time zone, seq bigint, value numeric)
 LANGUAGE plpgsql
 STABLE
 SET enable_sort TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  one bigint := subject;
  one_group uuid;
  last_hour timestamptz;
begin
  if definition is null then return; end if;
  loop
    if subject is null then
      select r.subject_id into one from usage_rollup r
       where r.merchant_id = merchant and r.definition_id = definition and r.subject_id > coalesce(one, -1)
         and r.latest_at is not null
       order by r.subject_id limit 1;
      exit when not found;
    end if;
    if by_group then
      select r.group_hash into one_group from usage_rollup r
       where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = one
         and r.latest_at is not null
       order by r.group_hash limit 1;
      while found loop
        select r.hour into last_hour from usage_rollup r
         where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = one
           and r.group_hash = one_group
           and r.hour < before and r.latest_at is not null
         order by r.hour desc limit 1;
        if found then
          return query
            select r.subject_id, r.group_values, r.latest_at, r.latest_seq, r.latest_value from usage_rollup r
             where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = one
               and r.group_hash = one_group
               and r.hour = last_hour and r.latest_at is not null;
        end if;
        select r.group_hash into one_group from usage_rollup r
         where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = one
           and r.group_hash > one_group
           and r.latest_at is not null
         order by r.group_hash limit 1;
      end loop;
    else
      select r.hour into last_hour from usage_rollup r
       where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = one and r.hour < before
       order by r.hour desc limit 1;
      if found then
        return query
          select r.subject_id, r.group_values, r.latest_at, r.latest_seq, r.latest_value from usage_rollup r
           where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = one
             and r.hour = last_hour;
      end if;
    end if;
    exit when subject is not null;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION usage_rows(merchant text, named text[])
 RETURNS SETOF event_subject
 LANGUAGE sql
 STABLE
AS $function$
    select es.* from event_subject es where es.merchant_id = merchant and es.addressee = any (named)
     union
    select es.* from event_subject es where es.merchant_id = merchant and es.kind = 'direct' and es.key = any (named)
  $function$;

CREATE OR REPLACE FUNCTION usage_sum(merchant text, meter_types text[], meter_contents text[], questions integer[], meters integer[], subjects text[], froms timestamp with time zone[], tos timestamp with time zone[], known_parts integer[] DEFAULT '{}'::integer[], known_subjects bigint[] DEFAULT '{}'::bigint[], known_hours timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[], known_froms timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[], known_tos timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[], known_counts bigint[] DEFAULT '{}'::bigint[], known_values numeric[] DEFAULT '{}'::numeric[], known_events bigint[] DEFAULT '{}'::bigint[])
 RETURNS TABLE(question integer, value numeric, event_count bigint, is_complete boolean, read_hours jsonb)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  definition_ids bigint[];
  definition_kinds text[];
  definition_paths text[];
begin
  select array_agg(s.id order by m.place), array_agg(s.kind order by m.place), array_agg(s.path order by m.place)
    into definition_ids, definition_kinds, definition_paths
    from unnest(meter_types, meter_contents) with ordinality m (event_type, content, place)
   cross join lateral (select text_hash(m.content) as content offset 0) h
    left join lateral (
      select s.id, s.kind, s.path from rollup_definition s
       where s.merchant_id = merchant and s.event_type = m.event_type and s.content = h.content
         and s.is_ready) s on true;
  return query
  select w.question, sum(case when f.is_cut then c.value else f.value end),
         coalesce(sum(case when f.is_cut then c.event_count else f.event_count end), 0)::bigint,
         bool_and(definition_ids[w.meter] is not null), jsonb_agg(c.read_hours) filter (where c.read_hours is not null)
    from unnest(questions, meters, subjects, froms, tos) with ordinality w (question, meter, subject,
      from_at, to_at, part)
    left join lateral (
      select es.id from event_subject es where es.merchant_id = merchant and es.addressee = w.subject
       union all
      select es.id from event_subject es
       where es.merchant_id = merchant and es.kind = 'direct' and es.key = w.subject and es.addressee
         is distinct from w.subject) a on true
    left join lateral (
      select sum(r.total) as value, sum(r.event_count) as event_count,
             bool_or(r.first_at < w.from_at or r.last_at >= w.to_at) as is_cut
        from usage_rollup r
       where r.merchant_id = merchant and r.definition_id = definition_ids[w.meter] and r.subject_id = a.id
         and r.hour >= date_bin('1 hour', w.from_at, '2000-01-01Z') and r.hour < w.to_at
         and r.first_at < w.to_at and r.last_at >= w.from_at) f on true
    left join lateral (
      select p.* from usage_sum_cut(merchant, meter_types[w.meter], definition_ids[w.meter], definition_kinds[w.meter],
                               string_to_array(definition_paths[w.meter], '.'), w.part::int, a.id, w.from_at, w.to_at,
                               known_parts, known_subjects, known_hours, known_froms, known_tos,
                               known_counts, known_values, known_events) p
       where f.is_cut offset 0) c on true
   group by w.question;
end $function$;

CREATE OR REPLACE FUNCTION usage_sum_cut(merchant text, wanted_type text, definition bigint, value_kind text, value_path text[], part integer, subject bigint, from_at timestamp with time zone, to_at timestamp with time zone, known_parts integer[], known_subjects bigint[], known_hours timestamp with time zone[], known_froms timestamp with time zone[], known_tos timestamp with time zone[], known_counts bigint[], known_values numeric[], known_events bigint[], OUT value numeric, OUT event_count bigint, OUT read_hours jsonb)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_variable
declare
  cut_hours timestamptz[];
  cut_hour timestamptz;
  next_hour timestamptz;
  read_from timestamptz;
  read_to timestamptz;
  cut_from timestamptz;
  cut_to timestamptz;
  is_outside boolean;
  is_known boolean;
  is_dear boolean;
  whole record;
  read record;
begin
  select array_agg(distinct r.hour) into cut_hours from usage_rollup r
   where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = subject
     and r.hour >= date_bin('1 hour', from_at, '2000-01-01Z') and r.hour < to_at
     and r.first_at < to_at and r.last_at >= from_at and (r.first_at < from_at or r.last_at >= to_at);
  select sum(r.total), coalesce(sum(r.event_count), 0) into value, event_count from usage_rollup r
   where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = subject
     and r.hour >= date_bin('1 hour', from_at, '2000-01-01Z') and r.hour < to_at
     and r.first_at >= from_at and r.last_at < to_at and r.hour <> all (cut_hours);
  foreach cut_hour in array cut_hours loop
    select sum(r.event_count) as event_count, sum(r.total) as value, min(r.first_at) as first_at,
           max(r.last_at) as last_at
      into whole from usage_rollup r
     where r.merchant_id = merchant and r.definition_id = definition and r.subject_id = subject and r.hour = cut_hour;
    cut_from := case when whole.first_at < from_at then from_at end;
    cut_to := case when whole.last_at >= to_at then to_at end;
    is_known := false;
    if cardinality(known_parts) > 0 then
      select k.figure as value, k.events as event_count into read
        from unnest(known_parts, known_subjects, known_hours, known_froms, known_tos, known_counts,
          known_values, known_events)
             k (part, subject, hour, cut_from, cut_to, event_count, figure, events)
       where k.part = part and k.subject = subject and k.hour = cut_hour and k.event_count = whole.event_count
         and k.cut_from is not distinct from cut_from and k.cut_to is not distinct from cut_to
       limit 1;
      is_known := found;
    end if;
    if not is_known then
      next_hour := cut_hour + interval '1 hour';
      read_from := coalesce(cut_from, cut_hour);
      read_to := coalesce(cut_to, next_hour);
      is_outside := 't' and read_to - read_from > interval '30 minutes' and (cut_from is null or cut_to is null);
      if is_outside and cut_from is null then
        read_from := read_to;
        read_to := next_hour;
      elsif is_outside then
        read_to := read_from;
        read_from := cut_hour;
      end if;
      select sum(e.value) as value, count(e.value) as event_count into read
        from (
          select case when value_kind = 'number' then event_number(e.data, value_path)
                      when value_path is null or event_text(e.data, value_path) is not null then 1 end as value
            from event e
           where e.merchant_id = merchant and e.type = wanted_type and e.subject_id = subject
             and e.at >= read_from and e.at < read_to and events_at_hand(merchant, read_from, read_to)
          offset 0) e;
      is_dear := read.event_count >= 32;
      if is_outside then
        read.value := whole.value - coalesce(read.value, 0);
        read.event_count := whole.event_count - read.event_count;
      end if;
      if is_dear and pg_current_xact_id_if_assigned() is null then
        read_hours := coalesce(read_hours, '[]') || jsonb_build_object(
          'part', part::text, 'subject', subject::text, 'hour', cut_hour, 'isFromCut', cut_from is not null, 'isToCut',
          cut_to is not null,
          'eventCount', whole.event_count::text, 'value', read.value::text, 'events', read.event_count::text);
      end if;
    end if;
    select sum(v), event_count + read.event_count into value, event_count from unnest(array[value, read.value]) v;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION wake_alerts(merchant text, ids text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  /* A statement of its own: the next one sees what a look has written that was waited for here. */
  perform 1 from alert a where a.merchant_id = merchant and a.id = any (ids) order by a.id for no key update;
  update alert a
     set next_action_at = t.due_at
    from (select w.id, coalesce((select c.clock_time from test_clock c
                                  where c.merchant_id = w.merchant_id and c.id = w.clock_id), w.looked_at) as due_at
            from alert w where w.merchant_id = merchant and w.id = any (ids)) t
   where a.merchant_id = merchant and a.id = t.id and (a.next_action_at is null or a.next_action_at > t.due_at);
end $function$;

CREATE OR REPLACE FUNCTION wake_alerts_of_credits()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform wake_alerts(new.merchant_id, ids)
     from (select array_agg(a.id) as ids from alert a
            where a.merchant_id = new.merchant_id and a.customer_id = new.customer_id and a.currency = new.currency) found
    where ids is not null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION wake_alerts_of_customer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform wake_alerts(new.merchant_id, ids)
     from (select array_agg(a.id) as ids from alert a
            where a.merchant_id = new.merchant_id and a.customer_id = new.customer_id) found
    where ids is not null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION wake_alerts_of_entitlements()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION wake_alerts_of_new_periods()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION wake_alerts_of_period()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform wake_alerts(new.merchant_id, ids)
     from (select array_agg(a.id) as ids from alert a
            where a.merchant_id = new.merchant_id and a.customer_id = new.customer_id
              and (a.subscription_id = new.subscription_id or a.period = 'billing')) found
    where ids is not null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION wake_alerts_of_subscription()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  changed record := case when tg_op = 'DELETE' then old else new end;
begin
  perform wake_alerts(changed.merchant_id, ids)
     from (select array_agg(a.id) as ids from alert a
            where a.merchant_id = changed.merchant_id and a.subscription_id = changed.subscription_id) found
    where ids is not null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION wake_credits(merchant text, customers text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update credit_watch w
     set next_action_at = t.due_at
    from (select v.id, coalesce((select c.clock_time from test_clock c
                                  where c.merchant_id = v.merchant_id and c.id = v.clock_id), v.looked_at) as due_at
            from credit_watch v where v.merchant_id = merchant and v.customer_id = any (customers)
           order by v.id for no key update) t
   where w.merchant_id = merchant and w.id = t.id and (w.next_action_at is null or w.next_action_at > t.due_at);
end $function$;

CREATE OR REPLACE FUNCTION wake_credits_of_cancelled()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform wake_credits_of_invoice(new.merchant_id, new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION wake_credits_of_credit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform wake_credits(new.merchant_id, array[new.customer_id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION wake_credits_of_invoice(merchant text, invoice text)
 RETURNS void
 LANGUAGE sql
AS $function$
  select wake_credits(merchant, array_agg(distinct b.customer_id))
    from invoice_line l
    join billing_credit b on b.merchant_id = l.merchant_id and b.id = l.billing_credit_id
   where l.merchant_id = merchant and l.invoice_id = invoice and l.billing_credit_id is not null
  having count(*) > 0
$function$;

CREATE OR REPLACE FUNCTION wake_credits_of_line()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform wake_credits(new.merchant_id, array[b.customer_id]) from billing_credit b
    where b.merchant_id = new.merchant_id and b.id = new.workings->'use'->>'billingCreditId';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION wake_credits_of_new_periods()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform wake_credits(w.merchant_id, array_agg(distinct w.customer_id))
     from opened n
     join customer c on c.merchant_id = n.merchant_id and c.id = n.customer_id
     join credit_watch w on w.merchant_id = n.merchant_id and w.customer_id in (c.id, c.payer_id)
    where n.kind = 'subscription' group by w.merchant_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION wake_credits_of_note()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform wake_credits_of_invoice(new.merchant_id, new.invoice_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION wake_credits_of_subscription()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform wake_credits(new.merchant_id, array[c.id, coalesce(c.payer_id, c.id)])
     from customer c where c.merchant_id = new.merchant_id and c.id = new.customer_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION wake_credits_of_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform wake_credits(s.merchant_id, array[c.id, coalesce(c.payer_id, c.id)])
     from subscription s join customer c on c.merchant_id = s.merchant_id and c.id = s.customer_id
    where s.merchant_id = new.merchant_id and s.id = new.subscription_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION wake_levels_of_clock()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  ids text[];
begin
  perform 1 from entitlement e
   where e.merchant_id = new.merchant_id and e.clock_id = new.id and e.feature_type = 'metered'
     and e.active_from <= new.clock_time and (e.active_to is null or e.active_to > new.clock_time)
     and (e.next_action_at is null or e.next_action_at > new.clock_time)
     and is_over_time(e.merchant_id, e.billable_metric_ids)
   order by e.id for no key update;
  update entitlement e set next_action_at = new.clock_time
   where e.merchant_id = new.merchant_id and e.clock_id = new.id and e.feature_type = 'metered'
     and e.active_from <= new.clock_time and (e.active_to is null or e.active_to > new.clock_time)
     and (e.next_action_at is null or e.next_action_at > new.clock_time)
     and is_over_time(e.merchant_id, e.billable_metric_ids);
  select array_agg(a.id) into ids
    from alert a left join entitlement e on e.merchant_id = a.merchant_id and e.id = a.entitlement_id
   where a.merchant_id = new.merchant_id and a.clock_id = new.id
     and is_over_time(a.merchant_id, coalesce(e.billable_metric_ids, array[a.billable_metric_id]));
  if ids is not null then
    perform wake_alerts(new.merchant_id, ids);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION wake_schedules()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update billing_schedule set next_action_at = new.updated_at
   where merchant_id = new.merchant_id and subscription_id = new.id and status <> 'cancelled';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION watched_customers(merchants text[], customers text[])
 RETURNS TABLE(merchant_id text, customer_id text)
 LANGUAGE sql
 STABLE
AS $function$
    select distinct w.merchant_id, w.customer_id
      from unnest(merchants, customers) q (merchant_id, customer_id)
      join customer c on c.merchant_id = q.merchant_id and c.id = q.customer_id
      join credit_watch w on w.merchant_id = c.merchant_id and w.customer_id in (c.id, c.payer_id)
  $function$;

CREATE OR REPLACE PROCEDURE write_due_functions()
 LANGUAGE plpgsql
AS $procedure$
declare
  settings text := 'set plan_cache_mode = force_generic_plan set enable_seqscan = off
    set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off';
begin
  execute format(
    'create or replace function due_now(kinds text[], at timestamptz, most int)
       returns table (kind text, merchant_id text, id text, due_at timestamptz)
       language plpgsql stable security definer set search_path = public, pg_temp %s
       as $body$ begin %s end $body$',
    settings,
    (select string_agg(format(
       'if %1$L = any ($1) then
          return query
          select %1$L::text, t.merchant_id, t.id, t.next_action_at
            from %2$I t
           where t.clock_id is null and t.next_action_at <= $2
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = %1$L and f.id = t.id and f.due_at = t.next_action_at
                  and (f.parked_at is not null or f.retry_at > $2))
           order by t.next_action_at
           limit $3;
        end if;', d.kind, d.table_name), E'\n' order by d.kind) from due_kind d));
  execute format(
    'create or replace function clocks_with_work(kinds text[])
       returns table (merchant_id text, id text)
       language plpgsql stable security definer set search_path = public, pg_temp %s
       as $body$ begin
         return query select c.merchant_id, c.id from test_clock c where c.advancing_to is not null
           and c.deleted_at is null;
         if not exists (select from test_clock c where c.deleted_at is null and c.advancing_to is null) then
           return;
         end if;
         %s
       end $body$',
    settings,
    (select string_agg(format(
       'if %1$L = any ($1) then
          return query
          select c.merchant_id, c.id
            from test_clock c
           where c.deleted_at is null and c.advancing_to is null
             and exists (
               select from %2$I t
                where t.merchant_id = c.merchant_id and t.clock_id = c.id and t.next_action_at <= c.clock_time
                  and not exists (
                    select from due_failure f
                     where f.merchant_id = t.merchant_id and f.kind = %1$L and f.id = t.id
                       and f.due_at = t.next_action_at and f.parked_at is not null));
        end if;', d.kind, d.table_name), E'\n' order by d.kind) from due_kind d));
  execute format(
    'create or replace function first_on_clock(kinds text[], merchant text, clock text, until timestamptz)
       returns table (kind text, merchant_id text, id text, due_at timestamptz)
       language plpgsql stable %s
       as $body$ begin %s end $body$',
    settings,
    (select string_agg(format(
       'if %1$L = any ($1) then
          return query
          select %1$L::text, t.merchant_id, t.id, t.next_action_at
            from %2$I t
           where t.merchant_id = $2 and t.clock_id = $3 and t.next_action_at <= $4
             and not exists (
               select from due_failure f
                where f.merchant_id = t.merchant_id and f.kind = %1$L and f.id = t.id and f.due_at = t.next_action_at
                  and f.parked_at is not null)
           order by t.next_action_at, t.%3$I
           limit 1;
        end if;', d.kind, d.table_name, d.order_column), E'\n' order by d.kind) from due_kind d));
end $procedure$;

CREATE OR REPLACE FUNCTION write_rollups(added usage_rollup[], places tid[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_nestloop TO 'on'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  done bigint[];
begin
  with updated as (
    update usage_rollup r
       set event_count = r.event_count + n.event_count, total = r.total + n.total,
           first_at = least(r.first_at, n.first_at), last_at = greatest(r.last_at, n.last_at),
           least_value = least(r.least_value, n.least_value),
           greatest_value = greatest(r.greatest_value, n.greatest_value),
           latest_at = case when (n.latest_at, n.latest_seq) > (r.latest_at, r.latest_seq)
                       then n.latest_at else r.latest_at end,
           latest_seq = case when (n.latest_at, n.latest_seq) > (r.latest_at, r.latest_seq)
                        then n.latest_seq else r.latest_seq end,
           latest_value = case when (n.latest_at, n.latest_seq) > (r.latest_at, r.latest_seq)
                          then n.latest_value else r.latest_value end
      from (select u.*, places[u.ordinality] as place from unnest(added) with ordinality u offset 0) n
     where r.ctid = n.place and r.merchant_id = n.merchant_id and r.definition_id = n.definition_id
       and r.subject_id = n.subject_id
       and r.hour = n.hour and r.group_hash = n.group_hash and r.lane = n.lane
    returning n.ordinality
  )
  select array_agg(u.ordinality) into done from updated u;
  if cardinality(done) = cardinality(added) then return; end if;
  insert into usage_rollup as r
  select u.merchant_id, u.definition_id, u.subject_id, u.hour, u.group_hash, u.lane, u.group_values, u.event_count,
         u.first_at, u.last_at,
         u.total, u.least_value, u.greatest_value, u.latest_at, u.latest_seq, u.latest_value
    from unnest(added) with ordinality u
   where u.ordinality not in (select d from unnest(done) d)
      on conflict (merchant_id, definition_id, subject_id, hour, group_hash, lane) do update
     set event_count = r.event_count + excluded.event_count, total = r.total + excluded.total,
         first_at = least(r.first_at, excluded.first_at), last_at = greatest(r.last_at, excluded.last_at),
         least_value = least(r.least_value, excluded.least_value),
         greatest_value = greatest(r.greatest_value, excluded.greatest_value),
         (latest_at, latest_seq, latest_value) = (
           select case when later then excluded.latest_at else r.latest_at end,
                  case when later then excluded.latest_seq else r.latest_seq end,
                  case when later then excluded.latest_value else r.latest_value end
             from (select (excluded.latest_at, excluded.latest_seq) > (r.latest_at, r.latest_seq) as later) compared);
end $function$;
