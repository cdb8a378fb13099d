-- Prepaid commitments of all subscriptions of a customer (docs/decisions/0267-prepaid-commitments.md).

/* Null: of all of the customer's subscriptions on its clock. */
alter table commitment alter column subscription_id drop not null;
