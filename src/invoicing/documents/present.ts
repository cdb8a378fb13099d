import { type Decimal, decimal, jsonNumber, plain } from '../../kernel/decimal.ts';
import { DEFAULT_LOCALE } from '../../kernel/locale.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { type LineContext, notesOfLine } from '../calculation/line-notes.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import { type InvoiceRow, ownerOfLine } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { serviceTimeOf, writeServiceTime } from '../invoice/service-time.ts';
import { takesMoney } from '../invoice/states.ts';
import { listPriceId } from '../terms/list-price.ts';

/** Addresses that an answer shows. */
export interface Links {
  /** The base of links to this environment. */
  readonly publicUrl: string;
  /** The open payment session of an invoice, where there is one. */
  readonly sessionUrl?: string | undefined;
}

/** Has it a page for its customer? From its issue on, in every later status. */
export const isShownToCustomers = ({ issuedAt }: Pick<InvoiceRow, 'issuedAt'>): boolean => issuedAt !== null;

const time = (instant: Instant | null): string | null => (instant === null ? null : formatInstant(instant));

/** `pdfSource` of a document that is a tax provider's. */
export const TAX_PROVIDER = 'tax_provider';
const TAX_FAILED = 'TAX_FAILED';

/**
 * The record of a tax provider beside the bill; null with our own rates, because their tax is final. An issued invoice
 * is never changed, so no adjustment is ever applied to it.
 */
function toOutsideTaxReply({ outsideTax: outside, currency }: InvoiceRow) {
  if (outside === null) return null;
  const { estimatedTax, actualTax, reconciledAt, problem } = outside;
  const estimated = { estimatedTax: formatMoney(decimal(estimatedTax), currency), adjustmentApplied: false };
  const wrong = problem === null ? {} : { problem };
  if (actualTax === null) return { ...estimated, adjustmentNeeded: false, reconciled: false, ...wrong };
  const difference = decimal(actualTax).minus(estimatedTax);
  return {
    ...estimated,
    actualTax: formatMoney(decimal(actualTax), currency),
    difference: formatMoney(difference, currency),
    adjustmentNeeded: !difference.isZero(),
    reconciled: difference.isZero(),
    ...(reconciledAt !== null && { reconciledAt }),
    ...wrong,
  };
}

/** An invoice as the API answers it (§2; api.md). `lines` are given where they are asked for. */
export function toInvoiceReply(invoice: InvoiceRow, links: Links, lines: unknown = null) {
  const money = (amount: Decimal) => formatMoney(amount, invoice.currency);
  const hasDocument = invoice.invoiceNumber !== null; // one that lives by its session has none until it is paid
  const outside = invoice.outsideTax;
  const failure = outside?.pdfUrl == null ? invoice.documentFailure : null;
  const isPayable = takesMoney(invoice.status) && invoice.unpaidAmount.gt(0) && !invoice.paymentInFlight;
  return {
    id: invoice.id,
    object: 'invoice' as const,
    kind: invoice.kind,
    status: invoice.status,
    merchantId: invoice.merchantId,
    customerId: invoice.customerId,
    payerId: invoice.payerId,
    reissueOfId: invoice.reissueOfId,
    reissuedAsId: invoice.reissuedAsId,
    groupedIntoId: invoice.groupedIntoId,
    sections: invoice.sections.map(({ subscriptionId, customerId, name, subtotal }) => ({
      ...{ subscriptionId, customerId, name },
      subtotal: money(decimal(subtotal)),
    })),
    subscriptionId: invoice.subscriptionId,
    currency: invoice.currency,
    autoApprove: invoice.autoApprove,
    billingAnchor: formatInstant(invoice.billingAnchor),
    billingCadence: invoice.billingCadence,
    periodStart: formatInstant(invoice.periodStart),
    periodEnd: formatInstant(invoice.periodEnd),
    gracePeriodEnd: formatInstant(invoice.gracePeriodEnd),
    subtotal: money(invoice.subtotal),
    totalTax: money(invoice.totalTax),
    grandTotal: money(invoice.grandTotal),
    paidAmount: money(invoice.paidAmount),
    unpaidAmount: money(invoice.unpaidAmount),
    walletApplied: money(invoice.walletApplied),
    invoiceNumber: invoice.invoiceNumber,
    sequenceNumber: invoice.sequenceNumber,
    itemCount: invoice.itemCount,
    lineItems: lines,
    tax: toOutsideTaxReply(invoice),
    nextActionAt: time(invoice.nextActionAt),
    issuedAt: time(invoice.issuedAt),
    dueAt: time(invoice.dueAt),
    paidAt: time(invoice.paidAt),
    paymentTermDays: invoice.paymentTermDays,
    ...writeServiceTime(serviceTimeOf(invoice)),
    paymentInFlight: invoice.paymentInFlight,
    paymentUrl: isPayable
      ? (links.sessionUrl ?? (invoice.paysOnline ? payUrl(links.publicUrl, invoice.id) : null))
      : null,
    pdfUrl: outside?.pdfUrl ?? (hasDocument ? `${links.publicUrl}/v2/invoices/${invoice.id}/pdf` : null),
    permalink: outside?.permalink ?? (isShownToCustomers(invoice) ? payUrl(links.publicUrl, invoice.id) : null),
    pdfSource: outside?.pdfUrl == null ? null : TAX_PROVIDER,
    dataSnapshotHash: invoice.contentHash,
    documentWithheldReason: hasDocument ? failure : 'not_issued',
    ...(invoice.failureReason !== null && { failureReason: invoice.failureReason }),
    ...(invoice.failureReason === TAX_FAILED &&
      invoice.failureDetail !== null && { failureDetail: invoice.failureDetail }),
    metadata: invoice.metadata,
    createdAt: formatInstant(invoice.createdAt),
    updatedAt: formatInstant(invoice.updatedAt),
  };
}

