import { findPlan } from '../catalog/index.ts';
import { findCustomer } from '../customers/index.ts';
import { checkReference, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { merchantSettings } from '../identity/index.ts';
import { newId } from '../kernel/ids.ts';
import { DEFAULT_LOCALE } from '../kernel/locale.ts';
import { invalid, notFound, ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import { checkTakesCards, endOfLink, endOpenSession, redirectProblems } from '../payments/index.ts';
import { giveBackCoupons } from '../subscriptions/index.ts';
import type { CheckoutDependencies } from './link/dependencies.ts';
import { type CheckoutLink, statusOf } from './link/link.ts';
import { insertLink, type LinkFilter, lockLink, markLinkEnded, selectLink, selectLinkPage } from './link/links.sql.ts';
import type { CheckoutLinkCreateBody } from './link/schemas.ts';
import { EVERYBODY, selectCheckoutsOfLink } from './sign-up/checkouts.sql.ts';
import { rehearse } from './sign-up/rehearse.ts';

/**
 * POST /v0/checkoutLinks: a page on which people subscribe to a plan. A link for somebody who is known is used once. A
 * customer by a link is on no test clock, so `now` is wall time. What nobody could subscribe to is refused here.
 * @returns what is wrong with the fields; a 404 or 403 of the plan or the customer; NO_PAYMENT_PROVIDER,
 * CHECKOUT_NOT_POSSIBLE, EXTERNAL_ID_TAKEN
 */
export async function createLink(
  dependencies: CheckoutDependencies,
  tx: Tx,
  body: CheckoutLinkCreateBody,
  now: Instant,
): Promise<Result<CheckoutLink>> {
  const { planId, customerId = null, customer = null, redirectUrls = {}, metadata = {} } = body;
  const owned = await checkReference(tx, 'plan', planId, 'planId');
  if (!owned.ok) return owned;
  const isForOne = customerId !== null || customer !== null;
  const maxUses = isForOne ? 1 : (body.maxUses ?? null);
  const settings = await merchantSettings(tx);
  const expiresAt = endOfLink(body.expiresIn, now);
  const rules = { environment: dependencies.environment, redirectHosts: settings.redirectHosts };
  const { onSuccess, onFailure } = redirectUrls;
  const errors = [
    ...(expiresAt === null ? [{ field: 'expiresIn', message: 'must be a duration above 0, of a year at most' }] : []),
    ...(customerId !== null && customer !== null
      ? [{ field: 'customer', message: 'must not be sent together with customerId' }]
      : []),
    ...(isForOne && (body.maxUses ?? 1) !== 1
      ? [{ field: 'maxUses', message: 'must be 1 for a link with customer or customerId' }]
      : []),
    ...redirectProblems({ 'redirectUrls.onSuccess': onSuccess, 'redirectUrls.onFailure': onFailure }, rules),
  ];
  if (expiresAt === null || errors.length > 0) return invalid(errors);
  const known = await checkCustomer(tx, customerId);
  if (!known.ok) return known;
  const takesCards = checkTakesCards(settings);
  if (!takesCards.ok) return takesCards;
  const plan = await findPlan(tx, planId);
  if (!plan) return notFound('plan', 'planId');
  const link: CheckoutLink = {
    merchantId: tx.merchantId,
    id: newId('checkoutLink'),
    planId,
    currency: body.currency ?? plan.currency,
    customerId,
    known: customer,
    coupons: body.coupons ?? [],
    allowPromotionCodes: body.allowPromotionCodes ?? false,
    maxUses,
    uses: 0,
    successRedirectUrl: onSuccess ?? null,
    failureRedirectUrl: onFailure ?? null,
    metadata,
    expiresAt,
    endedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  const offer = await rehearse(dependencies, tx, link, { typed: null, versionId: null, locale: DEFAULT_LOCALE }, now);
  return offer.ok ? ok(await insertLink(tx, link)) : offer;
}

async function checkCustomer(tx: Tx, customerId: string | null): Promise<Result<unknown>> {
  if (customerId === null) return ok(null);
  const owned = await checkReference(tx, 'customer', customerId, 'customerId');
  if (!owned.ok) return owned;
  const customer = await findCustomer(tx, customerId, { keep: true }); // a deletion waits for us
  return customer ? ok(customer) : notFound('customer', 'customerId');
}

/** One link. */
export async function getLink(tx: Tx, id: string): Promise<Result<CheckoutLink>> {
  const link = await selectLink(tx, id);
  return link ? ok(link) : notFound('checkout link');
}

/** Newest first; of one merchant, or (null, for operators) of all. */
export const listLinks = (
  tx: Tx,
  merchantId: string | null,
  filter: LinkFilter,
  page: PageRequest,
): Promise<{ rows: CheckoutLink[]; total: number }> => selectLinkPage(tx, merchantId, filter, page);

/**
 * Ends a link before its time; idempotent. Unfinished checkouts can no longer be paid, unless the bank has already been
 * asked.
 */
export async function expireLink(tx: Tx, id: string, now: Instant): Promise<Result<CheckoutLink>> {
  const link = await lockLink(tx, id);
  if (!link) return notFound('checkout link');
  if (statusOf(link, now) !== 'open') return ok(link);
  const ended = await markLinkEnded(tx, link, now);
  for (const { sessionId, subscriptionId } of await selectCheckoutsOfLink(tx, id, EVERYBODY)) {
    const session = sessionId === null ? null : await endOpenSession(tx, sessionId, now);
    if (session?.status === 'expired') await giveBackCoupons(tx, subscriptionId, now);
  }
  return ok(ended);
}
