-- Filters of the list of invoices (docs/decisions/0084): each is answered from an index.

/* Invoices that may be overdue: the few that money is asked for. */
create index invoice_unpaid on invoice (merchant_id, seq desc) include (due_at, clock_id)
  where status in ('ISSUED', 'PAYMENT_FAILED') and unpaid_amount > 0 and not lives_by_session;

/* The order of the list. Under row-level security numbers of type numeric are compared beside an index, not by it
   (their comparison is not leakproof): the total stands in the index, so that no row is read for it. */
drop index invoice_order;
create index invoice_order on invoice (merchant_id, seq desc) include (status, grand_total);

/* A whole number that grows with a number: what lies in a range has its key between the keys of its ends. */
create function range_key(value numeric) returns bigint language sql immutable strict parallel safe as $$
  select greatest(least(floor(value * 1000), 9e18), -9e18)::bigint
$$;

/* Invoices of a range are found and counted by these alone. Of an amount a whole number is compared, whose comparison is leakproof. */
alter table invoice add column grand_total_key bigint generated always as (range_key(grand_total)) stored;
create index invoice_by_issued_at on invoice (merchant_id, issued_at, seq) include (status, grand_total) where issued_at is not null;
create index invoice_by_due_at on invoice (merchant_id, due_at, seq) include (status, grand_total) where due_at is not null;
create index invoice_by_amount on invoice (merchant_id, grand_total_key, seq) include (grand_total, status);