/** The address of an invoice's page: how it stands, how to pay it, and its documents (docs/decisions/0048). */
export const payUrl = (publicUrl: string, invoiceId: string): string => `${publicUrl}/pay/invoices/${invoiceId}`;

/** A line as the API answers it. */
export function toInvoiceLineReply(
  line: LineRow,
  invoice: LineContext & Pick<InvoiceRow, 'sections' | 'subscriptionId' | 'customerId'>,
) {
  const money = (amount: Decimal) => formatMoney(amount, invoice.currency);
  return {
    id: line.id,
    eventType: line.eventType,
    eventId: line.id,
    eventSourceId: line.billableMetricId ?? line.feeId ?? '',
    lineItemType: line.lineItemType,
    type: line.type,
    priceId: listPriceId(line.priceId),
    billableMetricId: line.billableMetricId ?? '',
    itemId: line.itemId,
    invoiceDisplayName: line.displayName,
    metricName: line.metricName,
    metricUnit: line.metricUnit,
    metricDescription: line.metricDescription,
    meterEventId: '',
    quantity: jsonNumber(line.quantity),
    unitPrice: plain(line.unitPrice),
    listUnitPrice: line.workings?.list?.unitPrice ?? null,
    displayUnit: line.workings?.display ?? null,
    totalPrice: money(line.totalPrice),
    discountPrice: money(line.discountPrice),
    taxRate: jsonNumber(line.taxRate),
    totalTax: money(line.totalTax),
    totalAmount: money(line.totalAmount),
    periodStart: formatInstant(line.periodStart),
    periodEnd: formatInstant(line.periodEnd),
    group: line.groupValues,
    tiers: line.tiers,
    notes: notesOfLine(line, invoice, DEFAULT_LOCALE),
    appliesToLineId: line.appliesToLineId,
    couponId: line.workings?.coupon?.couponId ?? null,
    redemptionId: line.workings?.coupon?.redemptionId ?? null,
    billingCreditId: line.workings?.use?.billingCreditId ?? null,
    commitmentId: (line.workings?.trueUp ?? line.workings?.prepayment)?.commitmentId ?? null,
    ...ownerOfLine(line, invoice),
  };
}

/**
 * A refund as the API answers it (§2); `publicUrl` is what links to this environment start with. With the internal tax
 * engine the credit note's own number is the external id; with a tax provider the provider's id is, from when it has
 * answered.
 */
export function toRefundReply(note: CreditNoteRow, publicUrl: string) {
  const money = (amount: Decimal) => formatMoney(amount, note.currency);
  return {
    id: note.id,
    object: 'invoice_refund' as const,
    invoiceId: note.invoiceId,
    merchantId: note.merchantId,
    amount: money(note.amount),
    taxAmount: money(note.taxAmount),
    total: money(note.total),
    currency: note.currency,
    status: note.status,
    externalCreditNoteId: note.outsideTax?.reference ?? note.number,
    permalink: note.outsideTax?.permalink ?? null,
    pdfUrl: note.outsideTax?.pdfUrl ?? `${publicUrl}/v2/invoices/${note.invoiceId}/refunds/${note.id}/pdf`,
    reason: note.reason,
    voidReason: note.voidReason,
    createdAt: formatInstant(note.createdAt),
    voidedAt: time(note.voidedAt),
  };
}
