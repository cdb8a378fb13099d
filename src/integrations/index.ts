/** All that other domains may use of integrations. */
export { integrationRoutes } from './routes.ts';
