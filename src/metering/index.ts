export { acceptInTransaction, type OwnEvent } from './accept-one.ts';
export { admissionOf } from './admission.ts';
export {
  countByType,
  countOfType,
  type EventSample,
  hasLateUsage,
  type LateSource,
  selectBeside,
  selectLateUsage,
  selectOfNobody,
  selectOfType,
  selectUncounted,
} from './beside.sql.ts';
export { openProjection, rebuildProjection, settledSeq, type UsageProjection } from './clickhouse/index.ts';
export { meteringErrors } from './errors.ts';
export type { OwnedMeter } from './events.sql.ts';
export { listMeterEvents } from './events.ts';
export type { BalancesQuestion, EventBalances, EventUse } from './expand.ts';
export { usageMark } from './fate.sql.ts';
export type { BillingOfEvent, CountedEvent, EventBilling } from './fate.ts';
export {
  type FigureCall,
  type FigureColumns,
  type FigureParameter,
  figureCall,
  figureParameters,
  type JoinedFigures,
  joinFigures,
} from './figure-call.ts';
export type { FigureFunction } from './figures.sql.ts';
export type { UsageFigure } from './figures.ts';
export { keyGenerationChore } from './generations.ts';
export { createIntakes, type OnAccepted } from './intake.ts';
export { everyWindow } from './levels.ts';
export { lockIngest, readBetweenEvents } from './lock.sql.ts';
export { dimensionsOf, isLevel, type Meter } from './meter.ts';
export { type ActiveSpan, ownSpans } from './own-spans.ts';
export { eventPartitionChore } from './partitions.ts';
export { eventRoutes } from './routes.ts';
export { backfillChore, registerMeter, unreadSeriesChore } from './series.ts';
export {
  forgetLate,
  isSettled,
  lateSince,
  lateSinceOf,
  needlessLateChore,
  settleEach,
  settleUsage,
  type TakenUsage,
  usageSnapshot,
} from './settled.ts';
export { measureStretches } from './stretches.ts';
export { customersWithEvents, oldestAcceptedAfter, type UsedCustomer } from './subjects.sql.ts';
export { linkExternalSubject, linkSubscriptionSubject, subjectsOf, subjectsOfEach } from './subjects.ts';
export { merchantsWithEvents } from './tally.sql.ts';
export { eventTallyChore } from './tally.ts';
export { measureEach, postgresUsage, usage, usageOfEach, usedSpans } from './usage.ts';
export type { UsageCut, UsageQuery, UsageRequest, UsageRow, UsageScope, UsageSource } from './usage-request.ts';
export { createUsageWatch, type UsageWatch, type UsedBy } from './usage-watch.ts';
export { WINDOW_SIZES, type WindowSize, windowCount, windowsOf } from './windows.ts';
