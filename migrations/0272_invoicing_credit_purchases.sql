-- Billing credits that are bought, topped up automatically, and watched (docs/decisions/0274-paid-billing-credits.md).

/* What was paid for a credit is a liability until the credit is used, expires or is void. `earned` is what of it is
   revenue by now; of one that was undone, because its invoice was credited or its payment came back, nothing is. */
alter table billing_credit
  add column earned numeric not null default 0,
  add column is_undone boolean not null default false,
  add column is_expiry_told boolean not null default false;
/* An invoice has made one credit that is not undone. */
drop index billing_credit_of_invoice;
create unique index billing_credit_of_invoice on billing_credit (merchant_id, invoice_id)
  where source in ('purchase', 'top_up') and not is_undone;
create index billing_credit_invoice on billing_credit (merchant_id, invoice_id) where invoice_id is not null;

create index invoice_line_ahead on invoice_line (merchant_id, invoice_id)
  where type in ('wallet_top_up', 'credit_purchase', 'prepayment');
/* The part of a credit note over a part that takes back a purchase of credits. */
alter table credit_note add column advanced numeric not null default 0;

alter table ledger_entry drop constraint ledger_entry_account_check;
alter table ledger_entry add constraint ledger_entry_account_check check (account in
  ('receivable', 'owed_again', 'to_collect', 'wallet', 'unapplied', 'top_ups_due', 'deferred_credits', 'cash',
   'revenue', 'tax', 'refunds_payable', 'write_off', 'disputes', 'returned_outside')) not valid;
alter table ledger_entry drop constraint ledger_entry_check;
alter table ledger_entry add constraint ledger_entry_check check (
  (account in ('receivable', 'owed_again', 'to_collect', 'wallet', 'unapplied', 'top_ups_due', 'deferred_credits'))
  = (customer_id is not null)) not valid;

/* The credits of a customer in one currency, on one clock: looked at after usage, and when lines or credits change. */
create table credit_watch (
  merchant_id text not null,
  id text not null,                  -- the customer, the currency and the clock
  customer_id text not null,
  currency text not null,
  clock_id text,
  is_low boolean not null default false,
  is_exhausted boolean not null default false,
  looked_at timestamptz not null,    -- effective now of the last look
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id)
);
call tenant_table('credit_watch');
call due_table('credit_watch', 'credit_watch');
create index credit_watch_of_customer on credit_watch (merchant_id, customer_id);

/* Tops up the credits of a customer by its stored card. */
create table credit_top_up (
  merchant_id text not null,
  customer_id text not null,
  currency text not null,
  threshold numeric not null check (threshold >= 0),
  amount numeric not null check (amount > 0),
  expires_after text,
  maximum_per_month int check (maximum_per_month > 0),
  status text not null check (status in ('active', 'paused')),
  declines int not null,
  clock_id text,
  invoice_id text,                   -- the top-up that is being paid: one at a time
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, customer_id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id)
);
call tenant_table('credit_top_up');

/* What credits no longer give access to: all metered features of a subscription, or those of one metric. */
create table exhausted_credit (
  merchant_id text not null,
  customer_id text not null,         -- of the subscription
  subscription_id text not null,
  billable_metric_id text not null,  -- '': all
  primary key (merchant_id, customer_id, subscription_id, billable_metric_id)
);
call tenant_table('exhausted_credit');

/* Its metered features give access only while there are credits. */
alter table subscription add column credits_required boolean not null default false;
create index subscription_requiring_credits on subscription (merchant_id, customer_id) where credits_required;

/* Makes the watches of some customers due at their own time. */
create function wake_credits(merchant text, customers text[]) returns void language plpgsql as $$
begin
  update credit_watch w
     set next_action_at = t.due_at
    from (select v.id, coalesce((select c.clock_time from test_clock c
                                  where c.merchant_id = v.merchant_id and c.id = v.clock_id), v.looked_at) as due_at
            from credit_watch v where v.merchant_id = merchant and v.customer_id = any (customers)
           order by v.id for no key update) t
   where w.merchant_id = merchant and w.id = t.id and (w.next_action_at is null or w.next_action_at > t.due_at);
end $$;

/* The customers among some, and those who pay for them, whose credits are watched. */
create function watched_customers(merchants text[], customers text[])
  returns table (merchant_id text, customer_id text)
  language sql stable
  as $$
    select distinct w.merchant_id, w.customer_id
      from unnest(merchants, customers) q (merchant_id, customer_id)
      join customer c on c.merchant_id = q.merchant_id and c.id = q.customer_id
      join credit_watch w on w.merchant_id = c.merchant_id and w.customer_id in (c.id, c.payer_id)
  $$;

