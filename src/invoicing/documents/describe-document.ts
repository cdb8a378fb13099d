import type { Tx } from '../../db/index.ts';
import type { DocumentLine, InvoiceDocument, ReceiptDocument } from '../../documents/index.ts';
import { findLogo, merchantSettings } from '../../identity/index.ts';
import { type Decimal, decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { type Instant, isBefore } from '../../kernel/time.ts';
import { lineNameIn, reasonIn } from '../../look/index.ts';
import type { PaymentReceipt } from '../../payments/index.ts';
import { inOrderOfTime, linesWithCredits, notesOfLine } from '../calculation/line-notes.ts';
import { bearsTax, DEBT_LINE } from '../calculation/one-off-lines.ts';
import { selectLinesCreditedBefore, selectLinesOfCreditNote } from '../credit-notes/credit-note-lines.sql.ts';
import { type CreditNoteLineRow, type CreditNoteRow, isOverPart } from '../invoice/credit-note.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { type InvoiceRow, localeOf, type PartyRecord, type TaxRecord } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectInvoice } from '../invoice/invoices.sql.ts';
import { serviceTimeOf, spanOf } from '../invoice/service-time.ts';
import type { ReceiptRecord } from './documents.sql.ts';
import { payUrl } from './present.ts';

type Money = (amount: Decimal) => string;

/** The number on the receipt of the n-th payment of an invoice. */
export const receiptNumberOf = (invoiceNumber: string | null, position: number): string =>
  `${invoiceNumber}-R${position}`;

/** The number and the time of an issued invoice. @throws where it is not issued: it has no document */
function issueOf({ id, invoiceNumber, issuedAt }: InvoiceRow): { readonly number: string; readonly issuedAt: Instant } {
  if (invoiceNumber === null || issuedAt === null) throw new Error(`Invoice ${id} is not issued.`);
  return { number: invoiceNumber, issuedAt };
}

/** The same of another invoice; null where it has no number. */
async function issueOfId(tx: Tx, id: string | null): Promise<ReturnType<typeof issueOf> | null> {
  const invoice = id === null ? undefined : await selectInvoice(tx, id);
  return invoice && invoice.invoiceNumber !== null ? issueOf(invoice) : null;
}

/** The content of an invoice's document: the stored facts at issue, and the merchant's look (which has no figure). */
export async function describeInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
): Promise<InvoiceDocument> {
  const lines = inOrderOfTime(invoice, await linesWithCredits(tx, invoice));
  const money: Money = (amount) => formatMoney(amount, invoice.currency);
  const hasPeriod = invoice.billingCadence !== 'P0D';
  return {
    ...(await described(dependencies, tx, invoice)),
    kind: 'invoice',
    ...issueOf(invoice),
    dueAt: invoice.dueAt,
    periodStart: hasPeriod ? invoice.periodStart : null,
    periodEnd: hasPeriod ? invoice.periodEnd : null,
    ...serviceOn(invoice, lines),
    lines: lines.map((line) => describeLine(invoice, line, money)),
    ...sectionsOn(invoice, money),
    taxes: invoice.taxes,
    subtotal: money(invoice.subtotal),
    totalTax: money(invoice.totalTax),
    grandTotal: money(invoice.grandTotal),
    paidAmount: money(invoice.paidAmount),
    unpaidAmount: money(invoice.unpaidAmount),
    walletApplied: money(invoice.walletApplied),
    ...(invoice.reissueOfId !== null && { replaces: await issueOfId(tx, invoice.reissueOfId) }),
    ...(invoice.paysOnline && invoice.unpaidAmount.gt(0) && { paymentUrl: payUrl(dependencies.publicUrl, invoice.id) }),
  };
}

/**
 * The content of a credit note: the parties of its invoice at issue, and the credits. A credit note over a part has its
 * own lines; one over all shows the lines of the invoice, less the earlier credits.
 */
export async function describeCreditNote(
  dependencies: InvoicingDependencies,
  tx: Tx,
  note: CreditNoteRow,
  invoice: InvoiceRow,
): Promise<InvoiceDocument> {
  const money: Money = (amount) => formatMoney(amount, note.currency);
  const lines = await linesWithCredits(tx, invoice);
  const credited = new Map(lines.map((line) => [line.id, line]));
  const own = isOverPart(note) ? await selectLinesOfCreditNote(tx, note) : [];
  const whole = isOverPart(note) ? [] : inOrderOfTime(invoice, lines);
  const before = isOverPart(note) ? [] : await selectLinesCreditedBefore(tx, note);
  const less = before.map(({ number, ...line }) => ({
    ...negated(line),
    displayName: `${line.displayName} (${number})`,
  }));
  return {
    ...(await described(dependencies, tx, invoice)),
    kind: 'credit_note',
    number: note.number,
    issuedAt: note.createdAt,
    dueAt: null,
    periodStart: null,
    periodEnd: null,
    ...serviceOn(invoice, whole),
    lines: [
      ...whole.map((line) => describeLine(invoice, line, money)),
      ...[...own, ...less].map((line) => describePart(invoice, line, credited, money)),
    ],
    ...(whole.length > 0 && sectionsOn(invoice, money)),
    taxes: taxesOn([
      ...whole.filter(bearsTax).map((line) => ({ ...line, amount: line.totalPrice, taxAmount: line.totalTax })),
      ...own,
      ...less,
    ]),
    subtotal: money(note.amount),
    totalTax: money(note.taxAmount),
    grandTotal: money(note.total),
    paidAmount: money(ZERO), // nobody pays a credit note
    unpaidAmount: money(ZERO),
    original: issueOf(invoice),
    ...(note.kind === 'reissue' && { replacedBy: (await issueOfId(tx, invoice.reissuedAsId))?.number ?? null }),
    reason: note.reason && reasonIn(localeOf(invoice), note.reason),
  };
}

