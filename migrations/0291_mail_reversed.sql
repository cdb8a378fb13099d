-- A mail says that a payment came back, and what is to pay again (commercial.md §7).

alter table mail
  drop constraint mail_kind_check,
  add constraint mail_kind_check check (kind in (
    'invoiceIssued', 'invoicePaid', 'paymentReceived', 'paymentReversed', 'paymentFailed', 'invoiceRefunded',
    'refundVoided', 'invoiceCredited', 'invoiceCancelled', 'renewalReminder', 'trialEnding', 'alertTriggered',
    'alertReached', 'portalLink'));
