-- The inbox is listed by the time at which each webhook came in: those that come together are stored in any order.

drop index webhook_receipt_order;
drop index webhook_receipt_all;
create index webhook_receipt_order on webhook_receipt (merchant_id, created_at desc, seq desc);
create index webhook_receipt_all on webhook_receipt (created_at desc, seq desc);
