/** All that other domains may use of unbilled usage. */
export { countUnbilled } from './daily.sql.ts';
export { unbilledUsageChore } from './daily.ts';
export { unbilledRoutes } from './routes.ts';
