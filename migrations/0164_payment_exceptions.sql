-- Payment exceptions: money of which a provider does not say what became of it, or that a person has to send back
-- (docs/decisions/0104). They are read from the records themselves, in the order of these indexes; there are few.

create index payment_charge_exception on payment_charge (merchant_id, created_at desc, id desc)
  where status = 'unresolved';
create index payment_charge_exception_of_all on payment_charge (created_at desc, id desc)
  where status = 'unresolved';

create index payment_receipt_exception on payment_receipt (merchant_id, created_at desc, id desc)
  where provider is not null and (return_status = 'manual' or (return_status = 'requested' and return_look_ups >= 6));
create index payment_receipt_exception_of_all on payment_receipt (created_at desc, id desc)
  where provider is not null and (return_status = 'manual' or (return_status = 'requested' and return_look_ups >= 6));

create index stray_payment_exception on stray_payment (merchant_id, received_at desc, id desc)
  where return_status = 'manual' or (return_status = 'requested' and return_look_ups >= 6);
create index stray_payment_exception_of_all on stray_payment (received_at desc, id desc)
  where return_status = 'manual' or (return_status = 'requested' and return_look_ups >= 6);

create index provider_notice_exception on provider_notice (merchant_id, received_at desc, id desc)
  where done_at is null and attempts >= 6;
create index provider_notice_exception_of_all on provider_notice (received_at desc, id desc)
  where done_at is null and attempts >= 6;

/* Stray payments are named in paths: their owner is known, like that of every payment. */
create trigger register after insert on stray_payment referencing new table as inserted
  for each statement execute function register_resources();
create trigger unregister after delete on stray_payment referencing old table as deleted
  for each statement execute function unregister_resources();
insert into resource (id, merchant_id) select id, merchant_id from stray_payment on conflict do nothing;
