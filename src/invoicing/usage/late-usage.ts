import type { Tx } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { lateSince, usageSnapshot } from '../../metering/index.ts';
import type { CarriedCharge, LateCharge } from '../calculation/calculate.ts';
import { type BilledUsage, groupKey } from '../invoice/billed-usage.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { findInvoice } from '../invoice/invoices.sql.ts';
import { type BilledCharge, chargesOn, fractionUpTo } from '../owed/charges.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { saveTaken } from './burnt-taken.sql.ts';
import {
  billedOf,
  type ClosedPeriod,
  closedPeriods,
  type LateUsage,
  lateUsageOn,
  lockLate,
  openRests,
  saveLateUsage,
  saveUsageTaken,
} from './late-usage.sql.ts';
import { readUsage } from './read-usage.ts';
import { besideOtherParts } from './split-period.ts';

/** Whose events a subscription may bill. */
export const subjectsOf = ({ subscriptionId, customerId }: BillingTerms): string[] => [subscriptionId, customerId];

/**
 * Late usage is a difference of quantities, never "events after a mark" (domain.md §4): of each closed period of the
 * subscription for which something may have come, what there is now of the prices of which that is not what was billed.
 */
export async function findLateUsage(tx: Tx, source: BillingSource, terms: BillingTerms): Promise<LateUsage[]> {
  const found: LateUsage[] = [];
  for (const period of await periodsToRead(tx, terms)) {
    const usage = await readUsage(tx, source, terms, period, period.period_end);
    const changes = changesOf(period, await billedOf(tx, period), usage);
    found.push(...(await besideOtherParts(tx, source, terms, period, changes, found)));
  }
  return found;
}

/**
 * Has an invoice bill what came late, for good. Not under the ingest lock, which would stop the merchant's events meanwhile:
 * what comes right now is late for the next invoice.
 */
export async function takeLateUsage(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  invoice: InvoiceRow,
): Promise<void> {
  await lockLate(tx, terms.merchantId, terms.subscriptionId);
  for (const period of await periodsToRead(tx, terms)) {
    const snapshot = await usageSnapshot(tx); // before the figure
    const usage = await readUsage(tx, source, terms, period, period.period_end);
    const changes = changesOf(period, await billedOf(tx, period), usage);
    await saveLateUsage(tx, invoice, await besideOtherParts(tx, source, terms, period, changes));
    await saveTaken(tx, period, usage); // also where they are as many: they may be others
    await saveUsageTaken(tx, period.merchant_id, period.id, snapshot);
  }
}

async function periodsToRead(tx: Tx, terms: BillingTerms): Promise<ClosedPeriod[]> {
  const periods = await closedPeriods(tx, terms.merchantId, terms.subscriptionId);
  const known = periods.filter(({ snapshot }) => snapshot !== null);
  const taken = known.map(({ period_end: at, snapshot }) => ({ at, snapshot: snapshot as string }));
  const late = taken.length === 0 ? [] : await lateSince(tx, terms.merchantId, subjectsOf(terms), taken);
  const unchanged = new Set(known.filter((_, index) => !late[index]));
  return periods.filter((period) => !unchanged.has(period));
}

function changesOf(period: ClosedPeriod, before: readonly BilledUsage[], after: readonly BilledUsage[]): LateUsage[] {
  const billed = Map.groupBy(before, ({ price_id: id }) => id);
  const now = Map.groupBy(after, ({ price_id: id }) => id);
  return [...new Set([...billed.keys(), ...now.keys()])].flatMap((priceId): LateUsage[] => {
    const [was, is] = [billed.get(priceId) ?? [], now.get(priceId) ?? []];
    return sameUsage(was, is) ? [] : [{ of_invoice_id: period.id, price_id: priceId, billed: was, now: is }];
  });
}

/** Groups without a quantity are as good as groups that are not there. */
function sameUsage(a: readonly BilledUsage[], b: readonly BilledUsage[]): boolean {
  const shown = (rows: readonly BilledUsage[]) =>
    rows
      .filter(({ quantity, event_count, granted }) => !quantity.isZero() || event_count > 0 || !granted.isZero())
      .map((row) =>
        [groupKey(row.group_values), row.quantity.toFixed(), row.event_count, row.granted.toFixed()].join('|'),
      )
      .toSorted((x, y) => (x < y ? -1 : 1))
      .join('\n');
  return shown(a) === shown(b);
}

/** What an invoice bills of closed periods, with the price and the dates of each, as calculations take it. */
export async function lateChargesOn(tx: Tx, terms: BillingTerms, invoice: InvoiceRow): Promise<LateCharge[]> {
  return lateChargesOf(tx, terms, await lateUsageOn(tx, invoice));
}

/** @throws where a price is not among the terms of its period */
export async function lateChargesOf(tx: Tx, terms: BillingTerms, late: readonly LateUsage[]): Promise<LateCharge[]> {
  const charges: LateCharge[] = [];
  for (const { of_invoice_id: ofInvoiceId, price_id: priceId, billed, now, others } of late) {
    const charge = await chargeOf(tx, terms, ofInvoiceId, priceId, others?.until);
    charges.push({ ofInvoiceId, charge, billed, now, ...(others && { others: others.used }) });
  }
  return charges;
}

/**
 * What this invoice gives back of late usage because earlier ones could not. Two invoices of a subscription decide on it one
 * after the other.
 */
export async function takeRests(
  tx: Tx,
  terms: BillingTerms,
  invoice: InvoiceRow,
): Promise<Pick<FrozenTerms, 'lateCarried'>> {
  await lockLate(tx, terms.merchantId, terms.subscriptionId);
  return findRests(tx, terms, invoice);
}

/** The same for a preview. */
export async function findRests(
  tx: Tx,
  terms: BillingTerms,
  invoice: InvoiceRow,
): Promise<Pick<FrozenTerms, 'lateCarried'>> {
  const lateCarried = await openRests(tx, terms.merchantId, terms.subscriptionId, invoice.id);
  return lateCarried.length > 0 ? { lateCarried } : {};
}

/** What an invoice bears for earlier ones, as calculations take it. */
export async function carriedCharges(
  tx: Tx,
  terms: BillingTerms,
  { lateCarried = [] }: Pick<FrozenTerms, 'lateCarried'>,
): Promise<CarriedCharge[]> {
  const charges: CarriedCharge[] = [];
  for (const { ofInvoiceId, priceId, amount, fromInvoiceId } of lateCarried) {
    const charge = await chargeOf(tx, terms, ofInvoiceId, priceId);
    charges.push({ ofInvoiceId, charge, amount: decimal(amount), isOfPart: fromInvoiceId === ofInvoiceId });
  }
  return charges;
}

/** @param until the end of the last of the parts with which its period is priced as one */
async function chargeOf(
  tx: Tx,
  terms: BillingTerms,
  invoiceId: string,
  priceId: string,
  until?: Instant,
): Promise<BilledCharge> {
  const period = await findInvoice(tx, terms.merchantId, invoiceId);
  const charge = period && chargesOn(terms, period).find(({ price }) => price.id === priceId);
  if (!charge) throw new Error(`Invoice ${invoiceId} has no charge of ${priceId} for which something could be late.`);
  const fraction = until && fractionUpTo(terms, period, charge.price, until);
  return fraction ? { ...charge, fraction } : charge;
}

/** When what came late for a subscription that has ended is billed, if no invoice bills it before. */
export const lateUsageDueAt = (end: Instant, lateUsageDays: number): Instant => end.add({ hours: lateUsageDays * 24 });
