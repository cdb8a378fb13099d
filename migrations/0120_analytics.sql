-- What reports of revenue are made of (docs/decisions/0077): a fact for each invoice, credit note and payment, and sums
-- of facts. Facts are written in the transaction of what they tell of. Sums follow in the background; what they miss
-- waits in a list of changes.

/* The digits of a currency's minor unit, as src/kernel/currency.ts says; a test compares them. */
create function minor_digits(currency text) returns int language sql immutable parallel safe as $$
  select case
    when currency in ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV',
      'XAF', 'XOF', 'XPF') then 0
    when currency in ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') then 3
    when currency in ('CLF', 'UYW') then 4
    else 2 end
$$;

/* The plan of a subscription at an instant; at one before its first version, the first. */
create function plan_at(merchant text, subscription text, instant timestamptz) returns text
  language sql stable parallel safe as $$
  select coalesce(
    (select v.plan_id from subscription_version v
      where v.merchant_id = merchant and v.subscription_id = subscription
      order by v.holds_from <= instant desc,
               case when v.holds_from <= instant then v.holds_from end desc,
               case when v.holds_from <= instant then v.seq end desc,
               v.holds_from, v.seq
      limit 1),
    (select s.plan_id from subscription s where s.merchant_id = merchant and s.id = subscription))
$$;

create table revenue_fact (
  merchant_id text not null,
  id text not null,             -- the invoice, the credit note, the payment or the payment session
  kind text not null check (kind in ('invoice', 'refund', 'rebate', 'payment')),
  status text not null check (
    status in ('outstanding', 'paid', 'written_off', 'issued', 'completed', 'pending', 'expired')),
  counted_at timestamptz not null,
  currency text not null,
  customer_id text,             -- null: a payment link for nobody in particular
  subscription_id text,
  plan_id text,                 -- of the subscription as the invoice was issued
  amount numeric not null,      -- net of tax and of top-ups; of payments all of it
  open_amount numeric not null, -- what of an invoice's amount is unpaid
  primary key (merchant_id, id)
);
call tenant_table('revenue_fact');
create index revenue_fact_time on revenue_fact (merchant_id, counted_at);
create index revenue_fact_customer on revenue_fact (merchant_id, customer_id, counted_at);

/* What the sums do not hold yet. Rows are only appended, so that no two transactions wait for each other here. */
create table revenue_change (
  merchant_id text not null,
  seq bigint generated always as identity,
  hour timestamptz not null,
  currency text not null,
  customer_id text not null, -- '' where there is none
  plan_id text not null,
  kind text not null,
  status text not null,
  count bigint not null,
  amount numeric not null,
  open_amount numeric not null,
  primary key (merchant_id, seq)
);
call tenant_table('revenue_change');

/* Sums of facts: of an hour and of a day by plan, of a month by customer. */
create table revenue_sum (
  merchant_id text not null,
  grain text not null check (grain in ('hour', 'day', 'month')),
  starts_at timestamptz not null,
  currency text not null,
  member text not null, -- the plan; of a month the customer; '' where there is none
  kind text not null,
  status text not null,
  count bigint not null,
  amount numeric not null,
  open_amount numeric not null,
  primary key (merchant_id, grain, starts_at, currency, member, kind, status)
);
call tenant_table('revenue_sum');

/* The facts as they follow from invoices, credit notes and payments: the definition of what counts, when and with how
   much. An offer counts once it has its number. A cancelled invoice counts nothing, and neither does what was credited
   of it. What is open of an invoice is the share of its remaining amount that its unpaid total is of its remaining
   total. A negative line by hand that no invoice could bear is booked into the wallet (docs/decisions/0056). That
   lowers revenue, so it counts as a rebate, when it is booked. */
