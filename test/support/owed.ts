import { calculate } from '../../src/invoicing/calculation/calculate.ts';
import type { Calculation, CalculationInput } from '../../src/invoicing/calculation/calculation.ts';
import { type BilledItem, itemsOf, type StoredCredit, type StoredLine } from '../../src/invoicing/difference/billed.ts';
import { type DueCharge, dueOn, type UncalculatedInvoice } from '../../src/invoicing/difference/due.ts';
import { compareTime, creditsOf, type Quoting, type TimeCredit } from '../../src/invoicing/difference/time.ts';
import {
  cellAt,
  cellsIn,
  chargesInAdvance,
  chargesInArrears,
  type InvoicePeriod,
  type OwedCharge,
} from '../../src/invoicing/owed/charges.ts';
import type { HistoricTerms } from '../../src/invoicing/timeline/segments.ts';
import { decimal, sum } from '../../src/kernel/decimal.ts';
import { earliest, type Instant, latest } from '../../src/kernel/time.ts';

/** By default: dollars, with tax on top. */
export const DOLLARS: Quoting = { taxBehavior: 'exclusive', currency: 'USD' };

/** The invoice of the whole period that holds an instant. */
export function invoiceAt(terms: HistoricTerms, cadence: string, at: Instant): UncalculatedInvoice {
  const cell = cellAt(terms, cadence, at);
  if (!cell) throw new Error(`No period of ${cadence} holds ${at.toString()}.`);
  return {
    id: `${cadence} ${cell.start.toString()}`,
    kind: 'subscription',
    billingAnchor: terms.bounds.anchor,
    billingCadence: cadence,
    periodNumber: cell.number,
    periodStart: cell.start,
    periodEnd: cell.end,
  };
}

/** An upfront invoice of an instant; of the start of billing by default. */
export const upfrontAt = (terms: HistoricTerms, at: Instant = terms.bounds.startedAt): UncalculatedInvoice => ({
  ...{ id: `upfront ${at.toString()}`, kind: 'upfront', billingAnchor: at, billingCadence: 'P0D', periodNumber: 0 },
  ...{ periodStart: at, periodEnd: at },
});

/** The charges of an invoice after these billed items, without another open invoice. */
export const dueCharges = (
  terms: HistoricTerms,
  invoice: InvoicePeriod & Partial<UncalculatedInvoice>,
  items: readonly BilledItem[] = [],
  quoting: Quoting = DOLLARS,
): DueCharge[] =>
  dueOn({
    terms: { ...terms, ...quoting },
    invoice: { id: 'this', kind: 'subscription', billingAnchor: terms.bounds.anchor, ...invoice },
    others: [],
    items,
  });

/** The charges of an invoice. */
export const chargesDue = (...asked: Parameters<typeof dueCharges>): OwedCharge[] =>
  dueCharges(...asked).map(({ charge }) => charge);

/** A calculated line as the difference reads it once its invoice is issued. */
export const storedLine = (
  invoiceId: string,
  line: Calculation['lines'][number],
  status = 'ISSUED',
  isRefunded = false,
): StoredLine => ({
  ...{ invoiceId, invoiceEnd: line.periodEnd, status, isRefunded },
  priceId: line.priceId,
  feeId: line.feeId,
  type: line.type,
  displayName: line.displayName,
  quantity: line.quantity,
  unitPrice: line.unitPrice,
  net: line.totalPrice,
  tax: line.totalTax,
  taxRate: line.taxRate,
  currency: 'USD',
  periodStart: line.periodStart,
  periodEnd: line.periodEnd,
  group: line.groupValues,
  tiers: line.tiers,
  workings: line.workings,
});

