-- Invoices, their lines, the usage that they bill, numbers, credit notes and documents (§2, §3; domain.md §4). An
-- invoice bears what is owed less what other invoices bill (docs/decisions/0064). What is billed is read from lines and
-- credits, so nothing is kept beside them of parts of periods, of late usage and of charges in advance.

/* The legal moves between states, the same edges as the table in src/invoicing/invoice/states.ts and the passages
   through several states in one transaction that stand there (a test holds them equal). */
create table invoice_edge (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into invoice_edge values
  ('ACTIVE', 'CLOSING'), ('CLOSING', 'CLOSED'), ('CLOSED', 'CALCULATING'),
  ('CALCULATING', 'DRAFT'), ('CALCULATING', 'FAILED'), ('FAILED', 'CALCULATING'),
  ('DRAFT', 'CALCULATING'), ('DRAFT', 'ISSUED'), ('DRAFT', 'CANCELLED'),
  ('ISSUED', 'PAID'), ('ISSUED', 'PAYMENT_FAILED'), ('ISSUED', 'WRITTEN_OFF'), ('ISSUED', 'CANCELLED'),
  ('PAYMENT_FAILED', 'PAID'), ('PAYMENT_FAILED', 'WRITTEN_OFF'), ('PAYMENT_FAILED', 'CANCELLED'),
  ('WRITTEN_OFF', 'PAID'),
  ('ACTIVE', 'CLOSED'), ('ACTIVE', 'CALCULATING'), ('ACTIVE', 'DRAFT'), ('ACTIVE', 'FAILED'), ('ACTIVE', 'ISSUED'),
  ('CLOSING', 'CALCULATING'), ('CLOSING', 'DRAFT'), ('CLOSING', 'FAILED'), ('CLOSING', 'ISSUED'),
  ('CLOSED', 'DRAFT'), ('CLOSED', 'FAILED'), ('CLOSED', 'ISSUED'), ('CALCULATING', 'ISSUED');
grant select on invoice_edge to reckoner_app, reckoner_operator;

create table invoice (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  kind text not null check (kind in ('subscription', 'upfront', 'ad_hoc', 'order')),
  status text not null,
  customer_id text not null,
  subscription_id text,
  clock_id text,
  currency text not null,
  billing_cadence text not null, -- normalised, so that P12M and P1Y are one series
  billing_anchor timestamptz not null,
  period_number int not null,    -- counted from the anchor
  period_start timestamptz not null,
  period_end timestamptz not null,
  grace_period_end timestamptz not null,
  sequence_number int not null,
  auto_approve boolean not null,
  payment_term_days int not null,
  -- what was frozen for the calculation: prices' tax rates, tax behaviour
  terms jsonb,
  one_off jsonb,                 -- what an invoice without a period is calculated from
  subtotal numeric not null default 0,
  total_tax numeric not null default 0,
  grand_total numeric not null default 0,
  -- Filters by amount find and count invoices by this (docs/decisions/0084): the comparison of whole numbers is
  -- leakproof, so an index serves it under row-level security.
  grand_total_key bigint generated always as (range_key(grand_total)) stored,
  paid_amount numeric not null default 0,
  credited_amount numeric not null default 0 check (credited_amount >= 0 and credited_amount <= paid_amount),
  unpaid_amount numeric generated always as (grand_total - paid_amount) stored,
  wallet_applied numeric not null default 0,
  item_count int not null default 0,
  taxes jsonb not null default '[]',
  -- What a provider outside our database has recorded (docs/decisions/0116, 0117): `provider`, `estimatedTax`,
  -- `actualTax`, `reconciledAt`, and `permalink` and `pdfUrl` of its own document. Null: our own rates, or nothing to
  -- record.
  outside_tax jsonb,
  content_hash text,
  invoice_number text,
  seller jsonb,                  -- the parties as they were when it was issued
  buyer jsonb,
  issued_at timestamptz,
  due_at timestamptz,
  paid_at timestamptz,
  overdue_at timestamptz,        -- when invoice.overdue.v0 was written
  failure_reason text,
  failure_detail text,           -- what was thrown, for operators; never answered
  calculation_attempts int not null default 0,
  usage_mark bigint,             -- up to which event, in the order of acceptance, its usage was read
  payment_in_flight boolean not null default false,
  -- how many automatic charges were declined: which retry comes next (domain.md §4, rows 13 to 16)
  failed_attempts int not null default 0,
  pays_online boolean not null default false, -- decided at issue: it may be paid through a payment session
  lives_by_session boolean not null default false, -- row 18: ends with its session, and has no number until it is paid
  -- what hangs on it being paid, for whoever made it; null where nothing does
  purpose_type text,
  purpose_id text,
  document_failure text,
  metadata jsonb not null default '{}',
  idempotency_key text,
  idempotency_print bytea,
  next_action_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  check (period_start <= period_end and period_end <= grace_period_end),
  check (subtotal + total_tax = grand_total),
  check (paid_amount >= 0 and paid_amount <= grand_total),
  constraint invoice_purpose check (purpose_id is null or purpose_type is not null),
  constraint invoice_print check ((idempotency_key is null) = (idempotency_print is null)),
  constraint invoice_number_is_of_issue check (invoice_number is null or issued_at is not null),
  constraint invoice_issue_has_number check (
    issued_at is null or invoice_number is not null or (lives_by_session and status <> 'PAID'))
);
call resource_table('invoice');
call due_table('invoice', 'invoice');
create unique index invoice_period on invoice (merchant_id, subscription_id, billing_cadence, period_start)
  where kind = 'subscription';
create unique index invoice_number on invoice (merchant_id, invoice_number) where invoice_number is not null;
/* The order of the list. Under row-level security numbers of type numeric are compared beside an index, not by it
   (their comparison is not leakproof): the total stands in the index, so that no row is read for it. */
create index invoice_order on invoice (merchant_id, seq desc) include (status, grand_total);
create index invoice_subscription on invoice (merchant_id, subscription_id, seq desc);
create index invoice_customer on invoice (merchant_id, customer_id, seq desc);
create index invoice_status on invoice (merchant_id, status, seq desc);
create unique index invoice_key on invoice (merchant_id, idempotency_key) where idempotency_key is not null;
create index invoice_purpose_id on invoice (merchant_id, purpose_id) where purpose_id is not null;

/* At most one upfront invoice that a subscription waits for (domain.md §3). */
create unique index invoice_awaited on invoice (merchant_id, purpose_id)
  where kind = 'upfront' and purpose_id is not null;

/* Filters of the list of invoices (docs/decisions/0084): each is answered from an index. The first holds invoices that
   may be overdue: the few that money is asked for. */
create index invoice_unpaid on invoice (merchant_id, seq desc) include (due_at, clock_id)
  where status in ('ISSUED', 'PAYMENT_FAILED') and unpaid_amount > 0 and not lives_by_session;
create index invoice_by_issued_at on invoice (merchant_id, issued_at, seq) include (status, grand_total)
  where issued_at is not null;
create index invoice_by_due_at on invoice (merchant_id, due_at, seq) include (status, grand_total)
  where due_at is not null;
create index invoice_by_amount on invoice (merchant_id, grand_total_key, seq) include (grand_total, status);
create index invoice_all on invoice (seq desc);
call keep_list_count('invoice', '{status}', measures => '{issued_at, due_at, grand_total}');

create table invoice_line (
  merchant_id text not null,
  invoice_id text not null,
  id text not null,
  -- the order in which lines were billed: a calculation that is repeated counts what was billed before it
  seq bigint generated always as identity,
  position int not null,
  event_type text not null check (event_type in ('usage', 'fee', 'discount')),
  line_item_type text not null check (line_item_type in ('charge', 'refund')),
  type text not null,
  price_id text,
  billable_metric_id text,
  fee_id text,
  item_id text,
  source_key text, -- of invoices of schedules: what the line is of
  display_name text not null,
  metric_name text not null,
  metric_unit text not null,
  metric_description text not null,
  quantity numeric not null,
  unit_price numeric not null,
  total_price numeric not null,
  discount_price numeric not null default 0,
  tax_rate numeric not null,
  total_tax numeric not null,
  total_amount numeric not null,
  period_start timestamptz not null,
  period_end timestamptz not null,
  group_values jsonb,
  tiers jsonb,
  workings jsonb,  -- how the amount came about, as text: facts of the calculation, for the document
  applies_to_line_id text,
  primary key (merchant_id, invoice_id, id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id),
  check (total_price + total_tax = total_amount)
);
call tenant_table('invoice_line');
create index invoice_line_order on invoice_line (merchant_id, invoice_id, position);

/* What was metered for a price (and group) when the period closed: the quantity that the invoice bills. */
create table invoice_usage (
  merchant_id text not null,
  invoice_id text not null,
  price_id text not null,
  group_key text not null, -- canonical JSON of the group, '' where there is none
  group_values jsonb not null,
  quantity numeric not null,
  -- units that grants covered (prices with grantDiscountEnabled): they are not charged
  granted numeric not null default 0,
  event_count int not null,
  -- A figure that is for a time (AVG, MIN, MAX, LATEST, UNIQUE_COUNT) counts for the part of the period in which the
  -- usage was this subscription's. Both null: for all of it. In microseconds.
  share_numerator bigint,
  share_denominator bigint,
  primary key (merchant_id, invoice_id, price_id, group_key),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id),
  constraint invoice_usage_share check (
    (share_numerator is null) = (share_denominator is null)
    and (share_numerator is null or share_numerator between 1 and share_denominator))
);
call tenant_table('invoice_usage');

