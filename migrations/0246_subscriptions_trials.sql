-- Trials of subscriptions (docs/decisions/0263-the-end-of-a-trial.md).

/* When the trial ends or ended; null: there is none. Billing starts then, or later after a pause. */
alter table subscription add column trial_end timestamptz;
update subscription set trial_end = billing_starts_at where billing_starts_at > started_at;

/* The ends that the merchant was told of, each once. */
alter table subscription add column trial_ends_told jsonb not null default '[]';

/* Processes of older programs make subscriptions during an upgrade, too. */
create function trial_of_subscription() returns trigger language plpgsql as $$
begin
  new.trial_end := new.billing_starts_at;
  return new;
end $$;
create trigger own_trial before insert on subscription
  for each row when (new.trial_end is null and new.billing_starts_at > new.started_at)
  execute function trial_of_subscription();
