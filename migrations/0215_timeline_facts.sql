-- The timeline of a customer (docs/decisions/0242): what happened to it, found by customer and time. Webhook events are
-- stored for 30 days only, and payments, credit notes and the audit log cannot be read by customer and time.

create table timeline_fact (
  merchant_id text not null,
  customer_id text not null,
  kind text not null check (kind in ('invoice', 'creditNote', 'payment', 'wallet', 'subscription', 'entitlement',
    'alert', 'order', 'change', 'mail', 'webhook')),
  at timestamptz not null,      -- effective time of the record; wall time of changes by users
  seq bigint generated always as identity not null, -- the order of what happened at one instant
  id text not null,             -- of the record; with a word behind it where several things happened to one
  what text not null,           -- invoice.issued; of a change its operation
  resource_id text,             -- null: a change without a resource
  invoice_id text,
  amount numeric,               -- in major units of `currency`; of a grant in units, without a currency
  currency text,
  label text,                   -- a number or a name for people
  user_id text,                 -- of a change by a user
  primary key (merchant_id, customer_id, kind, at, seq)
);
call tenant_table('timeline_fact');

/* What each record tells of now. `source` is its table and `source_id` its id there. A planned end of a subscription
   is not in it: the subscription only knows the last one. */
create view timeline_of_outbox (
  merchant_id, source, source_id, seq, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label,
  user_id
) with (security_invoker = true) as
select o.merchant_id, 'outbox' as source, o.id as source_id, o.seq, o.data ->> 'customerId' as customer_id,
       case t.noun when 'grant' then 'entitlement' when 'payment_session' then 'payment' when 'customer' then 'change'
                   else t.noun end as kind,
       o.created_at as at, o.id, t.noun || '.' || split_part(o.type, '.', 2) as what, o.resource_id,
       coalesce(i.id, o.data ->> 'invoiceId') as invoice_id, coalesce(i.grand_total, nullif(p.amount, 0), g.amount) as amount,
       coalesce(i.currency, case when p.amount > 0 then p.currency end) as currency,
       coalesce(i.invoice_number, s.name, f.name, o.data ->> 'name') as label, null as user_id
  from outbox o
 cross join lateral (select split_part(o.type, '.', 1) as noun) t
  left join invoice i on t.noun = 'invoice' and i.merchant_id = o.merchant_id and i.id = o.resource_id
  left join subscription s on t.noun = 'subscription' and s.merchant_id = o.merchant_id and s.id = o.resource_id
  left join payment_session p on t.noun = 'payment_session' and p.merchant_id = o.merchant_id and p.id = o.resource_id
  left join entitlement_grant g on t.noun = 'grant' and g.merchant_id = o.merchant_id and g.id = o.resource_id
  left join entitlement e on t.noun in ('grant', 'entitlement') and e.merchant_id = o.merchant_id
                         and e.id = o.data ->> 'entitlementId'
  left join feature f on f.merchant_id = e.merchant_id and f.id = e.feature_id
 where t.noun in ('invoice', 'subscription', 'grant', 'entitlement', 'payment_session', 'customer', 'alert', 'order')
   and o.type <> 'subscription.updated.v0' and o.data ->> 'customerId' is not null;

create view timeline_of_subscription_change (
  merchant_id, source, source_id, seq, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label,
  user_id
) with (security_invoker = true) as
select c.merchant_id, 'subscription_change', c.id, c.seq, s.customer_id, 'subscription', c.effective_at, c.id,
       case when c.plan_version_id = c.from_plan_version_id then 'subscription.quantities_changed'
            else 'subscription.plan_changed' end,
       s.id, null, null::numeric, null, p.name, null
  from subscription_change c
  join subscription s on s.merchant_id = c.merchant_id and s.id = c.subscription_id
  join plan p on p.merchant_id = c.merchant_id and p.id = c.plan_id
 where c.status = 'applied';

create view timeline_of_credit_note (
  merchant_id, source, source_id, seq, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label,
  user_id
) with (security_invoker = true) as
select n.merchant_id, 'credit_note', n.id, n.seq, i.customer_id, 'creditNote', told.at, told.id, told.what, n.id, i.id, n.total,
       n.currency, n.number, null
  from credit_note n
  join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 cross join lateral (values (n.created_at, n.id, 'creditNote.issued'),
                            (n.voided_at, n.id || '_voided', 'creditNote.voided')) told (at, id, what)
 where told.at is not null;

create view timeline_of_payment_receipt (
  merchant_id, source, source_id, seq, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label,
  user_id
) with (security_invoker = true) as
select r.merchant_id, 'payment_receipt', r.id, r.seq, coalesce(i.customer_id, s.customer_id), 'payment', told.at, told.id,
       told.what, r.id, r.invoice_id, r.amount, r.currency, coalesce(r.card_brand, r.method), null
  from payment_receipt r
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
 cross join lateral (values (r.received_at, r.id, 'payment.received'),
                            (r.returned_at, r.id || '_returned', 'payment.returned')) told (at, id, what)
 where told.at is not null and coalesce(i.customer_id, s.customer_id) is not null;

