-- why: A pause, a resumption and an end that moves change the fees to come, and so the available billing credits.
/* Fees of a subscription that is paused, resumed, or ends at another time. */
create function wake_credits_of_subscription() returns trigger language plpgsql as $$
begin
  perform wake_credits(new.merchant_id, array[c.id, coalesce(c.payer_id, c.id)])
     from customer c where c.merchant_id = new.merchant_id and c.id = new.customer_id;
  return null;
end $$;
create trigger wake_credits after update of pauses, ending_at on subscription
  for each row when ((old.pauses, old.ending_at) is distinct from (new.pauses, new.ending_at))
  execute function wake_credits_of_subscription();
