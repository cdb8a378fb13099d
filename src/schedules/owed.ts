import { Decimal, sum, ZERO } from '../kernel/decimal.ts';
import { allocate, averagePrice, minorUnit } from '../kernel/money.ts';
import { earliest, type Instant, isAfter, isBefore, latest, type Period } from '../kernel/time.ts';
import { dividedBy, NOTHING, plus, type Quotient, quotient, times, toMoney } from './exact.ts';
import { type ChargeTerms, type ContractLine, ONE_OFF, type ScheduleTerms, type StagedLine } from './schedule.ts';
import { daysOf, periodsOf, type Window, windowAt, windowEndingAt, windowsOf } from './windows.ts';

/** The contract that one schedule bills. */
export interface Contract {
  readonly schedule: ScheduleTerms;
  readonly currency: string;
  /** Of this schedule, in their order. */
  readonly intervals: readonly ChargeTerms[];
  /** The lines that the intervals name. */
  readonly lines: readonly ContractLine[];
  /** Intervals of the order's other schedules: a line may be billed by several. */
  readonly others: readonly { readonly schedule: ScheduleTerms; readonly intervals: readonly ChargeTerms[] }[];
  /** Time from here on is not owed. */
  readonly cancelledAt: Instant | null;
  /** The names of items, by their ids. */
  readonly itemNames: ReadonlyMap<string, string>;
}

/** A line of the debt, with the time of its invoice. */
export interface OwedLine extends StagedLine {
  readonly billAt: Instant;
}

/** A charge at one time: an interval in one of its periods. */
interface Charge {
  readonly interval: ChargeTerms;
  readonly key: string;
  readonly billAt: Instant;
  readonly period: Period;
  /** The parts with the same quantity, each with its weight: its quantity times its days. */
  readonly parts: readonly { readonly period: Period; readonly quantity: Decimal; readonly weight: Decimal }[];
  /** How many units for how many periods. */
  readonly units: Quotient;
}

/**
 * The debt of a schedule over its whole term, in the order of invoicing. Pure: it depends on the present contract
 * alone, and not on earlier invoices.
 */
export function owedOf(contract: Contract): OwedLine[] {
  const own = chargesOf(contract.schedule, contract.intervals);
  const foreign = contract.others.flatMap(({ schedule, intervals }) => chargesOf(schedule, intervals));
  const amounts = amountsOf(contract, [...own, ...foreign]);
  return own.flatMap((charge) => linesOf(contract, charge, amounts.get(charge) ?? ZERO)).toSorted(byBillDate);
}

const byBillDate = (a: OwedLine, b: OwedLine): number => Temporal.Instant.compare(a.billAt, b.billAt);

/** The subject of a charge, for every interval. */
export const subjectOf = ({ orderLineItemId, priceId, itemId, description }: ChargeTerms): string =>
  orderLineItemId ?? priceId ?? itemId ?? description ?? '';

/** The end of an interval: its own, or the schedule's. */
export const endOf = ({ endDate }: ChargeTerms, schedule: Pick<ScheduleTerms, 'endDate'>): Instant =>
  endDate ?? schedule.endDate;

function chargesOf(schedule: ScheduleTerms, intervals: readonly ChargeTerms[]): Charge[] {
  const windows = windowsOf(schedule);
  const once = intervals.filter(({ billingCadence }) => billingCadence === ONE_OFF);
  const recurring = intervals.filter(({ billingCadence }) => billingCadence !== ONE_OFF);
  return [
    ...recurring.flatMap((interval) => recurringCharges(schedule, windows, interval)),
    ...onceCharges(schedule, once),
  ];
}

function recurringCharges(schedule: ScheduleTerms, windows: readonly Window[], interval: ChargeTerms): Charge[] {
  const span = { start: interval.startDate, end: endOf(interval, schedule) };
  return periodsOf(schedule, interval.billingCadence, span).flatMap(({ period, whole }): Charge[] => {
    const parts = partsOf(interval, period);
    const days = daysOf(schedule.prorationPolicy === 'daily' ? whole : period);
    const billAt = billDateOf(interval, period, windows);
    const weight = sum(parts.map((part) => part.weight));
    if (billAt === null || days === 0n || weight.isZero()) return [];
    const key = `${whole.start.toString()} ${subjectOf(interval)}`;
    return [{ interval, key, billAt, period, parts, units: quotient(weight, days) }];
  });
}

