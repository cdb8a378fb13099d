-- Upfront payment and renewal reminders (domain.md §3): what a subscription asks before it is active, and since when it is.

alter table subscription
  add column prefund_amount numeric not null default 0 check (prefund_amount >= 0), -- for the wallet, with the upfront invoice
  add column session_expiry_minutes int check (session_expiry_minutes > 0),         -- of the upfront session; null: as usual
  add column activated_at timestamptz,                      -- null: not (yet) paid for; such a one never bills any usage
  add column reminded_period int;                           -- the last period of the plan's series whose renewal was told of
update subscription set activated_at = greatest(started_at, created_at) where status <> 'pending_payment';
alter table subscription
  add constraint subscription_activation check (case status when 'active' then activated_at is not null
                                                            when 'pending_payment' then activated_at is null
                                                            else true end);

/* One upfront invoice that a subscription waits for. */
create unique index invoice_awaited on invoice (merchant_id, purpose_id) where kind = 'upfront' and purpose_id is not null;

/* Who is subscribed already is looked at once, so that renewals are told of from now on. */
update subscription set next_action_at = created_at where status = 'active' and billing_opened and clock_id is null;
