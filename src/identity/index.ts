export { type ApiKey, type CreatedApiKey, createApiKey, type NewApiKey } from './api-keys.ts';
export { type CustomerAuditEntry, recordAudit, recordCustomerAudit } from './audit.ts';
export { Authenticator } from './authentication.ts';
export { identityErrors } from './errors.ts';
export { type EnvironmentName, generateApiKey } from './keys.ts';
export { selectHasLogo as hasLogo } from './logo/logo.sql.ts';
export { findLogo } from './logo/operations.ts';
export { me } from './me.ts';
export { createMerchant, type NewMerchant } from './merchants.ts';
export { Email, Phone } from './organization-routes.ts';
export { changedOrganizations, consumerEmails, consumerIdsOfEmail } from './organizations.sql.ts';
export {
  type ConsumerDetails,
  type ConsumerParticulars,
  changeConsumer,
  changeConsumerParticulars,
  createConsumer,
  findMerchant,
  findOrCreateConsumer,
  findOrganization,
  findOrganizations,
  findOrganizationsOf,
  lockConsumer,
  type MerchantOrganization,
  merchantSettings,
  type NewOrganization,
  type Organization,
} from './organizations.ts';
export { ensurePlatform } from './platform.ts';
export { identityRoutes, MeReply } from './routes.ts';
export {
  type ApprovalKind,
  isHost,
  type MerchantSettings,
  Percent,
} from './settings.ts';
export {
  type FoundUser,
  selectUserNames as findUserNames,
  selectUsersOfEmail as findUsersOfEmail,
} from './users.sql.ts';
export { checkGrantedRole, createUser, findUser, type NewUser, type User } from './users.ts';
