-- A report of the past keeps the unit cost that held then (docs/decisions/0182): a cost has the newest one, and a row
-- here for each one before it.
create table earlier_unit_cost (
  merchant_id text not null,
  cost_id text not null,
  until timestamptz not null, -- the first instant at which it no longer held
  unit_cost numeric not null check (unit_cost >= 0),
  primary key (merchant_id, cost_id, until),
  foreign key (merchant_id, cost_id) references cost (merchant_id, id)
);
call tenant_table('earlier_unit_cost');
