import { Decimal, ONE, sum, ZERO } from '../kernel/decimal.ts';
import { type Instant, isAfter, isBefore, type Period } from '../kernel/time.ts';
import type { OwedLine } from './owed.ts';
import type { StagedLine } from './schedule.ts';

/** The bill of one invoice under one key, and its credits. */
export interface BilledItem {
  readonly key: string;
  readonly invoiceId: string;
  readonly itemId: string | null;
  readonly description: string;
  readonly period: Period;
  readonly net: Decimal;
  readonly credited: Decimal;
  /** Taken off by credit notes of people: that counts as billed, and is not credited again. */
  readonly noted?: Decimal;
  /** A cancelled, written off or refunded invoice gets no credit. It still counts as billed. */
  readonly isStanding: boolean;
}

/** A credit of the bill of an invoice. */
export interface PlannedCredit {
  readonly item: BilledItem;
  /** Before tax; above 0. */
  readonly amount: Decimal;
}

/** An invoice that a schedule is going to make. */
export interface PlannedInvoice {
  readonly billAt: Instant;
  /** It has no window: its charges became due after the invoice of the last one. */
  readonly isCorrection: boolean;
  readonly lines: readonly StagedLine[];
  readonly credits: readonly PlannedCredit[];
}

export interface PlanInput {
  readonly owed: readonly OwedLine[];
  readonly billed: readonly BilledItem[];
  /** The last date for which an invoice of a window was made; null: none was. */
  readonly through: Instant | null;
  readonly now: Instant;
}

/**
 * The debt less the bills, as invoices (docs/decisions/0071-schedules-owed-less-billed.md). A charge for a date that
 * was already invoiced goes on the next invoice; if none follows, it is due now.
 */
export function planInvoices({ owed, billed, through, now }: PlanInput): PlannedInvoice[] {
  const isOver = (at: Instant): boolean => through !== null && !isAfter(at, through);
  const { missing, excess } = compare(owed, billed);
  const rows: PlannedInvoice[] = [];
  const late: StagedLine[] = [];
  for (const { lines, amount, isNew, billAt } of missing) {
    const due = isNew ? lines : [correctionLine(lines, amount)];
    if (isOver(billAt)) late.push(...(amount.isZero() ? [] : due));
    else rows.push(...due.map((line) => ({ billAt, isCorrection: false, lines: [line], credits: [] })));
  }
  const planned = [...Map.groupBy(rows, ({ billAt }) => billAt.toString()).values()]
    .map((those) => ({ ...(those[0] as PlannedInvoice), lines: those.flatMap(({ lines }) => lines) }))
    .filter(({ lines }) => lines.some(({ subtotal }) => !subtotal.isZero()))
    .toSorted((a, b) => Temporal.Instant.compare(a.billAt, b.billAt));
  const credits = excess.flatMap(({ items, amount }) => creditsOf(items, amount));
  if (late.length === 0 && credits.length === 0) return planned;
  const [next, ...others] = planned;
  if (next) return [{ ...next, lines: [...next.lines, ...late], credits }, ...others];
  return [{ billAt: now, isCorrection: true, lines: late, credits }];
}

/** The unbilled debt under one key. */
interface Missing {
  readonly key: string;
  readonly lines: readonly OwedLine[];
  readonly amount: Decimal;
  readonly billAt: Instant;
  /** Nothing of it was billed yet. */
  readonly isNew: boolean;
}

/** The excess of the bills over the debt under one key. */
interface Excess {
  readonly key: string;
  readonly items: readonly BilledItem[];
  readonly amount: Decimal;
}

const subjectOf = (key: string): string => key.slice(key.indexOf(' ') + 1);

function compare(owed: readonly OwedLine[], billed: readonly BilledItem[]) {
  const itemsOf = Map.groupBy(billed, ({ key }) => key);
  const owedUnder = Map.groupBy(owed, ({ key }) => key);
  const missing: Missing[] = [];
  const excess: Excess[] = [];
  for (const key of new Set([...owedUnder.keys(), ...itemsOf.keys()])) {
    const lines = owedUnder.get(key) ?? [];
    const items = itemsOf.get(key) ?? [];
    const difference = sum(lines.map(({ subtotal }) => subtotal)).minus(leftOfAll(items));
    const [first] = lines;
    if (first && (difference.gt(0) || items.length === 0))
      missing.push({ key, lines, amount: difference, billAt: first.billAt, isNew: items.length === 0 });
    else if (difference.lt(0)) excess.push({ key, items, amount: difference.negated() });
  }
  return cover(missing, excess);
}

/**
 * After a change of the windows, one invoice may have billed the time of several present windows: the excess under its
 * own key covers those of the same subject in its time.
 */
function cover(missing: readonly Missing[], excess: readonly Excess[]) {
  const short = missing.map((each) => ({ ...each }));
  const over = excess.map((each) => ({ ...each }));
  for (const from of over)
    for (const to of short) {
      if (from.amount.isZero()) break;
      if (to.amount.lte(0) || subjectOf(from.key) !== subjectOf(to.key) || !isInTimeOf(from.items, to.lines)) continue;
      const covered = Decimal.min(from.amount, to.amount);
      from.amount = from.amount.minus(covered);
      to.amount = to.amount.minus(covered);
      to.isNew = false;
    }
  return {
    missing: short.filter(({ amount, isNew }) => isNew || amount.gt(0)),
    excess: over.filter(({ amount }) => amount.gt(0)),
  };
}

const isInTimeOf = (items: readonly BilledItem[], lines: readonly OwedLine[]): boolean =>
  items.some(({ period }) =>
    lines.some(({ periodStart, periodEnd }) => isBefore(periodStart, period.end) && isBefore(period.start, periodEnd)),
  );

const leftOf = ({ net, credited }: BilledItem): Decimal => net.minus(credited);

const leftOfAll = (items: readonly BilledItem[]): Decimal => sum(items.map(leftOf));

/** The last bill is credited first, and never more than its remainder. */
function creditsOf(items: readonly BilledItem[], amount: Decimal): PlannedCredit[] {
  let left = amount;
  return items.toReversed().flatMap((item): PlannedCredit[] => {
    const taken = item.isStanding ? Decimal.max(ZERO, Decimal.min(left, leftOf(item).minus(item.noted ?? ZERO))) : ZERO;
    left = left.minus(taken);
    return taken.isZero() ? [] : [{ item, amount: taken }];
  });
}

/** One line for the increase of a window: in units if these alone explain it, else as an amount. */
function correctionLine(lines: readonly OwedLine[], amount: Decimal): StagedLine {
  const first = lines[0] as OwedLine;
  const last = lines.at(-1) as OwedLine;
  const { key, lineKey, itemId, description } = first;
  const units = lines.length === 1 && !first.unitPrice.isZero() ? amount.div(first.unitPrice) : null;
  const isInUnits = units?.times(first.unitPrice).eq(amount) === true && units.decimalPlaces() <= UNIT_DIGITS;
  return {
    key,
    lineKey,
    itemId,
    description: `${description}: correction`,
    quantity: isInUnits && units ? units : ONE,
    unitPrice: isInUnits ? first.unitPrice : amount,
    subtotal: amount,
    periodStart: first.periodStart,
    periodEnd: last.periodEnd,
  };
}

const UNIT_DIGITS = 6;

/** The amount of a planned invoice before tax, less its credits. */
export const amountOf = ({ lines, credits }: PlannedInvoice): Decimal =>
  sum([...lines.map(({ subtotal }) => subtotal), ...credits.map(({ amount }) => amount.negated())]);
