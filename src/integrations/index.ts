/** All that other domains may use of integrations. */
export { integrationRoutes } from './routes.ts';
export type { Probe } from './trial.ts';
