/** All that other domains may use of reports. */
export { rebuildRevenue } from './rebuild.ts';
export { revenueSummary } from './revenue.ts';
export { analyticsRoutes } from './routes.ts';
export { revenueSumsChore } from './sums.ts';