/**
 * In advance: as the window begins in which the period begins, or as the interval does. In arrears: as the window is
 * over in which the period ends. Null: the period lies in no window.
 */
function billDateOf(
  { billingMode, startDate }: ChargeTerms,
  period: Period,
  windows: readonly Window[],
): Instant | null {
  if (billingMode === 'arrears') return windowEndingAt(windows, period.end)?.period.end ?? null;
  const window = windowAt(windows, period.start);
  return window ? latest(window.period.start, startDate) : null;
}

/** One-off charges are distinguished by their order, so that another date does not make another charge. */
function onceCharges(schedule: ScheduleTerms, intervals: readonly ChargeTerms[]): Charge[] {
  const turns = new Map<string, number>();
  const dated = intervals.map((interval) => {
    const end = endOf(interval, schedule);
    const billAt = interval.billDate ?? (interval.billingMode === 'arrears' ? end : interval.startDate);
    return { interval, billAt, period: { start: interval.startDate, end } };
  });
  return dated
    .toSorted((a, b) => Temporal.Instant.compare(a.billAt, b.billAt))
    .flatMap(({ interval, billAt, period }): Charge[] => {
      const subject = subjectOf(interval);
      const turn = turns.get(subject) ?? 0;
      turns.set(subject, turn + 1);
      const quantity = quantityAt(interval, billAt);
      if (quantity.isZero()) return [];
      const parts = [{ period, quantity, weight: quantity }];
      return [{ interval, key: `once-${turn} ${subject}`, billAt, period, parts, units: quotient(quantity) }];
    });
}

/** Is a charge made once, for no time? */
const isOnce = ({ interval }: Charge): boolean => interval.billingCadence === ONE_OFF;

const quantityAt = ({ baseQuantity, quantityTransitions }: ChargeTerms, at: Instant): Decimal =>
  quantityTransitions.findLast(({ effectiveDate }) => !isAfter(effectiveDate, at))?.quantity ?? baseQuantity;

/** A period cut where the quantity changes. */
function partsOf(interval: ChargeTerms, period: Period): Charge['parts'] {
  const cuts = interval.quantityTransitions
    .map(({ effectiveDate }) => effectiveDate)
    .filter((date) => isAfter(date, period.start) && isBefore(date, period.end));
  const starts = [period.start, ...cuts];
  return starts
    .map((start, index) => {
      const part = { start, end: starts[index + 1] ?? period.end };
      const quantity = quantityAt(interval, start);
      return { period: part, quantity, weight: quantity.times(daysOf(part).toString()) };
    })
    .filter(({ weight }) => !weight.isZero());
}

/**
 * The amount of each charge. An order line is billed to the cent: intervals without a price of their own share what is
 * left of its total, and the last charge takes the difference that rounding makes
 * (docs/decisions/0070-billing-schedules.md).
 */
function amountsOf({ currency, lines }: Contract, charges: readonly Charge[]): ReadonlyMap<Charge, Decimal> {
  const lineOf = new Map(lines.map((line) => [line.id, line]));
  const amounts = new Map<Charge, Decimal>();
  const groups = Map.groupBy(charges, ({ interval }) => interval.orderLineItemId ?? interval);
  for (const group of groups.values()) {
    const line = lineOf.get(group[0]?.interval.orderLineItemId ?? '') ?? null;
    for (const [charge, amount] of groupAmounts(group, line, currency)) amounts.set(charge, amount);
  }
  return amounts;
}

function groupAmounts(group: readonly Charge[], line: ContractLine | null, currency: string): [Charge, Decimal][] {
  const isPriced = ({ interval: { unitPrice } }: Charge): boolean =>
    line === null || (unitPrice !== null && !unitPrice.eq(line.unitPrice));
  const priced = group.filter(isPriced).map((charge) => {
    const price = charge.interval.unitPrice ?? ZERO;
    return { charge, exact: times(quotient(price), charge.units) };
  });
  const exact = priced.map((each) => each.exact).reduce(plus, NOTHING);
  const total = toMoney(exact, currency, 'half-away-from-zero');
  const sharing = group.filter((charge) => !isPriced(charge));
  if (line === null || sharing.length === 0) {
    const isTheLine = line !== null && isRoundingOnly(line.totalPrice.minus(total), priced.length, currency);
    return roundedWithin(priced, isTheLine ? line.totalPrice : total, currency);
  }
  const left = Decimal.max(ZERO, line.totalPrice.minus(total));
  const weight = sharing.map(({ units }) => units).reduce(plus, NOTHING);
  const shares = sharing.map((charge) => ({ charge, exact: times(quotient(left), dividedBy(charge.units, weight)) }));
  return [...roundedWithin(priced, total, currency), ...roundedWithin(shares, left, currency)];
}

