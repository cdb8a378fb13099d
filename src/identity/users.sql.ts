import { allOf, assignments, insertion, jsonb, pageOfRows, sql, type Tx, withJsonb } from '../db/index.ts';
import type { Address, Page, PageRequest, Role } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';

/** A person or a program that calls the API for an organization, in one role. */
export interface User {
  id: string;
  merchantId: string;
  organizationId: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  phone: string | null;
  address: Address | null;
  type: 'COMPANY' | 'INDIVIDUAL' | null;
  role: Role;
  createdAt: Instant;
  updatedAt: Instant;
}

const columns = sql`
  id, merchant_id, organization_id, email, first_name,
  last_name, phone, address, type, role, created_at, updated_at`;

const jsonbOrNull = (value: unknown) => (value === null ? null : jsonb(value));

export const insertUser = (tx: Tx, user: User): Promise<User> =>
  tx.one<User>(sql`${insertion('app_user', withJsonb(user, 'address'), columns)} returning ${columns}`);

export const selectUser = (tx: Tx, id: string): Promise<User | undefined> =>
  tx.maybe<User>(sql`select ${columns} from app_user where merchant_id = ${tx.merchantId} and id = ${id}`);

export type UserFilter = { merchantId: string | null; organizationId?: string; email?: string; role?: Role };

export async function selectUsers(tx: Tx, filter: UserFilter, page: PageRequest): Promise<Page<User>> {
  const where = allOf([
    filter.merchantId !== null && sql`merchant_id = ${filter.merchantId}`,
    filter.organizationId !== undefined && sql`organization_id = ${filter.organizationId}`,
    filter.email !== undefined && sql`lower(email) = lower(${filter.email})`,
    filter.role !== undefined && sql`role = ${filter.role}`,
  ]);
  const { rows, total } = await pageOfRows<User>(
    tx,
    { kind: 'user', select: columns, from: sql`app_user`, where },
    page,
  );
  return { data: rows, total };
}

export type UserChange = Partial<Pick<User, 'email' | 'firstName' | 'lastName' | 'phone' | 'address' | 'role'>>;

export const updateUser = (tx: Tx, id: string, change: UserChange, now: Instant): Promise<User | undefined> =>
  tx.maybe<User>(sql`
    update app_user set ${assignments({
      email: change.email,
      firstName: change.firstName,
      lastName: change.lastName,
      phone: change.phone,
      address: change.address === undefined ? undefined : jsonbOrNull(change.address),
      role: change.role,
      updatedAt: now,
    })} where merchant_id = ${tx.merchantId} and id = ${id} returning ${columns}`);

/** What users of the merchant are called, by their ids: their names, or their e-mail addresses. */
export const selectUserNames = (tx: Tx, ids: readonly string[]): Promise<{ id: string; name: string }[]> =>
  tx.rows(sql`select id, coalesce(nullif(concat_ws(' ', first_name, last_name), ''), email) as name from app_user
    where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`);
/** A user with an e-mail address, in its organization. */
export interface FoundUser {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly organizationType: string;
  readonly role: Role;
}

/** The users of all organizations with an e-mail address, in any case, at most ten; or one of them. */
export const selectUsersOfEmail = (tx: Tx, email: string, userId: string | null): Promise<FoundUser[]> =>
  tx.rows<FoundUser>(sql`
    select id, organization_id, organization_name, organization_type, role
      from find_users_of_email(${email}, ${userId}::text)`);
