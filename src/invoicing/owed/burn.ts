import { Decimal, ZERO } from '../../kernel/decimal.ts';
import { type Instant, isAfter, isBefore, type Period } from '../../kernel/time.ts';

/** A credit, as far as it may burn. */
export interface BurningCredit {
  readonly id: string;
  /** Inclusive. */
  readonly from: Instant;
  /** Exclusive; null: it does not end. */
  readonly until: Instant | null;
  readonly left: Decimal;
}

/** A part of what a charge comes to: what is spent in a stretch of time, or (of a fee) at its start. */
export interface Spending {
  /** The place of its charge. */
  readonly place: number;
  /** The turn of its subscription: the older ones come first. Absent: 0. */
  readonly turn?: number;
  readonly time: Period;
  readonly isFee: boolean;
  /** Before tax, above 0. */
  readonly amount: Decimal;
}

/** What a credit pays of a charge. */
export interface Burnt {
  readonly creditId: string;
  readonly place: number;
  readonly amount: Decimal;
}

/**
 * What credits pay of spendings (commercial.md §3): spendings in the order of their time, at one instant fees before
 * usage, then the older subscription; of each the credits in their order, so far as they are valid for all of its time.
 * @param credits in the order in which they burn
 * @param pays may a credit pay a charge?
 */
export function burn(
  credits: readonly BurningCredit[],
  spendings: readonly Spending[],
  pays: (creditId: string, place: number) => boolean,
): Burnt[] {
  const left = new Map(credits.map((credit) => [credit.id, credit.left]));
  const burnt: Burnt[] = [];
  for (const { place, time, amount } of spendings.toSorted(inTime)) {
    let open = amount;
    for (const credit of credits) {
      const most = left.get(credit.id) as Decimal;
      if (!pays(credit.id, place) || most.lte(0) || open.lte(0) || !isValid(credit, time)) continue;
      const paid = Decimal.min(open, most);
      left.set(credit.id, most.minus(paid));
      open = open.minus(paid);
      burnt.push({ creditId: credit.id, place, amount: paid });
    }
  }
  return burnt;
}

const inTime = (a: Spending, b: Spending): number =>
  Temporal.Instant.compare(a.time.start, b.time.start) ||
  rankOf(a) - rankOf(b) ||
  (a.turn ?? 0) - (b.turn ?? 0) ||
  a.place - b.place;

const rankOf = ({ isFee }: Spending) => (isFee ? 0 : 1);

/** Is a credit valid for all of a time? An instant has no end. */
const isValid = ({ from, until }: BurningCredit, { start, end }: Period): boolean =>
  !isAfter(from, start) && (until === null || (start.equals(end) ? isBefore(start, until) : !isBefore(until, end)));

/** What a charge of usage comes to until an instant of its period. */
export interface SpentUntil {
  readonly at: Instant;
  readonly amount: Decimal;
}

/**
 * The parts of a charge of usage between the instants at which credits begin or end. Until an instant the least is
 * spent that the charge comes to then or later; the last part takes the difference.
 * @param total what the charge comes to in the end
 * @param until in the order of time, inside the period
 */
export function spendingsOf(
  place: number,
  { start, end }: Period,
  total: Decimal,
  until: readonly SpentUntil[],
): Spending[] {
  const spendings: Spending[] = [];
  let [from, spent] = [start, ZERO];
  for (const [index, { at }] of until.entries()) {
    const least = until.slice(index).reduce((amount, each) => Decimal.min(amount, each.amount), total);
    const amount = Decimal.max(ZERO, least.minus(spent));
    if (amount.gt(0)) spendings.push({ place, time: { start: from, end: at }, isFee: false, amount });
    [from, spent] = [at, spent.plus(amount)];
  }
  const amount = total.minus(spent);
  return amount.gt(0) ? [...spendings, { place, time: { start: from, end }, isFee: false, amount }] : spendings;
}
