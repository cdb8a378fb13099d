import { defineConfig } from 'vitest/config';
import { changedFiles } from './test/support/changed-files.ts';
import { Sequencer } from './test/support/sequencer.ts';

/** These have a process for each file: they start and kill the program, or load the engine of another database. */
const APART = [
  'test/start/*.test.ts',
  'test/crash/crash.test.ts',
  'test/docs/pages.test.ts',
  ...(process.env.RECKONER_CHDB ? ['test/conformance/{clickhouse-*,stores}.test.ts'] : []),
];

export default defineConfig({
  test: {
    globalSetup: ['test/support/database-server.ts'],
    setupFiles: ['test/support/same-values.ts'],
    reporters: ['default', './test/support/progress.ts', './test/support/not-run.ts'],
    experimental: { vcsProvider: changedFiles },
    pool: 'forks',
    // One more than the two cores that we count on: a worker waits for PostgreSQL a third of its time (decision 0156).
    maxWorkers: 3,
    sequence: { sequencer: Sequencer },
    // No test measures time: on a busy machine all of them take many times as long, and only one that hangs ends here.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // What is polled comes at once on a quiet machine, and after many seconds on a busy one.
    expect: { poll: { interval: 20, timeout: 60_000 } },
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        // Files of one worker share the modules of the program: to load them takes longer than many of these files.
        test: {
          name: 'shared',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: APART,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'apart', include: APART } },
    ],
  },
});