/* Gapless numbers: drawn only inside the transaction that issues, so a rollback leaves no hole. */
create table merchant_counter (
  merchant_id text not null,
  kind text not null check (kind in ('invoice', 'credit_note')),
  value bigint not null,
  primary key (merchant_id, kind)
);
call tenant_table('merchant_counter');

create table credit_note (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  kind text not null check (kind in ('refund', 'cancellation', 'credit')),
  invoice_id text not null,
  number text not null,
  amount numeric not null,
  tax_amount numeric not null,
  total numeric not null,
  currency text not null,
  outside_tax jsonb, -- what a provider has recorded: `reference`, and `permalink` and `pdfUrl` of its own document
  status text not null check (status in ('ISSUED', 'VOIDED')),
  reason text,
  void_reason text,
  created_at timestamptz not null,
  voided_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id),
  check (amount + tax_amount = total),
  check ((status = 'VOIDED') = (voided_at is not null))
);
call resource_table('credit_note');
create unique index credit_note_number on credit_note (merchant_id, number);
/* Of credit notes over a part of an invoice there may be several. What they take off what is unpaid counts as paid. */
create unique index one_unvoided_credit_note on credit_note (merchant_id, invoice_id)
  where status = 'ISSUED' and kind <> 'credit';
create index credit_note_of on credit_note (merchant_id, invoice_id, seq desc);

