-- Agreed prices of commitments (docs/decisions/0275-commitments-of-several-subscriptions.md).

/* They hold for the subscriptions of the commitment while it does, where a subscription has none of its own. */
alter table commitment add column overrides jsonb not null default '[]';
create index commitment_agreed on commitment (merchant_id, customer_id) where overrides <> '[]';
