-- Roll-ups: what meters count, added up by subject, group and hour in the transaction of each event.

/* What is rolled up: every different way in which the meters of a merchant read events. Two meters that read the same
   values of the same events by the same dimensions share one. `path` and `dimensions` are paths into the data, without `$.`.
   `kind` is what is kept: `count` how many events have a value, `number` also their sum and extremes, `latest` the value of
   the latest, `set` also the values themselves, by hash. Events up to `boundary` in the order of acceptance were there
   before it and are added by a job, up to `done`; later ones by those who accept them. Questions use it once it is ready. */
create table usage_series (
  merchant_id text not null,
  id bigint generated always as identity,
  event_type text not null,
  kind text not null check (kind in ('count', 'number', 'latest', 'set')),
  path text,
  dimensions text[] not null,
  content uuid not null,
  boundary bigint not null,
  done bigint not null default 0,
  is_ready boolean not null,
  primary key (merchant_id, id),
  unique (merchant_id, event_type, content)
);
call tenant_table('usage_series');
create index usage_series_pending on usage_series (merchant_id, id) where not is_ready;

/* A row for each hour in which events of a subject have values of one group. `lane` is a number of whoever writes: two who
   flush at once add to different rows and need not wait for each other, and readers add up all of them. The times of the
   first and the last event say whether all events of a row lie in a question. Rows of kind `latest` do not
   keep them. */
create table usage_rollup (
  merchant_id text not null,
  series_id bigint not null,
  subject_id bigint not null,
  hour timestamptz not null,
  group_hash uuid not null,
  lane smallint not null,
  group_values text[] not null,
  event_count bigint not null,
  first_at timestamptz,
  last_at timestamptz,
  total numeric,
  least_value numeric,
  greatest_value numeric,
  latest_at timestamptz,
  latest_seq bigint,
  latest_value numeric,
  primary key (merchant_id, series_id, subject_id, hour, group_hash, lane)
) with (fillfactor = 70);
call tenant_table('usage_rollup');

/* The values that a `set` has seen, by hash. */
create table usage_value (
  merchant_id text not null,
  series_id bigint not null,
  subject_id bigint not null,
  hour timestamptz not null,
  group_hash uuid not null,
  value_hash uuid not null,
  group_values text[] not null,
  primary key (merchant_id, series_id, subject_id, hour, group_hash, value_hash)
);
call tenant_table('usage_value');

/* 16 bytes of SHA-256: values are chosen outside, and two that collide would be counted as one. */
create function text_hash(value text) returns uuid
  language sql immutable parallel safe
  as $$ select encode(substr(sha256(convert_to(value, 'UTF8')), 1, 16), 'hex')::uuid $$;
