-- Units in which quantities and prices are shown (docs/decisions/0258-currencies-of-prices.md).

/* {per, name}; null: one unit. Of a price before its metric. */
alter table billable_metric add column display_unit jsonb;
alter table price add column display_unit jsonb;
