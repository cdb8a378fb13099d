-- A negative line by hand that is more than its invoice goes on to the next ones: what could not be taken off is a line of
-- its own, which names the line that it is left of. What no invoice can bear any more is in the customer's wallet.

alter table manual_line
  add column tax_rate numeric,              -- percent; null: the rate of the invoice that takes it
  add column carried_from_id text,          -- the line that it is left of
  add column carried_because text check (carried_because in ('remainder', 'cancellation')),
  add column into_wallet_at timestamptz,    -- when no invoice could bear it any more
  add foreign key (merchant_id, carried_from_id) references manual_line (merchant_id, id),
  add check ((carried_from_id is null) = (carried_because is null)),
  add check (into_wallet_at is null or (carried_from_id is not null and invoice_id is null));

-- A line is carried over once because its invoice was too small, and once because that invoice was cancelled.
create unique index manual_line_carried on manual_line (merchant_id, carried_from_id, carried_because)
  where carried_from_id is not null;

drop index manual_line_pending;
create index manual_line_pending on manual_line (merchant_id, subscription_id, seq)
  where calculated_at is null and into_wallet_at is null;
