-- Subscriptions whose spending counts for a commitment (docs/decisions/0268-commitments-over-a-term.md).

/* The invoices of all others need no question about commitments. */
alter table subscription add column is_committed boolean not null default false;
