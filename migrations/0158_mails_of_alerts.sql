-- Mails of alerts: to the merchant, and to the customer where the alert says so.

alter table mail
  drop constraint mail_kind_check,
  add constraint mail_kind_check check (kind in (
    'invoiceIssued', 'invoicePaid', 'paymentReceived', 'paymentFailed', 'invoiceRefunded', 'refundVoided',
    'invoiceCredited', 'invoiceCancelled', 'renewalReminder', 'alertTriggered', 'alertReached'));
