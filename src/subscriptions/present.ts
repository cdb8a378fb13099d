import { findFeeQuantities, findPlan } from '../catalog/index.ts';
import { effectiveNowForReading } from '../clocks/index.ts';
import { findCustomer, findTaxation } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { findOrganization } from '../identity/index.ts';
import { jsonNumber, plain } from '../kernel/decimal.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import { chooseTaxRate, taxPoint } from '../tax/index.ts';
import type { paymentOf } from './payment.ts';
import { toQuantitiesReply } from './quantities.ts';
import type { SubscriptionRow } from './subscriptions.sql.ts';

const time = (instant: Instant | null): string | null => (instant === null ? null : formatInstant(instant));

type Quantified = Pick<SubscriptionRow, 'merchant_id' | 'plan_version_id' | 'quantities'>;

/** How many of each fee price some subscriptions or changes have, in their order. */
export async function quantitiesOf(tx: Tx, rows: readonly Quantified[]) {
  const merchantIds = [...new Set(rows.map((row) => row.merchant_id))];
  const versionIds = [...new Set(rows.map((row) => row.plan_version_id))];
  const prices = await findFeeQuantities(tx, merchantIds, versionIds);
  return rows.map((row) => toQuantitiesReply(prices.get(row.plan_version_id) ?? [], row.quantities));
}

/** A subscription as the API answers it (§2). */
export async function presentSubscription(
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
    merchantId: subscription.merchant_id,
    customerId: subscription.customer_id,
    planId: subscription.plan_id,
    planVersionId: subscription.plan_version_id,
    planVersionNumber: subscription.plan_version_number,
    versionNumber: subscription.plan_version_number,
    quantities,
    name: subscription.name,
    status: subscription.status,
    autoCharge: subscription.auto_charge,
    autoApprove: subscription.auto_approve,
    taxExempt: subscription.tax_exempt,
    bankTransferOnly: subscription.bank_transfer_only,
    estimatedTaxRate: jsonNumber(await estimatedTaxRate(tx, subscription, now)),
    payment,
    startedAt: formatInstant(subscription.started_at),
    endingAt: time(subscription.ending_at),
    terminatedAt: time(subscription.terminated_at),
    terminatedBy: subscription.terminated_by,
    terminationReason: subscription.termination_reason,
    prefundAmount: plain(subscription.prefund_amount),
    paymentTermDays: subscription.payment_term_days,
    renewalReminderEnabled: subscription.renewal_reminder_enabled,
    renewalReminderDays: subscription.renewal_reminder_days,
    ...(subscription.clock_id !== null && { testClockId: subscription.clock_id }),
    metadata: subscription.metadata,
    ...(include === 'customer' && { customer: await customerDetails(tx, subscription) }),
    createdAt: formatInstant(subscription.created_at),
    updatedAt: formatInstant(subscription.updated_at),
  };
}

/** The rate, in percent, at which its plan would be taxed now (domain.md §4, Tax). */
async function estimatedTaxRate(tx: Tx, subscription: SubscriptionRow, now: Instant) {
  const { merchant_id: merchantId, customer_id: customerId, plan_id: planId, tax_exempt: taxExempt } = subscription;
  const plan = await findPlan(tx, merchantId, planId);
  const { customerTaxRates, merchantTaxRate, placeOn } = await findTaxation(tx, merchantId, customerId);
  const at = await effectiveNowForReading(tx, merchantId, subscription.clock_id, now);
  return chooseTaxRate({
    taxExempt,
    customerTaxRates,
    metricId: null,
    planId,
    priceTaxRate: null,
    metricTaxRate: null,
    planTaxRate: plan?.defaultTaxRate ?? null,
    merchantTaxRate,
    place: placeOn(taxPoint(at, at), taxExempt),
  }).rate;
}

/** `include=customer`: the customer with the two organizations that it joins. */
async function customerDetails(tx: Tx, { merchant_id: merchantId, customer_id: customerId }: SubscriptionRow) {
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
