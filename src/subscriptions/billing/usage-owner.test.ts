import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatInstant, type Instant, isAfter, isBefore, type Period } from '../../kernel/time.ts';
import { claimOf, ownedSpans, type ReadSeries, shareMetric, type UsageClaim } from './usage-owner.ts';

const day = (n: number): Instant => Temporal.Instant.from('2025-01-01T00:00:00Z').add({ hours: 24 * n });
const period = { start: day(0), end: day(31) };
const priced = (...ids: string[]) => new Map(ids.map((id) => [id, ['P1M']]));
const CALLS = priced('calls');
const NOTHING = priced();

/** A subscription from day to day, with one version or several: `[from, metrics]`. */
const claim = (
  id: string,
  [start, end]: readonly [number, number | null],
  ...versions: readonly (readonly [number, ReadonlyMap<string, readonly string[]>])[]
): UsageClaim =>
  claimOf(
    { subscriptionId: id, start: day(start), end: end === null ? null : day(end) },
    versions.length === 0
      ? [{ from: day(start), metrics: CALLS }]
      : versions.map(([from, metrics]) => ({ from: day(from), metrics })),
  );
const days = (spans: readonly Period[]) =>
  spans.map(({ start, end }) => `${formatInstant(start).slice(5, 10)}/${formatInstant(end).slice(5, 10)}`);
const owned = (claims: readonly UsageClaim[], id: string, of: Period = period, read: readonly ReadSeries[] = []) =>
  days(ownedSpans(claims, { subscriptionId: id, metricId: 'calls' }, of, read));
const readUntil = (subscriptionId: string, until: number, cadence = 'P1M') => ({
  ...{ subscriptionId, cadence, until: day(until) },
});

describe('usage that is addressed to the customer', () => {
  it.each<{ what: string; claims: UsageClaim[]; a: string[]; b: string[] }>([
    {
      what: 'is the oldest one’s, while both are active',
      claims: [claim('a', [-5, null]), claim('b', [-9, null])],
      a: ['01-01/02-01'],
      b: [],
    },
    {
      what: 'goes over when the oldest ends',
      claims: [claim('a', [-5, 19]), claim('b', [-5, null])],
      a: ['01-01/01-20'],
      b: ['01-20/02-01'],
    },
    {
      what: 'goes to the oldest from its start on, however late it became active',
      claims: [claim('a', [7, null]), claim('b', [-5, null])],
      a: ['01-08/02-01'],
      b: ['01-01/01-08'],
    },
    {
      what: 'is the younger one’s while the plan of the older one does not price the metric',
      claims: [claim('a', [-5, null], [-5, CALLS], [9, NOTHING], [19, CALLS]), claim('b', [-5, null])],
      a: ['01-01/01-10', '01-20/02-01'],
      b: ['01-10/01-20'],
    },
    {
      what: 'follows the last of several versions of one instant',
      claims: [claim('a', [-5, null], [-5, CALLS], [9, CALLS], [9, NOTHING]), claim('b', [-5, null])],
      a: ['01-01/01-10'],
      b: ['01-10/02-01'],
    },
    {
      what: 'does not wait for a change that was to come after the end',
      claims: [claim('a', [-5, 9], [-5, CALLS], [19, CALLS]), claim('b', [-5, null])],
      a: ['01-01/01-10'],
      b: ['01-10/02-01'],
    },
    {
      what: 'is nobody’s of a subscription that ended before it began',
      claims: [claim('a', [9, 5]), claim('b', [-5, null])],
      a: [],
      b: ['01-01/02-01'],
    },
  ])('$what', ({ claims, a, b }) => {
    const before = { start: day(0), end: claims[0]?.end && isBefore(claims[0].end, day(31)) ? claims[0].end : day(31) };
    expect(isAfter(before.end, before.start) ? owned(claims, 'a', before) : []).toEqual(a);
    expect(owned(claims, 'b')).toEqual(b);
  });

  it('is nobody’s who waits for the first payment, and of another metric nobody’s here', () => {
    expect(owned([claim('a', [0, null])], 'waiting')).toEqual([]);
    expect(owned([claim('a', [0, null], [0, priced('hours')])], 'a')).toEqual([]);
  });
});

