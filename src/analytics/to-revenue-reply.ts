import { formatMoney } from '../kernel/money.ts';
import { formatInstant } from '../kernel/time.ts';
import type { Range } from './buckets.ts';
import { type CountAndAmount, type Figure, type FigureGroup, type Summary, summarize } from './figures.ts';

/** A group as a report shows it. */
export interface ShownGroup extends FigureGroup {
  readonly label: string;
  /** Of all its figures. */
  readonly currency: string;
}

/**
 * The figures of one currency, with a value for every bucket; `groups` are in the buckets in which they have a value.
 */
export function toFiguresReply(
  figures: readonly Figure[],
  currency: string,
  buckets: readonly Range[],
  groups?: readonly ShownGroup[],
) {
  const all = summarize(figures);
  const byBucket = Map.groupBy(figures, startOf);
  const trends = groups?.map((group) => ({ group, byBucket: Map.groupBy(group.figures, startOf) }));
  return {
    netRevenue: formatMoney(all.netRevenue, currency),
    totalRefunds: formatMoney(all.refunds.amount, currency),
    refundCount: all.refunds.count,
    totalRebates: formatMoney(all.rebates.amount, currency),
    rebateCount: all.rebates.count,
    invoices: toInvoices(all, currency),
    disputes: { open: toCategory(all.disputed, currency), lost: toCategory(all.lost, currency) },
    payments: {
      completedCount: all.completed.count,
      completedAmount: formatMoney(all.completed.amount, currency),
      pendingCount: all.pending.count,
      pendingAmount: formatMoney(all.pending.amount, currency),
      expiredCount: all.expired.count,
      expiredAmount: formatMoney(all.expired.amount, currency),
    },
    trend: buckets.map(({ from }) => {
      const inBucket = summarize(byBucket.get(from.epochMilliseconds) ?? []);
      return {
        timestamp: formatInstant(from),
        issuedInvoices: formatMoney(inBucket.issued.amount, currency),
        writtenOffInvoices: formatMoney(inBucket.writtenOff.amount, currency),
        completedPayments: formatMoney(inBucket.completed.amount, currency),
        refunds: formatMoney(inBucket.refunds.amount, currency),
        rebates: formatMoney(inBucket.rebates.amount, currency),
        netRevenue: formatMoney(inBucket.netRevenue, currency),
        ...(trends && {
          groupBreakdown: trends.flatMap(({ group, byBucket: ofGroup }) => {
            const { issued } = summarize(ofGroup.get(from.epochMilliseconds) ?? []);
            if (issued.count === 0) return [];
            return [
              {
                groupKey: group.key,
                groupLabel: group.label,
                issuedInvoices: formatMoney(issued.amount, group.currency),
              },
            ];
          }),
        }),
      };
    }),
  };
}

const startOf = ({ bucket }: Figure): number => bucket.epochMilliseconds;

const toCategory = ({ count, amount }: CountAndAmount, currency: string) => ({
  count,
  amount: formatMoney(amount, currency),
});

const toInvoices = ({ issued, outstanding, paid, writtenOff }: Summary, currency: string) => ({
  issued: toCategory(issued, currency),
  outstanding: toCategory(outstanding, currency),
  paid: toCategory(paid, currency),
  writtenOff: toCategory(writtenOff, currency),
});

/** The figures of a group. */
export function toGroupReply({ key, label, figures, currency }: ShownGroup) {
  const all = summarize(figures);
  return {
    groupKey: key,
    groupLabel: label,
    ...toInvoices(all, currency),
    netRevenue: formatMoney(all.netRevenue, currency),
  };
}
