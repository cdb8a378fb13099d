import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decimal } from '../../kernel/decimal.ts';
import { type BurningCredit, burn, type Spending, spendingsOf } from './burn.ts';

const DAY_0 = Temporal.Instant.from('2026-01-01T00:00:00Z');
const day = (days: number) => DAY_0.add({ hours: 24 * days });

interface Credit {
  readonly from: number;
  readonly days: number | null;
  readonly left: number;
}
interface Spent {
  readonly start: number;
  readonly days: number;
  readonly isFee: boolean;
  readonly turn: number;
  readonly amount: number;
}

const credits = fc.array(
  fc.record({
    from: fc.nat(5),
    days: fc.option(fc.integer({ min: 1, max: 6 })),
    left: fc.nat(12),
  }),
  { maxLength: 4 },
);
const spendings = fc.array(
  fc.record({
    start: fc.nat(5),
    days: fc.nat(3),
    isFee: fc.boolean(),
    turn: fc.constantFrom(-1, 0, 1),
    amount: fc.integer({ min: 1, max: 9 }),
  }),
  { maxLength: 6 },
);
const pays = (creditId: string, place: number) => (Number(creditId) + place) % 3 !== 0;

/** The same by one unit after another: each is paid by the first credit that may. */
function byUnit(all: readonly Credit[], spent: readonly Spent[]): Record<string, number> {
  const left = all.map((credit) => credit.left);
  const paid: Record<string, number> = {};
  const order = spent
    .map((each, place) => ({ ...each, place }))
    .toSorted((a, b) => a.start - b.start || Number(b.isFee) - Number(a.isFee) || a.turn - b.turn || a.place - b.place);
  for (const { start, days, amount, place } of order)
    for (let unit = 0; unit < amount; unit += 1) {
      const by = all.findIndex((credit, id) => {
        const end = credit.days === null ? Number.POSITIVE_INFINITY : credit.from + credit.days;
        const isIn = credit.from <= start && (days === 0 ? start < end : start + days <= end);
        return (left[id] as number) > 0 && isIn && pays(String(id), place);
      });
      if (by === -1) continue;
      left[by] = (left[by] as number) - 1;
      paid[`${by} ${place}`] = (paid[`${by} ${place}`] ?? 0) + 1;
    }
  return paid;
}

it('credits pay each unit by the first of them that is valid, in the order of time', () => {
  fc.assert(
    fc.property(credits, spendings, (all, spent) => {
      const burnt = burn(
        all.map(
          ({ from, days, left }, id): BurningCredit => ({
            ...{ id: String(id), from: day(from), left: decimal(left) },
            until: days === null ? null : day(from + days),
          }),
        ),
        spent.map(
          ({ start, days, isFee, turn, amount }, place): Spending => ({
            ...{ place, turn, isFee, amount: decimal(amount), time: { start: day(start), end: day(start + days) } },
          }),
        ),
        pays,
      );
      const found = Object.fromEntries(burnt.map((each) => [`${each.creditId} ${each.place}`, each.amount.toNumber()]));
      expect(found).toEqual(byUnit(all, spent));
    }),
  );
});

it('spending until an instant is the least that comes then or later, and the parts come to the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -3, max: 20 }), { maxLength: 5 }), fc.nat(20), (amounts, total) => {
      const until = amounts.map((amount, place) => ({ at: day(place + 1), amount: decimal(amount) }));
      const parts = spendingsOf(0, { start: day(0), end: day(9) }, decimal(total), until);
      let sum = 0;
      for (const { amount, time } of parts) {
        sum += amount.toNumber();
        expect(amount.gt(0)).toBe(true);
        const later = until.filter(({ at }) => Temporal.Instant.compare(at, time.end) >= 0);
        expect(sum).toBeLessThanOrEqual(Math.min(total, ...later.map((each) => Math.max(0, each.amount.toNumber()))));
      }
      expect(sum).toBe(total);
    }),
  );
});
