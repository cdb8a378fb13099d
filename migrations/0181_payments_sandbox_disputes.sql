-- The sandbox opens a dispute a day after a payment by its test card (api.md, complete).

/* Until then the row waits as an inquiry, that nobody sees. Disputes of other providers come by their notices. */
alter table payment_dispute
  drop constraint payment_dispute_provider_check,
  add constraint payment_dispute_provider_check check (provider in ('stripe', 'sandbox')),
  add column clock_id text,
  add column next_action_at timestamptz,
  add constraint payment_dispute_waits_for_its_start check (next_action_at is null or status = 'inquiry');
call due_table('payment_dispute', 'payment_dispute');
