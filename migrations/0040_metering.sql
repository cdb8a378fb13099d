-- Metering: raw usage events, their keys, and the subjects that they are addressed to.
-- An event is acknowledged after the commit of all three (§4, Event ingestion).

/* Whom events are addressed to. Events carry the small id, so that linking a customer is one update here and no event is
   touched. `addressee` is the customer or subscription of this merchant for which the events count, null while there is
   none; `customer_id` is whom the answer of an event names. Taking an externalId from a customer opens a new epoch: the
   events of the old one stay with that customer. The highest epoch of a key is the current one. */
create table event_subject (
  merchant_id text not null,
  id bigint generated always as identity,
  kind text not null check (kind in ('direct', 'external')),
  key text not null,
  epoch int not null default 0,
  addressee text,
  customer_id text,
  created_at timestamptz not null,
  linked_at timestamptz,
  primary key (merchant_id, id),
  unique (merchant_id, kind, key, epoch),
  check (customer_id is null or addressee is not null)
) with (fillfactor = 70); -- the mark of settled usage is raised often and in no index: a page with room takes the new version
call tenant_table('event_subject');
create index event_subject_addressee on event_subject (merchant_id, addressee) where addressee is not null;
create index event_subject_customer on event_subject (merchant_id, customer_id) where customer_id is not null;

/* Random bits of which the key is made that enciphers the ids of events. They stay for as long as the events do: with
   others, every event would have another id (docs/decisions/0131-event-ids-are-places.md). */
create table event_id_seed (
  is_only boolean primary key default true check (is_only),
  seed bytea not null check (octet_length(seed) = 32)
);
grant select on event_id_seed to reckoner_app, reckoner_operator;
insert into event_id_seed (seed) select uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());

/* The key. The platform's id is in it, because two databases may begin as copies of one: their ids differ all the same. */
create function event_id_key() returns bytea
  language sql stable
  as $$ select sha256(seed || convert_to(coalesce(platform_organization(), ''), 'UTF8')) from event_id_seed $$;

/* A merchant as a number, for tables that have a row for each event: four bytes in place of 27
   (docs/decisions/0166-keys-carry-a-number.md). Given with the first event, and never changed or taken back. */
create table merchant_number (
  merchant_id text not null,
  number int generated always as identity unique,
  primary key (merchant_id)
);
call tenant_table('merchant_number');
revoke update, delete on merchant_number from reckoner_app;

/* Locks a table that has `merchant_number` in place of `merchant_id` to its merchants. A transaction sees the numbers of
   its own merchants alone, because `merchant_number` is locked to them. */
