-- Webhooks out (domain.md §9): each event of the outbox is delivered to the endpoints of its merchant. The deliveries
-- are made in the transaction of the event, so that none is lost. And webhooks in: the sandbox's own receiver.

/* Effects that leave by webhook, written in the transaction of the state that they tell of (domain.md §9). */
create table outbox (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  type text not null,
  resource_id text not null, -- the resource that the event counts for
  data jsonb not null,
  -- the transaction, for readers who want the order of the commits
  transaction_id xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null,
  -- by the database's clock: created_at may be a time of a test clock
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (merchant_id, id)
);
call resource_table('outbox');
create index outbox_order on outbox (merchant_id, seq);
create index outbox_commit on outbox (merchant_id, transaction_id, seq);
create index outbox_resource on outbox (merchant_id, resource_id, seq desc);
create index outbox_all on outbox (seq desc);

/* The number of the last webhook event about each resource, so that receivers can put them in order (domain.md §9). */
create table outbox_sequence (
  merchant_id text not null,
  resource_id text not null,
  last bigint not null,
  primary key (merchant_id, resource_id)
);
call tenant_table('outbox_sequence');

/* Where a merchant takes webhooks. A deleted endpoint stays, without its secrets, as long as its deliveries. */
create table webhook_endpoint (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  url text not null,
  event_types text[] not null check (cardinality(event_types) > 0), -- '*': all kinds, also those to come
  description text,
  status text not null check (status in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('request', 'gone', 'failing')),
  secret text not null,      -- sealed (kernel/sealing.ts)
  previous_secret text,      -- sealed; it signs too until previous_secret_until
  previous_secret_until timestamptz,
  failing_since timestamptz, -- the first failure after the last success
  told_at timestamptz,       -- when the merchant was told of these failures
  wants_since timestamptz not null default clock_timestamp(), -- of the database: since when it takes these kinds
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (merchant_id, id),
  check ((previous_secret is null) = (previous_secret_until is null)),
  check ((status = 'disabled') = (disabled_reason is not null)),
  check (told_at is null or failing_since is not null),
  check (deleted_at is null or status = 'disabled')
);
call resource_table('webhook_endpoint');
create index webhook_endpoint_order on webhook_endpoint (merchant_id, seq desc) where deleted_at is null;
create index webhook_endpoint_all on webhook_endpoint (seq desc) where deleted_at is null;

/* The auditor asks for deliveries of events that came after this time. */
create function renew_wants_since() returns trigger language plpgsql as $$
begin
  if (old.status, old.event_types) is distinct from (new.status, new.event_types) then
    new.wants_since := clock_timestamp();
  end if;
  return new;
end $$;
create trigger renew before update on webhook_endpoint for each row execute function renew_wants_since();

/* An event on its way to an endpoint; next_attempt_at is -infinity before the first attempt, and the end of the lease
   while one is on its way. */
create table webhook_delivery (
  merchant_id text not null,
  event_id text not null,
  endpoint_id text not null,
  seq bigint not null,             -- of the event
  status text not null default 'pending' check (status in ('pending', 'delivered', 'exhausted')),
  attempts int not null default 0, -- that were begun, ever
  slot int not null default 0,     -- of the schedule: attempts since it was put into the queue
  next_attempt_at timestamptz default '-infinity',
  begun_at timestamptz,            -- the attempt that is on its way
  primary key (merchant_id, event_id, endpoint_id),
  check ((status = 'pending') = (next_attempt_at is not null)),
  check (begun_at is null or status = 'pending')
);
call tenant_table('webhook_delivery');
create index webhook_delivery_queue on webhook_delivery (merchant_id, endpoint_id, next_attempt_at, seq)
  where status = 'pending';
create index webhook_delivery_begun on webhook_delivery (merchant_id, endpoint_id) where begun_at is not null;

/* What came of an attempt. */
create table webhook_attempt (
  merchant_id text not null,
  id text not null,
  event_id text not null,
  endpoint_id text not null,
  number int not null,
  status text not null check (status in ('delivered', 'failed')),
  status_code int,           -- null: there was no answer
  error text,
  reply text,                -- the beginning of the answer
  duration_milliseconds int, -- null: nobody knows
  created_at timestamptz not null,
  primary key (merchant_id, event_id, endpoint_id, number)
);
call tenant_table('webhook_attempt');
create index webhook_attempt_order on webhook_attempt
  (merchant_id, event_id, created_at desc, endpoint_id desc, number desc);

