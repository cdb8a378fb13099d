-- What usage comes to for a price on each event by itself
-- (docs/decisions/0257-prices-on-each-event-and-figures-over-time.md).

alter table invoice_usage
  add column of_each numeric, -- at the price that was billed; null: the price is not on each event
  add column of_each_at_list numeric; -- at the price of the catalog, where a negotiated one was billed
