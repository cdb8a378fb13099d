import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, plain } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { BilledPrice, BilledVersion, Proration } from '../terms/billing-terms.ts';
import type { HistoricTerms } from '../timeline/segments.ts';
import { type BilledForTime, unusedPart } from './unused-time.ts';

/** What is given back of a charge in advance (domain.md §3, "Credits for unused in-advance charges"). */
const at = (text: string): Instant => Temporal.Instant.from(text.includes('T') ? text : `${text}T00:00:00Z`);
const seats = (billingCadence: string | null = 'P1M', paymentTerm: BilledPrice['paymentTerm'] = 'in_advance') =>
  ({ id: 'seats', paymentTerm, billingCadence, metric: null }) as unknown as BilledPrice;

interface Change {
  readonly at: string;
  readonly keeps?: boolean;
  readonly proration?: Proration;
  readonly planCadence?: string;
  readonly anchor?: string;
}
const terms = (
  startedAt: string,
  changes: readonly Change[],
  endsAt: string | null = null,
  own = seats(),
): HistoricTerms => {
  const first = {
    from: at(startedAt),
    planId: 'plan',
    planTaxRate: null,
    minimumAmount: null,
    planCadence: 'P1M',
    prices: [own],
  };
  const versions: BilledVersion[] = [
    { ...first, anchors: {}, proration: 'second' },
    ...changes.map(
      ({ at: from, keeps = false, proration = 'second', planCadence = 'P1M', anchor }): BilledVersion => ({
        ...first,
        from: at(from),
        prices: keeps ? [own] : [],
        planCadence,
        anchors: anchor === undefined ? {} : { [planCadence]: at(anchor) },
        proration,
      }),
    ),
  ];
  const bounds = { anchor: at(startedAt), startedAt: at(startedAt), endsAt: endsAt === null ? null : at(endsAt) };
  return { planCadence: 'P1M', prices: [own], bounds, versions };
};
const billed = (start: string, end: string, amount = '30', minimum = '0'): BilledForTime => ({
  priceId: 'seats',
  start: at(start),
  end: at(end),
  amount: decimal(amount),
  minimum: decimal(minimum),
  taxRate: decimal('20'),
});

