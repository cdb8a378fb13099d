-- Shipping: which raw events a ClickHouse holds, so that a figure is cut between it and PostgreSQL by the order of
-- acceptance. ClickHouse is a projection: it may be lost, wiped and rebuilt at any time; what it holds is said here and
-- nowhere else.

/* One copy of the events in ClickHouse. A rebuild makes a new one beside the old, which goes on answering until the new
   one has caught up. `name` is part of the names of its tables there and is never used twice. */
create table usage_projection (
  generation int generated always as identity primary key,
  name text not null unique,
  state text not null check (state in ('new', 'building', 'serving', 'retired', 'dropped')),
  reason text not null,    -- why it was made
  created_at timestamptz not null,
  retired_at timestamptz,
  leased_until timestamptz -- a worker is at it; only for thrift, two of them do no harm
);
create unique index usage_projection_serving on usage_projection (state) where state = 'serving';
create unique index usage_projection_coming on usage_projection ((true)) where state in ('new', 'building');
grant select, insert, update on usage_projection to reckoner_app;
grant select on usage_projection to reckoner_operator;

/* What is sent at once: all events with from_seq < seq <= to_seq. It is committed before it is sent, so whoever tries
   again sends the same. Batches of a projection follow each other without a gap, and one at a time is under way. */
create table usage_shipment (
  generation int not null references usage_projection,
  batch_no int not null check (batch_no > 0),
  from_seq bigint not null,
  to_seq bigint not null,
  token text not null,
  event_count int not null check (event_count >= 0),
  shipped_at timestamptz,
  primary key (generation, batch_no),
  unique (generation, from_seq),
  check (from_seq < to_seq)
);
create unique index usage_shipment_under_way on usage_shipment (generation) where shipped_at is null;
grant select, insert, update on usage_shipment to reckoner_app;
grant select on usage_shipment to reckoner_operator;
