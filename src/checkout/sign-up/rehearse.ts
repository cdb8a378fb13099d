import { currencyErrors, findPlan, findPlanVersion } from '../../catalog/index.ts';
import type { Tx } from '../../db/index.ts';
import { findMerchant, type MerchantOrganization } from '../../identity/index.ts';
import { billForCustomers, estimateNextInvoice, type InvoiceRow } from '../../invoicing/index.ts';
import { type Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { DEFAULT_LOCALE, type Locale } from '../../kernel/locale.ts';
import { fail, invalid, notFound, ok, type Result } from '../../kernel/result.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import type { PageBill } from '../../pages/index.ts';
import {
  findPinned,
  findSubscription,
  type PlanAtVersion,
  pinnedIn,
  rehearseStart,
  termsOfNew,
} from '../../subscriptions/index.ts';
import type { CheckoutDependencies } from '../link/dependencies.ts';
import type { CheckoutLink } from '../link/link.ts';
import type { Details } from './details.ts';
import { type Subscribed, subscribe } from './subscribe.ts';

/** The terms of a subscription by a link, for these details, at this moment. */
export interface Offer extends PlanAtVersion {
  /** The card charge now; 0: none. */
  readonly dueNow: Decimal;
  /** The invoice due now; null without one. */
  readonly bill: PageBill | null;
  /** Its tax. */
  readonly tax: Decimal;
  /** The part of it that the customer's balance pays. */
  readonly fromBalance: Decimal;
  readonly trialEndsAt: Instant | null;
  /** The time of the first invoice after that, and its amount without any usage; null if there is none. */
  readonly next: { readonly at: Instant; readonly amount: Decimal } | null;
  /** A card is wanted also where nothing is due now, for what comes later. */
  readonly keepsCard: boolean;
}

export interface Rehearsal {
  /** Null: only the link's details are known. */
  readonly typed: Details | null;
  /** The version whose prices were shown before; null: the plan's default one. */
  readonly versionId: string | null;
  /** In which the lines are written. */
  readonly locale: Locale;
  /** The promised subscription, which holds its coupons; absent: nothing was promised. */
  readonly subscriptionId?: string;
}

/** The details of an unknown customer. */
const NOBODY: Details = {
  name: '–',
  email: 'nobody@example.invalid',
  address: {},
  taxId: null,
  locale: DEFAULT_LOCALE,
};

/**
 * The present offer of a link. It runs the same code as `subscribe` and rolls back, so the page shows exactly the later
 * charge. Nothing is written.
 */
export async function rehearse(
  dependencies: CheckoutDependencies,
  tx: Tx,
  link: CheckoutLink,
  { typed, versionId, locale, subscriptionId = newId('subscription') }: Rehearsal,
  now: Instant,
): Promise<Result<Offer>> {
  const merchant = await findMerchant(tx);
  const { taxProvider } = merchant.settings;
  if (taxProvider !== 'internal') return fail('CHECKOUT_NOT_POSSIBLE', { taxProvider });
  const plan = await findPlan(tx, link.planId);
  if (!plan) return notFound('plan', 'planId');
  const found = await findPlanVersion(tx, versionId ?? plan.defaultVersionId);
  if (!found) return notFound('plan version');
  const pinned = pinnedIn({ plan, version: found }, link.currency);
  const wrongCurrency = currencyErrors(plan, found, pinned.currency, 'currency');
  if (wrongCurrency.length > 0) return invalid(wrongCurrency);
  const { version } = pinned;
  return tx.savepoint(
    async () => {
      const promised = { subscriptionId, invoiceId: newId('invoice') };
      const customerId = link.customerId ?? newId('customer');
      const keepsCard = keepsCardOf(pinned);
      const details = link.customerId === null ? (typed ?? { ...NOBODY, address: link.known?.address ?? {} }) : null;
      const of = {
        link,
        customerId,
        ...promised,
        planVersionId: version.id,
        pinned,
        typed: details,
        keepsCard,
        startedAt: now,
      };
      const made = await subscribe(dependencies, tx, of, now);
      if (!made.ok) return made;
      if (made.value.upfront?.status === 'DRAFT') return fail('CHECKOUT_NOT_POSSIBLE');
      return ok({
        ...pinned,
        keepsCard,
        ...(await comesTo(dependencies, tx, { ...made.value, pinned, merchant }, locale, now)),
      });
    },
    () => false,
  );
}

/** Can any invoice ask for money, or does the trial ask for a card? A plan of only free fees needs none. */
const keepsCardOf = ({
  plan: { trialPeriod },
  version: { prices, minimumAmount, trialRequiresPaymentMethod },
}: PlanAtVersion): boolean =>
  (trialPeriod !== null && trialRequiresPaymentMethod) ||
  minimumAmount !== null ||
  prices.some(
    ({ metric, pricing, minimumAmount: least }) =>
      metric !== null ||
      least !== null ||
      pricing.model !== 'standard' ||
      !decimal(pricing.properties.unitPrice).isZero(),
  );

async function comesTo(
  dependencies: CheckoutDependencies,
  tx: Tx,
  {
    subscription,
    upfront,
    pinned,
    merchant,
  }: Subscribed & {
    readonly pinned: PlanAtVersion;
    readonly merchant: MerchantOrganization;
  },
  locale: Locale,
  now: Instant,
): Promise<Pick<Offer, 'dueNow' | 'bill' | 'tax' | 'fromBalance' | 'trialEndsAt' | 'next'>> {
  const isTrial = isAfter(subscription.billingStartsAt, now);
  const due = {
    dueNow: upfront?.unpaidAmount ?? ZERO,
    bill: upfront === null ? null : await billForCustomers(tx, merchant, upfront, locale),
    tax: upfront?.totalTax ?? ZERO,
    fromBalance: upfront?.walletApplied ?? ZERO,
    trialEndsAt: isTrial ? subscription.billingStartsAt : null,
  };
  const first = await rehearseStart(dependencies.subscriptions, tx, { subscription, upfront }, now);
  const asksAfterTrial = isTrial && first !== null && !first.grandTotal.isZero();
  return {
    ...due,
    next: asksAfterTrial
      ? { at: subscription.billingStartsAt, amount: first.grandTotal }
      : await estimateNextInvoice(
          dependencies.invoicing,
          tx,
          subscription.id,
          await termsOfNew(tx, pinned, subscription),
        ),
  };
}

/**
 * The consequences of the first payment of a subscription, as if it arrived now. Nothing is written.
 * @returns null where the invoice is for no subscription that waits for it
 */
export async function rehearsePayment(
  dependencies: CheckoutDependencies,
  tx: Tx,
  upfront: InvoiceRow,
  now: Instant,
): Promise<Pick<Offer, 'next' | keyof PlanAtVersion> | null> {
  const { purposeId: subscriptionId } = upfront;
  const subscription = subscriptionId === null ? undefined : await findSubscription(tx, subscriptionId);
  if (subscription?.status !== 'pending_payment') return null;
  const pinned = (await findPinned(tx, [subscription]))(subscription);
  const next = await tx.savepoint(
    async () => {
      await rehearseStart(dependencies.subscriptions, tx, { subscription, upfront }, now);
      return estimateNextInvoice(dependencies.invoicing, tx, subscription.id);
    },
    () => false,
  );
  return { next, ...pinned };
}
