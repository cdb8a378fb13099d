-- Invoices of periods that are joined in one, for a customer that pays them all
-- (docs/decisions/0246-grouped-invoices.md).

alter table customer
  add column invoice_grouping text check (invoice_grouping in ('customer'));

alter table invoice
  -- the grouped invoice on which its lines stand
  add column grouped_into_id text,
  -- of a grouped invoice: its subscriptions with their names and subtotals, in the order of its lines
  add column sections jsonb not null default '[]',
  add foreign key (merchant_id, grouped_into_id) references invoice (merchant_id, id);

alter table invoice_line
  add column member_id text; -- on a grouped invoice: the invoice that it was calculated for
