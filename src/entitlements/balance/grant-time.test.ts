import { describe, expect, it } from 'vitest';
import { burnKeyOf, burnOrder, countRecurrences, endOf, endsVoided, RecurrenceCursor } from './grant-time.ts';
import type { BalanceGrant } from './model.ts';
import { grant, on } from './testing/given.ts';

const inOrder = (a: BalanceGrant, b: BalanceGrant) => burnOrder(burnKeyOf(a), burnKeyOf(b));

describe('burn order', () => {
  // Proves 2.grant.priority.order.
  it.each([
    { what: 'lowest priority', first: grant('b', { priority: -1 }), second: grant('a', { expires: '2026-01-02' }) },
    {
      what: 'earliest expiry',
      first: grant('b', { expires: '2026-02-01' }),
      second: grant('a', { expires: '2026-02-02', created: '2025-01-01' }),
    },
    {
      what: 'no expiry is last',
      first: grant('b', { expires: '2199-01-01' }),
      second: grant('a', { created: '2025-01-01' }),
    },
    {
      what: 'creation',
      first: grant('b', { created: '2025-12-31', order: 2n }),
      second: grant('a', { created: '2026-01-01', order: 1n }),
    },
    {
      what: 'issued ones first',
      first: grant('b', { issuedAt: '2026-01-01', order: 9n }),
      second: grant('a', { order: 1n }),
    },
    {
      what: 'an issued one was created by its reset',
      first: grant('b', { issuedAt: '2026-01-01', created: '2026-03-01' }),
      second: grant('a', { created: '2026-01-02' }),
    },
    { what: 'order of creation', first: grant('b', { order: 1n }), second: grant('a', { order: 2n }) },
    { what: 'the same at all: always the same one', first: grant('a'), second: grant('b') },
  ])('$what', ({ first, second }) => {
    expect([second, first].toSorted(inOrder)).toEqual([first, second]);
    expect([first, second].toSorted(inOrder)).toEqual([first, second]);
  });
});

describe('the end of a grant', () => {
  it.each([
    { given: {}, end: undefined, isVoided: false },
    { given: { expires: '2026-02-01' }, end: '2026-02-01T00:00:00Z', isVoided: false },
    { given: { voided: '2026-02-01' }, end: '2026-02-01T00:00:00Z', isVoided: true },
    { given: { expires: '2026-03-01', voided: '2026-02-01' }, end: '2026-02-01T00:00:00Z', isVoided: true },
    { given: { expires: '2026-02-01', voided: '2026-03-01' }, end: '2026-02-01T00:00:00Z', isVoided: false },
    { given: { expires: '2026-02-01', voided: '2026-02-01' }, end: '2026-02-01T00:00:00Z', isVoided: false },
  ])('of $given is $end', ({ given, end, isVoided }) => {
    expect(endOf(grant('a', given))?.toString()).toBe(end);
    expect(endsVoided(grant('a', given))).toBe(isVoided);
  });
});

describe('recurrences', () => {
  it.each([
    {
      what: 'a 31 January',
      recurs: 'P1M',
      from: '2026-01-31',
      after: '2026-01-31',
      until: '2026-05-01',
      days: '02-28 03-31 04-30',
    },
    {
      what: 'a 29 February',
      recurs: 'P1Y',
      from: '2028-02-29',
      after: '2028-02-29',
      until: '2032-03-01',
      days: '02-28 02-28 02-28 02-29',
    },
    {
      what: 'after and up to',
      recurs: 'P1W',
      from: '2026-01-01',
      after: '2026-01-08',
      until: '2026-01-22',
      days: '01-15 01-22',
    },
    {
      what: 'not at its own end',
      recurs: 'P1W',
      from: '2026-01-01',
      expires: '2026-01-15',
      after: '2026-01-01',
      until: '2026-02-01',
      days: '01-08',
    },
    {
      what: 'months and days',
      recurs: 'P1M1D',
      from: '2026-01-30',
      after: '2026-01-30',
      until: '2026-05-01',
      days: '03-01 04-01',
    },
    { what: 'never', recurs: 'P0D', from: '2026-01-01', after: '2026-01-01', until: '2199-01-01', days: '' },
    {
      what: 'beyond all time',
      recurs: 'P999999Y',
      from: '2026-01-01',
      after: '2026-01-01',
      until: '2199-12-31',
      days: '',
    },
    {
      what: 'long ago',
      recurs: 'PT1H',
      from: '2000-01-01',
      after: '2199-12-30T22:30:00Z',
      until: '2199-12-31',
      days: '12-30T23 12-31',
    },
    {
      what: 'a month, long ago',
      recurs: 'P1M',
      from: '2000-01-31',
      after: '2199-01-31',
      until: '2199-03-31',
      days: '02-28 03-31',
    },
  ])('$what: $recurs from $from', ({ recurs, from, after, until, days, ...given }) => {
    const recurring = grant('a', { recurs, from, ...given });
    const found = [];
    const cursor = new RecurrenceCursor(recurring, on(after), on(until));
    for (; cursor.next; cursor.advance()) found.push(cursor.next);
    expect(countRecurrences(recurring, on(after), on(until))).toBe(found.length);
    const texts = found.map((at) =>
      at
        .toString()
        .slice(5, 16)
        .replace(/T00:00$/, '')
        .replace(/:00$/, ''),
    );
    expect(texts.join(' ')).toBe(days);
  });
});
