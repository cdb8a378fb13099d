-- VAT numbers that a register has confirmed while people signed up (docs/decisions/0235). The customer that is made
-- from such a form has a valid number at once, so that its first invoice is taxed by it.

create table confirmed_tax_id (
  merchant_id text not null,
  prefix text not null,     -- as the register takes it: DE, EL, XI
  number text not null,
  name text,                -- of the holder, where the register says it
  address text,
  confirmed_at timestamptz not null,
  primary key (merchant_id, prefix, number)
);
call tenant_table('confirmed_tax_id');
create index confirmed_tax_id_age on confirmed_tax_id (confirmed_at);

/* Forgets confirmations, for the housekeeping of all merchants: as the owner. */
create function forget_confirmed_tax_ids(confirmed_before timestamptz, most int) returns bigint
  language sql security definer set search_path = public, pg_temp
as $$
  with forgotten as (
    delete from confirmed_tax_id where (merchant_id, prefix, number) in (
      select merchant_id, prefix, number from confirmed_tax_id
       where confirmed_at < confirmed_before
       order by confirmed_at limit most for update skip locked)
    returning 1)
  select count(*) from forgotten
$$;
