-- Negotiated prices of a subscription (docs/decisions/0255-commercial-models-in-the-history.md).

alter table subscription add column price_overrides jsonb not null default '[]'; -- that hold now and later

/* Null: those of the version before, as far as this one holds their prices. */
alter table subscription_version add column price_overrides jsonb;

alter table subscription_change
  add column price_overrides jsonb, -- null: it says nothing of them
  add column dropped_price_overrides jsonb not null default '[]';

/* As in 0215_timeline_facts.sql, with changes of negotiated prices. */
create or replace view timeline_of_subscription_change (
  merchant_id, source, source_id, seq, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label,
  user_id
) with (security_invoker = true) as
select c.merchant_id, 'subscription_change', c.id, c.seq, s.customer_id, 'subscription', c.effective_at, c.id,
       case when c.plan_version_id <> c.from_plan_version_id then 'subscription.plan_changed'
            when c.price_overrides is not null then 'subscription.prices_changed'
            else 'subscription.quantities_changed' end,
       s.id, null, null::numeric, null, p.name, null
  from subscription_change c
  join subscription s on s.merchant_id = c.merchant_id and s.id = c.subscription_id
  join plan p on p.merchant_id = c.merchant_id and p.id = c.plan_id
 where c.status = 'applied';
