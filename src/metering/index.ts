export { archiveChore, type EventArchive, openArchive } from './archive/archive.ts';
export { archiveCheck } from './archive/check.ts';
export { openStore, type StoreKeys } from './archive/store.ts';
export { openProjection, rebuildProjection, settledSeq, type UsageProjection } from './clickhouse/index.ts';
export { meteringErrors } from './errors.ts';
export type { BalancesQuestion, EventBalances, EventUse } from './events/expand.ts';
export { EventWithDataReply, UNBILLED_REASONS, UNMATCHED_REASONS } from './events/schemas.ts';
export { acceptInTransaction, type OwnEvent } from './intake/accept-one.ts';
export { admissionOf } from './intake/admission.ts';
export { createIntakes } from './intake/intake.ts';
export { lockIngest, lockMarksAndRead as readWithoutEvents } from './intake/lock.sql.ts';
export { eventPartitionChore } from './intake/partitions.ts';
export {
  selectCustomersWithEvents as findCustomersWithEvents,
  selectOldestAcceptedAfter as findOldestAcceptedAfter,
  type UsedCustomer,
} from './intake/subjects.sql.ts';
export { linkExternalSubject, linkSubscriptionSubject, subjectsOf, subjectsOfEach } from './intake/subjects.ts';
export {
  countEventsByDay,
  type EventsOfDay,
  merchantsWithEvents,
  selectFirstAccepted as findFirstAccepted,
} from './intake/tally.sql.ts';
export { eventTallyChore } from './intake/tally.ts';
export { keyGenerationChore } from './keys/generations.ts';
export {
  dimensionsOf,
  isLevel,
  isOverTime,
  isPercentile,
  type Meter,
  type SampleAggregation,
  type TimeUnit,
} from './meter/meter.ts';
export { MOST_ROWS, withinRows } from './meter/most-rows.ts';
export { type ActiveSpan, ownSpans } from './meter/own-spans.ts';
export { SAMPLE_WINDOWS, type SampleWindow } from './meter/samples.ts';
export {
  byTime,
  type UsageCut,
  type UsageQuery,
  type UsageRequest,
  type UsageRow,
  type UsageScope,
  type UsageSource,
} from './meter/usage-request.ts';
export { WINDOW_SIZES, type WindowSize, windowAt, windowCount, windowsOf } from './meter/windows.ts';
export { eventRoutes } from './routes.ts';
export type { OwnedMeter } from './stored/events.sql.ts';
export { findEvent, listMeterEvents } from './stored/events.ts';
export { type MeterReading, selectUsageMark as findUsageMark } from './stored/fate.sql.ts';
export type { BillingOfEvent, CountedEvent, EventBilling, EventFate, FindBilling } from './stored/fate.ts';
export { backfillChore, registerMeter, unreadDefinitionsChore } from './stored/rollups.ts';
export {
  forgetLate,
  isSettled,
  lateSince,
  lateSinceOf,
  markedUsageSnapshot,
  needlessLateChore,
  settleEach,
  settleUsage,
  type TakenUsage,
  usageSnapshot,
} from './stored/settled.ts';
export { selectUsageDays as findUsageDays } from './usage/days.sql.ts';
export {
  type FigureAnswer,
  type FigureCall,
  type FigureColumns,
  type FigureParameter,
  figureCall,
  figureParameters,
  type JoinedFigures,
  joinFigures,
} from './usage/figure-call.ts';
export type { FigureFunction } from './usage/figures.sql.ts';
export type { UsageFigure } from './usage/figures.ts';
export { integralsUpTo, type LevelFrom, levelsIn } from './usage/integrals.ts';
export { everyWindow } from './usage/levels.ts';
export { shownOverTime, unitOfTime } from './usage/over-time.ts';
export { type CountedLevels, whenReached } from './usage/reached.ts';
export { measureStretches } from './usage/stretches.ts';
export {
  countByType,
  countOfType,
  type EventSample,
  hasLateUsage,
  type LateSource,
  selectLateUsage as findLateUsage,
  selectOfNobody as findOfNobody,
  selectOfSources as findOfSources,
  selectOfType as findOfType,
  selectUncounted as findUncounted,
} from './usage/unbilled.sql.ts';
export { amountOfEach, measureEach, postgresUsage, usage, usageOfEach, usedSpans } from './usage/usage.ts';
