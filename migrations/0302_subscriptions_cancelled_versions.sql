-- why: An invoice that billed ahead for a change which was cancelled since is recalculated with the version of then.
-- Older programs would bill a cancelled version.
-- Oldest program: 0302_subscriptions_cancelled_versions.
alter table subscription_version
  add column cancelled boolean not null default false; -- its change is not coming; only invoices of before knew it

create or replace function plan_at(merchant text, subscription text, instant timestamptz) returns text
  language sql stable parallel safe as $$
  select coalesce(
    (select v.plan_id from subscription_version v
      where v.merchant_id = merchant and v.subscription_id = subscription and not v.cancelled
      order by v.holds_from <= instant desc,
               case when v.holds_from <= instant then v.holds_from end desc,
               case when v.holds_from <= instant then v.seq end desc,
               v.holds_from, v.seq
      limit 1),
    (select s.plan_id from subscription s where s.merchant_id = merchant and s.id = subscription))
$$;
