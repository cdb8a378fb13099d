import { sql } from '../../src/db/index.ts';
import { chargeBy } from './bills.ts';
import type { TestEnvironment } from './environment.ts';
import { type Resource, type Shop, START } from './shop.ts';

/** Customers of all kinds with months that end at the same instants, for tests that compare two paths. */

export const at = (day: string) => `2026-${day}T00:00:00Z`;
const tiers = [
  { upTo: '100', unitPrice: '0.10' },
  { upTo: null, unitPrice: '0.05' },
];

export type Sold = Readonly<Record<string, Resource>>;

/** One customer of each kind; on a test clock if given. */
export async function openManySubscriptions(shop: Shop, clock?: Resource): Promise<Sold> {
  const product = await shop.product();
  const { id: billableMetricId } = await shop.metric({ productId: product.id });
  const inAdvance = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '31' } });
  const usual = { productId: product.id, defaultTaxRate: 20 };
  const usage = await shop.usagePrice({ billableMetricId, model: 'graduated', properties: { tiers } });
  const plan = await shop.plan([await shop.feePrice(), usage], usual);
  const larger = await shop.plan([usage, await shop.feePrice({ properties: { unitPrice: '99.99' } })], usual);
  const feature = await shop.create('/v0/features', {
    ...{ key: 'calls', name: 'Calls', productId: product.id, type: 'metered' },
  });
  const entitlementTemplate = {
    ...{ type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 100, isSoftLimit: true },
  };
  const granted = await shop.usagePrice({
    ...{ billableMetricId, grantDiscountEnabled: true, feature: { featureId: feature.id, entitlementTemplate } },
  });
  const subscribe = (to: Resource, fields: object = {}) =>
    shop.subscribe(to, { startedAt: START, ...(clock && { clock }), ...fields });
  const twin = await shop.customer();
  const [card, declined] = [await shop.customer(), await shop.customer()];
  await chargeBy(shop, card, 'pm_ok');
  await chargeBy(shop, declined, 'pm_then_declined');
  const sold: Record<string, Resource> = {
    plain: await subscribe(plan),
    same: await subscribe(plan),
    bare: await subscribe(await shop.plan([usage], usual)),
    advance: await subscribe(await shop.plan([inAdvance, usage], usual), { bankTransferOnly: true }),
    inclusive: await subscribe(await shop.plan([await shop.feePrice(), usage], { ...usual, taxBehavior: 'inclusive' })),
    exempt: await subscribe(plan, { taxExempt: true }),
    discounted: await subscribe(plan),
    manual: await subscribe(plan),
    approved: await subscribe(plan, { autoApprove: false }),
    graced: await subscribe(await shop.plan([await shop.feePrice(), usage], { ...usual, gracePeriod: 'PT36H' })),
    granted: await subscribe(await shop.plan([granted], usual)),
    rich: await subscribe(plan),
    card: await subscribe(plan, { customer: card, autoCharge: true }),
    declined: await subscribe(plan, { customer: declined, autoCharge: true }),
    twinA: await subscribe(plan, { customer: twin }),
    twinB: await subscribe(larger, { customer: twin }),
    changing: await subscribe(plan),
    leaving: await subscribe(plan, { endingAt: at('02-10') }),
    reminded: await subscribe(plan, { renewalReminderEnabled: true, renewalReminderDays: 3 }),
  };
  await shop.create(`/v0/subscriptions/${sold.changing.id}/changes`, { planId: larger.id, effective: 'periodEnd' });
  await shop.create(`/v0/subscriptions/${sold.discounted.id}/adjustments`, {
    ...{ type: 'percentageDiscount', percentageDiscount: '0.35', effectiveFrom: START, description: 'Launch' },
  });
  await shop.create('/v2/invoices/lineItems', {
    ...{ subscriptionId: sold.manual.id, displayName: 'By hand', currency: 'USD', quantity: '3', unitPrice: '1.50' },
  });
  const topUp = await shop.create(`/v0/customers/${sold.rich.customerId}/wallet/topUps`, {
    ...{ amount: '25.00', currency: 'USD', idempotencyKey: 'top-up' },
  });
  await shop.pay({ paymentUrl: topUp.paymentSessions[0].url });
  return sold;
}

/** All their results: invoices by name, and the bookings, webhooks, records and numbers. */
export async function readAll(env: TestEnvironment, shop: Shop, merchantId: string, sold: Sold) {
  const bills = [];
  for (const [name, subscription] of Object.entries(sold))
    for (const invoice of await shop.invoices(subscription)) bills.push([name, withoutIds(invoice)]);
  const booked = await env.database.transaction({ merchants: [merchantId] }, async (tx) => ({
    entries: await tx.rows<object>(sql`
      select account, reason, sum(amount)::text as amount, count(*)::int as entries
        from ledger_entry e join ledger_transaction t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
       group by account, reason order by account, reason`),
    told: await tx.rows<object>(sql`select type, count(*)::int as told from outbox group by type order by type`),
    mails: await tx.rows<object>(sql`select kind, count(*)::int as written from mail group by kind order by kind`),
    sessions: await tx.rows<object>(sql`
      select status, amount::text as amount, count(*)::int as sessions from payment_session group by 1, 2 order by 1, 2`),
    numbers: await tx.rows<object>(sql`
      select invoice_number as number from invoice where invoice_number is not null order by invoice_number`),
  }));
  return { bills, booked };
}

/** An invoice without its ids and its number: numbers follow the order in which the worker takes the invoices. */
const withoutIds = ({ invoiceNumber, documentNumber, ...invoice }: Resource): unknown =>
  JSON.parse(JSON.stringify(invoice).replaceAll(/\b(?:[a-z]+_[0-9A-Za-z]{16,}|INV-\d+|[0-9a-f]{64})\b/g, '#'));