describe('what is not used of a charge in advance', () => {
  it.each<{ what: string; after: HistoricTerms; startedAt?: string; charge?: BilledForTime; unused: string | null }>([
    {
      what: 'nothing, where it goes on',
      after: terms('2026-02-01', [{ at: '2026-02-15', keeps: true }]),
      unused: null,
    },
    { what: 'half', after: terms('2026-02-01', [{ at: '2026-02-15' }]), unused: '15 + 3' },
    { what: 'all, at the very start', after: terms('2026-02-01', [{ at: '2026-02-01' }]), unused: '30 + 6' },
    {
      what: 'on the last second: less than half a cent',
      after: terms('2026-02-01', [{ at: '2026-02-28T23:59:59Z' }]),
      unused: '0 + 0',
    },
    {
      what: 'by days: that of the change is not used', // 14 of 28
      after: terms('2026-02-01', [{ at: '2026-02-15T18:00:00Z', proration: 'day' }]),
      unused: '15 + 3',
    },
    {
      what: 'nothing, not prorated',
      after: terms('2026-02-01', [{ at: '2026-02-15', proration: 'none' }]),
      unused: null,
    },
    { what: 'to the end of the subscription', after: terms('2026-02-01', [], '2026-02-15'), unused: '15 + 3' },
    {
      what: 'though the new version has it, where its period ends and another one begins',
      after: terms('2026-02-01', [{ at: '2026-02-15', keeps: true, anchor: '2026-02-15' }]),
      unused: '15 + 3',
    },
    {
      what: '29 February', // 1 of 29 days
      after: terms('2024-02-01', [{ at: '2024-02-29' }]),
      startedAt: '2024-02-01',
      charge: billed('2024-02-01', '2024-03-01', '29'),
      unused: '1 + 0.2',
    },
    {
      what: 'an anchor on the 31st', // 21 of 31 days
      after: terms('2026-01-31', [{ at: '2026-03-10' }]),
      startedAt: '2026-01-31',
      charge: billed('2026-02-28', '2026-03-31', '31'),
      unused: '21 + 4.2',
    },
    {
      what: 'of the part that began with a change', // from the 8th to the 28th: 14 of 21 days
      after: terms('2026-02-01', [{ at: '2026-02-05' }, { at: '2026-02-08', keeps: true }, { at: '2026-02-15' }]),
      charge: billed('2026-02-08', '2026-03-01', '21'),
      unused: '14 + 2.8',
    },
  ])('$what', ({ after, startedAt = '2026-02-01', charge = billed('2026-02-01', '2026-03-01'), unused }) => {
    const before = {
      ...after,
      bounds: { ...terms(startedAt, []).bounds },
      versions: (after.versions ?? []).slice(0, -1),
    };
    const own = (after.versions ?? []).length === 1 ? { ...before, versions: after.versions ?? [] } : before;
    const part = unusedPart(charge, own, after, 'USD');
    expect(part && `${plain(part.amount)} + ${plain(part.tax)}`).toBe(unused);
  });

  it.each([
    { what: 'nothing, where the end is that of the period', endsAt: '2026-03-01', unused: null },
    { what: 'half', endsAt: '2026-02-15', unused: '15 + 3' },
    { what: 'all, where the subscription ended as it began', endsAt: '2026-02-01', unused: '30 + 6' },
    { what: 'all, where it ended before', endsAt: '2026-01-20', unused: '30 + 6' },
    { what: 'nothing, while no end is set', endsAt: null, unused: null },
  ])('in arrears, for time after an end that was set back: $what', ({ endsAt, unused }) => {
    const own = seats('P1M', 'in_arrears');
    const part = unusedPart(
      billed('2026-02-01', '2026-03-01'),
      terms('2026-01-01', [], null, own),
      terms('2026-01-01', [], endsAt, own),
      'USD',
    );
    expect(part && `${plain(part.amount)} + ${plain(part.tax)}`).toBe(unused);
  });

  it.each([
    { what: 'nothing', minimum: '0', unused: null },
    { what: 'what fills up to half the minimum', minimum: '20', unused: '15 + 3' }, // 10 used, 15 are left
    { what: 'all that fills up, where more was used than half', minimum: '12', unused: '12 + 2.4' },
  ])('of usage, which stays billed: $what', ({ minimum, unused }) => {
    const own = { ...seats('P1M', 'in_arrears'), metric: { id: 'calls' } } as unknown as BilledPrice;
    const [before, after] = [terms('2026-01-01', [], null, own), terms('2026-01-01', [], '2026-02-15', own)];
    const part = unusedPart(billed('2026-02-01', '2026-03-01', '30', minimum), before, after, 'USD');
    expect(part && `${plain(part.amount)} + ${plain(part.tax)}`).toBe(unused);
  });

  it('of what is billed once is nothing', () => {
    const once = seats('P0D');
    const after = terms('2026-02-01', [{ at: '2026-02-15' }], null, once);
    expect(
      unusedPart(billed('2026-02-01', '2026-03-01'), terms('2026-02-01', [], null, once), after, 'USD'),
    ).toBeNull();
  });

  it('and what is used of it sum to what was billed, wherever it ends', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_419_199 }), fc.integer({ min: 1, max: 10_000_000 }), (seconds, cents) => {
        const end = at('2026-02-01').add({ seconds }).toString();
        const charge = billed('2026-02-01', '2026-03-01', decimal(cents).div(100).toFixed());
        const part = unusedPart(charge, terms('2026-02-01', []), terms('2026-02-01', [], end), 'USD');
        const exact = charge.amount.times(2_419_200 - seconds).div(2_419_200);
        expect(part?.amount.minus(exact).abs().lte('0.005')).toBe(true);
      }),
    );
  });
});
