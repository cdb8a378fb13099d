import { Decimal, decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { allocate } from '../../kernel/money.ts';
import { type Instant, isAfter, isBefore, type Period } from '../../kernel/time.ts';
import { type SpentUntil, spendingsOf } from '../owed/burn.ts';
import type { HeldSegment } from '../terms/commitment.ts';
import { listPriceId } from '../terms/list-price.ts';
import type { StoredCredit, StoredLine } from './billed.ts';

/** A part of what a subscription comes to, before tax, at its time. */
export interface Spending {
  readonly subscriptionId: string;
  /** The catalog's price; null: the minimum of the plan. */
  readonly priceId: string | null;
  readonly at: Instant;
  /** Below 0: more is taken back than was billed. */
  readonly amount: Decimal;
}

/** What the usage of a price comes to until instants of its period. */
export interface Split {
  readonly priceId: string;
  readonly period: Period;
  /** In the order of time. */
  readonly until: readonly SpentUntil[];
}

/** A line, or a credit of one, as it counts. */
interface Entry {
  readonly priceId: string | null;
  readonly kind: 'fee' | 'usage' | 'minimum';
  readonly period: Period;
  readonly amount: Decimal;
}

/**
 * What lines of a subscription and credits of them come to, each part at its time (commercial.md §4): usage at its own
 * time, a fee where its service begins, a minimum at the end of its period. What a credit note gives back of all of an
 * invoice is not spent.
 */
export function spendingsIn(
  lines: readonly StoredLine[],
  credits: readonly StoredCredit[],
  splits: readonly Split[],
): Omit<Spending, 'subscriptionId'>[] {
  const groups = Map.groupBy(entriesOf(lines, credits), (entry) => keyOf(entry, splits));
  return [...groups.values()].flatMap((entries): Omit<Spending, 'subscriptionId'>[] => {
    const [{ kind, priceId, period }] = entries as [Entry, ...Entry[]];
    const amount = sum(entries.map((entry) => entry.amount));
    if (amount.isZero()) return [];
    const of = { priceId: listPriceId(priceId) };
    if (kind === 'fee') return [{ ...of, at: period.start, amount }];
    if (kind === 'minimum') return [{ ...of, at: period.end.subtract({ microseconds: 1 }), amount }];
    const split = splitOf(entries[0] as Entry, splits);
    if (split === undefined || amount.lt(0)) return [{ ...of, at: period.start, amount }];
    return spendingsOf(0, split.period, amount, split.until).map((part) => ({
      ...of,
      at: part.time.start,
      amount: part.amount,
    }));
  });
}

function entriesOf(lines: readonly StoredLine[], credits: readonly StoredCredit[]): Entry[] {
  const counted = lines.filter(isSpending);
  const known = new Map(counted.map((line) => [lineKey(line), line]));
  const takers = Map.groupBy(
    counted.filter((line) => line.workings?.coupon?.period !== undefined && !isGivenBack(line)),
    ({ workings }) => couponKey(workings?.coupon),
  );
  return [
    ...counted.flatMap((line): Entry[] => {
      const taken = isGivenBack(line) ? takers.get(couponKey(line.workings?.coupon)) : undefined;
      return taken ? shared(amountOf(line), taken) : [entryOf(line, line, amountOf(line))];
    }),
    ...credits.flatMap((credit): Entry[] => {
      const { coupon } = credit.correction ?? {};
      if (coupon) return shared(credit.net.negated(), takers.get(couponKey(coupon)) ?? []);
      const line = known.get(lineKey(credit));
      const period = { periodStart: credit.chargedFrom, periodEnd: credit.chargedTo };
      return line ? [entryOf({ ...line, type: 'charge' }, period, credit.net.negated())] : [];
    }),
  ];
}

/** Is it what a coupon has back of a period? It is of no charge, and of no time. */
const isGivenBack = ({ type, priceId, periodStart, periodEnd }: StoredLine): boolean =>
  type === 'coupon' && priceId === null && periodStart.equals(periodEnd);

const couponKey = (of: { readonly redemptionId: string; readonly period?: string } | undefined): string =>
  `${of?.redemptionId} ${of?.period}`;

/** What a coupon has back of a period, as the lines by which it took it: of their prices, and at their times. */
function shared(amount: Decimal, taken: readonly StoredLine[]): Entry[] {
  const weights = taken.map(({ net }) => net.abs());
  const shares = taken[0] ? allocate(amount, weights, taken[0].currency) : [];
  return taken.map((line, place) => entryOf(line, line, shares[place] as Decimal));
}

const lineKey = ({ invoiceId, priceId }: Pick<StoredLine, 'invoiceId' | 'priceId'>): string =>
  `${invoiceId} ${priceId ?? ''}`;

const NOT_SPENT: ReadonlySet<string> = new Set(['credit', 'billing_credit', 'true_up']);

/** Does a line say what the subscription comes to? One by hand does not, nor one of an invoice that is given back. */
const isSpending = ({ priceId, type, status, isRefunded }: StoredLine): boolean =>
  !NOT_SPENT.has(type) &&
  (priceId !== null || type === 'commitment' || type === 'coupon') &&
  status !== 'CANCELLED' &&
  !isRefunded;

/** What a total of 0 cut off a line of a draft is credited elsewhere as the draft is issued. */
const amountOf = ({ net, status, workings }: StoredLine): Decimal =>
  status === 'DRAFT' ? net.plus(decimal(workings?.cut ?? '0')) : net;

const entryOf = (
  { priceId, feeId, type }: Pick<StoredLine, 'priceId' | 'feeId' | 'type'>,
  { periodStart: start, periodEnd: end }: Pick<StoredLine, 'periodStart' | 'periodEnd'>,
  amount: Decimal,
): Entry => ({
  priceId,
  kind: priceId === null || type === 'minimum' ? 'minimum' : feeId === null ? 'usage' : 'fee',
  period: { start, end },
  amount,
});

/** Entries of one key are one amount at one time. */
function keyOf(entry: Entry, splits: readonly Split[]): string {
  const { priceId, kind, period } = entry;
  const { start, end } = splitOf(entry, splits)?.period ?? period;
  if (kind === 'fee') return `fee ${priceId} ${start.toString()}`;
  return `${kind} ${priceId ?? ''} ${kind === 'minimum' ? '' : start.toString()} ${end.toString()}`;
}

const splitOf = ({ priceId, kind, period }: Entry, splits: readonly Split[]): Split | undefined =>
  kind === 'usage'
    ? splits.find(
        (split) =>
          split.priceId === priceId &&
          !isBefore(period.start, split.period.start) &&
          !isAfter(period.end, split.period.end),
      )
    : undefined;

/** A commitment, as far as spending counts for it. */
export interface Spendable {
  readonly segments: readonly HeldSegment[];
  /** Its segments have one amount together. */
  readonly isTerm: boolean;
  readonly counts: (spending: Pick<Spending, 'subscriptionId' | 'priceId'>) => boolean;
}

/**
 * What is spent for the segments of commitments: spendings in the order of their time, each for one commitment at a
 * time. When that has what it needs, the rest is for the next one; what none needs is more of the first.
 * @param commitments in their order
 * @returns the sums of the segments of each
 */
export function allocateSpending(commitments: readonly Spendable[], spendings: readonly Spending[]): Decimal[][] {
  const spent = commitments.map(({ segments }) => segments.map(() => ZERO));
  const ordered = spendings.toSorted((a, b) => Temporal.Instant.compare(a.at, b.at));
  const add = ({ of, segment }: Place, amount: Decimal): void => {
    const own = spent[of] as Decimal[];
    own[segment] = (own[segment] as Decimal).plus(amount);
  };
  for (const spending of ordered) {
    const places = placesOf(commitments, spending);
    let open = spending.amount;
    for (const place of places) {
      const taken = Decimal.min(Decimal.max(ZERO, open), roomOf(commitments, spent, place));
      add(place, taken);
      open = open.minus(taken);
    }
    const [first] = places;
    if (first) add(first, open);
  }
  return spent;
}

/** A segment of a commitment. */
interface Place {
  readonly of: number;
  readonly segment: number;
}

const placesOf = (commitments: readonly Spendable[], spending: Spending): Place[] =>
  commitments.flatMap(({ segments, counts }, of) => {
    const { at } = spending;
    const segment = segments.findIndex(({ start, until }) => !isBefore(at, start) && isBefore(at, until));
    return segment !== -1 && counts(spending) ? [{ of, segment }] : [];
  });

/** What is missing to the amount of a segment, or of all of them. */
function roomOf(commitments: readonly Spendable[], spent: readonly Decimal[][], { of, segment }: Place): Decimal {
  const { segments, isTerm } = commitments[of] as Spendable;
  const own = spent[of] as Decimal[];
  const left = isTerm
    ? sum(segments.map(({ amount }) => amount)).minus(sum(own))
    : (segments[segment] as HeldSegment).amount.minus(own[segment] as Decimal);
  return Decimal.max(ZERO, left);
}
