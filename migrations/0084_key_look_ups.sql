-- API keys are looked up many at a time, in one round trip: unknown keys must cost next to nothing (§5).

drop function find_api_key, touch_api_key;

/*
 * Who these keys belong to, and marks them as used, each at most once a minute. Runs before any merchant is known. A
 * key that somebody else is marking is not marked again, so that nobody waits.
 */
create function find_api_keys(hashes bytea[], used_at timestamptz)
  returns table (
    hash bytea, key_id text, user_id text, organization_id text, organization_type text, role text, expires_at timestamptz
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