/** Rounding moves each charge by half a minor unit at most. A greater difference is another contract. */
const isRoundingOnly = (difference: Decimal, roundings: number, currency: string): boolean =>
  difference.abs().times(2).lte(minorUnit(currency).times(roundings));

/** Each amount rounded separately, never past the total; the last one takes the rounding difference. */
function roundedWithin(
  charges: readonly { readonly charge: Charge; readonly exact: Quotient }[],
  total: Decimal,
  currency: string,
): [Charge, Decimal][] {
  let left = total;
  const ordered = charges.toSorted((a, b) => Temporal.Instant.compare(a.charge.period.end, b.charge.period.end));
  return ordered.map(({ charge, exact }, index): [Charge, Decimal] => {
    const rounded = toMoney(exact, currency, 'half-away-from-zero');
    const amount = index === ordered.length - 1 ? left : Decimal.min(rounded, left);
    left = left.minus(amount);
    return [charge, amount];
  });
}

/** A charge as lines: one for each quantity. What a cancellation leaves of it is by days. */
function linesOf(contract: Contract, charge: Charge, amount: Decimal): OwedLine[] {
  const kept = keptOf(charge, contract.cancelledAt);
  if (kept.length === 0) return [];
  const all = sum(charge.parts.map(({ weight }) => weight));
  const left = sum(kept.map(({ weight }) => weight));
  const owed = left.eq(all)
    ? amount
    : toMoney(
        times(quotient(amount), dividedBy(quotient(left), quotient(all))),
        contract.currency,
        'half-away-from-zero',
      );
  const shares = allocate(
    owed,
    kept.map(({ weight }) => weight),
    contract.currency,
  );
  const { interval, key } = charge;
  const line = contract.lines.find(({ id }) => id === interval.orderLineItemId);
  const itemId = interval.itemId ?? line?.itemId ?? null;
  const billAt =
    contract.cancelledAt === null || isOnce(charge) ? charge.billAt : earliest(charge.billAt, contract.cancelledAt);
  return kept.map((part, index): OwedLine => {
    const subtotal = shares[index] as Decimal;
    return {
      key,
      billAt,
      lineKey: interval.orderLineItemId ?? interval.priceId ?? itemId,
      itemId,
      description: interval.description ?? line?.description ?? contract.itemNames.get(itemId ?? '') ?? 'Charge',
      quantity: part.quantity,
      unitPrice: shownPrice(part.quantity, subtotal, interval.unitPrice ?? line?.unitPrice ?? null, contract.currency),
      subtotal,
      periodStart: part.period.start,
      periodEnd: part.period.end,
    };
  });
}

/** The parts of a charge that are owed. What is made once is owed if it was to be invoiced before. */
function keptOf(charge: Charge, cancelledAt: Instant | null): Charge['parts'] {
  if (cancelledAt === null) return charge.parts;
  if (isOnce(charge)) return isBefore(charge.billAt, cancelledAt) ? charge.parts : [];
  return charge.parts
    .filter(({ period }) => isBefore(period.start, cancelledAt))
    .map((part) => {
      const period = { start: part.period.start, end: earliest(part.period.end, cancelledAt) };
      return { ...part, period, weight: part.quantity.times(daysOf(period).toString()) };
    })
    .filter(({ weight }) => !weight.isZero());
}

/** The price in a line's amount: the named one if it gives the amount, else the average. */
export function shownPrice(quantity: Decimal, subtotal: Decimal, named: Decimal | null, currency: string): Decimal {
  const comesTo = named && toMoney(quotient(quantity.times(named)), currency, 'half-away-from-zero');
  return named && comesTo?.eq(subtotal) ? named : averagePrice(subtotal, quantity);
}
