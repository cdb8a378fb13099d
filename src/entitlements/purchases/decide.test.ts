import { describe, expect, it } from 'vitest';
import { decimal } from '../../kernel/decimal.ts';
import { effectOf, payableUntil, purchaseProblems, rolloverOf } from './decide.ts';

const now = Temporal.Instant.from('2026-03-01T12:00:00Z');
const at = (text: string | null) => (text === null ? null : Temporal.Instant.from(text));
const times = (effective: string | null, expires: string | null, payment: string | null) => ({
  effectiveAt: at(effective),
  expiresAt: at(expires),
  paymentExpiresAt: at(payment),
});
const bounds = (least: string, most: string) => ({ resetMinRollover: decimal(least), resetMaxRollover: decimal(most) });
const NOW = '2026-03-01T12:00:00Z';
const [BEFORE, SOON, LATER] = ['2026-02-01T00:00:00Z', '2026-03-01T13:00:00Z', '2026-04-01T00:00:00Z'];

describe('what is wrong with a purchase', () => {
  it.each([
    { of: times(null, null, null), fields: [] },
    { of: times(BEFORE, LATER, SOON), fields: [] },
    { of: times(LATER, SOON, null), fields: ['expiresAt'] },
    { of: times(LATER, LATER, null), fields: ['expiresAt'] },
    { of: times(null, NOW, null), fields: ['expiresAt'] },
    { of: times('2026-01-01T00:00:00Z', BEFORE, null), fields: ['expiresAt'] },
    { of: times(null, null, NOW), fields: ['paymentExpiresAt'] },
    { of: times(null, SOON, SOON), fields: [] },
    { of: times(null, SOON, LATER), fields: ['paymentExpiresAt'] },
  ])('$of: $fields', ({ of, fields }) => {
    expect(purchaseProblems(of, bounds('0', '1'), now).map(({ field }) => field)).toEqual(fields);
  });

  it('is also a floor of the rollover above its ceiling', () => {
    const found = purchaseProblems(times(null, null, null), bounds('2', '1'), now);
    expect(found.map(({ field }) => field)).toEqual(['resetMinRollover']);
  });
});

it.each([
  { of: times(null, null, null), until: '2026-03-02T12:00:00Z' },
  { of: times(null, LATER, null), until: '2026-03-02T12:00:00Z' },
  { of: times(null, SOON, null), until: SOON },
  { of: times(null, LATER, SOON), until: SOON },
  { of: times(null, null, LATER), until: LATER },
])('a purchase of $of can be paid until $until', ({ of, until }) => {
  expect(payableUntil(of, 24 * 60, now).toString()).toBe(until);
});

it.each([
  { effective: null, expires: null, takesEffect: NOW },
  { effective: null, expires: LATER, takesEffect: NOW },
  { effective: LATER, expires: null, takesEffect: LATER },
  { effective: BEFORE, expires: LATER, takesEffect: BEFORE },
  { effective: null, expires: NOW, takesEffect: BEFORE },
])(
  'asked for from $effective to $expires and paid now, a grant takes effect at $takesEffect',
  ({ effective, expires, takesEffect }) => {
    const bought = { effectiveAt: at(effective), expiresAt: at(expires), createdAt: Temporal.Instant.from(BEFORE) };
    expect(effectOf(bought, now).toString()).toBe(takesEffect);
  },
);

it.each([
  { template: { type: 'metered', usagePeriod: { interval: 'P1M' } }, asked: {}, kept: ['0', '999999999999'] },
  { template: { type: 'metered', usagePeriod: { interval: 'P1M' } }, asked: bounds('1', '2'), kept: ['1', '2'] },
  { template: { type: 'metered' }, asked: bounds('1', '2'), kept: ['0', '999999999999'] },
] as const)('$asked of $template is kept as $kept (§4, rule 4)', ({ template, asked, kept }) => {
  const { resetMinRollover, resetMaxRollover } = rolloverOf(template, asked);
  expect([resetMinRollover.toFixed(), resetMaxRollover.toFixed()]).toEqual(kept);
});
