import { eachInTurns, sortedInTurns } from '../http/index.ts';
import { type Decimal, sum, ZERO } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';

export type FactKind = 'invoice' | 'refund' | 'rebate' | 'payment' | 'dispute' | 'earned';
type FactStatus =
  | 'outstanding'
  | 'paid'
  | 'written_off'
  | 'issued'
  | 'completed'
  | 'pending'
  | 'expired'
  | 'open'
  | 'lost';

/** The sum of facts of one kind and status in one currency. */
export interface Figure {
  readonly currency: string;
  /** The start of its bucket, clipped to the range. */
  readonly bucket: Instant;
  /** The plan or the customer by which figures are grouped; '' where there is none. */
  readonly member: string;
  readonly kind: FactKind;
  readonly status: FactStatus;
  readonly count: number;
  readonly amount: Decimal;
  /** The unpaid part of the amount. */
  readonly openAmount: Decimal;
}

export interface CountAndAmount {
  readonly count: number;
  readonly amount: Decimal;
}

/** The summary of figures in one currency (docs/decisions/0077). */
export interface Summary {
  readonly issued: CountAndAmount;
  readonly outstanding: CountAndAmount;
  readonly paid: CountAndAmount;
  readonly writtenOff: CountAndAmount;
  readonly refunds: CountAndAmount;
  readonly rebates: CountAndAmount;
  /** Paid billing credits that were used or expired. */
  readonly earned: Decimal;
  readonly completed: CountAndAmount;
  readonly pending: CountAndAmount;
  readonly expired: CountAndAmount;
  /** What open disputes hold back, and what lost ones took. */
  readonly disputed: CountAndAmount;
  readonly lost: CountAndAmount;
  /** Issued and earned, less refunds, rebates and write-offs. */
  readonly netRevenue: Decimal;
}

/** Adds up figures of one currency. Of every invoice, `issued` is what is outstanding, paid and written off of it. */
export function summarize(figures: readonly Figure[]): Summary {
  const invoices = figures.filter(({ kind }) => kind === 'invoice');
  const of = (list: readonly Figure[], ...statuses: readonly FactStatus[]) =>
    list.filter(({ status }) => statuses.includes(status));
  const payments = figures.filter(({ kind }) => kind === 'payment');
  const disputes = figures.filter(({ kind }) => kind === 'dispute');
  const issued = total(invoices);
  const outstanding = totalOpen(of(invoices, 'outstanding'));
  const writtenOff = totalOpen(of(invoices, 'written_off'));
  const refunds = total(figures.filter(({ kind }) => kind === 'refund'));
  const rebates = total(figures.filter(({ kind }) => kind === 'rebate'));
  const earned = total(figures.filter(({ kind }) => kind === 'earned')).amount;
  return {
    issued,
    outstanding,
    paid: {
      count: total(of(invoices, 'paid')).count,
      amount: issued.amount.minus(outstanding.amount).minus(writtenOff.amount),
    },
    writtenOff,
    refunds,
    rebates,
    earned,
    completed: total(of(payments, 'completed')),
    pending: total(of(payments, 'pending')),
    expired: total(of(payments, 'expired')),
    disputed: total(of(disputes, 'open')),
    lost: total(of(disputes, 'lost')),
    netRevenue: issued.amount.plus(earned).minus(refunds.amount).minus(rebates.amount).minus(writtenOff.amount),
  };
}

/** Payments, and disputes about them, belong to no plan and change no net revenue. */
export const isRevenue = ({ kind }: Pick<Figure, 'kind'>): boolean => kind !== 'payment' && kind !== 'dispute';

const countOf = (figures: readonly Figure[]): number => figures.reduce((count, figure) => count + figure.count, 0);

const total = (figures: readonly Figure[]): CountAndAmount => ({
  count: countOf(figures),
  amount: figures.length === 0 ? ZERO : sum(figures.map(({ amount }) => amount)),
});

const totalOpen = (figures: readonly Figure[]): CountAndAmount => ({
  count: countOf(figures),
  amount: figures.length === 0 ? ZERO : sum(figures.map(({ openAmount }) => openAmount)),
});

/**
 * The currency of a report: the one that is asked for, the merchant's, the only one, or the one with the most invoices.
 */
export function reportCurrency(
  asked: string | undefined,
  merchants: string | null,
  figures: readonly Pick<Figure, 'currency' | 'kind' | 'count'>[],
): string {
  const ofCurrency = Map.groupBy(figures, ({ currency }) => currency);
  const invoices = (list: readonly Pick<Figure, 'kind' | 'count'>[]) =>
    list.reduce((count, figure) => count + (figure.kind === 'invoice' ? figure.count : 0), 0);
  const [most] = [...ofCurrency].toSorted(
    ([a, these], [b, those]) => invoices(those) - invoices(these) || (a < b ? -1 : 1),
  );
  return asked ?? merchants ?? most?.[0] ?? 'USD';
}

/** The key of the group of all that has no plan, and of the groups that are not shown one by one. */
export const NO_GROUP = 'none';
export const OTHER_GROUPS = 'other';

/** A group of figures, in the order in which it is shown. */
export interface FigureGroup {
  readonly key: string;
  readonly figures: readonly Figure[];
}

/** Figures by their member: the groups with the most issued first, and all after the first `most` as one. */
export async function groupFigures(figures: readonly Figure[], most: number): Promise<FigureGroup[]> {
  const ofMember = Map.groupBy(figures, ({ member }) => member);
  const unsorted = await eachInTurns(ofMember, ([member, own]) => ({
    key: member === '' ? NO_GROUP : member,
    figures: own,
    issued: total(own.filter(({ kind }) => kind === 'invoice')).amount,
  }));
  const groups = await sortedInTurns(unsorted, (a, b) => b.issued.comparedTo(a.issued) || (a.key < b.key ? -1 : 1));
  const others = groups.slice(most).flatMap((group) => group.figures);
  return [...groups.slice(0, most), ...(others.length > 0 ? [{ key: OTHER_GROUPS, figures: others }] : [])].map(
    ({ key, figures: own }) => ({ key, figures: own }),
  );
}
