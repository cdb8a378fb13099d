-- A plan version may hold a commitment: what the charges of a period of the plan come to at least, all its prices together.

alter table plan_version add column minimum_amount numeric check (minimum_amount >= 0); -- null: none
