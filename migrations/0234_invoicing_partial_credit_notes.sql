-- Credit notes over a part of an invoice, which a person writes
-- (docs/decisions/0260-a-note-is-a-reduction-of-its-line.md).

alter table credit_note drop constraint credit_note_kind_check;
alter table credit_note add constraint credit_note_kind_check
  check (kind in ('refund', 'cancellation', 'credit', 'partial'));
alter table credit_note
  add column settlement text check (settlement in ('refund', 'wallet', 'reduce')),
  add column topped_up numeric not null default 0, -- the part that is money for the wallet, and no revenue
  add column idempotency_key text,
  add column idempotency_print bytea,
  add constraint credit_note_settlement check (settlement is null or kind = 'partial'),
  add constraint credit_note_print check (
    (idempotency_key is null) = (idempotency_print is null) and (idempotency_key is not null) = (kind = 'partial'));
create unique index credit_note_key on credit_note (merchant_id, idempotency_key) where idempotency_key is not null;
drop index one_unvoided_credit_note;
create unique index one_unvoided_credit_note on credit_note (merchant_id, invoice_id)
  where status = 'ISSUED' and kind not in ('credit', 'partial');

/* A credit note of a person reduced the line: it counts as billed, and nobody asks for it again. */
alter table unused_credit add column is_note boolean not null default false;

/* As before, and with credit notes of a person over a part. */
create or replace view revenue_source with (security_invoker = true) as
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
   select coalesce(sum(n.amount - n.topped_up), 0) as amount, coalesce(sum(n.total), 0) as total from credit_note n
    where n.merchant_id = i.merchant_id and n.invoice_id = i.id and n.kind in ('credit', 'partial')
      and n.status = 'ISSUED') noted
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
       n.amount - n.topped_up, 0
  from credit_note n join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
 where n.kind in ('credit', 'partial') and n.status = 'ISSUED' and i.status <> 'CANCELLED'
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
 where t.key like 'carried:%'
union all
select d.merchant_id, d.id, 'dispute', d.status, d.created_at, d.currency,
       coalesce(i.customer_id, s.customer_id), coalesce(i.subscription_id, s.subscription_id), null, d.withheld, 0
  from payment_dispute d
  left join payment_receipt r on r.merchant_id = d.merchant_id and r.id = d.payment_id
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
 where d.status in ('open', 'lost');

/* As before, and of credit notes of a person over a part. */
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
  select array_agg(c.merchant_id), array_agg(c.id) into merchants, ids
    from new_rows n join old_rows o on o.merchant_id = n.merchant_id and o.id = n.id
    join credit_note c on c.merchant_id = n.merchant_id and c.invoice_id = n.id and c.kind in ('credit', 'partial')
   where n.status = 'CANCELLED' and o.status <> 'CANCELLED';
  if ids is not null then
    perform keep_revenue(merchants, ids, 'rebate');
  end if;
  return null;
end $$;

create or replace function keep_revenue_of_credit_notes() returns trigger language plpgsql as $$
declare
  noted record;
begin
  for noted in
    select case kind when 'refund' then 'refund' else 'rebate' end as fact, array_agg(merchant_id) as merchants,
           array_agg(id) as ids, array_agg(invoice_id) as invoices
      from new_rows where kind in ('refund', 'credit', 'partial') group by 1
  loop
    perform keep_revenue(noted.merchants, noted.ids, noted.fact);
    if noted.fact = 'rebate' then
      perform keep_revenue(noted.merchants, noted.invoices, 'invoice');
    end if;
  end loop;
  return null;
end $$;

/* A void of a credit note that had settled an invoice: it is owed again. */
insert into invoice_edge (from_status, to_status) values ('PAID', 'ISSUED');

/* As before; and the paid amount falls by what is not credited any more. */
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
                    n.period_start, n.period_end, n.seller, n.buyer, n.taxes, n.item_count, n.payment_term_days,
                    n.lives_by_session, n.purpose_type, n.purpose_id, n.one_off)
                   is distinct from
                   (o.issued_at, o.due_at, o.subtotal, o.total_tax, o.grand_total, o.currency, o.customer_id,
                    o.period_start, o.period_end, o.seller, o.buyer, o.taxes, o.item_count, o.payment_term_days,
                    o.lives_by_session, o.purpose_type, o.purpose_id, o.one_off)
                   or (n.invoice_number, n.content_hash) is distinct from (o.invoice_number, o.content_hash)
                      and not (o.lives_by_session and o.invoice_number is null and n.invoice_number is not null
                               and o.status <> 'PAID' and n.status = 'PAID'))
            then format('invoice %s is issued and does not change; it is credited', o.id)
            when n.paid_amount < o.paid_amount
                 and o.paid_amount - n.paid_amount <> o.credited_amount - n.credited_amount
                 and not (o.status <> 'CANCELLED' and n.status = 'CANCELLED' and n.wallet_applied = 0
                          and n.paid_amount = o.paid_amount - o.wallet_applied)
            then format('the paid amount of invoice %s does not fall', o.id)
            end as said
            from new_rows n left join old_rows o on o.merchant_id = n.merchant_id and o.id = n.id) judged
   where said is not null limit 1;
  if refusal is not null then
    raise exception '%', refusal;
  end if;
  return null;
end $$;
