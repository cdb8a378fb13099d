import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEY_LIMITS, type KeyTables, type KeyWork, planKeyWork } from './generations-plan.ts';

const KEYS = 1_000_000;
const BYTES = 68 * KEYS;

const generation = (name: string, size: number, isSifted = true) => ({
  name,
  bytes: size * BYTES,
  keyCount: isSifted ? size * KEYS : null,
});
const tablesOf = (tables: Partial<KeyTables>): KeyTables => ({ generations: [], parts: [], underWay: [], ...tables });
const briefly = ({ kind, generations, parts }: KeyWork) =>
  `${kind} of ${[...generations, ...parts.map((name) => `part ${name}`)].join(' ')}`;

describe('what is made of sealed keys next', () => {
  const many = (sizes: readonly number[]) => sizes.map((size, place) => generation(`${place + 1}`, size));

  it.each([
    { name: 'nothing of nothing', tables: {}, next: [] },
    {
      name: 'the first part of the sieve',
      tables: { generations: [generation('1', 1, false)] },
      next: ['sieve of 1'],
    },
    {
      name: 'the oldest generation first, with a part that is not much larger',
      tables: {
        generations: [generation('1', 9), generation('2', 1, false), generation('3', 1, false)],
        parts: [{ name: 'a', keyCount: 9 * KEYS }],
      },
      next: ['sieve of 2 part a'],
    },
    {
      name: 'a further part beside one that is much larger',
      tables: {
        generations: [generation('1', 17), generation('2', 1, false)],
        parts: [{ name: 'a', keyCount: 17 * KEYS }],
      },
      next: ['sieve of 2'],
    },
    {
      name: 'a part that is large beside one, but not beside all that come before it',
      tables: {
        generations: [generation('1', 1, false)],
        parts: [
          { name: 'a', keyCount: 40 * KEYS },
          { name: 'b', keyCount: 8 * KEYS },
        ],
      },
      next: ['sieve of 1 part b part a'],
    },
    {
      name: 'nothing of as many generations as there may be',
      tables: { generations: many(Array(8).fill(1)) },
      next: [],
    },
    {
      name: 'one of too many of the same size',
      tables: { generations: many(Array(9).fill(1)) },
      next: ['generation of 1 2 3 4 5 6 7 8 9'],
    },
    {
      name: 'the small ones without those that are much larger',
      tables: { generations: many([90, 20, 8, 1, 1, 1, 1, 1, 1]) },
      next: ['generation of 4 5 6 7 8 9'],
    },
    {
      name: 'two at least',
      tables: { generations: many([256, 128, 64, 32, 16, 8, 4, 2, 1]) },
      next: ['generation of 9 8'],
    },
    {
      name: 'nothing of a generation that is not in the sieve yet',
      tables: {
        generations: [...many([8, 8, 8, 8, 8, 8, 8, 8]), generation('9', 1, false)],
        underWay: ['sieve' as const],
      },
      next: ['generation of 1 2 3 4 5 6 7 8'],
    },
    {
      name: 'nothing of a kind that is being made already',
      tables: {
        generations: [...many(Array(9).fill(1)), generation('10', 1, false)],
        underWay: ['sieve' as const, 'generation' as const],
      },
      next: [],
    },
  ])('$name', ({ tables, next }) => expect(planKeyWork(tablesOf(tables)).map(briefly)).toEqual(next));

  it.each([
    { bytes: 1, slices: 1 },
    { bytes: 64_000_000, slices: 1 },
    { bytes: 64_000_001, slices: 2 },
    { bytes: 300_000_000, slices: 8 },
    { bytes: 1e15, slices: 65_536 },
  ])('$bytes bytes are copied in $slices transactions', ({ bytes, slices }) => {
    const generations = Array.from({ length: 9 }, (_, place) => ({ name: `${place}`, bytes: bytes / 9, keyCount: 1 }));
    expect(planKeyWork(tablesOf({ generations }))[0]?.slices).toBe(slices);
  });

  it.each([
    { keys: 1, digits: 4 },
    { keys: 33_000_000, digits: 4 },
    { keys: 34_000_000, digits: 5 },
    { keys: 536_000_000, digits: 5 },
    { keys: 9e9, digits: 6 },
  ])('$keys keys are found in the sieve by $digits digits', ({ keys, digits }) => {
    const [work] = planKeyWork(tablesOf({ generations: [{ name: '1', bytes: keys * 68, keyCount: null }] }));
    expect(work?.digits).toBe(digits);
  });
});

describe('however many keys there are', () => {
  it('few tables hold them, and each was copied a few times', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_500 }), (sealings) => {
        let tables = tablesOf({});
        let copied = 0;
        let sifted = 0;
        for (let n = 1; n <= sealings; n += 1) {
          tables = { ...tables, generations: [...tables.generations, generation(`g${n}`, 1, false)] };
          for (let [work] = planKeyWork(tables); work !== undefined; [work] = planKeyWork(tables)) {
            const taken = (names: readonly string[]) => names.includes.bind(names);
            if (work.kind === 'generation') {
              const sources = tables.generations.filter(({ name }) => taken(work?.generations ?? [])(name));
              const size = sources.reduce((total, { bytes }) => total + bytes, 0) / BYTES;
              copied += size;
              const others = tables.generations.filter((each) => !sources.includes(each));
              tables = { ...tables, generations: [...others, generation(`m${n}`, size)] };
            } else {
              const sources = tables.parts.filter(({ name }) => taken(work?.parts ?? [])(name));
              const keyCount = sources.reduce((total, part) => total + part.keyCount, KEYS);
              sifted += keyCount / KEYS;
              tables = {
                ...tables,
                generations: tables.generations.map((each) =>
                  taken(work?.generations ?? [])(each.name) ? { ...each, keyCount: KEYS } : each,
                ),
                parts: [...tables.parts.filter((each) => !sources.includes(each)), { name: `p${n}`, keyCount }],
              };
            }
          }
          expect(tables.generations.length).toBeLessThanOrEqual(KEY_LIMITS.generations);
          expect(tables.parts.length).toBeLessThanOrEqual(
            1 + Math.floor(Math.log(n) / Math.log(KEY_LIMITS.sieveRatio)),
          );
        }
        const all = tables.generations.reduce((total, { bytes }) => total + bytes, 0) / BYTES;
        expect(Math.round(all)).toBe(sealings);
        expect(copied / sealings).toBeLessThanOrEqual(5.5);
        expect(sifted / sealings).toBeLessThanOrEqual(30);
      }),
      { numRuns: 10 },
    ));
});
