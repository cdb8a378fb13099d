import { type Decimal, decimal, jsonNumber, plain } from '../../kernel/decimal.ts';
import { DEFAULT_LOCALE } from '../../kernel/locale.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { type LineContext, notesOfLine } from '../calculation/line-notes.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { takesMoney } from '../invoice/states.ts';

/** Addresses that an answer shows. */
export interface Links {
  /** What links to this environment start with. */
  readonly publicUrl: string;
  /** The open payment session of an invoice, where there is one. */
  readonly sessionUrl?: string | undefined;
}

/** Has it a page that its customer may see? From its issue on, whatever becomes of it. */
export const isShownToCustomers = ({ issued_at }: Pick<InvoiceRow, 'issued_at'>): boolean => issued_at !== null;

const time = (instant: Instant | null): string | null => (instant === null ? null : formatInstant(instant));

/** `pdfSource` of a document that is a tax provider's. */
export const TAX_PROVIDER = 'tax_provider';
const TAX_FAILED = 'TAX_FAILED';

/**
 * What a tax provider has recorded beside what was billed; null where our own rates count, because their tax is final.
 * An issued invoice is never changed, so no adjustment is ever applied to it.
 */
function presentOutsideTax({ outside_tax: outside, currency }: InvoiceRow) {
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
export function presentInvoice(invoice: InvoiceRow, links: Links, lines: unknown = null) {
  const money = (amount: Decimal) => formatMoney(amount, invoice.currency);
  const hasDocument = invoice.invoice_number !== null; // one that lives by its session has none until it is paid
  const outside = invoice.outside_tax;
  const isPayable = takesMoney(invoice.status) && invoice.unpaid_amount.gt(0) && !invoice.payment_in_flight;
  return {
    id: invoice.id,
    object: 'invoice' as const,
    kind: invoice.kind,
    status: invoice.status,
    merchantId: invoice.merchant_id,
    customerId: invoice.customer_id,
    subscriptionId: invoice.subscription_id,
    currency: invoice.currency,
    autoApprove: invoice.auto_approve,
    billingAnchor: formatInstant(invoice.billing_anchor),
    billingCadence: invoice.billing_cadence,
    periodStart: formatInstant(invoice.period_start),
    periodEnd: formatInstant(invoice.period_end),
    gracePeriodEnd: formatInstant(invoice.grace_period_end),
    subtotal: money(invoice.subtotal),
    totalTax: money(invoice.total_tax),
    grandTotal: money(invoice.grand_total),
    paidAmount: money(invoice.paid_amount),
    unpaidAmount: money(invoice.unpaid_amount),
    walletApplied: money(invoice.wallet_applied),
    invoiceNumber: invoice.invoice_number,
    sequenceNumber: invoice.sequence_number,
    itemCount: invoice.item_count,
    lineItems: lines,
    tax: presentOutsideTax(invoice),
    nextActionAt: time(invoice.next_action_at),
    issuedAt: time(invoice.issued_at),
    dueAt: time(invoice.due_at),
    paidAt: time(invoice.paid_at),
    paymentTermDays: invoice.payment_term_days,
    paymentInFlight: invoice.payment_in_flight,
    paymentUrl: isPayable
      ? (links.sessionUrl ?? (invoice.pays_online ? payUrl(links.publicUrl, invoice.id) : null))
      : null,
    pdfUrl: outside?.pdfUrl ?? (hasDocument ? `${links.publicUrl}/v2/invoices/${invoice.id}/pdf` : null),
    permalink: outside?.permalink ?? (isShownToCustomers(invoice) ? payUrl(links.publicUrl, invoice.id) : null),
    pdfSource: outside?.pdfUrl == null ? null : TAX_PROVIDER,
    dataSnapshotHash: invoice.snapshot_hash,
    documentWithheldReason:
      hasDocument && outside?.pdfUrl == null ? invoice.document_failure : hasDocument ? null : 'not_issued',
    ...(invoice.failure_reason !== null && { failureReason: invoice.failure_reason }),
    ...(invoice.failure_reason === TAX_FAILED &&
      invoice.failure_detail !== null && { failureDetail: invoice.failure_detail }),
    metadata: invoice.metadata,
    createdAt: formatInstant(invoice.created_at),
    updatedAt: formatInstant(invoice.updated_at),
  };
}

/** The address of an invoice's page: how it stands, how to pay it, and its documents (docs/decisions/0048). */
export const payUrl = (publicUrl: string, invoiceId: string): string => `${publicUrl}/pay/invoices/${invoiceId}`;

/** A line as the API answers it. */
export function presentLine(line: LineRow, invoice: LineContext) {
  const money = (amount: Decimal) => formatMoney(amount, invoice.currency);
  return {
    id: line.id,
    eventType: line.event_type,
    eventId: line.id,
    eventSourceId: line.billable_metric_id ?? line.fee_id ?? '',
    lineItemType: line.line_item_type,
    type: line.type,
    priceId: line.price_id,
    billableMetricId: line.billable_metric_id ?? '',
    itemId: line.item_id,
    invoiceDisplayName: line.display_name,
    metricName: line.metric_name,
    metricUnit: line.metric_unit,
    metricDescription: line.metric_description,
    meterEventId: '',
    quantity: jsonNumber(line.quantity),
    unitPrice: plain(line.unit_price),
    totalPrice: money(line.total_price),
    discountPrice: money(line.discount_price),
    taxRate: jsonNumber(line.tax_rate),
    totalTax: money(line.total_tax),
    totalAmount: money(line.total_amount),
    periodStart: formatInstant(line.period_start),
    periodEnd: formatInstant(line.period_end),
    group: line.group_values,
    tiers: line.tiers,
    notes: notesOfLine(line, invoice, DEFAULT_LOCALE),
    appliesToLineId: line.applies_to_line_id,
  };
}

/**
 * A refund as the API answers it (§2); `publicUrl` is what links to this environment start with. With the internal tax engine
 * the credit note's own number is the external id; with a tax provider the provider's id is, from when it has answered.
 */
export function presentRefund(note: CreditNoteRow, publicUrl: string) {
  const money = (amount: Decimal) => formatMoney(amount, note.currency);
  return {
    id: note.id,
    object: 'invoice_refund' as const,
    invoiceId: note.invoice_id,
    merchantId: note.merchant_id,
    amount: money(note.amount),
    taxAmount: money(note.tax_amount),
    total: money(note.total),
    currency: note.currency,
    status: note.status,
    externalCreditNoteId: note.outside_tax?.reference ?? note.number,
    permalink: note.outside_tax?.permalink ?? null,
    pdfUrl: note.outside_tax?.pdfUrl ?? `${publicUrl}/v2/invoices/${note.invoice_id}/refunds/${note.id}/pdf`,
    reason: note.reason,
    createdAt: formatInstant(note.created_at),
    voidedAt: time(note.voided_at),
  };
}