/* The customer of a line that uses a credit, and who has that credit. */
create function wake_credits_of_line() returns trigger language plpgsql as $$
begin
  perform wake_credits(new.merchant_id, array[b.customer_id]) from billing_credit b
    where b.merchant_id = new.merchant_id and b.id = new.workings->'use'->>'billingCreditId';
  return null;
end $$;
create trigger wake_credits after insert on invoice_line
  for each row when (new.type = 'billing_credit') execute function wake_credits_of_line();

/* Credit notes give back; a cancelled invoice used nothing. */
create function wake_credits_of_invoice(merchant text, invoice text) returns void language sql as $$
  select wake_credits(merchant, array_agg(distinct b.customer_id))
    from invoice_line l
    join billing_credit b on b.merchant_id = l.merchant_id and b.id = l.workings->'use'->>'billingCreditId'
   where l.merchant_id = merchant and l.invoice_id = invoice and l.type = 'billing_credit'
  having count(*) > 0
$$;
create function wake_credits_of_note() returns trigger language plpgsql as $$
begin
  perform wake_credits_of_invoice(new.merchant_id, new.invoice_id);
  return null;
end $$;
create trigger wake_credits_by_insert after insert on credit_note for each row execute function wake_credits_of_note();
create trigger wake_credits_by_update after update of status on credit_note
  for each row execute function wake_credits_of_note();
create function wake_credits_of_cancelled() returns trigger language plpgsql as $$
begin
  perform wake_credits_of_invoice(new.merchant_id, new.id);
  return null;
end $$;
create trigger wake_credits_by_end after update on invoice
  for each row when (new.status in ('CANCELLED', 'FAILED') and new.status is distinct from old.status)
  execute function wake_credits_of_cancelled();

/* Fees of a new period, and of changed terms. */
create function wake_credits_of_new_periods() returns trigger language plpgsql as $$
begin
  perform wake_credits(w.merchant_id, array_agg(distinct w.customer_id))
     from opened n
     join customer c on c.merchant_id = n.merchant_id and c.id = n.customer_id
     join credit_watch w on w.merchant_id = n.merchant_id and w.customer_id in (c.id, c.payer_id)
    where n.kind = 'subscription' group by w.merchant_id;
  return null;
end $$;
create trigger wake_credits_by_insert after insert on invoice referencing new table as opened
  for each statement execute function wake_credits_of_new_periods();
create function wake_credits_of_version() returns trigger language plpgsql as $$
begin
  perform wake_credits(s.merchant_id, array[c.id, coalesce(c.payer_id, c.id)])
     from subscription s join customer c on c.merchant_id = s.merchant_id and c.id = s.customer_id
    where s.merchant_id = new.merchant_id and s.id = new.subscription_id;
  return null;
end $$;
create trigger wake_credits after insert on subscription_version
  for each row execute function wake_credits_of_version();

/* As in 0270_invoicing_reissues.sql; money for credits is revenue as they are used. */
create or replace view revenue_source with (security_invoker = true) as
select i.merchant_id, i.id, 'invoice' as kind,
       case i.status when 'PAID' then 'paid' when 'WRITTEN_OFF' then 'written_off' else 'outstanding' end as status,
       i.issued_at as counted_at, i.currency, i.customer_id, i.subscription_id,
       case when i.subscription_id is null then i.one_off ->> 'planId'
            else plan_at(i.merchant_id, i.subscription_id, i.period_start) end as plan_id,
       i.subtotal - i.collected_debt - topped.up as amount,
       case when i.unpaid_amount <= 0 or i.grand_total <= noted.total then 0
            else round((i.subtotal - i.collected_debt - topped.up - noted.amount) * i.unpaid_amount / (i.grand_total - noted.total),
                       minor_digits(i.currency)) end as open_amount
  from invoice i
 cross join lateral (
   select coalesce(sum(l.total_price), 0) as up from invoice_line l
    where l.merchant_id = i.merchant_id and l.invoice_id = i.id
      and l.type in ('wallet_top_up', 'credit_purchase', 'prepayment')) topped
 cross join lateral (
   select coalesce(sum(n.amount - n.topped_up - n.advanced), 0) as amount, coalesce(sum(n.total), 0) as total from credit_note n
    where n.merchant_id = i.merchant_id and n.invoice_id = i.id and n.kind in ('credit', 'partial')
      and n.status = 'ISSUED') noted
 where i.invoice_number is not null and i.status in ('ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF')
