/** All that other domains may use of alerts. */
export type { Alert, AlertTrigger } from './alert.ts';
export { selectSpentBudgets as findSpentBudgets } from './budgets.sql.ts';
export type { AlertDependencies } from './dependencies.ts';
export { alertRoutes } from './routes.ts';
export { alertDueKind } from './steps.ts';
export { selectOldestUnseen as findOldestUnseen } from './watch.sql.ts';
export { alertWatchChore } from './watch.ts';
