export { forgetClaimChore, lostClaimChore } from './claims.ts';
export { clockReadingChore } from './clock-reading.ts';
export { countParked, countParkedOfMerchant, selectOldestDue as findOldestDue } from './due.sql.ts';
export type { ClockBook, ClockReference, DueKind, FollowUp, StepList, StepReport, StepResult } from './due-kind.ts';
export { listCountChore, rebuildListCounts } from './list-counts.ts';
export { pause } from './pause.ts';
export { type Chore, createRunner, type DueRunner, type RunnerOptions } from './runner.ts';
