-- A schedule of a subscription follows it, whatever changes its status or its end: due work looks at it at once. A trigger,
-- because subscriptions know no schedules and end on many roads.

create function wake_schedules() returns trigger language plpgsql as $$
begin
  update billing_schedule set next_action_at = new.updated_at
   where merchant_id = new.merchant_id and subscription_id = new.id and status <> 'cancelled';
  return null;
end $$;
create trigger wake_schedules after update of status, ending_at, terminated_at on subscription
  for each row
  when ((old.status, old.ending_at, old.terminated_at) is distinct from (new.status, new.ending_at, new.terminated_at))
  execute function wake_schedules();
