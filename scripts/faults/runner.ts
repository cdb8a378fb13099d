import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { BaseSequencer, createVitest, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';

/** The first failure of a run. */
export interface Finding {
  readonly file: string;
  readonly test: string;
  readonly message: string;
}

/** A finished test file. */
export interface FileResult {
  readonly file: string;
  readonly seconds: number;
  readonly failure: Finding | null;
}

export interface RunResult {
  /** The finished files; after a failure there are no further ones. */
  readonly results: readonly FileResult[];
  /** The machine stood still for a while, so a test may have failed because its time was over. */
  readonly hasPaused: boolean;
}

/** What is in the program during a run. */
export interface Chosen {
  /** The number of the fault; null: none. */
  readonly fault: number | null;
  /** The file for what the tests reach; null: nothing is written. */
  readonly survey: string | null;
}

/** A Vitest with a PostgreSQL of its own. It runs test files of the copy in one process, one after another. */
export interface Runner {
  /**
   * Runs the files in their order.
   * @param secondsFor how long a file may take; one that takes longer does not end. Absent: run all files, whatever
   * fails
   */
  run(files: readonly string[], chosen: Chosen, secondsFor?: (file: string) => number): Promise<RunResult>;
  close(): Promise<void>;
}

/** The files run in the order in which they are given. */
class AsGiven extends BaseSequencer {
  override sort = async (files: TestSpecification[]): Promise<TestSpecification[]> => files;
}

interface Run {
  readonly results: FileResult[];
  readonly stopsAtFailure: boolean;
  file: string;
  since: number;
  cancelled: Promise<unknown> | null;
}

const MOST_MEGABYTES = 3_000;
const LOOK_MILLISECONDS = 500;
/** A look that comes so much later is a pause of the machine. */
const PAUSE_MILLISECONDS = 20_000;

/** Opens a runner for a copy of the project. @param cache a folder for the caches of Vite */
export async function openRunner(root: string, cache: string): Promise<Runner> {
  let run: Run | null = null;
  const vitest = await createVitest(
    {
      config: false,
      root,
      watch: false,
      silent: true,
      passWithNoTests: true,
      include: ['{src,test}/**/*.test.ts'],
      globalSetup: ['test/support/database-server.ts'],
      setupFiles: ['scripts/faults/in-worker.ts', 'test/support/same-values.ts'],
      reporters: [reporterOf(() => run, fail)],
      pool: 'forks',
      isolate: false,
      maxWorkers: 1,
      // A fault that fills the memory ends its process, and not the machine.
      execArgv: [`--max-old-space-size=${MOST_MEGABYTES}`],
      sequence: { sequencer: AsGiven, setupFiles: 'list' },
      testTimeout: 120_000,
      hookTimeout: 240_000,
      expect: { poll: { interval: 20, timeout: 60_000 } },
      teardownTimeout: 30_000,
    },
    { cacheDir: cache, logLevel: 'silent' },
  );
  const project = vitest.getRootProject();
  let database: pg.Client | null = null;

  /** Notes a failure, and ends the run without waiting for the process, which may never answer again. */
  function fail(failure: Finding): void {
    if (!run || (run.stopsAtFailure && run.results.some((each) => each.failure))) return;
    run.results.push({ file: failure.file, seconds: (performance.now() - run.since) / 1000, failure });
    if (!run.stopsAtFailure) return;
    run.cancelled = Promise.all([vitest.cancelCurrentRun('test-failure'), vitest.cancelCurrentRun('test-failure')]);
  }

  async function cleanUp(): Promise<void> {
    const { postgresUrl, runFolder } = project.getProvidedContext() as { postgresUrl: string; runFolder?: string };
    if (runFolder !== undefined) rmSync(join(runFolder, SHARED_MERCHANTS), { force: true });
    if (!database) {
      database = new pg.Client({ connectionString: postgresUrl });
      await database.connect();
    }
    const left = await database.query<{ datname: string }>(
      "select datname from pg_database where datname like 't\\_%'",
    );
    for (const { datname } of left.rows) await database.query(`drop database if exists ${datname} with (force)`);
  }

  return {
    run: async (files, chosen, secondsFor) => {
      project.provide('fault', chosen.fault);
      project.provide('survey', chosen.survey);
      const now: Run = { results: [], stopsAtFailure: secondsFor !== undefined, file: '', since: 0, cancelled: null };
      run = now;
      let hasPaused = false;
      let lastLook = performance.now();
      const look = setInterval(() => {
        hasPaused ||= performance.now() - lastLook > PAUSE_MILLISECONDS;
        lastLook = performance.now();
        const seconds = (performance.now() - now.since) / 1000;
        if (now.cancelled || now.file === '' || secondsFor === undefined || seconds < secondsFor(now.file)) return;
        fail({ file: now.file, test: 'does not end', message: `takes more than ${secondsFor(now.file)} s` });
      }, LOOK_MILLISECONDS);
      try {
        const { unhandledErrors } = await vitest.runTestSpecifications(
          files.map((file) => project.createSpecification(join(root, file))),
        );
        await now.cancelled;
        const isSound = now.results.every(({ failure }) => failure === null);
        const [error] = unhandledErrors;
        if (isSound && error !== undefined)
          fail({ file: now.file, test: 'outside its tests', message: messageOf(error) });
        else if (isSound && secondsFor) for (const each of await audit(project.getProvidedContext(), root)) fail(each);
        return { results: now.results, hasPaused };
      } finally {
        clearInterval(look);
        run = null;
        await cleanUp();
      }
    },
    close: async () => {
      await database?.end();
      await vitest.close();
    },
  };
}

/** The registry in the folder of a run, as in `test/support/database-server.ts`. */
const SHARED_MERCHANTS = 'shared-merchants';

/** The auditor looks at the environments that test files shared, as at the end of every run. */
async function audit(context: object, root: string): Promise<Finding[]> {
  const registry = 'runFolder' in context ? join(String(context.runFolder), SHARED_MERCHANTS) : '';
  if (registry === '' || !existsSync(registry)) return [];
  const lines = readFileSync(registry, 'utf8').trimEnd().split('\n');
  const merchants = lines.map((line) => line.split(' '));
  const fileOf = new Map(merchants.map(([, merchantId, file = '']) => [merchantId, file.replace(`${root}/`, '')]));
  const program = (await import(pathToFileURL(join(root, 'src/app.ts')).href)) as typeof import('../../src/app.ts');
  const findings: Finding[] = [];
  for (const url of new Set(merchants.map(([each = '']) => each))) {
    const { violations } = await program.auditDatabase(url);
    for (const { examples, ...violation } of violations)
      findings.push({
        file: fileOf.get(examples[0]?.merchantId ?? '') ?? '',
        test: 'the auditor, at the end of the run',
        message: JSON.stringify(violation),
      });
  }
  return findings;
}

function reporterOf(current: () => Run | null, fail: (failure: Finding) => void): Reporter {
  return {
    onTestModuleQueued: (module) => begin(current(), module),
    onTestModuleStart: (module) => begin(current(), module),
    onTestCaseResult: (test) => {
      const { state, errors } = test.result();
      if (state !== 'failed') return;
      fail({ file: test.module.relativeModuleId, test: test.fullName, message: messageOf(errors?.[0]) });
    },
    onTestModuleEnd: (module) => {
      const run = current();
      if (!run) return;
      const file = module.relativeModuleId;
      if (module.state() !== 'failed')
        run.results.push({ file, seconds: module.diagnostic().duration / 1000, failure: null });
      else if (!run.results.some((each) => each.file === file))
        fail({ file, test: 'outside its tests', message: messageOf(errorsOf(module)[0]) });
    },
  };
}

/** One process runs the files in their order: the file that began last is the one that runs. */
function begin(run: Run | null, module: TestModule): void {
  if (!run || run.file === module.relativeModuleId) return;
  run.file = module.relativeModuleId;
  run.since = performance.now();
}

const errorsOf = (module: TestModule): unknown[] => [
  ...module.errors(),
  ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
];

const LONGEST_MESSAGE = 200;

/** The first line of an error. */
function messageOf(error: unknown): string {
  const text =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
  return (text.split('\n')[0] ?? '').slice(0, LONGEST_MESSAGE);
}
