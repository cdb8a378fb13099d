import type { Reporter, TestModule } from 'vitest/node';

/** A test file with the seconds that it took. */
export interface Timed {
  readonly file: string;
  readonly tests: number;
  /** The import of the file and of all that it imports and the worker has not imported yet. */
  readonly imports: number;
  /** The tests themselves. */
  readonly act: number;
  /** What runs before and after the tests: environments that open and close, merchants, the auditor. */
  readonly around: number;
}

const MOST_SLOW = 20;

const secondsOf = ({ imports, act, around }: Timed): number => imports + act + around;
const round = (seconds: number): string => seconds.toFixed(0).padStart(7);

/** A row of the table: a folder of `test`, or a domain. Pure. */
export const groupOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/** The table of the seconds of a run, by folder, the largest first; then the slowest files. Pure. */
export function describeSeconds(files: readonly Timed[]): string[] {
  const groups: [string, readonly Timed[]][] = [...Map.groupBy(files, ({ file }) => groupOf(file)), ['all', files]];
  const rows = groups.map(([name, of]) => {
    const sum = (part: (file: Timed) => number): number => of.reduce((total, file) => total + part(file), 0);
    return {
      name,
      files: of.length,
      tests: sum(({ tests }) => tests),
      imports: sum(({ imports }) => imports),
      around: sum(({ around }) => around),
      act: sum(({ act }) => act),
      all: sum(secondsOf),
    };
  });
  const slow = files.toSorted((one, other) => secondsOf(other) - secondsOf(one)).slice(0, MOST_SLOW);
  return [
    'Seconds of all workers together: imports, before and after the tests, tests',
    `${'folder'.padEnd(24)}${'files'.padStart(7)}${'tests'.padStart(7)} imports around   tests    all`,
    ...rows
      .toSorted((one, other) => other.all - one.all)
      .map(
        ({ name, files: count, tests, imports, around, act, all }) =>
          `${name.padEnd(24)}${String(count).padStart(7)}${String(tests).padStart(7)}` +
          [imports, around, act, all].map(round).join(''),
      ),
    'The slowest files',
    ...slow.map((each) => `${secondsOf(each).toFixed(1).padStart(7)} s  ${each.file}`),
  ];
}

const timed = (module: TestModule): Timed => {
  const { collectDuration, setupDuration, prepareDuration, duration } = module.diagnostic();
  const tests = [...module.children.allTests()];
  const act = tests.reduce((sum, test) => sum + (test.diagnostic()?.duration ?? 0), 0) / 1000;
  return {
    file: module.relativeModuleId,
    tests: tests.length,
    imports: (prepareDuration + setupDuration + collectDuration) / 1000,
    act,
    around: Math.max(0, duration / 1000 - act),
  };
};

/** Prints where the seconds of a whole run went. */
export default class SecondsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < MOST_SLOW) return;
    process.stdout.write(`\n${describeSeconds(modules.map(timed)).join('\n')}\n\n`);
  }
}
