-- Test cards whose bank answers later, or asks the customer to confirm: the session is `processing` meanwhile.

alter table payment_session
  add column pending_card text,          -- the test card whose outcome is open
  drop constraint payment_session_check5,
  add constraint payment_session_due check (
    case when status in ('pending', 'failed') then next_action_at is not null
         when status = 'processing' then (pending_card is not null) = (next_action_at is not null)
         else next_action_at is null end),
  add constraint payment_session_pending check (pending_card is null or (status = 'processing' and provider = 'sandbox'));
