import { plain } from '../../kernel/decimal.ts';
import { type Fraction, WHOLE } from '../../kernel/fraction.ts';
import { intersect, overlap, subtract } from '../../kernel/spans.ts';
import {
  earliest,
  HOURS_PER_DAY,
  type Instant,
  isAfter,
  isBefore,
  latest,
  microsecondsBetween,
  type Period,
} from '../../kernel/time.ts';
import { isAdditive } from '../rating/index.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import { listPriceId } from '../terms/list-price.ts';
import {
  boundsOfSeries,
  cadenceOfPrice,
  cadencesOf,
  type HistoricTerms,
  pausesIn,
  prorationOf,
  type Segment,
  segmentAt,
  segmentsOf,
  spansOf,
  termsBefore,
  timeIn,
  versionsOf,
} from '../timeline/segments.ts';
import { periodHolding, periodOf, type SeriesPeriod } from '../timeline/series.ts';
import { type ChargeCoupon, withCoupons } from './coupons.ts';

/** A charge that a subscription owes: a price for a service interval. */
export interface OwedCharge {
  readonly price: BilledPrice;
  /** The dates of its lines. */
  readonly period: Period;
  /** The share of its whole period; always 1 for a price that is billed once. */
  readonly fraction: Fraction;
  /** The spans with counted usage: not all of `period` if the price was absent for a while. */
  readonly spans: readonly Period[];
  /** The share of the whole period for its maximum; `fraction` if absent. */
  readonly limits?: Fraction;
  /** The share of it for its minimum, if the period became shorter after it was billed; `limits` if absent. */
  readonly least?: Fraction;
  /** The period is not over yet, so that its minimum is not asked. */
  readonly isOpen?: boolean;
  /** A version took its price up again here, after a gap: earlier bills are of another service interval. */
  readonly since?: Instant;
  /** Its series begins here, after a pause or a gap: bills of invoices that ended before are of an earlier series. */
  readonly anew?: Instant;
  /** The coupons that are worked out on it alone, the oldest first; absent: none. */
  readonly coupons?: readonly ChargeCoupon[];
}

/** A whole period of a series, as the subscription clips it. */
export interface Cell extends SeriesPeriod {
  readonly cadence: string;
}

/** The identity of an invoice's period. */
export interface InvoicePeriod {
  readonly billingCadence: string;
  readonly periodNumber: number;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
}

/** Fees of another quantity are other charges; usage is one charge at every quantity of its price. */
export const chargeKey = ({ id, metric, quantity }: Pick<BilledPrice, 'id' | 'metric' | 'quantity'>): string =>
  metric === null ? `${id} ${plain(quantity)}` : id;

/**
 * The terms as they were while an invoice billed its period: a subscription that was ended as of an earlier time had no
 * end then. What it used until the end of that period stays billed (§3 Ends).
 */
export function asBilled<Terms extends HistoricTerms>(
  terms: Terms,
  { periodEnd: end }: Pick<InvoicePeriod, 'periodEnd'>,
): Terms {
  const { endsAt } = terms.bounds;
  if (endsAt === null || !isBefore(endsAt, end)) return terms;
  return { ...terms, isOfOpenEnd: true, bounds: { ...terms.bounds, endsAt: end } };
}

/** Did the period go on as it was cut at the end of an invoice (`closeNow`)? */
export function isCut(terms: HistoricTerms, invoice: InvoicePeriod): boolean {
  const then = terms.isOfOpenEnd ? { ...terms, bounds: { ...terms.bounds, endsAt: null } } : terms;
  return isBefore(invoice.periodEnd, cellOf(then, invoice).end);
}

/** The whole period in which the period of an invoice lies. @throws where the terms have no such series */
export function cellOf(terms: HistoricTerms, invoice: InvoicePeriod): Cell {
  const { billingCadence: cadence, periodNumber: number, periodStart: start } = invoice;
  const bounds = boundsOfSeries(terms, cadence, start);
  if (!bounds) throw new Error(`The plan has no series of ${cadence}.`);
  const period = periodOf(cadence, bounds, number);
  if (!period) throw new Error(`Period ${number} of ${cadence} does not include ${start.toString()}.`);
  return { ...period, cadence };
}

