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
  email text,                       -- consumers: lower-cased, what a consumer is found again by; never changed
  phone text,
  default_currency text,
  settings jsonb not null default '{}', -- as set; defaults are filled in on reading (src/identity/settings.ts)
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check (type = 'consumer' or merchant_id = id)
);
call resource_table('organization');
create unique index consumer_email on organization (merchant_id, email) where type = 'consumer';
create index organization_order on organization (merchant_id, seq desc);
create unique index one_platform on organization (type) where type = 'platform';

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

create table api_key (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  user_id text not null,
  name text not null,
  hash bytea not null,              -- SHA-256 of the key; the key itself is stored nowhere
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

/* Who a key belongs to: runs before any merchant is known. */
create function find_api_key(key_hash bytea)
  returns table (key_id text, user_id text, organization_id text, organization_type text, role text, expires_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
  as $$
    select k.id, u.id, u.organization_id, o.type, u.role, k.expires_at
      from api_key k
      join app_user u on u.merchant_id = k.merchant_id and u.id = k.user_id
      join organization o on o.merchant_id = u.merchant_id and o.id = u.organization_id
     where k.hash = key_hash and k.revoked_at is null
  $$;

/* Marks a key as used, at most once a minute. */
create function touch_api_key(key_hash bytea, used_at timestamptz) returns void
  language sql security definer set search_path = public, pg_temp
  as $$
    update api_key set last_used_at = used_at
     where hash = key_hash and (last_used_at is null or last_used_at < used_at - interval '1 minute')
  $$;

create function platform_organization() returns text
  language sql stable security definer set search_path = public, pg_temp
  as $$ select id from organization where type = 'platform' $$;

/* Which world this database belongs to, 'production' or 'sandbox': written by the first start, the same for ever after. */
create function environment_name() returns text
  language sql stable security definer set search_path = public, pg_temp
  as $$ select settings ->> 'environment' from organization where type = 'platform' $$;

create table audit_entry (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  at timestamptz not null,
  user_id text not null,
  key_id text not null,
  operation text not null,
  resource_id text,
  before jsonb,
  after jsonb,
  request_id text not null,
  primary key (merchant_id, id)
);
call tenant_table('audit_entry');
create index audit_entry_order on audit_entry (merchant_id, seq desc);
create index audit_entry_resource on audit_entry (merchant_id, resource_id, seq desc);
create index audit_entry_user on audit_entry (merchant_id, user_id, seq desc);
revoke update, delete on audit_entry from reckoner_app;
