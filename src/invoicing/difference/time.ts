import { Decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import type { Fraction } from '../../kernel/fraction.ts';

import { roundTo } from '../../kernel/money.ts';
import { intersect, lengthOf, subtract } from '../../kernel/spans.ts';
import { type Instant, isBefore, type Period } from '../../kernel/time.ts';
import { chargeKey, type OwedCharge } from '../owed/charges.ts';
import {
  addBilled,
  type Behavior,
  type BilledItem,
  type BilledSoFar,
  billedTime,
  billsTime,
  leftOfItem,
  less,
  NOTHING_BILLED,
  notedIn,
  notesLeft,
  quoted,
  timeOfItem,
  totalBilled,
} from './billed.ts';

/** How amounts are quoted. */
export interface Quoting {
  readonly taxBehavior: Behavior;
  readonly currency: string;
}

/** A fee that is owed for a time of which some is not billed yet. */
export interface TimeDue {
  readonly charge: OwedCharge;
  /** The time that nothing has billed. */
  readonly free: readonly Period[];
  /** The bill for the remaining time of the charge; null if there was none. */
  readonly before: BilledSoFar | null;
}

/** Time that an item billed and that is not owed. */
export interface UnusedTime {
  readonly item: BilledItem;
  readonly spans: readonly Period[];
}

/**
 * Lays what was billed for a time over what is owed for it, price by price and quantity by quantity: an instant that is
 * owed is billed by the first item that is for it, what no item is for is due, and what an item is for and is not owed
 * is unused. So no instant is billed twice, and there and back at one instant is nothing. An item of an earlier service
 * interval is for none of the time after the gap (§3). What was billed once is for no time. A minimum that was asked
 * later than the time was billed counts for that time and bills none of it.
 */
export function compareTime(
  owed: readonly OwedCharge[],
  billed: readonly BilledItem[],
  { taxBehavior: behavior, currency }: Quoting,
): { due: TimeDue[]; unused: UnusedTime[] } {
  const free = owed.map(({ period }): readonly Period[] => [period]);
  const before = owed.map((): BilledSoFar | null => null);
  const counts = owed.map(() => 0);
  const unused: UnusedTime[] = [];
  const ofPrice = Map.groupBy(owed.keys(), (index) => (owed[index] as OwedCharge).price.id);
  const places = Map.groupBy(owed.keys(), (index) => chargeKey((owed[index] as OwedCharge).price));
  for (const item of billed) {
    if (!item.isFee || item.priceId === null) continue;
    const whole = lengthOf([item.period]);
    if (whole === 0n) continue;
    const isForTime = billsTime(item);
    const found = isForTime ? places.get(`${item.priceId} ${plain(item.quantity)}`) : ofPrice.get(item.priceId);
    let left = timeOfItem(item);
    let amount = totalBilled(billedTime(item, (all) => all, behavior))
      .minus(creditedOf(item, behavior))
      .plus(quoted(notesLeft(item), behavior));
    for (const index of (found ?? []).filter((each) => isOfInterval(item, owed[each]))) {
      const common = intersect(
        left,
        isForTime ? (free[index] as readonly Period[]) : [(owed[index] as OwedCharge).period],
      );
      if (common.length === 0) continue;
      counts[index] = (counts[index] as number) + 1;
      const share = shareOfAmount({ numerator: lengthOf(common), denominator: whole }, currency);
      const part = billedTime(item, share, behavior);
      left = subtract(left, common);
      amount = amount.minus(totalBilled(part));
      // The last part of an item is for all that is left of it, whatever its parts and its credits were rounded to.
      const last = left.length === 0 && !amount.isZero() ? addBilled(part, remainder(amount)) : part;
      const known = before[index] ?? null;
      before[index] = known === null ? last : addBilled(known, last);
      if (isForTime) free[index] = subtract(free[index] as readonly Period[], common);
    }
    if (left.length > 0) unused.push({ item, spans: left });
  }
  const due = owed.map(
    (charge, index): TimeDue => ({ charge, free: free[index] as readonly Period[], before: before[index] ?? null }),
  );
  return {
    due: due.filter((each, index) => each.free.length > 0 || mayOweMinimum(each, counts[index] as number)),
    unused,
  };
}

/**
 * Is an item of the service interval of a charge? After a gap in which no version has the price begins another one, and
 * so it does where a series begins anew: the series before may have billed time after a resumption that came earlier.
 */
const isOfInterval = ({ period, invoiceEnd }: BilledItem, charge: OwedCharge | undefined): boolean =>
  !((charge?.since && isBefore(period.start, charge.since)) || (charge?.anew && isBefore(invoiceEnd, charge.anew)));

/**
 * All its time is billed, and it is over. Its minimum was not asked while it was open; and where it was billed in
 * parts, a credit may have taken the part that bore the minimum. One item that bears all of it gives back its own
 * share.
 */
const mayOweMinimum = ({ charge: { price, isOpen }, before }: TimeDue, items: number): boolean =>
  price.minimumAmount !== null &&
  price.paymentTerm === 'in_arrears' &&
  isOpen !== true &&
  (items > 1 || before?.minimum.isZero() === true);

/** The remainder of an item, as a charge. */
const remainder = (amount: Decimal): BilledSoFar => ({
  ...NOTHING_BILLED,
  charges: [{ group: {}, quantity: ZERO, amount, tiers: null }],
});

/** The credit of an item, as its price quotes it. */
const creditedOf = ({ credits }: BilledItem, behavior: Behavior): Decimal =>
  sum(credits.map((credit) => quoted(credit, behavior)));

/** A part of an amount, rounded to the currency; all of it for all of it. */
const shareOfAmount =
  ({ numerator, denominator }: Fraction, currency: string) =>
  (amount: Decimal): Decimal =>
    numerator === denominator
      ? amount
      : roundTo(amount.times(numerator.toString()).div(denominator.toString()), currency, 'half-away-from-zero');

/** The credit of an item for unused time. */
export interface TimeCredit {
  readonly item: BilledItem;
  readonly span: Period;
  readonly net: Decimal;
  readonly tax: Decimal;
  /** The share of the item's time. */
  readonly share: Fraction;
}

/**
 * The credits for unused time mirror the lines that they take back (§3 Credits): a share of their net amount and of
 * their own tax, all of what is left where nothing of the time remains, and never more than is left. Of inclusive
 * prices it is the share of the gross amount. Lines that came to nothing give nothing.
 * @param isGiven false for time that nothing is given for
 */
export function creditsOf(
  { item, spans }: UnusedTime,
  { taxBehavior: behavior, currency }: Quoting,
  isGiven: (from: Instant) => boolean,
): TimeCredit[] {
  const given = spans.filter(({ start }) => isGiven(start));
  const isAllOfIt = lengthOf(timeOfItem(item)) === lengthOf(given);
  let left = leftOfItem(item);
  return given.flatMap((span, index): TimeCredit[] => {
    const share: Fraction = { numerator: lengthOf([span]), denominator: lengthOf([item.period]) };
    const part = shareOfAmount(share, currency);
    const noted = notedIn(item, span);
    const isLast = isAllOfIt && index === given.length - 1;
    const tax = isLast ? left.tax : Decimal.min(left.tax, part(item.tax).minus(noted.tax));
    const whole = part(quoted(item, behavior))
      .minus(quoted(noted, behavior))
      .minus(behavior === 'inclusive' ? tax : ZERO);
    const net = isLast ? left.net : Decimal.min(left.net, whole);
    left = less(left, { net, tax });
    return net.plus(tax).lte(0) ? [] : [{ item, span, share, net, tax }];
  });
}
