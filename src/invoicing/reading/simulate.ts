import { findTaxation } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import { WHOLE } from '../../kernel/fraction.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant, type Period } from '../../kernel/time.ts';
import { usage } from '../../metering/index.ts';
import { chooseTaxRate, type TaxBehavior, taxPoint } from '../../tax/index.ts';
import { calculate } from '../calculation/calculate.ts';
import { toInvoiceLineReply } from '../documents/present.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import { dimensionsOf } from '../rating/index.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import { readOfEach } from '../usage/read-usage.ts';

/** The question: the cost of some prices in a time that counts as one whole period. */
export interface Simulation {
  readonly merchantId: string;
  readonly planId: string;
  readonly planTaxRate: Decimal | null;
  readonly taxBehavior: TaxBehavior;
  readonly currency: string;
  readonly prices: readonly BilledPrice[];
  /** The commitment of the version; null: none. */
  readonly minimumAmount: Decimal | null;
  readonly period: Period;
  /** The customer of the usage and of the tax rates. */
  readonly customerId: string | null;
  /** By metric, instead of a customer's. */
  readonly usage: ReadonlyMap<string, Decimal> | null;
}

/** The invoice that it would have been, calculated as invoices are; nothing is stored. */
export async function simulateInvoice(tx: Tx, simulation: Simulation) {
  const { currency, prices, minimumAmount, period, taxBehavior } = simulation;
  const rates = await ratesOf(tx, simulation);
  const { lines, subtotal, totalTax, grandTotal } = calculate({
    currency,
    charges: prices.map((price) => ({ charge: { price, period, fraction: WHOLE, spans: [period] } })),
    ...(minimumAmount && { commitments: [{ ...UNASKED, period, minimumAmount, taxRate: rates.plan }] }),
    usage: await usageOf(tx, simulation),
    taxBehavior,
    taxRates: rates.ofPrices,
  });
  return {
    object: 'invoice_simulation' as const,
    planId: simulation.planId,
    currency,
    periodStart: formatInstant(period.start),
    periodEnd: formatInstant(period.end),
    subtotal: formatMoney(subtotal, currency),
    totalTax: formatMoney(totalTax, currency),
    grandTotal: formatMoney(grandTotal, currency),
    lineItems: lines.map((line, position) =>
      toInvoiceLineReply(
        {
          ...line,
          merchantId: simulation.merchantId,
          invoiceId: '',
          id: `preview_${position}`,
          position,
          appliesToLineId: null,
        },
        {
          currency,
          terms: { taxBehavior },
          sections: [],
          subscriptionId: null,
          customerId: simulation.customerId ?? '',
        },
      ),
    ),
  };
}

/** A commitment that nothing was asked of, for which all charges count. */
const UNASKED = {
  charged: ZERO,
  before: ZERO,
  back: null,
  items: [],
  isLate: false,
  coupons: [],
  couponsBefore: {},
  namedOf: () => null,
  shareOf: () => WHOLE,
};

async function usageOf(tx: Tx, simulation: Simulation): Promise<BilledUsage[]> {
  const found: BilledUsage[] = [];
  for (const price of simulation.prices) {
    if (price.metric === null) continue;
    const given = simulation.usage?.get(price.metric.id);
    if (given !== undefined) found.push(rowOf(price.id, {}, given, 0));
    else if (simulation.usage === null) found.push(...(await measured(tx, simulation, price, price.metric)));
  }
  return found;
}

async function measured(
  tx: Tx,
  { merchantId, customerId, period }: Simulation,
  price: BilledPrice,
  { meter }: NonNullable<BilledPrice['metric']>,
): Promise<BilledUsage[]> {
  if (customerId === null) return [];
  const groups = dimensionsOf(price.pricing);
  const scope = {
    merchantId,
    meter,
    sources: [{ subject: customerId, from: period.start, to: period.end }],
    from: period.start,
    to: period.end,
    ...(price.groupFilters && { groupFilters: price.groupFilters }),
    ...(groups && { groups }),
  };
  const rows = await usage(tx, scope);
  const ofEach = await readOfEach(tx, price, WHOLE, scope);
  return rows.map(({ group, value, exact = value, eventCount }) => ({
    ...rowOf(price.id, group, exact, eventCount),
    ...ofEach,
  }));
}

const rowOf = (priceId: string, group: BilledUsage['groupValues'], quantity: Decimal, events: number): BilledUsage => ({
  priceId,
  groupValues: group,
  quantity,
  eventCount: events,
  granted: ZERO,
});

/** The tax rates of the prices, and of what no price makes. */
async function ratesOf(tx: Tx, simulation: Simulation) {
  const { customerId, planId, planTaxRate, period } = simulation;
  const { taxExempt, customerTaxRates, merchantTaxRate, placeOn } = await findTaxation(tx, customerId);
  const place = placeOn(taxPoint(period.start, period.end), taxExempt);
  const rate = (price: BilledPrice | null) =>
    chooseTaxRate({
      taxExempt,
      customerTaxRates,
      metricId: price?.metric?.id ?? null,
      planId,
      priceTaxRate: price?.taxRate ?? null,
      metricTaxRate: price?.metric?.taxRate ?? null,
      planTaxRate,
      merchantTaxRate,
      place,
    }).rate;
  return { plan: rate(null), ofPrices: new Map(simulation.prices.map((price) => [price.id, rate(price)])) };
}