/* Rendered documents, stored once and never rendered again. */
create table document (
  merchant_id text not null,
  owner_id text not null,
  content bytea not null,
  sha256 bytea not null,
  created_at timestamptz not null,
  primary key (merchant_id, owner_id)
);
call tenant_table('document');
alter table document alter column content set storage external; -- PDFs are compressed already
revoke update, delete on document from reckoner_app;

create function guard_issued_invoice() returns trigger language plpgsql as $$
begin
  if old.issued_at is not null then raise exception 'invoice % is issued and is never deleted', old.id; end if;
  return old;
end $$;
create trigger guard_delete before delete on invoice for each row execute function guard_issued_invoice();

/* When a document is due that is ordered at an effective time: documents are made in wall time, and no test clock waits
   for them. */
create function document_due(merchant text, clock text, at timestamptz) returns timestamptz
  language sql stable
  as $$
    select coalesce((select updated_at from test_clock where merchant_id = merchant and id = clock), at)
  $$;

/* The job that renders a document after issue. */
create table document_job (
  merchant_id text not null,
  id text not null,
  -- how often the job has failed: it tries again later, so many times (domain.md §4, Document)
  attempts int not null default 0,
  clock_id text check (clock_id is null),
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references invoice (merchant_id, id)
);
call tenant_table('document_job');
call due_table('invoice_document', 'document_job');

/* The webhook about an overdue invoice whose own due time is its next retry. */
create table invoice_overdue (
  merchant_id text not null,
  id text not null, -- the invoice
  clock_id text,
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references invoice (merchant_id, id)
);
call tenant_table('invoice_overdue');
call due_table('invoice_overdue', 'invoice_overdue');

/* Subscriptions that end because an invoice was not paid: in a step of their own, for a subscription is locked before
   its invoices. */
