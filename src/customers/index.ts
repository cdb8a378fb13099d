/** All that other domains may use of customers. */
export type { Blocker, CustomerBlocker } from './blockers.ts';
export {
  type Consumer,
  type Customer,
  type NewCustomer,
  type NotificationSettings,
  publicCustomer,
} from './customer.ts';
export type { NotificationKind } from './customer-row.ts';
export {
  childrenOf as childrenOfPayer,
  type FoundCustomer,
  selectByText as findCustomersByText,
  selectCustomerIdsOfExternalId as findCustomerIdsOfExternalId,
  selectCustomersMailedAt as customersOfEmail,
  selectCustomersOfExternalIds as findCustomersOfExternalIds,
  withPayers,
} from './customers.sql.ts';
export {
  type CustomerHooks,
  changeBillingDetails,
  createCustomer,
  createUnidentified,
  type ExternalIdChange,
  findCustomer,
  findLocale,
  findTaxId,
  watchTaxIdOfConsumer,
} from './customers.ts';
export { customerErrors } from './errors.ts';
export {
  billedParties,
  billedParty,
  type CustomerParty,
  customerNames,
  customerParties,
  customerParty,
  customerTaxRates,
  findMailboxes,
} from './party.ts';
export { findChildren, findPayer, findPayers, withChildren } from './payers.ts';
export { type CustomerDependencies, customerRoutes } from './routes.ts';
export { ConsumerBody, CustomerExternalId, TaxRatesBody } from './schemas.ts';
export { COUNTRIES_TAXED_BY_ZIP_CODE } from './tax-address.ts';
export { type TaxIdDependencies, taxIdDueKind } from './tax-ids/checks.ts';
export { confirmTaxId, forgetConfirmedTaxIds } from './tax-ids/confirmed.ts';
export type { TaxIdRegister } from './tax-ids/register.ts';
export { sandboxRegister } from './tax-ids/sandbox-register.ts';
export { viesRegister } from './tax-ids/vies.ts';
export type { TaxRates, TaxRatesInput } from './tax-rates.ts';
export { findTaxPlace, storeTaxVerdict } from './tax-verdict.ts';
export { findTaxation, findTaxations, type Taxation, taxationsUnder } from './taxation.ts';
