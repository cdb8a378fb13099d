export { openProjection, type ProjectionOptions, rebuildProjection, type UsageProjection } from './projection.ts';
