-- A cancelled invoice does not count as paid what went back into the wallet with its cancellation. The paid amount falls
-- in that transition alone, and by that part alone.

create or replace function guard_invoice() returns trigger language plpgsql as $$
begin
  if new.status <> old.status
     and not exists (select from invoice_edge where from_status = old.status and to_status = new.status) then
    raise exception 'invoice % cannot go from % to %', old.id, old.status, new.status;
  end if;
  if old.issued_at is not null and
     (new.issued_at, new.due_at, new.subtotal, new.total_tax, new.grand_total, new.currency, new.customer_id,
      new.period_start, new.period_end, new.seller, new.buyer, new.taxes, new.item_count, new.payment_term_days,
      new.lives_by_session, new.purpose_type, new.purpose_id, new.one_off)
     is distinct from
     (old.issued_at, old.due_at, old.subtotal, old.total_tax, old.grand_total, old.currency, old.customer_id,
      old.period_start, old.period_end, old.seller, old.buyer, old.taxes, old.item_count, old.payment_term_days,
      old.lives_by_session, old.purpose_type, old.purpose_id, old.one_off) then
    raise exception 'invoice % is issued and does not change; it is credited', old.id;
  end if;
  if old.issued_at is not null
     and (new.invoice_number, new.snapshot_hash) is distinct from (old.invoice_number, old.snapshot_hash)
     and not (old.lives_by_session and old.invoice_number is null and new.invoice_number is not null
              and old.status <> 'PAID' and new.status = 'PAID') then
    raise exception 'invoice % is issued and does not change; it is credited', old.id;
  end if;
  if new.paid_amount < old.paid_amount
     and not (old.status <> 'CANCELLED' and new.status = 'CANCELLED' and new.wallet_applied = 0
              and new.paid_amount = old.paid_amount - old.wallet_applied) then
    raise exception 'the paid amount of invoice % does not fall', old.id;
  end if;
  return new;
end $$;

-- Invoices that were cancelled before.
alter table invoice disable trigger guard;
update invoice set paid_amount = paid_amount - wallet_applied, wallet_applied = 0
 where status = 'CANCELLED' and wallet_applied > 0;
alter table invoice enable trigger guard;
