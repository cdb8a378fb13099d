-- Grouped invoices (docs/decisions/0246-grouped-invoices.md). The lines of its members stand on a grouped invoice. What
-- a subscription is billed is read from lines through the member, and money through the document. Older programs would
-- not find lines that have moved.
-- Oldest program: 0281_invoicing_grouped.

alter table invoice drop constraint invoice_kind_check;
alter table invoice add constraint invoice_kind_check
  check (kind in ('subscription', 'upfront', 'ad_hoc', 'order', 'grouped'));
alter table invoice
  add constraint invoice_member check (
    grouped_into_id is null or kind = 'subscription' and status = 'CANCELLED' and item_count = 0) not valid,
  add constraint invoice_sections check ((kind = 'grouped') or sections = '[]') not valid;
create index invoice_member_of on invoice (merchant_id, grouped_into_id) where grouped_into_id is not null;

alter table invoice_line
  add column subscription_id text, -- of the same: its subscription
  add constraint invoice_line_member check ((member_id is null) = (subscription_id is null)) not valid;

/* As in 0250_invoicing_reversed_payments.sql, and what is joined stays joined. */
create or replace function guard_invoices() returns trigger language plpgsql
  set enable_hashjoin = on set enable_nestloop = off
  as $$
declare
  refusal text;
begin
  select said into refusal
    from (select case
            when o.id is null then format('invoice %s keeps its id', n.id)
            when n.status <> o.status
                 and not exists (select from invoice_edge where from_status = o.status and to_status = n.status)
            then format('invoice %s cannot go from %s to %s', o.id, o.status, n.status)
            when o.issued_at is not null and (
                   (n.issued_at, n.due_at, n.subtotal, n.total_tax, n.grand_total, n.currency, n.customer_id,
                    n.payer_id, n.period_start, n.period_end, n.seller, n.buyer, n.taxes, n.item_count,
                    n.payment_term_days, n.lives_by_session, n.purpose_type, n.purpose_id, n.one_off, n.collected_debt)
                   is distinct from
                   (o.issued_at, o.due_at, o.subtotal, o.total_tax, o.grand_total, o.currency, o.customer_id,
                    o.payer_id, o.period_start, o.period_end, o.seller, o.buyer, o.taxes, o.item_count,
                    o.payment_term_days, o.lives_by_session, o.purpose_type, o.purpose_id, o.one_off, o.collected_debt)
                   or (n.invoice_number, n.content_hash) is distinct from (o.invoice_number, o.content_hash)
                      and not (o.lives_by_session and o.invoice_number is null and n.invoice_number is not null
                               and o.status <> 'PAID' and n.status = 'PAID'))
            then format('invoice %s is issued and does not change; it is credited', o.id)
            when o.issued_at is not null and n.sections <> o.sections
                 or o.grouped_into_id is not null and n.grouped_into_id is distinct from o.grouped_into_id
            then format('invoice %s keeps what is joined', o.id)
            when n.paid_amount < o.paid_amount
                 and o.paid_amount - n.paid_amount <> o.credited_amount - n.credited_amount
                 and not (o.status <> 'CANCELLED' and n.status = 'CANCELLED' and n.wallet_applied = 0
                          and n.paid_amount = o.paid_amount - o.wallet_applied)
                 and not exists (
                   select from payment_receipt r
                    where r.merchant_id = n.merchant_id and r.invoice_id = n.id and r.reversed_at is not null
                      and r.amount - r.overpaid = o.paid_amount - n.paid_amount)
            then format('the paid amount of invoice %s does not fall', o.id)
            end as said
            from new_rows n left join old_rows o on o.merchant_id = n.merchant_id and o.id = n.id) judged
   where said is not null limit 1;
  if refusal is not null then
    raise exception '%', refusal;
  end if;
  return null;
end $$;

/* As in 0080_invoicing.sql, and of invoices whose lines have moved. */
create or replace function guard_rows_of_issued() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
declare
  issued text;
begin
  select t.invoice_id into issued
    from (select distinct merchant_id, invoice_id from touched) t
   where (select coalesce(i.issued_at::text, i.grouped_into_id) from invoice i
           where i.merchant_id = t.merchant_id and i.id = t.invoice_id) is not null
   limit 1;
  if issued is not null then
    raise exception 'invoice % is issued; its lines and quantities do not change', issued;
  end if;
  return null;
