-- Users of the web console: they are found by their e-mail address, and change things without an API key.

create index app_user_email on app_user (lower(email));

/* The users with an e-mail address, in any case: operators first, then the oldest, at most ten. So nobody takes a place
   from a user by creating others with the same address. With `chosen` only that one. */
create function find_users_of_email(mailbox text, chosen text)
  returns table (id text, organization_id text, organization_name text, organization_type text, role text)
  language sql stable security definer set search_path = public, pg_temp
  as $$
    select u.id, o.id, o.name, o.type, u.role
      from app_user u
      join organization o on o.merchant_id = u.merchant_id and o.id = u.organization_id
     where lower(u.email) = lower(mailbox) and (chosen is null or u.id = chosen)
     order by (o.type = 'platform') desc, u.created_at, u.id
     limit 10
  $$;

/* The rows before meet the stricter condition that this one replaces. */
alter table audit_entry drop constraint audit_entry_actor;
alter table audit_entry add constraint audit_entry_actor check (
  (actor = 'user') = (user_id is not null) and (actor = 'user' or key_id is null)
    and (actor = 'customer') = (customer_id is not null)) not valid;
