import type { Tx } from '../db/index.ts';
import type { Caller } from '../http/index.ts';
import { orThrow } from '../kernel/result.ts';
import type { EnvironmentName } from './keys.ts';
import { findOrganization, publicOrganization } from './organizations.ts';
import { findUser, publicUser } from './users.ts';

/** The caller as the API sees it: whose key this is, in which role, and in which of the two worlds. */
export async function me(tx: Tx, caller: Caller, environment: EnvironmentName) {
  const { organizationId, userId, role } = caller;
  const organization = await findOrganization(tx, organizationId);
  if (!organization) throw new Error('A caller without an organization.');
  const user = orThrow(await findUser(tx, userId));
  return {
    object: 'me' as const,
    user: publicUser(user),
    organization: publicOrganization(organization),
    role,
    environment,
  };
}
