import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type Database, jsonb, LOCK_NOT_AVAILABLE, type Sql, sql, sqlState, type Tx } from '../db/index.ts';
import { isJsonObject, sortedEntries } from '../kernel/json.ts';
import { fail, type Result } from '../kernel/result.ts';
import { HOURS_PER_DAY, type Instant, isBefore, SECONDS_PER_HOUR } from '../kernel/time.ts';
import type { Intent } from './route.ts';

/** The scope of a key: one merchant, one route (api.md, Idempotency). */
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
      isJsonObject(part) ? Object.fromEntries(sortedEntries(part)) : part,
    ) ?? ''
  );
}

const claimRow = (scope: IdempotencyScope, requestFingerprint: Buffer, now: Instant): Sql => sql`
  insert into idempotency_key (merchant_id, route, key, fingerprint, created_at)
  values (${scope.merchantId}, ${scope.route}, ${scope.key}, ${requestFingerprint}, ${now})
  on conflict (merchant_id, route, key) do nothing`;

/**
 * The state of a key for a request. `ours`: none, the request does the work. `answered`: the first answer. `waiting`: a
 * twin has committed its intent and waits for a provider. `abandoned`: the same, but its time is over without an
 * answer, so this request waits in its place and makes the answer.
 */
export type Claim =
  | { readonly kind: 'ours' | 'waiting' }
  | { readonly kind: 'answered'; readonly reply: StoredReply }
  | { readonly kind: 'abandoned'; readonly intent: Intent };

/** Longer than a request may take. After this time a claim without an answer belongs to a request that died. */
const LEASE = { seconds: 30 } as const;

/**
 * Claims a key in the caller's transaction. A twin that is still running holds the row's index entry: we wait for it,
 * two seconds at most, and then answer 409.
 */
export async function claim(
  tx: Tx,
  scope: IdempotencyScope,
  requestFingerprint: Buffer,
  now: Instant,
): Promise<Result<Claim>> {
  try {
    await tx.run(sql`set local lock_timeout = 2000`);
    const claimed = await tx.run(claimRow(scope, requestFingerprint, now));
    await tx.run(sql`set local lock_timeout = 3000`);
    if (claimed === 1) return { ok: true, value: { kind: 'ours' } };
  } catch (error) {
    if (sqlState(error) === LOCK_NOT_AVAILABLE) return fail('IDEMPOTENCY_IN_PROGRESS');
    throw error;
  }
  const stored = await selectClaim(tx, scope);
  if (!stored.fingerprint.equals(requestFingerprint)) return fail('IDEMPOTENCY_KEY_REUSED');
  if (stored.status !== null) return { ok: true, value: { kind: 'answered', reply: replyOf(stored) } };
  return { ok: true, value: await takeOver(tx, scope, now) };
}

interface ClaimRow {
  readonly fingerprint: Buffer;
  readonly status: number | null;
  readonly body: string | null;
  readonly intent: Intent | null;
  readonly answerDueAt: Instant | null;
}

const sameKey = ({ merchantId, route, key }: IdempotencyScope): Sql =>
  sql`merchant_id = ${merchantId} and route = ${route} and key = ${key}`;

const selectClaim = (tx: Tx, scope: IdempotencyScope): Promise<ClaimRow> =>
  tx.one<ClaimRow>(sql`
    select fingerprint, status, body, intent, answer_due_at from idempotency_key where ${sameKey(scope)}`);

const replyOf = ({ status, body }: Pick<ClaimRow, 'status' | 'body'>): StoredReply => ({
  status: status ?? 200,
  body: body ?? '',
});

/** Takes over the claim of a request that died while it waited for a provider. Of several requests one takes it. */
async function takeOver(tx: Tx, scope: IdempotencyScope, now: Instant): Promise<Claim> {
  const row = await tx.one<ClaimRow>(sql`select * from idempotency_key where ${sameKey(scope)} for update`);
  if (row.status !== null) return { kind: 'answered', reply: replyOf(row) };
  if (row.intent === null || row.answerDueAt === null) throw new Error('A claim has neither an answer nor an intent.');
  if (isBefore(now, row.answerDueAt)) return { kind: 'waiting' };
  await storeIntent(tx, scope, row.intent, now);
  return { kind: 'abandoned', intent: row.intent };
}

/**
 * The lock of an answer with a secret (`secretReply`): the caller's API key is part of the fingerprint and encrypts the
 * stored body. The database has only the key's hash, so neither a dump nor another user of the merchant can read it
 * there.
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

/**
 * Keeps the answer beside the claim, in the same transaction as the effect or after the outcome.
 * @returns the answer of this key: an earlier one stands
 */
export async function storeReply(tx: Tx, scope: IdempotencyScope, reply: StoredReply): Promise<StoredReply> {
  const kept = await tx.run(sql`
    update idempotency_key set status = ${reply.status}, body = ${reply.body}, intent = null, answer_due_at = null
     where ${sameKey(scope)} and status is null`);
  return kept === 1 ? reply : replyOf(await selectClaim(tx, scope));
}

/** Keeps the intent beside the claim: its answer follows when the outcome is there. */
export const storeIntent = (tx: Tx, scope: IdempotencyScope, intent: Intent, now: Instant): Promise<number> =>
  tx.run(sql`
    update idempotency_key set intent = ${jsonb(intent)}, answer_due_at = ${now.add(LEASE)} where ${sameKey(scope)}`);

const KEPT_HOURS = 7 * HOURS_PER_DAY;
const FORGOTTEN_AT_ONCE = 1000;

/** A chore of the runner: keys are kept for 7 days (api.md, Idempotency). */
export const forgetIdempotencyKeys = {
  name: 'forgetting old idempotency keys',
  everySeconds: SECONDS_PER_HOUR,
  run: async (database: Database, now: Instant): Promise<void> => {
    const olderThan = now.subtract({ hours: KEPT_HOURS });
    const forget = (tx: Tx) =>
      tx.one<{ count: number }>(sql`select forget_idempotency_keys(${olderThan}, ${FORGOTTEN_AT_ONCE}) as count`);
    while ((await database.transaction('nobody', forget)).count === FORGOTTEN_AT_ONCE);
  },
};
