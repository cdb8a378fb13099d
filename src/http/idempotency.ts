import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type Database, type Sql, sql, sqlState, type Tx } from '../db/index.ts';
import { fail, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';

/** Where a key counts: one merchant, one route (api.md, Idempotency). */
export interface IdempotencyScope {
  readonly merchantId: string;
  readonly route: string;
  readonly key: string;
}

export interface StoredReply {
  readonly status: number;
  readonly body: string;
}

/** Same key, same content? SHA-256 over the path and the canonical body. */
export const fingerprint = (path: string, body: unknown): Buffer =>
  createHash('sha256').update(path).update('\0').update(canonicalJson(body)).digest();

/** JSON with the keys of every object sorted, so that two spellings of one value are one text. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part) && !JSON.isRawJSON(part)
        ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ) ?? ''
  );
}

const claimRow = (scope: IdempotencyScope, print: Buffer, now: Instant): Sql => sql`
  insert into idempotency_key (merchant_id, route, key, fingerprint, created_at)
  values (${scope.merchantId}, ${scope.route}, ${scope.key}, ${print}, ${now})
  on conflict (merchant_id, route, key) do nothing`;

/**
 * Claims a key in the caller's transaction. A twin that is still running holds the row's index entry: we wait for it, two
 * seconds at most, and then answer 409.
 * @returns null where the claim is ours and the work must be done; the stored reply where it was done before.
 */
export async function claim(
  tx: Tx,
  scope: IdempotencyScope,
  print: Buffer,
  now: Instant,
): Promise<Result<StoredReply | null>> {
  try {
    await tx.run(sql`set local lock_timeout = 2000`);
    const claimed = await tx.run(claimRow(scope, print, now));
    await tx.run(sql`set local lock_timeout = 3000`);
    if (claimed === 1) return { ok: true, value: null };
  } catch (error) {
    if (sqlState(error) === '55P03') return fail('IDEMPOTENCY_IN_PROGRESS');
    throw error;
  }
  const stored = await tx.one<{ fingerprint: Buffer; status: number | null; body: string | null }>(sql`
    select fingerprint, status, body from idempotency_key
     where merchant_id = ${scope.merchantId} and route = ${scope.route} and key = ${scope.key}`);
  if (!stored.fingerprint.equals(print)) return fail('IDEMPOTENCY_KEY_REUSED');
  return { ok: true, value: { status: stored.status ?? 200, body: stored.body ?? '' } };
}

/**
 * Where an answer holds a secret (`secretReply`), the caller's API key takes part in the fingerprint and locks the stored
 * body: the database has only the key's hash, so neither a dump nor another user of the merchant can read it there.
 */
export interface ReplyLock {
  readonly fingerprint: (path: string, body: unknown) => Buffer;
  readonly close: (text: string) => string;
  readonly open: (text: string) => string;
}

export const noLock: ReplyLock = { fingerprint, close: (text) => text, open: (text) => text };

const INITIALIZATION_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a key derived from the API key. */
export function lockOf(token: string): ReplyLock {
  const key = Buffer.from(hkdfSync('sha256', token, '', 'reckoner idempotent reply', 32));
  return {
    fingerprint: (path, body) => createHmac('sha256', key).update(fingerprint(path, body)).digest(),
    close: (text) => {
      const start = randomBytes(INITIALIZATION_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, start);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([start, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open: (text) => {
      const bytes = Buffer.from(text, 'base64');
      const sealedFrom = INITIALIZATION_BYTES + TAG_BYTES;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, INITIALIZATION_BYTES));
      decipher.setAuthTag(bytes.subarray(INITIALIZATION_BYTES, sealedFrom));
      return Buffer.concat([decipher.update(bytes.subarray(sealedFrom)), decipher.final()]).toString('utf8');
    },
  };
}

/** Keeps the answer beside the claim, in the same transaction as the effect. */
export const keepReply = (tx: Tx, scope: IdempotencyScope, reply: StoredReply): Promise<number> =>
  tx.run(sql`update idempotency_key set status = ${reply.status}, body = ${reply.body}
    where merchant_id = ${scope.merchantId} and route = ${scope.route} and key = ${scope.key}`);

const KEPT_HOURS = 7 * 24;
const FORGOTTEN_AT_ONCE = 1000;

/** A chore of the runner: keys are kept for 7 days (api.md, Idempotency). */
export const forgetIdempotencyKeys = {
  name: 'forgetting old idempotency keys',
  everySeconds: 3600,
  run: async (database: Database, now: Instant): Promise<void> => {
    const olderThan = now.subtract({ hours: KEPT_HOURS });
    const forget = (tx: Tx) =>
      tx.one<{ count: number }>(sql`select forget_idempotency_keys(${olderThan}, ${FORGOTTEN_AT_ONCE}) as count`);
    while ((await database.transaction('nobody', forget)).count === FORGOTTEN_AT_ONCE);
  },
};
