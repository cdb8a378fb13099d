import type { Tx } from '../../db/index.ts';
import { canonicalJson, fingerprint } from '../../http/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, notFound, ok, type Result } from '../../kernel/result.ts';
import { earliest, type Instant } from '../../kernel/time.ts';
import {
  checkTakesCards,
  DEFAULT_SESSION_MINUTES,
  endOpenSession,
  findSession,
  isOver,
  openSession,
  type PaymentSession,
} from '../../payments/index.ts';
import { giveBackCoupons, holdCoupons } from '../../subscriptions/index.ts';
import type { CheckoutDependencies } from '../link/dependencies.ts';
import { type CheckoutLink, statusOf } from '../link/link.ts';
import { lockLink } from '../link/links.sql.ts';
import type { Checkout } from './checkout.ts';
import { deleteCheckout, EVERYBODY, hasFinished, insertCheckout, selectCheckoutsOfLink } from './checkouts.sql.ts';
import type { Details } from './details.ts';
import { finish } from './finish.ts';
import type { Offer } from './rehearse.ts';

/** A sent form, and the values that the page had shown. */
export interface Submission {
  readonly form: string;
  /** Null for a customer that is there already. */
  readonly details: Details | null;
  /** Those of the shown price. */
  readonly coupons: readonly string[];
  /** Another subscription for the same details is wanted. */
  readonly again: boolean;
  /** As it was rehearsed with these details a moment ago. */
  readonly offer: Offer;
}

/**
 * Somebody goes on from the page of a link: to the session that pays or keeps a card, or (where neither is wanted) the
 * subscription begins. The link is locked, so that one form sent twice is one checkout, and so that a link for one
 * person, and one person on a link for many, has one session that can be paid: what was begun before is given up,
 * unless its payment is on its way.
 * @returns the checkout to go on with; CHECKOUT_LINK_USED where the link takes nobody any more; CHECKOUT_REPEATED where
 *   the same details have subscribed within a day, unless they shall again; what refuses the session
 */
export async function submit(
  dependencies: CheckoutDependencies,
  tx: Tx,
  { merchantId, id }: Pick<CheckoutLink, 'merchantId' | 'id'>,
  submission: Submission,
  now: Instant,
): Promise<Result<Checkout>> {
  const link = await lockLink(tx, id);
  if (!link) return notFound('checkout link');
  const { form, details, coupons, again, offer } = submission;
  const detailsPrint = details && fingerprintOf(details);
  const standing = await begunBefore(tx, link, { ...submission, detailsPrint }, now);
  if (standing) return ok(standing);
  if (statusOf(link, now) !== 'open') return fail('CHECKOUT_LINK_USED');
  if (!again && (await hasFinished(tx, { merchantId, linkId: id, detailsPrint }, now.subtract(ASKS_FOR))))
    return fail('CHECKOUT_REPEATED');
  const checkout: Checkout = {
    merchantId,
    id: newId('checkout'),
    linkId: id,
    form,
    planVersionId: offer.version.id,
    typed: details,
    coupons,
    detailsPrint,
    amount: offer.dueNow,
    tax: offer.tax,
    currency: offer.currency,
    customerId: link.customerId ?? newId('customer'),
    subscriptionId: newId('subscription'),
    invoiceId: newId('invoice'),
    sessionId: null,
    expiresAt: earliest(link.expiresAt, now.add({ minutes: DEFAULT_SESSION_MINUTES })),
    completedAt: null,
    createdAt: now,
  };
  if (offer.dueNow.isZero() && !offer.keepsCard) {
    const begun = await insertCheckout(tx, checkout);
    const finished = await finish(dependencies, tx, link, begun, now);
    return finished.ok ? ok({ ...begun, completedAt: now }) : finished;
  }
  const held = await holdCoupons(tx, checkout, now);
  if (!held.ok) return held;
  const session = await openSessionFor(tx, link, checkout, now);
  return session.ok ? ok(await insertCheckout(tx, { ...checkout, sessionId: session.value.id })) : session;
}

/** How long the page asks before the same details subscribe again. */
const ASKS_FOR = { hours: 24 };

/** The fingerprint of the details. The language of the page and the case of the address make no other person. */
const fingerprintOf = ({ locale: _, email, ...details }: Details): Buffer =>
  fingerprint('sign-up details', { ...details, email: email.toLowerCase() });

/**
 * An earlier checkout of the same form, of the same details, or of a link for one person, that can continue. A checkout
 * that cannot continue is given up.
 * @returns null if a new checkout starts
 */
async function begunBefore(
  tx: Tx,
  link: CheckoutLink,
  { form, details, coupons, detailsPrint, offer }: Submission & Pick<Checkout, 'detailsPrint'>,
  now: Instant,
): Promise<Checkout | null> {
  const { id } = link;
  const isForOne = link.maxUses === 1;
  const begun = [
    ...(await selectCheckoutsOfLink(tx, id, { form, detailsPrint })),
    ...(isForOne ? await selectCheckoutsOfLink(tx, id, EVERYBODY) : []),
  ];
  for (const checkout of begun) {
    if (checkout.completedAt !== null || checkout.sessionId === null) return checkout;
    const isSame =
      checkout.form === form &&
      checkout.planVersionId === offer.version.id &&
      canonicalJson(checkout.coupons) === canonicalJson(coupons) &&
      canonicalJson(checkout.typed) === canonicalJson(details);
    const session = await findSession(tx, checkout.sessionId);
    if (isSame && session && isOpen(session, now)) return checkout;
    const ended = await endOpenSession(tx, checkout.sessionId, now);
    if (ended.status === 'processing' || ended.status === 'completed') return checkout;
    await deleteCheckout(tx, checkout);
    await giveBackCoupons(tx, checkout.subscriptionId, now);
  }
  return null;
}

const isOpen = (session: PaymentSession, now: Instant): boolean =>
  (session.status === 'pending' || session.status === 'failed') && !isOver(session, now);

/** The session by which a checkout is paid, or by which a card is kept where nothing is due. */
async function openSessionFor(
  tx: Tx,
  link: CheckoutLink,
  { merchantId, amount, currency, customerId, subscriptionId, invoiceId, expiresAt }: Checkout,
  now: Instant,
): Promise<Result<PaymentSession>> {
  const provider = checkTakesCards(await merchantSettings(tx));
  if (!provider.ok) return provider;
  const common = {
    merchantId,
    currency,
    provider: provider.value,
    expiresAt,
    successRedirectUrl: link.successRedirectUrl,
    failureRedirectUrl: link.failureRedirectUrl,
    metadata: link.metadata,
  };
  if (amount.isZero())
    return openSession(tx, { ...common, mode: 'setup', entityType: 'customer', entityId: customerId }, now);
  return openSession(
    tx,
    {
      ...common,
      mode: 'payment',
      entityType: 'subscription',
      entityId: subscriptionId,
      subscriptionId,
      invoiceId,
      customerId,
      amount,
      savePaymentMethod: true,
    },
    now,
  );
}
