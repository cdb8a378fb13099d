-- A subject that has its direct row already is not inserted again to find that out, and its owner is not asked for.
-- From the second bill of a subscription on, all of its subjects have theirs.

/* Raises the mark of each of some customers and subscriptions to a time, and tells who may still be storing events
   without having seen them. Who begins to accept events from now on finds the lock of those who raise marks taken, or
   the marks.

   The direct rows are locked first and sorted, so that two who raise marks, or one and another who links an externalId,
   come one after the other; the statement after that sees all rows. */
create or replace function settle_usage(merchant text, named text[], untils timestamptz[], made_at timestamptz)
  returns text[]
  language plpgsql
  as $$
begin
  if not exists (select from unnest(named, untils) n (key, until)
                  where (select es.settled_until >= n.until from event_subject es
                          where es.merchant_id = merchant and es.kind = 'direct'
                            and es.key = n.key limit 1) is not true) then
    return ingest_writers(merchant); -- no row of them has a mark below that of its direct row
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('usage marks ' || merchant, 0));
  insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at, settled_until)
  select merchant, 'direct', n.key, case when ours.is_ours then n.key end,
         case when ours.is_ours and n.key like 'cus\_%' then n.key end, made_at, n.until
    from (select u.key, max(u.until) as until from unnest(named, untils) u (key, until)
           where (select true from event_subject es
                   where es.merchant_id = merchant and es.kind = 'direct' and es.key = u.key and es.epoch = 0
                   limit 1) is not true
           group by u.key) n
   cross join lateral (select owner_of(n.key) is not distinct from merchant as is_ours) ours
   order by n.key
      on conflict do nothing;
  perform from event_subject es
    where es.merchant_id = merchant and es.kind = 'direct' and es.key = any (named)
    order by es.key
      for no key update;
  update event_subject es set settled_until = raised.until
    from (select id, max(until) as until
            from (select s.id, n.until from unnest(named, untils) n (key, until)
                    join event_subject s on s.merchant_id = merchant and s.addressee = n.key
                  union all
                  select s.id, n.until from unnest(named, untils) n (key, until)
                    join event_subject s on s.merchant_id = merchant and s.kind = 'direct' and s.key = n.key) found
           group by id) raised
   where es.merchant_id = merchant and es.id = raised.id and es.settled_until >= raised.until is not true;
  return ingest_writers(merchant);
end $$;
