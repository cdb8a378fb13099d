-- Mails of payments that fail, of refunds and of credit notes; mails that bring documents along; mails withdrawn before
-- they left.

alter table mail
  drop constraint mail_kind_check,
  add constraint mail_kind_check check (kind in (
    'invoiceIssued', 'invoicePaid', 'paymentReceived', 'paymentFailed', 'invoiceRefunded', 'refundVoided',
    'invoiceCredited', 'invoiceCancelled', 'renewalReminder')),
  drop constraint mail_status_check,
  add constraint mail_status_check check (status in ('held', 'pending', 'sent', 'failed', 'withdrawn')),
  add column attachments jsonb not null default '[]'; -- which documents; each is read as the mail is sent
