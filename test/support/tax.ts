import type { InvoicingDependencies } from '../../src/invoicing/index.ts';

/** For tests that call operations of invoicing directly, with our own tax rates. */
export const noTaxProviders: InvoicingDependencies['taxProviders'] = {
  providers: [],
  accountOf: async () => null,
  providerClient: { call: async () => undefined, idle: async () => undefined, close: async () => undefined },
  database: { transaction: () => Promise.reject(new Error('There is no tax provider.')) },
  now: () => Temporal.Now.instant(),
};
