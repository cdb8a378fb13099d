import type { Tx } from '../db/index.ts';
import { type Address, type Caller, hasRole, type Page, type PageRequest, type Role } from '../http/index.ts';
import { newId } from '../kernel/ids.ts';
import { forbidden, invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import { selectOrganization } from './organizations.sql.ts';
import {
  insertUser,
  selectUser,
  selectUsers,
  type User,
  type UserChange,
  type UserFilter,
  updateUser,
} from './users.sql.ts';

export type { User } from './users.sql.ts';

/** A user as answers show it: a field that has nothing to say is left out. */
export const publicUser = (user: User) => ({
  id: user.id,
  object: 'user' as const,
  organizationId: user.organizationId,
  email: user.email,
  ...(user.firstName !== null && { firstName: user.firstName }),
  ...(user.lastName !== null && { lastName: user.lastName }),
  ...(user.phone !== null && { phone: user.phone }),
  ...(user.address !== null && { address: user.address }),
  ...(user.type !== null && { type: user.type }),
  role: user.role,
  organizations: [{ id: user.organizationId, state: 'active' as const, roles: [user.role] }],
  createdAt: formatInstant(user.createdAt),
  updatedAt: formatInstant(user.updatedAt),
});

export interface NewUser {
  organizationId: string;
  email: string;
  role: Role;
  firstName?: string | null;
  lastName?: string | null;
  phone?: string | null;
  address?: Address | null;
  type?: 'COMPANY' | 'INDIVIDUAL' | null;
}

/**
 * Creates a user of a merchant or of the platform (whose users are operators). Consumers have no users: they are
 * billed, and call nothing.
 */
export async function createUser(tx: Tx, input: NewUser, now: Instant): Promise<Result<User>> {
  const organization = await selectOrganization(tx, input.organizationId);
  if (!organization) return notFound('organization', 'organizationId');
  if (organization.type === 'consumer') return invalidField('organizationId', 'must not be a consumer');
  const user = await insertUser(tx, {
    id: newId('user'),
    merchantId: tx.merchantId,
    organizationId: input.organizationId,
    email: input.email,
    role: input.role,
    firstName: input.firstName ?? null,
    lastName: input.lastName ?? null,
    phone: input.phone ?? null,
    address: input.address ?? null,
    type: input.type ?? null,
    createdAt: now,
    updatedAt: now,
  });
  return ok(user);
}

/** A user cannot grant a role above their own (api.md, Identity). */
export const checkGrantedRole = (caller: Caller, role: Role | undefined): Result<void> =>
  role === undefined || hasRole(caller, role)
    ? ok(undefined)
    : forbidden('A user cannot grant a role above their own.');

/** One page of users, newest first; of all merchants where `merchantId` is null. */
export const listUsers = (tx: Tx, filter: UserFilter, page: PageRequest): Promise<Page<User>> =>
  selectUsers(tx, filter, page);

/** One user of the merchant, 404 where it has none of this id. */
export async function findUser(tx: Tx, id: string): Promise<Result<User>> {
  const user = await selectUser(tx, id);
  return user ? ok(user) : notFound('user');
}

/** Changes a user; the type never changes. A new role holds for its API keys within a second (authentication.ts). */
export async function changeUser(
  tx: Tx,
  caller: Caller,
  { id }: { merchantId: string; id: string },
  { type, ...change }: UserChange & { readonly type?: User['type'] },
  now: Instant,
): Promise<Result<User>> {
  const granted = checkGrantedRole(caller, change.role);
  if (!granted.ok) return granted;
  if (type !== undefined) {
    const found = await findUser(tx, id);
    if (!found.ok) return found;
    if (found.value.type !== type)
      return invalidField('type', `never changes: the user has ${found.value.type ?? 'none'}`);
  }
  const user = await updateUser(tx, id, change, now);
  return user ? ok(user) : notFound('user');
}