create view revenue_source with (security_invoker = true) as
select i.merchant_id, i.id, 'invoice' as kind,
       case i.status when 'PAID' then 'paid' when 'WRITTEN_OFF' then 'written_off' else 'outstanding' end as status,
       i.issued_at as counted_at, i.currency, i.customer_id, i.subscription_id,
       case when i.subscription_id is null then i.one_off ->> 'planId'
            else plan_at(i.merchant_id, i.subscription_id, i.period_start) end as plan_id,
       i.subtotal - topped.up as amount,
       case when i.unpaid_amount <= 0 or i.grand_total <= noted.total then 0
            else round((i.subtotal - topped.up - noted.amount) * i.unpaid_amount / (i.grand_total - noted.total),
                       minor_digits(i.currency)) end as open_amount
  from invoice i
 cross join lateral (
   select case when i.kind in ('upfront', 'ad_hoc') then
            (select coalesce(sum(l.total_price), 0) from invoice_line l
              where l.merchant_id = i.merchant_id and l.invoice_id = i.id and l.type = 'wallet_top_up')
          else 0 end as up) topped
 cross join lateral (
   select coalesce(sum(n.amount), 0) as amount, coalesce(sum(n.total), 0) as total from credit_note n
    where n.merchant_id = i.merchant_id and n.invoice_id = i.id and n.kind = 'credit') noted
 where i.invoice_number is not null and i.status in ('ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF')
union all
select n.merchant_id, n.id, 'refund', 'issued', n.created_at, n.currency, i.customer_id, i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       n.amount - (select coalesce(sum(l.total_price), 0) from invoice_line l
                    where l.merchant_id = i.merchant_id and l.invoice_id = i.id and l.type = 'wallet_top_up'),
       0
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where n.kind = 'refund' and n.status = 'ISSUED'
union all
select n.merchant_id, n.id, 'rebate', 'issued', n.created_at, n.currency, i.customer_id, i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       n.amount, 0
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where n.kind = 'credit' and n.status = 'ISSUED' and i.status <> 'CANCELLED'
union all
select r.merchant_id, r.id, 'payment', 'completed', r.received_at, r.currency,
       coalesce(i.customer_id, s.customer_id), coalesce(i.subscription_id, s.subscription_id), null, r.amount, 0
  from payment_receipt r
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
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
 where t.key like 'carried:%';

grant select on revenue_source to reckoner_app, reckoner_operator;

/* Makes the facts of some records what they now are, and appends by how much they changed. The plan of a fact stays.
   Facts are joined by hashing with what they were, which whoever works on a list has turned off. */
create function keep_revenue(merchants text[], ids text[], of_kind text) returns void language plpgsql
  set enable_hashjoin = on
  as $$
begin
  with now_so as materialized (
    select * from revenue_source s where s.merchant_id = any (merchants) and s.id = any (ids) and s.kind = of_kind
  ), before as materialized (
    select * from revenue_fact f where f.merchant_id = any (merchants) and f.id = any (ids)
  ), gone as (
    delete from revenue_fact f using before b
     where f.merchant_id = b.merchant_id and f.id = b.id
       and not exists (select from now_so s where s.merchant_id = b.merchant_id and s.id = b.id)
  ), saved as (
    insert into revenue_fact as f (merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id,
      plan_id, amount, open_amount)
    select merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id, plan_id,
           amount, open_amount
      from now_so
    on conflict (merchant_id, id) do update
      set status = excluded.status, amount = excluded.amount, open_amount = excluded.open_amount
      where (f.status, f.amount, f.open_amount)
        is distinct from (excluded.status, excluded.amount, excluded.open_amount)
  )
  insert into revenue_change (merchant_id, hour, currency, customer_id, plan_id, kind, status, count, amount,
    open_amount)
  select merchant_id, date_trunc('hour', counted_at, 'UTC'), currency, coalesce(customer_id, ''),
         coalesce(plan_id, ''), kind, status, sum(count), sum(amount), sum(open_amount)
    from (select s.merchant_id, s.counted_at, s.currency, s.customer_id,
                 coalesce(b.plan_id, s.plan_id) as plan_id, s.kind, s.status, 1 as count, s.amount, s.open_amount
            from now_so s left join before b on b.merchant_id = s.merchant_id and b.id = s.id
          union all
          select merchant_id, counted_at, currency, customer_id, plan_id, kind, status, -1, -amount, -open_amount
            from before) c
   group by 1, 2, 3, 4, 5, 6, 7
  having sum(count) <> 0 or sum(amount) <> 0 or sum(open_amount) <> 0;
