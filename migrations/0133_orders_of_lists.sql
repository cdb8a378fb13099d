-- Each page of a list is read in the order of an index (docs/decisions/0086), also of lists over all merchants, which operators read.

create index organization_all on organization (seq desc);
create index app_user_all on app_user (seq desc);
create index audit_entry_all on audit_entry (seq desc);
create index customer_all on customer (seq desc) where deleted_at is null;
create index product_all on product (seq desc);
create index feature_all on feature (seq desc);
create index item_all on item (seq desc);
create index billable_metric_all on billable_metric (seq desc);
create index cost_all on cost (seq desc);
create index fee_all on fee (seq desc);
create index price_all on price (seq desc);
create index plan_all on plan (seq desc);
create index external_reference_all on external_reference (seq desc);
create index subscription_all on subscription (seq desc);
create index entitlement_all on entitlement (seq desc);
create index invoice_all on invoice (seq desc);
create index source_all on source (seq desc);
create index source_rule_all on source_rule (seq desc);
create index merchant_integration_all on merchant_integration (seq desc);
create index payment_session_all on payment_session (seq desc);
create index payment_link_all on payment_link (seq desc);
create index mail_all on mail (seq desc);
create index test_clock_all on test_clock (seq desc) where deleted_at is null;

/* Lists within one record that may be long. */
create index entitlement_reservation_order on entitlement_reservation (merchant_id, entitlement_id, seq desc);
create index ledger_entry_wallet on ledger_entry (merchant_id, customer_id, seq desc) where account = 'wallet';
create index credit_note_of on credit_note (merchant_id, invoice_id, seq desc);
drop index payment_receipt_invoice;
create index payment_receipt_invoice on payment_receipt (merchant_id, invoice_id, seq desc);
drop index schedule_invoice_of;
create index schedule_invoice_of on schedule_invoice (merchant_id, schedule_id, bill_at, correction, seq);
