import { describe, expect, it } from 'vitest';
import { ID_PREFIXES, type IdKind, idPattern, isId, newId, randomBase62 } from './ids.ts';

const KINDS = Object.keys(ID_PREFIXES) as IdKind[];

/** The patterns of §1, written out again. */
const SPECIFIED: [IdKind, RegExp][] = [
  ['organization', /^org_[0-9A-Za-z]+$/],
  ['product', /^prod_[0-9A-Za-z]+$/],
  ['feature', /^feat_[0-9A-Za-z]+$/],
  ['customer', /^cus_[0-9A-Za-z]+$/],
  ['subscription', /^sub_[0-9A-Za-z]+$/],
  ['plan', /^plan_[0-9A-Za-z]+$/],
  ['billableMetric', /^bm_[0-9A-Za-z]+$/],
  ['item', /^itm_[0-9A-Za-z]+$/],
  ['cost', /^cst_[0-9A-Za-z]+$/],
  ['testClock', /^tc_[0-9A-Za-z]{16}$/],
  ['entitlement', /^ent_[0-9A-Za-z]+$/],
  ['grant', /^grt_[0-9A-Za-z]+$/],
  ['source', /^src_[0-9A-Za-z]+$/],
  ['sourceEvent', /^sev_[0-9A-Za-z]+$/],
  ['invoice', /^inv_[0-9a-f]+$/],
  ['refund', /^crn_/],
  ['adjustment', /^subadj_/],
  ['paymentSession', /^ps_/],
];

describe('identifiers', () => {
  it.each(SPECIFIED)('a %s looks like %s', (kind, pattern) => expect(newId(kind)).toMatch(pattern));

  it.each(KINDS)('a new %s has its own pattern and no other', (kind) => {
    const id = newId(kind);
    expect(id).toMatch(new RegExp(idPattern(kind)));
    expect(KINDS.filter((other) => isId(other, id))).toEqual([kind]);
  });

  it('no two kinds share a prefix', () => {
    expect(new Set(Object.values(ID_PREFIXES)).size).toBe(KINDS.length);
  });

  it.each(KINDS.filter((kind) => kind !== 'testClock'))('a %s holds at least 128 random bits', (kind) => {
    const body = newId(kind).slice(ID_PREFIXES[kind].length);
    expect(body.length * Math.log2(kind === 'invoice' ? 16 : 62)).toBeGreaterThanOrEqual(128);
  });

  it('are all different', () => {
    const ids = new Set(Array.from({ length: 20_000 }, (_, n) => newId(KINDS[n % KINDS.length] as IdKind)));
    expect(ids.size).toBe(20_000);
  });

  it.each<[IdKind, string]>([
    ['customer', 'cus_'],
    ['customer', 'cus_a-b'],
    ['customer', 'cus_ä'],
    ['customer', 'CUS_abc'],
    ['customer', ' cus_abc'],
    ['customer', 'cus_abc\n'],
    ['customer', 'cust_abc'],
    ['customer', `cus_${'a'.repeat(65)}`],
    ['invoice', 'inv_ABCDEF'],
    ['invoice', 'inv_xyz'],
    ['testClock', 'tc_123456789012345'],
    ['testClock', 'tc_12345678901234567'],
  ])('as a %s, %j is refused', (kind, text) => expect(isId(kind, text)).toBe(false));
});

describe('random characters', () => {
  it.each([0, 1, 22, 40, 1000])('come %i at a time', (length) => {
    expect(randomBase62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
  });

  it('are each equally likely', () => {
    const drawn = 620_000;
    const counts = new Map<string, number>();
    for (const character of randomBase62(drawn)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 10,000 of each are expected, with a standard deviation of 99. A plain modulo would draw eight characters 25 %
    // more often.
    for (const [character, count] of counts) {
      expect(Math.abs(count - drawn / 62), `${character}: ${count}`).toBeLessThan(800);
    }
  });
});
