import { Decimal, decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import { intersect, lengthOf, subtract } from '../../kernel/spans.ts';
import type { Instant, Period } from '../../kernel/time.ts';
import { groupKey } from '../invoice/billed-usage.ts';
import type { TierRecord } from '../invoice/invoice-line.ts';
import type { LineWorkings } from '../invoice/workings.ts';
import { limitsOf } from '../rating/index.ts';

/** A line of an invoice that was calculated, as the difference reads it. */
export interface StoredLine {
  readonly invoiceId: string;
  /** The end of the invoice's period; of an invoice without a period the time of its creation. */
  readonly invoiceEnd: Instant;
  readonly status: string;
  /** It has a valid refund, so nothing is left to credit. */
  readonly isRefunded: boolean;
  readonly priceId: string | null;
  readonly feeId: string | null;
  /** charge, grants, adjustment, maximum, minimum, late_usage … */
  readonly type: string;
  readonly displayName: string;
  readonly quantity: Decimal;
  readonly unitPrice: Decimal;
  readonly net: Decimal;
  readonly tax: Decimal;
  readonly taxRate: Decimal;
  readonly currency: string;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  readonly group: Readonly<Record<string, string | null>> | null;
  readonly tiers: readonly TierRecord[] | null;
  readonly workings: LineWorkings | null;
}

/** The credit of the lines of a price on an invoice. */
export interface StoredCredit {
  readonly invoiceId: string;
  readonly priceId: string | null;
  readonly chargedFrom: Instant;
  readonly chargedTo: Instant;
  readonly unusedFrom: Instant;
  readonly unusedTo: Instant;
  readonly net: Decimal;
  readonly tax: Decimal;
  /** For a correction, the credit of each kind; null: it credits time. */
  readonly correction: Correction | null;
  /** A credit note of a person: it reduces the lines, and counts as billed. */
  readonly isNote?: boolean;
}

/** A correction in the kinds of lines of which a charge is made, as decimal text; below 0. */
export interface Correction {
  readonly quantity: string;
  readonly charge: string;
  readonly discount: string;
  readonly maximum: string;
  readonly minimum: string;
  /** By redemption; absent: none. */
  readonly coupons?: Readonly<Record<string, string>>;
  /** It is of what a coupon took of a whole period, and of no charge. */
  readonly coupon?: { readonly redemptionId: string; readonly period: string };
}

/** The lines of one price and one service interval on one invoice. */
export interface BilledItem extends Pick<StoredLine, 'invoiceEnd'> {
  readonly invoiceId: string;
  /** Of a coupon for a whole period: its redemption, and the period. */
  readonly redemptionId?: string;
  readonly priceId: string | null;
  readonly isFee: boolean;
  readonly displayName: string;
  readonly quantity: Decimal;
  readonly period: Period;
  /**
   * Can something of it be taken back? Not of an invoice that was cancelled or written off, nor while a refund gives
   * all of it back; what those billed is not billed again all the same.
   */
  readonly isStanding: boolean;
  readonly lines: readonly StoredLine[];
  readonly net: Decimal;
  readonly tax: Decimal;
  readonly taxRate: Decimal;
  readonly credits: readonly StoredCredit[];
  /** What billing credits pay of it, less what was given back. */
  readonly uses: readonly CreditUse[];
}

/** What a billing credit pays of an item. */
export interface CreditUse {
  readonly billingCreditId: string;
  /** Before tax. */
  readonly amount: Decimal;
}

/** Are amounts quoted with their tax? */
export type Behavior = 'exclusive' | 'inclusive';

const STANDING: ReadonlySet<string> = new Set(['DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID']);

/** Groups lines into items, in the order in which they were billed. */
export function itemsOf(lines: readonly StoredLine[], credits: readonly StoredCredit[]): BilledItem[] {
  const [ofCoupons, ofCharges] = [true, false].map((isOf) =>
    credits.filter(({ correction }) => (correction?.coupon !== undefined) === isOf),
  ) as [StoredCredit[], StoredCredit[]];
  const ofItem = Map.groupBy(ofCharges, (credit) =>
    keyOf(credit.invoiceId, credit.priceId, { start: credit.chargedFrom, end: credit.chargedTo }),
  );
  const uses = Map.groupBy(lines.filter(isUseOfCharge), (line) =>
    keyOf(line.workings?.use?.onInvoiceId ?? line.invoiceId, line.priceId, timeOfLine(line)),
  );
  const charges = lines.filter((line) => !isOfPeriod(line) && !isUse(line));
  const groups = Map.groupBy(charges, (line) => keyOf(line.invoiceId, line.priceId, timeOfLine(line)));
  return [...chargeItems(groups, { credits: ofItem, uses }), ...couponItems(lines.filter(isOfPeriod), ofCoupons)];
}

const timeOfLine = ({ periodStart: start, periodEnd: end }: StoredLine): Period => ({ start, end });

/** Does a billing credit pay by it, or have something back? It is no part of the charge: no credit mirrors it. */
const isUse = ({ workings }: StoredLine): boolean => workings?.use !== undefined;

/** Does it pay a charge, and not what is missing to a commitment? */
const isUseOfCharge = (line: StoredLine): boolean => isUse(line) && line.workings?.use?.commitmentId === undefined;

/** What the billing credits pay by lines that count. */
function usesOf(lines: readonly StoredLine[]): CreditUse[] {
  const counted = lines.filter(({ status, isRefunded }) => !isRefunded && status !== 'CANCELLED');
  const ofCredits = Map.groupBy(counted, ({ workings }) => workings?.use?.billingCreditId ?? '');
  return [...ofCredits]
    .map(([billingCreditId, those]) => ({ billingCreditId, amount: sum(those.map(({ net }) => net)).negated() }))
    .filter(({ amount }) => amount.gt(0));
}

/** Is it the line of a coupon that is worked out for a whole period? A credit of its charge does not mirror it. */
const isOfPeriod = ({ workings }: StoredLine): boolean => workings?.coupon?.period !== undefined;

/** What a coupon took of a period on an invoice, as an item of its own. */
const couponItems = (lines: readonly StoredLine[], credits: readonly StoredCredit[]): BilledItem[] =>
  [
    ...Map.groupBy(lines, ({ invoiceId, workings }) => {
      const { redemptionId = '', period = '' } = workings?.coupon ?? {};
      return `${invoiceId} ${redemptionId} ${period}`;
    }).values(),
  ].map((those): BilledItem => {
    const [first] = those as [StoredLine];
    const { redemptionId = '', period = '' } = first.workings?.coupon ?? {};
    const start = Temporal.Instant.from(period);
    const own = credits.filter(
      ({ invoiceId, correction }) =>
        invoiceId === first.invoiceId &&
        correction?.coupon?.redemptionId === redemptionId &&
        correction.coupon.period === period,
    );
    return {
      ...itemOf(those, first, own),
      ...{ redemptionId, priceId: null, isFee: false, period: { start, end: start } },
    };
  });

function chargeItems(
  groups: ReadonlyMap<string, StoredLine[]>,
  of: {
    readonly credits: ReadonlyMap<string, readonly StoredCredit[]>;
    readonly uses: ReadonlyMap<string, readonly StoredLine[]>;
  },
): BilledItem[] {
  return [...groups].flatMap(([key, all]): BilledItem[] => {
    const those = standingOf(all);
    if (those.length === 0) return [];
    const first = those.find(({ type }) => type === 'charge') ?? (those[0] as StoredLine);
    return [{ ...itemOf(those, first, of.credits.get(key) ?? []), uses: usesOf(of.uses.get(key) ?? []) }];
  });
}

const itemOf = (those: readonly StoredLine[], first: StoredLine, credits: readonly StoredCredit[]): BilledItem => ({
  invoiceId: first.invoiceId,
  invoiceEnd: first.invoiceEnd,
  priceId: first.priceId,
  isFee: first.feeId !== null,
  displayName: first.displayName,
  quantity: first.quantity,
  period: { start: first.periodStart, end: first.periodEnd },
  isStanding: STANDING.has(first.status) && !first.isRefunded,
  lines: those,
  ...sumWithTax(those),
  taxRate: first.taxRate,
  credits,
  uses: [],
});

/**
 * The lines of an item that count. What a cancelled or refunded invoice took back of other invoices counts for nothing,
 * but for the part that a total of 0 cut off it: credit notes on those invoices have that part.
 */
function standingOf(lines: readonly StoredLine[]): readonly StoredLine[] {
  const isGone = ({ status, isRefunded, type, net }: StoredLine) =>
    (status === 'CANCELLED' || isRefunded) && type === 'late_usage' && net.lt(0);
  if (!lines.some(isGone)) return lines;
  const gone = lines.some(({ type }) => type === 'charge') ? lines.filter(isGone) : lines; // with their discounts
  const noted = sum(gone.map(cutOf));
  const whole = noted.plus(sum(gone.map(({ net }) => net)));
  let left = noted;
  return lines.flatMap((line): StoredLine[] => {
    if (!gone.includes(line)) return [line];
    if (noted.isZero()) return [];
    const share = line.net.plus(cutOf(line)).times(noted).div(whole);
    const cut = line === gone.at(-1) ? left : roundTo(share, line.currency, 'half-away-from-zero');
    left = left.minus(cut);
    const { noted: units = '0' } = line.workings?.takenBack ?? {};
    const takenBack = { units, noted: units };
    return [
      { ...line, quantity: ZERO, net: ZERO, tax: ZERO, workings: { ...line.workings, takenBack, cut: plain(cut) } },
    ];
  });
}

const keyOf = (invoiceId: string, priceId: string | null, { start, end }: Period): string =>
  `${invoiceId} ${priceId ?? ''} ${start.toString()} ${end.toString()}`;

/** The part of an item that is not credited yet, before tax and of its tax. */
export const leftOfItem = (item: BilledItem): AmountWithTax => less(item, sumWithTax(item.credits));

/**
 * What is left of the net amounts of bills of one price in time that overlaps, in the order of billing: what a
 * correction among them takes back is off the last bill before it first.
 */
export function leftOfBills(bills: readonly BilledItem[]): Decimal[] {
  let taken = ZERO;
  const fromLast = bills.toReversed().map((bill): Decimal => {
    const { net } = leftOfItem(bill);
    if (net.lte(0)) taken = taken.minus(net);
    if (net.lte(0) || !bill.isStanding) return ZERO;
    const off = Decimal.min(net, taken);
    taken = taken.minus(off);
    return net.minus(off);
  });
  return fromLast.toReversed();
}

/** The same without what billing credits pay of it. */
export function moneyLeftOf(item: BilledItem): AmountWithTax {
  const { net, tax } = leftOfItem(item);
  const paid = sum(item.uses.map(({ amount }) => amount));
  const ofTax = item.net.isZero() ? ZERO : item.tax.times(paid).div(item.net);
  const { currency = '' } = item.lines[0] ?? {};
  return {
    net: net.minus(paid),
    tax: paid.isZero() ? tax : tax.minus(roundTo(ofTax, currency, 'half-away-from-zero')),
  };
}

/**
 * Does an item bill the time of its dates? One that is only a minimum does not: it raises what other items of that time
 * billed.
 */
export const billsTime = ({ lines }: BilledItem): boolean => lines.some(({ type }) => type !== 'minimum');

/** The time for which an item still is. */
export const timeOfItem = ({ period, credits }: BilledItem): Period[] =>
  subtract(
    [period],
    credits
      .filter(({ correction }) => correction === null)
      .map(({ unusedFrom: start, unusedTo: end }) => ({ start, end })),
  );

/**
 * The part of the credit notes of people that goes with a time of an item: each has its share of the time that the item
 * was for when it was written, rounded.
 */
export const notedIn = (item: BilledItem, span: Period): AmountWithTax =>
  sumWithTax(notesOf(item).map((note) => shareOfNote(note, span)));

/** A credit note of a person on an item. */
interface ItemNote extends AmountWithTax {
  readonly currency: string;
  /** The time that the item was for when it was written. */
  readonly time: readonly Period[];
  /** The time that credits took since. */
  readonly unused: Period[];
}

function notesOf({ period, credits, lines }: BilledItem): ItemNote[] {
  let time: readonly Period[] = [period];
  const notes: ItemNote[] = [];
  for (const { isNote, correction, net, tax, unusedFrom: start, unusedTo: end } of credits) {
    if (isNote) notes.push({ net, tax, currency: lines[0]?.currency ?? '', time, unused: [] });
    if (correction !== null) continue;
    for (const { unused } of notes) unused.push({ start, end });
    time = subtract(time, [{ start, end }]);
  }
  return notes;
}

function shareOfNote({ net, tax, currency, time }: ItemNote, span: Period): AmountWithTax {
  const [part, whole] = [lengthOf(intersect(time, [span])), lengthOf(time)].map(String) as [string, string];
  const share = (amount: Decimal) => roundTo(amount.times(part).div(whole), currency, 'half-away-from-zero');
  return { net: share(net), tax: share(tax) };
}

/** The part of the credit notes of people that no credit for time has taken with it. */
export function notesLeft(item: BilledItem): AmountWithTax {
  const isOver = lengthOf([item.period]) > 0n && timeOfItem(item).length === 0;
  if (isOver) return sumWithTax([]);
  return sumWithTax(
    notesOf(item).map((note) => less(note, sumWithTax(note.unused.map((span) => shareOfNote(note, span))))),
  );
}

/** A net amount and its tax. */
export interface AmountWithTax {
  readonly net: Decimal;
  readonly tax: Decimal;
}

/** Several together. */
export const sumWithTax = (all: readonly AmountWithTax[]): AmountWithTax => ({
  net: sum(all.map(({ net }) => net)),
  tax: sum(all.map(({ tax }) => tax)),
});

/** One without another one. */
export const less = (a: AmountWithTax, b: AmountWithTax): AmountWithTax => ({
  net: a.net.minus(b.net),
  tax: a.tax.minus(b.tax),
});

/** The same amount, taken back. */
export const negated = (amount: AmountWithTax): AmountWithTax => less(sumWithTax([]), amount);

/** The amount with its tax. */
export const grossOf = ({ net, tax }: AmountWithTax): Decimal => net.plus(tax);

/** The part of an item that is not credited, before the credit notes of people, as its price quotes it. */
export function leftBeforeNotes(item: BilledItem, behavior: Behavior): Decimal {
  return quoted(sumWithTax([leftOfItem(item), notesLeft(item)]), behavior).plus(pendingCut(item));
}

/** What a total of 0 cut off the lines of a draft, as prices quote it: its issue credits that on other bills. */
export const pendingCut = ({ lines }: BilledItem): Decimal =>
  sum(lines.filter(({ status }) => status === 'DRAFT').map(cutOf));

/** The bill of a charge, in the kinds of its lines, before a total of 0 cut it. */
export interface BilledSoFar {
  readonly charges: readonly BilledGroup[];
  readonly discount: Decimal;
  /** What coupons took of it, by redemption. */
  readonly coupons: Readonly<Record<string, Decimal>>;
  readonly maximum: Decimal;
  readonly minimum: Decimal;
  /** Units that grants covered. */
  readonly granted: Decimal;
}

/** A charge of which nothing is billed yet. */
export const NOTHING_BILLED: BilledSoFar = {
  charges: [],
  ...{ discount: ZERO, coupons: {}, maximum: ZERO, minimum: ZERO, granted: ZERO },
};

/** The charge lines of one group of usage. */
export interface BilledGroup {
  readonly group: Readonly<Record<string, string | null>>;
  readonly quantity: Decimal;
  readonly amount: Decimal;
  readonly tiers: readonly TierRecord[] | null;
}

/** The amount of a line as its price quotes it. */
export const quoted = ({ net, tax }: AmountWithTax, behavior: Behavior): Decimal =>
  behavior === 'inclusive' ? net.plus(tax) : net;

/** The amount of a line before a total of 0 cut it; the cut part is credited in another way. */
export const beforeCut = (line: StoredLine, behavior: Behavior): Decimal =>
  quoted(line, behavior)
    .plus(cutOf(line))
    .plus(decimal(line.workings?.lost ?? '0'));

/** All units of a line, of which it may bear a part. */
const unitsOf = ({ quantity, workings }: StoredLine): Decimal => decimal(workings?.takenBack?.units ?? quantity);

const cutOf = ({ workings }: StoredLine): Decimal => decimal(workings?.cut ?? '0');

/**
 * Adds up what several items billed of one charge of usage.
 * @param isAddedUp false: each invoice says the figure of the period as it was then, so that the last one counts
 */
export function billedUsage(items: readonly BilledItem[], behavior: Behavior, isAddedUp: boolean): BilledSoFar {
  const lines = items.flatMap((item) => item.lines);
  const corrections = items.flatMap(({ credits }) => credits.flatMap(({ correction }) => correction ?? []));
  const ofType = (...types: string[]) => lines.filter(({ type }) => types.includes(type));
  const total = (kinds: readonly StoredLine[], name: 'charge' | 'discount' | 'maximum' | 'minimum') =>
    sum([...kinds.map((line) => beforeCut(line, behavior)), ...corrections.map((each) => decimal(each[name]))]);
  const limits = (name: 'maximum' | 'minimum') =>
    total(ofType(name), name).plus(
      sum(ofType('late_usage').map(({ workings }) => decimal(workings?.late?.[name] ?? '0'))),
    );
  const charges = groupsOf(ofType('charge', 'late_usage'), behavior, isAddedUp);
  const [first] = charges;
  const corrected = first && {
    ...first,
    quantity: first.quantity.plus(sum(corrections.map((each) => decimal(each.quantity)))),
    amount: first.amount.plus(sum(corrections.map((each) => decimal(each.charge)))),
  };
  return {
    charges: corrected ? [corrected, ...charges.slice(1)] : charges,
    discount: total(ofType('adjustment'), 'discount'),
    coupons: addUp([
      ...couponsOf(lines, (line) => beforeCut(line, behavior)),
      ...corrections.map(({ coupons = {} }) => decimals(coupons)),
    ]),
    maximum: limits('maximum'),
    minimum: limits('minimum'),
    granted: sum(ofType('grants').map(({ quantity }) => quantity)),
  };
}

function groupsOf(lines: readonly StoredLine[], behavior: Behavior, isAddedUp: boolean): BilledGroup[] {
  return [...Map.groupBy(lines, ({ group }) => JSON.stringify(group ?? {})).values()].map((those): BilledGroup => {
    const limits = sum(those.map(({ workings }) => limitsOf(workings)));
    const figure = those.findLastIndex(({ type }) => type === 'charge');
    return {
      group: (those[0] as StoredLine).group ?? {},
      quantity: sum((isAddedUp ? those : those.slice(Math.max(0, figure))).map(unitsOf)),
      amount: sum(those.map((line) => beforeCut(line, behavior))).minus(limits),
      tiers: those.every(({ tiers }) => tiers === null) ? null : those.flatMap(({ tiers }) => tiers ?? []),
    };
  });
}

/** The bill of an item for a part of its time, in the kinds of lines; `share` gives the share of an amount. */
export function billedTime(item: BilledItem, share: (amount: Decimal) => Decimal, behavior: Behavior): BilledSoFar {
  const total = (...types: string[]) =>
    share(sum(item.lines.filter(({ type }) => types.includes(type)).map((line) => beforeCut(line, behavior))));
  return {
    charges: [{ group: {}, quantity: ZERO, amount: total('charge'), tiers: null }],
    discount: total('adjustment'),
    coupons: addUp(couponsOf(item.lines, (line) => share(beforeCut(line, behavior)))),
    maximum: total('maximum'),
    minimum: total('minimum'),
    granted: ZERO,
  };
}

/** Two of the same charge as one. */
export const addBilled = (a: BilledSoFar, b: BilledSoFar): BilledSoFar => ({
  charges: [
    {
      group: {},
      quantity: ZERO,
      tiers: null,
      amount: sum([...a.charges, ...b.charges].map(({ amount }) => amount)),
    },
  ],
  discount: a.discount.plus(b.discount),
  coupons: addUp([a.coupons, b.coupons]),
  maximum: a.maximum.plus(b.maximum),
  minimum: a.minimum.plus(b.minimum),
  granted: a.granted.plus(b.granted),
});

/**
 * A bill of a charge of usage, and the bill of a later part of its period.
 * @param isAddedUp false: the later one says the figure of the period as it was then
 */
export function thenBilled(earlier: BilledSoFar, later: BilledSoFar, isAddedUp: boolean): BilledSoFar {
  const groups = [...earlier.charges, ...later.charges];
  const charges = [...Map.groupBy(groups, ({ group }) => groupKey(group)).values()].map((those): BilledGroup => {
    const last = those.at(-1) as BilledGroup;
    return {
      group: last.group,
      quantity: isAddedUp ? sum(those.map(({ quantity }) => quantity)) : last.quantity,
      amount: sum(those.map(({ amount }) => amount)),
      tiers: those.every(({ tiers }) => tiers === null) ? null : those.flatMap(({ tiers }) => tiers ?? []),
    };
  });
  return { ...addBilled(earlier, later), charges };
}

/** All that is billed of a charge: its lines together, as they were asked. */
export const totalBilled = ({ charges, discount, coupons, maximum, minimum }: BilledSoFar): Decimal =>
  sum([...charges.map(({ amount }) => amount), discount, ...Object.values(coupons), maximum, minimum]);

/** The amounts of coupon lines, each under its redemption. */
const couponsOf = (lines: readonly StoredLine[], amountOf: (line: StoredLine) => Decimal) =>
  lines.flatMap((line) => (line.workings?.coupon ? [{ [line.workings.coupon.redemptionId]: amountOf(line) }] : []));

const decimals = (texts: Readonly<Record<string, string>>): Record<string, Decimal> =>
  Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, decimal(text)]));

/** Amounts by name, added up. */
export function addUp(all: readonly Readonly<Record<string, Decimal>>[]): Record<string, Decimal> {
  const total: Record<string, Decimal> = {};
  for (const [id, amount] of all.flatMap((each) => Object.entries(each))) total[id] = (total[id] ?? ZERO).plus(amount);
  return total;
}
