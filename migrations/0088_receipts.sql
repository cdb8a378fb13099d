-- A receipt is a document for each payment of an invoice: what was paid, how and when, and what remained to be paid.

/* The card as it was when it paid: the stored method may be deleted since. */
alter table payment_receipt disable trigger keep; -- it refuses any change of a receipt that was given back
alter table payment_receipt
  add column card_brand text,
  add column card_last4 text,
  add constraint payment_receipt_card check ((card_brand is null) = (card_last4 is null) and (card_brand is null or method = 'card'));
update payment_receipt
   set card_brand = brand, card_last4 = last4
  from payment_method
 where payment_method.merchant_id = payment_receipt.merchant_id and payment_method.id = payment_method_id;
alter table payment_receipt enable trigger keep;

/* As before, for all that a receipt says now. */
create or replace function keep_payment_receipt() returns trigger language plpgsql as $$
begin
  if old.return_status = 'returned' and new is distinct from old then
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

/* What a receipt says beside its payment, written in the transaction of the payment; and the job that renders it. */
create table receipt_job (
  merchant_id text not null,
  id text not null,                      -- the payment
  invoice_id text not null,
  position int not null,                 -- the n-th payment of its invoice: the end of its number
  remaining numeric not null check (remaining >= 0), -- of the invoice, after this payment
  attempts int not null default 0,
  clock_id text check (clock_id is null),
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references payment_receipt (merchant_id, id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id)
);
call tenant_table('receipt_job');
call due_table('receipt_document', 'receipt_job');
create unique index receipt_number on receipt_job (merchant_id, invoice_id, position);

/* Payments from before get their receipts when somebody asks. */
insert into receipt_job (merchant_id, id, invoice_id, position, remaining)
select r.merchant_id, r.id, r.invoice_id,
       row_number() over (partition by r.merchant_id, r.invoice_id order by r.seq),
       greatest(0, i.grand_total - i.wallet_applied
                   - sum(r.amount - r.overpaid) over (partition by r.merchant_id, r.invoice_id order by r.seq))
  from payment_receipt r
  join invoice i on (i.merchant_id, i.id) = (r.merchant_id, r.invoice_id);
