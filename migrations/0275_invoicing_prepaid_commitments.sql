-- Prepaid commitments: dates that ask money, and the billing credits of segments
-- (docs/decisions/0267-prepaid-commitments.md).

/* Background jobs ask dates, carry credits over and follow ends. */
alter table commitment
  add column invoice_at jsonb,       -- "start", or dates with their amounts; null: postpaid
  add column available_on text check (available_on in ('issue', 'payment')),
  add column rollover jsonb,
  add column next_action_at timestamptz;
alter table commitment rename column test_clock_id to clock_id;
call due_table('commitment', 'commitment');

/* A date of a prepaid commitment asks once. */
create table commitment_date (
  merchant_id text not null,
  commitment_id text not null,
  place int not null,                -- counted from 0; behind the agreed ones: what an early end asks
  invoice_id text not null,
  created_at timestamptz not null,
  primary key (merchant_id, commitment_id, place)
);
call tenant_table('commitment_date');
create unique index commitment_date_of_invoice on commitment_date (merchant_id, invoice_id);

/* What a commitment makes; of several credits of one invoice each is of another segment. */
alter table billing_credit
  add column commitment_id text,
  add column segment int,            -- of the commitment, counted from 0
  add column rolled_from text,       -- the credit whose rest it carries over
  add column released numeric check (released >= 0); -- what went on to another credit, or back; null: not decided
create index billing_credit_of_commitment on billing_credit (merchant_id, commitment_id, segment, seq)
  where commitment_id is not null;
create unique index billing_credit_of_segment on billing_credit (merchant_id, commitment_id, segment, invoice_id)
  where commitment_id is not null and rolled_from is null and not is_undone;
create unique index billing_credit_rolled on billing_credit (merchant_id, rolled_from) where rolled_from is not null;

/* The balance of its customer, and what it earned. */
create function wake_credits_of_credit() returns trigger language plpgsql as $$
begin
  perform wake_credits(new.merchant_id, array[new.customer_id]);
  return null;
end $$;
create trigger wake_credits after update of voided_at, is_undone, released on billing_credit
  for each row execute function wake_credits_of_credit();
