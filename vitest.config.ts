import { defineConfig } from 'vitest/config';
import { Sequencer } from './test/support/sequencer.ts';

/** These have a process for each file: they start and kill programs, or tell the modules of one file from those of another. */
const APART = ['src/db/embedded/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/support/database-server.ts'],
    reporters: ['default', './test/support/not-run.ts'],
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: Sequencer },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        // Files of one worker share the modules of the program: to load them takes longer than most of these files.
        test: {
          name: 'src',
          include: ['src/**/*.test.ts'],
          exclude: ['src/db/embedded/*.test.ts'],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'apart', include: APART } },
    ],
  },
});
