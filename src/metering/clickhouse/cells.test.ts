import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, plain } from '../../kernel/decimal.ts';
import {
  type Cell,
  combine,
  figureOf,
  NOTHING,
  type PartialFigure,
  textOfLimbs,
  textOfUnits,
  unite,
  unitsOf,
} from './cells.ts';

describe('units', () => {
  it.each([
    '0',
    '1',
    '-1',
    '0.1',
    '-0.000000001',
    '9'.repeat(39),
    `${'9'.repeat(38)}.${'9'.repeat(76)}`,
    `-0.${'0'.repeat(75)}1`,
  ])('keep every digit of %s', (text) => expect(plain(decimal(textOfUnits(unitsOf(text))))).toBe(text));

  it('are the same however they come', () => {
    expect(unitsOf('7')).toBe(unitsOf('7.000'));
    expect(unitsOf(textOfLimbs(['-1', '-5'.padEnd(39, '0'), '-7']))).toBe(unitsOf(`-1.5${'0'.repeat(74)}7`));
    expect(unitsOf(textOfLimbs(['2', '-5'.padEnd(39, '0'), '0']))).toBe(unitsOf('1.5')); // limbs of a sum
  });

  it.each(['', '1e3', 'x', `0.${'1'.repeat(77)}`])('are not made of %j', (text) =>
    expect(() => unitsOf(text)).toThrow(),
  );
});

const events = fc.array(fc.record({ value: fc.bigInt(-100n, 100n), at: fc.bigInt(0n, 3n) }), {
  minLength: 1,
  maxLength: 12,
});

describe.each(['SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'LATEST'] as const)('parts of %s', (aggregation) => {
  const partOf = (one: { value: bigint; at: bigint }, seq: number): PartialFigure => ({
    eventCount: 1,
    value: aggregation === 'COUNT' ? '1' : String(one.value),
    ...(aggregation === 'LATEST' && { latest: { at: one.at, seq: BigInt(seq) } }),
  });
  const fold = (all: readonly PartialFigure[]) => all.reduce((one, other) => combine(aggregation, one, other), NOTHING);

  it('are the whole, however they are cut and in whatever order they come', () => {
    fc.assert(
      fc.property(events, fc.nat(12), fc.infiniteStream(fc.nat()), (all, cut, random) => {
        const all_parts = all.map(partOf);
        const shuffled = all_parts.toSorted(() => (random.next().value % 2 === 0 ? -1 : 1));
        const whole = figureOf(aggregation, fold(all_parts));
        const halves = [fold(shuffled.slice(0, cut)), fold(shuffled.slice(cut))];
        expect(plain(figureOf(aggregation, fold(halves)))).toBe(plain(whole));
        expect(fold(halves).eventCount).toBe(all.length);
      }),
    );
  });

  it('are nothing where nothing counts', () => expect(plain(figureOf(aggregation, fold([])))).toBe('0'));
});

it('does not add up counts of different values', () => {
  const one: PartialFigure = { eventCount: 1, value: '1' };
  expect(() => combine('UNIQUE_COUNT', one, one)).toThrow();
});

it('rounds an average to 50 significant digits, half away from zero', () => {
  const third = figureOf('AVG', { eventCount: 3, value: '2' });
  expect(plain(third)).toBe(`0.${'6'.repeat(49)}7`);
});

describe('answers', () => {
  const key = fc.tuple(
    fc.constantFrom(null, 'null', '', '1', '1:1', '1;', 'a'),
    fc.constantFrom(null, 1, 11, '1', '11'),
  );
  const answer = fc.array(fc.tuple(fc.nat(1), key), { maxLength: 12 });
  /** The sum of each key of each set, counted by looking at all of them. */
  const naive = (all: readonly (readonly [number, Cell])[]) => {
    const found = new Map<string, number>();
    for (const [mask, cell] of all) {
      const name = JSON.stringify([mask, cell.key]);
      found.set(name, (found.get(name) ?? 0) + Number(cell.value));
    }
    return found;
  };

  it.each([true, false])('have one cell for each key together, where each has a key once: %s', (areOneEach) => {
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 4 }), (answers) => {
        const lists = answers.map((list, index) =>
          list
            .filter(([mask, each], place) => {
              const isAgain = ([other, one]: (typeof list)[number]) => other === mask && one.join() === each.join();
              return !areOneEach || list.findIndex(isAgain) === place;
            })
            .map(
              ([mask, each], place) => [mask, { key: each, eventCount: 1, value: String(10 * index + place) }] as const,
            ),
        );
        const sets = lists.map(
          (list) =>
            new Map(
              [...Map.groupBy(list, ([mask]) => mask)].map(([mask, cells]) => [mask, cells.map(([, cell]) => cell)]),
            ),
        );
        const united = [...unite('SUM', sets, areOneEach)].flatMap(([mask, cells]) =>
          cells.map((cell) => [mask, cell] as const),
        );
        const expected = naive(lists.flat());
        expect(united).toHaveLength(expected.size);
        expect(naive(united)).toEqual(expected);
        expect(united.reduce((total, [, { eventCount }]) => total + eventCount, 0)).toBe(lists.flat().length);
      }),
    );
  });
});
