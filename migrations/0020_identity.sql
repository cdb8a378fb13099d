-- Organizations, users, API keys and the audit log (§5; api.md, Identity).
-- merchant_id is whose resource it is: a merchant's own id for itself and its users, the platform's for the platform's,
-- and for a consumer the merchant that made it.

create table organization (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  type text not null check (type in ('merchant', 'consumer', 'platform')),
  name text not null,
  legal_name text,
  tax_id text,
  address jsonb,
  billing_emails text[] not null default '{}',
  -- consumers: lower-cased, what a consumer is found again by; never changed
  email text,
  found_by_email boolean not null default true, -- consumers: false where an externalId made it
  phone text,
  default_currency text,
  settings jsonb not null default '{}', -- as set; defaults are filled in on reading (src/identity/settings.ts)
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check (type = 'consumer' or merchant_id = id)
);
call resource_table('organization');
/* Several customers of a merchant may share an e-mail address: an externalId is the identity of a customer that has
   one. Only a consumer that was made to be found by its address is unique for it. The customers of the others tell them
   apart. */
create unique index consumer_email on organization (merchant_id, email) where type = 'consumer' and found_by_email;
create index organization_order on organization (merchant_id, seq desc);
create unique index one_platform on organization (type) where type = 'platform';
create index consumers_of_email on organization (merchant_id, email) where type = 'consumer';
create index organization_all on organization (seq desc);
call keep_list_count('organization', '{type}');

create table app_user (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  organization_id text not null,
  email text not null,
  first_name text,
  last_name text,
  phone text,
  address jsonb,
  type text check (type in ('COMPANY', 'INDIVIDUAL')),
  role text not null check (role in ('admin', 'member', 'viewer')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, organization_id) references organization (merchant_id, id)
);
call resource_table('app_user');
create index app_user_order on app_user (merchant_id, seq desc);
create index app_user_organization on app_user (merchant_id, organization_id);
create index app_user_all on app_user (seq desc);

create table api_key (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  user_id text not null,
  name text not null,
  hash bytea not null, -- SHA-256 of the key; the key itself is stored nowhere
  prefix text not null,
  last4 text not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, user_id) references app_user (merchant_id, id)
);
call resource_table('api_key');
create unique index api_key_hash on api_key (hash);
create index api_key_user on api_key (merchant_id, user_id, seq desc);

create function platform_organization() returns text
  language sql stable security definer set search_path = public, pg_temp
  as $$ select id from organization where type = 'platform' $$;

/* Which world this database belongs to, 'production' or 'sandbox': written by the first start, the same for ever
   after. */
create function environment_name() returns text
  language sql stable security definer set search_path = public, pg_temp
  as $$ select settings ->> 'environment' from organization where type = 'platform' $$;

create table audit_entry (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  -- the log also holds what customers do by themselves
  actor text not null default 'user' check (actor in ('user', 'customer')),
  at timestamptz not null,
  user_id text,
  key_id text,
  customer_id text,
  operation text not null,
  resource_id text,
  before jsonb,
  after jsonb,
  request_id text not null,
  primary key (merchant_id, id),
  constraint audit_entry_actor check (
    (actor = 'user') = (user_id is not null and key_id is not null)
      and (actor = 'customer') = (customer_id is not null))
);
call tenant_table('audit_entry');
create index audit_entry_order on audit_entry (merchant_id, seq desc);
create index audit_entry_resource on audit_entry (merchant_id, resource_id, seq desc);
create index audit_entry_user on audit_entry (merchant_id, user_id, seq desc);
revoke update, delete on audit_entry from reckoner_app;
create index audit_entry_all on audit_entry (seq desc);
call keep_list_count('audit_entry');

/* Who these keys belong to, and marks them as used, each at most once a minute. Runs before any merchant is known, and
   for many keys in one round trip, so that unknown keys cost next to nothing (§5). A key that another transaction is
   marking is not marked again, so nothing waits. */
create function find_api_keys(hashes bytea[], used_at timestamptz)
  returns table (
    hash bytea, key_id text, user_id text, organization_id text, organization_type text, role text,
    expires_at timestamptz
  )
  language plpgsql security definer set search_path = public, pg_temp
  as $$
#variable_conflict use_column
begin
  if exists (
    select from api_key k
     where k.hash = any (hashes) and k.revoked_at is null
       and (k.last_used_at is null or k.last_used_at < used_at - interval '1 minute')
  ) then
    with stale as (
      select k.merchant_id, k.id from api_key k
       where k.hash = any (hashes) and k.revoked_at is null
         and (k.last_used_at is null or k.last_used_at < used_at - interval '1 minute')
         for no key update skip locked
    )
    update api_key k set last_used_at = used_at
      from stale where k.merchant_id = stale.merchant_id and k.id = stale.id;
  end if;
  return query
    select k.hash, k.id, u.id, u.organization_id, o.type, u.role, k.expires_at
      from api_key k
      join app_user u on u.merchant_id = k.merchant_id and u.id = k.user_id
      join organization o on o.merchant_id = u.merchant_id and o.id = u.organization_id
     where k.hash = any (hashes) and k.revoked_at is null;
end $$;

/* Logos of merchants, which are drawn on their documents. Each was checked and written anew before it was stored. */
create table organization_logo (
  merchant_id text not null,
  content_type text not null check (content_type in ('image/png', 'image/svg+xml')),
  width int not null check (width > 0),
  height int not null check (height > 0),
  content bytea storage external not null check (length(content) <= 524288), -- PNGs are compressed already
  updated_at timestamptz not null,
  primary key (merchant_id)
);
call tenant_table('organization_logo');

/* The merchants and the platform: whose lists are counted (docs/decisions/0087). */
create function merchants_with_lists() returns setof text language sql stable as $$
  select merchant_id from organization where type <> 'consumer'
$$;

/* Where an organization is written to, in lower case: its billing addresses, else the one that it was made with. */
create function mailboxes_of(billing_emails text[], email text) returns text[]
  language sql immutable parallel safe set search_path = pg_catalog, pg_temp
  as $$
    select array_agg(lower(box.address))
      from unnest(case when cardinality(billing_emails) > 0 then billing_emails else array[email] end) box (address)
  $$;

create index organization_mailboxes on organization using gin (mailboxes_of(billing_emails, email))
  where type = 'consumer';
