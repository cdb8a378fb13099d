import { findCustomer, findMailboxes } from '../../customers/index.ts';
import type { Database, Tx } from '../../db/index.ts';
import { type EnvironmentName, merchantSettings } from '../../identity/index.ts';
import type { Chore } from '../../jobs/index.ts';
import { type FieldError, invalid, notFound, ok, type Result } from '../../kernel/result.ts';
import { earliest, endOfDuration, HOURS_PER_DAY, type Instant, isBefore, SECONDS_PER_HOUR } from '../../kernel/time.ts';
import { redirectProblems } from '../../payments/index.ts';
import {
  countMailed,
  forgetLinks,
  insertLink,
  lockRequests,
  markOpened,
  markSessionEnded,
  type PortalLink,
  selectLink,
  selectMerchantOfLink,
  selectMerchantOfSession,
  selectSession,
  updateSessionEnd,
} from './portal.sql.ts';
import { hashOfToken, newToken } from './tokens.ts';

/** How long a link opens the portal. */
const LENGTHS = { usual: Temporal.Duration.from('PT10M'), longest: Temporal.Duration.from('P7D') };
const MAILED_MINUTES = 15;
/** How long a visit lasts from its last request, and from its opening at most (docs/decisions/0228). */
const VISIT = { hours: 1 };
const LONGEST_VISIT = { hours: HOURS_PER_DAY };
/** Its end is moved where that makes this much of a difference, so that not every page writes. */
const END_MOVES_BY = { minutes: 1 };
/** Links to one customer in the time in which they are of use. */
const MOST_MAILED = 3;

/** The portal of a link. */
export interface PortalOf {
  readonly merchantId: string;
  readonly customerId: string;
  readonly subscriptionId: string | null;
}

/** The request for a link. */
export interface LinkRequest {
  readonly expiresIn?: string;
  readonly returnUrl?: string | null;
}

/** A link as it is handed out, once: only the hash of its token is kept. */
export interface NewLink {
  readonly url: string;
  readonly expiresAt: Instant;
}

/** The address of a link. The token is in the query, which our logs omit. */
const urlOf = (publicUrl: string, token: string): string => `${publicUrl}/portal/open?token=${token}`;

/**
 * Makes a link to a customer's portal, which works once.
 * @returns 404 where there is no such customer; 400 for a time above seven days, and for a returnUrl that the
 *   merchant's rules do not allow
 */
export async function createLink(
  tx: Tx,
  { environment, publicUrl }: { readonly environment: EnvironmentName; readonly publicUrl: string },
  { merchantId, customerId, subscriptionId }: PortalOf,
  { expiresIn, returnUrl = null }: LinkRequest,
  now: Instant,
): Promise<Result<NewLink>> {
  if (!(await findCustomer(tx, customerId, { keep: true }))) return notFound('customer');
  const { redirectHosts } = await merchantSettings(tx);
  const expiresAt = endOfDuration(expiresIn, LENGTHS, now);
  const errors: FieldError[] = redirectProblems({ returnUrl }, { environment, redirectHosts });
  if (expiresAt === null) errors.push({ field: 'expiresIn', message: 'must be a duration above 0, of 7 days at most' });
  if (expiresAt === null || errors.length > 0) return invalid(errors);
  const token = newToken();
  await insertLink(tx, {
    merchantId,
    linkHash: hashOfToken(token) as Buffer,
    customerId,
    subscriptionId,
    way: 'api',
    returnUrl,
    expiresAt,
    createdAt: now,
  });
  return ok({ url: urlOf(publicUrl, token), expiresAt });
}

/** The content of a mail with a link. */
export interface MailedLink {
  readonly merchantId: string;
  readonly customerId: string;
  /** The one address that was typed. */
  readonly recipient: string;
  readonly url: string;
  readonly expiresAt: Instant;
  /** The key of this mail among others to the same customer. */
  readonly occasion: string;
}

