/** All that other domains may use of tax providers. */
export {
  createTaxProviders,
  type TaxConnection,
  type TaxProviderDependencies,
  type TaxProviderOptions,
  taxConnectionOf,
} from './dependencies.ts';
export type {
  AddressVerdict,
  CommitRequest,
  CreditNoteRequest,
  TaxAddress,
  TaxAnswer,
  TaxedAmount,
  TaxedItem,
  TaxItem,
  TaxProvider,
  TaxProviderName,
  TaxReadiness,
  TaxRecorded,
  TaxRequest,
  VoidRequest,
} from './port.ts';
export { createTaxReadiness } from './readiness.ts';
export { createStripeTax } from './stripe/provider.ts';
