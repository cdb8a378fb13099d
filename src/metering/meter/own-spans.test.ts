import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatInstant, type Instant, microsecondsBetween } from '../../kernel/time.ts';
import { ownSpans } from './own-spans.ts';

const day = (n: number): Instant => Temporal.Instant.from('2025-01-01T00:00:00Z').add({ hours: 24 * n });
const period = { start: day(0), end: day(30) };
const span = ([from, to]: readonly [number, number | null]) => ({ from: day(from), to: to === null ? null : day(to) });
const days = (spans: readonly { start: Instant; end: Instant }[]) =>
  spans.map(({ start, end }) => [formatInstant(start).slice(8, 10), formatInstant(end).slice(8, 10)].join('–'));

describe('the usage of a customer is a subscription’s own', () => {
  it.each([
    { why: 'alone: the whole period', own: [-5, null], older: [], spans: ['01–31'] },
    { why: 'from its start', own: [10, null], older: [], spans: ['11–31'] },
    { why: 'until its end', own: [-5, 20], older: [], spans: ['01–21'] },
    {
      why: 'while the older one is not there: before it starts',
      own: [-5, null],
      older: [[10, null]],
      spans: ['01–11'],
    },
    { why: 'after the older one ended', own: [-5, null], older: [[-9, 10]], spans: ['11–31'] },
    { why: 'around the older one', own: [-5, null], older: [[10, 12]], spans: ['01–11', '13–31'] },
    { why: 'never, with an older one all the time', own: [-5, null], older: [[-9, null]], spans: [] },
    {
      why: 'between two older ones',
      own: [-5, null],
      older: [
        [-9, 10],
        [20, null],
      ],
      spans: ['11–21'],
    },
    { why: 'not where it had ended before the period', own: [-9, -5], older: [], spans: [] },
  ] as const)('$why', ({ own, older, spans }) => {
    expect(days(ownSpans(period, span(own), older.map(span)))).toEqual(spans);
  });

  it('is billed exactly once in every moment in which some subscription is active', () => {
    const bounds = fc.tuple(fc.integer({ min: -10, max: 40 }), fc.option(fc.integer({ min: 1, max: 40 })));
    fc.assert(
      fc.property(fc.array(bounds, { minLength: 1, maxLength: 6 }), fc.integer({ min: 0, max: 29 }), (list, moment) => {
        const spans = list.map(([from, length]) => span([from, length === null ? null : from + length]));
        const billed = spans.map((own, index) => ownSpans(period, own, spans.slice(0, index)));
        const at = day(moment).add({ hours: 7 });
        const holds = ({ start, end }: { start: Instant; end: Instant }) =>
          microsecondsBetween(start, at) >= 0n && microsecondsBetween(at, end) > 0n;
        const active = spans.some(({ from, to }) => holds({ start: from, end: to ?? day(100) }));
        expect(billed.flat().filter(holds)).toHaveLength(active ? 1 : 0);
      }),
    );
  });
});