/**
 * The content of a receipt of a payment: the parties of its invoice at issue, and the part that the payment pays.
 */
export async function describeReceipt(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  payment: PaymentReceipt,
  { position, remaining }: ReceiptRecord,
): Promise<ReceiptDocument> {
  const money: Money = (amount) => formatMoney(amount, payment.currency);
  const applied = payment.amount.minus(payment.overpaid);
  return {
    ...(await described(dependencies, tx, invoice)),
    kind: 'receipt',
    number: receiptNumberOf(invoice.invoiceNumber, position),
    issuedAt: payment.createdAt,
    receivedAt: payment.receivedAt,
    invoice: { ...issueOf(invoice), total: money(invoice.grandTotal) },
    amount: money(payment.amount),
    walletAmount: money(payment.overpaid),
    paidBefore: money(invoice.grandTotal.minus(remaining).minus(applied)),
    remaining: money(remaining),
    method: payment.method,
    card: payment.cardLast4 === null ? null : { brand: payment.cardBrand as string, last4: payment.cardLast4 },
    reference: payment.reference,
  };
}

const LOGO_FORMATS = { 'image/png': 'png', 'image/svg+xml': 'svg' } as const;

/** The merchant's look as it is now, on every document. */
export async function describeLook({ environment }: InvoicingDependencies, tx: Tx) {
  const { branding } = await merchantSettings(tx);
  const logo = await findLogo(tx);
  return {
    ...(branding?.footer && { footer: branding.footer }),
    ...(branding?.color && { color: branding.color }),
    ...(logo && {
      logo: {
        format: LOGO_FORMATS[logo.contentType],
        ...{ width: logo.width, height: logo.height, content: logo.content },
      },
    }),
    environment,
  };
}

/** The common content of every document of an invoice. */
async function described(dependencies: InvoicingDependencies, tx: Tx, invoice: InvoiceRow) {
  const { bankTransfer, invoiceNotes } = await merchantSettings(tx);
  return {
    ...(await describeLook(dependencies, tx)),
    locale: localeOf(invoice),
    currency: invoice.currency,
    seller: { ...(invoice.seller as PartyRecord), id: invoice.merchantId },
    buyer: invoice.buyer as PartyRecord,
    paymentTermDays: invoice.paymentTermDays,
    taxIncluded: invoice.terms?.taxBehavior === 'inclusive',
    ...(bankTransfer && { bankTransfer }),
    ...untaxedWords(invoice, invoiceNotes),
  };
}

/**
 * Why there is no tax. The customer's own reason comes before the merchant's words; where no place was decided, it says
 * itself that the sale is exempt (docs/decisions/0214-exempt-customers.md).
 */
export function untaxedWords({ buyer, terms }: InvoiceRow, invoiceNotes: InvoiceDocument['invoiceNotes']) {
  const reason = terms?.taxExempt ? buyer?.taxExemptReason : undefined;
  const untaxedBy = terms?.place ? terms.place.noteKey : reason && 'exempt';
  return {
    invoiceNotes: { ...invoiceNotes, ...(reason && { exempt: reason }) },
    ...(untaxedBy && { untaxedBy }),
  };
}

/** The time of the supply on an invoice without a period: as it was said, else by its lines, else the day of issue. */
function serviceOn(invoice: InvoiceRow, lines: readonly LineRow[]): Pick<InvoiceDocument, 'serviceFrom' | 'serviceTo'> {
  if (invoice.billingCadence !== 'P0D' || !lines.some(bearsTax)) return {};
  const dated = lines.flatMap((line) => datesOf(invoice, line) || []);
  const span = spanOf(dated.map(({ periodStart, periodEnd }) => ({ from: periodStart, to: periodEnd })));
  const { issuedAt } = issueOf(invoice);
  const { from, to } = serviceTimeOf(invoice) ?? span ?? { from: issuedAt, to: issuedAt };
  return { serviceFrom: from, serviceTo: to };
}

/** The sections of a grouped invoice. */
const sectionsOn = ({ sections }: InvoiceRow, money: Money): Pick<InvoiceDocument, 'sections'> =>
  sections.length === 0
    ? {}
    : { sections: sections.map(({ name, subtotal }) => ({ name, subtotal: money(decimal(subtotal)) })) };

