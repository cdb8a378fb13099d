import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { home } from './checks/project.ts';
import { type Fault, placeOf, readFaults, withSwitches } from './faults/fault.ts';

const faults = readFaults();
const ANOTHER =
  'The source has changed. Choose another fault for scripts/faults/list.json: ' +
  '`node scripts/faults.ts --candidates FILE` prints changes of a file.';

const problemOf = (fault: Fault): string[] => {
  try {
    placeOf({ path: fault.file, text: readFileSync(home + fault.file, 'utf8') }, fault);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
};

describe('the faults of scripts/faults.ts', () => {
  it('apply to the source, each at one place', () => expect(faults.flatMap(problemOf), ANOTHER).toEqual([]));

  it('are 200, without those that change nothing observable', () =>
    expect(faults.filter(({ equivalent }) => equivalent === undefined)).toHaveLength(200));

  it('are each there once', () =>
    expect(new Set(faults.map(({ file, before, after }) => [file, before, after].join('\0'))).size).toBe(
      faults.length,
    ));
});

describe('a switch', () => {
  const path = 'src/a.ts';

  const places = (text: string, ...changes: readonly (readonly [before: string, after: string])[]) =>
    withSwitches(
      text,
      changes.map(([before, after], number) => ({ ...placeOf({ path, text }, { before, after }), number })),
    );

  it.each([
    {
      what: 'an operator',
      text: 'export const f = (a: number, b: number) => a < b;',
      change: ['a < b', 'a <= b'],
      is: 'export const f = (a: number, b: number) => (globalThis.fault?.(0) ? (a <= b) : (a < b));',
    },
    {
      what: 'a method, which keeps its object',
      text: 'const c = a.plus(b);',
      change: ['.plus(', '.minus('],
      is: 'const c = (globalThis.fault?.(0) ? (a.minus(b)) : (a.plus(b)));',
    },
    {
      what: 'an optional chain as a whole',
      text: 'const c = a?.b.d(1).e;',
      change: ['.d(1)', '.f(1)'],
      is: 'const c = (globalThis.fault?.(0) ? (a?.b.f(1).e) : (a?.b.d(1).e));',
    },
    {
      what: 'the order of operators',
      text: 'const c = a - b;',
      change: ['a - b', 'a - b + d'],
      is: 'const c = (globalThis.fault?.(0) ? (a - b + d) : (a - b));',
    },
    {
      what: 'the text of a statement',
      text: 'const c = sql`a and b`;',
      change: [' and b', ''],
      is: 'const c = (globalThis.fault?.(0) ? (sql`a`) : (sql`a and b`));',
    },
  ] as const)('chooses $what', ({ text, change, is }) => expect(places(text, change)).toBe(is));

  it('may hold another, and stand with another at one place', () =>
    expect(places('const c = a < b && d;', ['a < b', 'a <= b'], ['&& d', '|| d'], ['< b', '> b'])).toBe(
      'const c = (globalThis.fault?.(1) ? (a < b || d) : ((globalThis.fault?.(0) ? (a <= b) : ' +
        'globalThis.fault?.(2) ? (a > b) : (a < b)) && d));',
    ));

  it.each([
    { what: 'a text that is there twice', text: 'const a = 1; const b = 1;', before: '= 1', after: '= 2' },
    { what: 'a change that does not parse', text: 'const a = 1;', before: '= 1', after: '= ' },
    { what: 'a change outside of expressions', text: 'const a = 1;', before: 'const a', after: 'const b' },
  ])('is refused for $what', ({ text, before, after }) =>
    expect(() => placeOf({ path, text }, { before, after })).toThrow(),
  );
});
