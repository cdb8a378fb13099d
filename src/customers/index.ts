/** All that other domains may use of customers. */
export type { Blocker, CustomerBlocker } from './blockers.ts';
export type { Consumer, Customer, NotificationSettings } from './customer.ts';
export { customerIdsOfExternalId, emailsFor, type NotificationKind } from './customers.sql.ts';
export {
  type CustomerHooks,
  createCustomer,
  type ExternalIdChange,
  findCustomer,
  type NewCustomer,
} from './customers.ts';
export { customerErrors } from './errors.ts';
export { type CustomerParty, customerParty, customerTaxRates } from './party.ts';
export { type CustomerParts, customerRoutes } from './routes.ts';
export { ConsumerBody, TaxRatesBody } from './schemas.ts';
export type { TaxRates, TaxRatesInput } from './tax-rates.ts';
