-- Events for webhooks, as before; but an event without an id gets one that is made of its type, its resource and its
-- number there. So the same fact has the same id in each life of the database (docs/decisions/0250). Answers the
-- ids, in order.

drop function publish_events(jsonb, timestamptz);
create function publish_events(events jsonb, happened timestamptz) returns text[]
  language plpgsql
  set enable_hashjoin = on
  as $$
declare
  published text[];
  key bytea := event_id_key();
begin
  with event as (
    select e.* from jsonb_to_recordset(events) as e
      (place int, merchant text, resource text, id text, type text, data jsonb)
  ), counted as (
    insert into outbox_sequence as s (merchant_id, resource_id, last)
    select e.merchant, e.resource, count(*) from event e group by e.merchant, e.resource order by e.merchant, e.resource
    on conflict (merchant_id, resource_id) do update set last = s.last + excluded.last
    returning s.merchant_id, s.resource_id, s.last
  ), numbered as (
    select e.*, c.last + 1 - row_number() over (partition by e.merchant, e.resource order by e.place desc) as sequence
      from event e join counted c on c.merchant_id = e.merchant and c.resource_id = e.resource
  ), told as (
    insert into outbox (merchant_id, id, type, data, resource_id, created_at)
    select n.merchant,
           coalesce(n.id, 'wev_' || left(encode(sha256(key || convert_to(
             concat_ws(' ', n.type, n.resource, n.sequence), 'UTF8')), 'hex'), 32)),
           n.type, n.data || jsonb_build_object('sequence', n.sequence), n.resource, happened
      from numbered n
     order by n.place
    returning merchant_id, id, seq, type
  ), fanned as (
    insert into webhook_delivery (merchant_id, event_id, endpoint_id, seq)
    select t.merchant_id, t.id, w.id, t.seq
      from told t join webhook_endpoint w on w.merchant_id = t.merchant_id
     where w.status = 'enabled' and w.event_types && array['*', t.type]
  )
  select array_agg(id order by seq) into published from told;
  return published;
end $$;
