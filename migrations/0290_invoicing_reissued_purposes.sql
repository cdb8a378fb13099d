-- Reissued upfront invoices and invoices of billing schedules (docs/decisions/0270-reissues.md).

/* The invoice that a subscription waits for, or that began it, may be replaced by another one (commercial.md §7). */
drop index invoice_awaited;
create unique index invoice_awaited on invoice (merchant_id, purpose_id)
  where kind = 'upfront' and purpose_id is not null and reissued_as_id is null;

/* Has an invoice taken the place of another one? */
create function has_replaced(merchant text, replaced text, by_id text) returns boolean language sql stable as $$
  select exists (select from invoice where merchant_id = merchant and id = replaced and reissued_as_id = by_id)
$$;

/* A window that is pushed does not change, but its invoice may be replaced. */
create or replace function guard_schedule_invoice() returns trigger language plpgsql as $$
begin
  if old.status = 'pushed' and (tg_op = 'DELETE' or new.status not in ('pushed', 'cancelled')
     or (new.amount, new.lines, new.bill_at) is distinct from (old.amount, old.lines, old.bill_at)
     or new.invoice_id is distinct from old.invoice_id
        and not has_replaced(old.merchant_id, old.invoice_id, new.invoice_id))
  then raise exception 'schedule invoice % is pushed and does not change', old.id; end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
