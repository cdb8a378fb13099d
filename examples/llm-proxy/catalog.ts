import type { Reckoner } from '@reckoner/sdk';

/** How many credits 1,000 tokens of a model cost. */
export const CREDITS = new Map([
  ['atlas-mini', 1],
  ['atlas-pro', 10],
]);

/** The keys of the two features: credits to spend, and the models of the dear plan. */
export const FEATURES = { credits: 'credits', proModels: 'pro-models' } as const;

export interface Catalog {
  /** The ids of the plans: without a fee and with a hard limit; 20 dollars a month, and more credits on the bill. */
  readonly plans: { readonly free: string; readonly pro: string };
}

/** The product with its two plans. A second start finds what the first one made. */
export async function openCatalog(reckoner: Reckoner): Promise<Catalog> {
  const name = 'LLM proxy';
  const known = await find(reckoner.products.list(), (each) => each.name === name);
  if (known) return { plans: await plansOf(reckoner, known.id) };

  const { id: productId } = await reckoner.products.create({ name, description: 'Language models behind one address' });
  const { id: billableMetricId } = await reckoner.billableMetrics.create({
    ...{ productId, name: 'Credits', description: 'Tokens, weighed by their model', unit: 'credit' },
    ...{ aggregation: 'SUM', eventType: 'llm.request', valueProperty: '$.credits', groupBy: { model: '$.model' } },
  });
  const credits = await reckoner.features.create({
    ...{ productId, key: FEATURES.credits, name: 'Credits', type: 'metered' },
  });
  const proModels = await reckoner.features.create({
    ...{ productId, key: FEATURES.proModels, name: 'Large models', type: 'boolean' },
  });
  const { id: feeId } = await reckoner.fees.create({ productId, name: 'Pro', description: 'The plan by the month' });
  const creditPrice = (unitPrice: string, monthly: number, isSoftLimit: boolean) =>
    reckoner.prices.create({
      ...{ billableMetricId, invoiceDisplayName: 'Credits', paymentTerm: 'in_arrears', grantDiscountEnabled: true },
      ...{ model: 'standard', properties: { unitPrice } },
      feature: {
        featureId: credits.id,
        entitlementTemplate: {
          ...{ type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: monthly, isSoftLimit },
        },
      },
    });
  const included = await creditPrice('0', 100, false);
  const beyond = await creditPrice('0.002', 20_000, true);
  const fee = await reckoner.prices.create({
    ...{ feeId, invoiceDisplayName: 'Pro', paymentTerm: 'in_advance', billingCadence: 'P1M' },
    ...{ model: 'standard', properties: { unitPrice: '20' } },
    feature: { featureId: proModels.id, entitlementTemplate: { type: 'boolean' } },
  });
  await reckoner.plans.create({ productId, name: 'Free', currency: 'USD', prices: [included.id] });
  await reckoner.plans.create({ productId, name: 'Pro', currency: 'USD', prices: [fee.id, beyond.id] });
  return { plans: await plansOf(reckoner, productId) };
}

async function plansOf(reckoner: Reckoner, productId: string): Promise<Catalog['plans']> {
  const idOf = async (name: string) => {
    const plan = await find(reckoner.plans.list({ productId }), (each) => each.name === name);
    if (!plan) throw new Error(`The product has no plan ${name}.`);
    return plan.id;
  };
  return { free: await idOf('Free'), pro: await idOf('Pro') };
}

async function find<T>(list: AsyncIterable<T>, matches: (each: T) => boolean): Promise<T | undefined> {
  for await (const each of list) if (matches(each)) return each;
  return undefined;
}
