-- The active subscriptions that will end: few of all, and the overview counts them.
create index subscription_ending on subscription (merchant_id, seq desc)
  where status = 'active' and ending_at is not null;
