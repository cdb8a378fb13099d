import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { lateSince, usageSnapshot } from '../../metering/index.ts';
import type { ClosedPeriod, UncalculatedInvoice } from '../difference/due.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { asBilled } from '../owed/charges.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { saveTaken } from './burnt-taken.sql.ts';
import { type ReadInvoice, saveUsageTaken, selectReadInvoices } from './late-usage.sql.ts';
import { readUsage } from './read-usage.ts';

/** Whose events a subscription may bill. */
export const subjectsOf = ({
  subscriptionId,
  customerId,
}: Pick<BillingTerms, 'subscriptionId' | 'customerId'>): string[] => [subscriptionId, customerId];

/** A closed period whose usage may not be what was billed of it, with the usage that there is now. */
export interface ReadPeriod extends ClosedPeriod {
  /** The invoice of its last part. */
  readonly invoice: InvoiceRow;
  /** The invoices of all its parts. */
  readonly parts: readonly InvoiceRow[];
  /** Which events there were: taken before they were read, so that an event that comes meanwhile is late again. */
  readonly snapshot: string;
}

/**
 * Reads the usage of the closed periods of a subscription for which something may have come or changed since they were read
 * (§4, Late usage). A period of which an invoice is still to be calculated is left to that one.
 */
export async function readClosedPeriods(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  uncalculated: readonly UncalculatedInvoice[],
  which: WhichPeriods = 'changed',
): Promise<ReadPeriod[]> {
  const found: ReadPeriod[] = [];
  for (const parts of await periodsToRead(tx, terms, uncalculated, which)) {
    const invoice = parts.at(-1) as ReadInvoice;
    const snapshot = await usageSnapshot(tx, terms.merchantId);
    // Not from sums that were kept of the events, and beside what is stored; else beside those that are corrected with it.
    const how = which === 'unchanged' ? { acceptedUpTo: LAST_EVENT } : { anew: found };
    const usage = await readUsage(tx, source, asBilled(terms, invoice), invoice, how);
    found.push({ invoice, parts, snapshot, usage, adjustments: invoice.terms?.adjustments ?? [] });
  }
  return found;
}

/** The last place in the order of acceptance: all events count. */
const LAST_EVENT = 9_223_372_036_854_775_807n;

/** Those of which the next invoice may bill a difference, or those of which there must be none. */
export type WhichPeriods = 'changed' | 'unchanged';

async function periodsToRead(
  tx: Tx,
  terms: BillingTerms,
  uncalculated: readonly UncalculatedInvoice[],
  which: WhichPeriods,
): Promise<ReadInvoice[][]> {
  const read = await selectReadInvoices(tx, terms.merchantId, terms.subscriptionId);
  const known = read.filter(({ snapshot }) => snapshot !== null);
  const taken = known.map(({ period_end: at, snapshot }) => ({ at, snapshot: snapshot as string }));
  const late = taken.length === 0 ? [] : await lateSince(tx, terms.merchantId, subjectsOf(terms), taken);
  const changed = new Set(read.filter((invoice) => !known.includes(invoice) || late[known.indexOf(invoice)]));
  const open = new Set(uncalculated.filter(({ kind }) => kind === 'subscription').map(periodOfInvoice));
  return [...Map.groupBy(read, periodOfInvoice)]
    .filter(([period, parts]) => !open.has(period) && parts.some((part) => changed.has(part)) === (which === 'changed'))
    .map(([, parts]) => parts);
}

/** The whole period of which an invoice bills all or a part. */
const periodOfInvoice = (
  invoice: Pick<UncalculatedInvoice, 'billing_cadence' | 'billing_anchor' | 'period_number'>,
): string => `${invoice.billing_cadence} ${invoice.billing_anchor.toString()} ${invoice.period_number}`;

/** The usage of closed periods is billed as it was read. */
export async function saveReadPeriods(tx: Tx, periods: readonly ReadPeriod[]): Promise<void> {
  for (const { invoice, parts, usage, snapshot } of periods) {
    await saveTaken(tx, invoice, usage); // also where they are as many: they may be others
    for (const { merchant_id: merchantId, id } of parts) await saveUsageTaken(tx, merchantId, id, snapshot);
  }
}

/** When what came late for a subscription that has ended is billed, if no invoice bills it before. */
export const lateUsageDueAt = (end: Instant, lateUsageDays: number): Instant => end.add({ hours: lateUsageDays * 24 });
