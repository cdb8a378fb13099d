-- Postpaid commitments of all subscriptions of a customer
-- (docs/decisions/0275-commitments-of-several-subscriptions.md).

/* When a commitment looks at what is missing, and which of its segments are settled. Its job comes after that of
   invoices, so that those which end with a segment are calculated. */
create table true_up_watch (
  merchant_id text not null,
  id text not null,                  -- the commitment
  clock_id text,
  settled int not null default 0,    -- segments before this place are asked no more
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references commitment (merchant_id, id)
);
call tenant_table('true_up_watch');
call due_table('true_up_watch', 'true_up_watch');

/* What a commitment asks by invoices of its own: each time once. */
create table commitment_true_up (
  merchant_id text not null,
  commitment_id text not null,
  segment int not null,              -- counted from 0
  number int not null,               -- counted from 0: more may come to be missing
  invoice_id text not null,
  created_at timestamptz not null,
  primary key (merchant_id, commitment_id, segment, number)
);
call tenant_table('commitment_true_up');
create unique index commitment_true_up_of_invoice on commitment_true_up (merchant_id, invoice_id);
