-- People sign in at the web console with a password or a link (docs/decisions/0236). A login is a user of identity, and
-- never an e-mail address: users of several organizations may have the same one.

create schema auth;
grant usage on schema auth to reckoner_app;

/* A user who has signed in. */
create table auth.login (
  id text primary key,
  merchant_id text not null,
  created_at timestamptz not null,
  foreign key (merchant_id, id) references app_user (merchant_id, id) on delete cascade
);

create table auth.password (
  user_id text primary key references auth.login on delete cascade,
  hash text not null, -- scrypt with a salt
  updated_at timestamptz not null
);

create table auth.session (
  id text primary key,
  user_id text not null references auth.login on delete cascade,
  token bytea not null unique, -- SHA-256 of the token; the token itself is stored nowhere
  method text not null check (method in ('password', 'link')),
  ip_address text not null,
  user_agent text not null,
  created_at timestamptz not null,
  used_at timestamptz not null,
  expires_at timestamptz not null -- 30 days after the sign-in, however much it is used
);
create index session_of_user on auth.session (user_id);
create index session_used on auth.session (used_at);

/* A link that signs one user in, once. */
create table auth.link (
  token bytea primary key, -- SHA-256 of the token
  merchant_id text not null,
  user_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (merchant_id, user_id) references app_user (merchant_id, id) on delete cascade
);
create index link_of_user on auth.link (user_id);

/* A transaction that works for a merchant sees nothing of it: only one that works for nobody, as every sign-in does. */
do $$
declare
  name text;
begin
  foreach name in array array['login', 'password', 'session', 'link'] loop
    execute format('alter table auth.%I enable row level security', name);
    execute format(
      'create policy nobody on auth.%I to reckoner_app
         using (coalesce(current_setting(''reckoner.merchants'', true), '''') = '''')', name);
    execute format('grant select, insert, update, delete on auth.%I to reckoner_app', name);
  end loop;
end $$;

/* Who has signed in with a session that still lasts, and marks it as used, at most once a minute. A session lasts 12
   hours from its last use, and 30 days from the sign-in. */
create function find_console_session(hash bytea, at timestamptz)
  returns table (
    id text, user_id text, organization_id text, organization_type text, role text, method text,
    created_at timestamptz, expires_at timestamptz
  )
  language plpgsql security definer set search_path = public, pg_temp
  as $$
#variable_conflict use_column
begin
  update auth.session s set used_at = at
   where s.token = hash and s.used_at < at - interval '1 minute'
     and s.used_at > at - interval '12 hours' and s.expires_at > at;
  return query
    select s.id, u.id, u.organization_id, o.type, u.role, s.method, s.created_at,
           least(s.used_at + interval '12 hours', s.expires_at)
      from auth.session s
      join auth.login l on l.id = s.user_id
      join app_user u on u.merchant_id = l.merchant_id and u.id = l.id
      join organization o on o.merchant_id = u.merchant_id and o.id = u.organization_id
     where s.token = hash and s.used_at > at - interval '12 hours' and s.expires_at > at;
end $$;
