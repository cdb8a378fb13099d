/** All that other domains may use of reports. */
export { analyticsRoutes } from './routes.ts';
export { revenueSumsChore } from './sums.ts';
