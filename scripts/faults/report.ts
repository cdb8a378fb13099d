import type { Fault } from './fault.ts';
import type { Finding } from './runner.ts';

/** The tests that find a fault. */
export interface Outcome {
  readonly key: string;
  readonly area: string;
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** Which tests found it; null: none. */
  readonly found: (Finding & { readonly by: 'unit' | 'story' }) | null;
  readonly seconds: number;
  /** How many test files ran, and how many more reach it but took too long. */
  readonly ran: number;
  readonly leftOut: number;
}

/** A run over the list. */
export interface Report {
  readonly seconds: number;
  /** The test files that fail without a fault, with the reason. */
  readonly broken: Readonly<Record<string, string>>;
  readonly faults: readonly Outcome[];
}

/** The change of a fault in two lines. */
export const printChange = ({ before, after }: Pick<Fault, 'before' | 'after'>): string =>
  [...before.split('\n').map((line) => `    - ${line}`), ...after.split('\n').map((line) => `    + ${line}`)].join(
    '\n',
  );

/** The numbers by area, the test files, and the faults that no test finds, as lines. Pure. */
export function printReport({ faults, broken, seconds }: Report): string[] {
  const areas = [...Map.groupBy(faults, ({ area }) => area)];
  const row = (name: string, those: readonly Outcome[]) => {
    const count = (by: string | null) => those.filter(({ found }) => (found?.by ?? null) === by).length;
    const cells = [those.length, count('unit'), count('story'), count(null)];
    return [name.padEnd(NAME_WIDTH), ...cells.map((each) => String(each).padStart(CELL_WIDTH))].join('');
  };
  const head = ['faults', 'unit tests', 'stories', 'not found'].map((each) => each.padStart(CELL_WIDTH));
  const finders = Map.groupBy(
    faults.flatMap(({ found }) => (found ? [found.file] : [])),
    (file) => file,
  );
  const missed = faults.filter(({ found }) => found === null);
  return [
    ['area'.padEnd(NAME_WIDTH), ...head].join(''),
    ...areas.map(([area, those]) => row(area, those)),
    row('all', faults),
    '',
    `${finders.size} test files found them:`,
    ...[...finders]
      .toSorted((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
      .map(([file, those]) => `${String(those.length).padStart(4)}  ${file}`),
    ...Object.entries(broken).map(([file, why]) => `left out, because it fails without a fault: ${file}: ${why}`),
    ...missed.flatMap((fault) => [
      '',
      `not found: ${fault.area}, ${fault.file} (${fault.ran} test files ran, ${fault.leftOut} more reach it)`,
      printChange(fault),
    ]),
    '',
    `${Math.round(seconds)} s`,
  ];
}

const NAME_WIDTH = 12;
const CELL_WIDTH = 12;

/**
 * The faults of which two reports differ, as lines: found in one alone first, then found by another test file. Pure.
 */
export function compareReports(one: Report, other: Report): string[] {
  const known = new Map(other.faults.map((each) => [each.key, each]));
  const both = one.faults.flatMap((each) => {
    const then = known.get(each.key);
    return then ? [{ fault: each, was: then.found, is: each.found }] : [];
  });
  const differing = both.filter(({ was, is }) => (was === null) !== (is === null));
  const moved = both.filter(({ was, is }) => was && is && was.file !== is.file);
  return [
    `${both.length} faults are in both reports. ${both.length - differing.length} are found, or not found, in both.`,
    ...differing.flatMap(({ fault, was, is }) => [
      `${is ? 'found now, and not before' : 'found before, and not now'}: ${fault.file}, by ${(is ?? was)?.file}`,
      printChange(fault),
    ]),
    `${moved.length} are found first by another test file:`,
    ...moved.map(({ fault, was, is }) => `  ${fault.file}: ${was?.file} -> ${is?.file}`),
  ];
}
