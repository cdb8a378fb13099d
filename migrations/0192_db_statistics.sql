-- Until a table is analyzed for the first time, PostgreSQL takes every column for one of 200 values, so all rows of a
-- merchant seem as few as one row by its id. A plan that is kept from then on reads them all when there are many
-- (docs/decisions/0213-plans-are-kept.md).

/* Says of a table that nobody has analyzed that all its rows are of one merchant: a row is then found by the rest of its
   key. Analyzing the table replaces it. */
create procedure expect_one_merchant(name regclass)
  language plpgsql
  as $$
begin
  perform pg_restore_attribute_stats(
            'schemaname', n.nspname::text, 'relname', c.relname::text, 'attname', 'merchant_id', 'inherited', false,
            'null_frac', 0::real, 'avg_width', 26, 'n_distinct', 1::real)
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
    where c.oid = name and c.relkind = 'r'
      and not exists (select from pg_statistic s where s.starelid = c.oid);
end $$;

create or replace procedure tenant_table(name regclass)
  language plpgsql
  as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format(
    'create policy merchants on %s to reckoner_app
       using (merchant_id = any (
         (select string_to_array(current_setting(''reckoner.merchants'', true), '',''))::text[]))
       with check (merchant_id = any (
         (select string_to_array(current_setting(''reckoner.merchants'', true), '',''))::text[]))', name);
  execute format('create policy operator on %s for select to reckoner_operator using (true)', name);
  execute format('grant select, insert, update, delete on %s to reckoner_app', name);
  execute format('grant select on %s to reckoner_operator', name);
  call expect_one_merchant(name);
end $$;

do $$
declare
  named regclass;
begin
  for named in
    select c.oid::regclass
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'merchant_id' and not a.attisdropped
     where c.relkind = 'r' and not c.relispartition and c.relnamespace = current_schema()::regnamespace
     order by 1
  loop
    call expect_one_merchant(named);
  end loop;
end $$;
