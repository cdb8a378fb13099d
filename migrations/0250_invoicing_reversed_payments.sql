-- Recorded payments that came back (docs/decisions/0265-reversed-payments-and-receipts.md).

alter table payment_receipt
  add column reversed_at timestamptz,
  add column reverse_reason text,
  add column reverse_key text,
  add column reverse_print bytea,
  add constraint payment_receipt_reversed check (
    (reversed_at is null) = (reverse_reason is null) and (reversed_at is null) = (reverse_key is null)
    and (reversed_at is null) = (reverse_print is null)
    and (reversed_at is null or provider is null and return_status in ('none', 'stopped')));
create unique index payment_receipt_reverse_key on payment_receipt (merchant_id, reverse_key)
  where reverse_key is not null;

/* As before; and a reversed payment never changes again. */
create or replace function keep_payment_receipt() returns trigger language plpgsql as $$
begin
  if (old.return_status = 'returned' or old.reversed_at is not null) and new is distinct from old then
    raise exception 'payment receipt % has been returned', old.id;
  end if;
  if (new.invoice_id, new.session_id, new.charge_id, new.amount, new.overpaid, new.currency, new.method, new.reference,
      new.provider_reference, new.received_at, new.card_brand, new.card_last4)
     is distinct from
     (old.invoice_id, old.session_id, old.charge_id, old.amount, old.overpaid, old.currency, old.method, old.reference,
      old.provider_reference, old.received_at, old.card_brand, old.card_last4) then
    raise exception 'what came in with payment receipt % does not change', old.id;
  end if;
  return new;
end $$;

/* The part of a reversed payment that its payer had spent from the wallet: the next invoice collects it. */
create table payment_debt (
  merchant_id text not null,
  payment_id text not null,
  customer_id text not null, -- who owes it: the payer of the invoice
  currency text not null,
  amount numeric not null check (amount > 0),
  source_number text not null, -- of the invoice that the payment was for
  invoice_id text, -- the invoice that collects it; null: it waits for the next one
  created_at timestamptz not null,
  primary key (merchant_id, payment_id),
  foreign key (merchant_id, payment_id) references payment_receipt (merchant_id, id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id)
);
call tenant_table('payment_debt');
create index payment_debt_waiting on payment_debt (merchant_id, customer_id, currency) where invoice_id is null;
create index payment_debt_invoice on payment_debt (merchant_id, invoice_id) where invoice_id is not null;
revoke delete on payment_debt from reckoner_app;

/* The sum of the lines by which an invoice collects such debts: no revenue. */
alter table invoice add column collected_debt numeric not null default 0;

/* A written-off invoice was paid after all, and the payment came back. */
insert into invoice_edge (from_status, to_status) values ('PAID', 'WRITTEN_OFF');

/* As in 0244_customers_payers.sql; the paid amount also falls by a reversed payment. */
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

alter table ledger_entry drop constraint ledger_entry_account_check;
alter table ledger_entry add constraint ledger_entry_account_check check (account in
  ('receivable', 'owed_again', 'to_collect', 'wallet', 'top_ups_due', 'cash', 'revenue', 'tax', 'refunds_payable',
   'write_off', 'disputes', 'returned_outside')) not valid;
alter table ledger_entry drop constraint ledger_entry_check;
alter table ledger_entry add constraint ledger_entry_check check (
  (account in ('receivable', 'owed_again', 'to_collect', 'wallet', 'top_ups_due')) = (customer_id is not null))
  not valid;

/* As in 0234_invoicing_partial_credit_notes.sql, without reversed payments and collected debts. */
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
       n.amount - i.collected_debt - (select coalesce(sum(l.total_price), 0) from invoice_line l
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
select d.merchant_id, d.id, 'dispute', d.status, d.created_at, d.currency,
       coalesce(i.customer_id, s.customer_id), coalesce(i.subscription_id, s.subscription_id), null, d.withheld, 0
  from payment_dispute d
  left join payment_receipt r on r.merchant_id = d.merchant_id and r.id = d.payment_id
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
 where d.status in ('open', 'lost');

create function keep_revenue_of_reversed_receipt() returns trigger language plpgsql as $$
begin
  perform keep_revenue(array[new.merchant_id], array[new.id], 'payment');
  return null;
end $$;
create trigger keep_revenue_of_reversed after update of reversed_at on payment_receipt
  for each row when (new.reversed_at is distinct from old.reversed_at)
  execute function keep_revenue_of_reversed_receipt();

/* As before, and the reversal. */
create or replace view timeline_of_payment_receipt (
  merchant_id, source, source_id, seq, customer_id, kind, at, id, what, resource_id, invoice_id, amount, currency, label,
  user_id
) with (security_invoker = true) as
select r.merchant_id, 'payment_receipt', r.id, r.seq, coalesce(i.customer_id, s.customer_id), 'payment', told.at, told.id,
       told.what, r.id, r.invoice_id, r.amount, r.currency, coalesce(r.card_brand, r.method), null
  from payment_receipt r
  left join invoice i on i.merchant_id = r.merchant_id and i.id = r.invoice_id
  left join payment_session s on s.merchant_id = r.merchant_id and s.id = r.session_id
 cross join lateral (values (r.received_at, r.id, 'payment.received'),
                            (r.returned_at, r.id || '_returned', 'payment.returned'),
                            (r.reversed_at, r.id || '_reversed', 'payment.reversed')) told (at, id, what)
 where told.at is not null and coalesce(i.customer_id, s.customer_id) is not null;

create trigger keep_timeline_of_reversed after update of reversed_at on payment_receipt
  for each row when (new.reversed_at is distinct from old.reversed_at)
  execute function keep_timeline_of_row('payment_receipt', 'id');
