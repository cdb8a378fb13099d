-- Which master keys seal the secrets in this database (docs/decisions/0088). The keys themselves are not here.

create table master_key (
  name text primary key, -- what a sealed text calls it by: eight characters of a hash (kernel/sealing.ts)
  proof text not null,   -- a known text, sealed under it: a start with this key opens it
  lost_at timestamptz,   -- nobody has the key any more, somebody said; what it sealed is given up
  created_at timestamptz not null
);
grant select, insert, update, delete on master_key to reckoner_app;
grant select on master_key to reckoner_operator;
