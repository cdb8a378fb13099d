import { findFeeQuantities } from '../../catalog/index.ts';
import { findCustomer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { findOrganization } from '../../identity/index.ts';
import { Decimal, jsonNumber, plain, ZERO } from '../../kernel/decimal.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { toQuantitiesReply } from '../subscription/quantities.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import type { paymentOf } from './payment.ts';
import { taxedPrices } from './taxed-prices.ts';

const time = (instant: Instant | null): string | null => (instant === null ? null : formatInstant(instant));

type Quantified = Pick<SubscriptionRow, 'merchantId' | 'planVersionId' | 'quantities'>;

/** How many of each fee price some subscriptions or changes have, in their order. */
export async function quantitiesOf(tx: Tx, rows: readonly Quantified[]) {
  const merchantIds = [...new Set(rows.map((row) => row.merchantId))];
  const versionIds = [...new Set(rows.map((row) => row.planVersionId))];
  const prices = await findFeeQuantities(tx, merchantIds, versionIds);
  return rows.map((row) => toQuantitiesReply(prices.get(row.planVersionId) ?? [], row.quantities));
}

/** A subscription as the API answers it (§2). */
export async function toSubscriptionReply(
  tx: Tx,
  subscription: SubscriptionRow,
  payment: Awaited<ReturnType<typeof paymentOf>>,
  quantities: ReturnType<typeof toQuantitiesReply>,
  now: Instant,
  include?: 'customer',
) {
  return {
    id: subscription.id,
    object: 'subscription' as const,
    merchantId: subscription.merchantId,
    customerId: subscription.customerId,
    planId: subscription.planId,
    planVersionId: subscription.planVersionId,
    planVersionNumber: subscription.planVersionNumber,
    versionNumber: subscription.planVersionNumber,
    quantities,
    name: subscription.name,
    status: subscription.status,
    autoCharge: subscription.autoCharge,
    autoApprove: subscription.autoApprove,
    taxExempt: subscription.taxExempt,
    bankTransferOnly: subscription.bankTransferOnly,
    estimatedTaxRate: jsonNumber(await estimatedTaxRate(tx, subscription, now)),
    payment,
    startedAt: formatInstant(subscription.startedAt),
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
    ...(include === 'customer' && { customer: await customerDetails(tx, subscription) }),
    createdAt: formatInstant(subscription.createdAt),
    updatedAt: formatInstant(subscription.updatedAt),
  };
}

/** The rate, in percent, at which its plan would be taxed now (domain.md §4, Tax): the highest one of its prices. */
async function estimatedTaxRate(tx: Tx, subscription: SubscriptionRow, now: Instant) {
  const priced = await taxedPrices(tx, subscription, now);
  return Decimal.max(ZERO, ...priced.map(({ rate }) => rate));
}

/** `include=customer`: the customer with the two organizations that it joins. */
async function customerDetails(tx: Tx, { merchantId, customerId }: SubscriptionRow) {
  const customer = await findCustomer(tx, merchantId, customerId);
  const consumerId = customer?.consumerId ?? '';
  return {
    id: customerId,
    merchantId,
    merchant: await person(tx, merchantId, merchantId),
    consumer: await person(tx, merchantId, consumerId),
  };
}

async function person(tx: Tx, merchantId: string, organizationId: string) {
  const organization = await findOrganization(tx, merchantId, organizationId);
  return {
    id: organizationId,
    name: organization?.name ?? '',
    email: organization?.email ?? organization?.billingEmails[0] ?? '',
  };
}
