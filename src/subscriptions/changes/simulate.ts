import { defaultVersionOf, findPlan, findPrices } from '../../catalog/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { type BilledPrice, simulateInvoice } from '../../invoicing/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { decimalOf } from '../../kernel/decimal.ts';
import { invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { instantOf, isBefore } from '../../kernel/time.ts';
import type { SimulationCreateBody } from './change-schemas.ts';

/**
 * POST /v0/plans/{id}/simulate: what the default version of a plan, with some prices replaced, would have billed for a
 * customer's usage or for given one. The time counts as one period of every price, what is in advance too.
 * @returns 404, for metrics too; 400 for a time that ends before it begins, for both or neither usage, and for prices
 *   that the plan has not
 */
export async function simulatePlan(tx: Tx, planId: string, body: SimulationCreateBody): Promise<Result<unknown>> {
  const plan = await findPlan(tx, planId);
  if (!plan) return notFound('plan');
  const period = { start: instantOf(body.from), end: instantOf(body.to) };
  if (!isBefore(period.start, period.end)) return invalidField('to', 'must be after from');
  if ((body.customerId === undefined) === (body.usage === undefined))
    return invalidField('customerId', 'give customerId or usage, one of the two');
  if (body.customerId !== undefined) {
    const owned = await checkReference(tx, 'customer', body.customerId, 'customerId');
    if (!owned.ok) return owned;
  }
  for (const metricId of Object.keys(body.usage ?? {})) {
    const owned = await checkReference(tx, 'billable metric', metricId, `usage.${metricId}`);
    if (!owned.ok) return owned;
  }
  const version = await defaultVersionOf(tx, plan);
  const prices = await replaced(tx, version.prices, body.replacePrices ?? []);
  if (!prices.ok) return prices;
  return ok(
    await simulateInvoice(tx, {
      merchantId: tx.merchantId,
      planId,
      planTaxRate: plan.defaultTaxRate,
      taxBehavior: plan.taxBehavior,
      currency: plan.currency,
      prices: prices.value,
      minimumAmount: version.minimumAmount,
      period,
      customerId: body.customerId ?? null,
      usage: body.usage === undefined ? null : quantities(body.usage),
    }),
  );
}

const quantities = (usage: NonNullable<SimulationCreateBody['usage']>): Map<string, Decimal> =>
  new Map(Object.entries(usage).map(([metricId, quantity]) => [metricId, decimalOf(quantity)]));

async function replaced(
  tx: Tx,
  prices: readonly BilledPrice[],
  replacements: NonNullable<SimulationCreateBody['replacePrices']>,
): Promise<Result<readonly BilledPrice[]>> {
  const others = await findPrices(
    tx,
    replacements.map(({ withPriceId }) => withPriceId),
  );
  let found = prices;
  for (const [index, { replacesPriceId, withPriceId }] of replacements.entries()) {
    for (const [field, id] of Object.entries({ replacesPriceId, withPriceId })) {
      const owned = await checkReference(tx, 'price', id, `replacePrices.${index}.${field}`);
      if (!owned.ok) return owned;
    }
    const other = others.find(({ id }) => id === withPriceId);
    if (!other) return notFound('price', `replacePrices.${index}.withPriceId`);
    if (!found.some(({ id }) => id === replacesPriceId))
      return invalidField(`replacePrices.${index}.replacesPriceId`, 'is not in the plan');
    found = found.map((price) => (price.id === replacesPriceId ? other : price));
  }
  return ok(found);
}
