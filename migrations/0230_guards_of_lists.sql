-- The walls around invoices and the ledger look at all rows of a statement at once, as the run writes them in lists.

/* The second lock behind the table of states, and the wall around issued invoices: no line, amount, number or date of theirs ever
   changes (domain.md §4). An invoice that lives by its session gets its number, and with it its hash, once, as it is paid. What a
   wallet paid is given back where the invoice is cancelled. The rows before and after are joined by hashing: they have no index, and
   whoever works on a list has turned hashing off. */
drop trigger guard on invoice;
drop function guard_invoice();
create function guard_invoices() returns trigger language plpgsql
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
                   or (n.invoice_number, n.snapshot_hash) is distinct from (o.invoice_number, o.snapshot_hash)
                      and not (o.lives_by_session and o.invoice_number is null and n.invoice_number is not null
                               and o.status <> 'PAID' and n.status = 'PAID'))
            then format('invoice %s is issued and does not change; it is credited', o.id)
            when n.paid_amount < o.paid_amount
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
create trigger guard after update on invoice referencing old table as old_rows new table as new_rows
  for each statement execute function guard_invoices();

/* Lines and quantities of an issued invoice: none comes, changes or goes. The plans are kept, and may have been made when there were
   few invoices: each is looked up by its key, because a join may begin with all that are issued. */
drop trigger guard on invoice_line;
drop trigger guard on invoice_usage;
drop function guard_issued_rows();
create function guard_rows_of_issued() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
declare
  issued text;
begin
  select t.invoice_id into issued
    from (select distinct merchant_id, invoice_id from touched) t
   where (select i.issued_at from invoice i where i.merchant_id = t.merchant_id and i.id = t.invoice_id) is not null limit 1;
  if issued is not null then
    raise exception 'invoice % is issued; its lines and quantities do not change', issued;
  end if;
  return null;
end $$;
create trigger guard_insert after insert on invoice_line referencing new table as touched
  for each statement execute function guard_rows_of_issued();
create trigger guard_update after update on invoice_line referencing old table as touched
  for each statement execute function guard_rows_of_issued();
create trigger guard_delete after delete on invoice_line referencing old table as touched
  for each statement execute function guard_rows_of_issued();
create trigger guard_insert after insert on invoice_usage referencing new table as touched
  for each statement execute function guard_rows_of_issued();
create trigger guard_update after update on invoice_usage referencing old table as touched
  for each statement execute function guard_rows_of_issued();
create trigger guard_delete after delete on invoice_usage referencing old table as touched
  for each statement execute function guard_rows_of_issued();

/* The entries of a transaction that one statement writes come to 0. At commit: there is no transaction without entries. Two at least,
   because each is of another account and none is 0. */
drop trigger balanced on ledger_entry;
drop trigger balanced on ledger_transaction;
drop function balanced_ledger();
create function balanced_entries() returns trigger language plpgsql as $$
declare
  posted text;
begin
  select transaction_id into posted from new_rows group by merchant_id, transaction_id having sum(amount) <> 0 limit 1;
  if posted is not null then
    raise exception 'ledger transaction % does not balance', posted using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger balanced after insert on ledger_entry referencing new table as new_rows
  for each statement execute function balanced_entries();
create function booked_entries() returns trigger language plpgsql
  set enable_seqscan = off
  as $$
begin
  if not exists (select from ledger_entry where merchant_id = new.merchant_id and transaction_id = new.id) then
    raise exception 'ledger transaction % has no entries', new.id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger booked after insert on ledger_transaction
  deferrable initially deferred for each row execute function booked_entries();

/* Alerts wake once for all periods that a statement opens. */
drop trigger wake_alerts_by_insert on invoice;
create function wake_alerts_of_new_periods() returns trigger language plpgsql as $$
declare
  each record;
begin
  for each in
    select a.merchant_id, array_agg(distinct a.id) as ids
      from opened n
      join alert a on a.merchant_id = n.merchant_id and a.customer_id = n.customer_id
                  and (a.subscription_id = n.subscription_id or a.period = 'billing')
     where n.kind = 'subscription'
     group by a.merchant_id order by a.merchant_id
  loop
    perform wake_alerts(each.merchant_id, each.ids);
  end loop;
  return null;
end $$;
create trigger wake_alerts_by_insert after insert on invoice referencing new table as opened
  for each statement execute function wake_alerts_of_new_periods();
