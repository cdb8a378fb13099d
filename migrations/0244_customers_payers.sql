-- A customer whose invoices another customer pays (docs/decisions/0262-who-pays.md).

alter table customer
  add column payer_id text check (payer_id <> id),
  add foreign key (merchant_id, payer_id) references customer (merchant_id, id);
create index customer_payer on customer (merchant_id, payer_id) where payer_id is not null and deleted_at is null;

/* Who pays an issued invoice, where that is not its customer. */
alter table invoice
  add column payer_id text check (payer_id <> customer_id),
  add foreign key (merchant_id, payer_id) references customer (merchant_id, id);
create index invoice_payer on invoice (merchant_id, payer_id) where payer_id is not null;

/* As in 0234_invoicing_partial_credit_notes.sql, with the payer. */
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
                    n.payment_term_days, n.lives_by_session, n.purpose_type, n.purpose_id, n.one_off)
                   is distinct from
                   (o.issued_at, o.due_at, o.subtotal, o.total_tax, o.grand_total, o.currency, o.customer_id,
                    o.payer_id, o.period_start, o.period_end, o.seller, o.buyer, o.taxes, o.item_count,
                    o.payment_term_days, o.lives_by_session, o.purpose_type, o.purpose_id, o.one_off)
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
