import type { Tx } from '../db/index.ts';
import { type Caller, hasRole, type Page, type PageRequest } from '../http/index.ts';
import { newId } from '../kernel/ids.ts';
import { forbidden, invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant, isAfter } from '../kernel/time.ts';
import { type ApiKey, insertApiKey, markKeyRevoked, selectApiKeys } from './api-keys.sql.ts';
import { type EnvironmentName, generateApiKey, hashApiKey, keyDisplay } from './keys.ts';
import { selectUser, type User } from './users.sql.ts';

export type { ApiKey } from './api-keys.sql.ts';

/** A key as answers show it; the secret only where it was just created (api.md, Identity). */
export const publicApiKey = (key: ApiKey, secret?: string) => ({
  id: key.id,
  object: 'apiKey' as const,
  userId: key.userId,
  name: key.name,
  prefix: key.prefix,
  last4: key.last4,
  ...(secret !== undefined && { secret }),
  expiresAt: key.expiresAt && formatInstant(key.expiresAt),
  lastUsedAt: key.lastUsedAt && formatInstant(key.lastUsedAt),
  createdAt: formatInstant(key.createdAt),
});

/**
 * May the caller make and revoke this user's keys: its own, but not as a viewer; others' as an admin or as an operator.
 */
export function mayManageKeys(caller: Caller, user: Pick<User, 'id'>): boolean {
  if (!hasRole(caller, 'member')) return false;
  return caller.userId === user.id || caller.isOperator || hasRole(caller, 'admin');
}

export interface NewApiKey {
  name: string;
  /** After it the key is answered with 401 `API_KEY_EXPIRED`; null or absent: never. */
  expiresAt?: Instant | null;
}

/** A key with its secret, which can be read this once. */
export interface CreatedApiKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/** Creates a key of a user. A user may have any number at a time, so that a key can be replaced without a gap. */
export async function createApiKey(
  tx: Tx,
  { merchantId, userId }: { merchantId: string; userId: string },
  { name, expiresAt = null }: NewApiKey,
  environment: EnvironmentName,
  now: Instant,
): Promise<Result<CreatedApiKey>> {
  if (expiresAt && !isAfter(expiresAt, now)) return invalidField('expiresAt', 'must be in the future');
  const secret = generateApiKey(environment);
  const key = await insertApiKey(tx, {
    id: newId('apiKey'),
    merchantId,
    userId,
    name,
    hash: hashApiKey(secret),
    ...keyDisplay(secret),
    expiresAt,
    createdAt: now,
  });
  return ok({ key, secret });
}

/** The user whose keys the caller wants to manage: 404 where there is none, 403 where the caller may not. */
export async function userToManage(tx: Tx, caller: Caller, userId: string): Promise<Result<User>> {
  const user = await selectUser(tx, userId);
  if (!user) return notFound('user');
  return mayManageKeys(caller, user) ? ok(user) : forbidden('Only an admin manages the keys of others.');
}

/** A key has its user's role, so its creation grants that role (api.md: a user cannot grant a role above their own). */
export async function createKeyFor(
  tx: Tx,
  caller: Caller,
  { merchantId, userId }: { merchantId: string; userId: string },
  input: NewApiKey,
  environment: EnvironmentName,
  now: Instant,
): Promise<Result<CreatedApiKey>> {
  const user = await userToManage(tx, caller, userId);
  if (!user.ok) return user;
  if (!hasRole(caller, user.value.role)) return forbidden('A user cannot grant a role above their own.');
  return createApiKey(tx, { merchantId, userId }, input, environment, now);
}

/** One page of a user's keys, newest first; revoked ones are left out. */
export const listApiKeys = (tx: Tx, userId: string, page: PageRequest): Promise<Page<ApiKey>> =>
  selectApiKeys(tx, userId, page);

/** Revokes a key: within a second it is invalid on every node (authentication.ts). */
export async function revokeKeyOf(
  tx: Tx,
  caller: Caller,
  { userId, id }: { merchantId: string; userId: string; id: string },
  now: Instant,
): Promise<Result<void>> {
  const user = await userToManage(tx, caller, userId);
  if (!user.ok) return user;
  if (!hasRole(caller, user.value.role)) return forbidden('A user cannot revoke the keys of a role above their own.');
  const revoked = await markKeyRevoked(tx, userId, id, now);
  return revoked === 1 ? ok(undefined) : notFound('API key');
}
