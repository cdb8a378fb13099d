-- A subscription holds a quantity for each fee price of its version. Stored is what differs from the price's own quantity,
-- {price id: integer}; a price that is in use never changes its own, so what is not stored is known.

alter table subscription add column quantities jsonb not null default '{}';
/* Which quantities held with which version, and since when. */
alter table subscription_version add column quantities jsonb not null default '{}';
/* What a change brings. */
alter table subscription_change add column quantities jsonb not null default '{}';
