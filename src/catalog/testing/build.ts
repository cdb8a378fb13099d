import { expect } from 'vitest';
import type { Answer, Client } from '../../../test/support/environment.ts';

/** Makes catalog resources of one merchant through the API, each valid unless a test says otherwise. */
export interface Builder {
  product(fields?: object): Promise<string>;
  feature(productId: string, fields?: object): Promise<string>;
  metric(productId: string, fields?: object): Promise<string>;
  cost(productId: string, fields?: object): Promise<string>;
  item(fields?: object): Promise<string>;
  fee(productId: string, fields?: object): Promise<string>;
  metricPrice(metricId: string, fields?: object): Promise<string>;
  feePrice(feeId: string, fields?: object): Promise<string>;
  /** The whole answer, because most tests look into it. */
  plan(productId: string, fields?: object): Promise<Answer['body']>;
}

export const METRIC = { name: 'Tokens', aggregation: 'SUM', eventType: 'llm', valueProperty: '$.tokens' } as const;
export const METRIC_PRICE = {
  invoiceDisplayName: 'Tokens',
  paymentTerm: 'in_arrears',
  properties: { unitPrice: '0.000003' },
} as const;
export const FEE_PRICE = {
  invoiceDisplayName: 'Seats',
  paymentTerm: 'in_advance',
  properties: { unitPrice: '10' },
  billingCadence: 'P1M',
} as const;

let made = 0;

export function builderFor(client: Client): Builder {
  const create = async (path: string, body: object): Promise<Answer['body']> => {
    const answer = await client.post(path, body);
    expect(answer, `POST ${path}`).toMatchObject({ status: 201 });
    return answer.body;
  };
  const id = async (path: string, body: object): Promise<string> => (await create(path, body)).id;
  return {
    product: (fields = {}) => id('/v0/products', { name: 'Inference', description: 'Models by the token', ...fields }),
    feature: (productId, fields = {}) =>
      id('/v0/features', { key: `feature-${++made}`, name: 'Tokens', type: 'metered', productId, ...fields }),
    metric: (productId, fields = {}) => id('/v0/billableMetrics', { ...METRIC, productId, ...fields }),
    cost: (productId, fields = {}) =>
      id('/v0/costs', { name: 'GPU', unitCost: 0.1, currency: 'USD', productId, ...fields }),
    item: (fields = {}) => id('/v0/items', { name: 'Token pack', ...fields }),
    fee: (productId, fields = {}) => id('/v0/fees', { name: 'Seat', description: 'A seat', productId, ...fields }),
    metricPrice: (billableMetricId, fields = {}) => id('/v0/prices', { billableMetricId, ...METRIC_PRICE, ...fields }),
    feePrice: (feeId, fields = {}) => id('/v0/prices', { feeId, ...FEE_PRICE, ...fields }),
    plan: (productId, fields = {}) => create('/v0/plans', { name: 'Pro', productId, currency: 'USD', ...fields }),
  };
}

/** The failing fields of a 400, sorted. */
export const failingFields = (answer: Answer): string[] => {
  expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
  return answer.body.errors.map(({ field }: { field: string }) => field).toSorted();
};
