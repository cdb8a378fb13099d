export { lockIngest } from './lock.ts';
export { AGGREGATIONS, type Aggregation, dimensionsOf, type Meter } from './meter.ts';
export { linkExternalSubject, linkSubscriptionSubject } from './subjects.ts';
export { measure, usage } from './usage.ts';
export type { UsageCut, UsageQuery, UsageRequest, UsageRow, UsageScope, UsageSource } from './usage-request.ts';
export { WINDOW_SIZES, type WindowSize } from './windows.ts';
