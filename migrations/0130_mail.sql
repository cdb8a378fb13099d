-- Mail to customers and merchants (docs/mail.md): written in the transaction of what it tells of, sent by a background
-- job.

create table mail (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  kind text not null check (kind in (
    'invoiceIssued', 'invoicePaid', 'paymentReceived', 'paymentFailed', 'invoiceRefunded', 'refundVoided',
    'invoiceCredited', 'invoiceCancelled', 'renewalReminder', 'alertTriggered', 'alertReached', 'portalLink')),
  about_id text not null,                  -- the invoice; of a reminder the subscription
  -- which of several of one kind about the same: the renewal of a reminder; else empty
  occasion text not null,
  customer_id text not null,
  recipients text[] not null check (cardinality(recipients) > 0),
  sender_name text not null,               -- the merchant's; the address is that of the whole installation
  reply_to text,
  content jsonb not null,                  -- the words: subject, greeting, paragraphs, facts, action
  attachments jsonb not null default '[]', -- which documents; each is read as the mail is sent
  status text not null check (status in ('held', 'pending', 'sent', 'failed', 'withdrawn')),
  attempts int not null default 0,
  last_error text,
  clock_id text check (clock_id is null),  -- mail is not waited for on a test clock (domain.md §8)
  next_action_at timestamptz,
  created_at timestamptz not null,
  sent_at timestamptz,
  primary key (merchant_id, id),
  unique (merchant_id, kind, about_id, occasion),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  check ((status = 'pending') = (next_action_at is not null)),
  check ((status = 'sent') = (sent_at is not null))
);
call resource_table('mail');
call due_table('mail', 'mail');
create index mail_order on mail (merchant_id, seq desc);
create index mail_of_customer on mail (merchant_id, customer_id, seq desc);
create index mail_about on mail (merchant_id, about_id, seq desc);
create index mail_all on mail (seq desc);
call keep_list_count('mail', '{status, kind}');