/* Events for webhooks, each with the next number of its resource, in their order, and their deliveries. Events of one
   resource wait for each other here. Events and numbers are joined by hashing, which whoever works on a list has turned
   off. */
create function publish_events(events jsonb, happened timestamptz) returns bigint
  language plpgsql
  set enable_hashjoin = on
  as $$
declare
  published bigint;
begin
  with event as (
    select e.* from jsonb_to_recordset(events) as e
      (place int, merchant text, resource text, id text, type text, data jsonb)
  ), counted as (
    insert into outbox_sequence as s (merchant_id, resource_id, last)
    select e.merchant, e.resource, count(*) from event e group by e.merchant, e.resource order by e.merchant, e.resource
    on conflict (merchant_id, resource_id) do update set last = s.last + excluded.last
    returning s.merchant_id, s.resource_id, s.last
  ), told as (
    insert into outbox (merchant_id, id, type, data, resource_id, created_at)
    select e.merchant, e.id, e.type,
           e.data || jsonb_build_object('sequence', c.last + 1
             - row_number() over (partition by e.merchant, e.resource order by e.place desc)),
           e.resource, happened
      from event e join counted c on c.merchant_id = e.merchant and c.resource_id = e.resource
     order by e.place
    returning merchant_id, id, seq, type
  ), fanned as (
    insert into webhook_delivery (merchant_id, event_id, endpoint_id, seq)
    select t.merchant_id, t.id, w.id, t.seq
      from told t join webhook_endpoint w on w.merchant_id = t.merchant_id
     where w.status = 'enabled' and w.event_types && array['*', t.type]
  )
  select count(*) into published from told;
  return published;
end $$;

/* The endpoints with deliveries in the queue, each found by one step in the index: of all merchants for the functions
   below. */
create view webhook_queue with (security_invoker = true) as
  with recursive waiting as (
    (select d.merchant_id, d.endpoint_id from webhook_delivery d
      where d.status = 'pending' order by d.merchant_id, d.endpoint_id limit 1)
    union all
    select further.* from waiting w cross join lateral (
      select d.merchant_id, d.endpoint_id from webhook_delivery d
       where d.status = 'pending' and (d.merchant_id, d.endpoint_id) > (w.merchant_id, w.endpoint_id)
       order by d.merchant_id, d.endpoint_id limit 1) further
  )
  select w.merchant_id, w.endpoint_id, e.status from waiting w
    join webhook_endpoint e on e.merchant_id = w.merchant_id and e.id = w.endpoint_id;

/* Begins attempts that are due, for all merchants: of each endpoint the oldest, no more than `most_each` with those
   that are on their way, and the endpoints in turn. Claims wait for each other, so that two workers do not pass that
   limit together. An attempt whose lease is over was lost with its worker: its beginning is answered as lost_at. */