union all
select n.merchant_id, n.id, 'refund', 'issued', n.created_at, n.currency, i.customer_id, i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       n.amount - i.collected_debt - (select coalesce(sum(l.total_price), 0) from invoice_line l
                    where l.merchant_id = i.merchant_id and l.invoice_id = i.id
                      and l.type in ('wallet_top_up', 'credit_purchase', 'prepayment')),
       0
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where (n.kind = 'refund' or n.kind = 'reissue' and i.status = 'PAID') and n.status = 'ISSUED'
union all
select n.merchant_id, n.id, 'rebate', 'issued', n.created_at, n.currency, i.customer_id, i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       n.amount - n.topped_up - n.advanced, 0
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where n.kind in ('credit', 'partial') and n.status = 'ISSUED' and i.status <> 'CANCELLED'
union all
select r.merchant_id, r.id, 'payment', 'completed', r.received_at, r.currency,
       coalesce(i.customer_id, s.customer_id), coalesce(i.subscription_id, s.subscription_id), null, r.amount, 0
  from payment_receipt r
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
 where r.reversed_at is null
union all
select s.merchant_id, s.id, 'payment', case s.status when 'expired' then 'expired' else 'pending' end,
       s.created_at, s.currency,
       s.customer_id, coalesce(s.subscription_id, i.subscription_id), null, s.amount, 0
  from payment_session s
  left join invoice i on i.merchant_id = s.merchant_id and i.id = s.invoice_id
 where s.mode = 'payment' and s.status in ('pending', 'processing', 'failed', 'expired')
union all
select t.merchant_id, t.id, 'rebate', 'issued', t.created_at, t.currency,
       (select w.customer_id from ledger_entry w
         where w.merchant_id = t.merchant_id and w.transaction_id = t.id and w.account = 'wallet'),
       i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       e.amount, 0
  from ledger_transaction t
  join ledger_entry e on e.merchant_id = t.merchant_id and e.transaction_id = t.id and e.account = 'revenue'
  left join invoice i on i.merchant_id = t.merchant_id and i.id = t.invoice_id
 where t.key like 'carried:%'
union all
select t.merchant_id, t.id, 'earned', 'issued', t.created_at, t.currency,
       (select w.customer_id from ledger_entry w
         where w.merchant_id = t.merchant_id and w.transaction_id = t.id and w.account = 'deferred_credits'),
       null, null, -e.amount, 0
  from ledger_transaction t
  join ledger_entry e on e.merchant_id = t.merchant_id and e.transaction_id = t.id and e.account = 'revenue'
 where t.key like 'earned:%'
union all
select d.merchant_id, d.id, 'dispute', d.status, d.created_at, d.currency,
       coalesce(i.customer_id, s.customer_id), coalesce(i.subscription_id, s.subscription_id), null, d.withheld, 0
  from payment_dispute d
  left join payment_receipt r on r.merchant_id = d.merchant_id and r.id = d.payment_id
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
 where d.status in ('open', 'lost');


alter table revenue_fact drop constraint revenue_fact_kind_check;
alter table revenue_fact add constraint revenue_fact_kind_check
  check (kind in ('invoice', 'refund', 'rebate', 'payment', 'dispute', 'earned')) not valid;
create or replace function keep_revenue_of_carried_credit() returns trigger language plpgsql as $$
declare
  of_kind text := (select case when t.key like 'carried:%' then 'rebate' when t.key like 'earned:%' then 'earned' end
                     from ledger_transaction t where t.merchant_id = new.merchant_id and t.id = new.transaction_id);
begin
  if of_kind is not null then
    perform keep_revenue(array[new.merchant_id], array[new.transaction_id], of_kind);
  end if;
  return null;
end $$;

/* As in 0157_revenue_of_disputes.sql, of all kinds. */
create or replace function rebuild_revenue(merchant text, out facts int, out sums int) language plpgsql as $$
declare
  of_kind text;
  ids text[];
