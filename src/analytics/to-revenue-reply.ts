import { eachInTurns } from '../http/index.ts';
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

/** The figures of one currency, with a value for every bucket. */
export async function toFiguresReply(figures: readonly Figure[], currency: string, buckets: Iterable<Range>) {
  const all = summarize(figures);
  const byBucket = Map.groupBy(figures, startOf);
  const nothing = toBucket(summarize([]), currency);
  return {
    netRevenue: formatMoney(all.netRevenue, currency),
    totalRefunds: formatMoney(all.refunds.amount, currency),
    refundCount: all.refunds.count,
    totalRebates: formatMoney(all.rebates.amount, currency),
    rebateCount: all.rebates.count,
    totalEarned: formatMoney(all.earned, currency),
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
    trend: await eachInTurns(buckets, ({ from }) => {
      const own = byBucket.get(from.epochMilliseconds);
      return { timestamp: formatInstant(from), ...(own ? toBucket(summarize(own), currency) : nothing) };
    }),
  };
}

const toBucket = (summary: Summary, currency: string) => ({
  issuedInvoices: formatMoney(summary.issued.amount, currency),
  writtenOffInvoices: formatMoney(summary.writtenOff.amount, currency),
  completedPayments: formatMoney(summary.completed.amount, currency),
  refunds: formatMoney(summary.refunds.amount, currency),
  rebates: formatMoney(summary.rebates.amount, currency),
  earned: formatMoney(summary.earned, currency),
  netRevenue: formatMoney(summary.netRevenue, currency),
});

/** What each of some groups issued in each bucket in which it issued something, by the start of the bucket. */
export async function issuedByBucket(groups: readonly ShownGroup[]) {
  const entries = new Map<number, { groupKey: string; groupLabel: string; issuedInvoices: string }[]>();
  for (const { key, label, currency, figures } of groups)
    await eachInTurns(Map.groupBy(figures, startOf), ([start, own]) => {
      const { issued } = summarize(own);
      if (issued.count === 0) return;
      const entry = { groupKey: key, groupLabel: label, issuedInvoices: formatMoney(issued.amount, currency) };
      entries.getOrInsertComputed(start, () => []).push(entry);
    });
  return entries;
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
