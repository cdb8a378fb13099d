import { roomOf } from './imports.ts';
import { type Finding, isProgram, isTest, lineAt, type SourceFile } from './project.ts';
import { isStatement } from './statements.ts';
import { dotted, type Node, nodesOf } from './syntax.ts';

/** The one place of the program that asks what time it is: everyone else is told. */
const WALL_CLOCK_READER = 'src/app.ts';

/**
 * The rooms of machinery: they measure how long something takes, wait, and draw lots. All others are domains or the
 * kernel.
 */
const MACHINERY = new Set([
  'db',
  'http',
  'jobs',
  'start',
  'documents',
  'app',
  'main',
  'wiring',
  'settings',
  'credentials',
]);

/** Is this a file of a domain, where the rules of billing stand? */
export const isDomain = (file: Pick<SourceFile, 'path'>): boolean =>
  isProgram(file) && roomOf(file.path) !== 'kernel' && !MACHINERY.has(roomOf(file.path));

/** Reads of the wall clock: `Date`, `Temporal.Now`, and in a statement `now()` and its kin. */
export function wallClockReads(files: readonly SourceFile[]): Finding[] {
  const readers = files.filter((file) => isProgram(file) && file.path !== WALL_CLOCK_READER);
  return findings(readers, (node) => {
    if (node.type === 'Identifier' && node.name === 'Date') return 'uses Date';
    if (dotted(node) === 'Temporal.Now') return 'asks Temporal.Now';
    if (isStatement(node)) {
      // a part without a verb, such as a value of an insert; whole statements are seen below, whatever their tag
      const parts = (node.quasi as { quasis: Node[] }).quasis.map(rawOf).filter((raw) => !VERB.test(raw));
      return clockReadIn(parts.join(' '));
    }
    return node.type === 'TemplateElement' && VERB.test(rawOf(node)) ? clockReadIn(rawOf(node)) : null;
  });
}

const VERB = /\b(?:select|insert|update|delete|where|set|values)\b/i;

/** An alias after `as` reads nothing. */
const CLOCK_READ =
  /\b(?:now|(?:clock|statement|transaction)_timestamp)\s*\(\s*\)|(?<!\bas )\bcurrent_(?:timestamp|date|time)\b/;

const rawOf = (element: Node): string => (element.value as { raw: string }).raw;

function clockReadIn(text: string): string | null {
  const [read] = CLOCK_READ.exec(text) ?? [];
  return read === undefined ? null : `has ${read} in a statement`;
}

const CHANCE = new Map([
  ['Math.random', 'draws lots with Math.random'],
  ['performance.now', 'measures time with performance.now'],
  ['process.hrtime', 'measures time with process.hrtime'],
]);

/** Chance and stopwatches where values go in and values come out: in domains and the kernel. */
export function chance(files: readonly SourceFile[]): Finding[] {
  const pure = files.filter((file) => isDomain(file) || (isProgram(file) && roomOf(file.path) === 'kernel'));
  return findings(pure, (node) => CHANCE.get(dotted(node)) ?? null);
}

/**
 * Chance in tests that no seed repeats: `Math.random`, and the time of day as a seed (decision 0174). Names that only
 * must be new may be drawn, by `node:crypto`.
 */
export function chanceInTests(files: readonly SourceFile[]): Finding[] {
  const tests = files.filter(
    (file) => (isTest(file) || /^test\/.*\.ts$/.test(file.path)) && /Math\.random|Date\.now/.test(file.text),
  );
  return findings(tests, (node) => {
    if (dotted(node) === 'Math.random') return 'draws lots with Math.random';
    return node.type === 'BinaryExpression' && node.operator === '%' && isTimeOfDay(node.left as Node)
      ? 'makes a seed of the time of day'
      : null;
  });
}

const isTimeOfDay = (node: Node): boolean =>
  node.type === 'CallExpression' && dotted(node.callee as Node) === 'Date.now';

function findings(files: readonly SourceFile[], look: (node: Node) => string | null): Finding[] {
  return files.flatMap((file) =>
    nodesOf(file).flatMap((node) => {
      const what = look(node);
      return what === null ? [] : [{ path: file.path, line: lineAt(file.text, node.start), what }];
    }),
  );
}
