import type { Database, Tx } from '../db/index.ts';
import { nameOfMasterKey, placeOf, type Sealer, sealerOf } from '../kernel/sealing.ts';
import type { Instant } from '../kernel/time.ts';
import { SEALED_COLUMNS, type SealedColumn } from './columns.ts';
import { recordMasterKey } from './master-keys.ts';
import {
  countSealed,
  deleteMasterKeys,
  lockMasterKeys,
  lockSealed,
  type SealedPlace,
  type SealedRow,
  selectMasterKeys,
  selectSealedOtherwise,
  updateSealed,
} from './secrets.sql.ts';

/** A secret that no given key opens. It stays as it is. */
export interface UnopenedSecret extends SealedPlace {
  /** Such as `webhook_endpoint.secret`, with the path where a row has several. */
  readonly where: string;
}

/** The result of a rotation. */
export interface Rotation {
  readonly resealed: number;
  readonly unopened: readonly UnopenedSecret[];
  /** The names of the keys that still seal something, beside the new one. */
  readonly stillNeeded: readonly string[];
}

const AT_ONCE = 100;

/**
 * Seals every secret of a database under a new master key, in chunks: each is a transaction of its own that locks its
 * rows, so that whoever changes a secret meanwhile is neither lost nor overwritten. What is done stays done when it is
 * killed, and running it again does the remainder. At the end the database forgets the keys that seal nothing.
 * @param from the keys that open what is there
 */
export async function rotateMasterKey(
  database: Database,
  to: string,
  from: readonly string[],
  now: Instant,
): Promise<Rotation> {
  await database.transaction('nobody', async (tx) => {
    await lockMasterKeys(tx);
    await recordMasterKey(tx, to, now);
  });
  const sealer = sealerOf(to, ...from);
  const keyName = nameOfMasterKey(to);
  let resealed = 0;
  const unopened: UnopenedSecret[] = [];
  for (const column of SEALED_COLUMNS) {
    for (let after: SealedPlace | null = { merchantId: '', id: '' }; after !== null; ) {
      const chunk = await resealChunk(database, column, sealer, keyName, after);
      resealed += chunk.resealed;
      unopened.push(...chunk.unopened);
      after = chunk.after;
    }
  }
  return { resealed, unopened, stillNeeded: await forgetUnused(database, keyName) };
}

async function resealChunk(
  database: Database,
  column: SealedColumn,
  sealer: Sealer,
  keyName: string,
  after: SealedPlace,
): Promise<{ resealed: number; unopened: UnopenedSecret[]; after: SealedPlace | null }> {
  const places = await database.transaction('every merchant, reading', (tx) =>
    selectSealedOtherwise(tx, column, keyName, after, AT_ONCE),
  );
  if (places.length === 0) return { resealed: 0, unopened: [], after: null };
  const merchants = [...new Set(places.map(({ merchantId }) => merchantId))];
  const done = await database.transaction({ merchants }, async (tx: Tx) => {
    const rows = await lockSealed(tx, column, places);
    const results = rows.map((row) => resealRow(row, column, sealer, keyName));
    const changed = results.filter(({ resealed }) => resealed > 0).map(({ row }) => row);
    if (changed.length > 0) await updateSealed(tx, column, changed);
    return results;
  });
  return {
    resealed: done.reduce((sum, { resealed }) => sum + resealed, 0),
    unopened: done.flatMap(({ unopened }) => unopened),
    after: places.at(-1) ?? null,
  };
}

/** A row under the new key. What is under it already, and what does not open, stays. Pure. */
function resealRow(row: SealedRow, { table, column }: SealedColumn, sealer: Sealer, keyName: string) {
  const { merchantId, id, value } = row;
  const unopened: UnopenedSecret[] = [];
  let resealed = 0;
  const reseal = (sealed: string, path: string | null): string => {
    if (sealed === '' || sealed.split('.')[1] === keyName) return sealed;
    const text = sealer.open(sealed, placeOf(id, path));
    if (text === null) {
      unopened.push({ merchantId, id, where: [`${table}.${column}`, path ?? []].flat().join(' ') });
      return sealed;
    }
    resealed += 1;
    return sealer.seal(text, placeOf(id, path));
  };
  const after =
    typeof value === 'string'
      ? reseal(value, null)
      : value && Object.fromEntries(Object.entries(value).map(([path, sealed]) => [path, reseal(sealed, path)]));
  return { row: { merchantId, id, value: after } satisfies SealedRow, resealed, unopened };
}

/** Forgets the keys that seal nothing any more. @returns the names of the others, beside the one that seals now */
async function forgetUnused(database: Database, keyName: string): Promise<readonly string[]> {
  const counts = await database.transaction('every merchant, reading', countSealed);
  const needed = counts.map(({ name }) => name).filter((name) => name !== keyName);
  await database.transaction('nobody', async (tx) => {
    await lockMasterKeys(tx);
    const recorded = await selectMasterKeys(tx);
    const unused = recorded.map(({ name }) => name).filter((name) => name !== keyName && !needed.includes(name));
    if (unused.length > 0) await deleteMasterKeys(tx, unused);
  });
  return needed;
}
