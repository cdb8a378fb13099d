-- The lives of this database (docs/decisions/0250-lives-of-a-database.md). A restore begins the next one: what happened
-- after the restored second is known to others, and not here.

create table database_life (
  number int primary key check (number >= 1),
  began_at timestamptz not null,
  restored_to timestamptz, -- about when the life before it ended for this database; null: the first life
  first_seq bigint not null, -- the first event of this life, in the order of acceptance
  check ((number = 1) = (restored_to is null))
);
grant select on database_life to reckoner_app, reckoner_operator;
insert into database_life (number, began_at, restored_to, first_seq) values (1, now(), null, 0);

/* The latest time that a worker has read from its clock. */
create table clock_reading (
  is_only boolean primary key default true check (is_only),
  read_at timestamptz not null
);
grant select, insert, update on clock_reading to reckoner_app;
grant select on clock_reading to reckoner_operator;

/* Begins the next life. Only the owner of the database calls it, while nothing else works on it. */
create function begin_life(began timestamptz) returns database_life
  language sql
  as $$
    insert into database_life (number, began_at, restored_to, first_seq)
    select l.number + 1, began, coalesce((select read_at from clock_reading), l.began_at),
           (select last_seq + 1 from event_horizon())
      from database_life l order by l.number desc limit 1
    returning *
  $$;
revoke execute on function begin_life(timestamptz) from public;

/* The id of the invoice of a period: the same in each life of this database, because it is made of what the invoice is
   for. Without the key nobody can guess it. */
create function period_invoice_id(key bytea, subscription text, cadence text, starts timestamptz) returns text
  language sql immutable
  as $$
    select 'inv_' || left(encode(sha256(key || convert_to(
      concat_ws(' ', subscription, cadence, (extract(epoch from starts) * 1000000)::bigint), 'UTF8')), 'hex'), 32)
  $$;

/* How many numbers of the counter nobody has here: a life before gave them, and a restore lost it. */
alter table merchant_counter add column skipped bigint not null default 0 check (skipped >= 0);
