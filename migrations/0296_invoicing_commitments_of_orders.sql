-- Commitments of an order, and the subscriptions that are of one (docs/decisions/0284-commitments-of-orders.md).

/* Which order a subscription was made for. It never changes, so what an order counts does not depend on the day. */
alter table subscription add column order_id text,
  add foreign key (merchant_id, order_id) references sales_order (merchant_id, id);
create index subscription_of_order on subscription (merchant_id, order_id) where order_id is not null;

/* Its spending counts: that of the subscriptions of the order. */
alter table commitment add column order_id text,
  add foreign key (merchant_id, order_id) references sales_order (merchant_id, id),
  add check (num_nonnulls(order_id, subscription_id) < 2);
create index commitment_of_order on commitment (merchant_id, order_id) where order_id is not null;

/* The credits that it makes pay those subscriptions alone. */
alter table billing_credit add column order_id text;
