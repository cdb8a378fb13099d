-- Pauses of a subscription (docs/decisions/0259-a-pause-is-a-mark-on-versions.md).

/* All of them in the order of time, as `Pause` in src/invoicing/terms/billing-terms.ts: few, and read with the row. */
alter table subscription add column pauses jsonb not null default '[]';

/* Was the version to come later than it was asked for? In a pause such a version waits for the resumption. */
alter table subscription_version add column waits boolean not null default false;
update subscription_version v set waits = true
  from subscription_change c
 where c.merchant_id = v.merchant_id and c.id = v.change_id and c.status = 'scheduled';