create table dunning_end (
  merchant_id text not null,
  id text not null, -- the invoice
  clock_id text,
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references invoice (merchant_id, id)
);
call tenant_table('dunning_end');
call due_table('dunning_end', 'dunning_end');

/* A line that somebody writes for an invoice whose period is open. Once the invoice's usage has been read it is on it,
   for good. A negative line that is more than its invoice goes on to the next ones: what could not be taken off is a
   line of its own, which names the line that it is left of. What no invoice can bear is in the customer's wallet. */
create table manual_line (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  subscription_id text not null,
  -- the invoice that was asked for, or that took it; null: the first that closes at or after invoice_at
  invoice_id text,
  item_id text,
  display_name text not null,
  description text,
  currency text not null,
  quantity numeric not null,
  unit_price numeric not null,
  tax_rate numeric,           -- percent; null: the rate of the invoice that takes it
  period_start timestamptz not null,
  period_end timestamptz not null,
  invoice_at timestamptz not null,
  calculated_at timestamptz,  -- when an invoice took it
  carried_from_id text,       -- the line that it is left of
  carried_because text check (carried_because in ('remainder', 'cancellation')),
  into_wallet_at timestamptz, -- when no invoice could bear it any more
  idempotency_key text,
  idempotency_print bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id) on delete set null (invoice_id),
  check (period_start <= period_end),
  check (calculated_at is null or invoice_id is not null),
  check ((idempotency_key is null) = (idempotency_print is null)),
  foreign key (merchant_id, carried_from_id) references manual_line (merchant_id, id),
  check ((carried_from_id is null) = (carried_because is null)),
  check (into_wallet_at is null or (carried_from_id is not null and invoice_id is null))
);
call resource_table('manual_line');
create unique index manual_line_key on manual_line (merchant_id, idempotency_key) where idempotency_key is not null;
create index manual_line_pending on manual_line (merchant_id, subscription_id, seq)
  where calculated_at is null and into_wallet_at is null;
create index manual_line_invoice on manual_line (merchant_id, invoice_id, seq);
-- A line is carried over once because its invoice was too small, and once because that invoice was cancelled.
create unique index manual_line_carried on manual_line (merchant_id, carried_from_id, carried_because)
  where carried_from_id is not null;

/* Which events were there when the usage of a closed period was last read (metering's usageSnapshot): while nothing
   came late for it since, nobody reads it again. */
create table usage_taken (
  merchant_id text not null,
  invoice_id text not null,
  snapshot text not null,
  primary key (merchant_id, invoice_id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id)
);
call tenant_table('usage_taken');

/* The e-invoice (EN 16931) as it was made with its document; the same text is inside the PDF. */
create table e_invoice (
  merchant_id text not null,
  owner_id text not null, -- the invoice or the credit note
  content text not null,
  created_at timestamptz not null,
  primary key (merchant_id, owner_id)
);
call tenant_table('e_invoice');
revoke update, delete on e_invoice from reckoner_app;

/* The job that renders a credit note after its issue: it gets a document as an invoice does (domain.md §4,
   Document). */
create table credit_note_job (
  merchant_id text not null,
  id text not null,
  attempts int not null default 0,
  clock_id text check (clock_id is null),
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references credit_note (merchant_id, id)
);
call tenant_table('credit_note_job');
call due_table('credit_note_document', 'credit_note_job');

/* Whoever issues a credit note, and why: it gets its document. */
create function render_credit_note() returns trigger language plpgsql as $$
begin
  insert into credit_note_job (merchant_id, id, next_action_at)
  select new.merchant_id, new.id, document_due(new.merchant_id, clock_id, new.created_at)
    from invoice where merchant_id = new.merchant_id and id = new.invoice_id;
  return null;
end $$;
create trigger render after insert on credit_note for each row execute function render_credit_note();

/* What stands on a credit note over a part of an invoice; one over all of it shows the invoice's own lines. */
create table credit_note_line (
  merchant_id text not null,
  credit_note_id text not null,
  position int not null,
  display_name text not null,
  amount numeric not null,   -- net of tax
  tax_amount numeric not null,
  tax_rate numeric not null, -- percent
  period_start timestamptz not null,
  period_end timestamptz not null,
  credit_id text,            -- the unused credit that the line gives back
  primary key (merchant_id, credit_note_id, position),
  foreign key (merchant_id, credit_note_id) references credit_note (merchant_id, id)
);
call tenant_table('credit_note_line');
revoke update, delete on credit_note_line from reckoner_app;
create index credit_note_line_credit on credit_note_line (merchant_id, credit_id) where credit_id is not null;

