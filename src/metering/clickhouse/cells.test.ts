import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plain } from '../../kernel/decimal.ts';
import { decimalOf, figureOf, type Part, scaled, together, unitsOf } from './cells.ts';

const NOTHING: Part = { eventCount: 0n, value: null };

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
  ])('keep every digit of %s', (text) => expect(plain(decimalOf(unitsOf(text)))).toBe(text));

  it('are the same however they come', () => {
    expect(scaled('-15', 1)).toBe(unitsOf('-1.5'));
    expect(scaled('7', 0)).toBe(unitsOf('7.000'));
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
  const partOf = (one: { value: bigint; at: bigint }, seq: number): Part => ({
    eventCount: 1n,
    value: aggregation === 'COUNT' ? unitsOf('1') : unitsOf(String(one.value)),
    ...(aggregation === 'LATEST' && { latest: { at: one.at, seq: BigInt(seq) } }),
  });
  const fold = (all: readonly Part[]) => all.reduce((one, other) => together(aggregation, one, other), NOTHING);

  it('are the whole, however they are cut and in whatever order they come', () => {
    fc.assert(
      fc.property(events, fc.nat(12), fc.infiniteStream(fc.nat()), (all, cut, random) => {
        const all_parts = all.map(partOf);
        const shuffled = all_parts.toSorted(() => (random.next().value % 2 === 0 ? -1 : 1));
        const whole = figureOf(aggregation, fold(all_parts));
        const halves = [fold(shuffled.slice(0, cut)), fold(shuffled.slice(cut))];
        expect(plain(figureOf(aggregation, fold(halves)))).toBe(plain(whole));
        expect(fold(halves).eventCount).toBe(BigInt(all.length));
      }),
    );
  });

  it('are nothing where nothing counts', () => expect(plain(figureOf(aggregation, fold([])))).toBe('0'));
});

it('does not add up counts of different values', () => {
  const one: Part = { eventCount: 1n, value: unitsOf('1') };
  expect(() => together('UNIQUE_COUNT', one, one)).toThrow();
});

it('rounds an average to 50 significant digits, half away from zero', () => {
  const third = figureOf('AVG', { eventCount: 3n, value: unitsOf('2') });
  expect(plain(third)).toBe(`0.${'6'.repeat(49)}7`);
});
