/** All that other domains may use of sources. */
export { sourceErrors } from './errors.ts';
export type { ReceivingDependencies } from './receive.ts';
export { sourceRoutes } from './routes.ts';