/* What is given back of a charge in advance, at the amount and tax at which it was billed. */
create table unused_credit (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  subscription_id text,
  source_key text,                    -- of invoices of schedules: what the credit is of
  invoice_id text not null,           -- the one that billed it
  line_seq bigint not null default 0, -- the last line that was billed as the credit was given
  price_id text,                      -- null: the commitment of the plan
  charged_from timestamptz not null,  -- the dates of the charge
  charged_to timestamptz not null,
  unused_from timestamptz not null,
  unused_to timestamptz not null,
  display_name text not null,
  amount numeric not null check (amount > 0), -- net, all of it
  tax_amount numeric not null,
  tax_rate numeric not null,          -- percent
  workings jsonb,                     -- how the amount came about, as text: facts of the calculation, for the document
  correction jsonb,                   -- of a credit for what a closed period comes to less: what of each kind of line
  noted_amount numeric not null,      -- of it, net, by credit notes on the invoice that billed it
  noted_tax numeric not null,
  target_invoice_id text,             -- the invoice that bears the remainder as a line
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id),
  check (charged_from <= unused_from and unused_from < unused_to and unused_to <= charged_to),
  check (noted_amount >= 0 and noted_amount <= amount and noted_tax >= 0 and noted_tax <= tax_amount),
  check ((subscription_id is null) = (source_key is not null))
);
call tenant_table('unused_credit');
create index unused_credit_of on unused_credit (merchant_id, invoice_id);
create index unused_credit_target on unused_credit (merchant_id, target_invoice_id, seq)
  where target_invoice_id is not null;
create index unused_credit_subscription on unused_credit (merchant_id, subscription_id, charged_to);

/* Units that grants burnt and that a price of a period does not charge (prices with grantDiscountEnabled). Written in
   the transaction that reads the usage of the period, and anew where usage that came late is billed. */
create table burnt_taken (
  merchant_id text not null,
  invoice_id text not null,     -- whose period it is
  price_id text not null,
  entitlement_id text not null, -- whose grants burnt them
  taken_from timestamptz not null,
  taken_to timestamptz not null,
  units numeric not null check (units > 0),
  primary key (merchant_id, invoice_id, price_id, entitlement_id, taken_from),
  check (taken_from < taken_to),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id)
);
call tenant_table('burnt_taken');

/* A receipt is a document for each payment of an invoice: what was paid, how and when, and what remained to be paid.
   This is what it says beside its payment, written in the transaction of the payment, and the job that renders it. */
create table receipt_job (
  merchant_id text not null,
  id text not null,      -- the payment
  invoice_id text not null,
  position int not null, -- the n-th payment of its invoice: the end of its number
  remaining numeric not null check (remaining >= 0), -- of the invoice, after this payment
  attempts int not null default 0,
  clock_id text check (clock_id is null),
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references payment_receipt (merchant_id, id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id)
);
call tenant_table('receipt_job');
call due_table('receipt_document', 'receipt_job');
create unique index receipt_number on receipt_job (merchant_id, invoice_id, position);

/* The first of the next numbers of a counter without gaps: its row stays locked until the transaction ends, and a
   rollback takes the numbers back. */
create function draw_numbers(merchant text, of_kind text, many bigint) returns bigint
  language plpgsql
  as $$
declare
  last_one bigint;
begin
  insert into merchant_counter as c (merchant_id, kind, value) values (merchant, of_kind, many)
  on conflict (merchant_id, kind) do update set value = c.value + many
  returning c.value into last_one;
  return last_one - many + 1;
end $$;

-- Tax that a provider outside our database calculates and records (docs/decisions/0116, 0117).

/* A calculation that is asked of a provider, and its answer. The print is a hash of the request: who asks the same for
   the same invoice finds the answer. */
