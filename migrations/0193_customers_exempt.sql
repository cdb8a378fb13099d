-- A customer can be exempt from tax, whatever it buys, and its documents say why
-- (docs/decisions/0214-exempt-customers.md).
alter table customer
  add column tax_exempt boolean not null default false,
  add column tax_exempt_reason text check (length(tax_exempt_reason) between 1 and 500);
