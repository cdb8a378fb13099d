export type {
  AddressVerdict,
  CommitRequest,
  CreditNoteRequest,
  TaxAddress,
  TaxAnswer,
  TaxedItem,
  TaxItem,
  TaxProvider,
  TaxProviderName,
  TaxReadiness,
  TaxRecorded,
  TaxRequest,
  VoidRequest,
} from './port.ts';
export { createStripeTax } from './stripe/provider.ts';
