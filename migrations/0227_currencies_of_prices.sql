-- Prices in several currencies (docs/decisions/0258-currencies-of-prices.md).

alter table price add column currency_prices jsonb not null default '{}'; -- properties and bounds, by currency

alter table plan_version add column currency_minimums jsonb not null default '{}'; -- amounts, by currency

/* Null: that of its plan. Subscriptions of older programs have none, until their plan changes. */
alter table subscription add column currency text;

alter table checkout_link add column currency text; -- null: that of the plan
