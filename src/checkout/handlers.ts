import { findPlan } from '../catalog/index.ts';
import { effectiveNowForReading } from '../clocks/index.ts';
import { findCustomer } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { findMerchant, findOrganization, hasLogo } from '../identity/index.ts';
import { findInvoice } from '../invoicing/index.ts';
import type { Locale } from '../kernel/locale.ts';
import { ok } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import { partyLines } from '../pages/index.ts';
import type { EntityDescription, EntityOfSession, EntityToLock, PaymentHandlers } from '../payments/index.ts';
import { giveBackCoupons } from '../subscriptions/index.ts';
import type { CheckoutDependencies } from './link/dependencies.ts';
import { lockLink, selectLink } from './link/links.sql.ts';
import { CHECKOUT_WORDS, nextSentence } from './page/words.ts';
import type { Checkout } from './sign-up/checkout.ts';
import { selectCheckoutOfSession, selectUnfinishedOfSessions } from './sign-up/checkouts.sql.ts';
import { finish } from './sign-up/finish.ts';
import { rehearse, rehearsePayment } from './sign-up/rehearse.ts';

/**
 * Handles the sessions of checkouts before `upstream`: their customers, subscriptions and invoices are created when the
 * money arrives. From then on their sessions belong to the invoices, and `upstream` hears of them as such. All other
 * sessions pass unchanged.
 * @param partsOf is called when a session moves, because checkouts depend on subscriptions, which are bound after
 * payments
 */
export const withCheckouts = (partsOf: () => CheckoutDependencies, upstream: PaymentHandlers): PaymentHandlers => {
  /** A checkout's session for a payment is for the subscription that it will make. */
  const isOurs = ({ entityType, mode }: Pick<EntityOfSession, 'entityType'> & { readonly mode?: string }) =>
    entityType === 'subscription' && mode !== 'setup';
  const lock = async (tx: Tx, entity: EntityToLock) => {
    const { sessionId } = entity;
    const checkout = sessionId === undefined ? undefined : await selectCheckoutOfSession(tx, sessionId);
    if (checkout) await lockLink(tx, checkout.linkId);
    else if (isOurs(entity)) await upstream.lock?.(tx, entity);
  };
  return {
    ...upstream,
    async prepare(tx, session, now) {
      const checkout = await selectCheckoutOfSession(tx, session.id);
      const link = checkout && (await lockLink(tx, checkout.linkId));
      if (!link) return ok(undefined);
      const made = await finish(partsOf(), tx, link, checkout, now);
      return made.ok ? ok(undefined) : made;
    },
    completed(tx, event, now) {
      const { session } = event;
      if (!isOurs(session)) return upstream.completed(tx, event, now);
      const { invoiceId } = session;
      if (invoiceId === null) throw new Error(`The session ${session.id} of a checkout is for no invoice.`);
      // The invoice was made a moment ago, so nothing of it was on its way.
      const ofInvoice = { ...session, entityType: 'invoice' as const, entityId: invoiceId };
      return upstream.completed(tx, { ...event, session: ofInvoice, wasProcessing: false }, now);
    },
    declined: async (tx, event, now) => (isOurs(event.session) ? undefined : upstream.declined(tx, event, now)),
    processing: async (tx, event, now) => (isOurs(event.session) ? undefined : upstream.processing?.(tx, event, now)),
    async expired(tx, sessions, now) {
      const ids = sessions.map(({ id }) => id);
      for (const { subscriptionId } of await selectUnfinishedOfSessions(tx, ids))
        await giveBackCoupons(tx, subscriptionId, now);
      const others = sessions.filter((session) => !isOurs(session));
      return upstream.expired(tx, others, now);
    },
    async describe(tx, entity, now) {
      const { sessionId, entityType, asked } = entity;
      const canBeOurs = isOurs(entity) || entityType === 'customer';
      const checkout = canBeOurs ? await selectCheckoutOfSession(tx, sessionId) : undefined;
      if (!checkout) {
        const description = isOurs(entity) ? null : await upstream.describe(tx, entity, now);
        return description && withNext(partsOf(), tx, entity, description, now);
      }
      if (checkout.completedAt === null) return describeCheckout(partsOf(), tx, checkout, asked);
      return describeSubscribed(upstream, tx, { ...entity, checkout }, now);
    },
    lock: (tx, entity) =>
      isOurs(entity) || entity.entityType === 'customer' ? lock(tx, entity) : (upstream.lock?.(tx, entity) ?? done()),
  };
};

