export { openProjection, type ProjectionOptions, rebuildProjection, type UsageProjection } from './projection.ts';
export { settledSeq } from './shipper.ts';
