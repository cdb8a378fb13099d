/** All that other domains may use of billing schedules. */

export type { ScheduleDependencies } from './dependencies.ts';
export { partsForOrders } from './for-orders.ts';
export { BILLS_SCHEDULE, scheduledInvoices } from './invoice-purpose.ts';
export { scheduleDueKind } from './push.ts';
export { scheduleListener } from './refresh.ts';
export { scheduleRoutes } from './routes.ts';
