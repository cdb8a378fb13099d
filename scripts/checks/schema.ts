/** Runs a statement as the owner of the database and answers its rows. */
export type Query = (text: string) => Promise<Record<string, unknown>[]>;

const IN_OURS = "n.nspname = 'public'";

/** The roles that the program works under. */
const ROLES = ['reckoner_app', 'reckoner_operator'];

const texts = async (query: Query, text: string): Promise<string[]> =>
  (await query(text)).map(({ says }) => String(says));

/** The condition of each policy by the column that says whose a row is. */
const POLICIES = {
  merchant_id:
    "(merchant_id = ANY (( SELECT string_to_array(current_setting('reckoner.merchants'::text, true), ','::text) AS string_to_array)::text[]))",
  merchant_number:
    '(merchant_number = ANY (( SELECT array_agg(n.number) AS array_agg\n   FROM merchant_number n)::integer[]))',
};

const CONDITIONS = Object.entries(POLICIES)
  .map(([column, condition]) => `when '${column}' then '${condition.replaceAll("'", "''")}'`)
  .join(' ');

/** The column that says whose a row is: the merchant's id, or its number (decision 0166). */
const IS_OF_MERCHANTS = "a.attname in ('merchant_id', 'merchant_number') and not a.attisdropped";

/**
 * Tables of merchants that are not locked to them: without row-level security, or without the two policies of
 * tenant_table() or numbered_table() (migrations/0001_foundation.sql, migrations/0050_metering.sql). Partitions are
 * reached through their table; they may lack policies (then they are closed), but not the lock.
 */
export const unlockedTables = (query: Query): Promise<string[]> =>
  texts(
    query,
    `select case
              when not c.relrowsecurity then format('%s is not locked: row-level security is off', c.relname)
              else format('%s lacks a policy of tenant_table() or numbered_table(), or has one of its own', c.relname)
            end as says
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and ${IS_OF_MERCHANTS}
      where ${IN_OURS} and c.relkind in ('r', 'p')
        and c.relname <> 'resource' -- closed to both roles; owner_of() reads it
        and (not c.relrowsecurity
             or not c.relispartition and (
               select array_agg(format('%s %s %s %s', p.polname, p.polcmd,
                                       (select string_agg(rolname, ',') from pg_roles where oid = any (p.polroles)),
                                       pg_get_expr(p.polqual, p.polrelid) || coalesce(' check ' || pg_get_expr(p.polwithcheck, p.polrelid), ''))
                                order by p.polname)
                 from pg_policy p where p.polrelid = c.oid)
               is distinct from array[
                 format('merchants * reckoner_app %1$s check %1$s', case a.attname ${CONDITIONS} end),
                 'operator r reckoner_operator true'])
      order by c.relname`,
  );

/** Tables of merchants whose primary key, or whose reference to such a table, does not begin with the merchant. */
export const keysWithoutMerchant = (query: Query): Promise<string[]> =>
  texts(
    query,
    `with tenant as (
       select c.oid, c.relname, a.attname, a.attnum
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         join pg_attribute a on a.attrelid = c.oid and ${IS_OF_MERCHANTS}
        where ${IN_OURS} and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'resource')
     select format('%s has no primary key', relname) as says from tenant t
      where relname <> 'event' -- each event has a row in event_key, whose key holds the merchant
        and not exists (select from pg_constraint k where k.conrelid = t.oid and k.contype = 'p')
     union all
     select format('the primary key of %s does not begin with %s', relname, attname) from tenant t
       join pg_constraint k on k.conrelid = t.oid and k.contype = 'p' where k.conkey[1] <> t.attnum
     union all
     select format('%s of %s does not begin with %s', k.conname, t.relname, t.attname) from tenant t
       join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
       join tenant o on o.oid = k.confrelid
      where k.conkey[1] <> t.attnum or k.confkey[1] <> o.attnum
     order by 1`,
  );

/**
 * Columns of a type that loses something: binary fractions, times without a zone, intervals that PostgreSQL normalises.
 */
export const lossyColumns = (query: Query): Promise<string[]> =>
  texts(
    query,
    `select format('%s.%s is %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod)) as says
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where ${IN_OURS} and c.relkind in ('r', 'p') and c.relname not like 'kysely%'
        and format_type(a.atttypid, null) in ('real', 'double precision', 'money', 'interval', 'time without time zone',
                                              'timestamp without time zone', 'json')
      order by 1`,
  );

/** What the roles of the program may do that they must not: own something, step around a policy, change the schema. */
export const excessRights = (query: Query): Promise<string[]> =>
  texts(
    query,
    `select format('%s owns %s', r.rolname, c.relname) as says
       from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname = any ('{${ROLES.join(',')}}')
     union all
     select format('%s owns the function %s', r.rolname, p.proname)
       from pg_proc p join pg_roles r on r.oid = p.proowner where r.rolname = any ('{${ROLES.join(',')}}')
     union all
     select format('%s may too much: it is superuser, bypasses policies, or makes roles or databases', rolname)
       from pg_roles where rolname = any ('{${ROLES.join(',')}}')
        and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb)
     union all
     select format('%s may create tables', r) from unnest('{${ROLES.join(',')}}'::text[]) r
      where has_schema_privilege(r, 'public', 'create')
     union all
     select format('reckoner_operator may write %s', c.relname)
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where ${IN_OURS} and c.relkind in ('r', 'p')
        and has_table_privilege('reckoner_operator', c.oid, 'insert, update, delete, truncate')
     union all
     select format('%s may read the owners of resources', r) from unnest('{${ROLES.join(',')}}'::text[]) r
      where has_table_privilege(r, 'resource', 'select, insert, update, delete')
     order by 1`,
  );

/** Functions that run with the owner's rights and look names up on a path that their caller chooses. */
export const openDefiners = (query: Query): Promise<string[]> =>
  texts(
    query,
    `select format('%s runs as its owner without a search_path of its own', p.proname) as says
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where ${IN_OURS} and p.prosecdef
        and not exists (select from unnest(p.proconfig) setting where setting like 'search_path=%')
      order by 1`,
  );

/**
 * Triggers that join the rows before with the rows after may run where an operation on a list has turned hashing off.
 * These rows have no index, so each of them would be compared with each.
 */
export const joinsWithoutHashing = (query: Query): Promise<string[]> =>
  texts(
    query,
    `select format('%s joins old_rows with new_rows and does not turn hashing on', p.proname) as says
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where ${IN_OURS} and p.prorettype = 'trigger'::regtype and p.prosrc ~ 'join old_rows|from old_rows\\) old_row'
        and not coalesce('enable_hashjoin=on' = any (p.proconfig), false)
      order by 1`,
  );
