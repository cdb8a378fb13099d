import type { Tx } from '../../db/index.ts';
import { newId } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import { publish } from '../../webhooks/index.ts';
import type { BillingCredit } from '../terms/billing-credit.ts';
import { insertBillingCredit, type NewBillingCredit } from './billing-credits.sql.ts';
import { insertWatch } from './watch.sql.ts';

/** The parts of a credit that differ by how it is made; the others have a default. */
type MadeOf = Pick<
  BillingCredit,
  'customerId' | 'name' | 'amount' | 'currency' | 'category' | 'effectiveAt' | 'source'
> &
  Partial<NewBillingCredit>;

/** Makes a credit, announces it, and has its customer's balance looked at. @param now effective now for it */
export async function makeBillingCredit(tx: Tx, of: MadeOf, now: Instant): Promise<BillingCredit> {
  const credit: NewBillingCredit = {
    ...{ merchantId: tx.merchantId, id: newId('billingCredit'), subscriptionId: null, orderId: null },
    ...{
      invoiceId: null,
      price: null,
      priority: 0,
      expiresAt: null,
      voidedAt: null,
      isUndone: false,
      commitmentId: null,
      segment: null,
      rolledFrom: null,
      released: null,
      idempotencyKey: null,
      idempotencyPrint: null,
    },
    ...{ appliesTo: { planIds: [], priceIds: [], billableMetricIds: [], feeIds: [] }, testClockId: null, metadata: {} },
    ...{ createdAt: now, updatedAt: now },
    ...of,
  };
  await insertBillingCredit(tx, credit);
  const { merchantId, customerId, id: billingCreditId } = credit;
  const data = { merchantId, customerId, billingCreditId };
  await publish(tx, { merchantId, type: 'billing_credit.created.v0', data }, now);
  await insertWatch(tx, credit, now);
  return credit;
}