create view timeline_of_ledger_entry (
  merchant_id, source, source_id, seq, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label,
  user_id
) with (security_invoker = true) as
select e.merchant_id, 'ledger_entry', e.transaction_id, e.seq, e.customer_id, 'wallet', t.created_at,
       t.id || '_' || e.position, 'wallet.' || replace(t.reason, 'wallet_', ''), t.id, t.invoice_id, -e.amount, e.currency, null, null
  from ledger_entry e
  join ledger_transaction t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
 where e.account = 'wallet';

create view timeline_of_audit_entry (
  merchant_id, source, source_id, seq, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label,
  user_id
) with (security_invoker = true) as
select a.merchant_id, 'audit_entry', a.id, a.seq, about.customer_id, 'change', a.at, a.id, a.operation, a.resource_id,
       case when a.resource_id like 'inv\_%' then a.resource_id else a.after ->> 'invoiceId' end, null::numeric, null, null, a.user_id
  from audit_entry a
 cross join lateral (
   select coalesce(
     a.customer_id, a.after ->> 'customerId', a.before ->> 'customerId',
     case 'customer' when a.after ->> 'object' then a.after ->> 'id' when a.before ->> 'object' then a.before ->> 'id' end,
     (select s.customer_id from subscription s
       where s.merchant_id = a.merchant_id and s.id = coalesce(a.after ->> 'subscriptionId', a.resource_id)),
     (select e.customer_id from entitlement e
       where e.merchant_id = a.merchant_id and e.id = coalesce(a.after ->> 'entitlementId', a.resource_id)),
     (select i.customer_id from invoice i
       where i.merchant_id = a.merchant_id and i.id = coalesce(a.after ->> 'invoiceId', a.resource_id))) as customer_id
 ) about
 where about.customer_id is not null;

create view timeline_of_mail (
  merchant_id, source, source_id, seq, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label,
  user_id
) with (security_invoker = true) as
select m.merchant_id, 'mail', m.id, m.seq, m.customer_id, 'mail', m.created_at, m.id, 'mail.' || m.status, m.id,
       case when m.about_id like 'inv\_%' then m.about_id end, null::numeric, null, m.kind, null
  from mail m;

create view timeline_of_webhook_delivery (
  merchant_id, source, source_id, seq, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label,
  user_id
) with (security_invoker = true) as
select d.merchant_id, 'webhook_delivery', d.event_id, d.seq, o.data ->> 'customerId', 'webhook', o.created_at,
       d.event_id || '_' || d.endpoint_id,
       case d.status when 'delivered' then 'webhook.delivered' else 'webhook.failed' end, d.event_id,
       o.data ->> 'invoiceId', null::numeric, null, o.type, null
  from webhook_delivery d
  join outbox o on o.merchant_id = d.merchant_id and o.id = d.event_id
 where d.status <> 'pending' and o.data ->> 'customerId' is not null;

create view timeline_source with (security_invoker = true) as
select * from timeline_of_outbox
union all
select * from timeline_of_subscription_change
union all
select * from timeline_of_credit_note
union all
select * from timeline_of_payment_receipt
union all
select * from timeline_of_ledger_entry
union all
select * from timeline_of_audit_entry
union all
select * from timeline_of_mail
union all
select * from timeline_of_webhook_delivery;

grant select on timeline_source, timeline_of_outbox, timeline_of_subscription_change, timeline_of_credit_note,
  timeline_of_payment_receipt, timeline_of_ledger_entry, timeline_of_audit_entry, timeline_of_mail,
  timeline_of_webhook_delivery
  to reckoner_app, reckoner_operator;

/* Of each source a function that writes what some records tell of, from the view of this source: a plan of all sources
   takes longer than all the rest of a payment.
   A mail and a webhook tell of one thing each, whose `what` changes. `is_new`: nothing was written of the records
   before. */
do $do$
declare
  source text;
begin
  foreach source in array array['outbox', 'subscription_change', 'credit_note', 'payment_receipt', 'ledger_entry',
    'audit_entry', 'mail', 'webhook_delivery']
  loop
    execute format($function$
create function keep_timeline_of_%1$s(merchants text[], ids text[], is_new boolean) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  as $$
begin
  if is_new then
    insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
      label, user_id)
    select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
      from timeline_of_%1$s s
     where s.merchant_id = any (merchants) and s.source_id = any (ids)
     order by s.at, s.seq;
    return;
  end if;
  insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
    label, user_id)
  select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
    from timeline_of_%1$s s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and not exists (
       select from timeline_fact f
        where f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
          and f.id = s.id)
   order by s.at, s.seq;
  update timeline_fact f set what = s.what
    from timeline_of_%1$s s
   where s.merchant_id = any (merchants) and s.source_id = any (ids)
     and f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind and f.at = s.at
     and f.id = s.id and f.what <> s.what;
