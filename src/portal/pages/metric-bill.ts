import { type BilledPeriod, findInvoice, type LineRow, type OpenInvoice, viewAsOfNow } from '../../invoicing/index.ts';
import { type Decimal, sum } from '../../kernel/decimal.ts';
import { isBefore } from '../../kernel/time.ts';
import { figuresOf } from '../../look/index.ts';
import type { Visit } from '../frame/page.ts';
import type { PortalDependencies } from '../links/dependencies.ts';
import type { Group } from './usage-series.ts';

/** What the usage of a metric costs in a period, as its invoices say it, with discounts. */
export interface MetricBill {
  readonly amount: Decimal;
  /** Are amounts with the tax, as agreed? */
  readonly isInclusive: boolean;
  /** The dimensions by which it is billed. */
  readonly dimensions: readonly string[];
  readonly ofGroup: (group: Group) => Decimal;
  readonly money: (amount: Decimal) => string;
}

/**
 * Finds what metrics cost in the first of some periods. An invoice is calculated once for all metrics on it.
 * @param periods the period, and those after it: late usage is billed on their invoices
 * @returns null for a period whose lines are not calculated
 */
export function billedOf(
  { invoicing }: PortalDependencies,
  { tx, look }: Visit,
): (metricId: string, periods: readonly BilledPeriod[]) => Promise<MetricBill | null> {
  const found = new Map<string, OpenInvoice | null>();
  const viewOf = async (id: string): Promise<OpenInvoice | null> => {
    const known = found.get(id);
    if (known !== undefined) return known;
    const stored = await findInvoice(tx, id);
    const view = stored ? await viewAsOfNow(invoicing, tx, stored) : null;
    found.set(id, view);
    return view;
  };
  return async (metricId, periods) => {
    const views: OpenInvoice[] = [];
    for (const id of periods.flatMap(({ invoiceIds }) => invoiceIds))
      views.push(...[await viewOf(id)].filter((view) => view !== null));
    const [first] = views;
    const lines = views.flatMap(({ lines: all }) => linesOf(metricId, periods[0], all));
    if (first === undefined || lines.length === 0) return null;
    const { currency, terms } = first.invoice;
    const isInclusive = terms?.taxBehavior === 'inclusive';
    const amountOf = (some: readonly MetricLine[]): Decimal =>
      sum(some.flatMap(({ parts }) => parts.map((part) => (isInclusive ? part.totalAmount : part.totalPrice))));
    const dimensions = [...new Set(lines.flatMap(({ group }) => Object.keys(group)))];
    const isIn = (group: Group) => (line: MetricLine) =>
      dimensions.every((dimension) => (line.group[dimension] ?? null) === (group[dimension] ?? null));
    return {
      ...{ isInclusive, dimensions },
      amount: amountOf(lines),
      ofGroup: (group) => amountOf(lines.filter(isIn(group))),
      money: (amount) => figuresOf(look.locale).money(amount, currency),
    };
  };
}

/** A line of usage with its discounts. */
interface MetricLine {
  readonly group: Group;
  readonly parts: readonly LineRow[];
}

const linesOf = (metricId: string, period: BilledPeriod | undefined, all: readonly LineRow[]): MetricLine[] =>
  all
    .filter((line) => line.billableMetricId === metricId && line.appliesToLineId === null)
    .filter(({ periodStart: at }) => period !== undefined && !isBefore(at, period.start) && isBefore(at, period.end))
    .map((line) => ({
      group: line.groupValues ?? {},
      parts: [line, ...all.filter(({ appliesToLineId: of }) => of === line.id)],
    }));
