import { type Database, insertion, pageOfRows, sql, type Tx } from '../db/index.ts';
import type { Page, PageRequest, Role } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';

/** An API key without its secret, which is stored nowhere. */
export interface ApiKey {
  id: string;
  merchantId: string;
  userId: string;
  name: string;
  prefix: string;
  last4: string;
  expiresAt: Instant | null;
  lastUsedAt: Instant | null;
  createdAt: Instant;
}

const columns = sql`
  id, merchant_id, user_id, name, prefix, last4, expires_at,
  last_used_at, created_at`;

export const insertApiKey = (tx: Tx, key: Omit<ApiKey, 'lastUsedAt'> & { hash: Buffer }): Promise<ApiKey> =>
  tx.one<ApiKey>(sql`${insertion('api_key', key)} returning ${columns}`);

/** Revoked keys are gone from sight; their rows stay for the audit log. */
export async function selectApiKeys(tx: Tx, userId: string, page: PageRequest): Promise<Page<ApiKey>> {
  const exists = sql`merchant_id = ${tx.merchantId} and user_id = ${userId} and revoked_at is null`;
  const { rows, total } = await pageOfRows<ApiKey>(
    tx,
    { kind: 'apiKey', select: columns, from: sql`api_key`, exists },
    page,
  );
  return { data: rows, total };
}

/** @returns how many keys were revoked: none where the user has no such key, or it was revoked before. */
export const markKeyRevoked = (tx: Tx, userId: string, id: string, now: Instant): Promise<number> =>
  tx.run(sql`
    update api_key set revoked_at = ${now}
     where merchant_id = ${tx.merchantId} and user_id = ${userId} and id = ${id} and revoked_at is null`);

/** The owner of a key. */
export interface FoundKey {
  readonly hash: Buffer;
  readonly keyId: string;
  readonly userId: string;
  readonly organizationId: string;
  readonly organizationType: string;
  readonly role: Role;
  readonly expiresAt: Instant | null;
}

/**
 * Those of some hashes that are keys and not revoked, in one round trip; each is marked as used, at most once a minute.
 */
export const selectKeys = (database: Database, hashes: readonly Buffer[], now: Instant): Promise<FoundKey[]> =>
  database.call<FoundKey>(
    'find_api_keys',
    sql`
    select hash, key_id, user_id, organization_id,
           organization_type, role, expires_at
      from find_api_keys(${hashes}::bytea[], ${now})`,
  );
