-- What was typed into a sign-up form that is shown again, because of mistakes, a changed price, or a checked tax number
-- (docs/decisions/0226). The page has its own address, so that the browser's "back" and a reload send no form again.

create table checkout_input (
  merchant_id text not null,
  link_id text not null,
  form text not null,       -- drawn for each form that is shown; it is in the address of the page that shows this again
  typed jsonb not null,     -- the fields, as typed
  reason text not null check (reason in ('checked', 'mistakes', 'changed', 'repeated')),
  register text check (register in ('valid', 'invalid', 'unavailable')), -- its answer about the tax number; null: not asked
  created_at timestamptz not null,
  primary key (merchant_id, link_id, form),
  foreign key (merchant_id, link_id) references checkout_link (merchant_id, id)
);
call tenant_table('checkout_input');
create index checkout_input_age on checkout_input (created_at);

/* Forgets what was typed, for the housekeeping of all merchants: as the owner. */
create function forget_checkout_inputs(created_before timestamptz, most int) returns bigint
  language sql security definer set search_path = public, pg_temp
as $$
  with forgotten as (
    delete from checkout_input where (merchant_id, link_id, form) in (
      select merchant_id, link_id, form from checkout_input
       where created_at < created_before
       order by created_at limit most for update skip locked)
    returning 1)
  select count(*) from forgotten
$$;