/** The place of the section of a line. */
const sectionOf = ({ sections }: InvoiceRow, { subscriptionId = null }: LineRow): Pick<DocumentLine, 'section'> => {
  const section = sections.findIndex((each) => each.subscriptionId === subscriptionId);
  return section === -1 ? {} : { section };
};

function describeLine(invoice: InvoiceRow, line: LineRow, money: Money): DocumentLine {
  return {
    description: lineNameIn(localeOf(invoice), line.displayName),
    ...datesOf(invoice, line),
    quantity: plain(line.quantity),
    unit: line.metricUnit,
    display: line.workings?.display,
    price: line.priceId,
    unitPrice: plain(line.unitPrice),
    amount: money(line.totalPrice),
    ...sectionOf(invoice, line),
    grossAmount: money(line.totalAmount),
    taxRate: plain(line.taxRate),
    untaxed: whyUntaxed(invoice, line),
    kind: line.eventType,
    isAmount: !countsUnits(line),
    notes: notesOfLine(line, invoice, localeOf(invoice)),
    agreed: agreedPriceOf(line),
    group: line.groupValues,
    tiers: line.tiers?.map(({ above, ...tier }) => ({ from: above, ...tier })) ?? null,
  };
}

/** Lines that count something; the others are amounts. */
export const HAS_UNITS: ReadonlySet<string> = new Set([
  'charge',
  'grants',
  'late_usage',
  'manual',
  'grant',
  'credit_purchase',
  'wallet_top_up',
]);

/** Does a line count something? */
export const countsUnits = ({ type, workings }: Pick<LineRow, 'type' | 'workings'>): boolean =>
  !(workings?.takenBack?.isAmount ?? !HAS_UNITS.has(type));

/** The price of a package or a percentage as it was agreed. */
export function agreedPriceOf({ workings }: Pick<LineRow, 'workings'>): DocumentLine['agreed'] {
  const { packages, percentage, soFar } = workings ?? {};
  if (soFar) return null;
  if (packages) return { price: packages.price, per: packages.size };
  return percentage ? { percent: percentage.percent } : null;
}

/** Why there is no tax on a line, whatever its rate. */
export function whyUntaxed(invoice: InvoiceRow, line: LineRow): DocumentLine['untaxed'] {
  if (line.type === DEBT_LINE) return 'debt';
  if (!bearsTax(line)) return 'prepayment';
  return invoice.terms?.taxExempt ? 'exempt' : null;
}

/** @param credited the lines of the invoice by their ids */
const describePart = (
  invoice: InvoiceRow,
  line: CreditNoteLineRow,
  credited: ReadonlyMap<string, LineRow>,
  money: Money,
): DocumentLine => ({
  description: lineNameIn(localeOf(invoice), line.displayName),
  ...datesOf(invoice, line),
  quantity: plain(line.quantity),
  price: line.priceId,
  unit: line.isAmount ? '' : credited.get(line.appliesToLineId ?? '')?.metricUnit,
  display: line.isAmount ? null : credited.get(line.appliesToLineId ?? '')?.workings?.display,
  unitPrice: line.isAmount ? money(line.amount) : plain(line.unitPrice),
  amount: money(line.amount),
  grossAmount: money(line.amount.plus(line.taxAmount)),
  isAmount: line.isAmount,
  taxRate: plain(line.taxRate),
  untaxed: invoice.terms?.taxExempt ? 'exempt' : null,
  kind: 'fee',
});

/** The time of a line, where it has one: a point of time only where it was said, by hand. */
const datesOf = (
  { kind, oneOff, createdAt }: InvoiceRow,
  { periodStart, periodEnd }: Pick<LineRow, 'periodStart' | 'periodEnd'>,
) =>
  (isBefore(periodStart, periodEnd) || (kind === 'ad_hoc' && oneOff !== null && !periodStart.equals(createdAt))) && {
    periodStart,
    periodEnd,
  };

const negated = (line: CreditNoteLineRow): CreditNoteLineRow => ({
  ...line,
  ...(line.isAmount ? { unitPrice: line.unitPrice.negated() } : { quantity: line.quantity.negated() }),
  amount: line.amount.negated(),
  taxAmount: line.taxAmount.negated(),
});

/** The tax of each rate on its lines, highest first: the lines of an invoice sum to its own. */
export function taxesOn(lines: readonly Pick<CreditNoteLineRow, 'amount' | 'taxAmount' | 'taxRate'>[]): TaxRecord[] {
  const ofRates = Map.groupBy(lines, ({ taxRate }) => plain(taxRate));
  return [...ofRates.values()]
    .toSorted(([a], [b]) => (b as CreditNoteLineRow).taxRate.comparedTo((a as CreditNoteLineRow).taxRate))
    .map((same) => ({
      rate: plain((same[0] as CreditNoteLineRow).taxRate),
      base: plain(sum(same.map(({ amount }) => amount))),
      amount: plain(sum(same.map(({ taxAmount }) => taxAmount))),
    }));
}