create table tax_quote (
  merchant_id text not null,
  seq bigint generated always as identity,
  invoice_id text, -- null: a request waits for it, whose invoice is not made yet
  print text not null,
  provider text not null check (provider in ('stripe_tax')),
  request jsonb not null,
  answer jsonb,    -- null: none yet
  created_at timestamptz not null,
  primary key (merchant_id, seq)
);
call tenant_table('tax_quote');
create unique index tax_quote_of_invoice on tax_quote (merchant_id, invoice_id, print) where invoice_id is not null;
create index tax_quote_waiting on tax_quote (merchant_id, print) where invoice_id is null;
revoke delete on tax_quote from reckoner_app;

/* What a provider is to record, each once: the sale of an invoice, what its credit lines take off that, a credit note,
   and that a credit note is void. The id is the key at the provider. */
create table tax_record (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  invoice_id text not null,
  credit_note_id text,
  kind text not null check (kind in ('invoice', 'credits', 'credit_note', 'void')),
  after_id text,        -- the record that it takes back
  provider text not null check (provider in ('stripe_tax')),
  currency text not null,
  net numeric not null, -- as we have billed it; below 0 where something is taken back
  tax numeric not null,
  status text not null check (status in ('waiting', 'sent', 'done', 'failed')),
  look_ups int not null default 0,
  reference text,       -- the provider's id
  recorded_tax numeric, -- as the provider has recorded it
  problem text,         -- why it is not done, in words
  sent_at timestamptz,
  done_at timestamptz,
  clock_id text,
  next_action_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id),
  foreign key (merchant_id, credit_note_id) references credit_note (merchant_id, id),
  foreign key (merchant_id, after_id) references tax_record (merchant_id, id),
  check ((kind = 'invoice') = (after_id is null)),
  check ((kind in ('credit_note', 'void')) = (credit_note_id is not null)),
  check ((status in ('done', 'failed')) = (next_action_at is null)),
  check ((status = 'done') = (done_at is not null)),
  check ((status = 'done') = (recorded_tax is not null and reference is not null)),
  check (status <> 'failed' or problem is not null)
);
call tenant_table('tax_record');
call due_table('tax_record', 'tax_record');
create unique index tax_record_once on tax_record (merchant_id, invoice_id, kind) where kind in ('invoice', 'credits');
create unique index tax_record_of_note on tax_record (merchant_id, credit_note_id, kind)
  where credit_note_id is not null;
create index tax_record_after on tax_record (merchant_id, after_id) where after_id is not null;
create index tax_record_of_invoice on tax_record (merchant_id, invoice_id);
create unique index tax_record_reference on tax_record (merchant_id, provider, reference) where reference is not null;
revoke delete on tax_record from reckoner_app;

/* One row for each customer whose address is to be checked with the merchant's tax provider, or was
   (docs/decisions/0119). A new customer, and one whose address changes, is due at once where the merchant has a
   provider outside our database. Customers are on no test clock. */
create table tax_address_check (
  merchant_id text not null,
  id text not null, -- the customer
  look_ups int not null default 0,
  asked_at timestamptz not null,
  clock_id text check (clock_id is null),
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references customer (merchant_id, id)
);
call tenant_table('tax_address_check');
call due_table('tax_address', 'tax_address_check');
revoke delete on tax_address_check from reckoner_app;

/* Triggers, so that no domain must know of tax providers. */
create function ask_for_tax_addresses(merchant text, consumer text, at timestamptz) returns void
  language plpgsql
  as $$
begin
  insert into tax_address_check (merchant_id, id, asked_at, next_action_at)
  select c.merchant_id, c.id, at, at
    from customer c
   where c.merchant_id = merchant and c.consumer_id = consumer and c.deleted_at is null
     and exists (select from organization o
                  where o.merchant_id = merchant and o.id = merchant
                    and coalesce(o.settings ->> 'taxProvider', 'internal') <> 'internal')
      on conflict (merchant_id, id) do update set look_ups = 0, asked_at = at, next_action_at = at;
end $$;

create function ask_for_tax_address_of_customer() returns trigger
  language plpgsql
  as $$
begin
  perform ask_for_tax_addresses(new.merchant_id, new.consumer_id, new.created_at);
  return null;
end $$;
create trigger ask_for_tax_address after insert on customer
  for each row execute function ask_for_tax_address_of_customer();

create function ask_for_tax_address_of_consumer() returns trigger
  language plpgsql
  as $$