end $$;

create function keep_revenue_of_invoices() returns trigger language plpgsql
  set enable_hashjoin = on
  as $$
declare
  merchants text[];
  ids text[];
begin
  select array_agg(merchant_id), array_agg(id) into merchants, ids
    from (select merchant_id, id, status, paid_amount, invoice_number from new_rows where issued_at is not null
          except
          select merchant_id, id, status, paid_amount, invoice_number from old_rows) changed;
  if ids is null then
    return null;
  end if;
  perform keep_revenue(merchants, ids, 'invoice');
  select array_agg(c.merchant_id), array_agg(c.id) into merchants, ids
    from new_rows n join old_rows o on o.merchant_id = n.merchant_id and o.id = n.id
    join credit_note c on c.merchant_id = n.merchant_id and c.invoice_id = n.id and c.kind = 'credit'
   where n.status = 'CANCELLED' and o.status <> 'CANCELLED';
  if ids is not null then
    perform keep_revenue(merchants, ids, 'rebate');
  end if;
  return null;
end $$;
create trigger keep_revenue after update on invoice referencing old table as old_rows new table as new_rows
  for each statement execute function keep_revenue_of_invoices();

create function keep_revenue_of_new_invoices() returns trigger language plpgsql as $$
declare
  merchants text[];
  ids text[];
begin
  select array_agg(merchant_id), array_agg(id) into merchants, ids from new_rows where issued_at is not null;
  if ids is not null then
    perform keep_revenue(merchants, ids, 'invoice');
  end if;
  return null;
end $$;
create trigger keep_revenue_of_new after insert on invoice referencing new table as new_rows
  for each statement execute function keep_revenue_of_new_invoices();

/* A credit note over a part changes what is open of its invoice. */
create function keep_revenue_of_credit_notes() returns trigger language plpgsql as $$
declare
  noted record;
begin
  for noted in
    select case kind when 'refund' then 'refund' else 'rebate' end as fact, array_agg(merchant_id) as merchants,
           array_agg(id) as ids, array_agg(invoice_id) as invoices
      from new_rows where kind in ('refund', 'credit') group by 1
  loop
    perform keep_revenue(noted.merchants, noted.ids, noted.fact);
    if noted.fact = 'rebate' then
      perform keep_revenue(noted.merchants, noted.invoices, 'invoice');
    end if;
  end loop;
  return null;
end $$;
create trigger keep_revenue after insert on credit_note referencing new table as new_rows
  for each statement execute function keep_revenue_of_credit_notes();
create trigger keep_revenue_of_changed after update on credit_note referencing new table as new_rows
  for each statement execute function keep_revenue_of_credit_notes();

create function keep_revenue_of_receipts() returns trigger language plpgsql as $$
begin
  perform keep_revenue(array_agg(merchant_id), array_agg(id), 'payment') from new_rows having count(*) > 0;
  return null;
end $$;
create trigger keep_revenue after insert on payment_receipt referencing new table as new_rows
  for each statement execute function keep_revenue_of_receipts();

create function keep_revenue_of_sessions() returns trigger language plpgsql as $$
begin
  perform keep_revenue(array_agg(merchant_id), array_agg(id), 'payment') from new_rows
    where mode = 'payment' having count(*) > 0;
  return null;
end $$;
create trigger keep_revenue after insert on payment_session referencing new table as new_rows
  for each statement execute function keep_revenue_of_sessions();
