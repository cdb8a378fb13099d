import { findFeeQuantities } from '../../catalog/index.ts';
import { effectiveNowForReading } from '../../clocks/index.ts';
import { findCustomer, findTaxations } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { findOrganization } from '../../identity/index.ts';
import { Decimal, jsonNumber, plain, ZERO } from '../../kernel/decimal.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { loadPinned } from '../billing/agreement.ts';
import { currentPause } from '../subscription/pauses.ts';
import { feeQuantitiesOf, toQuantitiesReply } from '../subscription/quantities.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import type { HeldSubscription } from './lock.ts';
import type { paymentOf } from './payment.ts';
import { type TaxedAt, taxedPrices } from './taxed-prices.ts';

const time = (instant: Instant | null): string | null => (instant === null ? null : formatInstant(instant));

type Quantified = Pick<SubscriptionRow, 'merchantId' | 'planVersionId' | 'quantities'>;

/** How many of each fee price some subscriptions or changes have, in their order. */
export async function quantitiesOf(tx: Tx, rows: readonly Quantified[]) {
  const merchantIds = [...new Set(rows.map((row) => row.merchantId))];
  const versionIds = [...new Set(rows.map((row) => row.planVersionId))];
  const prices = await findFeeQuantities(tx, merchantIds, versionIds);
  return rows.map((row) => toQuantitiesReply(prices.get(row.planVersionId) ?? [], row.quantities));
}

/**
 * Loads the facts that answers about some subscriptions need.
 * @param now wall time
 */
export async function loadShown(
  tx: Tx,
  subscriptions: readonly SubscriptionRow[],
  now: Instant,
): Promise<(subscription: SubscriptionRow) => TaxedAt> {
  const found = new Map<string, TaxedAt>();
  for (const [merchantId, rows] of Map.groupBy(subscriptions, (row) => row.merchantId)) {
    const own = tx.of(merchantId);
    const pinned = await loadPinned(own, rows);
    const taxations = await findTaxations(
      own,
      rows.map(({ customerId }) => customerId),
    );
    const times = new Map<string | null, Instant>();
    for (const clockId of new Set(rows.map((row) => row.clockId)))
      times.set(clockId, await effectiveNowForReading(own, clockId, now));
    for (const row of rows)
      found.set(row.id, {
        pinned: pinned(row),
        taxation: taxations(row.customerId),
        at: times.get(row.clockId) as Instant,
      });
  }
  return ({ id }) => found.get(id) as TaxedAt;
}

/** The same facts of a subscription that is held. Pure. */
export const factsOf = ({ subscription, taxation, agreement, now }: HeldSubscription): TaxedAt => ({
  ...{ pinned: agreement.at(subscription), taxation },
  at: now,
});

/**
 * A subscription as the API answers it (§2). Pure.
 * @param payment what it waits for (`paymentOf`)
 */
export function toSubscriptionReply(
  subscription: SubscriptionRow,
  facts: TaxedAt,
  payment: Awaited<ReturnType<typeof paymentOf>>,
) {
  const { version, currency } = facts.pinned;
  return {
    id: subscription.id,
    object: 'subscription' as const,
    merchantId: subscription.merchantId,
    customerId: subscription.customerId,
    payerId: facts.taxation.payerId,
    orderId: subscription.orderId,
    planId: subscription.planId,
    planVersionId: subscription.planVersionId,
    planVersionNumber: subscription.planVersionNumber,
    versionNumber: subscription.planVersionNumber,
    currency,
    quantities: feeQuantitiesOf(version, subscription.quantities),
    priceOverrides: subscription.priceOverrides,
    name: subscription.name,
    status: subscription.status,
    ...pauseOf(subscription),
    autoCharge: subscription.autoCharge,
    creditsRequired: subscription.creditsRequired,
    autoApprove: subscription.autoApprove,
    taxExempt: subscription.taxExempt,
    bankTransferOnly: subscription.bankTransferOnly,
    estimatedTaxRate: jsonNumber(estimatedTaxRate(subscription, facts)),
    payment,
    startedAt: formatInstant(subscription.startedAt),
    trialEnd: time(subscription.trialEnd),
    endingAt: time(subscription.endingAt),
    terminatedAt: time(subscription.terminatedAt),
    terminatedBy: subscription.terminatedBy,
    terminationReason: subscription.terminationReason,
    prefundAmount: plain(subscription.prefundAmount),
    paymentTermDays: subscription.paymentTermDays,
    renewalReminderEnabled: subscription.renewalReminderEnabled,
    renewalReminderDays: subscription.renewalReminderDays,
    ...(subscription.clockId !== null && { testClockId: subscription.clockId }),
    metadata: subscription.metadata,
    createdAt: formatInstant(subscription.createdAt),
    updatedAt: formatInstant(subscription.updatedAt),
  };
}

/** The pause that it is in, or that is to come. */
function pauseOf(subscription: SubscriptionRow) {
  const pause = currentPause(subscription);
  return { pausedAt: pause?.from ?? null, resumesAt: pause?.to ?? null, pauseUsage: pause?.usage ?? null };
}

/** The rate, in percent, at which its plan would be taxed (domain.md §4, Tax): the highest one of its prices. Pure. */
const estimatedTaxRate = (subscription: SubscriptionRow, facts: TaxedAt): Decimal =>
  Decimal.max(ZERO, ...taxedPrices(subscription, facts).map(({ rate }) => rate));

/** `include=customer`: the customer with the two organizations that it joins. */
export async function customerDetails(tx: Tx, { merchantId, customerId }: SubscriptionRow) {
  const customer = await findCustomer(tx, customerId);
  const consumerId = customer?.consumerId ?? '';
  return {
    id: customerId,
    merchantId,
    merchant: await person(tx, merchantId),
    consumer: await person(tx, consumerId),
  };
}

async function person(tx: Tx, organizationId: string) {
  const organization = await findOrganization(tx, organizationId);
  return {
    id: organizationId,
    name: organization?.name ?? '',
    email: organization?.email ?? organization?.billingEmails[0] ?? '',
  };
}
