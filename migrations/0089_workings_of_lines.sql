-- How the amount of a line came about is kept with it, so that its document can say it: facts of the calculation, as
-- text.

alter table invoice_line add column workings jsonb;

/* What a credit for unused time was worked out from, and which credit a line of a credit note gives back. */
alter table unused_credit add column workings jsonb;
alter table credit_note_line add column credit_id text;
create index credit_note_line_credit on credit_note_line (merchant_id, credit_id) where credit_id is not null;
