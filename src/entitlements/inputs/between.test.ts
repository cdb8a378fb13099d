import { describe, expect, it } from 'vitest';
import { entitlement, grant, monthly, on, term } from '../balance/testing/given.ts';
import { nextBetween } from './between.ts';
import type { Snapshot } from './snapshot.ts';

const ONE_TIME = [term({ period: null })];
const yearly = { cadence: { months: 12, days: 0 }, anchor: on('2026-01-01') };
const many = (count: number, day: string) =>
  Array.from({ length: count }, (_, number) => grant(`${day} ${number}`, { from: day }));
const snapshotAt = (day: string) => ({ at: on(day) }) as Snapshot;

describe('a snapshot between resets', () => {
  it.each([
    { what: 'comes when a month and a day are over', now: '2026-02-02', at: '2026-02-01', next: '2026-03-02' },
    { what: 'does not come before', now: '2026-02-01T23:59:59Z', at: null, next: '2026-02-02' },
    {
      what: 'is of the last midnight that is a day ago',
      now: '2026-02-10T15:00:00Z',
      at: '2026-02-09',
      next: '2026-03-10',
    },
    { what: 'comes a month after the last one', since: '2026-02-09', now: '2026-03-09', at: null, next: '2026-03-10' },
    {
      what: 'comes after 100 grants',
      grants: many(100, '2026-01-05'),
      now: '2026-01-07',
      at: '2026-01-06',
      next: '2026-02-07',
    },
    { what: 'does not come after 99', grants: many(99, '2026-01-05'), now: '2026-01-07', at: null, next: '2026-02-02' },
    {
      what: 'waits a day after 100 grants',
      grants: many(100, '2026-01-05'),
      now: '2026-01-05T12:00:00Z',
      at: null,
      next: '2026-01-06T12:00:00Z',
    },
    {
      what: 'does not count grants before the last one',
      since: '2026-01-06',
      grants: many(100, '2026-01-05'),
      now: '2026-01-09',
      at: null,
      next: '2026-02-07',
    },
    {
      what: 'comes in a period of a year',
      terms: [term({ period: yearly })],
      now: '2026-02-02',
      at: '2026-02-01',
      next: '2026-03-02',
    },
    {
      what: 'never comes in a period of a month',
      terms: [term({ period: monthly('2026-01-15') })],
      now: '2026-02-02',
      at: null,
      next: null,
    },
    { what: 'counts from a reset by hand', resets: ['2026-01-20'], now: '2026-02-10', at: null, next: '2026-02-21' },
    { what: 'never comes after the end', to: '2026-02-01', now: '2026-02-02', at: null, next: null },
    {
      what: 'comes at the time of the day of the start',
      from: '2026-01-01T05:00:00Z',
      now: '2026-02-02T05:00:00Z',
      at: '2026-02-01',
      next: '2026-03-02T05:00:00Z',
    },
  ])('$what', ({ terms = ONE_TIME, since, now, at, next, ...given }) => {
    const inputs = entitlement({ terms, ...given });
    const snapshot = since === undefined ? null : snapshotAt(since);
    const found = nextBetween({ inputs, snapshot }, on(now));
    expect([found.at, found.next].map(String)).toEqual([at, next].map((day) => String(day && on(day))));
  });
});