end $$;

/* The members of grouped invoices, with the sums of their lines. Revenue is that of their customers. */
create view invoice_section with (security_invoker = true) as
select m.merchant_id, m.grouped_into_id as invoice_id, m.id, m.seq, m.customer_id, m.subscription_id, m.period_start,
       (select coalesce(sum(l.total_price), 0) from invoice_line l
         where l.merchant_id = m.merchant_id and l.invoice_id = m.grouped_into_id and l.member_id = m.id) as amount
  from invoice m where m.grouped_into_id is not null;
grant select on invoice_section to reckoner_app, reckoner_operator;

/* As in 0272_invoicing_credit_purchases.sql, and by the members of grouped invoices. */
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
   and i.kind <> 'grouped'
union all
select g.merchant_id, m.id, 'invoice',
       case g.status when 'PAID' then 'paid' when 'WRITTEN_OFF' then 'written_off' else 'outstanding' end,
       g.issued_at, g.currency, m.customer_id, m.subscription_id,
       plan_at(m.merchant_id, m.subscription_id, m.period_start), m.amount,
       case when m.total = 0 then 0
            else round(noted.open * m.so_far / m.total, minor_digits(g.currency))
                 - round(noted.open * (m.so_far - m.amount) / m.total, minor_digits(g.currency)) end
  from invoice g
 cross join lateral (
   select case when g.unpaid_amount <= 0 or g.grand_total <= coalesce(sum(n.total), 0) then 0
               else round((g.subtotal - g.collected_debt - coalesce(sum(n.amount), 0)) * g.unpaid_amount
                          / (g.grand_total - coalesce(sum(n.total), 0)), minor_digits(g.currency)) end as open
     from credit_note n
    where n.merchant_id = g.merchant_id and n.invoice_id = g.id and n.kind in ('credit', 'partial')
      and n.status = 'ISSUED') noted
 cross join lateral (
   select s.*, sum(s.amount) over (order by s.seq) as so_far, sum(s.amount) over () as total
     from invoice_section s where s.merchant_id = g.merchant_id and s.invoice_id = g.id) m
 where g.kind = 'grouped' and g.invoice_number is not null
   and g.status in ('ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF')
union all
select n.merchant_id, n.id, 'refund', 'issued', n.created_at, n.currency, i.customer_id, i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       n.amount - i.collected_debt - (select coalesce(sum(l.total_price), 0) from invoice_line l
                    where l.merchant_id = i.merchant_id and l.invoice_id = i.id
                      and l.type in ('wallet_top_up', 'credit_purchase', 'prepayment')),
       0
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where (n.kind = 'refund' or n.kind = 'reissue' and i.status = 'PAID') and n.status = 'ISSUED'
   and i.kind <> 'grouped'
union all
select n.merchant_id, n.id || '/' || m.id, 'refund', 'issued', n.created_at, n.currency, m.customer_id,
       m.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = m.merchant_id and f.id = m.id), m.amount, 0
  from credit_note n join invoice_section m on m.merchant_id = n.merchant_id and m.invoice_id = n.invoice_id
 where n.kind = 'refund' and n.status = 'ISSUED'
union all
select n.merchant_id, n.id, 'rebate', 'issued', n.created_at, n.currency, i.customer_id, i.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id),
       n.amount - n.topped_up - n.advanced, 0
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where n.kind in ('credit', 'partial') and n.status = 'ISSUED' and i.status <> 'CANCELLED' and i.kind <> 'grouped'
union all
select n.merchant_id, n.id || '/' || m.id, 'rebate', 'issued', n.created_at, n.currency, m.customer_id,
       m.subscription_id,
       (select f.plan_id from revenue_fact f where f.merchant_id = m.merchant_id and f.id = m.id), part.amount, 0
  from credit_note n join invoice g on g.merchant_id = n.merchant_id and g.id = n.invoice_id and g.kind = 'grouped'
 cross join lateral (
   select coalesce(
            (select l.member_id from invoice_line l
              where l.merchant_id = r.merchant_id and l.invoice_id = n.invoice_id and l.id = r.applies_to_line_id),
            (select o.id from unused_credit c join invoice o
                on o.merchant_id = c.merchant_id and o.grouped_into_id = n.invoice_id
                   and o.subscription_id = c.subscription_id
              where c.merchant_id = r.merchant_id and c.id = r.credit_id order by o.seq limit 1),
            (select o.id from invoice o
              where o.merchant_id = n.merchant_id and o.grouped_into_id = n.invoice_id order by o.seq limit 1))
            as member_id,
          sum(r.amount) as amount
     from credit_note_line r where r.merchant_id = n.merchant_id and r.credit_note_id = n.id group by 1) part
  join invoice m on m.merchant_id = n.merchant_id and m.id = part.member_id
 where n.kind in ('credit', 'partial') and n.status = 'ISSUED' and g.status <> 'CANCELLED'
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

