-- Counts of long lists (docs/decisions/0086): the total of a list is read, not counted. Changes are appended in the transaction that makes
-- them; counts follow in the background. A total is the count and the changes that wait.

/* The lists whose rows are counted: a table, what divides its rows (an expression), and which rows count (a condition). */
create table counted_list (
  list text primary key,
  facet text not null,
  condition text not null
);
grant select on counted_list to reckoner_app, reckoner_operator;

create table list_count (
  merchant_id text not null,
  list text not null,
  facet text not null,                   -- by which a list is filtered, e.g. the status; '' where a list is counted as a whole
  count bigint not null,
  primary key (merchant_id, list, facet)
);
call tenant_table('list_count');
create index list_count_of_all on list_count (list, facet); -- an operator's total over all merchants

/* What the counts do not hold yet. Rows are only appended, so that no two transactions wait for each other here. */
create table list_count_change (
  merchant_id text not null,
  seq bigint generated always as identity,
  list text not null,
  facet text not null,
  change bigint not null,
  primary key (merchant_id, seq)
);
call tenant_table('list_count_change');

/* Counts a list anew. Nobody writes its table meanwhile. */
create procedure count_list_again(of_list text) language plpgsql as $$
declare
  counted counted_list;
begin
  select * into strict counted from counted_list where list = of_list;
  execute format('lock table %I in share row exclusive mode', of_list);
  delete from list_count where list = of_list;
  delete from list_count_change where list = of_list;
  execute format(
    'insert into list_count (merchant_id, list, facet, count)
     select merchant_id, %L, %s, count(*) from %I where %s group by 1, 3',
    of_list, counted.facet, of_list, counted.condition);
end $$;

/* Keeps the count of a list from now on. */
create procedure keep_list_count(of_list text, facet text default '''''', condition text default 'true')
  language plpgsql as $$
begin
  insert into counted_list values (of_list, facet, condition);
  execute format(
    'create function count_%1$s() returns trigger language plpgsql as $body$
     begin
       if tg_op = ''INSERT'' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, %1$L, %2$s, count(*) from new_rows where %3$s group by 1, 3;
       elsif tg_op = ''DELETE'' then
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, %1$L, %2$s, -count(*) from old_rows where %3$s group by 1, 3;
       else
         insert into list_count_change (merchant_id, list, facet, change)
         select merchant_id, %1$L, facet, sum(change)
           from (select merchant_id, %2$s as facet, 1 as change from new_rows where %3$s
                 union all
                 select merchant_id, %2$s, -1 from old_rows where %3$s) moved
          group by 1, 3 having sum(change) <> 0;
       end if;
       return null;
     end $body$', of_list, facet, condition);
  execute format('create trigger count_new after insert on %1$I referencing new table as new_rows
    for each statement execute function count_%1$s()', of_list);
  execute format('create trigger count_moved after update on %1$I referencing old table as old_rows new table as new_rows
    for each statement execute function count_%1$s()', of_list);
  execute format('create trigger count_gone after delete on %1$I referencing old table as old_rows
    for each statement execute function count_%1$s()', of_list);
  call count_list_again(of_list);
end $$;

call keep_list_count('invoice', 'status');
call keep_list_count('customer', condition => 'deleted_at is null');
call keep_list_count('organization', 'type');
call keep_list_count('subscription', 'status');
call keep_list_count('payment_session', 'status');
call keep_list_count('payment_link');
call keep_list_count('mail', 'status');
call keep_list_count('audit_entry');
call keep_list_count('external_reference', 'entity_type');
call keep_list_count('sales_order', 'case when cancelled_at is null then approval_status else ''cancelled'' end');
call keep_list_count('billing_schedule', 'status');
call keep_list_count('approval', 'decision');
call keep_list_count('source_event', 'source_id || '' '' || status');
