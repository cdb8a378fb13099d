-- The last invoice of an ended plan that has no line is cancelled by the calculation, in the same transaction as the
-- moves before it (domain.md §4, row 11; docs/decisions/0217): these passages end there.
insert into invoice_edge values
  ('ACTIVE', 'CANCELLED'), ('CLOSING', 'CANCELLED'), ('CLOSED', 'CANCELLED'), ('CALCULATING', 'CANCELLED');
