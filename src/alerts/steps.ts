import type { DueKind } from '../jobs/index.ts';
import { lockAlert } from './alerts.sql.ts';
import type { AlertDependencies } from './dependencies.ts';
import { evaluateAlert } from './evaluate.ts';

/** Evaluates alerts whose period ends, or whose figure may have changed without an event. */
export const alertDueKind = (dependencies: AlertDependencies): DueKind => ({
  kind: 'alert',
  step: async (tx, { id }, now) => {
    const alert = await lockAlert(tx, id);
    if (alert) await evaluateAlert(dependencies, tx, alert, now);
  },
});