create procedure numbered_table(name regclass)
  language plpgsql
  as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format(
    'create policy merchants on %s to reckoner_app
       using (merchant_number = any ((select array_agg(n.number) from merchant_number n)::int[]))
       with check (merchant_number = any ((select array_agg(n.number) from merchant_number n)::int[]))', name);
  execute format('create policy operator on %s for select to reckoner_operator using (true)', name);
  execute format('grant select, insert, update, delete on %s to reckoner_app', name);
  execute format('grant select on %s to reckoner_operator', name);
end $$;

/* Which events there are, for ever and over all partitions: a unique index of a partitioned table would have to hold the
   time, and a retry that lets the time default would then count twice around midnight. `h` is the first half of SHA-256
   over (namespace, key); `fp` the first 8 bytes of SHA-256 over the content, to tell a retry from another event. The
   event is found by its number, in the partition that holds its day. Columns of fixed lengths come first, so that
   no bytes are lost between them. */
create table event_key (
  seq bigint not null,
  fp bigint not null,
  day date not null,                         -- of the event's own timestamp, in UTC
  merchant_number int not null,
  h uuid not null,
  primary key (merchant_number, h)
);
call numbered_table('event_key');

/* Keys of earlier generations, in tables that inherit from this one and are never written again. A key lies in one
   generation; new ones go into `event_key` alone, so that the pages which ingestion touches stay few however many
   keys there are: after a checkpoint each first touch of a page writes all of it into the log. */
create table event_key_sealed (like event_key including constraints);
alter table event_key_sealed add primary key (merchant_number, h);
call numbered_table('event_key_sealed');
revoke insert, update, delete on event_key_sealed from reckoner_app;

/* The raw events. An event's id is its month and its number, enciphered; so it has no column and no index. `ingest_flush`
   (0061) draws the numbers. */
create table event (
  seq bigint generated by default as identity, -- the order of acceptance
  at timestamptz not null,                   -- the event's own timestamp
  accepted_at timestamptz not null,
  subject_id bigint not null,                -- an event_subject; not a foreign key: rows of that table are never deleted
  merchant_id text not null,
  type text not null,
  source text not null,
  idempotency_key text not null,
  data jsonb not null,
  external_subject text,                     -- sent beside a subject and only recorded; else the subject row has it
  external_id text
) partition by range (at);
call tenant_table('event');
revoke update, delete on event from reckoner_app;
grant usage on sequence event_seq_seq to reckoner_app;
create index event_usage on event (merchant_id, type, subject_id, at);
create index event_order on event (merchant_id, seq desc);
create index event_external_id on event (merchant_id, external_id) where external_id is not null;

/* Takes whatever no month of its own exists for. */
create table event_default partition of event default;
alter table event_default enable row level security;

/* Gives each of some months a partition, and moves there what the default one holds of it. Callable by the application,
   which may not create tables itself; one call at a time. A month that has its partition is left as it is.
   The default partition is locked before it is read, so no event slips in between the move and the attachment. */
create function ensure_event_partitions(first_month date, month_count int) returns int
  language plpgsql security definer set search_path = public, pg_temp
  as $$
declare
  month date;
  name text;
  created int := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('event partitions', 0));
  for month in
    select (date_trunc('month', first_month::timestamp) + make_interval(months => n))::date from generate_series(0, month_count - 1) n
  loop
    name := 'event_' || to_char(month, 'YYYYMM');
    continue when to_regclass(name) is not null;
    execute format('create table %I (like event including defaults including constraints)', name);
    lock table event_default in access exclusive mode;
    execute format(
      'with moved as (delete from event_default where at >= %L and at < %L returning *) insert into %I select * from moved',
      month::timestamp at time zone 'UTC', (month + interval '1 month')::timestamp at time zone 'UTC', name);
    execute format('alter table event attach partition %I for values from (%L) to (%L)',
      name, month::timestamp at time zone 'UTC', (month + interval '1 month')::timestamp at time zone 'UTC');
    execute format('alter table %I enable row level security', name);
    created := created + 1;
  end loop;
  return created;
end $$;

select ensure_event_partitions((now() - interval '1 month')::date, 5);

/* Values are read from the JSON text, never through a binary fraction. A path is the segments of a valueProperty. */

/* The text of a string, number or boolean; null for what is missing, null, an object or an array. Two spellings of one
   number are one text. */
create function event_text(data jsonb, path text[]) returns text
  language sql immutable parallel safe
  as $$
    select case jsonb_typeof(data #> path)
      when 'string' then data #>> path
      when 'boolean' then data #>> path
      when 'number' then trim_scale((data #>> path)::numeric)::text
    end
  $$;

/* The exact number of a JSON number or a decimal string; null for anything else. */
create function event_number(data jsonb, path text[]) returns numeric
  language sql immutable parallel safe
  as $$
    select case
      when jsonb_typeof(data #> path) = 'number' then (data #>> path)::numeric
      when jsonb_typeof(data #> path) = 'string' and data #>> path ~ '^-?[0-9]{1,38}(\.[0-9]{1,38})?$' then (data #>> path)::numeric
    end
  $$;

create sequence event_key_generation;

/* Seals the active generation of keys once it takes `most_bytes`, and begins the next. Nobody is accepting events then, so
   what is being stored is in the old generation or will look for itself in it. @returns whether it did. */
create function seal_event_keys(most_bytes bigint) returns boolean
  language plpgsql security definer set search_path = public, pg_temp
  as $$
declare
  sealed text;
begin
  if pg_relation_size('event_key') <= most_bytes then return false; end if;
  perform pg_advisory_xact_lock(hashtextextended('event keys', 0));
  if pg_relation_size('event_key') <= most_bytes then return false; end if;
  sealed := 'event_key_' || nextval('event_key_generation');
  execute format('alter table event_key rename to %I', sealed);
  execute format('alter index event_key_pkey rename to %I', sealed || '_pkey');
  execute format('drop policy merchants on %I', sealed);
  execute format('drop policy operator on %I', sealed);
  execute format('revoke all on %I from reckoner_app, reckoner_operator', sealed);
  execute format('alter table %I inherit event_key_sealed', sealed);
  create table event_key (like event_key_sealed including all);
  call numbered_table('event_key');
  return true;
end $$;
