import type { Operations } from './api.ts';

type Json<Content> = Content extends { content: { 'application/json': infer Value } } ? Value : never;

/** The input of an operation. */
export type Body<Id extends keyof Operations> = Operations[Id] extends { requestBody?: infer Sent }
  ? Json<NonNullable<Sent>>
  : undefined;

/** The successful answer of an operation. */
export type Answer<Id extends keyof Operations> = Operations[Id]['responses'] extends { 200: infer Done }
  ? Json<Done>
  : Operations[Id]['responses'] extends { 201: infer Created }
    ? Json<Created>
    : Operations[Id]['responses'] extends { 202: infer Accepted }
      ? Json<Accepted>
      : never;

/** Calls an operation of the API by its id. */
export type Call = <Id extends keyof Operations>(
  id: Id,
  request: { path?: Record<string, string>; query?: Record<string, string>; body?: Body<Id> },
) => Promise<Answer<Id>>;

type Price = Body<'createPrice'>;
type Model = NonNullable<Price['model']>;
type PropertiesOf<Of extends Model> = Extract<Price, { model: Of }>['properties'];
type Template = NonNullable<NonNullable<Price['feature']>['entitlementTemplate']>;

/** The properties of a price of each model: a model that is missing here does not compile. */
const PROPERTIES: { [Of in Exclude<Model, 'standard'>]: PropertiesOf<Of> } = {
  graduated: {
    tiers: [
      { upTo: '1000', unitPrice: '0.02' },
      { upTo: null, unitPrice: 0.01, flatPrice: '1' },
    ],
  },
  volume: {
    tiers: [
      { upTo: 1000, unitPrice: '0.02' },
      { upTo: null, unitPrice: '0.01' },
    ],
  },
  package: { size: 1000, price: '4.50' },
  percentage: { percentage: '0.029', fixed: '0.30', minCharge: 1 },
  dynamic: { multiplier: '1.2' },
  matrix: {
    dimensions: ['region'],
    cells: [{ match: { region: 'eu' }, unitPrice: '0.03' }],
    default: '0.02',
  },
};

/** A template of each kind of feature: a kind that is missing here does not compile. */
const TEMPLATES: { [Kind in Template['type']]: Extract<Template, { type: Kind }> } = {
  boolean: { type: 'boolean' },
  static: { type: 'static', config: { seats: 5, regions: ['eu', null] } },
  metered: { type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 1000, isSoftLimit: true },
};

// @ts-expect-error properties of another model
export const wrongModel: PropertiesOf<'package'> = { unitPrice: '1' };
// @ts-expect-error a field that the API has not
export const wrongField: Body<'createProduct'> = { name: 'Calls', description: '', nickname: 'c' };
// @ts-expect-error a decimal is text or a number
export const wrongDecimal: Price['minimumAmount'] = true;
// @ts-expect-error a boolean feature has no allowance
export const wrongTemplate: Template = { type: 'boolean', issueAfterReset: 1 };
// @ts-expect-error a balance is watched of an entitlement
export const wrongAlert: Body<'createAlert'> = { type: 'balance', threshold: '10' };

/** Sells, meters, bills and collects, and prints the results. */
export async function run(call: Call, names: { readonly customer: string; readonly start: string }) {
  const product = await call('createProduct', {
    body: { name: 'Calls', description: 'Calls of the API', metadata: { tier: 1 } },
  });
  const metric = await call('createBillableMetric', {
    body: {
      productId: product.id,
      name: 'Calls',
      eventType: 'call',
      aggregation: 'SUM',
      valueProperty: '$.units',
      groupBy: { region: '$.region' },
    },
  });
  const features = await Promise.all(
    (['boolean', 'static', 'metered'] as const).map((type) =>
      call('createFeature', { body: { productId: product.id, type, key: `feature-${type}`, name: type } }),
    ),
  );
  const withFeature = (type: keyof typeof TEMPLATES, at: number) => ({
    featureId: features[at]?.id ?? '',
    entitlementTemplate: TEMPLATES[type],
  });
  const common = { billableMetricId: metric.id, paymentTerm: 'in_arrears' } as const;
  const prices = await Promise.all([
    call('createPrice', {
      body: {
        ...common,
        model: 'standard',
        invoiceDisplayName: 'Calls',
        properties: { unitPrice: '0.02', includedUnits: 500 },
        feature: withFeature('metered', 2),
      },
    }),
    call('createPrice', {
      body: {
        ...common,
        model: 'graduated',
        properties: PROPERTIES.graduated,
        invoiceDisplayName: 'Tiers',
        feature: withFeature('boolean', 0),
      },
    }),
    call('createPrice', {
      body: {
        ...common,
        model: 'volume',
        properties: PROPERTIES.volume,
        invoiceDisplayName: 'Volume',
        feature: withFeature('static', 1),
      },
    }),
    call('createPrice', {
      body: { ...common, model: 'package', properties: PROPERTIES.package, invoiceDisplayName: 'Packages' },
    }),
    call('createPrice', {
      body: { ...common, model: 'percentage', properties: PROPERTIES.percentage, invoiceDisplayName: 'Percentage' },
    }),
    call('createPrice', {
      body: { ...common, model: 'dynamic', properties: PROPERTIES.dynamic, invoiceDisplayName: 'Dynamic' },
    }),
    call('createPrice', {
      body: { ...common, model: 'matrix', properties: PROPERTIES.matrix, invoiceDisplayName: 'Matrix' },
    }),
  ]);
  const plan = await call('createPlan', {
    body: {
      productId: product.id,
      name: 'Pro',
      currency: 'EUR',
      billingCadence: 'P1M',
      prices: prices.map(({ id }) => id),
    },
  });
  const customer = await call('createCustomer', {
    body: {
      consumer: { name: names.customer, email: 'ada@example.com', address: { country: 'DE' } },
      externalId: 'workspace-1',
    },
  });
  const subscription = await call('createSubscription', {
    body: { name: 'Pro', planId: plan.id, customerId: customer.id, startedAt: names.start },
  });
  await call('createEvents', {
    body: [
      {
        type: 'call',
        source: 'program',
        externalSubject: 'workspace-1',
        idempotencyKey: 'run-1',
        data: { units: 700, region: 'eu', tags: ['a', null, { deep: true }] },
      },
    ],
  });
  const access = await call('getCustomerAccess', { path: { id: customer.id } });
  const invoice = await call('createInvoice', {
    body: {
      customerId: customer.id,
      currency: 'EUR',
      autoApprove: true,
      lines: [{ displayName: 'Setup', quantity: 2, unitPrice: '50.00' }],
    },
  });
  const session = await call('openInvoicePaymentSession', { path: { id: invoice.id }, body: {} });
  const read = await call('getInvoice', { path: { id: invoice.id }, query: { expand: 'lineItems' } });
  return {
    tiers: prices.flatMap((price) => (price.model === 'graduated' ? price.properties.tiers.map(firstOf) : [])),
    models: prices.map(({ model }) => model),
    status: subscription.status,
    balances: access.features.map((feature) =>
      feature.type === 'metered' ? (feature.balance ?? null) : feature.type === 'static' ? feature.config : null,
    ),
    lines: read.lineItems?.lineItems.map(({ totalAmount }) => totalAmount) ?? [],
    amount: session.amount,
  };
}

const firstOf = ({ unitPrice }: { unitPrice: string }): string => unitPrice;
