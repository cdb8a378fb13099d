import { recordset, type Sql, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { SEALED_COLUMNS, type SealedColumn } from './columns.ts';
import type { RecordedKey } from './decide-admission.ts';

/** Starts and rotations wait for each other until the end of the transaction. */
export const lockMasterKeys = (tx: Tx) => tx.run(sql`select pg_advisory_xact_lock(hashtextextended('master keys', 0))`);

export const selectMasterKeys = (tx: Tx) =>
  tx.rows<RecordedKey>(sql`
    select name, proof, lost_at is not null as is_lost from master_key order by created_at, name`);

/** A key that was lost and is given again is not lost any more. */
export const insertMasterKey = (tx: Tx, { name, proof }: { name: string; proof: string }, now: Instant) =>
  tx.run(sql`
    insert into master_key (name, proof, created_at) values (${name}, ${proof}, ${now})
    on conflict (name) do update set proof = excluded.proof, lost_at = null where master_key.lost_at is not null`);

export const deleteMasterKeys = (tx: Tx, names: readonly string[]) =>
  tx.run(sql`delete from master_key where name = any (${names})`);

/** A secret of a lost key stays unchanged, and cannot be decrypted. */
export const insertLostMasterKeys = (tx: Tx, keys: readonly { name: string; proof: string }[], now: Instant) =>
  tx.run(sql`
    insert into master_key (name, proof, lost_at, created_at)
    select k.name, k.proof, ${now}, ${now} from jsonb_to_recordset(${recordset(keys)}) as k (name text, proof text)
    on conflict (name) do update set lost_at = excluded.lost_at where master_key.lost_at is null`);

/** The sealed texts of a column, one row for each. */
const textsOf = ({ table, column, holds }: SealedColumn): Sql =>
  holds === 'text'
    ? sql`
      select merchant_id, id, ${`${table}.${column}`}::text as place, ${sql.ref(column)} as sealed
        from ${sql.table(table)} where ${sql.ref(column)} <> ''`
    : sql`
      select merchant_id, id, ${`${table}.${column} `}::text || t.key as place, t.value as sealed
        from ${sql.table(table)} cross join jsonb_each_text(${sql.ref(column)}) t`;

const allTexts: Sql = sql.join(SEALED_COLUMNS.map(textsOf), sql` union all `);

const keyNameOf = (sealed: Sql): Sql => sql`split_part(${sealed}, '.', 2)`;

/** How many secrets each key seals, over all merchants. */
export const countSealed = (tx: Tx) =>
  tx.rows<{ name: string; count: number }>(sql`
    select ${keyNameOf(sql`sealed`)} as name, count(*)::int as count
      from (${allTexts}) texts
     group by 1 order by 1`);

/** Secrets in clear text, or under an unrecorded key. */
export const selectUnknownKeys = (tx: Tx) =>
  tx.rows<{ merchantId: string; id: string; detail: string }>(sql`
    select merchant_id, id, format('%s is sealed under the key "%s"', place, ${keyNameOf(sql`sealed`)}) as detail
      from (${allTexts}) texts
     where ${keyNameOf(sql`sealed`)} not in (select name from master_key)`);

/** The place of a row with encrypted texts. */
export interface SealedPlace {
  readonly merchantId: string;
  readonly id: string;
}

/** Rows after a place in the order of the primary key, of all merchants, that hold a text sealed under another key. */
export const selectSealedOtherwise = (
  tx: Tx,
  { table, column, holds }: SealedColumn,
  keyName: string,
  after: SealedPlace,
  most: number,
) => {
  const isOtherwise =
    holds === 'text'
      ? sql`${sql.ref(column)} <> '' and ${keyNameOf(sql.ref(column))} <> ${keyName}`
      : sql`exists (select from jsonb_each_text(${sql.ref(column)}) t where ${keyNameOf(sql`t.value`)} <> ${keyName})`;
  return tx.rows<SealedPlace>(sql`
    select merchant_id, id from ${sql.table(table)}
     where (merchant_id, id) > (${after.merchantId}, ${after.id}) and ${isOtherwise}
     order by merchant_id, id limit ${most}`);
};

/** A row with its sealed texts as they are stored. */
export interface SealedRow extends SealedPlace {
  readonly value: string | Readonly<Record<string, string>> | null;
}

/**
 * Locks rows of the merchants of the transaction, in the order of their ids. Who writes such a row holds it for seconds
 * at most, but is waited for longer than a request would wait.
 */
export async function lockSealed(tx: Tx, { table, column }: SealedColumn, places: readonly SealedPlace[]) {
  await tx.run(sql`set local lock_timeout = 60000`);
  return tx.rows<SealedRow>(sql`
    select merchant_id, id, ${sql.ref(column)} as value from ${sql.table(table)}
     where merchant_id = any (${[...new Set(places.map(({ merchantId }) => merchantId))]})
       and id = any (${places.map(({ id }) => id)})
     order by id
       for no key update`);
}

export const updateSealed = (tx: Tx, { table, column, holds }: SealedColumn, rows: readonly SealedRow[]) =>
  tx.run(sql`
    update ${sql.table(table)} t set ${sql.ref(column)} = r.value
      from jsonb_to_recordset(${recordset(rows)}) as r (merchant_id text, id text,
                                                        value ${holds === 'text' ? sql`text` : sql`jsonb`})
     where t.merchant_id = r.merchant_id and t.id = r.id`);