/** The end of an invoice's period by the terms as they are; null if there is no such period, or no part of it. */
export function endOfPeriod(terms: HistoricTerms, invoice: InvoicePeriod & { billingAnchor: Instant }): Instant | null {
  const { billingCadence: cadence, billingAnchor: anchor, periodStart: start, periodNumber: number } = invoice;
  const bounds = boundsOfSeries(terms, cadence, start);
  if (!bounds?.anchor.equals(anchor)) return null;
  return periodOf(cadence, { ...bounds, startedAt: latest(bounds.startedAt, start) }, number)?.end ?? null;
}

/** The whole period of a series that holds an instant; null where there is none. */
export function cellAt(terms: HistoricTerms, cadence: string, at: Instant): Cell | null {
  const bounds = boundsOfSeries(terms, cadence, at);
  const period = bounds && periodHolding(cadence, bounds, at);
  return period && { ...period, cadence };
}

/** The period after another one; null where the series ends with it. */
export function nextCell(terms: HistoricTerms, cell: Cell): Cell | null {
  if (!cell.end.equals(cell.whole.end)) return null;
  const bounds = boundsOfSeries(terms, cell.cadence, cell.start);
  const period = bounds && periodOf(cell.cadence, bounds, cell.number + 1);
  return period && { ...period, cadence: cell.cadence };
}

/** The usage and fees in arrears of a period up to an instant, in the order of the prices. */
export const chargesInArrears = (terms: HistoricTerms, cell: Cell, until: Instant): OwedCharge[] => {
  const segments = segmentsOf(terms);
  const charges = pricesIn(segments, cell).flatMap((price) =>
    price.metric === null
      ? feesOf(segments, cell, price, 'in_arrears', until)
      : usageOf(segments, cell, price as MeteredPrice, until),
  );
  return withCoupons(terms, charges);
};

/** The fees in advance of a period: a charge for each time in which one holds. */
export const chargesInAdvance = (terms: HistoricTerms, cell: Cell): OwedCharge[] =>
  withCoupons(terms, feesInAdvance(terms, cell));

/**
 * The fees in advance of a period that are asked before an instant in it. What a change or a resumption brings at that
 * instant or later is asked when it comes (docs/decisions/0290): so these are the fees owed with and without it.
 */
export function chargesInAdvanceBefore(terms: HistoricTerms, cell: Cell, instant: Instant): OwedCharge[] {
  const then = terms.asksAhead ? terms : termsBefore(terms, instant);
  if (then === terms) return chargesInAdvance(terms, cell);
  const known = feesInAdvance(then, cell);
  const both = feesInAdvance(terms, cell).flatMap((charge) => {
    const same = known.filter(({ price }) => chargeKey(price) === chargeKey(charge.price));
    const spans = intersect(
      charge.spans,
      same.flatMap((each) => each.spans),
    );
    return spans.map((span) => ({ ...charge, period: span, fraction: partOfWhole(cell, [span]), spans: [span] }));
  });
  return withCoupons(terms, both);
}

function feesInAdvance(terms: HistoricTerms, cell: Cell): OwedCharge[] {
  const segments = segmentsOf(terms);
  return pricesIn(segments, cell).flatMap((price) => feesOf(segments, cell, price, 'in_advance', cell.end));
}

/**
 * The fees of one price in a period, by their time for money, without pauses. At a cut (`until`) they are owed by the
 * second; a fee that is billed in advance is owed whole.
 */