create trigger keep_revenue_of_changed after update on payment_session referencing new table as new_rows
  for each statement execute function keep_revenue_of_sessions();

/* Adds some changes of a merchant to the sums. Sums are touched by one transaction at a time, so that none waits for
   another. @returns how many changes were added; 0 also where somebody else is at it. */
create function add_revenue_changes(merchant text, most int) returns int language plpgsql as $$
declare
  added int;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('revenue ' || merchant, 0)) then
    return 0;
  end if;
  with taken as (
    delete from revenue_change c
     where c.merchant_id = merchant
       and c.seq = any (array(select seq from revenue_change where merchant_id = merchant order by seq limit most))
    returning c.*
  ), by_member as (
    select 'hour' as grain, hour as starts_at, plan_id as member, t.* from taken t
    union all
    select 'day', date_trunc('day', hour, 'UTC'), plan_id, t.* from taken t
    union all
    select 'month', date_trunc('month', hour, 'UTC'), customer_id, t.* from taken t
  ), saved as (
    insert into revenue_sum as s (merchant_id, grain, starts_at, currency, member, kind, status, count, amount,
      open_amount)
    select merchant, grain, starts_at, currency, member, kind, status, sum(count), sum(amount), sum(open_amount)
      from by_member group by grain, starts_at, currency, member, kind, status
    on conflict (merchant_id, grain, starts_at, currency, member, kind, status) do update
      set count = s.count + excluded.count, amount = s.amount + excluded.amount,
          open_amount = s.open_amount + excluded.open_amount
  )
  select count(*) into added from taken;
  return added;
end $$;

create function keep_revenue_of_carried_credit() returns trigger language plpgsql as $$
begin
  if exists (select from ledger_transaction t
              where t.merchant_id = new.merchant_id and t.id = new.transaction_id and t.key like 'carried:%') then
    perform keep_revenue(array[new.merchant_id], array[new.transaction_id], 'rebate');
  end if;
  return null;
end $$;
create constraint trigger keep_revenue after insert on ledger_entry deferrable initially deferred
  for each row when (new.account = 'revenue' and new.amount > 0) execute function keep_revenue_of_carried_credit();

-- Facts and sums can be made anew from the rows that they follow from, while the program runs (docs/decisions/0087).

/* The facts of a kind that are not what `revenue_source` says: null where there are none. The plan of a fact stays. */
create function differing_revenue_facts(merchant text, of_kind text) returns text[] language sql stable as $$
  with source as materialized (
    select id, status, counted_at, currency, customer_id, subscription_id, amount, open_amount
      from revenue_source where merchant_id = merchant and kind = of_kind
  ), fact as materialized (
    select id, status, counted_at, currency, customer_id, subscription_id, amount, open_amount
      from revenue_fact where merchant_id = merchant and kind = of_kind
  )
  select array_agg(id order by id)
    from (select id from (select * from source except select * from fact) missing
          union
          select id from (select * from fact except select * from source) surplus) differing
$$;

/* Makes the facts and sums of a merchant what they follow from, and says how many were something else. Facts that
   differ are written anew, under the locks of what they tell of. Sums are the facts less the changes that wait, in one
   snapshot: every transaction writes facts and changes together, so nobody who issues invoices meanwhile waits. */
create function rebuild_revenue(merchant text, out facts int, out sums int) language plpgsql as $$
declare
  of_kind text;
  ids text[];
begin
  facts := 0;
  -- The facts of invoices come first: those of their credit notes take their plan.
  foreach of_kind in array array['invoice', 'refund', 'rebate', 'payment'] loop
    ids := differing_revenue_facts(merchant, of_kind);
    continue when ids is null;
    perform from invoice where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from credit_note where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_session where merchant_id = merchant and id = any (ids) order by id for no key update;
    perform from payment_receipt where merchant_id = merchant and id = any (ids) order by id for no key update;
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