/** An item that billed a fee for a time. */
export const feeItem = (
  priceId: string,
  period: { readonly start: Instant; readonly end: Instant },
  amounts: { readonly net: string; readonly tax?: string; readonly quantity?: string; readonly invoiceId?: string },
): BilledItem => {
  const { net, tax = '0', quantity = '1', invoiceId = 'before' } = amounts;
  const line: StoredLine = {
    ...{
      invoiceId,
      invoiceEnd: period.end,
      status: 'ISSUED',
      isRefunded: false,
      priceId,
      feeId: priceId,
      type: 'charge',
      displayName: priceId,
    },
    ...{ quantity: decimal(quantity), unitPrice: decimal(net), net: decimal(net), tax: decimal(tax) },
    ...{ taxRate: decimal('0'), currency: 'USD' },
    ...{ periodStart: period.start, periodEnd: period.end, group: null, tiers: null, workings: null },
  };
  return {
    ...{
      invoiceId,
      invoiceEnd: period.end,
      priceId,
      isFee: true,
      displayName: priceId,
      quantity: line.quantity,
      period,
      isStanding: true,
    },
    ...{ lines: [line], net: line.net, tax: line.tax, taxRate: line.taxRate, credits: [], uses: [] },
  };
};

/** The bills and their credits, as a program without a database keeps them. */
export interface Books {
  readonly lines: StoredLine[];
  readonly credits: StoredCredit[];
}

export const openBooks = (): Books => ({ lines: [], credits: [] });

/** The billed items, in the order of billing. */
export const itemsIn = ({ lines, credits }: Books): BilledItem[] => itemsOf(lines, credits);

/** The balance of the books after credits: net and tax. */
export const standingIn = ({ lines, credits }: Books) => ({
  net: sum(lines.map((line) => line.net)).minus(sum(credits.map((credit) => credit.net))),
  tax: sum(lines.map((line) => line.tax)).minus(sum(credits.map((credit) => credit.tax))),
});

/** The inputs of a calculation beside its charges; by default without tax and discount. */
export type Asked = Partial<Pick<CalculationInput, 'usage' | 'taxRates' | 'adjustments' | 'others'>>;

/** Calculates and issues the due charges. */
export function issue(
  books: Books,
  id: string,
  charges: readonly DueCharge[],
  { usage = [], taxRates = new Map(), adjustments = [], others = [] }: Asked = {},
  quoting: Quoting = DOLLARS,
): Calculation {
  const calculation = calculate({ ...quoting, charges, usage, taxRates, adjustments, others });
  books.lines.push(...calculation.lines.map((line) => storedLine(id, line)));
  return calculation;
}

/** Bills the due charges of an invoice that were not billed yet. */
export function bill(
  books: Books,
  terms: HistoricTerms,
  invoice: UncalculatedInvoice,
  asked: Asked = {},
  quoting: Quoting = DOLLARS,
  others: readonly UncalculatedInvoice[] = [],
): Calculation {
  const state = { terms: { ...terms, ...quoting }, invoice, others, items: itemsIn(books) };
  return issue(books, invoice.id, dueOn(state), asked, quoting);
}

/** Credits the billed time of fees that the present history does not owe. */
export function giveBack(books: Books, terms: HistoricTerms, quoting: Quoting = DOLLARS): TimeCredit[] {
  const items = itemsIn(books);
  const [first] = items;
  if (!first) return [];
  const start = items.map(({ period }) => period.start).reduce(earliest, first.period.start);
  const end = items.map(({ period }) => period.end).reduce(latest, first.period.end);
  const owed = cellsIn(terms, { start, end }).flatMap((cell) => [
    ...chargesInAdvance(terms, cell),
    ...chargesInArrears(terms, cell, cell.end).filter(({ price }) => price.metric === null),
  ]);
  const given = compareTime(owed, items, quoting)
    .unused.filter(({ item }) => item.isStanding)
    .flatMap((unused) => creditsOf(unused, quoting, () => true));
  books.credits.push(...given.map(storedCredit));
  return given;
}

const storedCredit = ({ item, span, net, tax }: TimeCredit): StoredCredit => ({
  ...{ invoiceId: item.invoiceId, priceId: item.priceId, net, tax, correction: null },
  ...{ chargedFrom: item.period.start, chargedTo: item.period.end, unusedFrom: span.start, unusedTo: span.end },
});
