import { lockKey, type Tx } from '../db/index.ts';
import { fail, ok, type Result } from '../kernel/result.ts';
import { fingerprint } from './idempotency.ts';

/** The `idempotencyKey` of a body, and the fingerprint of all that was sent under it (api.md, Idempotency). */
export interface BodyKey {
  readonly key: string;
  readonly fingerprint: Buffer;
}

/**
 * The key of a body; null where the body has none, so that each request creates a row of its own.
 * @param kind the word before the body in the fingerprint; rows have kept fingerprints with it, so it never changes
 */
export const bodyKey = (kind: string, body: { readonly idempotencyKey?: string | undefined }): BodyKey | null =>
  body.idempotencyKey === undefined ? null : { key: body.idempotencyKey, fingerprint: fingerprint(kind, body) };

/** A key as the columns of the row that is created under it. */
export const keyColumns = (
  sent: BodyKey | null,
): { idempotencyKey: string | null; idempotencyPrint: Buffer | null } => ({
  idempotencyKey: sent?.key ?? null,
  idempotencyPrint: sent?.fingerprint ?? null,
});

/** The keys of one kind of row. Without the name of the kind the caller holds a lock of its own already. */
interface KeysOf<Row> {
  readonly kind?: string;
  readonly find: (tx: Tx, key: string) => Promise<Row | undefined>;
}

/**
 * The row that an earlier request with the same key and content has created, as it is now; null where the caller is to
 * create it. A second request with the same key waits until the transaction of the first one has ended.
 * @returns IDEMPOTENCY_KEY_REUSED where the key came with other content
 */
export async function findCreated<Row extends { readonly idempotencyPrint: Buffer | null }>(
  tx: Tx,
  sent: BodyKey | null,
  { kind, find }: KeysOf<Row>,
): Promise<Result<Row | null>> {
  if (sent === null) return ok(null);
  if (kind !== undefined) await lockKey(tx, kind, sent.key);
  const known = await find(tx, sent.key);
  if (!known) return ok(null);
  return known.idempotencyPrint?.equals(sent.fingerprint) ? ok(known) : fail('IDEMPOTENCY_KEY_REUSED');
}
