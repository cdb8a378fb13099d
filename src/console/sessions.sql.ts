import { type Database, sql, type Tx } from '../db/index.ts';
import type { Role } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';

/** A session that still lasts, and its person. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly organizationId: string;
  readonly organizationType: string;
  readonly role: Role;
  readonly method: SignInMethod;
  readonly createdAt: Instant;
  /** When it ends if it is not used any more. */
  readonly expiresAt: Instant;
}

/** How a person has signed in. */
export type SignInMethod = 'password' | 'link';

/** The session of a token's hash, in one round trip; it counts as used. */
export const findSession = async (database: Database, hash: Buffer, now: Instant): Promise<Session | undefined> => {
  const rows = await database.call<Session>(
    'find_console_session',
    sql`select id, user_id, organization_id, organization_type, role, method, created_at, expires_at
          from find_console_session(${hash}, ${now})`,
  );
  return rows[0];
};

/** A user in its organization, of whom a session or a link is to be made. */
export interface LoginOf {
  readonly userId: string;
  readonly merchantId: string;
}

export const insertLogin = (tx: Tx, { userId, merchantId }: LoginOf, now: Instant): Promise<number> =>
  tx.run(sql`
    insert into auth.login (id, merchant_id, created_at) values (${userId}, ${merchantId}, ${now})
    on conflict (id) do nothing`);

/** A row of `auth.session`. */
export interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly token: Buffer;
  readonly method: SignInMethod;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly createdAt: Instant;
  readonly usedAt: Instant;
  readonly expiresAt: Instant;
}

export const insertSession = (tx: Tx, session: NewSession): Promise<number> =>
  tx.run(sql`
    insert into auth.session (id, user_id, token, method, ip_address, user_agent, created_at, used_at, expires_at)
    values (${session.id}, ${session.userId}, ${session.token}, ${session.method}, ${session.ipAddress},
            ${session.userAgent}, ${session.createdAt}, ${session.usedAt}, ${session.expiresAt})`);

/** A session as its person sees it. */
export type ListedSession = Pick<NewSession, 'id' | 'method' | 'ipAddress' | 'userAgent' | 'createdAt' | 'usedAt'>;

export const selectSessions = (tx: Tx, userId: string, now: Instant): Promise<ListedSession[]> =>
  tx.rows<ListedSession>(sql`
    select id, method, ip_address, user_agent, created_at, used_at from auth.session
     where user_id = ${userId} and used_at > ${now.subtract(IDLE)} and expires_at > ${now}
     order by used_at desc, id`);

export const deleteSessionOfToken = (tx: Tx, token: Buffer): Promise<number> =>
  tx.run(sql`delete from auth.session where token = ${token}`);

export const deleteSession = (tx: Tx, userId: string, id: string): Promise<number> =>
  tx.run(sql`delete from auth.session where user_id = ${userId} and id = ${id}`);

/** Ends all sessions of a user but one, and makes the links void that were not used. */
export const deleteOthers = async (tx: Tx, userId: string, kept: string): Promise<void> => {
  await tx.run(sql`delete from auth.session where user_id = ${userId} and id <> ${kept}`);
  await tx.run(sql`delete from auth.link where user_id = ${userId}`);
};

/** The hashes of the passwords that some users have. */
export const selectPasswords = (
  tx: Tx,
  userIds: readonly string[],
): Promise<{ readonly userId: string; readonly hash: string }[]> =>
  tx.rows(sql`select user_id, hash from auth.password where user_id = any (${userIds}::text[])`);

export const upsertPassword = (tx: Tx, userId: string, hash: string, now: Instant): Promise<number> =>
  tx.run(sql`
    insert into auth.password (user_id, hash, updated_at) values (${userId}, ${hash}, ${now})
    on conflict (user_id) do update set hash = excluded.hash, updated_at = excluded.updated_at`);

export const insertLink = (
  tx: Tx,
  { userId, merchantId }: LoginOf,
  { token, createdAt, expiresAt }: { token: Buffer; createdAt: Instant; expiresAt: Instant },
): Promise<number> =>
  tx.run(sql`
    insert into auth.link (token, merchant_id, user_id, created_at, expires_at)
    values (${token}, ${merchantId}, ${userId}, ${createdAt}, ${expiresAt})`);

/** Uses a link up: of two at once one gets its user. */
export const updateUsedLink = (tx: Tx, token: Buffer, now: Instant): Promise<LoginOf | undefined> =>
  tx.maybe<LoginOf>(sql`
    update auth.link set used_at = ${now} where token = ${token} and used_at is null and expires_at > ${now}
    returning user_id, merchant_id`);

/** Can anybody sign in: with a password, or because somebody is signed in? */
export const selectIsAnybodyIn = async (tx: Tx, now: Instant): Promise<boolean> => {
  const { isAny } = await tx.one<{ isAny: boolean }>(sql`
    select exists (select from auth.password)
        or exists (select from auth.session where used_at > ${now.subtract(IDLE)} and expires_at > ${now}) as is_any`);
  return isAny;
};

/** A session ends after so long without a request; find_console_session() has the same. */
const IDLE = { hours: 12 } as const;

/** A chore of the runner: ended sessions and links are deleted. */
export const forgetSessionsChore = {
  name: 'forgetting ended sessions of the console',
  everySeconds: 3600,
  run: (database: Database, now: Instant): Promise<void> =>
    database.transaction('nobody', async (tx) => {
      await tx.run(sql`delete from auth.session where used_at <= ${now.subtract(IDLE)} or expires_at <= ${now}`);
      await tx.run(sql`delete from auth.link where expires_at <= ${now}`);
    }),
};