begin
  facts := 0;
  -- The facts of invoices come first: those of their credit notes take their plan.
  foreach of_kind in array array['invoice', 'refund', 'rebate', 'payment', 'dispute', 'earned'] loop
    ids := differing_revenue_facts(merchant, of_kind);
    continue when ids is null;
    perform from invoice where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from credit_note where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_session where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_receipt where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_dispute where merchant_id = merchant and id = any (ids) order by id for no key update;
    ids := differing_revenue_facts(merchant, of_kind);
    continue when ids is null;
    facts := facts + cardinality(ids);
    insert into revenue_fact (merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id,
      plan_id, amount, open_amount)
    select merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id, plan_id,
           amount, open_amount
      from revenue_source s where s.merchant_id = merchant and s.id = any (ids) and s.kind = of_kind
    on conflict (merchant_id, id) do update
      set kind = excluded.kind, status = excluded.status, counted_at = excluded.counted_at,
          currency = excluded.currency,
          customer_id = excluded.customer_id, subscription_id = excluded.subscription_id, amount = excluded.amount,
          open_amount = excluded.open_amount;
    delete from revenue_fact f
     where f.merchant_id = merchant and f.id = any (ids) and f.kind = of_kind
       and not exists (select from revenue_source s where s.merchant_id = merchant and s.id = f.id
         and s.kind = of_kind);
  end loop;
  -- nobody adds changes to the sums meanwhile
  perform pg_advisory_xact_lock(hashtextextended('revenue ' || merchant, 0));
  with grains as (
    select * from (values ('hour'), ('day'), ('month')) as g (grain)
  ), wanted as materialized (
    select grain, starts_at, currency, member, kind, status, sum(count) as count, sum(amount) as amount,
           sum(open_amount) as open_amount
      from (
        select grain, date_trunc(grain, counted_at, 'UTC') as starts_at, currency,
               coalesce(case grain when 'month' then customer_id else plan_id end, '') as member, kind, status,
               1 as count, amount, open_amount
          from revenue_fact cross join grains where merchant_id = merchant
        union all
        select grain, date_trunc(grain, hour, 'UTC'), currency,
               case grain when 'month' then customer_id else plan_id end, kind, status,
               -count, -amount, -open_amount
          from revenue_change cross join grains where merchant_id = merchant) parts
     group by grain, starts_at, currency, member, kind, status
    having sum(count) <> 0 or sum(amount) <> 0 or sum(open_amount) <> 0
  ), kept as materialized (
    select grain, starts_at, currency, member, kind, status, count, amount, open_amount from revenue_sum
      where merchant_id = merchant
  ), gone as (
    delete from revenue_sum s using kept k
     where s.merchant_id = merchant
       and (s.grain, s.starts_at, s.currency, s.member, s.kind, s.status) = (k.grain, k.starts_at, k.currency,
         k.member, k.kind, k.status)
       and not exists (select from wanted w where (w.grain, w.starts_at, w.currency, w.member, w.kind, w.status)
                                               = (k.grain, k.starts_at, k.currency, k.member, k.kind, k.status))
    returning (k.count, k.amount, k.open_amount) is distinct from (0, 0, 0) as was_wrong
  ), saved as (
    insert into revenue_sum as s (merchant_id, grain, starts_at, currency, member, kind, status, count, amount,
      open_amount)
    select merchant, grain, starts_at, currency, member, kind, status, count, amount, open_amount from wanted
    on conflict (merchant_id, grain, starts_at, currency, member, kind, status) do update
      set count = excluded.count, amount = excluded.amount, open_amount = excluded.open_amount
      where (s.count, s.amount, s.open_amount) is distinct from (excluded.count, excluded.amount, excluded.open_amount)
    returning 1
  )
  select (select count(*) from gone where was_wrong) + (select count(*) from saved) into sums;
end $$;

/* As in 0135_alerts.sql, and what credits no longer give (`by_credits`): that of metered features alone. */
drop function spent_budgets(text, text, timestamptz);
create function spent_budgets(merchant text, customer text, wall timestamptz)
  returns table (subscription_id text, billable_metric_id text, by_credits boolean)
  language sql stable
  as $$
    select a.subscription_id, a.billable_metric_id, false from alert a
     where a.merchant_id = merchant and a.customer_id = customer and a.blocks_access and a.is_reached
       and (a.period_end is null
            or a.period_end > coalesce((select c.clock_time from test_clock c
                                         where c.merchant_id = a.merchant_id and c.id = a.clock_id), wall))
    union all
    select e.subscription_id, nullif(e.billable_metric_id, ''), true from exhausted_credit e
     where e.merchant_id = merchant and e.customer_id = customer
  $$;

