-- Sign-up links (docs/decisions/0120): a page on which somebody subscribes to a plan, and what people have typed there.

create table checkout_link (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  plan_id text not null,
  customer_id text,                  -- the customer that it is for, where it is there already
  known jsonb,                       -- what is known of the one person that it is for
  max_uses int check (max_uses > 0), -- null: any number of people
  uses int not null default 0 check (uses >= 0 and uses <= max_uses),
  success_redirect_url text,
  failure_redirect_url text,
  metadata jsonb not null,
  expires_at timestamptz not null,
  ended_at timestamptz,              -- ended before its time
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, plan_id) references plan (merchant_id, id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  check (customer_id is null or known is null),
  check ((customer_id is null and known is null) or max_uses = 1)
);
call resource_table('checkout_link');
create index checkout_link_order on checkout_link (merchant_id, seq desc);
create index checkout_link_all on checkout_link (seq desc);
create index checkout_link_plan on checkout_link (merchant_id, plan_id, seq desc);
create index checkout_link_customer on checkout_link (merchant_id, customer_id, seq desc) where customer_id is not null;

/* One person on the way through a link. The ids of what paying will make are promised here, so that the payment session
   can name them, and so that each is made once. */
create table checkout (
  merchant_id text not null,
  id text not null,
  link_id text not null,
  form text not null,            -- drawn for each form that is shown: one form sent twice is one checkout
  plan_version_id text not null, -- whose prices were shown
  typed jsonb,                   -- null once the customer has it, and for a customer that was there
  amount numeric not null check (amount >= 0),
  currency text not null,
  customer_id text not null,
  subscription_id text not null,
  invoice_id text not null,
  session_id text,               -- null: nothing is due, and no card is wanted
  expires_at timestamptz not null,
  completed_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, link_id) references checkout_link (merchant_id, id),
  foreign key (merchant_id, session_id) references payment_session (merchant_id, id)
);
call resource_table('checkout');
create unique index checkout_form on checkout (merchant_id, link_id, form);
create unique index checkout_subscription on checkout (merchant_id, subscription_id);
create unique index checkout_session on checkout (merchant_id, session_id) where session_id is not null;
create index checkout_unfinished on checkout (expires_at) where completed_at is null;

/* Forgets what was typed by people who never finished, for the housekeeping of all merchants: as the owner. */
create function forget_checkouts(expired_before timestamptz, most int) returns bigint
  language sql security definer set search_path = public, pg_temp
as $$
  with forgotten as (
    delete from checkout where (merchant_id, id) in (
      select merchant_id, id from checkout
       where completed_at is null and expires_at < expired_before
       order by expires_at limit most for update skip locked)
    returning 1)
  select count(*) from forgotten
$$;
