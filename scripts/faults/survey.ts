import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from './fault.ts';
import type { Reached } from './in-worker.ts';
import type { Runner } from './runner.ts';

/** What a test file does without a fault. */
export interface SurveyedFile {
  readonly seconds: number;
  /** Why it failed without a fault: it says nothing about one; null: it passed. */
  readonly failure: string | null;
  /** How often it came past each fault, by the key of the fault. */
  readonly hits: Readonly<Record<string, number>>;
}

/** Which tests reach which faults. */
export interface Survey {
  readonly files: Readonly<Record<string, SurveyedFile>>;
  /** The faults that were in the copy, by their keys. */
  readonly known: readonly string[];
  /** Of them those that are reached while modules are loaded. */
  readonly atLoad: readonly string[];
}

const KEY_LENGTH = 12;

/** The name of a fault in reports: it depends on its file and its texts alone. */
export const keyOf = ({ file, before, after }: Pick<Fault, 'file' | 'before' | 'after'>): string =>
  createHash('sha256').update([file, before, after].join('\0')).digest('hex').slice(0, KEY_LENGTH);

/** Files that share a process: more of them save the loading of the program, and take more memory. */
const FILES_A_RUN = 16;
/** After a pause of the machine, the time of a file that took so long says nothing. */
const LONG_SECONDS = 60;

/** A survey of nothing, for these faults. */
export const noSurvey = (faults: readonly Fault[]): Survey => ({ files: {}, known: faults.map(keyOf), atLoad: [] });

interface Surveying {
  readonly tests: readonly string[];
  readonly root: string;
  readonly runners: readonly Runner[];
  /** Gets what is known after each part. */
  readonly keep: (survey: Survey) => void;
}

/**
 * Runs all test files once without a fault. Those that are in the survey and passed do not run again; one that fails
 * runs once more, because a pause of the machine fails tests.
 */
export async function surveyOf(before: Survey, faults: readonly Fault[], surveying: Surveying): Promise<Survey> {
  const once = await surveyFiles(before, faults, surveying);
  return surveyFiles(once, faults, surveying);
}

async function surveyFiles(before: Survey, faults: readonly Fault[], surveying: Surveying): Promise<Survey> {
  const { tests, root, runners, keep } = surveying;
  const keys = faults.map(keyOf);
  const files: Record<string, SurveyedFile> = { ...before.files };
  const atLoad = new Set(before.atLoad);
  const survey = () => ({ files, known: before.known, atLoad: [...atLoad] });
  const missing = tests.filter((file) => (files[file]?.failure ?? (files[file] ? null : '')) !== null);
  const waiting = Array.from({ length: Math.ceil(missing.length / FILES_A_RUN) }, (_, index) =>
    missing.slice(index * FILES_A_RUN, (index + 1) * FILES_A_RUN),
  );
  await Promise.all(
    runners.map(async (runner, index) => {
      const path = join(root, `survey-${index}.jsonl`);
      for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
        writeFileSync(path, '');
        const { results, hasPaused } = await runner.run(batch, { fault: null, survey: path });
        const reached = new Map(readLines(path).map((each) => [each.file.replace(`${root}/`, ''), each]));
        for (const each of reached.values()) for (const number of each.atLoad) atLoad.add(keys[number] ?? '');
        for (const file of batch) {
          const those = results.filter((each) => each.file === file);
          const seconds = those[0]?.seconds ?? 0;
          const isDoubtful = those.length === 0 || (hasPaused && seconds > LONG_SECONDS);
          const failure = isDoubtful ? 'did not run' : (those.find((each) => each.failure)?.failure?.message ?? null);
          const hits = (reached.get(file)?.hits ?? []).map(([number, times]) => [keys[number] ?? '', times] as const);
          files[file] = { seconds, failure, hits: Object.fromEntries(hits) };
        }
        keep(survey());
      }
    }),
  );
  return survey();
}

const readLines = (path: string): Reached[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Reached);

/** A survey that was kept in a file; null: there is no such file. */
export const readSurvey = (path: string): Survey | null =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Survey) : null;

/** The tests for a fault, and their times. */
export interface Plan {
  /** Unit tests, the nearest first. */
  readonly unit: readonly string[];
  /** Tests that load the whole program; first those whose own work the fault touches most in their time. */
  readonly story: readonly string[];
  /** Of both those that do not fit into the time. */
  readonly leftOut: readonly string[];
}

export interface Order {
  readonly loadsProgram: (test: string) => boolean;
  readonly loadsFile: (test: string, file: string) => boolean;
  readonly distance: (test: string, file: string) => number;
  /** The seconds of all tests of one stage together. */
  readonly limit: number;
}

/** Which tests run for a fault, and in which order. Pure. */
export function planFor(fault: Fault, survey: Survey, faults: readonly Fault[], order: Order): Plan {
  const hitsOf = timesReached(fault, survey, faults);
  const isAtLoad = survey.atLoad.includes(keyOf(fault));
  const rank = (path: string) => {
    const hits = Math.max(1, hitsOf(path));
    const all = Object.values(survey.files[path]?.hits ?? {}).reduce((sum, each) => sum + each, 0);
    return (secondsOf(survey, path) * Math.max(all, hits)) / hits;
  };
  const reaching = Object.entries(survey.files)
    .filter(
      ([path, { failure }]) =>
        failure === null && (hitsOf(path) > 0 || (isAtLoad && order.loadsFile(path, fault.file))),
    )
    .map(([path]) => path);
  const units = reaching
    .filter((path) => !order.loadsProgram(path))
    .toSorted(
      (a, b) =>
        order.distance(a, fault.file) - order.distance(b, fault.file) ||
        secondsOf(survey, a) - secondsOf(survey, b) ||
        (a < b ? -1 : 1),
    );
  const others = reaching.filter(order.loadsProgram).toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const [first, second] = [units, others].map((those) => within(order.limit, those, survey));
  return {
    unit: first?.taken ?? [],
    story: second?.taken ?? [],
    leftOut: [...(first?.left ?? []), ...(second?.left ?? [])],
  };
}

/** A fault that the survey did not know is taken to be where the others of its file are. */
function timesReached(fault: Fault, survey: Survey, faults: readonly Fault[]): (path: string) => number {
  const own = keyOf(fault);
  const isKnown = survey.known.includes(own);
  const keys = isKnown ? [own] : faults.filter(({ file }) => file === fault.file).map(keyOf);
  return (path) => keys.reduce((sum, key) => sum + (survey.files[path]?.hits[key] ?? 0), 0);
}

/** Beside its tests each file takes this long. */
const SECONDS_A_FILE = 0.2;

/** The seconds of a test file without a fault. */
export const secondsOf = (survey: Survey, path: string): number => (survey.files[path]?.seconds ?? 0) + SECONDS_A_FILE;

function within(limit: number, paths: readonly string[], survey: Survey): { taken: string[]; left: string[] } {
  let sum = 0;
  const [taken, left]: [string[], string[]] = [[], []];
  for (const path of paths) {
    const seconds = secondsOf(survey, path);
    if (sum > 0 && sum + seconds > limit) left.push(path);
    else {
      taken.push(path);
      sum += seconds;
    }
  }
  return { taken, left };
}
