-- The parts of a period that closeNow cuts are priced as the one period that they are (domain.md §4, row 2): each has to know what the earlier ones used.

/* Where the period began of which this is the rest, because closeNow ended the part before it; null: it begins its period. */
alter table invoice add column continues_from timestamptz;
alter table invoice add constraint invoice_continues check (continues_from < period_start);

/* What other parts of a period used of a price, as an invoice is calculated with it: of its own period (of_invoice_id is the invoice
   itself) that of the parts before it; of a part for which it bills late usage that of all the others. Without usage one row of 0. */
create table usage_of_parts (
  merchant_id text not null,
  invoice_id text not null,              -- which is calculated with it
  of_invoice_id text not null,           -- whose part of the period it is beside
  price_id text not null,
  group_key text not null,
  group_values jsonb not null,
  quantity numeric not null,
  event_count int not null,
  granted numeric not null,
  until timestamptz not null,            -- the end of the last of the parts that had been read
  primary key (merchant_id, invoice_id, of_invoice_id, price_id, group_key),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id),
  foreign key (merchant_id, of_invoice_id) references invoice (merchant_id, id)
);
call tenant_table('usage_of_parts');
create trigger guard before insert or update or delete on usage_of_parts for each row execute function guard_issued_rows();