begin
  perform ask_for_tax_addresses(new.merchant_id, new.id, new.updated_at);
  return null;
end $$;
create trigger ask_for_tax_address after update on organization
  for each row when (new.type = 'consumer' and new.address is distinct from old.address)
  execute function ask_for_tax_address_of_consumer();

-- The walls around issued invoices look at all rows of a statement at once, as invoices are written in lists.

/* The second lock behind the table of states, and the wall around issued invoices: no line, amount, number or date of
   theirs ever changes (domain.md §4). An invoice that lives by its session gets its number, and with it its hash, once,
   as it is paid. What a wallet paid is given back where the invoice is cancelled. The rows before and after are joined
   by hashing: they have no index, and whoever works on a list has turned hashing off. */
create function guard_invoices() returns trigger language plpgsql
  set enable_hashjoin = on set enable_nestloop = off
  as $$
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
                    n.period_start, n.period_end, n.seller, n.buyer, n.taxes, n.item_count, n.payment_term_days,
                    n.lives_by_session, n.purpose_type, n.purpose_id, n.one_off)
                   is distinct from
                   (o.issued_at, o.due_at, o.subtotal, o.total_tax, o.grand_total, o.currency, o.customer_id,
                    o.period_start, o.period_end, o.seller, o.buyer, o.taxes, o.item_count, o.payment_term_days,
                    o.lives_by_session, o.purpose_type, o.purpose_id, o.one_off)
                   or (n.invoice_number, n.content_hash) is distinct from (o.invoice_number, o.content_hash)
                      and not (o.lives_by_session and o.invoice_number is null and n.invoice_number is not null
                               and o.status <> 'PAID' and n.status = 'PAID'))
            then format('invoice %s is issued and does not change; it is credited', o.id)
            when n.paid_amount < o.paid_amount
                 and not (o.status <> 'CANCELLED' and n.status = 'CANCELLED' and n.wallet_applied = 0
                          and n.paid_amount = o.paid_amount - o.wallet_applied)
            then format('the paid amount of invoice %s does not fall', o.id)
            end as said
            from new_rows n left join old_rows o on o.merchant_id = n.merchant_id and o.id = n.id) judged
   where said is not null limit 1;
  if refusal is not null then
    raise exception '%', refusal;
  end if;
  return null;
end $$;
create trigger guard after update on invoice referencing old table as old_rows new table as new_rows
  for each statement execute function guard_invoices();

/* Lines and quantities of an issued invoice: none comes, changes or goes. The plans are kept, and may have been made
   when there were few invoices: each is looked up by its key, because a join may begin with all that are issued. */
create function guard_rows_of_issued() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
declare
  issued text;
begin
  select t.invoice_id into issued
    from (select distinct merchant_id, invoice_id from touched) t
   where (select i.issued_at from invoice i where i.merchant_id = t.merchant_id and i.id = t.invoice_id) is not null
   limit 1;
  if issued is not null then
    raise exception 'invoice % is issued; its lines and quantities do not change', issued;
  end if;
  return null;
end $$;
create trigger guard_insert after insert on invoice_line referencing new table as touched
  for each statement execute function guard_rows_of_issued();
create trigger guard_update after update on invoice_line referencing old table as touched
  for each statement execute function guard_rows_of_issued();
create trigger guard_delete after delete on invoice_line referencing old table as touched
  for each statement execute function guard_rows_of_issued();
create trigger guard_insert after insert on invoice_usage referencing new table as touched
  for each statement execute function guard_rows_of_issued();
create trigger guard_update after update on invoice_usage referencing old table as touched
  for each statement execute function guard_rows_of_issued();
create trigger guard_delete after delete on invoice_usage referencing old table as touched
  for each statement execute function guard_rows_of_issued();

/* How many cells the prices of a subscription have in all: a weight, by which lists of steps are bounded. */
create function matrix_cells(merchant text, of_subscription text) returns bigint
  language sql stable
  as $$
    select sum(jsonb_array_length(p.properties -> 'cells'))
      from subscription s
      join plan_version_price v on v.merchant_id = s.merchant_id and v.version_id = s.plan_version_id
      join price p on p.merchant_id = v.merchant_id and p.id = v.price_id and p.model = 'matrix'
     where s.merchant_id = merchant and s.id = of_subscription
  $$;