describe('usage after an end that was set back, of a period that was closed', () => {
  it('stays with the subscription where nobody takes over', () => {
    expect(owned([claim('a', [-5, 19])], 'a')).toEqual(['01-01/02-01']);
  });

  it('leaves it while another one is active, older or younger', () => {
    const claims = [claim('a', [25, 28]), claim('b', [-5, 19]), claim('c', [21, 23])];
    expect(owned(claims, 'b')).toEqual(['01-01/01-22', '01-24/01-26', '01-29/02-01']);
  });

  it('stays with the oldest of two that ended', () => {
    const claims = [claim('a', [-5, 19]), claim('b', [-5, 9])];
    expect(owned(claims, 'a')).toEqual(['01-01/02-01']);
    expect(owned(claims, 'b', period, [readUntil('a', 31)])).toEqual([]);
    expect(owned(claims, 'b', period, [readUntil('a', 25)])).toEqual(['01-26/02-01']);
    expect(owned(claims, 'b', period, [readUntil('a', 31, 'P1Y')])).toEqual(['01-20/02-01']); // another price’s series
  });

  it('stays where the plan that began at that instant prices it', () => {
    const claims = [claim('a', [-5, 19], [-5, NOTHING], [19, CALLS])];
    expect(owned(claims, 'a')).toEqual(['01-20/02-01']);
  });

  it('is nobody’s of a subscription whose end lies before its start', () => {
    expect(owned([claim('a', [19, 9])], 'a')).toEqual([]);
  });

  it('is nobody’s where the plan at the end did not price it', () => {
    expect(owned([claim('a', [-5, 19], [-5, CALLS], [9, NOTHING])], 'a')).toEqual(['01-01/01-10']);
  });
});

it('subscriptions are concerned by each other where they ever price the same metric', () => {
  const both = claim('a', [0, null], [0, priced('hours')], [9, priced('calls', 'hours')]);
  expect(shareMetric(both, claim('b', [0, 5]))).toBe(true);
  expect(shareMetric(claim('b', [0, 5]), both)).toBe(true);
  expect(shareMetric(claim('a', [0, null], [0, priced('hours')]), claim('b', [0, 5]))).toBe(false);
});

describe('whatever the histories are', () => {
  const metrics = fc.constantFrom(CALLS, NOTHING);
  const histories = fc.array(
    fc.record({
      start: fc.integer({ min: -10, max: 35 }),
      length: fc.option(fc.integer({ min: -3, max: 40 })),
      metrics,
      changes: fc.array(fc.record({ after: fc.nat({ max: 20 }), metrics }), { maxLength: 3 }),
      read: fc.option(fc.integer({ min: 0, max: 45 })),
    }),
    { minLength: 1, maxLength: 5 },
  );
  const holds = ({ start, end }: Period, at: Instant) => !isBefore(at, start) && isBefore(at, end);

  it('each instant is owned by one at most: the oldest active one, else the oldest that has billed it', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 0, max: 30 }), (list, moment) => {
        const at = day(moment).add({ hours: 7 });
        const claims = list.map(({ start, length, metrics: first, changes }, index) =>
          claim(
            `s${index}`,
            [start, length === null ? null : start + length],
            ...[
              [start, first] as const,
              ...changes
                .toSorted((x, y) => x.after - y.after)
                .map((change) => [start + change.after, change.metrics] as const),
            ],
          ),
        );
        const read = list.flatMap((each, index) => (each.read === null ? [] : [readUntil(`s${index}`, each.read)]));
        const owners = claims.filter(({ subscriptionId }, index) => {
          // A subscription reads its closed periods; others read up to the end.
          const last = list[index]?.read;
          const end = claims[index]?.end ?? day(50);
          const asked = { start: day(-10), end: last != null && isAfter(day(last), end) ? day(last) : end };
          if (!isBefore(asked.start, asked.end)) return false;
          return ownedSpans(claims, { subscriptionId, metricId: 'calls' }, asked, read).some((span) => holds(span, at));
        });
        const active = claims.filter(({ spans }) =>
          spans.some((span) => span.metrics.has('calls') && holds({ start: span.from, end: span.to ?? day(50) }, at)),
        );
        const billed = claims.filter(({ end, metricsAtEnd }, index) => {
          const last = list[index]?.read;
          const isReached = last != null && end !== null && holds({ start: end, end: day(last) }, at);
          return isReached && metricsAtEnd.has('calls');
        });
        expect(owners).toEqual([...active, ...billed].slice(0, 1));
      }),
      { numRuns: 2000 },
    );
  });
});
