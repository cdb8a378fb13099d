-- The customer portal (docs/decisions/0124): links that open it once, and the sessions that they become.

/* A link, and after its opening the session of the browser that opened it. Only hashes of the secrets are kept. */
create table portal_link (
  merchant_id text not null,
  link_hash bytea not null,                -- SHA-256 of the token in the link
  customer_id text not null,
  subscription_id text,                    -- at which the portal opens; null: at its overview
  way text not null check (way in ('api', 'mail')),
  return_url text,                         -- where "back" leads; checked as it was given
  expires_at timestamptz not null,         -- until then the link opens the portal
  session_seconds int check (session_seconds > 0), -- null: the session ends with the link
  opened_at timestamptz,
  session_hash bytea,                      -- SHA-256 of the session's token, which the browser keeps in a cookie
  session_ends_at timestamptz,
  ended_at timestamptz,                    -- somebody logged out
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
create index portal_link_of_subscription on portal_link (merchant_id, subscription_id) where subscription_id is not null;
create index portal_link_age on portal_link (created_at);

/* Whose a link or a session is: runs before any merchant is known. */
create function merchant_of_portal_link(hash bytea) returns text
  language sql stable security definer set search_path = public, pg_temp
  as $$ select merchant_id from portal_link where link_hash = hash $$;

create function merchant_of_portal_session(hash bytea) returns text
  language sql stable security definer set search_path = public, pg_temp
  as $$ select merchant_id from portal_link where session_hash = hash $$;

/* Links that are of no use any more, with their sessions. @returns how many went */
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

/* The audit log also holds what customers do by themselves. */
alter table audit_entry
  add column actor text not null default 'user' check (actor in ('user', 'customer')),
  add column customer_id text,
  alter column user_id drop not null,
  alter column key_id drop not null,
  add constraint audit_entry_actor check (
    (actor = 'user') = (user_id is not null and key_id is not null) and (actor = 'customer') = (customer_id is not null));

/* Links by mail. */
alter table mail
  drop constraint mail_kind_check,
  add constraint mail_kind_check check (kind in (
    'invoiceIssued', 'invoicePaid', 'paymentReceived', 'paymentFailed', 'invoiceRefunded', 'refundVoided',
    'invoiceCredited', 'invoiceCancelled', 'renewalReminder', 'alertTriggered', 'alertReached', 'portalLink'));

/* Where an organization is written to, in lower case: its billing addresses, else the one that it was made with. */
create function mailboxes_of(billing_emails text[], email text) returns text[]
  language sql immutable parallel safe set search_path = pg_catalog, pg_temp
  as $$
    select array_agg(lower(box.address))
      from unnest(case when cardinality(billing_emails) > 0 then billing_emails else array[email] end) box (address)
  $$;
create index organization_mailboxes on organization using gin (mailboxes_of(billing_emails, email)) where type = 'consumer';

/* Customers of a merchant to whom is written at an address, the oldest first. It runs as the owner, because behind
   row-level security no index serves a search in arrays. */
create function customers_mailed_at(of_merchant text, mailbox text, most int) returns setof text
  language sql stable security definer set search_path = public, pg_temp
  as $$
    select customer.id
      from organization
      join customer on customer.merchant_id = organization.merchant_id and customer.consumer_id = organization.id
     where organization.merchant_id = of_merchant and organization.type = 'consumer' and customer.deleted_at is null
       and mailboxes_of(organization.billing_emails, organization.email) @> array[lower(mailbox)]
     order by customer.seq limit most
  $$;
