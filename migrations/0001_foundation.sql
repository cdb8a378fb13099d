-- Roles and row-level security: what every table stands on. Every connection works as reckoner_app (it reads and writes
-- rows of the merchants that the transaction names) or as reckoner_operator (it reads all rows, for the lists of a
-- platform operator). Neither role owns anything, so neither can bypass a policy.

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

/* Locks a table to its merchants. Every table that has merchant_id is handed to this or to resource_table(), once. The
   policy reads the merchants of a transaction once for each statement, not for each row. */
create procedure tenant_table(name regclass)
  language plpgsql
  as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format(
    'create policy merchants on %s to reckoner_app
       using (merchant_id = any (
         (select string_to_array(current_setting(''reckoner.merchants'', true), '',''))::text[]))
       with check (merchant_id = any (
         (select string_to_array(current_setting(''reckoner.merchants'', true), '',''))::text[]))', name);
  execute format('create policy operator on %s for select to reckoner_operator using (true)', name);
  execute format('grant select, insert, update, delete on %s to reckoner_app', name);
  execute format('grant select on %s to reckoner_operator', name);
end $$;

/* An instant as a number: microseconds since 1970. */
create function epoch_microseconds(at timestamptz) returns bigint language sql immutable
  return (extract(epoch from at) * 1000000)::bigint;

-- The role that the program's connections log in as. It owns nothing and inherits nothing: what it may do it does as
-- one of the two roles that a transaction takes, so `reset role` gives no more rights.
do $$
begin
  if not exists (select from pg_roles where rolname = 'reckoner_login') then
    create role reckoner_login login noinherit;
  end if;
exception when duplicate_object or unique_violation then
  null; -- production and sandbox may share one server and start at the same moment
end $$;

do $$
begin
  if not pg_has_role('reckoner_login', 'reckoner_app', 'set') then
    grant reckoner_app to reckoner_login with inherit false, set true;
  end if;
  if not pg_has_role('reckoner_login', 'reckoner_operator', 'set') then
    grant reckoner_operator to reckoner_login with inherit false, set true;
  end if;
end $$;

grant usage on schema public to reckoner_login;
