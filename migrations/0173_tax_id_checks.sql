-- What is known of the tax id of each customer (docs/decisions/0112): one row for each customer that has one.

create table tax_id_check (
  merchant_id text not null,
  id text not null,                        -- the customer's
  tax_id text,                             -- what was checked; null: nothing yet
  country text,                            -- the country of the address for which it was checked
  status text not null check (status in ('valid', 'invalid', 'unchecked')),
  reason text,                             -- why it is not valid, as a sentence
  name text,                               -- whose number it is, as the register says
  address text,
  checked_at timestamptz,                  -- when the check digits or a register last gave an answer
  attempts int not null default 0,         -- calls to the register since its last answer
  clock_id text check (clock_id is null),  -- registers know no test clocks
  next_action_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references customer (merchant_id, id),
  check (status = 'unchecked' or checked_at is not null)
);
call tenant_table('tax_id_check');
call due_table('tax_id_check', 'tax_id_check');

/* Ids from before are looked at once. */
insert into tax_id_check (merchant_id, id, status, next_action_at, created_at, updated_at)
select customer.merchant_id, customer.id, 'unchecked', now(), now(), now()
  from customer
  join organization on organization.merchant_id = customer.merchant_id and organization.id = customer.consumer_id
 where customer.deleted_at is null and coalesce(customer.tax_id, organization.tax_id) is not null;
