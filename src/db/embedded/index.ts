export { isRoot, makeDirectory } from './directories.ts';
export { type EmbeddedFailureCode, EmbeddedPostgresFailure } from './failure.ts';
export { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './start.ts';
