-- Terms of trials (docs/decisions/0263-the-end-of-a-trial.md).

/* Is a payment method asked for before a trial begins? And what follows at its end where there is none? */
alter table plan_version
  add column trial_requires_payment_method boolean not null default false,
  add column trial_end_behavior text not null default 'invoice'
    check (trial_end_behavior in ('invoice', 'terminate', 'pause'));
