-- Invoices, their lines, the usage that they bill, numbers, credit notes and documents (§2, §3; domain.md §4).

/* The legal moves between states, the same edges as the table in src/invoicing/invoice/states.ts and the passages through
   several states in one transaction that stand there (a test holds them equal). */
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
  billing_cadence text not null,         -- normalised, so that P12M and P1Y are one series
  billing_anchor timestamptz not null,
  period_number int not null,            -- counted from the anchor
  period_start timestamptz not null,
  period_end timestamptz not null,
  grace_period_end timestamptz not null,
  sequence_number int not null,
  auto_approve boolean not null,
  payment_term_days int not null,
  terms jsonb,                           -- what was frozen for the calculation: prices' tax rates, tax behaviour
  subtotal numeric not null default 0,
  total_tax numeric not null default 0,
  grand_total numeric not null default 0,
  paid_amount numeric not null default 0,
  unpaid_amount numeric generated always as (grand_total - paid_amount) stored,
  wallet_applied numeric not null default 0,
  item_count int not null default 0,
  taxes jsonb not null default '[]',
  snapshot_hash text,
  invoice_number text,
  seller jsonb,                          -- the parties as they were when it was issued
  buyer jsonb,
  issued_at timestamptz,
  due_at timestamptz,
  paid_at timestamptz,
  overdue_at timestamptz,                -- when invoice.overdue.v0 was written
  failure_reason text,
  failure_detail text,                   -- what was thrown, for operators; never answered
  calculation_attempts int not null default 0,
  usage_mark bigint,                     -- up to which event, in the order of acceptance, its usage was read
  payment_in_flight boolean not null default false,
  pays_online boolean not null default false, -- decided at issue: it may be paid through a payment session
  document_failure text,
  metadata jsonb not null default '{}',
  next_action_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  check (period_start <= period_end and period_end <= grace_period_end),
  check (subtotal + total_tax = grand_total),
  check (paid_amount >= 0 and paid_amount <= grand_total),
  check ((invoice_number is null) = (issued_at is null))
);
call resource_table('invoice');
call due_table('invoice', 'invoice');
create unique index invoice_period on invoice (merchant_id, subscription_id, billing_cadence, period_start) where kind = 'subscription';
create unique index invoice_number on invoice (merchant_id, invoice_number) where invoice_number is not null;
create index invoice_order on invoice (merchant_id, seq desc);
create index invoice_subscription on invoice (merchant_id, subscription_id, seq desc);
create index invoice_customer on invoice (merchant_id, customer_id, seq desc);
create index invoice_status on invoice (merchant_id, status, seq desc);

create table invoice_line (
  merchant_id text not null,
  invoice_id text not null,
  id text not null,
  position int not null,
  event_type text not null check (event_type in ('usage', 'fee', 'discount')),
  line_item_type text not null check (line_item_type in ('charge', 'refund')),
  type text not null,
  price_id text,
  billable_metric_id text,
  fee_id text,
  item_id text,
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
  group_key text not null,               -- canonical JSON of the group, '' where there is none
  group_values jsonb not null,
  quantity numeric not null,
  event_count int not null,
  primary key (merchant_id, invoice_id, price_id, group_key),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id)
);
call tenant_table('invoice_usage');

/* Gapless numbers: drawn only inside the transaction that issues, so a rollback leaves no hole. */
create table merchant_counter (
  merchant_id text not null,
  series text not null check (series in ('invoice', 'credit_note')),
  value bigint not null,
  primary key (merchant_id, series)
);
call tenant_table('merchant_counter');

create table credit_note (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  kind text not null check (kind in ('refund', 'cancellation')),
  invoice_id text not null,
  number text not null,
  amount numeric not null,
  tax_amount numeric not null,
  total numeric not null,
  currency text not null,
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
create unique index one_unvoided_credit_note on credit_note (merchant_id, invoice_id) where status = 'ISSUED';

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

/* The second lock behind the state table, and the wall around issued invoices: no line, amount, number or date of theirs
   ever changes (domain.md §4). */
create function guard_invoice() returns trigger language plpgsql as $$
begin
  if new.status <> old.status
     and not exists (select from invoice_edge where from_status = old.status and to_status = new.status) then
    raise exception 'invoice % cannot go from % to %', old.id, old.status, new.status;
  end if;
  if old.issued_at is not null and
     (new.invoice_number, new.issued_at, new.due_at, new.subtotal, new.total_tax, new.grand_total, new.currency, new.customer_id,
      new.period_start, new.period_end, new.seller, new.buyer, new.taxes, new.item_count, new.payment_term_days, new.snapshot_hash)
     is distinct from
     (old.invoice_number, old.issued_at, old.due_at, old.subtotal, old.total_tax, old.grand_total, old.currency, old.customer_id,
      old.period_start, old.period_end, old.seller, old.buyer, old.taxes, old.item_count, old.payment_term_days, old.snapshot_hash) then
    raise exception 'invoice % is issued and does not change; it is credited', old.id;
  end if;
  if new.paid_amount < old.paid_amount then
    raise exception 'the paid amount of invoice % does not fall', old.id;
  end if;
  return new;
end $$;
create trigger guard before update on invoice for each row execute function guard_invoice();

create function guard_issued_rows() returns trigger language plpgsql as $$
declare
  touched record;
begin
  if tg_op = 'INSERT' then touched := new; else touched := old; end if;
  if exists (select from invoice where merchant_id = touched.merchant_id and id = touched.invoice_id and issued_at is not null) then
    raise exception 'invoice % is issued; its lines and quantities do not change', touched.invoice_id;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger guard before insert or update or delete on invoice_line for each row execute function guard_issued_rows();
create trigger guard before insert or update or delete on invoice_usage for each row execute function guard_issued_rows();

create function guard_issued_invoice() returns trigger language plpgsql as $$
begin
  if old.issued_at is not null then raise exception 'invoice % is issued and is never deleted', old.id; end if;
  return old;
end $$;
create trigger guard_delete before delete on invoice for each row execute function guard_issued_invoice();

/* When a document is due that is ordered at an effective time: documents are made in wall time, and no test clock waits for them. */
create function document_due(merchant text, clock text, at timestamptz) returns timestamptz
  language sql stable
  as $$
    select coalesce((select updated_at from test_clock where merchant_id = merchant and id = clock), at)
  $$;

/* The job that renders a document after issue. */
create table document_job (
  merchant_id text not null,
  id text not null,
  clock_id text check (clock_id is null),
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references invoice (merchant_id, id)
);
call tenant_table('document_job');
call due_table('invoice_document', 'document_job');
