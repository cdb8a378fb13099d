-- A grant whose payment came back is voided; when its invoice is paid again, it is made again
-- (docs/decisions/0265-reversed-payments-and-receipts.md).

drop index entitlement_grant_invoice;
create unique index entitlement_grant_invoice on entitlement_grant (merchant_id, invoice_id)
  where invoice_id is not null and voided_at is null;
