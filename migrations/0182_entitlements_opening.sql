-- A customer whom a process does not know yet is read in one statement, like an entitlement.

/* The entitlements of a customer that have not ended, oldest first. Each is at its effective now, with all that its
   balance depends on beside usage, and with the time at which its next grant begins. `wanted` or `external` names the
   customer; `product` and `key` leave only entitlements to that product or to features of that key. No row: there is no
   such customer. A row without `found`: it has no such entitlement. `asked` are the features of the key. All is of one
   moment. */
create function customer_opening(merchant text, wanted text, external text, product text, key text, wall timestamptz)
  returns table (customer text, state text, asked jsonb, found entitlement, effective_now timestamptz,
                 next_grant_at timestamptz, feature_key text, terms jsonb, grants text, resets jsonb, meters jsonb,
                 preceding jsonb, reserved numeric, snapshot_at timestamptz, snapshot_state jsonb, snapshot_taken text)
  language plpgsql stable
  set enable_hashjoin = off set enable_mergejoin = off
  as $$
#variable_conflict use_variable
declare
  ids text[];
  ats timestamptz[];
begin
  if wanted is not null then
    select c.id into customer from customer c
     where c.merchant_id = merchant and c.id = wanted and c.deleted_at is null;
  else
    select c.id into customer from customer c
     where c.merchant_id = merchant and c.external_id = external and c.deleted_at is null;
  end if;
  if customer is null then return; end if;
  if key is not null then
    select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'key', f.key, 'productId', f.product_id, 'type', f.type)
                              order by f.seq), '[]')
      into asked from feature f
     where f.merchant_id = merchant and f.key = customer_opening.key and (product is null or f.product_id = product);
  end if;
  select array_agg(e.id order by e.seq), array_agg(t.at order by e.seq)
    into ids, ats
    from entitlement e
   cross join lateral (select coalesce((select c.clock_time from test_clock c
                                         where c.merchant_id = merchant and c.id = e.clock_id), wall) as at) t
   where e.merchant_id = merchant and e.customer_id = customer and (e.active_to is null or e.active_to > t.at)
     and (product is null or e.product_id = product)
     and (asked is null or exists (select from jsonb_array_elements(asked) f where f ->> 'id' = e.feature_id));
  state := entitlements_state(merchant, customer);
  if ids is null then return next; return; end if;
  return query
    select customer, state, asked, e, w.at,
           (select min(g.effective_at) from entitlement_grant g
             where g.merchant_id = merchant and g.entitlement_id = w.id and g.effective_at > w.at),
           i.feature_key, i.terms, i.grants, i.resets, i.meters, i.preceding, i.reserved, i.snapshot_at,
           i.snapshot_state, i.snapshot_taken
      from unnest(ids, ats) with ordinality w (id, at, place)
      join entitlement e on e.merchant_id = merchant and e.id = w.id
      join entitlement_inputs(array_fill(merchant, array[cardinality(ids)]), ids, ats, ats, false) i
        on i.entitlement_id = w.id
     order by w.place;
end $$;
