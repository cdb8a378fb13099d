/** All that other domains may use of integrations. */
export { findProviderAccount, isConnected, markRefused, type OpenedAccount } from './account.ts';
export { integrationRoutes } from './routes.ts';
export type { Probe } from './trial.ts';
