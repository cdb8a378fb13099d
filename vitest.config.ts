import { defineConfig } from 'vitest/config';
import { SEED } from './test/support/seed.ts';
import { Sequencer } from './test/support/sequencer.ts';
import { suiteOf } from './test/support/suites.ts';

const { shared, apart } = suiteOf(import.meta.dirname);

export default defineConfig({
  test: {
    globalSetup: ['test/support/database-server.ts'],
    setupFiles: ['test/support/same-values.ts'],
    reporters: ['default', './test/support/progress.ts', './test/support/seconds.ts', './test/support/not-run.ts'],
    pool: 'forks',
    // Two more than the two cores that we count on: a worker waits for PostgreSQL half of its time (decision 0177).
    maxWorkers: 4,
    sequence: { sequencer: Sequencer, seed: SEED },
    // No test measures time: on a busy machine all of them take many times as long, and only one that hangs ends here.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // What is polled comes at once on a quiet machine, and after many seconds on a busy one.
    expect: { poll: { interval: 20, timeout: 60_000 } },
    teardownTimeout: 30_000,
    projects: [
      // Files of one worker share the modules of the program: to load them takes longer than many of these files.
      { extends: true, test: { name: 'shared', ...shared, isolate: false } },
      { extends: true, test: { name: 'apart', ...apart } },
    ],
  },
});
