import type { Tx } from '../../db/index.ts';
import { decimal, jsonNumber, plain, ZERO } from '../../kernel/decimal.ts';
import { DEFAULT_LOCALE } from '../../kernel/locale.ts';
import { formatMoney } from '../../kernel/money.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant } from '../../kernel/time.ts';
import { isLevel, type UsageRow } from '../../metering/index.ts';
import { asOne, calculateTogether } from '../calculation/calculate.ts';
import type { Calculation } from '../calculation/calculation.ts';
import { notesOfLine, withCreditNotes } from '../calculation/line-notes.ts';
import type { DueCharge } from '../difference/due.ts';
import { loadOwnDue } from '../drafts/billing-state.ts';
import { calculateStored, placeOf as placeInBilling } from '../drafts/calculate-stored.ts';
import { inputsOfMembers } from '../drafts/inputs-of-members.ts';
import { plansOf } from '../drafts/plans-then.ts';
import { groupKey } from '../invoice/billed-usage.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { FrozenAdjustment, FrozenTerms } from '../invoice/frozen-terms.ts';
import { hasGivenLines, type InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectInvoice, selectInvoices, selectLines } from '../invoice/invoices.sql.ts';
import { asBilled, cellOf } from '../owed/charges.ts';
import type { BilledPrice, BillingTerms } from '../terms/billing-terms.ts';
import { listPriceId } from '../terms/list-price.ts';
import { versionsOf } from '../timeline/segments.ts';
import { readUsageByHour } from '../usage/read-usage.ts';
import { rowsOfLine, usageByHour } from '../usage/usage-by-hour.ts';
import { OPEN_STATES, withLiveTotals } from './read.ts';

/**
 * GET /v2/invoices/{id}/explain: where every number comes from (domain.md §4). Of an open period as of now; of a
 * calculated invoice also whether calculating it again from what is stored gives the same.
 */
export async function explainInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  id: string,
): Promise<Result<unknown>> {
  const stored = await selectInvoice(tx, id);
  if (!stored) return notFound('invoice');
  const { subscriptionId } = stored;
  const terms = subscriptionId === null ? null : await dependencies.source.terms(tx, subscriptionId);
  const { invoice, lines } = await withLiveTotals(dependencies, tx, stored);
  const all = await withCreditNotes(tx, invoice, lines ?? (await selectLines(tx, id)));
  const explained = [];
  for (const part of await partsOf(tx, dependencies, { stored, invoice, terms }, all))
    explained.push(...(await explainLines(dependencies, tx, part)));
  const money = (amount: InvoiceRow['subtotal']) => formatMoney(amount, invoice.currency);
  return ok({
    object: 'invoiceExplanation' as const,
    invoiceId: id,
    status: invoice.status,
    currency: invoice.currency,
    taxBehavior: invoice.terms?.taxBehavior ?? terms?.taxBehavior ?? 'exclusive',
    place: placeOf(invoice),
    lines: explained,
    taxes: invoice.taxes,
    subtotal: money(invoice.subtotal),
    totalTax: money(invoice.totalTax),
    grandTotal: money(invoice.grandTotal),
    recalculation: await recalculated(dependencies, tx, stored, all),
  });
}

/** The lines of one subscription, by the invoice that they were calculated for. */
interface ExplainedPart {
  readonly stored: InvoiceRow;
  readonly invoice: InvoiceRow;
  readonly terms: BillingTerms | null;
  readonly lines: readonly LineRow[];
}

/** A grouped invoice by its members, and what stands on it beside them. */
async function partsOf(
  tx: Tx,
  { source }: InvoicingDependencies,
  whole: Omit<ExplainedPart, 'lines'>,
  lines: readonly LineRow[],
): Promise<ExplainedPart[]> {
  const { sections, kind } = whole.stored;
  if (kind !== 'grouped') return [{ ...whole, lines }];
  const ids = sections.flatMap(({ invoiceIds }) => invoiceIds);
  const members = await selectInvoices(tx, ids);
  const parts: ExplainedPart[] = [];
  for (const id of ids) {
    const invoice = members.get(id) as InvoiceRow;
    const terms = await source.terms(tx, invoice.subscriptionId as string);
    parts.push({ stored: invoice, invoice, terms, lines: lines.filter(({ memberId }) => memberId === id) });
  }
  return [...parts, { ...whole, lines: lines.filter(({ memberId }) => memberId == null) }];
}

