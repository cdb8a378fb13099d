-- Commitments of customers over a term (docs/decisions/0268-commitments-over-a-term.md).

/* What a commitment has asked is the sum of its lines. */
create table commitment (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  customer_id text not null,
  subscription_id text not null,     -- whose spending counts
  name text not null,
  currency text not null,
  type text not null check (type in ('prepaid', 'postpaid')),
  segments jsonb not null,           -- in the order of time, without gaps
  applies_to jsonb not null,
  priority int not null,             -- spending counts for the lowest first
  true_up text check (true_up in ('segment', 'term')),
  on_end text not null check (on_end in ('owed', 'prorated', 'waived')),
  ended_at timestamptz,              -- when a person ended it
  end_reason text,
  test_clock_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);
call resource_table('commitment');
create index commitment_order on commitment (merchant_id, seq desc);
create index commitment_all on commitment (seq desc); -- for operators
create index commitment_of_customer on commitment (merchant_id, customer_id, seq desc);
create index commitment_of_subscription on commitment (merchant_id, subscription_id, priority, seq);

/* What commitments have asked. */
create index invoice_line_true_up on invoice_line (merchant_id, (workings->'trueUp'->>'commitmentId'))
  where type = 'true_up';
