-- Credit notes get documents as invoices do, and every document an e-invoice beside it (domain.md §4, Document).

/* The e-invoice (EN 16931) as it was made with its document; the same text is inside the PDF. */
create table e_invoice (
  merchant_id text not null,
  owner_id text not null,                -- the invoice or the credit note
  content text not null,
  created_at timestamptz not null,
  primary key (merchant_id, owner_id)
);
call tenant_table('e_invoice');
revoke update, delete on e_invoice from reckoner_app;

/* The job that renders a credit note after its issue. */
create table credit_note_job (
  merchant_id text not null,
  id text not null,
  clock_id text check (clock_id is null),
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references credit_note (merchant_id, id)
);
call tenant_table('credit_note_job');
call due_table('credit_note_document', 'credit_note_job');

/* Whoever issues a credit note, and why: it gets its document. */
create function render_credit_note() returns trigger language plpgsql as $$
begin
  insert into credit_note_job (merchant_id, id, next_action_at)
  select new.merchant_id, new.id, document_due(new.merchant_id, clock_id, new.created_at)
    from invoice where merchant_id = new.merchant_id and id = new.invoice_id;
  return null;
end $$;
create trigger render after insert on credit_note for each row execute function render_credit_note();

/* What stands on a credit note over a part of an invoice; one over all of it shows the invoice's own lines. */
create table credit_note_line (
  merchant_id text not null,
  credit_note_id text not null,
  position int not null,
  display_name text not null,
  amount numeric not null,               -- net of tax
  tax_amount numeric not null,
  tax_rate numeric not null,             -- percent
  period_start timestamptz not null,
  period_end timestamptz not null,
  primary key (merchant_id, credit_note_id, position),
  foreign key (merchant_id, credit_note_id) references credit_note (merchant_id, id)
);
call tenant_table('credit_note_line');
revoke update, delete on credit_note_line from reckoner_app;
