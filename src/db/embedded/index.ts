export { makeDirectory } from './directories.ts';
export { EmbeddedPostgresFailure } from './failure.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './start.ts';
