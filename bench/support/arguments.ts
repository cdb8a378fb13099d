import { parseArgs } from 'node:util';

/** The numbers of a command line, `--name 12`; each has a default, and no other is taken. */
export function numbersOf<Names extends Record<string, number>>(defaults: Names, argv = process.argv.slice(2)): Names {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ args: argv, options, allowPositionals: true });
  const given = Object.entries(values).map(([name, text]) => [name, Number(text)]);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** The middle one. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** How fast something grows: the slope of the logarithms, by least squares. */
export function exponent(points: readonly (readonly [number, number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (index: 0 | 1) => logs.reduce((total, each) => total + each[index], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const covariance = logs.reduce((total, [x, y]) => total + (x - mx) * (y - my), 0);
  return covariance / logs.reduce((total, [x]) => total + (x - mx) ** 2, 0);
}

/** What a line of figures says about its limit. */
export const verdict = (kept: boolean): string => (kept ? 'yes' : 'NO');
