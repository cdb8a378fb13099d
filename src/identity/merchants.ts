import type { Tx } from '../db/index.ts';
import { ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import { type CreatedApiKey, createApiKey } from './api-keys.ts';
import type { EnvironmentName } from './keys.ts';
import { createOrganization, type NewOrganization, type Organization } from './organizations.ts';
import { createUser, type User } from './users.ts';

export interface NewMerchant extends Omit<NewOrganization, 'type' | 'merchantId'> {
  /** The first admin's address. */
  adminEmail: string;
  /** The name of the admin's key. */
  keyName?: string;
}

/**
 * A merchant with its first admin and a key of that admin: all that is needed to call the API. For a start and for
 * seeds.
 */
export async function createMerchant(
  tx: Tx,
  { adminEmail, keyName = 'First key', ...organization }: NewMerchant,
  environment: EnvironmentName,
  now: Instant,
): Promise<Result<{ organization: Organization; admin: User } & CreatedApiKey>> {
  const made = await createOrganization(tx, { ...organization, type: 'merchant' }, environment, now);
  if (!made.ok) return made;
  const merchantId = made.value.id;
  const own = tx.of(merchantId);
  const admin = await createUser(own, { organizationId: merchantId, email: adminEmail, role: 'admin' }, now);
  if (!admin.ok) return admin;
  const key = await createApiKey(own, { merchantId, userId: admin.value.id }, { name: keyName }, environment, now);
  if (!key.ok) return key;
  return ok({ organization: made.value, admin: admin.value, ...key.value });
}