const done = (): Promise<void> => Promise.resolve();

/** The page of the first payment of a subscription also says when its next invoice comes. */
async function withNext(
  dependencies: CheckoutDependencies,
  tx: Tx,
  { entityType, entityId, asked }: EntityOfSession & { readonly asked: Locale },
  description: EntityDescription,
  wall: Instant,
): Promise<EntityDescription> {
  const invoice = entityType === 'invoice' ? await findInvoice(tx, entityId) : undefined;
  if (invoice?.kind !== 'upfront' || description.standing?.isPayable !== true) return description;
  const now = await effectiveNowForReading(tx, invoice.clockId, wall);
  const after = await rehearsePayment(dependencies, tx, invoice, now);
  const customer = await findCustomer(tx, invoice.customerId);
  return after === null ? description : { ...description, note: nextSentence(after, customer?.locale ?? asked) };
}

/** The unpaid checkout on the page of its session: the price at the time of the page. */
async function describeCheckout(
  dependencies: CheckoutDependencies,
  tx: Tx,
  checkout: Checkout,
  asked: Locale,
): Promise<EntityDescription | null> {
  const { linkId, planVersionId: versionId, typed, coupons, subscriptionId, amount, tax, createdAt } = checkout;
  const link = await selectLink(tx, linkId);
  if (!link) return null;
  const locale = typed?.locale ?? asked;
  const sold = { ...link, coupons };
  const offer = await rehearse(dependencies, tx, sold, { typed, versionId, locale, subscriptionId }, createdAt);
  const isSame = offer.ok && offer.value.dueNow.eq(amount) && offer.value.tax.eq(tax ?? offer.value.tax);
  const shown = isSame ? offer.value : null;
  const note = shown && nextSentence(shown, locale);
  return {
    ...(await describePlan(tx, checkout, locale)),
    ...(shown?.bill && { bill: shown.bill }),
    ...(typed !== null && { buyer: partyLines(typed, await findMerchant(tx), locale) }),
    locale,
    ...(typed !== null && { payer: { name: typed.name, email: typed.email } }),
    ...(note !== null && { note }),
  };
}

/** The page after the payment: the invoice, if there is one, and the start of the subscription. */
async function describeSubscribed(
  upstream: PaymentHandlers,
  tx: Tx,
  entity: EntityOfSession & { readonly asked: Locale; readonly checkout: Checkout },
  now: Instant,
): Promise<EntityDescription> {
  const { checkout, asked } = entity;
  const customer = await findCustomer(tx, checkout.customerId);
  const locale = customer?.locale ?? asked;
  const plain = await describePlan(tx, checkout, locale);
  const ofInvoice = { ...entity, entityType: 'invoice' as const, entityId: checkout.invoiceId };
  const invoice = checkout.amount.isZero() ? null : await upstream.describe(tx, ofInvoice, now);
  return { ...(invoice ?? plain), note: CHECKOUT_WORDS[locale].begun(plain.title) };
}

/** The page without an invoice. */
async function describePlan(tx: Tx, checkout: Checkout, locale: Locale): Promise<EntityDescription> {
  const { merchantId, linkId, amount, currency } = checkout;
  const link = await selectLink(tx, linkId);
  const plan = link && (await findPlan(tx, link.planId));
  const merchant = await findOrganization(tx, merchantId);
  return {
    title: CHECKOUT_WORDS[locale].subscriptionTo(plan?.invoiceDisplayName ?? plan?.name ?? ''),
    seller: merchant?.name ?? '',
    ...((await hasLogo(tx)) && { logo: `signup/${linkId}/logo` }),
    bill: { currency, lines: [], totals: [] },
    amount,
  };
}
