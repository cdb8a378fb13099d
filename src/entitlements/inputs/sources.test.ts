import { expect, it } from 'vitest';
import { type PrecedingEntitlement, sourcesOf } from './sources.ts';

const at = (day: number): Temporal.Instant =>
  Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours: 24 * (day - 1) });
const before = (from: number, to: number | null, metricIds = ['bm_1']): PrecedingEntitlement => ({
  metricIds,
  span: { from: at(from), to: to === null ? null : at(to) },
});

/** Active from the 5th up to the 25th. */
const entitlement = { customerId: 'cus_1', subscriptionId: 'sub_1', activeFrom: at(5), activeTo: at(25) };
const days = (instant: Temporal.Instant) => instant.since(at(1)).total('hours') / 24 + 1;

it.each<{
  why: string;
  of?: Partial<typeof entitlement> | { subscriptionId: null };
  preceding: PrecedingEntitlement[];
  from: number;
  to: number;
  counts: string[];
}>([
  { why: 'both while it is active', preceding: [], from: 1, to: 31, counts: ['sub_1 5-25', 'cus_1 5-25'] },
  { why: 'what is asked for', preceding: [], from: 10, to: 12, counts: ['sub_1 10-12', 'cus_1 10-12'] },
  { why: 'nothing before and after its time', preceding: [], from: 26, to: 31, counts: [] },
  {
    why: 'the customer’s while no preceding entitlement counts it',
    preceding: [before(1, 10), before(20, null)],
    from: 1,
    to: 31,
    counts: ['sub_1 5-25', 'cus_1 10-20'],
  },
  {
    why: 'beside a preceding entitlement of another metric',
    preceding: [before(1, null, ['bm_2'])],
    from: 6,
    to: 8,
    counts: ['sub_1 6-8', 'cus_1 6-8'],
  },
  {
    why: 'the customer’s alone without a subscription, whoever else counts it',
    of: { subscriptionId: null },
    preceding: [],
    from: 1,
    to: 31,
    counts: ['cus_1 5-25'],
  },
])('an entitlement counts $why', ({ of = {}, preceding, from, to, counts }) => {
  const sources = sourcesOf({ ...entitlement, ...of }, preceding, 'bm_1', at(from), at(to));
  expect(sources.map((source) => `${source.subject} ${days(source.from)}-${days(source.to)}`)).toEqual(counts);
});
