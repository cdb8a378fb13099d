-- Tax that a provider outside our database calculates and records (docs/decisions/0116, 0117).

/* What the provider has recorded: `provider`, `estimatedTax`, `actualTax`, `reconciledAt`, and `permalink` and `pdfUrl` of
   its own document. Null: our own rates, or nothing to record. */
alter table invoice add column outside_tax jsonb;
/* `reference`, and `permalink` and `pdfUrl` of its own document. */
alter table credit_note add column outside_tax jsonb;

/* What the merchant's tax provider has said of an address: `address`, `message` (null: there is a rate for it), `checkedAt`.
   It holds while the customer has this address. */
alter table customer add column tax_verdict jsonb;

/* A calculation that is asked of a provider, and its answer. The print is a hash of the request: who asks the same for the
   same invoice finds the answer. */
create table tax_quote (
  merchant_id text not null,
  seq bigint generated always as identity,
  invoice_id text,                       -- null: a request waits for it, whose invoice is not made yet
  print text not null,
  provider text not null check (provider in ('stripe_tax')),
  request jsonb not null,
  answer jsonb,                          -- null: none yet
  created_at timestamptz not null,
  primary key (merchant_id, seq)
);
call tenant_table('tax_quote');
create unique index tax_quote_of_invoice on tax_quote (merchant_id, invoice_id, print) where invoice_id is not null;
create index tax_quote_waiting on tax_quote (merchant_id, print) where invoice_id is null;
revoke delete on tax_quote from reckoner_app;

/* What a provider is to record, each once: the sale of an invoice, what its credit lines take off that, a credit note, and
   that a credit note is void. The id is the key at the provider. */
create table tax_record (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  invoice_id text not null,
  credit_note_id text,
  kind text not null check (kind in ('invoice', 'credits', 'credit_note', 'void')),
  after_id text,                         -- the record that it takes back
  provider text not null check (provider in ('stripe_tax')),
  currency text not null,
  net numeric not null,                  -- as we have billed it; below 0 where something is taken back
  tax numeric not null,
  status text not null check (status in ('waiting', 'sent', 'done', 'failed')),
  look_ups int not null default 0,
  reference text,                        -- the provider's id
  recorded_tax numeric,                  -- as the provider has recorded it
  problem text,                          -- why it is not done, in words
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
create unique index tax_record_of_note on tax_record (merchant_id, credit_note_id, kind) where credit_note_id is not null;
create index tax_record_after on tax_record (merchant_id, after_id) where after_id is not null;
create index tax_record_of_invoice on tax_record (merchant_id, invoice_id);
create unique index tax_record_reference on tax_record (merchant_id, provider, reference) where reference is not null;
revoke delete on tax_record from reckoner_app;
