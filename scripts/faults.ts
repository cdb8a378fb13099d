import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { home } from './checks/project.ts';
import { candidatesIn } from './faults/candidates.ts';
import { copyWithFaults } from './faults/copy.ts';
import { type Fault, readFaults } from './faults/fault.ts';
import { compareReports, type Outcome, printChange, printReport, type Report } from './faults/report.ts';
import { type Finding, openRunner, type Runner } from './faults/runner.ts';
import { keyOf, noSurvey, planFor, readSurvey, type Survey, secondsOf, surveyOf } from './faults/survey.ts';
import { distance, Loads, testFiles } from './faults/tests.ts';

/**
 * `node scripts/faults.ts` puts 200 faults into a copy of the program, one at a time, and prints which tests find them.
 * Run it before and after tests are moved or merged. The faults are in `scripts/faults/list.json`.
 *
 * The copy has all faults at once, each behind a switch. A first run without a fault notes which test files reach which
 * switch. Then each fault is switched on in turn, and the tests that reach it run until the first one fails: unit tests
 * first, then those that load the whole program.
 *
 * `--only tax,balance` or `--only 7,12`   these areas, or these places of the list
 * `--tests src/tax,test/properties`       test files with one of these in their path
 * `--jobs 2`                              faults that are tried at the same time
 * `--limit 60`                            the seconds of tests for a fault, for unit tests and for others
 * `--whole`                               all tests that reach a fault, without a limit
 * `--survey FILE`                         keeps the notes of the first run, and goes on from there; for the same tests
 * `--report FILE`                         keeps the result after each fault, and goes on from there
 * `--compare FILE`                        compares the result with one that was written before
 * `--compare FILE --with FILE`            compares two such results, and tries nothing
 * `--candidates FILE`                     prints changes of a source file for the list, and tries nothing
 *
 * Exits with 1 where a fault is found by no test.
 */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    tests: { type: 'string', default: '' },
    jobs: { type: 'string', default: '2' },
    limit: { type: 'string', default: '60' },
    whole: { type: 'boolean', default: false },
    survey: { type: 'string' },
    report: { type: 'string' },
    compare: { type: 'string' },
    with: { type: 'string' },
    candidates: { type: 'string' },
  },
});

const loads = new Loads();

/** A test that takes so many times as long as without a fault, and these seconds more, does not end. */
const TIMES_AS_LONG = 5;
const SECONDS_MORE = 45;
/** A failure because the time was over. */
const OVER_TIME = /timed out|does not end/i;

const readReport = (path: string): Report => JSON.parse(readFileSync(path, 'utf8')) as Report;
const print = (lines: readonly string[]) => console.log(lines.join('\n'));

if (options.candidates !== undefined) printCandidates(options.candidates);
else if (options.compare !== undefined && options.with !== undefined)
  print(compareReports(readReport(options.with), readReport(options.compare)));
else {
  const report = await tryFaults();
  print(printReport(report));
  if (options.compare !== undefined) print(compareReports(report, readReport(options.compare)));
  // Vitest has set it for the tests that failed, as they should.
  process.exit(report.faults.some(({ found }) => found === null) ? 1 : 0);
}

function printCandidates(path: string): void {
  for (const candidate of candidatesIn({ path, text: readFileSync(home + path, 'utf8') }))
    console.log(`${JSON.stringify({ area: '', ...candidate })}\n${printChange(candidate)}`);
}

function isAsked(fault: Fault, place: number): boolean {
  const asked = options.only?.split(',');
  return asked === undefined || asked.includes(fault.area) || asked.includes(String(place));
}