async function explainLines(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { stored, invoice, terms, lines }: ExplainedPart,
) {
  const own = terms && isOfTerms(stored) ? await dueIn(tx, terms, stored) : [];
  const usage = usageReader(dependencies, tx, terms, invoice);
  const explained = [];
  for (const line of lines.filter(({ appliesToLineId: of }) => of === null))
    explained.push({
      ...explainLine(line, invoice, priceOf(terms, line)),
      earlier: terms && earlierOf(terms, stored, line, own),
      usageByHour: await hoursOf(invoice, line, priceOf(terms, line), usage),
      discounts: discountsOf(line, lines, invoice),
    });
  return explained;
}

const priceOf = (terms: BillingTerms | null, { priceId: id }: LineRow): BilledPrice | null =>
  (terms ? versionsOf(terms) : []).flatMap(({ prices }) => prices).find((price) => price.id === id) ?? null;

function explainLine(line: LineRow, invoice: InvoiceRow, price: BilledPrice | null) {
  const { currency } = invoice;
  const money = (amount: LineRow['totalPrice']) => formatMoney(amount, currency);
  return {
    lineItemId: line.id,
    subscriptionId: invoice.subscriptionId,
    invoiceDisplayName: line.displayName,
    type: line.type,
    periodStart: formatInstant(line.periodStart),
    periodEnd: formatInstant(line.periodEnd),
    price: price && {
      id: listPriceId(price.id),
      model: price.pricing.model,
      properties: price.pricing.properties,
      minimumAmount: price.minimumAmount && plain(price.minimumAmount),
      maximumAmount: price.maximumAmount && plain(price.maximumAmount),
      override: price.agreed?.override ?? null,
    },
    group: line.groupValues,
    quantity: jsonNumber(line.quantity),
    unitPrice: plain(line.unitPrice),
    tiers: line.tiers,
    workings: line.workings,
    notes: notesOfLine(line, invoice, DEFAULT_LOCALE),
    amount: money(line.totalPrice),
    tax: { rate: jsonNumber(line.taxRate), amount: money(line.totalTax), decidedBy: deciderOf(line, invoice) },
    total: money(line.totalAmount),
  };
}

/** The source of a line's tax rate; null if it was not stored. A line of a one-off invoice is known by its place. */
function deciderOf({ priceId, position }: LineRow, { terms, oneOff: kept }: InvoiceRow): string | null {
  const sources = terms?.place?.sources ?? {};
  const key = priceId ?? (kept === null ? '' : String(position));
  return Object.hasOwn(sources, key) ? (sources[key] ?? null) : null;
}

/** The place of an invoice for tax, as decided; null before it is calculated, and without a registration for tax. */
function placeOf({ terms }: InvoiceRow) {
  if (!terms?.place) return null;
  const { treatment, country, rate, because, taxIdStatus, taxPoint, registration } = terms.place;
  return {
    treatment,
    country,
    rate: rate === null ? null : jsonNumber(decimal(rate)),
    because,
    taxIdStatus,
    taxPoint,
    registration,
  };
}

/**
 * The own charges of an invoice at their time: of a calculated one against the earlier bills, of an open one as of now.
 */
async function dueIn(tx: Tx, terms: BillingTerms, invoice: InvoiceRow): Promise<readonly DueCharge[]> {
  const place = OPEN_STATES.has(invoice.status) ? null : await placeInBilling(tx, invoice);
  return (await loadOwnDue(tx, asBilled(terms, invoice), invoice, {}, place)).due;
}

/**
 * The earlier bills of the usage of a line's charge in its period, in the group of the line; null if there are none.
 */
function earlierOf(terms: BillingTerms, invoice: InvoiceRow, line: LineRow, due: readonly DueCharge[]) {
  if (line.type !== 'charge' || invoice.kind !== 'subscription') return null;
  const before = due.find(({ charge: { price } }) => price.metric !== null && price.id === line.priceId)?.before;
  if (before === undefined) return null;
  const group = groupKey(line.groupValues ?? {});
  const found = before.charges.find((each) => groupKey(each.group) === group);
  return {
    from: formatInstant(cellOf(asBilled(terms, invoice), invoice).start),
    to: formatInstant(invoice.periodStart),
    quantity: jsonNumber(found?.quantity ?? ZERO),
    amount: formatMoney(found?.amount ?? ZERO, invoice.currency),
  };
}

type ReadUsage = (price: BilledPrice) => Promise<UsageRow[]>;

