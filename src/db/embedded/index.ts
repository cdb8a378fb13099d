export { archivingTo, copiesIn, copyRunning, putBack } from './backup.ts';
export { DirectoryNotMade, isDiskFull, makeDirectory, NotADirectory } from './directories.ts';
export { EmbeddedPostgresFailure } from './failure.ts';
export { joinEmbeddedPostgres, type RunningPostgres } from './running.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './start.ts';
