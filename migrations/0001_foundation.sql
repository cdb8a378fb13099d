-- Roles, row-level security and ownership: what every table after this one stands on.
-- Every connection works as reckoner_app (reads and writes rows of the merchants named in the transaction) or as
-- reckoner_operator (reads all; a platform operator's lists). Neither owns anything, so neither can step around a policy.

do $$
begin
  if not exists (select from pg_roles where rolname = 'reckoner_app') then
    create role reckoner_app nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'reckoner_operator') then
    create role reckoner_operator nologin;
  end if;
exception when duplicate_object or unique_violation then
  null; -- production and sandbox may share one server and start at the same moment
end $$;

do $$
begin
  -- The connecting user must be allowed to become both.
  if not pg_has_role(current_user, 'reckoner_app', 'set') then grant reckoner_app to current_user; end if;
  if not pg_has_role(current_user, 'reckoner_operator', 'set') then grant reckoner_operator to current_user; end if;
end $$;

grant usage on schema public to reckoner_app, reckoner_operator;

/* Who owns a resource. Tells "unknown" (404) from "another merchant's" (403) before any row of a merchant is visible;
   readable through owner_of() alone. */
create table resource (
  id text primary key,
  merchant_id text not null
);

create function owner_of(resource_id text) returns text
  language sql stable security definer set search_path = public, pg_temp
  as $$ select merchant_id from resource where id = resource_id $$;

create function register_resources() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
  as $$
begin
  insert into resource (id, merchant_id) select id, merchant_id from inserted;
  return null;
end $$;

create function unregister_resources() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
  as $$
begin
  delete from resource where id in (select id from deleted);
  return null;
end $$;

/* Locks a table to its merchants. Every table that has merchant_id is handed to one of the two below, once. */
create procedure tenant_table(name regclass)
  language plpgsql
  as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format(
    'create policy merchants on %s to reckoner_app
       using (merchant_id = any (string_to_array(current_setting(''reckoner.merchants'', true), '','')))
       with check (merchant_id = any (string_to_array(current_setting(''reckoner.merchants'', true), '','')))', name);
  execute format('create policy operator on %s for select to reckoner_operator using (true)', name);
  execute format('grant select, insert, update, delete on %s to reckoner_app', name);
  execute format('grant select on %s to reckoner_operator', name);
end $$;

/* A tenant table whose rows are resources with a public id: each insert registers its owner. */
create procedure resource_table(name regclass)
  language plpgsql
  as $$
begin
  call tenant_table(name);
  execute format(
    'create trigger register after insert on %s referencing new table as inserted
       for each statement execute function register_resources()', name);
  execute format(
    'create trigger unregister after delete on %s referencing old table as deleted
       for each statement execute function unregister_resources()', name);
end $$;

/* Effects that leave by webhook, written in the transaction of the state that they tell of (domain.md §9). */
create table outbox (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  type text not null,
  data jsonb not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
call resource_table('outbox');
create index outbox_order on outbox (merchant_id, seq);

/* Idempotency-Key: claim, effect and stored answer commit together (api.md, Everywhere). */
create table idempotency_key (
  merchant_id text not null,
  route text not null,
  key text not null,
  fingerprint bytea not null,
  status int,
  body text,
  created_at timestamptz not null,
  primary key (merchant_id, route, key)
);
call tenant_table('idempotency_key');
create index idempotency_key_age on idempotency_key (created_at);

/* Steps of due work that threw: tried again later, parked after the fifth time (domain.md §8). */
create table due_failure (
  merchant_id text not null,
  kind text not null,
  id text not null,
  attempts int not null,
  error text not null,
  retry_at timestamptz,
  parked_at timestamptz,
  primary key (merchant_id, kind, id)
);
call tenant_table('due_failure');

/* An instant as a number: microseconds since 1970. */
create function epoch_microseconds(at timestamptz) returns bigint language sql immutable
  return (extract(epoch from at) * 1000000)::bigint;
