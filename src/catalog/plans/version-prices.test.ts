import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Price } from '../prices/price.ts';
import { checkTemplatesAgree, decideVersionPrices, type VersionDiff } from './version-prices.ts';

const NOTHING: VersionDiff = { addPrices: [], removePrices: [], replacePrices: [] };
const replace = (replacesPriceId: string, withPriceId: string) => ({ replacesPriceId, withPriceId });

it.each([
  { base: ['a'], diff: { addPrices: ['b', 'c'] }, prices: ['a', 'b', 'c'] },
  { base: ['a', 'b', 'c'], diff: { removePrices: ['b'] }, prices: ['a', 'c'] },
  { base: ['a', 'b', 'c'], diff: { replacePrices: [replace('b', 'x')] }, prices: ['a', 'x', 'c'] }, // in its place
  {
    base: ['a', 'b'],
    diff: { addPrices: ['d'], removePrices: ['a'], replacePrices: [replace('b', 'x')] },
    prices: ['x', 'd'],
  },
  { base: ['a', 'b'], diff: { replacePrices: [replace('a', 'x'), replace('b', 'y')] }, prices: ['x', 'y'] },
  { base: ['a', 'b'], diff: { addPrices: ['c', 'a'], removePrices: ['a'] }, prices: ['b', 'c', 'a'] },
  { base: [], diff: { addPrices: ['a'] }, prices: ['a'] },
])('$base and $diff: $prices', ({ base, diff, prices }) => {
  expect(decideVersionPrices(base, { ...NOTHING, ...diff })).toEqual({ ok: true, value: prices });
});

it.each([
  { base: ['a'], diff: {}, fields: ['addPrices'] }, // an empty diff
  { base: ['a'], diff: { replacePrices: [replace('a', 'a')] }, fields: ['addPrices'] },
  { base: ['a', 'b'], diff: { removePrices: ['a'], addPrices: ['a'] }, fields: ['addPrices'] },
  { base: ['a', 'b'], diff: { replacePrices: [replace('a', 'b'), replace('b', 'a')] }, fields: ['addPrices'] },
  { base: ['a'], diff: { removePrices: ['a'] }, fields: ['removePrices'] }, // no price left
  { base: [], diff: {}, fields: ['removePrices'] },
  { base: ['a'], diff: { addPrices: ['a'] }, fields: ['addPrices.0'] },
  { base: ['a'], diff: { addPrices: ['b', 'b'] }, fields: ['addPrices.1'] },
  { base: ['a'], diff: { removePrices: ['x'] }, fields: ['removePrices.0'] },
  {
    base: ['a', 'b'],
    diff: { removePrices: ['a'], replacePrices: [replace('a', 'x')] },
    fields: ['replacePrices.0.replacesPriceId'],
  },
  { base: ['a', 'b'], diff: { replacePrices: [replace('a', 'b')] }, fields: ['replacePrices.0.withPriceId'] },
  { base: ['a', 'b'], diff: { replacePrices: [replace('x', 'y')] }, fields: ['replacePrices.0.replacesPriceId'] },
  {
    base: ['a', 'b'],
    diff: { addPrices: ['x'], replacePrices: [replace('a', 'x')] },
    fields: ['replacePrices.0.withPriceId'],
  },
  { base: ['a'], diff: { addPrices: ['a'], removePrices: ['x'] }, fields: ['addPrices.0', 'removePrices.0'] },
])('refuses $diff on $base: $fields', ({ base, diff, fields }) => {
  const decided = decideVersionPrices(base, { ...NOTHING, ...diff });
  expect(decided.ok).toBe(false);
  const errors = !decided.ok && decided.refusal.kind === 'validation' ? decided.refusal.errors : [];
  expect(errors.map(({ field }) => field).toSorted()).toEqual(fields);
});

describe('whatever is asked', () => {
  const ids = fc.subarray(['a', 'b', 'c', 'd', 'e', 'f']);
  const diffs = fc.record({
    addPrices: ids,
    removePrices: ids,
    replacePrices: fc.array(
      fc.tuple(fc.constantFrom(...'abcdef'), fc.constantFrom(...'abcdef')).map(([a, b]) => replace(a, b)),
      {
        maxLength: 3,
      },
    ),
  });

  it('a new version has each price once, none that left, all that came, and is another set than its base', () => {
    fc.assert(
      fc.property(ids, diffs, (base, diff) => {
        const decided = decideVersionPrices(base, diff);
        if (!decided.ok) return;
        const prices = decided.value;
        const left = [...diff.removePrices, ...diff.replacePrices.map((each) => each.replacesPriceId)];
        const came = [...diff.addPrices, ...diff.replacePrices.map((each) => each.withPriceId)];
        expect(prices.length).toBeGreaterThan(0);
        expect(new Set(prices).size).toBe(prices.length);
        expect(prices.toSorted()).toEqual([...base.filter((id) => !left.includes(id)), ...came].toSorted());
        expect(prices.toSorted()).not.toEqual(base.toSorted());
        expect(left.every((id) => base.includes(id))).toBe(true);
      }),
    );
  });
});

it('a version that differs by more than its prices may have those of its base, but not none', () => {
  expect(decideVersionPrices(['a'], NOTHING, true)).toEqual({ ok: true, value: ['a'] });
  expect(decideVersionPrices(['a'], NOTHING).ok).toBe(false);
  expect(decideVersionPrices(['a'], { ...NOTHING, removePrices: ['a'] }, true).ok).toBe(false);
});

describe('templates of one feature in one version', () => {
  const price = (id: string, featureId: string, entitlementTemplate: object) =>
    ({ id, features: [{ id: `pf_${id}`, featureId, entitlementTemplate, feature: {} }] }) as unknown as Price;
  const soft = { type: 'metered', isSoftLimit: true };
  const hard = { type: 'metered', isSoftLimit: false };

  it('agree, or the later price is to blame', () => {
    const prices = [price('a', 'f', soft), price('b', 'g', hard), price('c', 'f', soft), price('d', 'f', hard)];
    expect(checkTemplatesAgree(prices.slice(0, 3), (id) => id)).toEqual([]);
    expect(checkTemplatesAgree(prices, (id) => id).map(({ field }) => field)).toEqual(['d']);
  });
});
