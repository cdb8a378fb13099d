import { type Database, insertion, type Sql, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';

/** The way of a link to its customer: from the merchant, or by email on request. */
export type LinkWay = 'api' | 'mail';

/** A link, and after its opening the session of the browser that opened it. */
export interface PortalLink {
  merchantId: string;
  linkHash: Buffer;
  customerId: string;
  /** At which the portal opens; null: at its overview. */
  subscriptionId: string | null;
  way: LinkWay;
  returnUrl: string | null;
  expiresAt: Instant;
  openedAt: Instant | null;
  sessionHash: Buffer | null;
  sessionEndsAt: Instant | null;
  endedAt: Instant | null;
  createdAt: Instant;
}

export type NewPortalLink = Omit<PortalLink, 'openedAt' | 'sessionHash' | 'sessionEndsAt' | 'endedAt'>;

export const insertLink = (tx: Tx, link: NewPortalLink): Promise<number> => tx.run(insertion('portal_link', link));

/** Runs before any merchant is known. @returns null where there is no such link */
export const selectMerchantOfLink = (database: Database, linkHash: Buffer): Promise<string | null> =>
  ownerOf(database, 'merchant_of_portal_link', sql`select merchant_of_portal_link(${linkHash}) as owner`);

/** The same of a session. */
export const selectMerchantOfSession = (database: Database, sessionHash: Buffer): Promise<string | null> =>
  ownerOf(database, 'merchant_of_portal_session', sql`select merchant_of_portal_session(${sessionHash}) as owner`);

const ownerOf = async (database: Database, name: string, query: Sql): Promise<string | null> =>
  (await database.call<{ owner: string | null }>(name, query))[0]?.owner ?? null;

export const selectLink = (tx: Tx, linkHash: Buffer): Promise<PortalLink | undefined> =>
  tx.maybe<PortalLink>(sql`
    select * from portal_link where merchant_id = ${tx.merchantId} and link_hash = ${linkHash}`);

export const selectSession = (tx: Tx, sessionHash: Buffer): Promise<PortalLink | undefined> =>
  tx.maybe<PortalLink>(sql`
    select * from portal_link where merchant_id = ${tx.merchantId} and session_hash = ${sessionHash}`);

/**
 * Opens a link, once: the row lock admits one of several.
 * @returns undefined if it was already opened, or has expired
 */
export const markOpened = (
  tx: Tx,
  { merchantId, linkHash }: Pick<PortalLink, 'merchantId' | 'linkHash'>,
  { sessionHash, endsAt }: { readonly sessionHash: Buffer; readonly endsAt: Instant },
  now: Instant,
): Promise<PortalLink | undefined> =>
  tx.maybe<PortalLink>(sql`
    update portal_link
       set opened_at = ${now}, session_hash = ${sessionHash}, session_ends_at = ${endsAt}
     where merchant_id = ${merchantId} and link_hash = ${linkHash} and opened_at is null and expires_at > ${now}
    returning *`);

/** Moves the end of a session that goes on; the row of a page that is older leaves a later end as it is. */
export const updateSessionEnd = (
  tx: Tx,
  { merchantId, linkHash }: Pick<PortalLink, 'merchantId' | 'linkHash'>,
  endsAt: Instant,
): Promise<number> =>
  tx.run(sql`
    update portal_link set session_ends_at = ${endsAt}
     where merchant_id = ${merchantId} and link_hash = ${linkHash} and ended_at is null
       and session_ends_at < ${endsAt}`);

/** Ends a session by signing out; an ended one stays unchanged. */
export const markSessionEnded = (tx: Tx, sessionHash: Buffer, now: Instant): Promise<number> =>
  tx.run(sql`
    update portal_link set ended_at = ${now}
     where merchant_id = ${tx.merchantId} and session_hash = ${sessionHash} and ended_at is null`);

/** How many links were sent to a customer since then. */
export const countMailed = (tx: Tx, customerId: string, since: Instant): Promise<number> =>
  tx.value<number>(sql`
    select count(*)::int as many from portal_link
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId} and way = 'mail' and created_at > ${since}`);

/** Requests for links to one customer come one after another, so that they are counted right. */
export const lockRequests = (tx: Tx, customerId: string): Promise<number> =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`portal links ${tx.merchantId} ${customerId}`}, 0))`);

/** @returns how many went, at most as many as asked */
export const forgetLinks = async (database: Database, olderThan: Instant, most: number): Promise<number> =>
  (
    await database.transaction('nobody', (tx) =>
      tx.one<{ count: number }>(sql`select forget_portal_links(${olderThan}, ${most}) as count`),
    )
  ).count;
