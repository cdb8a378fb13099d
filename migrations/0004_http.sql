-- Idempotency keys of requests (api.md, Everywhere).

/* A claim, its effect and its stored answer commit together. */
create table idempotency_key (
  merchant_id text not null,
  route text not null,
  key text not null,
  fingerprint bytea not null,
  status int,
  body text,
  -- An answer that shows the outcome of a call to a provider comes after its intent (docs/decisions/0103). Until then
  -- the claim holds the intent, from which the answer is made.
  intent jsonb,
  answer_due_at timestamptz, -- from then on another request may wait in place of the first
  created_at timestamptz not null,
  primary key (merchant_id, route, key),
  check ((intent is null) = (answer_due_at is null)),
  check (intent is null or status is null)
);
call tenant_table('idempotency_key');
create index idempotency_key_age on idempotency_key (created_at);

/* Forgets idempotency keys of all merchants that are older than this, at most `most` at a time. @returns how many. */
create function forget_idempotency_keys(older_than timestamptz, most int) returns int
  language sql security definer set search_path = public, pg_temp
  as $$
    with old as (
      select merchant_id, route, key from idempotency_key
        where created_at < older_than limit most for update skip locked
    ), gone as (
      delete from idempotency_key where (merchant_id, route, key) in (select * from old) returning 1
    )
    select count(*)::int from gone
  $$;
