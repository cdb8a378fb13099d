import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './support/arguments.ts';

/**
 * The figures that decide, one command for all: `npm run bench`. With `--before ../other` each run of this tree is
 * followed by one of the other, so both have the same weather. `--only access,track` takes some of the benchmarks,
 * `--runs 5` more runs. See README.md.
 */

interface Figure {
  readonly name: string;
  /** The number in what the benchmark prints. */
  readonly find: RegExp;
  readonly better: 'more' | 'less';
}

interface Benchmark {
  readonly file: string;
  readonly args?: readonly string[];
  readonly figures: readonly Figure[];
}

const more = (name: string, find: RegExp): Figure => ({ name, find, better: 'more' });
const less = (name: string, find: RegExp): Figure => ({ name, find, better: 'less' });
/** Node and PostgreSQL, in the words of several benchmarks. */
const BOTH = String.raw`Node ([\d.]+).*?PostgreSQL ([\d.]+)`;
const page = (name: string) => less(`page ${name}, ms`, new RegExp(`${name} +${BOTH}`));

const BENCHMARKS: readonly Benchmark[] = [
  {
    file: 'access.ts',
    args: ['cold'],
    figures: [
      more('access, first reads/s', /first: (\d+)\/s/),
      less('access, first, µs', new RegExp(`first: .*?${BOTH}`)),
      more('access, again reads/s', /again: (\d+)\/s/),
      less('access, p99 of first reads, ms', /cold\.p99\s+([\d.]+)/),
    ],
  },
  { file: 'balance.ts', args: ['get'], figures: [less('balance, ms', new RegExp(`reads/s of .*?${BOTH}`))] },
  {
    file: 'invoices.ts',
    figures: [
      more('invoices ÷ plain SQL', /÷ plain SQL\s+([\d.]+)/),
      less('invoice, ms', /PostgreSQL ([\d.]+) \+ Node ([\d.]+) ms, /),
      less('invoice, KiB of WAL', /([\d.]+) KiB of WAL/),
      less('year on a clock, s', /clock\.year\s+([\d.]+)/),
      less('account of 30,000 lines, s', /account of \d+ lines\s+([\d.]+)/),
    ],
  },
  { file: 'ingest.ts', args: ['batch'], figures: [more('events in arrays ÷ COPY', /÷ COPY\s+([\d.]+)/)] },
  { file: 'ingest.ts', args: ['single'], figures: [more('single events ÷ bare POST', /÷ bare POST\s+([\d.]+)/)] },
  { file: 'track.ts', figures: [less('event with balances ÷ alone', /track\s+([\d.]+) x/)] },
  {
    file: 'subscriptions.ts',
    figures: ['made', 'changed', 'ended'].map((name) =>
      less(`subscription ${name}, ms`, new RegExp(`${name}\\s+([\\d.]+) ms`)),
    ),
  },
  { file: 'pages.ts', figures: [page('sign-up'), page('portal'), page('invoice')] },
  {
    file: 'start.ts',
    figures: [
      less('first start, s', /first start, both \/readyz green\s+([\d.]+)/),
      less('second start, s', /second start, both \/readyz green\s+([\d.]+)/),
    ],
  },
];

const { before, runs, only } = parseArgs({
  options: { before: { type: 'string' }, runs: { type: 'string', default: '3' }, only: { type: 'string' } },
}).values;

/** What one run found, by figure; nothing for a benchmark that this tree does not have, or that fails. */
function run(folder: string, { file, args = [], figures }: Benchmark): Map<string, number> {
  const found = new Map<string, number>();
  if (!existsSync(resolve(folder, 'bench', file))) return found;
  try {
    const text = execFileSync(process.execPath, [`bench/${file}`, ...args], { cwd: folder, encoding: 'utf8' });
    for (const { name, find } of figures) {
      const numbers = find.exec(text)?.slice(1).map(Number) ?? [];
      if (numbers.length > 0)
        found.set(
          name,
          numbers.reduce((sum, each) => sum + each, 0),
        );
    }
  } catch (error) {
    console.error(`${folder}: ${file} failed: ${(error as Error).message.split('\n')[0]}`);
  }
  return found;
}

const folders = [resolve('.'), ...(before === undefined ? [] : [resolve(before)])];
const shown = (values: readonly number[], better: Figure['better']): string => {
  if (values.length === 0) return '–';
  const best = better === 'more' ? Math.max(...values) : Math.min(...values);
  return `${best.toPrecision(3)}, ${median(values).toPrecision(3)}`;
};

console.log(`| figure | this tree: best, median | ${before === undefined ? '' : 'before | ratio of medians |'}`);
console.log(`|---|---|${before === undefined ? '' : '---|---|'}`);
for (const benchmark of BENCHMARKS) {
  if (only !== undefined && !only.split(',').some((name) => benchmark.file.startsWith(name))) continue;
  const results = folders.map((): Map<string, number>[] => []);
  for (let round = 0; round < Number(runs); round += 1)
    for (const [place, folder] of folders.entries()) results[place]?.push(run(folder, benchmark));
  for (const { name, better } of benchmark.figures) {
    const [own = [], other = []] = results.map((all) => all.flatMap((found) => found.get(name) ?? []));
    const ratio = own.length > 0 && other.length > 0 ? (median(own) / median(other)).toFixed(2) : '–';
    const beside = before === undefined ? '' : ` ${shown(other, better)} | ${ratio} |`;
    console.log(`| ${name} (${better} is better) | ${shown(own, better)} |${beside}`);
  }
}
