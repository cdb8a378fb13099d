-- The answers of a register about VAT numbers that people type while they sign up (docs/decisions/0235). The customer
-- that is made from such a form has its answer at once, so that its first invoice is taxed by it.

create table tax_id_answer (
  merchant_id text not null,
  prefix text not null,     -- as the register takes it: DE, EL, XI
  number text not null,
  outcome text not null check (outcome in ('valid', 'invalid')),
  name text,                -- of the holder, where the register says it
  address text,
  answered_at timestamptz not null,
  primary key (merchant_id, prefix, number)
);
call tenant_table('tax_id_answer');
create index tax_id_answer_age on tax_id_answer (answered_at);

/* Forgets answers, for the housekeeping of all merchants: as the owner. */
create function forget_tax_id_answers(answered_before timestamptz, most int) returns bigint
  language sql security definer set search_path = public, pg_temp
as $$
  with forgotten as (
    delete from tax_id_answer where (merchant_id, prefix, number) in (
      select merchant_id, prefix, number from tax_id_answer
       where answered_at < answered_before
       order by answered_at limit most for update skip locked)
    returning 1)
  select count(*) from forgotten
$$;