/** Makes the link for a mail; null where the customer has been sent enough of them, or is not written to there. */
export async function createMailedLink(
  tx: Tx,
  publicUrl: string,
  { merchantId, customerId, email }: { merchantId: string; customerId: string; email: string },
  now: Instant,
): Promise<MailedLink | null> {
  const emails = (await findMailboxes(tx, [customerId])).get(customerId)?.emails ?? [];
  const recipient = emails.find((each) => each.toLowerCase() === email.toLowerCase());
  if (recipient === undefined) return null;
  await lockRequests(tx, customerId);
  const since = now.subtract({ minutes: MAILED_MINUTES });
  if ((await countMailed(tx, customerId, since)) >= MOST_MAILED) return null;
  const token = newToken();
  const linkHash = hashOfToken(token) as Buffer;
  const expiresAt = now.add({ minutes: MAILED_MINUTES });
  await insertLink(tx, {
    merchantId,
    linkHash,
    customerId,
    subscriptionId: null,
    way: 'mail',
    returnUrl: null,
    expiresAt,
    createdAt: now,
  });
  return {
    merchantId,
    customerId,
    recipient,
    url: urlOf(publicUrl, token),
    expiresAt,
    occasion: linkHash.toString('base64url'),
  };
}

/** The status of a link for its holder. */
export type LinkState = 'ready' | 'used' | 'expired';

/** @param link the link of the sent token */
export function stateOfLink(link: Pick<PortalLink, 'openedAt' | 'expiresAt'>, now: Instant): LinkState {
  if (link.openedAt !== null) return 'used';
  return isBefore(now, link.expiresAt) ? 'ready' : 'expired';
}

/** Does a session go on? */
export const isOpen = (
  { sessionEndsAt: end, endedAt: ended }: Pick<PortalLink, 'sessionEndsAt' | 'endedAt'>,
  now: Instant,
): boolean => end !== null && ended === null && isBefore(now, end);

/** The merchant of a link by its token. @returns null where there is no such link */
export async function merchantOfLink(database: Database, token: string | undefined): Promise<string | null> {
  const hash = hashOfToken(token);
  return hash === null ? null : selectMerchantOfLink(database, hash);
}

/** The same of a session. */
export async function merchantOfSession(database: Database, token: string | undefined): Promise<string | null> {
  const hash = hashOfToken(token);
  return hash === null ? null : selectMerchantOfSession(database, hash);
}

/** The link of a token. */
export const findLink = (tx: Tx, token: string): Promise<PortalLink | undefined> =>
  selectLink(tx, hashOfToken(token) as Buffer);

/** The session of a token, also where it has ended. */
export const findSession = (tx: Tx, token: string): Promise<PortalLink | undefined> =>
  selectSession(tx, hashOfToken(token) as Buffer);

/** A session as it begins; the token goes into the browser's cookie. */
export interface OpenedSession {
  readonly link: PortalLink;
  readonly token: string;
}

/** Opens a link; null where it is used or has expired meanwhile. */
export async function openLink(tx: Tx, link: PortalLink, now: Instant): Promise<OpenedSession | null> {
  const token = newToken();
  const session = { sessionHash: hashOfToken(token) as Buffer, endsAt: endOfVisit(now, now) };
  const opened = await markOpened(tx, link, session, now);
  return opened ? { link: opened, token } : null;
}

/** An hour after the last request, and a day after the opening at the latest. */
const endOfVisit = (openedAt: Instant, lastAt: Instant): Instant =>
  earliest(lastAt.add(VISIT), openedAt.add(LONGEST_VISIT));

/** A request within an open session, which lasts an hour from now on. */
export async function continueSession(tx: Tx, session: PortalLink, now: Instant): Promise<void> {
  const endsAt = endOfVisit(session.openedAt as Instant, now);
  if (isBefore((session.sessionEndsAt as Instant).add(END_MOVES_BY), endsAt))
    await updateSessionEnd(tx, session, endsAt);
}

/** Signs a visitor out. */
export const leaveSession = (tx: Tx, token: string, now: Instant): Promise<number> =>
  markSessionEnded(tx, hashOfToken(token) as Buffer, now);

const KEPT_HOURS = 30 * HOURS_PER_DAY;
/** How long a browser keeps the cookie: after the visit, too, it tells whose customer has come back. */
export const COOKIE_SECONDS: number = KEPT_HOURS * SECONDS_PER_HOUR;
const MOST_FORGOTTEN = 5_000;

/** Forgets links that were made more than 30 days ago, with their sessions. */
export const forgetPortalLinks: Chore = {
  name: 'forgetting links to the customer portal',
  everySeconds: SECONDS_PER_HOUR,
  run: async (database, now) => {
    const olderThan = now.subtract({ hours: KEPT_HOURS });
    while ((await forgetLinks(database, olderThan, MOST_FORGOTTEN)) === MOST_FORGOTTEN);
  },
};
