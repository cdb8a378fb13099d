-- Prices in several currencies (docs/decisions/0258-currencies-of-prices.md).

alter table price add column currency_prices jsonb not null default '{}'; -- properties and bounds, by currency

alter table plan_version add column currency_minimums jsonb not null default '{}'; -- amounts, by currency

/* Null: that of its plan. Subscriptions of older programs have none, until their plan changes. */
alter table subscription add column currency text;

alter table checkout_link add column currency text;
update checkout_link l set currency = p.currency from plan p where p.merchant_id = l.merchant_id and p.id = l.plan_id;

/* A link that names no currency has the one of its plan. */
create function currency_of_link() returns trigger language plpgsql as $$
begin
  select currency into new.currency from plan where merchant_id = new.merchant_id and id = new.plan_id;
  return new;
end $$;
create trigger own_currency before insert on checkout_link
  for each row when (new.currency is null) execute function currency_of_link();
