-- Billing credits: money before tax that pays lines of invoices (docs/decisions/0266-billing-credits.md).

/* A credit never changes, but is voided. What it has paid is the sum of its lines. */
create table billing_credit (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  customer_id text not null,
  subscription_id text,              -- null: all of the customer's on its clock
  invoice_id text,                   -- the invoice by which it was bought
  name text not null,
  amount numeric not null check (amount > 0),
  currency text not null,
  category text not null check (category in ('promotional', 'paid')),
  priority int not null,             -- the lowest burns first
  effective_at timestamptz not null,
  expires_at timestamptz check (expires_at > effective_at),
  voided_at timestamptz,
  applies_to jsonb not null,
  source text not null check (source in ('manual', 'purchase', 'commitment', 'top_up')),
  idempotency_key text,
  idempotency_print bytea,
  test_clock_id text,
  metadata jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);
call resource_table('billing_credit');
create index billing_credit_order on billing_credit (merchant_id, customer_id, seq desc);
create unique index billing_credit_key on billing_credit (merchant_id, customer_id, idempotency_key)
  where idempotency_key is not null;
create unique index billing_credit_of_invoice on billing_credit (merchant_id, invoice_id)
  where invoice_id is not null;

/* What takes of a credit. */
create index invoice_line_credit_use on invoice_line (merchant_id, (workings->'use'->>'billingCreditId'))
  where type = 'billing_credit';