/** Reads the usage of each price once, however many lines the price has. */
function usageReader(
  { source }: InvoicingDependencies,
  tx: Tx,
  terms: BillingTerms | null,
  invoice: InvoiceRow,
): ReadUsage {
  const found = new Map<string, Promise<UsageRow[]>>();
  return ({ id }) => {
    const rows = found.get(id) ?? (terms ? readUsageByHour(tx, source, terms, invoice, id) : Promise.resolve([]));
    found.set(id, rows);
    return rows;
  };
}

/** The usage of a line as it is now, hour by hour; null where the line charges none. */
async function hoursOf(invoice: InvoiceRow, line: LineRow, price: BilledPrice | null, usage: ReadUsage) {
  const isUsage = line.eventType === 'usage' && line.type === 'charge' && invoice.kind === 'subscription';
  if (!isUsage || !price?.metric) return null;
  const rows = rowsOfLine(price.pricing, line.groupValues, await usage(price));
  const levelsUntil = isLevel(price.metric.meter) ? invoice.periodEnd : null;
  return usageByHour(rows, levelsUntil).map(({ from, to, value, eventCount }) => ({
    from: formatInstant(from),
    to: formatInstant(to),
    value: jsonNumber(value),
    eventCount,
  }));
}

/** The lines that take something off a line, in the order in which they do, each with its adjustment. */
function discountsOf(line: LineRow, all: readonly LineRow[], invoice: InvoiceRow) {
  const { terms, currency } = invoice;
  const taken: readonly (FrozenAdjustment | undefined)[] = (terms satisfies FrozenTerms | null)?.adjustments ?? [];
  const own = all.filter(({ appliesToLineId: of }) => of === line.id);
  const adjustments = own.filter(({ type }) => type === 'adjustment');
  return own.map((discount) => {
    const by = taken[adjustments.indexOf(discount)];
    return {
      lineItemId: discount.id,
      description: discount.displayName,
      adjustmentId: by?.id ?? null,
      percentageDiscount: by?.percentageDiscount ?? null,
      notes: notesOfLine(discount, invoice, DEFAULT_LOCALE),
      amount: formatMoney(discount.totalPrice, currency),
      tax: { rate: jsonNumber(discount.taxRate), amount: formatMoney(discount.totalTax, currency) },
      total: formatMoney(discount.totalAmount, currency),
    };
  });
}

const UNCALCULATED: ReadonlySet<string> = new Set(['CLOSED', 'CALCULATING', 'FAILED']);

/** @returns null while nothing is stored that could be calculated again */
async function recalculated(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  lines: readonly LineRow[],
) {
  if (OPEN_STATES.has(invoice.status) || UNCALCULATED.has(invoice.status) || invoice.terms === null) return null;
  const calculations = await calculationsOf(dependencies, tx, invoice, lines);
  const same = calculations.find((calculation) => isSame(calculation, invoice, lines));
  const { grandTotal } = same ?? (calculations[0] as Calculation);
  return { grandTotal: formatMoney(grandTotal, invoice.currency), isSame: same !== undefined };
}

const isSame = (calculation: Calculation, invoice: InvoiceRow, lines: readonly LineRow[]): boolean =>
  calculation.grandTotal.eq(invoice.grandTotal) &&
  calculation.lines.length === lines.length &&
  calculation.lines.every((line, index) => line.totalAmount.eq((lines[index] as LineRow).totalAmount));

/** By each plan that there may have been as it was calculated: the subscription may have ended or changed since. */
async function calculationsOf(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  lines: readonly LineRow[],
): Promise<Calculation[]> {
  if (invoice.kind === 'grouped')
    return (await inputsOfMembers(tx, dependencies.source, invoice, lines)).map((inputs) =>
      asOne(calculateTogether(inputs)),
    );
  const { subscriptionId } = invoice;
  if (!isOfTerms(invoice) || subscriptionId === null)
    return [await calculateStored(dependencies, tx, invoice, null, lines)];
  const calculations: Calculation[] = [];
  const ends = lines.map(({ periodEnd: end }) => end);
  for (const terms of plansOf(await dependencies.source.terms(tx, subscriptionId), invoice, ends))
    calculations.push(await calculateStored(dependencies, tx, invoice, terms, lines));
  return calculations;
}

/** Is it calculated from the terms of a subscription? All others keep their lines. */
const isOfTerms = (invoice: InvoiceRow): boolean => !hasGivenLines(invoice) && invoice.subscriptionId !== null;
