import type { Client } from './client.ts';

/** The plans of the demo, by the word that its customers name them with. */
export type PlanName = 'growth' | 'scale' | 'team';
export type Plans = Readonly<Record<PlanName, string>>;

/**
 * The catalog of Halcyon Labs: two products, four metrics, two fees, one feature, three plans. All is billed in
 * arrears.
 */
export async function makeCatalog(client: Client): Promise<Plans> {
  const inference = await product(client, 'Halcyon Inference', 'Language and image models by API');
  const workspace = await product(client, 'Halcyon Workspace', 'Shared notebooks and storage');

  const tokens = await metric(client, inference, {
    name: 'Tokens',
    description: 'Tokens read and written',
    unit: 'token',
    aggregation: 'SUM',
    eventType: 'tokens.used',
    valueProperty: '$.tokens',
    groupBy: { model: '$.model' },
  });
  const images = await metric(client, inference, {
    name: 'Images',
    description: 'Images rendered',
    unit: 'image',
    aggregation: 'COUNT',
    eventType: 'image.rendered',
  });
  const members = await metric(client, workspace, {
    name: 'Active members',
    description: 'Members who opened a notebook',
    unit: 'member',
    aggregation: 'UNIQUE_COUNT',
    eventType: 'notebook.opened',
    valueProperty: '$.member',
  });
  const storage = await metric(client, workspace, {
    name: 'Storage',
    description: 'The most that was stored',
    unit: 'GB',
    aggregation: 'MAX',
    eventType: 'storage.measured',
    valueProperty: '$.gigabytes',
  });
  const rendering = await idOf(
    client.once('feature images', '/v0/features', {
      productId: inference,
      key: 'images',
      name: 'Images',
      type: 'metered',
    }),
  );
  const platform = await fee(client, inference, 'Platform', 'Access, support and the service level');
  const seats = await fee(client, workspace, 'Workspace', 'The workspace itself');

  const growth = [
    await price(client, 'growth platform', {
      feeId: platform,
      invoiceDisplayName: 'Platform fee',
      billingCadence: 'P1M',
      properties: { unitPrice: '49' },
    }),
    await price(client, 'growth tokens', {
      billableMetricId: tokens,
      invoiceDisplayName: 'Tokens',
      model: 'graduated',
      properties: {
        tiers: [
          { upTo: '250000', unitPrice: '0.00012' },
          { upTo: '1000000', unitPrice: '0.00009' },
          { upTo: null, unitPrice: '0.00006' },
        ],
      },
    }),
    await price(client, 'growth images', {
      billableMetricId: images,
      invoiceDisplayName: 'Images, by the hundred',
      model: 'package',
      properties: { size: '100', price: '2.50' },
      feature: {
        featureId: rendering,
        entitlementTemplate: {
          type: 'metered',
          usagePeriod: { interval: 'P1M' },
          issueAfterReset: 500,
          isSoftLimit: true,
        },
      },
    }),
  ];
  const scale = [
    await price(client, 'scale platform', {
      feeId: platform,
      invoiceDisplayName: 'Platform fee',
      billingCadence: 'P1M',
      properties: { unitPrice: '499' },
    }),
    await price(client, 'scale tokens', {
      billableMetricId: tokens,
      invoiceDisplayName: 'Tokens',
      model: 'volume',
      minimumAmount: '50',
      properties: {
        tiers: [
          { upTo: '1000000', unitPrice: '0.00008' },
          { upTo: null, unitPrice: '0.00005' },
        ],
      },
    }),
    await price(client, 'scale images', {
      billableMetricId: images,
      invoiceDisplayName: 'Images',
      properties: { unitPrice: '0.02', includedUnits: '20' },
    }),
  ];
  const team = [
    await price(client, 'team workspace', {
      feeId: seats,
      invoiceDisplayName: 'Workspace',
      billingCadence: 'P1M',
      properties: { unitPrice: '29' },
    }),
    await price(client, 'team members', {
      billableMetricId: members,
      invoiceDisplayName: 'Active members',
      model: 'volume',
      properties: {
        tiers: [
          { upTo: '10', unitPrice: '12' },
          { upTo: null, unitPrice: '9' },
        ],
      },
    }),
    await price(client, 'team storage', {
      billableMetricId: storage,
      invoiceDisplayName: 'Storage',
      properties: { unitPrice: '0.15', includedUnits: '50' },
    }),
  ];
  return {
    growth: await plan(client, inference, {
      name: 'Growth',
      currency: 'USD',
      prices: growth,
      description: 'Pay as you grow',
    }),
    scale: await plan(client, inference, {
      name: 'Scale',
      currency: 'USD',
      prices: scale,
      description: 'A lower price for more',
    }),
    team: await plan(client, workspace, {
      name: 'Team',
      currency: 'EUR',
      prices: team,
      description: 'By active member',
    }),
  };
}

type Fields = Readonly<Record<string, unknown>>;
const idOf = async (answer: Promise<{ id: string }>): Promise<string> => (await answer).id;

const product = (client: Client, name: string, description: string) =>
  idOf(client.once(`product ${name}`, '/v0/products', { name, description }));

const metric = (client: Client, productId: string, fields: Fields & { name: string }) =>
  idOf(client.once(`metric ${fields.name}`, '/v0/billableMetrics', { productId, ...fields }));

const fee = (client: Client, productId: string, name: string, description: string) =>
  idOf(client.once(`fee ${name}`, '/v0/fees', { productId, name, description }));

const price = (client: Client, name: string, fields: Fields) =>
  idOf(client.once(`price ${name}`, '/v0/prices', { paymentTerm: 'in_arrears', ...fields }));

const plan = (client: Client, productId: string, fields: Fields & { name: string }) =>
  idOf(client.once(`plan ${fields.name}`, '/v0/plans', { productId, ...fields }));