create function claim_webhook_deliveries(at timestamptz, lease_until timestamptz, most int, most_each int)
  returns table (merchant_id text, event_id text, endpoint_id text, attempts int, slot int, lost_at timestamptz,
                 url text, secret text, previous_secret text, type text, data jsonb, happened_at timestamptz)
  language plpgsql security definer set search_path = public, pg_temp
  as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock(hashtextextended('claim_webhook_deliveries', 0));
  return query
  with found as (
    select d.merchant_id, d.event_id, d.endpoint_id, d.next_attempt_at, d.seq, d.begun_at,
           row_number() over (partition by d.merchant_id, d.endpoint_id order by d.next_attempt_at, d.seq) as turn
      from webhook_queue q
     cross join lateral (
       select greatest(0, most_each - count(*)) as places from webhook_delivery b
        where b.merchant_id = q.merchant_id and b.endpoint_id = q.endpoint_id
          and b.begun_at is not null and b.next_attempt_at > at) free
     cross join lateral (
       select w.* from webhook_delivery w
        where w.merchant_id = q.merchant_id and w.endpoint_id = q.endpoint_id
          and w.status = 'pending' and w.next_attempt_at <= at
        order by w.next_attempt_at, w.seq
        limit free.places) d
     where q.status = 'enabled'
  ), chosen as (
    select * from found order by turn, next_attempt_at, seq limit most
  ), begun as (
    update webhook_delivery d
       set attempts = d.attempts + 1, slot = d.slot + 1, begun_at = at, next_attempt_at = lease_until
      from chosen c
     where d.merchant_id = c.merchant_id and d.event_id = c.event_id and d.endpoint_id = c.endpoint_id
       and d.status = 'pending' and d.next_attempt_at <= at
    returning d.merchant_id, d.event_id, d.endpoint_id, d.attempts, d.slot, c.begun_at as lost_at
  )
  select b.*, e.url, e.secret, case when e.previous_secret_until > at then e.previous_secret end, o.type,
         o.data, o.created_at
    from begun b
    join webhook_endpoint e on e.merchant_id = b.merchant_id and e.id = b.endpoint_id
    join outbox o on o.merchant_id = b.merchant_id and o.id = b.event_id;
end $$;

/* Gives up deliveries to endpoints that are disabled, at most `most` of each at a time; attempts on their way go on. */
create function exhaust_webhook_deliveries(at timestamptz, most int) returns bigint
  language sql security definer set search_path = public, pg_temp
  as $$
    with given_up as (
      update webhook_delivery d set status = 'exhausted', next_attempt_at = null, begun_at = null
        from webhook_queue q
       cross join lateral (
         select w.event_id from webhook_delivery w
          where w.merchant_id = q.merchant_id and w.endpoint_id = q.endpoint_id and w.status = 'pending'
            and (w.begun_at is null or w.next_attempt_at <= at)
          limit most) old
       where q.status = 'disabled'
         and d.merchant_id = q.merchant_id and d.event_id = old.event_id and d.endpoint_id = q.endpoint_id
         and d.status = 'pending' and (d.begun_at is null or d.next_attempt_at <= at)
      returning 1
    )
    select count(*) from given_up
  $$;

/* Forgets what was recorded before this time, of all merchants, at most `most` events at a time. @returns how many */
create function forget_webhook_events(older_than timestamptz, most int) returns bigint
  language plpgsql security definer set search_path = public, pg_temp
  as $$
declare
  forgotten bigint;
begin
  with old as (
    select o.merchant_id, o.id from (select * from outbox order by seq limit most) o where o.recorded_at < older_than
  ), attempts as (
    delete from webhook_attempt a using old where a.merchant_id = old.merchant_id and a.event_id = old.id
  ), deliveries as (
    delete from webhook_delivery d using old where d.merchant_id = old.merchant_id and d.event_id = old.id
  ), events as (
    delete from outbox o using old where o.merchant_id = old.merchant_id and o.id = old.id returning 1
  )
  select count(*) into forgotten from events;
  delete from webhook_endpoint where deleted_at < older_than;
  return forgotten;
end $$;

/* Events that were restored into another cluster have transactions that are still to come there: they get the present
   one. */
create function adopt_webhook_events() returns bigint
  language sql security definer set search_path = public, pg_temp
  as $$
    with adopted as (
      update outbox set transaction_id = pg_current_xact_id()
       where transaction_id >= pg_snapshot_xmax(pg_current_snapshot()) and transaction_id <> pg_current_xact_id()
      returning 1
    )
    select count(*) from adopted
  $$;

/* The sandbox's own receiver of webhooks: what it took, for people who have no server yet (api.md, /v0/webhookInbox).
   Webhooks that come together are stored in any order, so the list goes by the time at which each came in. */
create table webhook_receipt (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  endpoint_id text not null,
  event_id text not null,
  type text not null,
  happened_at timestamptz not null,
  data jsonb not null,
  headers jsonb not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
call tenant_table('webhook_receipt');
create index webhook_receipt_order on webhook_receipt (merchant_id, created_at desc, seq desc);
create index webhook_receipt_all on webhook_receipt (created_at desc, seq desc);
