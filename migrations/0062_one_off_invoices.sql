-- One-off invoices: what they are made of and what they are for; and those that live by their payment session (domain.md §4).

alter table invoice
  add column lives_by_session boolean not null default false, -- row 18: ends with its session, and has no number until it is paid
  add column purpose_type text,               -- what hangs on it being paid, for whoever made it; null where nothing does
  add column purpose_id text,
  add column one_off jsonb,                   -- what an invoice without a period is calculated from
  add column idempotency_key text,
  add column idempotency_print bytea,
  add constraint invoice_purpose check (purpose_id is null or purpose_type is not null),
  add constraint invoice_print check ((idempotency_key is null) = (idempotency_print is null));
create unique index invoice_key on invoice (merchant_id, idempotency_key) where idempotency_key is not null;
create index invoice_purpose_id on invoice (merchant_id, purpose_id) where purpose_id is not null;

/* Every issued invoice has its number, but for one that lives by its session until it is paid. */
alter table invoice
  drop constraint invoice_check3,
  add constraint invoice_number_is_of_issue check (invoice_number is null or issued_at is not null),
  add constraint invoice_issue_has_number check (
    issued_at is null or invoice_number is not null or (lives_by_session and status <> 'PAID'));

/* As before, and: an invoice that lives by its session gets its number, and with it its hash, once, as it is paid. */
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
  if new.paid_amount < old.paid_amount then
    raise exception 'the paid amount of invoice % does not fall', old.id;
  end if;
  return new;
end $$;
