-- Whose an entry of the audit log is, is found by ids (docs/decisions/0288-conditions-that-indexes-serve.md).

/* As in 0215_timeline_facts.sql. `offset 0` keeps the expressions out of the conditions, which no index would serve
   under row-level security: an entry about no customer read all invoices of the merchant. */
create or replace view timeline_of_audit_entry (
  merchant_id, source, source_id, seq, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label,
  user_id
) with (security_invoker = true) as
select a.merchant_id, 'audit_entry', a.id, a.seq, about.customer_id, 'change', a.at, a.id, a.operation, a.resource_id,
       case when a.resource_id like 'inv\_%' then a.resource_id else a.after ->> 'invoiceId' end,
       null::numeric, null, null, a.user_id
  from audit_entry a
 cross join lateral (
   select coalesce(a.after ->> 'subscriptionId', a.resource_id) as subscription_id,
          coalesce(a.after ->> 'entitlementId', a.resource_id) as entitlement_id,
          coalesce(a.after ->> 'invoiceId', a.resource_id) as invoice_id
   offset 0) named
 cross join lateral (
   select coalesce(
     a.customer_id, a.after ->> 'customerId', a.before ->> 'customerId',
     case 'customer' when a.after ->> 'object' then a.after ->> 'id'
                     when a.before ->> 'object' then a.before ->> 'id' end,
     (select s.customer_id from subscription s
       where s.merchant_id = a.merchant_id and s.id = named.subscription_id),
     (select e.customer_id from entitlement e
       where e.merchant_id = a.merchant_id and e.id = named.entitlement_id),
     (select i.customer_id from invoice i
       where i.merchant_id = a.merchant_id and i.id = named.invoice_id)) as customer_id
 ) about
 where about.customer_id is not null;
