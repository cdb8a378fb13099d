-- Plan changes (domain.md §3): which version a subscription is pinned to from when, what was asked, and what is given back of
-- charges in advance that were billed and not used.

/* The versions of a subscription that had more than one; those that were never changed have no rows. */
create table subscription_version (
  merchant_id text not null,
  subscription_id text not null,
  holds_from timestamptz not null,       -- until the next row's; the first from the start
  seq bigint generated always as identity,
  change_id text,                        -- null: the first
  plan_id text not null,
  plan_version_id text not null,
  anchors jsonb not null,                -- from where the periods of each series are counted, by cadence
  proration text not null check (proration in ('second', 'day', 'none')),
  primary key (merchant_id, subscription_id, seq),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  foreign key (merchant_id, plan_version_id) references plan_version (merchant_id, id)
);
call tenant_table('subscription_version');
create index subscription_version_order on subscription_version (merchant_id, subscription_id, holds_from, seq);

create table subscription_change (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  subscription_id text not null,
  status text not null check (status in ('scheduled', 'applied', 'cancelled')),
  effective text not null check (effective in ('now', 'periodEnd')),
  effective_at timestamptz not null,
  from_plan_version_id text not null,
  plan_id text not null,
  plan_version_id text not null,
  plan_version_number int not null,
  proration text not null check (proration in ('second', 'day', 'none')),
  credit text not null check (credit in ('invoice', 'wallet', 'none')),
  clock_id text,
  next_action_at timestamptz,            -- effective_at while it is scheduled
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  check ((status = 'scheduled') = (next_action_at is not null))
);
call resource_table('subscription_change');
call due_table('subscription_change', 'subscription_change');
create index subscription_change_order on subscription_change (merchant_id, subscription_id, seq desc);
create unique index subscription_change_scheduled on subscription_change (merchant_id, subscription_id) where status = 'scheduled';

/* Charges in advance that stand on another invoice than that of the period before: a list of {cadence, from}. */
alter table invoice add column advances jsonb not null default '[]';

/* What is given back of a charge in advance, at the amount and tax at which it was billed. */
create table unused_credit (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  subscription_id text not null,
  invoice_id text not null,              -- the one that billed it
  price_id text not null,
  charged_from timestamptz not null,     -- the dates of the charge
  charged_to timestamptz not null,
  unused_from timestamptz not null,
  unused_to timestamptz not null,
  display_name text not null,
  amount numeric not null check (amount > 0), -- net, all of it
  tax_amount numeric not null,
  tax_rate numeric not null,             -- percent
  noted_amount numeric not null,         -- of it, net, by credit notes on the invoice that billed it
  noted_tax numeric not null,
  target_invoice_id text,                -- the invoice that bears the rest as a line
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, invoice_id) references invoice (merchant_id, id),
  check (charged_from <= unused_from and unused_from < unused_to and unused_to <= charged_to),
  check (noted_amount >= 0 and noted_amount <= amount and noted_tax >= 0 and noted_tax <= tax_amount)
);
call tenant_table('unused_credit');
create index unused_credit_of on unused_credit (merchant_id, invoice_id);
create index unused_credit_target on unused_credit (merchant_id, target_invoice_id, seq) where target_invoice_id is not null;

/* Credit notes over a part of an invoice; of those there may be several. What they take off what is unpaid counts as paid. */
alter table credit_note drop constraint credit_note_kind_check;
alter table credit_note add constraint credit_note_kind check (kind in ('refund', 'cancellation', 'credit'));
drop index one_unvoided_credit_note;
create unique index one_unvoided_credit_note on credit_note (merchant_id, invoice_id) where status = 'ISSUED' and kind <> 'credit';
alter table invoice add column credited_amount numeric not null default 0
  check (credited_amount >= 0 and credited_amount <= paid_amount);
