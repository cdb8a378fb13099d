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
