-- The customer portal (docs/decisions/0124): links that open it once, and the sessions that they become.

/* A link, and after its opening the session of the browser that opened it. Only hashes of the secrets are kept. */
create table portal_link (
  merchant_id text not null,
  link_hash bytea not null,        -- SHA-256 of the token in the link
  customer_id text not null,
  subscription_id text,            -- at which the portal opens; null: at its overview
  way text not null check (way in ('api', 'mail')),
  return_url text,                 -- where "back" leads; checked as it was given
  expires_at timestamptz not null, -- until then the link opens the portal
  session_seconds int check (session_seconds > 0), -- null: the session ends with the link
  opened_at timestamptz,
  -- SHA-256 of the session's token, which the browser keeps in a cookie
  session_hash bytea,
  session_ends_at timestamptz,
  ended_at timestamptz,            -- somebody logged out
  created_at timestamptz not null,
  primary key (merchant_id, link_hash),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id),
  check ((opened_at is null) = (session_hash is null)),
  check ((opened_at is null) = (session_ends_at is null)),
  check (ended_at is null or opened_at is not null),
  check (expires_at > created_at)
);
call tenant_table('portal_link');
create index portal_link_hash on portal_link (link_hash);
create unique index portal_session on portal_link (merchant_id, session_hash) where session_hash is not null;
create index portal_session_hash on portal_link (session_hash) where session_hash is not null;
create index portal_link_of_customer on portal_link (merchant_id, customer_id, created_at desc);
create index portal_link_of_subscription on portal_link (merchant_id, subscription_id)
  where subscription_id is not null;
create index portal_link_age on portal_link (created_at);

/* Whose a link or a session is: runs before any merchant is known. */
create function merchant_of_portal_link(hash bytea) returns text
  language sql stable security definer set search_path = public, pg_temp
  as $$ select merchant_id from portal_link where link_hash = hash $$;

create function merchant_of_portal_session(hash bytea) returns text
  language sql stable security definer set search_path = public, pg_temp
  as $$ select merchant_id from portal_link where session_hash = hash $$;

/* Deletes links that are of no use any more, with their sessions. @returns how many */
create function forget_portal_links(older_than timestamptz, most int) returns int
  language sql security definer set search_path = public, pg_temp
  as $$
    with gone as (
      delete from portal_link
       where (merchant_id, link_hash) in (
         select merchant_id, link_hash from portal_link where created_at < older_than order by created_at limit most)
      returning 1)
    select count(*)::int from gone
  $$;