end $$
    $function$, source);
  end loop;
end $do$;

create function keep_timeline_of_new() returns trigger language plpgsql as $$
begin
  execute format('select %I(array_agg(merchant_id), array_agg(id), true) from new_rows having count(*) > 0',
    'keep_timeline_of_' || tg_table_name);
  return null;
end $$;

/* Its arguments are the source and the column with its id: in a partition the table has another name. */
create function keep_timeline_of_row() returns trigger language plpgsql as $$
begin
  execute format('select %I($1, $2, $3)', 'keep_timeline_of_' || tg_argv[0])
    using array[new.merchant_id], array[to_jsonb(new) ->> tg_argv[1]], tg_op = 'INSERT';
  return null;
end $$;

do $$
declare
  source text;
begin
  foreach source in array array['outbox', 'subscription_change', 'credit_note', 'payment_receipt', 'audit_entry', 'mail']
  loop
    execute format('create trigger keep_timeline after insert on %I referencing new table as new_rows
                      for each statement execute function keep_timeline_of_new()', source);
  end loop;
end $$;
create trigger keep_timeline_of_changed after update of status on subscription_change
  for each row when (new.status is distinct from old.status)
  execute function keep_timeline_of_row('subscription_change', 'id');
create trigger keep_timeline_of_changed after update of voided_at on credit_note
  for each row when (new.voided_at is distinct from old.voided_at)
  execute function keep_timeline_of_row('credit_note', 'id');
create trigger keep_timeline_of_changed after update of returned_at on payment_receipt
  for each row when (new.returned_at is distinct from old.returned_at)
  execute function keep_timeline_of_row('payment_receipt', 'id');
create trigger keep_timeline_of_changed after update of status on mail
  for each row when (new.status is distinct from old.status)
  execute function keep_timeline_of_row('mail', 'id');
create trigger keep_timeline after insert on ledger_entry
  for each row when (new.account = 'wallet')
  execute function keep_timeline_of_row('ledger_entry', 'transaction_id');
create trigger keep_timeline_of_changed after update of status on webhook_delivery
  for each row when (new.status <> 'pending' and old.status = 'pending')
  execute function keep_timeline_of_row('webhook_delivery', 'event_id');

/* The end of a subscription that somebody plans, moves or withdraws. */
create function keep_timeline_of_end() returns trigger language plpgsql as $$
declare
  said_what text := case when new.ending_at is null then 'subscription.end_withdrawn' else 'subscription.end_scheduled' end;
  said_day text := to_char(new.ending_at at time zone 'UTC', 'YYYY-MM-DD');
  fact_id text := new.id || '_end_' || epoch_microseconds(new.updated_at);
begin
  update timeline_fact set what = said_what, label = said_day
   where merchant_id = new.merchant_id and customer_id = new.customer_id and kind = 'subscription'
     and at = new.updated_at and id = fact_id;
  if not found then
    insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, label)
    values (new.merchant_id, new.customer_id, 'subscription', new.updated_at, fact_id, said_what, new.id, said_day);
  end if;
  return null;
end $$;
create trigger keep_timeline_of_end after update of ending_at on subscription
  for each row when (new.ending_at is distinct from old.ending_at and new.terminated_at is null)
  execute function keep_timeline_of_end();

/* What happened before. Events of the last 30 days are stored. Of earlier ones these times are. */
insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
  label, user_id)
select merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label, user_id
  from timeline_source order by at, seq;

insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency,
  label)
select i.merchant_id, i.customer_id, 'invoice', told.at, i.id || told.suffix, told.what, i.id, i.id, i.grand_total,
       i.currency, i.invoice_number
  from invoice i
 cross join lateral (values (i.issued_at, '_issued', 'invoice.issued'), (i.overdue_at, '_overdue', 'invoice.overdue'),
                            (i.paid_at, '_paid', 'invoice.paid')) told (at, suffix, what)
 where told.at is not null
   and not exists (select from outbox o where o.merchant_id = i.merchant_id and o.resource_id = i.id
                      and o.type = told.what || '.v0');

insert into timeline_fact (merchant_id, customer_id, kind, at, id, what, resource_id, label)
select s.merchant_id, s.customer_id, 'subscription', told.at, s.id || told.suffix, told.what, s.id, s.name
  from subscription s
 cross join lateral (values (s.created_at, '_created', 'subscription.created'),
                            (s.activated_at, '_activated', 'subscription.activated'),
                            (s.terminated_at, '_terminated', 'subscription.terminated')) told (at, suffix, what)
 where told.at is not null
   and not exists (select from outbox o where o.merchant_id = s.merchant_id and o.resource_id = s.id
                      and o.type = told.what || '.v0');
