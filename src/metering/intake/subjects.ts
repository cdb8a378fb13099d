import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { lockIngest } from './lock.sql.ts';
import {
  insertDirectLink,
  insertExternalLink,
  lockExternalKey,
  selectSubjectsOf,
  selectSubjectsOfEach,
  upsertSubjectOfCustomer,
} from './subjects.sql.ts';

/**
 * Says whose `externalId` this is from now on (§4, Event ingestion 2 to 4). Called in the transaction that sets,
 * changes or removes a customer's externalId, after the customer's own row is written. Events that nobody had yet, sent
 * before or after, become the customer's. Where another customer had the externalId, its events stay with it and only
 * later ones go to the new one; `customerId` null takes it away and gives it to nobody. Where the customer's usage is
 * settled, nobody is accepting events of the merchant meanwhile: who had begun to would not know yet that events of
 * this name are late. Whoever links several in one transaction does it in the order of the externalIds, so that two
 * cannot wait for each other.
 */
export async function linkExternalSubject(
  tx: Tx,
  link: { merchantId: string; externalId: string; customerId: string | null },
  now: Instant,
): Promise<void> {
  await lockExternalKey(tx, link.externalId);
  const isMarked = link.customerId !== null && (await upsertSubjectOfCustomer(tx, link.customerId, now));
  if (isMarked) await lockIngest(tx, 'exclusive');
  await insertExternalLink(tx, link, now);
}

/**
 * Makes a new subscription known as a subject, so that events addressed to it name its customer in their answers.
 * Called in the transaction that creates it. They count for the subscription with or without this call.
 */
export async function linkSubscriptionSubject(
  tx: Tx,
  link: { merchantId: string; subscriptionId: string; customerId: string },
  now: Instant,
): Promise<void> {
  await insertDirectLink(tx, link, now);
}

/**
 * The subjects whose events count for a figure "of a subject": a customer's with those of its subscriptions, a
 * subscription's alone. An invoice asks more closely, by its sources (domain.md §3).
 */
export const subjectsOf = (tx: Tx, subject: string): Promise<string[]> => selectSubjectsOf(tx, subject);

/** The same of several customers, by customer. */
export const subjectsOfEach = (tx: Tx, customerIds: readonly string[]): Promise<ReadonlyMap<string, string[]>> =>
  selectSubjectsOfEach(tx, customerIds);
