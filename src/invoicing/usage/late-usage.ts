import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { lateSinceOf, markedUsageSnapshot } from '../../metering/index.ts';
import type { ClosedPart, ClosedPeriod, UncalculatedInvoice } from '../difference/due.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { selectInvoices } from '../invoice/invoices.sql.ts';
import { asBilled } from '../owed/charges.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { replaceTaken } from './burnt-taken.sql.ts';
import { insertUsageTaken, type ReadInvoice, selectReadInvoices } from './late-usage.sql.ts';
import { readUsageOfEach } from './read-usage.ts';

/** The subjects whose events a subscription may bill. */
export const subjectsOf = ({
  subscriptionId,
  customerId,
}: Pick<BillingTerms, 'subscriptionId' | 'customerId'>): string[] => [subscriptionId, customerId];

/** A closed period whose usage may differ from its bill, with its present usage. */
export interface ReadPeriod extends ClosedPeriod {
  /** The invoice of its last part. */
  readonly invoice: InvoiceRow;
  /** The invoices of all its parts. */
  readonly invoices: readonly InvoiceRow[];
  /** Of the whole period. */
  readonly usage: readonly BilledUsage[];
  /** The visible events: taken before reading, so that a concurrent event is late again. */
  readonly snapshot: string;
}

/** The owner of the closed periods to read. */
export interface WhoseClosedPeriods {
  readonly terms: BillingTerms;
  /** Invoices of the subscription that are still to be calculated. */
  readonly uncalculated: readonly UncalculatedInvoice[];
}

/**
 * Reads the usage of the closed periods of a subscription for which something may have come or changed since they were
 * read (§4, Late usage). A period of which an invoice is still to be calculated is left to that one.
 */
export async function readClosedPeriods(
  tx: Tx,
  source: BillingSource,
  whose: WhoseClosedPeriods,
  which: WhichPeriods = 'changed',
): Promise<ReadPeriod[]> {
  const [found] = await readClosedPeriodsOf(tx, source, [whose], which);
  return found as ReadPeriod[];
}

/**
 * The same of some subscriptions of one merchant, in their order. One question for all finds those without new events;
 * the others are read one by one.
 */
export async function readClosedPeriodsOf(
  tx: Tx,
  source: BillingSource,
  all: readonly WhoseClosedPeriods[],
  which: WhichPeriods = 'changed',
): Promise<ReadPeriod[][]> {
  const [first] = all;
  if (!first) return [];
  const subscriptionIds = all.map(({ terms }) => terms.subscriptionId);
  const read = Map.groupBy(await selectReadInvoices(tx, subscriptionIds), (each) => each.subscriptionId);
  const late = await findLate(
    tx,
    all.map(({ terms }) => ({ terms, read: read.get(terms.subscriptionId) ?? [] })),
  );
  const answers: ReadPeriod[][] = [];
  for (const [place, { terms, uncalculated }] of all.entries()) {
    const changed = late[place] as ReadonlySet<ReadInvoice>;
    const periods = periodsToRead(read.get(terms.subscriptionId) ?? [], { changed, uncalculated }, which);
    answers.push(await readPeriods(tx, source, terms, periods, which));
  }
  return answers;
}

async function readPeriods(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  periods: readonly (readonly ReadInvoice[])[],
  which: WhichPeriods,
): Promise<ReadPeriod[]> {
  if (periods.length === 0) return [];
  const invoices = await selectInvoices(
    tx,
    periods.flat().map(({ id }) => id),
  );
  const found: ReadPeriod[] = [];
  for (const period of periods) {
    const those = period.map(({ id }) => invoices.get(id) as InvoiceRow);
    const invoice = those.at(-1) as InvoiceRow;
    const snapshot = await markedUsageSnapshot(tx);
    // An unchanged period is read from the events themselves, and with the stored readings of other periods. Other
    // readings count the periods that are corrected with this one.
    const how = which === 'unchanged' ? { acceptedUpTo: LAST_EVENT } : { reread: found };
    const then = asBilled(terms, invoice);
    const apart = haveSameDiscounts(those) ? [invoice] : those;
    const asked = apart.map((part) => ({ terms: then, invoice: part }));
    const usageOf = await readUsageOfEach(tx, source, asked, how);
    const parts = apart.map((part, place): ClosedPart => {
      const adjustments = part.terms?.adjustments ?? [];
      return { invoice: part, usage: usageOf[place] ?? [], adjustments };
    });
    found.push({ invoice, invoices: those, parts, snapshot, usage: usageOf.at(-1) ?? [] });
  }
  return found;
}

const haveSameDiscounts = (invoices: readonly InvoiceRow[]): boolean =>
  new Set(invoices.map(({ terms }) => JSON.stringify(terms?.adjustments ?? []))).size === 1;

/** The last place in the order of acceptance: all events count. */
const LAST_EVENT = 9_223_372_036_854_775_807n;

/** Those of which the next invoice may bill a difference, or those of which there must be none. */
export type WhichPeriods = 'changed' | 'unchanged';

function periodsToRead(
  read: readonly ReadInvoice[],
  { changed, uncalculated }: Pick<WhoseClosedPeriods, 'uncalculated'> & { readonly changed: ReadonlySet<ReadInvoice> },
  which: WhichPeriods,
): ReadInvoice[][] {
  const open = new Set(uncalculated.filter(({ kind }) => kind === 'subscription').map(periodOfInvoice));
  return [...Map.groupBy(read, periodOfInvoice)]
    .filter(([period, parts]) => !open.has(period) && parts.some((part) => changed.has(part)) === (which === 'changed'))
    .map(([, parts]) => parts);
}

/** Of the invoices of each of some subscriptions those for whose period something may have come since it was read. */
async function findLate(
  tx: Tx,
  all: readonly { readonly terms: BillingTerms; readonly read: readonly ReadInvoice[] }[],
): Promise<ReadonlySet<ReadInvoice>[]> {
  const known = all.map(({ read }) => read.filter(({ snapshot }) => snapshot !== null));
  const asked = all.map(({ terms }, place) => ({
    subjects: subjectsOf(terms),
    taken: (known[place] ?? []).map(({ periodEnd: at, snapshot }) => ({ at, snapshot: snapshot as string })),
  }));
  const late = await lateSinceOf(tx, asked);
  return all.map(({ read }, place) => {
    const those = known[place] as readonly ReadInvoice[];
    return new Set(read.filter((invoice) => !those.includes(invoice) || late[place]?.[those.indexOf(invoice)]));
  });
}

/** The whole period of which an invoice bills all or a part. */
const periodOfInvoice = (
  invoice: Pick<UncalculatedInvoice, 'billingCadence' | 'billingAnchor' | 'periodNumber'>,
): string => `${invoice.billingCadence} ${invoice.billingAnchor.toString()} ${invoice.periodNumber}`;

/** The usage of closed periods is billed as it was read. */
export async function saveReadPeriods(tx: Tx, periods: readonly ReadPeriod[]): Promise<void> {
  for (const { invoice, invoices, usage, snapshot } of periods) {
    await replaceTaken(tx, invoice, usage); // also where they are as many: they may be others
    await insertUsageTaken(
      tx,
      invoices.map(({ id }) => id),
      snapshot,
    );
  }
}

/** When what came late for a subscription that has ended is billed, if no invoice bills it before. */
export const lateUsageDueAt = (end: Instant, lateUsageDays: number): Instant => end.add({ hours: lateUsageDays * 24 });