function feesOf(
  segments: readonly [Segment, ...Segment[]],
  cell: Cell,
  price: BilledPrice,
  term: BilledPrice['paymentTerm'],
  until: Instant,
): OwedCharge[] {
  if (price.paymentTerm !== term) return [];
  const paused = pausesIn(segments);
  const anew = beginsAnew(segments, price.id, cell) && { anew: cell.start };
  return spansOf(cell, segments, holding(price, cell.cadence, term)).flatMap((held): OwedCharge[] =>
    timeIn(cell, segments, [held], price.id, paused).flatMap((time) => {
      const span = { start: time.start, end: earliest(time.end, until) };
      if (!isBefore(span.start, span.end)) return [];
      // A price that a change removed before a cut has ended: its minimum is charged.
      const isOpen = isBefore(until, time.end);
      const since = latestOf([takenUpAt(segments, price.id, held.start), resumedAt(segments, time.start)]);
      return [
        {
          ...{ price, period: span, fraction: partOfWhole(cell, [span]), spans: [span] },
          ...(isOpen && { isOpen }),
          ...(since && { since }),
          ...anew,
        },
      ];
    }),
  );
}

/** Does a series begin with a period, after a pause or a gap? */
const beginsAnew = (segments: readonly Segment[], priceId: string, { start }: Cell): boolean =>
  [takenUpAt(segments, priceId, start), resumedAt(segments, start)].some((at) => at?.equals(start));

const latestOf = (times: readonly (Instant | null)[]): Instant | null =>
  times.reduce((one, other) => (one && other ? latest(one, other) : (one ?? other)), null);

/** The end of the last pause before an instant; of one without credits the old bill still counts. */
const resumedAt = (segments: readonly Segment[], at: Instant): Instant | null =>
  pausesIn(segments).findLast((each) => !isAfter(each.end, at) && (each as Segment).credit !== 'none')?.end ?? null;

/**
 * The end of the last gap before an instant in which no version has a price; null without one. Where the change at the
 * beginning of the gap gave no credit, the old bill still counts for its time, so there is none. A change that is
 * prorated by days takes a price up from the start of its day.
 */
function takenUpAt(segments: readonly Segment[], priceId: string, at: Instant): Instant | null {
  let later: Segment | null = null;
  let gap: Segment | null = null;
  for (const segment of segments.filter(({ start }) => !isAfter(start, at)).toReversed()) {
    const isHeld = segment.prices.some(({ id }) => id === priceId);
    if (isHeld && later?.takesUpAnew && gap && gap.credit !== 'none')
      return later.proration === 'day' ? later.start.subtract({ hours: HOURS_PER_DAY }) : later.start;
    if (isHeld) later = segment;
    gap = isHeld ? null : segment;
  }
  return null;
}

type MeteredPrice = BilledPrice & { readonly metric: NonNullable<BilledPrice['metric']> };

/**
 * The usage of one price in a period up to an instant. Usage that adds up is its own measure: what goes with it
 * (included units, flat prices, limits) is that of the whole period, scaled where the price holds only in a part of it,
 * and not scaled at a cut or by a change that is not prorated. All other figures hold for a time and are owed for the
 * time until then.
 */
function usageOf(
  segments: readonly [Segment, ...Segment[]],
  cell: Cell,
  price: MeteredPrice,
  until: Instant,
): OwedCharge[] {
  const all = spansOf(cell, segments, holding(price, cell.cadence, 'in_arrears'));
  const free = pausesIn(segments, 'free');
  const held = intersect(all, [{ start: cell.start, end: until }]);
  const spans = subtract(held, free);
  const [first, last] = [spans[0], spans.at(-1)];
  if (!(first && last)) return [];
  // A pause with usage is no change of what goes with the usage, but its limits are as those of a fee.
  const limits = limitsOf(segments, cell, price, all, pausesIn(segments));
  const fraction = isAdditive(price.metric.meter.aggregation)
    ? limitsOf(segments, cell, price, all, free)
    : share(cell, segments, held, price.id, free);
  if (fraction.numerator === 0n) return [];
  const isOpen = isBefore(until, cell.end);
  return [{ price, period: { start: first.start, end: last.end }, fraction, spans, limits, ...(isOpen && { isOpen }) }];
}

