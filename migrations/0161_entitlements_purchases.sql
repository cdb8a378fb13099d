-- A retried purchase is compared by the values of its amount and price (domain.md §5), not by all that was sent.
alter table grant_purchase drop column idempotency_print;
