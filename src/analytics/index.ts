/** All that other domains may use of reports. */
export { rebuildRevenue } from './rebuild.ts';
export { analyticsRoutes } from './routes.ts';
export { revenueSumsChore } from './sums.ts';
