import type { Database, Tx } from '../db/index.ts';
import { MasterKeyRefused, nameOfMasterKey, placeOf, type Sealer, sealerOf } from '../kernel/sealing.ts';
import type { Instant } from '../kernel/time.ts';
import { type Admission, decideAdmission, type RecordedKey } from './decide-admission.ts';
import {
  countSealed,
  deleteMasterKeys,
  insertLostMasterKeys,
  insertMasterKey,
  lockMasterKeys,
  selectMasterKeys,
} from './secrets.sql.ts';

/** The master keys that a process was given, and what it may do with them. */
export interface MasterKeys {
  /** Seals, and opens. */
  readonly key: string;
  /** Opens what was sealed before a rotation that has not ended. */
  readonly previous?: string | undefined;
  /** Names of keys that nobody has any more: what they sealed is given up. */
  readonly lost?: readonly string[];
  /** No other process uses the database, so that a key which seals nothing may be replaced. */
  readonly isAlone?: boolean;
  /** Keeps a new key where the next start finds it, before the database learns of it. */
  readonly keep?: (() => void) | undefined;
}

const PROOF = 'This text was encrypted with the master key of the environment.';
const proofPlace = (name: string): string => placeOf('master_key', name);

/**
 * Checks the master keys of a process against the database, and records a new one. Starts wait for each other here, so
 * of two with different new keys one is refused.
 * @returns what seals and opens, and the keys that were given up in this start
 * @throws MasterKeyRefused where the database holds secrets under a key that was not given
 */
export async function admitMasterKeys(
  database: Database,
  keys: MasterKeys,
  now: Instant,
): Promise<{ sealer: Sealer; lost: readonly string[] }> {
  const { key, previous, lost = [], isAlone = false, keep } = keys;
  const all: readonly [string, ...string[]] = previous === undefined ? [key] : [key, previous];
  const given = all.map(nameOfMasterKey) as [string, ...string[]];
  const sealed = await countWhereAsked(database, given);
  const admission = await database.transaction('nobody', async (tx) => {
    await lockMasterKeys(tx);
    const recorded = await selectMasterKeys(tx);
    checkProofs(recorded, all);
    const decided = decideAdmission({ recorded, sealed, given, lost, isAlone });
    if (decided.kind === 'admitted') await record(tx, decided, all, keep, now);
    return decided;
  });
  if (admission.kind === 'refused') throw new MasterKeyRefused(admission.missing, admission.secretCount);
  return { sealer: sealerOf(...all), lost: admission.lose };
}

/**
 * A chore of the runner: says when the database has come to need a key that this process was not given, as one that
 * missed a rotation. It cannot open what the others seal.
 */
export const missingKeyChore = ({ key, previous }: MasterKeys, onMissing: (keyNames: readonly string[]) => void) => ({
  name: 'looking for master keys that are missing',
  everySeconds: 60,
  run: async (database: Pick<Database, 'transaction'>): Promise<void> => {
    const given = [key, ...(previous === undefined ? [] : [previous])].map(nameOfMasterKey);
    const recorded = await database.transaction('nobody', selectMasterKeys);
    const missing = recorded.filter(({ name, isLost }) => !isLost && !given.includes(name)).map(({ name }) => name);
    if (missing.length > 0) onMissing(missing);
  },
});

/** How many secrets each key seals, where the answer matters: in a database without records, or with another key. */
const countWhereAsked = (database: Database, given: readonly string[]): Promise<ReadonlyMap<string, number>> =>
  database.transaction('every merchant, reading', async (tx) => {
    const recorded = await selectMasterKeys(tx);
    const isUsual = recorded.length > 0 && recorded.every(({ name, isLost }) => isLost || given.includes(name));
    const counts = isUsual ? [] : await countSealed(tx);
    return new Map(counts.map(({ name, count }) => [name, count]));
  });

/** A recorded key of the same name is the same key, or a start must not go on. @throws MasterKeyRefused */
function checkProofs(recorded: readonly RecordedKey[], all: readonly [string, ...string[]]): void {
  const sealer = sealerOf(...all);
  const given = new Set(all.map(nameOfMasterKey));
  const names = recorded
    .filter(({ isLost }) => !isLost)
    .filter(({ name, proof }) => given.has(name) && sealer.open(proof, proofPlace(name)) !== PROOF)
    .map(({ name }) => name);
  if (names.length > 0) throw new MasterKeyRefused(names, 0);
}

async function record(
  tx: Tx,
  { record: names, forget, lose }: Extract<Admission, { kind: 'admitted' }>,
  all: readonly string[],
  keep: (() => void) | undefined,
  now: Instant,
): Promise<void> {
  keep?.();
  for (const key of all) if (names.includes(nameOfMasterKey(key))) await recordMasterKey(tx, key, now);
  if (forget.length > 0) await deleteMasterKeys(tx, forget);
  const unproved = lose.map((name) => ({ name, proof: '' }));
  if (lose.length > 0) await insertLostMasterKeys(tx, unproved, now);
}

/** Makes a master key one that the database knows. */
export async function recordMasterKey(tx: Tx, key: string, now: Instant): Promise<void> {
  const name = nameOfMasterKey(key);
  await insertMasterKey(tx, { name, proof: sealerOf(key).seal(PROOF, proofPlace(name)) }, now);
}
