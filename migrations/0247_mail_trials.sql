-- The mail before the end of a trial (docs/decisions/0263-the-end-of-a-trial.md).

alter table mail
  drop constraint mail_kind_check,
  add constraint mail_kind_check check (kind in (
    'invoiceIssued', 'invoicePaid', 'paymentReceived', 'paymentFailed', 'invoiceRefunded', 'refundVoided',
    'invoiceCredited', 'invoiceCancelled', 'renewalReminder', 'trialEnding', 'alertTriggered', 'alertReached',
    'portalLink'));