/* As in 0090_entitlements.sql, with what credits no longer give. */
create or replace function entitlements_now(
  merchant text, wall timestamptz,
  customers text[], are_about_customers boolean[], externals text[],
  held_ids text[], held_clocks text[], clocks text[],
  kept_questions int[], kept_ids text[], kept_subscriptions text[], kept_ats timestamptz[], kept_takens text[])
  returns table (states text, lost text, clock_times text, reserved text, budgets jsonb)
  language plpgsql stable
  set enable_hashjoin = off set enable_mergejoin = off
  as $$
#variable_conflict use_variable
declare
  catalog_changes bigint;
begin
  select c.change_count into catalog_changes from catalog_change c where c.merchant_id = merchant;
  select string_agg(case when q.is_about and not exists (
                             select from customer c
                              where c.merchant_id = merchant and c.id = q.customer and c.deleted_at is null
                                and (q.external is null or c.external_id = q.external)) then '-'
                         else state_text(catalog_changes, e.entitlements, e.changes) end, ' ' order by q.question)
    into states
    from unnest(customers, are_about_customers, externals) with ordinality q (customer, is_about, external, question)
   cross join lateral (
     select count(*) as entitlements, sum(e.change_count) as changes from entitlement e
      where e.merchant_id = merchant and e.customer_id = q.customer) e;
  if true = any (are_about_customers) then
    select jsonb_agg(jsonb_build_object('question', q.question, 'subscriptionId', b.subscription_id,
                                        'billableMetricId', b.billable_metric_id, 'byCredits', b.by_credits))
      into budgets
      from unnest(customers, are_about_customers) with ordinality q (customer, is_about, question)
     cross join lateral spent_budgets(merchant, q.customer, wall) b
     where q.is_about;
  end if;
  if cardinality(kept_ids) > 0 then
    select string_agg(k.question::text, ' ') into lost
      from unnest(kept_questions, kept_ids, kept_subscriptions, kept_ats, kept_takens) k (question, id,
        subscription_id, at, taken)
     where not exists (select from entitlement_snapshot s
                        where s.merchant_id = merchant and s.entitlement_id = k.id and s.at = k.at
                          and s.taken = k.taken)
        or is_usage_late(merchant, array_remove(array[customers[k.question], k.subscription_id], null), k.at,
                         split_part(k.taken, '/', 2)::pg_snapshot);
  end if;
  if cardinality(clocks) > 0 then
    select string_agg(coalesce((extract(epoch from c.clock_time) * 1000000)::bigint::text, '-'), ' '
      order by w.place) into clock_times
      from unnest(clocks) with ordinality w (id, place)
      left join test_clock c on c.merchant_id = merchant and c.id = w.id;
  end if;
  if cardinality(held_ids) > 0 then
    select string_agg(w.place || ' ' || h.amount, ' ') into reserved
      from unnest(held_ids, held_clocks) with ordinality w (id, clock_id, place)
     cross join lateral (
       select sum(r.amount) as amount from entitlement_reservation r
        where r.merchant_id = merchant and r.entitlement_id = w.id and r.status = 'held'
          and r.expires_at > coalesce(case when w.clock_id is not null then (
                select c.clock_time from test_clock c where c.merchant_id = merchant and c.id = w.clock_id) end,
                  wall)) h
     where h.amount is not null;
  end if;
  return next;
end $$;

-- Alerts on what is left of credits.
alter table alert add column currency text;
alter table alert add constraint alert_of_credits check ((type = 'billing_credits') = (currency is not null)) not valid;
alter table alert drop constraint alert_type_check;
alter table alert add constraint alert_type_check
  check (type in ('balance', 'invoice_total', 'usage', 'billing_credits')) not valid;
alter table alert drop constraint alert_check5;
alter table alert add constraint alert_whole
  check ((whole is not null) = (percent is not null and type not in ('balance', 'billing_credits'))) not valid;
alter table alert add constraint alert_credits_block_nothing check (not blocks_access or type <> 'billing_credits') not valid;
create function wake_alerts_of_credits() returns trigger language plpgsql as $$
begin
  perform wake_alerts(new.merchant_id, ids)
     from (select array_agg(a.id) as ids from alert a
            where a.merchant_id = new.merchant_id and a.customer_id = new.customer_id and a.currency = new.currency) found
    where ids is not null;
  return null;
end $$;
create trigger wake_alerts after insert or update of looked_at on credit_watch
  for each row execute function wake_alerts_of_credits();
