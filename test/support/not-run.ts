import type { Reporter, TestModule } from 'vitest/node';

/** The reason for tests that are left out, and the command that runs them. */
const REASONS: readonly { readonly files: RegExp; readonly reason: string; readonly command: string }[] = [
  {
    files: /^test\/conformance\//,
    reason: 'they need the engine of ClickHouse, which is half a gigabyte',
    command: 'npm run test:clickhouse',
  },
  {
    files: /^test\/clients\/generators/,
    reason: 'they fetch generators of clients, and no package registry answers',
    command: 'npm run test:deep -- test/clients/generators.test.ts',
  },
  {
    files: /^test\/browser\//,
    reason: 'they need a Chromium, and this system has none',
    command: 'CHROMIUM_PATH=/path/to/chromium npm run test:deep',
  },
  {
    files: /^test\/start\//,
    reason: 'they look into /proc, which Linux alone has',
    command: 'npm run test:deep on Linux',
  },
  {
    files: /^src\/db\/embedded\//,
    reason: 'they look into /proc, which Linux alone has',
    command: 'npm test on Linux',
  },
];

/**
 * One line for each file with tests that were left out: their number, the reason, and the command that runs them. Pure.
 */
export function describeNotRun(skipped: readonly { readonly file: string }[]): string[] {
  const files = Map.groupBy(skipped, ({ file }) => file);
  return [...files]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, tests]) => {
      const known = REASONS.find(({ files: pattern }) => pattern.test(file));
      const why = known
        ? `${known.reason}. Run them: ${known.command}`
        : 'no reason is given in test/support/not-run.ts';
      return `Not run: ${tests.length} ${tests.length === 1 ? 'test' : 'tests'} of ${file}: ${why}`;
    });
}

/**
 * Prints the tests that were left out at the end of a run, so that no reader takes them for passed. `.ci/run` looks for
 * these lines.
 */
export default class NotRunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map(() => ({ file: module.relativeModuleId })),
    );
    for (const line of describeNotRun(skipped)) process.stdout.write(`${line}\n`);
  }
}
