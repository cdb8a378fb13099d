-- The hash of each migration's file: with names alone, a database of another version looks migrated (decision 0187).

create table migration_hash (
  name text primary key,
  hash text not null -- SHA-256 of the file, hexadecimal
);

/* The migrations of this database, with the hashes of their files. */
create function migration_hashes() returns table (name text, hash text)
  language sql stable security definer set search_path = public, pg_temp
  as $$ select m.name::text, h.hash from kysely_migration m left join migration_hash h on h.name = m.name $$;

/* Version 0.1.0 compares the names that this returns, and would work on this database. Without it, it refuses. */
drop function applied_migrations();
