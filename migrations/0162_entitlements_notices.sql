-- Notices of balances follow the events of every process, as alerts do: whose balance is to be looked at is asked by
-- customer, and whether anybody has a balance at all.
create index entitlement_metered on entitlement (merchant_id, customer_id) where feature_type = 'metered';