/* The facts of some grouped invoices, of a kind: of their members, or of their credit notes by members. */
create function keep_revenue_of_sections(merchants text[], invoices text[], of_kind text) returns void
  language plpgsql
  as $$
begin
  if of_kind = 'invoice' then
    perform keep_revenue(array_agg(m.merchant_id), array_agg(m.id), of_kind)
       from unnest(merchants, invoices) as g (merchant_id, id)
       join invoice m on m.merchant_id = g.merchant_id and m.grouped_into_id = g.id
     having count(*) > 0;
  else
    perform keep_revenue(array_agg(m.merchant_id), array_agg(n.id || '/' || m.id), of_kind)
       from unnest(merchants, invoices) as g (merchant_id, id)
       join invoice m on m.merchant_id = g.merchant_id and m.grouped_into_id = g.id
       join credit_note n on n.merchant_id = g.merchant_id and n.invoice_id = g.id
        and case of_kind when 'refund' then n.kind = 'refund' else n.kind in ('credit', 'partial') end
     having count(*) > 0;
  end if;
end $$;

/* As in 0234_invoicing_partial_credit_notes.sql, and of grouped invoices. */
create or replace function keep_revenue_of_invoices() returns trigger language plpgsql
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
  if exists (select from new_rows where kind = 'grouped') then
    perform keep_revenue_of_sections(merchants, ids, 'invoice');
  end if;
  select array_agg(c.merchant_id), array_agg(c.id) into merchants, ids
    from new_rows n join old_rows o on o.merchant_id = n.merchant_id and o.id = n.id
    join credit_note c on c.merchant_id = n.merchant_id and c.invoice_id = n.id and c.kind in ('credit', 'partial')
   where n.status = 'CANCELLED' and o.status <> 'CANCELLED';
  if ids is not null then
    perform keep_revenue(merchants, ids, 'rebate');
    perform keep_revenue_of_sections(array_agg(merchant_id), array_agg(id), 'rebate')
       from new_rows where kind = 'grouped' having count(*) > 0;
  end if;
  return null;
end $$;

/* As in 0270_invoicing_reissues.sql, and of grouped invoices. */
create or replace function keep_revenue_of_credit_notes() returns trigger language plpgsql as $$
declare
  noted record;
begin
  for noted in
    select case when kind in ('refund', 'reissue') then 'refund' else 'rebate' end as fact,
           array_agg(merchant_id) as merchants,
           array_agg(id) as ids, array_agg(invoice_id) as invoices
      from new_rows where kind in ('refund', 'reissue', 'credit', 'partial') group by 1
  loop
    perform keep_revenue(noted.merchants, noted.ids, noted.fact);
    perform keep_revenue_of_sections(noted.merchants, noted.invoices, noted.fact);
    if noted.fact = 'rebate' then
      perform keep_revenue(noted.merchants, noted.invoices, 'invoice');
      perform keep_revenue_of_sections(noted.merchants, noted.invoices, 'invoice');
    end if;
  end loop;
  return null;
end $$;

/* The lines of a credit note say what of it is of which member. */
create function keep_revenue_of_noted_lines() returns trigger language plpgsql as $$
begin
  perform keep_revenue_of_sections(array_agg(n.merchant_id), array_agg(n.invoice_id), 'rebate')
     from (select distinct merchant_id, credit_note_id from new_rows) r
     join credit_note n on n.merchant_id = r.merchant_id and n.id = r.credit_note_id and n.kind in ('credit', 'partial')
     join invoice g on g.merchant_id = n.merchant_id and g.id = n.invoice_id and g.kind = 'grouped'
   having count(*) > 0;
  return null;
end $$;
create trigger keep_revenue_of_noted after insert on credit_note_line referencing new table as new_rows
  for each statement execute function keep_revenue_of_noted_lines();