function limitsOf(
  segments: readonly Segment[],
  cell: Cell,
  price: MeteredPrice,
  spans: readonly Period[],
  paused: readonly Period[],
): Fraction {
  if (!isAdditive(price.metric.meter.aggregation)) return share(cell, segments, spans, price.id, paused);
  const cuts = segments.filter(({ start }) => isAfter(start, cell.start) && isBefore(start, cell.end));
  const isCutBy = ({ start }: Segment) => spans.some((span) => span.start.equals(start) || span.end.equals(start));
  const isWhole = cuts.filter(isCutBy).some((cut) => prorationOf(cut, price.id) === 'none');
  return share(cell, [], isWhole ? [cell] : spans, price.id, paused);
}

/** A period that is billed as it is keeps its own fraction, in which a whole is 1 of 1. */
function share(
  cell: Cell,
  segments: readonly Segment[],
  spans: readonly Period[],
  priceId: string,
  paused: readonly Period[],
): Fraction {
  const found = partOfWhole(cell, timeIn(cell, segments, spans, priceId, paused));
  const own = cell.fraction;
  return found.numerator * own.denominator === own.numerator * found.denominator ? own : found;
}

/** Spans of money's time as a part of their whole period. */
export function partOfWhole({ whole }: Pick<Cell, 'whole'>, spans: readonly Period[]): Fraction {
  const denominator = microsecondsBetween(whole.start, whole.end);
  const numerator = spans.reduce((sum, { start, end }) => sum + microsecondsBetween(start, end), 0n);
  return numerator === denominator ? WHOLE : { numerator, denominator };
}

/** The charges that are billed once, of the versions that begin in a time and of prices that no version had before. */
export function chargesOnce(
  terms: HistoricTerms,
  term: BilledPrice['paymentTerm'],
  begins: (segment: Segment) => boolean,
  cell: Period | null,
): OwedCharge[] {
  const segments = segmentsOf(terms);
  const charges = segments.flatMap((segment, place) => {
    if (!begins(segment) || segment.paused !== undefined) return [];
    const earlier = segments.slice(0, place).flatMap(({ paused, prices }) => (paused === undefined ? prices : []));
    return segment.prices
      .filter((price) => isOnce(segment, price, term) && !earlier.some(({ id }) => isOfPrice(id, price.id)))
      .map((price): OwedCharge => {
        const period = term === 'in_arrears' && cell ? cell : { start: segment.start, end: segment.start };
        return { price, period, fraction: WHOLE, spans: term === 'in_arrears' && cell ? [cell] : [] };
      });
  });
  return withCoupons(terms, charges);
}

/**
 * The charges in arrears that an invoice bills once: of the versions that begin in its time. A version can be over
 * before its first period is.
 */
export function chargesOnceInArrears(terms: HistoricTerms, invoice: InvoicePeriod): OwedCharge[] {
  const { periodStart: start, periodEnd: end } = invoice;
  return chargesOnce(
    terms,
    'in_arrears',
    (version) => bearsChange(terms, invoice, version) && isInside(version, invoice),
    { start, end },
  );
}

/** Has an invoice the charges of a version that begins in its time: is it of the plan's cadence, or the version's? */
export const bearsChange = (
  terms: HistoricTerms,
  invoice: Pick<InvoicePeriod, 'billingCadence' | 'periodStart' | 'periodEnd'>,
  { planCadence }: Pick<Segment, 'planCadence'>,
): boolean => planCadence === invoice.billingCadence || isOwnSeries(terms, invoice);

/** Does a version begin in the time of an invoice? */
export const isInside = ({ start }: Segment, { periodStart, periodEnd }: InvoicePeriod): boolean =>
  !isBefore(start, periodStart) && isBefore(start, periodEnd);

/** Are two keys of one price in the catalog? What is billed once is so in any variant. */
export const isOfPrice = (one: string | null, other: string | null): boolean => listPriceId(one) === listPriceId(other);

/** Is a price of some terms billed once? */
export const isBilledOnce = (terms: HistoricTerms, priceId: string): boolean =>
  versionsOf(terms).some((version) =>
    version.prices.some((price) => isOfPrice(price.id, priceId) && cadenceOfPrice(version, price) === 'P0D'),
  );

