import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Tx } from '../db/index.ts';
import { type FoundUser, findUsersOfEmail } from '../identity/index.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { fail, invalidField, ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import type { SignInAttempts } from './attempts.ts';
import { hashOfToken, type Logins, type SignInPlace } from './logins.ts';
import { passwordProblem } from './passwords.ts';
import {
  deleteOthers,
  insertLink,
  type LoginOf,
  type Session,
  selectPasswords,
  updateUsedLink,
  upsertPassword,
} from './sessions.sql.ts';

/** A wrong password is answered no sooner than this, so the time does not tell whether there is such a user. */
export const FAILED_MILLISECONDS = 1_000;
const LINK_HOURS = 24;
const LINK_CHARACTERS = 43;
/** So long after a sign-in by a link a password is set without the current one. */
const FRESH_MINUTES = 15;

/** The dependencies of signing in. */
export interface SignInParts {
  readonly database: Database;
  readonly logins: Logins;
  readonly attempts: SignInAttempts;
  readonly publicUrl: string;
  readonly failedMilliseconds: number;
}

/** What a person types. */
export interface Typed {
  readonly email: string;
  readonly password: string;
  /** The user among several with this address and this password. */
  readonly userId?: string;
}

/** Signs in with an e-mail address and a password. @returns the token of the session */
export async function signIn(parts: SignInParts, typed: Typed, place: SignInPlace): Promise<Result<string>> {
  const { database, logins, attempts } = parts;
  const attempt = { address: place.address, name: typed.email };
  const seconds = attempts.count(attempt);
  if (seconds !== null) return fail('RATE_LIMITED', { retryAfterSeconds: seconds });
  const patience = sleep(parts.failedMilliseconds);
  const users = await database.transaction('nobody', (tx) => usersWithPasswords(tx, typed));
  const matches = await logins.matches(
    typed.password,
    users.map(({ hash }) => hash),
  );
  const found = users.filter((_, index) => matches[index]);
  const [user, ...others] = found;
  if (user === undefined) {
    await patience;
    return fail('SIGN_IN_FAILED');
  }
  attempts.succeeded(attempt);
  if (others.length > 0) return fail('ORGANIZATION_NEEDED', { choices: found.map(toChoice) });
  return ok(await logins.begin({ userId: user.id, merchantId: user.organizationId }, 'password', place));
}

async function usersWithPasswords(
  tx: Tx,
  { email, userId }: Typed,
): Promise<(FoundUser & { readonly hash: string })[]> {
  const users = await findUsersOfEmail(tx, email.trim(), userId ?? null);
  const passwords = await selectPasswords(
    tx,
    users.map(({ id }) => id),
  );
  const hashes = new Map(passwords.map((each) => [each.userId, each.hash]));
  return users.flatMap((user) => {
    const hash = hashes.get(user.id);
    return hash === undefined ? [] : [{ ...user, hash }];
  });
}

const toChoice = ({ id, organizationId, organizationName, role }: FoundUser) => ({
  userId: id,
  organization: { id: organizationId, name: organizationName },
  role,
});

/** A link that signs a user in once, and when it ends. */
export interface SignInLink {
  readonly url: string;
  readonly expiresAt: Instant;
}

/** Makes a link. The token stands behind `#`, which browsers send to nobody, so that no log has it. */
export async function createLink(tx: Tx, login: LoginOf, publicUrl: string, now: Instant): Promise<SignInLink> {
  const token = randomBase62(LINK_CHARACTERS);
  const expiresAt = now.add({ hours: LINK_HOURS });
  await insertLink(tx, login, { token: hashOfToken(token), createdAt: now, expiresAt });
  return { url: `${publicUrl}/console/link#${token}`, expiresAt };
}

/** Signs in with a link, which is used up. @returns the token of the session */
export async function signInByLink(
  { database, logins, attempts }: SignInParts,
  token: string,
  place: SignInPlace,
  now: Instant,
): Promise<Result<string>> {
  const seconds = attempts.countAddress(place.address);
  if (seconds !== null) return fail('RATE_LIMITED', { retryAfterSeconds: seconds });
  const login = await database.transaction('nobody', (tx) => updateUsedLink(tx, hashOfToken(token), now));
  return login ? ok(await logins.begin(login, 'link', place)) : fail('SIGN_IN_LINK_INVALID');
}

/** Sets the password of the person who is signed in, and ends all other sessions of it. */
export async function changePassword(
  { database, logins, attempts }: SignInParts,
  { session, email, address }: { session: Session; email: string; address: string },
  { password, currentPassword }: { password: string; currentPassword?: string },
  now: Instant,
): Promise<Result<void>> {
  const problem = passwordProblem(password, email);
  if (problem !== null) return invalidField('password', problem);
  const isFresh = session.method === 'link' && now.since(session.createdAt).total('minutes') < FRESH_MINUTES;
  if (!isFresh) {
    const [known] = await database.transaction('nobody', (tx) => selectPasswords(tx, [session.userId]));
    if (!known) return fail('SIGN_IN_AGAIN');
    const attempt = { address, name: session.userId };
    const seconds = attempts.count(attempt);
    if (seconds !== null) return fail('RATE_LIMITED', { retryAfterSeconds: seconds });
    const [isRight] = await logins.matches(currentPassword ?? '', [known.hash]);
    if (!isRight) return fail('PASSWORD_WRONG');
    attempts.succeeded(attempt);
  }
  const hash = await logins.hash(password);
  await database.transaction('nobody', async (tx) => {
    await upsertPassword(tx, session.userId, hash, now);
    await deleteOthers(tx, session.userId, session.id);
  });
  return ok(undefined);
}
