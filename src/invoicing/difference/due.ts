import { type Decimal, decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { type Fraction, NONE, scale, WHOLE } from '../../kernel/fraction.ts';
import { lengthOf } from '../../kernel/spans.ts';
import { type Instant, isAfter, isBefore, latest, type Period } from '../../kernel/time.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { FrozenAdjustment } from '../invoice/frozen-terms.ts';
import {
  asBilled,
  bearsChange,
  type Cell,
  cellAt,
  cellOf,
  cellsIn,
  chargesInAdvance,
  chargesInAdvanceBefore,
  chargesInArrears,
  chargesOnce,
  chargesOnceInArrears,
  endOfPeriod,
  from,
  type InvoicePeriod,
  isInside,
  isOfPrice,
  isOwnSeries,
  justBefore,
  nextCell,
  type OwedCharge,
  partOfWhole,
} from '../owed/charges.ts';
import { commitmentOf, isCountedByTime, shareOfBill } from '../owed/commitment.ts';
import {
  type ChargeCoupon,
  couponsOfMinimum,
  inTwoKinds,
  isForPrice,
  namedOnly,
  shareIn,
  windowOf,
} from '../owed/coupons.ts';
import { beforeMinimum, type CountedLine } from '../owed/discounts.ts';
import { isAdditive, limitsOf } from '../rating/index.ts';
import type { BilledPrice, BilledRedemption } from '../terms/billing-terms.ts';
import {
  boundsOfSeries,
  cadenceOfPrice,
  cadencesOf,
  type HistoricTerms,
  type Segment,
  segmentAt,
  segmentsOf,
} from '../timeline/segments.ts';
import {
  type AmountWithTax,
  addUp,
  type Behavior,
  type BilledItem,
  type BilledSoFar,
  beforeCut,
  billedUsage,
  type Correction,
  leftBeforeNotes,
  leftOfItem,
  less,
  pendingCut,
  quoted,
  sumWithTax,
  timeOfItem,
} from './billed.ts';
import { priceOfItem, shareOfItem } from './share-of-item.ts';
import { compareTime, type TimeDue } from './time.ts';

/** A charge of an invoice: the amount owed and not billed yet. */
export interface DueCharge {
  readonly charge: OwedCharge;
  /** For a fee that was billed in part: the remaining part of its whole period. */
  readonly free?: Fraction;
  /** The billed part of the charge. */
  readonly before?: BilledSoFar;
  /** The part of it that can be credited, if less is owed than was billed. */
  readonly back?: TakenBack;
  /** The usage of a period that was closed before; that of the invoice's own period where absent. */
  readonly late?: LateCharge;
}

/**
 * A charge of a closed period: its usage as it is now, the discounts that billed it, and what billed it; of a fee only
 * its minimum.
 */
export interface LateCharge {
  readonly usage: readonly BilledUsage[];
  readonly adjustments: readonly FrozenAdjustment[];
  readonly items: readonly BilledItem[];
  /** The same of the part before it, where `closeNow` cut the period. */
  readonly earlier?: DueCharge;
}

/** A period of the plan that has a commitment. */
export interface DueCommitment {
  readonly period: Period;
  /** The minimum of all its charges, exact. */
  readonly minimumAmount: Decimal;
  /** The charges of it on other invoices, as prices quote it. */
  readonly charged: Decimal;
  /** The commitment that was billed before, and the part of it that can be credited. */
  readonly before: Decimal;
  readonly back: TakenBack | null;
  readonly items: readonly BilledItem[];
  /** The period is closed, and this corrects its bill. */
  readonly isLate: boolean;
  /** The coupons that name no charges: they take part in it. What other invoices took for each. */
  readonly coupons: readonly ChargeCoupon[];
  readonly couponsBefore: Readonly<Record<string, Decimal>>;
  /** Of a charge of this invoice: the coupons that count for it; null: all do. */
  readonly namedOf: (charge: OwedCharge) => readonly ChargeCoupon[] | null;
  /** The share of a charge of this invoice that counts for it. */
  readonly shareOf: (charge: OwedCharge) => Fraction;
  /** Percent: of the increase. */
  readonly taxRate: Decimal;
}

/** The remaining lines that billed a charge, and the rate of the last of them (percent). */
export interface TakenBack extends AmountWithTax {
  readonly taxRate: Decimal;
}

/** An invoice that has no lines yet. */
export interface UncalculatedInvoice extends InvoicePeriod {
  readonly id: string;
  readonly kind: string;
  /** `ACTIVE`: its period has not ended. */
  readonly status?: string;
  readonly billingAnchor: Instant;
}

/** All facts that decide the charges of an invoice of a subscription. */
export interface BillingState {
  readonly terms: HistoricTerms & { readonly taxBehavior: Behavior; readonly currency: string };
  readonly invoice: UncalculatedInvoice;
  /** The other invoices of the subscription without a calculation: this one does not bill their charges. */
  readonly others: readonly UncalculatedInvoice[];
  /** Cancelled invoices that are billed again: the next invoice bears what belonged on them. */
  readonly rebilled?: readonly UncalculatedInvoice[];
  /** The items of the calculated ones, in the order of billing. */
  readonly items: readonly BilledItem[];
}

/**
 * The charges of an invoice by its place in time (§3, Which invoice): everything owed and not billed. The invoice of a
 * period has the charges in arrears until its end, and in advance of the next period. The invoice of the plan's own
 * series also has the charges of a change of the version within its period, in advance and once, and of series that
 * begin at its end. The next invoice also has the fees of the place of a cancelled one that is billed again; usage of a
 * closed period is late usage.
 */
export function dueOn(state: BillingState): DueCharge[] {
  const due = dueAt(state);
  for (const invoice of state.rebilled ?? []) {
    if (bearerOf(state, invoice) !== state.invoice) continue;
    const fees = dueAt({ ...state, invoice }).filter(({ charge }) => isFee(charge));
    due.push(...fees.filter(({ charge }) => !due.some((known) => isSameTime(known.charge, charge))));
  }
  return due;
}

/** The invoice that follows a place: of its series, else of the plan's own. */
function bearerOf(
  { terms, invoice, others }: BillingState,
  place: UncalculatedInvoice,
): UncalculatedInvoice | undefined {
  const open = [invoice, ...others]
    .filter(({ kind }) => kind === 'subscription')
    .toSorted((a, b) => Temporal.Instant.compare(a.periodStart, b.periodStart));
  const ofSeries = open.find(({ billingCadence }) => billingCadence === place.billingCadence);
  return ofSeries ?? open.find((each) => isOwnSeries(terms, each)) ?? open[0];
}

const isSameTime = (a: OwedCharge, b: OwedCharge): boolean =>
  a.price.id === b.price.id &&
  (a.period.start.equals(b.period.start) ||
    (isBefore(a.period.start, b.period.end) && isBefore(b.period.start, a.period.end)));

/** The charges at one place in time. */
function dueAt(state: BillingState): DueCharge[] {
  const { terms, invoice, items } = state;
  if (invoice.kind === 'upfront') return dueUpfront(state);
  if (invoice.kind !== 'subscription') return [];
  const cell = cellOf(terms, invoice);
  const end = latest(invoice.periodEnd, endOfItems(terms, cell, items));
  const arrears = chargesInArrears(terms, cell, end);
  const fees = compareTime(arrears.filter(isFee), items, terms).due;
  const once = onceDue(state, cell);
  const cells = advanceCells(state, cell);
  // Of the own period only what was billed in part: its end was moved, or a credit was given for time that is owed
  // after all.
  const isOther = cells.every((each) => !isSameCell(each, cell));
  const completed = isOther && !isAwaited(state, cell) ? chargesInAdvance(terms, cell) : [];
  return [
    ...arrears.flatMap((charge): DueCharge[] => {
      if (!isFee(charge)) return [usageDue(charge, cell, state)];
      return fees.filter((due) => due.charge === charge).flatMap(feesDue);
    }),
    ...once,
    ...compareTime([...completed, ...cells.flatMap((each) => advanceOf(state, each))], items, terms)
      .due.filter(({ charge, before }) => before !== null || !completed.includes(charge))
      .flatMap(feesDue),
  ];
}

/** Is the figure a sum or a count? Other figures have a line with their value. */
const isAddedUp = ({ price: { metric } }: OwedCharge): boolean =>
  metric === null || isAdditive(metric.meter.aggregation);

const isFee = ({ price }: OwedCharge): boolean => price.metric === null;

/** Up to where later parts of a period have billed it that were calculated before this one. */
function endOfItems(terms: HistoricTerms, cell: Cell, items: readonly BilledItem[]): Instant {
  const ids = new Set(chargesInArrears(terms, cell, cell.end).map(({ price }) => price.id));
  return inCell(terms, items, cell)
    .filter(({ priceId }) => priceId !== null && ids.has(priceId))
    .map(({ period }) => period.end)
    .reduce(latest, cell.start);
}

/** The items of a period: bills that begin in it, for prices of the period's series at that time. */
function inCell(terms: HistoricTerms, items: readonly BilledItem[], { start, end, cadence }: Cell): BilledItem[] {
  const segments = segmentsOf(terms);
  return items.filter(({ priceId, period }) => {
    if (isBefore(period.start, start) || !isBefore(period.start, end)) return false;
    const segment = segmentAt(segments, period.start);
    const price = segment.prices.find(({ id }) => id === priceId);
    return price === undefined || [cadence, 'P0D'].includes(cadenceOfPrice(segment, price));
  });
}

function usageDue(charge: OwedCharge, cell: Cell, { invoice, items, terms }: BillingState): DueCharge {
  const own = inCell(terms, items, cell).filter(({ priceId }) => priceId === charge.price.id);
  const dated = from(charge, invoice.periodStart);
  if (own.length === 0) return { charge: dated };
  return { charge: dated, before: billedUsage(own, terms.taxBehavior, isAddedUp(charge)), back: backOf(own) };
}

/** The part of some items that can be credited: the last one that stands has the tax rate. */
function backOf(items: readonly BilledItem[]): TakenBack {
  const standing = items.filter(({ isStanding }) => isStanding);
  const last = standing.findLast((item) => leftOfItem(item).net.gt(0)) ?? items.at(-1);
  return { ...sumWithTax(standing.map(leftOfItem)), taxRate: (last as BilledItem).taxRate };
}

/** A fee that is due. Times with another bill between them are lines of their own. */
function feesDue(due: TimeDue): DueCharge[] {
  const { charge, free } = due;
  if (free.length < 2) return [feeDue(due)];
  return free.map((period) => ({
    charge: { ...charge, period, fraction: partOfFree(charge, [period]), spans: [period] },
  }));
}

const feeDue = ({ charge, free, before }: TimeDue): DueCharge => {
  const [first, last] = [free[0], free.at(-1)];
  const period = first && last ? { start: first.start, end: last.end } : charge.period; // only its minimum is due
  const dated = { ...charge, period };
  return before === null ? { charge: dated } : { charge: dated, free: partOfFree(charge, free), before };
};

/** The part of the charge's whole period that is free: in proportion to the charge's own. */
function partOfFree({ fraction, period }: OwedCharge, free: TimeDue['free']): Fraction {
  const { numerator, denominator } = partOfWhole({ whole: period }, free);
  return { numerator: fraction.numerator * numerator, denominator: fraction.denominator * denominator };
}

/** A charge that is billed once is due with the version that brought it, if no invoice billed it yet. */
function onceDue(state: BillingState, cell: Cell): DueCharge[] {
  const { terms, invoice, items } = state;
  const [first] = segmentsOf(terms);
  const isFirst = ({ start }: Segment) => start.equals(first.start);
  const atEnd = ({ start }: Segment) => start.equals(invoice.periodEnd) && start.equals(cell.end);
  const begins = (segment: Segment) =>
    !isFirst(segment) && (isInside(segment, invoice) || atEnd(segment)) && bearsChange(terms, invoice, segment);
  return [
    ...chargesOnceInArrears(terms, invoice),
    ...chargesOnce(terms, 'in_advance', begins, null).filter(
      ({ period }) => !isTakenCareOf(state, period.start, 'once'),
    ),
  ]
    .filter(({ price }) => !items.some(({ priceId }) => isOfPrice(priceId, price.id)))
    .map((charge) => ({ charge }));
}

/** The periods of which an invoice may bill fees in advance. */
function advanceCells(state: BillingState, cell: Cell): Cell[] {
  const { terms, invoice } = state;
  const segments = segmentsOf(terms);
  const { periodStart: start, periodEnd: end } = invoice;
  const next = end.equals(cell.end) ? nextCell(terms, cell) : null;
  const cells: Cell[] = next === null ? [] : [next];
  for (const segment of segments.slice(1)) {
    const { start: at } = segment;
    if (isBefore(at, start) || isAfter(at, end) || !bearsChange(terms, invoice, segment)) continue;
    for (const cadence of cadencesOf(segment)) {
      const found = cellAt(terms, cadence, at);
      const isNew = beginsAt(terms, cadence, at);
      if (!found || (at.equals(end) && !isNew) || isTakenCareOf(state, at, isNew ? 'begins' : 'goes on')) continue;
      if (isAwaited(state, found)) continue;
      if (!cells.some((known) => isSameCell(known, found))) cells.push(found);
    }
  }
  return cells;
}

const isSameCell = (one: Cell, other: Cell): boolean => one.cadence === other.cadence && one.start.equals(other.start);

/** The fees in advance of a period that an invoice bills: of one that goes on, what is asked before its end. */
const advanceOf = ({ terms, invoice: { periodEnd } }: BillingState, cell: Cell): OwedCharge[] =>
  isBefore(cell.start, periodEnd) ? chargesInAdvanceBefore(terms, cell, periodEnd) : chargesInAdvance(terms, cell);

/** Does a series begin at an instant? */
export const beginsAt = (terms: HistoricTerms, cadence: string, at: Instant): boolean =>
  boundsOfSeries(terms, cadence, at)?.startedAt.equals(at) ?? false;

/**
 * Does an invoice that is not calculated yet bill what a change at an instant made due?
 * @param what what begins then, or is due once, stands on the invoice that ends then; the latter not at a cut
 */
const isTakenCareOf = ({ terms, invoice, others }: BillingState, at: Instant, what: Due): boolean =>
  others.some(
    (other) =>
      (other.kind === 'upfront' && other.billingAnchor.equals(at)) ||
      (other.kind === 'subscription' &&
        bearsChange(terms, other, segmentAt(segmentsOf(terms), at)) &&
        isBefore(other.periodStart, invoice.periodStart) &&
        !isAfter(other.periodStart, at) &&
        (isAfter(other.periodEnd, at) || (other.periodEnd.equals(at) && bearsAtEnd(terms, other, what)))),
  );

type Due = 'goes on' | 'begins' | 'once';

const bearsAtEnd = (terms: HistoricTerms, invoice: UncalculatedInvoice, what: Due): boolean =>
  what === 'once' ? endOfPeriod(terms, invoice)?.equals(invoice.periodEnd) === true : what === 'begins';

/** Does the invoice of the period before one, which is not calculated yet, bill its fees in advance? */
const isAwaited = ({ others }: BillingState, { cadence, start, number }: Cell): boolean =>
  others.some(
    (other) =>
      other.kind === 'subscription' &&
      other.billingCadence === cadence &&
      other.periodNumber === number - 1 &&
      other.periodEnd.equals(start),
  );

/**
 * The charges of an upfront invoice: of the version at its instant, all in advance, and the ones that are billed once.
 */
function dueUpfront(state: BillingState): DueCharge[] {
  const { terms, invoice, items } = state;
  const segments = segmentsOf(terms);
  const segment = segmentAt(segments, invoice.billingAnchor);
  const at = latest(invoice.billingAnchor, segment.start);
  const isHandedOver = state.others.some(
    (other) => other.kind === 'subscription' && isOwnSeries(terms, other) && other.periodEnd.equals(at),
  );
  const once = isHandedOver ? [] : chargesOnce(terms, 'in_advance', (each) => each.start.equals(segment.start), null);
  const cells = cadencesOf(segment)
    .flatMap((cadence) => cellAt(terms, cadence, at) ?? [])
    .filter((cell) => !isAwaited(state, cell) && !(isHandedOver && beginsAt(terms, cell.cadence, at)));
  const owed = cells.flatMap((cell) => chargesInAdvance(terms, cell));
  return [
    ...once
      .filter(({ price }) => !items.some(({ priceId }) => isOfPrice(priceId, price.id)))
      .map((charge) => ({ charge })),
    ...compareTime(owed, items, terms).due.flatMap(feesDue),
  ];
}

/**
 * The charges before any usage (§3, Upfront payment): the fees in advance of the first periods, and the ones that are
 * billed once.
 */
export const upfrontCharges = (terms: BillingState['terms']): OwedCharge[] => {
  const [first] = segmentsOf(terms);
  const invoice = {
    id: '',
    kind: 'upfront',
    billingAnchor: first.start,
    billingCadence: 'P0D',
    periodNumber: 0,
    periodStart: first.start,
    periodEnd: first.start,
  };
  return dueOn({ terms, invoice, others: [], items: [] }).map(({ charge }) => charge);
};

/** A period that is closed. */
export interface ClosedPeriod {
  /** The invoice of the last part of the period. */
  readonly invoice: InvoicePeriod;
  /** Its parts in their order, where they have other discounts; else one for all of it. */
  readonly parts: readonly ClosedPart[];
}

/** A part of a closed period: its usage from the start of the period as it is now, and the discounts that billed it. */
export interface ClosedPart extends Pick<LateCharge, 'usage' | 'adjustments'> {
  readonly invoice: InvoicePeriod & { readonly id: string };
}

/**
 * The differences of closed periods to their bills (§4, Late usage): their usage as of now, at the terms that billed
 * it. Each part of a cut period has its own, where their discounts differ. After an end in the past the usage stays,
 * and a minimum is for the time until then. Unused time of fees is credited, and only a minimum can be missing.
 */
export function lateDue(
  { terms, items }: Pick<BillingState, 'terms' | 'items'>,
  closed: readonly ClosedPeriod[],
): DueCharge[] {
  return closed.flatMap(({ invoice, parts }) => {
    const then = asBilled(terms, invoice);
    const cell = cellOf(then, invoice);
    const bills = inCell(then, items, cell);
    const partOf = ({ invoiceId, period }: BilledItem): number => {
      const own = parts.findIndex((part) => part.invoice.id === invoiceId);
      const inTime = () => parts.findLastIndex((part) => !isAfter(part.invoice.periodStart, period.start));
      return Math.max(0, own === -1 ? inTime() : own);
    };
    const known = new Map<string, DueCharge>();
    const metered = parts.flatMap(({ invoice: part, usage, adjustments }, place): DueCharge[] =>
      chargesInArrears(then, cell, part.periodEnd).flatMap((whole) => {
        if (isFee(whole)) return [];
        const { id } = whole.price;
        const own = bills.filter((item) => item.priceId === id && partOf(item) === place);
        const earlier = known.get(id);
        const isLast = place === parts.length - 1;
        const due: DueCharge = {
          charge: {
            ...(place === 0 ? whole : from(whole, part.periodStart)),
            ...(isLast && then !== terms && { least: leastOf(terms, cell, whole) }),
          },
          late: {
            ...{ usage: usage.filter(({ priceId }) => priceId === id), adjustments, items: own },
            ...(earlier && { earlier }),
          },
          ...(own.length > 0 && {
            before: billedUsage(own, terms.taxBehavior, isAddedUp(whole)),
            back: backOf(own),
          }),
        };
        known.set(id, due);
        return [due];
      }),
    );
    const { adjustments = [] } = parts.at(-1) ?? {};
    return [...metered, ...lateMinimums(terms, items, { cell, until: invoice.periodEnd, adjustments })];
  });
}

/**
 * The minimums of fees of a closed period that nothing has asked: its last part was not the last one when it was
 * billed, or a credit took the part that bore them.
 */
function lateMinimums(
  terms: BillingState['terms'],
  items: readonly BilledItem[],
  { cell, until, adjustments }: { readonly cell: Cell; readonly until: Instant } & Pick<LateCharge, 'adjustments'>,
): DueCharge[] {
  const now = cellAt(terms, cell.cadence, cell.start);
  const fees = now ? chargesInArrears(terms, now, until).filter(isFee) : [];
  return compareTime(fees, items, terms)
    .due.filter(({ free }) => free.length === 0)
    .map((due) => ({ ...feeDue(due), late: { usage: [], adjustments, items: [] } }));
}

/**
 * The commitments that an invoice asks (§2): of its own period, where that is one of the plan's own series and is over,
 * never at a cut or while the invoice is open. Of closed periods the difference to the asked amount, where charges of
 * the invoice or of what was read again count for them (docs/decisions/0178).
 */
export function commitmentsDue(
  state: CommitmentState,
  closed: readonly ClosedPeriod[],
  taxRate: Decimal,
): DueCommitment[] {
  const { terms, invoice } = state;
  if (!hasCommitments(terms)) return [];
  const ofPeriod = invoice?.kind === 'subscription' && invoice.status !== 'ACTIVE' ? invoice : null;
  const own = ofPeriod && ownPeriodOf(terms, ofPeriod);
  const touched = [
    ...(ofPeriod ? [{ billedBy: terms, invoice: ofPeriod }] : []),
    ...closed.map((period) => ({ billedBy: asBilled(terms, period.invoice), invoice: period.invoice })),
  ].flatMap(({ billedBy, invoice: of }) => planPeriodsOf(billedBy, of));
  const late = new Map(touched.map((cell) => [cell.start.toString(), cell]));
  if (own) late.delete(own.start.toString());
  return [
    ...[own && commitmentDue(state, own, taxRate)].filter((due) => due !== null),
    ...[...late.values()].flatMap((cell) => {
      const due = isOpen(state, cell) ? null : commitmentDue(state, cell, taxRate);
      return due ? [{ ...due, isLate: true }] : [];
    }),
  ];
}

/**
 * The facts of a billing state that decide on commitments; without an invoice if only closed periods are asked about.
 */
export interface CommitmentState extends Pick<BillingState, 'terms' | 'others' | 'items'> {
  readonly invoice: UncalculatedInvoice | null;
}

/** The period of the plan that is over with an invoice of the plan's own series; null at a cut. */
function ownPeriodOf(terms: HistoricTerms, { billingCadence, periodStart, periodEnd }: InvoicePeriod): Cell | null {
  const cell = cellAt(terms, billingCadence, periodStart);
  return cell && isOfPlan(terms, cell) && cell.end.equals(periodEnd) ? cell : null;
}

/**
 * Does the invoice of a period ask the minimum of the plan, or what is missing to a commitment? All other series that
 * end by then are billed before it (§2).
 */
export const asksCommitment = (terms: HistoricTerms, invoice: InvoicePeriod): boolean =>
  (hasCommitments(terms) || terms.isCommitted === true) && ownPeriodOf(terms, invoice) !== null;

/**
 * The period of the plan's own series with which an invoice ends or is in: charges in arrears count in no other one.
 * None without commitments.
 */
export const planPeriodsOf = (terms: HistoricTerms, { periodEnd: end }: Pick<InvoicePeriod, 'periodEnd'>): Cell[] =>
  hasCommitments(terms) || inTwoKinds(terms.redemptions).ofPeriods.length > 0
    ? cellsIn(terms, { start: justBefore(end), end }).filter((cell) => isOfPlan(terms, cell))
    : [];

const isOfPlan = (terms: HistoricTerms, { cadence, start }: Cell): boolean =>
  segmentAt(segmentsOf(terms), start).planCadence === cadence;

const hasCommitments = (terms: HistoricTerms): boolean =>
  segmentsOf(terms).some(({ minimumAmount }) => minimumAmount !== null);

/** Is there an invoice of the period that is not calculated yet? That one asks the commitment. */
const isOpen = ({ invoice, others }: CommitmentState, { cadence, start, end }: Cell): boolean =>
  [...others, ...(invoice ? [invoice] : [])].some(
    (other) =>
      other.kind === 'subscription' &&
      other.billingCadence === cadence &&
      isBefore(other.periodStart, end) &&
      isAfter(other.periodEnd, start),
  );

/** @param cell the period as it was billed: it may have ended earlier since */
function commitmentDue({ terms, items, invoice }: CommitmentState, cell: Cell, taxRate: Decimal): DueCommitment | null {
  const now = cellAt(terms, cell.cadence, cell.start);
  const minimumAmount = now && commitmentOf(terms, now);
  const asked = items.filter(
    ({ priceId, redemptionId, period }) =>
      priceId === null && redemptionId === undefined && period.start.equals(cell.start),
  );
  if (minimumAmount === null && asked.length === 0) return null;
  const end = now?.end ?? cell.end;
  const named = namedOnly(terms);
  const counted = items.map((item) => {
    const { priceId, period, invoiceEnd } = item;
    if (priceId === null) return ZERO;
    const bill = { priceId, period, spans: timeOfItem(item), invoiceEnd };
    const left = isCountedByTime(terms, cell, bill)
      ? leftByTime(item, terms)
      : leftBeforeNotes(item, terms.taxBehavior);
    return scale(countedOf(item, left, { terms, items }, named), shareOfBill(terms, cell, end, bill));
  });
  return {
    period: { start: cell.start, end },
    minimumAmount: minimumAmount ?? ZERO,
    charged: sum(counted),
    before: sum(asked.map((item) => beforeCoupons(item, leftBeforeNotes(item, terms.taxBehavior), terms))),
    coupons: couponsOfMinimum(terms, cell),
    couponsBefore: addUp(asked.flatMap((item) => couponLinesOf(item, terms))),
    back: asked.length === 0 ? null : backOf(asked.map(withoutCoupons)),
    items: asked,
    isLate: false,
    namedOf: (charge) => named && couponsOn(named, charge.price, (window) => shareIn(terms, charge, window), terms),
    shareOf: ({ price, period }) => {
      const bill = { priceId: price.id, period, spans: [period], invoiceEnd: invoice?.periodEnd ?? period.end };
      return shareOfBill(terms, cell, end, bill);
    },
    taxRate,
  };
}

/** An item as it was before the coupons of its charge, which take part in what is taken back of it. */
function withoutCoupons(item: BilledItem): BilledItem {
  const lines = item.lines.filter(({ workings }) => !workings?.coupon);
  return { ...item, lines, ...sumWithTax(lines) };
}

/** What coupons took of an item, under the redemption of each. */
const couponLinesOf = ({ lines }: BilledItem, { taxBehavior }: BillingState['terms']) =>
  lines.flatMap((line) =>
    line.workings?.coupon ? [{ [line.workings.coupon.redemptionId]: quoted(line, taxBehavior) }] : [],
  );

/** Those of some coupons that are for a price, each with the share of a bill in its window. */
const couponsOn = (
  redemptions: readonly BilledRedemption[],
  price: BilledPrice,
  shareOf: (window: Period) => Fraction,
  terms: HistoricTerms,
): ChargeCoupon[] =>
  redemptions.flatMap((redemption) => {
    const share = isForPrice(redemption, price) ? shareOf(windowOf(redemption, terms)) : NONE;
    return share.numerator === 0n ? [] : [{ redemption, share }];
  });

/**
 * The exact part of an item that is not credited, before the credit notes of people: credits for time are rounded, and
 * a period that is over counts the same by the second before them and after.
 */
function leftByTime(item: BilledItem, { taxBehavior }: BillingState['terms']): Decimal {
  const cuts = item.credits.filter(({ correction, isNote }) => correction !== null && isNote !== true);
  return scale(quoted(less(item, sumWithTax(cuts)), taxBehavior).plus(pendingCut(item)), timeLeftOf(item));
}

/**
 * What an item counts for the minimum of the plan, before the credit notes of people.
 * @param left the part of it that is not credited
 */
function countedOf(
  item: BilledItem,
  left: Decimal,
  { terms, items }: Pick<BillingState, 'terms' | 'items'>,
  named: readonly BilledRedemption[] | null,
): Decimal {
  const price = priceOfItem(terms, item);
  if (named === null || price === null) return left;
  const corrections = item.credits.flatMap(({ correction }) => correction ?? []);
  const backs = sum(corrections.flatMap(({ coupons = {} }) => Object.values(coupons).map(decimal)));
  const before = beforeCoupons(item, left, terms).minus(scale(backs, timeLeftOf(item)));
  const coupons = couponsOn(named, price, (window) => shareOfItem(terms, window, item, { items, charges: [] }), terms);
  const lines = item.lines
    .filter(({ type }) => type !== 'coupon')
    .map((line): CountedLine => {
      return { type: line.type, amount: beforeCut(line, terms.taxBehavior), limits: limitsOf(line.workings) };
    })
    .concat(corrections.map(asCounted));
  const whole = sum(lines.map(({ amount }) => amount));
  const counted = beforeMinimum(lines, coupons, item.lines[0]?.currency ?? '');
  return whole.isZero() ? counted.plus(before) : counted.times(before).div(whole);
}

/** A correction on a credit note, before coupons. */
function asCounted({ charge, discount, maximum, minimum }: Correction): CountedLine {
  const limits = decimal(maximum).plus(decimal(minimum));
  return { type: 'late_usage', amount: decimal(charge).plus(decimal(discount)).plus(limits), limits };
}

/**
 * What is left of an item, as it was before its coupons. A credit for time took its share of them; one of a cut
 * correction is an amount after coupons, and their lines are beside the correction.
 */
function beforeCoupons(item: BilledItem, left: Decimal, terms: BillingState['terms']): Decimal {
  const taken = sum(couponLinesOf(item, terms).flatMap((each) => Object.values(each)));
  return left.minus(scale(taken, timeLeftOf(item)));
}

/** The share of an item's time that no credit took back. */
const timeLeftOf = (item: BilledItem): Fraction => {
  const whole = lengthOf([item.period]);
  return whole === 0n ? WHOLE : { numerator: lengthOf(timeOfItem(item)), denominator: whole };
};

/** The share of the whole period for a minimum, if the period became shorter after it was billed. */
function leastOf(terms: HistoricTerms, { cadence, start }: Cell, { price }: OwedCharge): Fraction {
  const cell = cellAt(terms, cadence, start);
  const charge = cell && chargesInArrears(terms, cell, cell.end).find((each) => each.price.id === price.id);
  return charge?.limits ?? charge?.fraction ?? NONE;
}