/** The prices of all versions that hold in a period, each once for each quantity, in their order. */
function pricesIn(segments: readonly [Segment, ...Segment[]], period: Period): BilledPrice[] {
  const holds = segments.filter((segment) => overlap(segment, period));
  const found = holds.length > 0 ? holds : [segmentAt(segments, period.start)];
  return [...new Map(found.flatMap(({ prices }) => prices).map((price) => [chargeKey(price), price])).values()];
}

const holding =
  (of: BilledPrice, cadence: string, term: BilledPrice['paymentTerm']) =>
  (segment: Segment): boolean =>
    segment.prices.some(
      (price) =>
        price.id === of.id &&
        price.paymentTerm === term &&
        chargeKey(price) === chargeKey(of) &&
        cadenceOfPrice(segment, price) === cadence,
    );

const isOnce = (segment: Segment, price: BilledPrice, term: BilledPrice['paymentTerm']): boolean =>
  price.paymentTerm === term && cadenceOfPrice(segment, price) === 'P0D';

/**
 * The part of a charge that an invoice bills from an instant on: its dates are within the time in which the price
 * holds. A charge that was over before the instant keeps its own dates.
 */
export function from(charge: OwedCharge, start: Instant): OwedCharge {
  const left = charge.spans.find(({ end }) => isAfter(end, start));
  return left ? { ...charge, period: { start: latest(left.start, start), end: charge.period.end } } : charge;
}

/**
 * The metered charges of an invoice, with read usage: of its whole period up to its own end, and those billed once that
 * began in it.
 */
export function usageChargesOn(
  terms: HistoricTerms,
  invoice: InvoicePeriod,
): (OwedCharge & { readonly price: MeteredPrice })[] {
  return [
    ...chargesInArrears(terms, cellOf(terms, invoice), invoice.periodEnd),
    ...chargesOnceInArrears(terms, invoice),
  ].filter(isMetered);
}

const isMetered = (charge: OwedCharge): charge is OwedCharge & { readonly price: MeteredPrice } =>
  charge.price.metric !== null;

/**
 * Is it an invoice of the plan's own cadence, by the plan at its start or at its end? It has the charges of a change in
 * its time.
 */
export function isOwnSeries(
  terms: HistoricTerms,
  invoice: Pick<InvoicePeriod, 'billingCadence' | 'periodStart' | 'periodEnd'>,
): boolean {
  const segments = segmentsOf(terms);
  return [invoice.periodStart, justBefore(invoice.periodEnd)].some(
    (at) => segmentAt(segments, at).planCadence === invoice.billingCadence,
  );
}

/** The last instant before another one. */
export const justBefore = (at: Instant): Instant => at.subtract({ nanoseconds: 1000 });

/**
 * From where on invoices may bill the time of a period: where a series begins anew, periods of the ones before may have
 * billed beyond their ends.
 */
export function startOfBills(terms: HistoricTerms, { cadence, start }: Cell): Instant {
  let from = start;
  let before = cellAt(terms, cadence, justBefore(from));
  while (before && isAfter(before.whole.end, start)) {
    from = before.start;
    before = cellAt(terms, cadence, justBefore(from));
  }
  return from;
}

/** The periods of all series that overlap a time, each once. */
export function cellsIn(terms: HistoricTerms, { start, end }: Period): Cell[] {
  const cells = new Map<string, Cell>();
  for (const segment of segmentsOf(terms)) {
    const [first, last] = [latest(segment.start, start), earliest(segment.end, end)];
    for (const cadence of isBefore(first, last) ? cadencesOf(segment) : []) {
      let cell = cellAt(terms, cadence, first);
      while (cell && isBefore(cell.start, last)) {
        cells.set(`${cadence} ${cell.start.toString()}`, cell);
        cell = nextCell(terms, cell);
      }
    }
  }
  return [...cells.values()];
}
