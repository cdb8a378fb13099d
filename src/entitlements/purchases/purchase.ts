import { findFeatures, findPlan } from '../../catalog/index.ts';
import { findCustomer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { findOrganization, merchantSettings } from '../../identity/index.ts';
import { type InvoicingDependencies, makeOneOffInvoice } from '../../invoicing/index.ts';
import { type Decimal, ONE, plain } from '../../kernel/decimal.ts';
import { fail, invalid, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import {
  DEFAULT_SESSION_MINUTES,
  type PaymentSession,
  payableSessionOf,
  redirectProblems,
} from '../../payments/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { selectTerms } from '../entitlement/entitlements.sql.ts';
import { type EntitlementKey, hasEnded, lockWithNow } from '../entitlement/lock.ts';
import { templateAt } from '../inputs/inputs.ts';
import {
  isSamePurchase,
  type PurchaseTimes,
  payableUntil,
  purchaseProblems,
  type Rollover,
  rolloverOf,
} from './decide.ts';
import { insertPurchase, type PurchaseRow, selectPurchaseByKey } from './purchases.sql.ts';

/** The type of the purpose of its invoice. */
export const GRANT_PURCHASE = 'grant_purchase';

const FALLBACK_CURRENCY = 'USD';

/** A request to buy. */
export interface PurchaseRequest extends PurchaseTimes {
  readonly amount: Decimal;
  /** Without tax, in major units. */
  readonly price: Decimal;
  readonly idempotencyKey: string;
  readonly currency?: string | undefined;
  readonly rollover: Partial<Rollover>;
  readonly successUrl?: string | undefined;
  readonly cancelUrl?: string | undefined;
}

/** A purchase, and the session by which it can be paid now. */
export interface Purchased {
  readonly purchase: PurchaseRow;
  readonly session: PaymentSession | null;
}

/**
 * Makes the invoice by which a grant is bought, with a session to pay it (§3 Grant purchase). The same key again is the
 * same purchase, whatever has become of its invoice. `wall` is wall time.
 * @returns IDEMPOTENCY_KEY_REUSED for another amount or price under the key, ENTITLEMENT_NOT_METERED,
 *   ENTITLEMENT_ENDED, NO_PAYMENT_PROVIDER where the merchant takes no cards
 */
export async function purchaseGrant(
  dependencies: InvoicingDependencies,
  tx: Tx,
  key: EntitlementKey,
  request: PurchaseRequest,
  wall: Instant,
): Promise<Result<Purchased>> {
  const locked = await lockWithNow(tx, key, wall);
  if (!locked.ok) return locked;
  const { entitlement, now } = locked.value;
  const known = await selectPurchaseByKey(tx, key, request.idempotencyKey);
  if (known) {
    if (!isSamePurchase(known, request)) return fail('IDEMPOTENCY_KEY_REUSED', { invoiceId: known.invoiceId });
    return ok({ purchase: known, session: await payableSessionOf(tx, known.invoiceId, now) });
  }
  const rollover = await checkedRollover(dependencies, tx, entitlement, request, now);
  if (!rollover.ok) return rollover;
  const currency = request.currency ?? (await currencyOf(dependencies, tx, entitlement));
  const made = await makeOneOffInvoice(dependencies, tx, await orderOf(tx, entitlement, request, currency, now), now);
  if (!made.ok) return made;
  const purchase = await insertPurchase(tx, {
    merchantId: key.merchantId,
    invoiceId: made.value.invoice.id,
    entitlementId: key.entitlementId,
    idempotencyKey: request.idempotencyKey,
    amount: request.amount,
    price: request.price,
    currency,
    effectiveAt: request.effectiveAt,
    expiresAt: request.expiresAt,
    resetMaxRollover: rollover.value.resetMaxRollover,
    resetMinRollover: rollover.value.resetMinRollover,
    createdAt: now,
  });
  return ok({ purchase, session: made.value.session });
}

/** The bounds that the grant will have, where all of the request holds. */
async function checkedRollover(
  dependencies: InvoicingDependencies,
  tx: Tx,
  entitlement: EntitlementRow,
  request: PurchaseRequest,
  now: Instant,
): Promise<Result<Rollover>> {
  if (entitlement.featureType !== 'metered') return fail('ENTITLEMENT_NOT_METERED');
  if (hasEnded(entitlement, now)) return fail('ENTITLEMENT_ENDED');
  const terms = await selectTerms(tx, [entitlement.merchantId], [entitlement.id]);
  const template = templateAt(
    terms.map(({ effectiveFrom, template }) => ({ from: effectiveFrom, template })),
    now,
  );
  const rollover = rolloverOf(template, request.rollover);
  const { redirectHosts } = await merchantSettings(tx);
  const { successUrl, cancelUrl } = request;
  const errors = [
    ...purchaseProblems(request, rollover, now),
    ...redirectProblems({ successUrl, cancelUrl }, { environment: dependencies.environment, redirectHosts }),
  ];
  return errors.length > 0 ? invalid(errors) : ok(rollover);
}

/** domain.md §5, Purchase: the subscription's plan, the customer, the merchant, USD. */
async function currencyOf(
  { source }: InvoicingDependencies,
  tx: Tx,
  { merchantId, subscriptionId, planId, customerId }: EntitlementRow,
): Promise<string> {
  if (subscriptionId !== null) return (await source.terms(tx, subscriptionId)).currency;
  const plan = planId === null ? undefined : await findPlan(tx, planId);
  if (plan) return plan.currency;
  const customer = await findCustomer(tx, customerId);
  if (customer?.currency) return customer.currency;
  return (await findOrganization(tx, merchantId))?.defaultCurrency ?? FALLBACK_CURRENCY;
}

async function orderOf(tx: Tx, entitlement: EntitlementRow, request: PurchaseRequest, currency: string, now: Instant) {
  const { merchantId, featureId } = entitlement;
  const [feature] = await findFeatures(tx, [merchantId], [featureId]);
  if (!feature) throw new Error(`Entitlement ${entitlement.id} is of no feature.`);
  return {
    merchantId,
    customerId: entitlement.customerId,
    subscriptionId: entitlement.subscriptionId,
    planId: entitlement.planId,
    clockId: entitlement.clockId,
    kind: 'ad_hoc',
    currency,
    lines: [
      {
        displayName: `${feature.name}, ${plain(request.amount)} units`,
        quantity: ONE,
        unitPrice: request.price,
        type: 'grant',
      },
    ],
    paymentTermDays: 0,
    livesBySession: true,
    purpose: { type: GRANT_PURCHASE, id: entitlement.id },
    autoApprove: true,
    session: {
      redirectUrls: {
        ...(request.successUrl !== undefined && { onSuccess: request.successUrl }),
        ...(request.cancelUrl !== undefined && { onFailure: request.cancelUrl }),
      },
      expiresAt: payableUntil(request, DEFAULT_SESSION_MINUTES, now),
    },
  } as const;
}
