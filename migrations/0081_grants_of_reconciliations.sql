-- What a reconciliation grants of a raised or voided allowance is the plan's, and no reset issued it.

alter table entitlement_grant drop constraint entitlement_grant_origin_check;
alter table entitlement_grant add constraint entitlement_grant_origin_check
  check (origin in ('direct', 'purchase', 'template', 'reconciliation'));