async function tryFaults(): Promise<Report> {
  const began = performance.now();
  const all = readFaults().filter(({ equivalent }) => equivalent === undefined);
  const chosen = all.flatMap((fault, index) => (isAsked(fault, index + 1) ? [{ fault, number: index }] : []));
  const copy = copyWithFaults(all);
  const runners: Runner[] = [];
  const end = async () => {
    await Promise.allSettled(runners.map((runner) => runner.close()));
    copy.remove();
  };
  // Vite ends the process at a signal.
  process.once('exit', copy.remove);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void end().finally(() => process.exit(1)));
  try {
    for (let job = 0; job < Number(options.jobs); job += 1)
      runners.push(await openRunner(copy.root, join(copy.root, `cache-${job}`)));
    const files = new Set(all.map(({ file }) => file));
    const tests = testFiles().filter(
      (path) => options.tests.split(',').some((part) => path.includes(part)) && !loads.of(path).isDisjointFrom(files),
    );
    const kept = options.survey === undefined ? null : readSurvey(options.survey);
    const survey = await surveyOf(kept ?? noSurvey(all), all, {
      ...{ tests, root: copy.root, runners },
      keep: (each) => {
        console.log(`survey: ${Object.keys(each.files).length} of ${tests.length} test files`);
        if (options.survey !== undefined) writeFileSync(options.survey, JSON.stringify(each));
      },
    });
    const broken = Object.entries(survey.files).flatMap(([file, { failure }]) =>
      failure === null ? [] : [[file, failure] as const],
    );
    const before = options.report !== undefined && existsSync(options.report) ? readReport(options.report) : null;
    const outcomes = [...(before?.faults ?? [])];
    const isNew = ({ fault }: { fault: Fault }) => !outcomes.some(({ key }) => key === keyOf(fault));
    const report = (): Report => ({
      seconds: (before?.seconds ?? 0) + (performance.now() - began) / 1000,
      broken: Object.fromEntries(broken),
      faults: all.flatMap((fault) => outcomes.find(({ key }) => key === keyOf(fault)) ?? []),
    });
    const waiting = chosen.filter(isNew);
    await Promise.all(
      runners.map(async (runner) => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          const outcome = await tryFault(runner, next.fault, next.number, survey, all);
          outcomes.push(outcome);
          const by = outcome.found ? `${outcome.found.by} ${outcome.found.file} > ${outcome.found.test}` : 'NOT FOUND';
          const seconds = Math.round(outcome.seconds);
          console.log(
            `${next.number + 1} ${outcome.area} ${outcome.file}: ${by} (${seconds} s), ${waiting.length} wait`,
          );
          if (options.report !== undefined) writeFileSync(options.report, `${JSON.stringify(report(), null, 2)}\n`);
        }
      }),
    );
    return report();
  } finally {
    await end();
  }
}

async function tryFault(
  runner: Runner,
  fault: Fault,
  number: number,
  survey: Survey,
  all: readonly Fault[],
): Promise<Outcome> {
  const began = performance.now();
  const plan = planFor(fault, survey, all, {
    loadsProgram: loads.loadsProgram,
    loadsFile: (test, file) => loads.of(test).has(file),
    distance,
    limit: options.whole ? Number.POSITIVE_INFINITY : Number(options.limit),
  });
  const secondsFor = (test: string) => TIMES_AS_LONG * secondsOf(survey, test) + SECONDS_MORE;
  const tried: string[] = [];
  let found: Outcome['found'] = null;
  for (const by of ['unit', 'story'] as const) {
    const failure: Finding | null = found ? null : await firstFailure(runner, number, plan[by], { secondsFor, tried });
    if (failure) found = { ...failure, by };
  }
  const { area, file, before, after } = fault;
  const seconds = (performance.now() - began) / 1000;
  return {
    key: keyOf(fault),
    area,
    file,
    before,
    after,
    found,
    seconds,
    ran: tried.length,
    leftOut: plan.leftOut.length,
  };
}

/** The first of the tests that fails. One that fails because its time was over runs once more. */
async function firstFailure(
  runner: Runner,
  fault: number,
  tests: readonly string[],
  { secondsFor, tried }: { secondsFor: (test: string) => number; tried: string[] },
): Promise<Finding | null> {
  const chosen = { fault, survey: null };
  let left = tests;
  while (left.length > 0) {
    const { results, hasPaused } = await runner.run(left, chosen, secondsFor);
    tried.push(...results.map(({ file }) => file));
    const failure = results.find((each) => each.failure)?.failure ?? null;
    const place = failure ? left.indexOf(failure.file) : -1;
    if (!failure || place === -1) return failure;
    if (!hasPaused && !OVER_TIME.test(`${failure.test} ${failure.message}`)) return failure;
    const again = await runner.run([failure.file], chosen, secondsFor);
    const second = again.results.find((each) => each.failure)?.failure;
    if (second) return second;
    left = left.slice(place + 1);
  }
  return null;
}
