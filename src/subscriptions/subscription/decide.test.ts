import { describe, expect, it } from 'vitest';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { billingStart, decideCreation, decideTermination, nextActionAt } from './decide.ts';

const at = (text: string): Instant => Temporal.Instant.from(text);
const NOW = at('2025-03-31T12:00:00Z');

describe('a subscription may start and end', () => {
  it.each([
    { why: 'now', startedAt: '2025-03-31T12:00:00Z', fields: [] },
    { why: 'one cadence ago, which from 31 March is 28 February', startedAt: '2025-02-28T12:00:00Z', fields: [] },
    { why: 'not a microsecond earlier', startedAt: '2025-02-28T11:59:59.999999Z', fields: ['startedAt'] },
    { why: 'in ten years', startedAt: '2035-01-01T00:00:00Z', fields: [] },
    {
      why: 'with an end after its start',
      startedAt: '2025-04-01T00:00:00Z',
      endingAt: '2025-04-01T00:00:00.000001Z',
      fields: [],
    },
    {
      why: 'not with an end at its start',
      startedAt: '2025-04-01T00:00:00Z',
      endingAt: '2025-04-01T00:00:00Z',
      fields: ['endingAt'],
    },
    {
      why: 'not with an end in the past',
      startedAt: '2025-03-01T00:00:00Z',
      endingAt: '2025-03-31T11:59:59Z',
      fields: ['endingAt'],
    },
    {
      why: 'not with terms of payment without bank transfer',
      startedAt: '2025-04-01T00:00:00Z',
      days: 30,
      fields: ['paymentTermDays'],
    },
    {
      why: 'with terms of payment by bank transfer',
      startedAt: '2025-04-01T00:00:00Z',
      days: 30,
      transfer: true,
      fields: [],
    },
  ])('$why', ({ startedAt, endingAt, days = 0, transfer = false, fields }) => {
    const times = {
      startedAt: at(startedAt),
      endingAt: endingAt === undefined ? null : at(endingAt),
      paymentTermDays: days,
      bankTransferOnly: transfer,
    };
    const decided = decideCreation(times, 'P1M', NOW);
    const failing =
      decided.ok || decided.refusal.kind !== 'validation' ? [] : decided.refusal.errors.map(({ field }) => field);
    expect(failing).toEqual(fields);
  });
});

describe('a termination', () => {
  it.each([
    {
      why: 'in the past stays',
      requested: '2025-03-20T00:00:00Z',
      startedAt: '2025-03-01T00:00:00Z',
      takes: '2025-03-20T00:00:00Z',
    },
    {
      why: 'in the future counts as now',
      requested: '2030-01-01T00:00:00Z',
      startedAt: '2025-03-01T00:00:00Z',
      takes: '2025-03-31T12:00:00Z',
    },
    {
      why: 'at the start is refused',
      requested: '2025-03-01T00:00:00Z',
      startedAt: '2025-03-01T00:00:00Z',
      takes: null,
    },
    {
      why: 'before the start is refused',
      requested: '2025-02-01T00:00:00Z',
      startedAt: '2025-03-01T00:00:00Z',
      takes: null,
    },
    {
      why: 'of one that starts tomorrow is refused, whatever it asks',
      requested: '2030-01-01T00:00:00Z',
      startedAt: '2025-04-01T00:00:00Z',
      takes: null,
    },
  ])('$why', ({ requested, startedAt, takes }) => {
    const decided = decideTermination(at(requested), at(startedAt), NOW);
    expect(decided.ok ? formatInstant(decided.value) : null).toBe(takes);
  });
});

it.each([
  { trial: null, anchor: null, startsAt: '2025-01-31T08:00:00Z', countsFrom: '2025-01-31T08:00:00Z' },
  { trial: 'P14D', anchor: null, startsAt: '2025-02-14T08:00:00Z', countsFrom: '2025-02-14T08:00:00Z' },
  { trial: 'P1M', anchor: null, startsAt: '2025-02-28T08:00:00Z', countsFrom: '2025-02-28T08:00:00Z' },
  { trial: null, anchor: '2020-06-01T00:00:00Z', startsAt: '2025-01-31T08:00:00Z', countsFrom: '2020-06-01T00:00:00Z' },
])(
  'with trial $trial and anchor $anchor billing starts at $startsAt and counts from $countsFrom',
  ({ trial, anchor, startsAt, countsFrom }) => {
    const start = billingStart(at('2025-01-31T08:00:00Z'), {
      trialPeriod: trial === null ? null : Temporal.Duration.from(trial),
      billingAnchor: anchor === null ? null : at(anchor),
    });
    expect([start.billingStartsAt, start.billingAnchor].map(formatInstant)).toEqual([startsAt, countsFrom]);
  },
);

it.each([
  { status: 'pending_payment' as const, opened: false, ending: '2025-04-15T00:00:00Z', next: null },
  { opened: false, ending: null, next: '2025-05-01T00:00:00Z' },
  { opened: false, ending: '2025-04-15T00:00:00Z', next: '2025-04-15T00:00:00Z' },
  { opened: true, ending: '2025-06-01T00:00:00Z', next: '2025-06-01T00:00:00Z' },
  { opened: true, ending: null, next: null },
])(
  '$status, opened $opened, ending $ending: what comes next by itself is at $next',
  ({ status, opened, ending, next }) => {
    const subscription = {
      status: status ?? ('active' as const),
      billingOpened: opened,
      billingStartsAt: at('2025-05-01T00:00:00Z'),
      trialEnd: null,
      trialEndsTold: [],
      pauses: [],
      endingAt: ending === null ? null : at(ending),
    };
    const due = nextActionAt(subscription);
    expect(due && formatInstant(due)).toBe(next);
  },
);
