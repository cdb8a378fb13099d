import { createHash } from 'node:crypto';
import { customerTaxRates } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { merchantSettings } from '../identity/index.ts';
import type { DueKind } from '../jobs/index.ts';
import { plain } from '../kernel/decimal.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { chooseTaxRate } from '../tax/index.ts';
import { type Calculation, calculate, taxRatesOf } from './calculate.ts';
import { closePeriod, closeUsage, pricesOn, readUsage, termsOf } from './close.ts';
import { renderIssued } from './documents.ts';
import {
  type BilledUsage,
  billedUsageOf,
  type FrozenTerms,
  type InvoiceRow,
  lockInvoice,
  moveInvoice,
  replaceLines,
} from './invoices.sql.ts';
import { issueInvoice, tellOverdue } from './issue.ts';
import type { InvoicingParts } from './parts.ts';
import { periodOf } from './series.ts';
import type { BilledPrice, BillingTerms } from './source.ts';

/** The due work of invoicing: invoices move by themselves, and issued ones get their document. */
export const invoicingDueKinds = (parts: InvoicingParts): DueKind[] => [
  {
    kind: 'invoice',
    step: async (tx, { merchantId, id }, now) => {
      const invoice = await lockInvoice(tx, merchantId, id);
      if (invoice) await step(parts, tx, invoice, now);
    },
  },
  {
    kind: 'invoice_document',
    step: (tx, { merchantId, id }, now) => renderIssued(parts, tx, merchantId, id, now),
  },
];

/** One move of an invoice that is due, in one transaction (domain.md §4). A state without a case here has no due time. */
export async function step(parts: InvoicingParts, tx: Tx, invoice: InvoiceRow, now: Instant): Promise<unknown> {
  switch (invoice.status) {
    case 'ACTIVE':
      return closePeriod(tx, parts.source, invoice, 'endPeriod', now);
    case 'CLOSING':
      return closeUsage(tx, parts.source, invoice, now);
    case 'CLOSED':
      return startCalculation(parts, tx, invoice, now);
    case 'CALCULATING':
      return finishCalculation(parts, tx, invoice, now);
    case 'DRAFT':
      return issueInvoice(parts, tx, invoice, 'autoApprove', now);
    case 'ISSUED':
      return tellOverdue(tx, invoice, now);
    default:
      throw new Error(`Invoice ${invoice.id} is due, but nothing happens by itself when it is ${invoice.status}.`);
  }
}

/** Transition 4: what could change while the calculation runs or is tried again is frozen (prices are pinned as it is). */
async function startCalculation(parts: InvoicingParts, tx: Tx, invoice: InvoiceRow, now: Instant): Promise<InvoiceRow> {
  const terms = await termsOf(tx, parts.source, invoice);
  return moveInvoice(tx, invoice, 'startCalculation', { terms: await freeze(tx, terms), next_action_at: now }, now);
}

/** The tax rates as they are now (domain.md §4, Tax). */
export async function freeze(tx: Tx, terms: BillingTerms): Promise<FrozenTerms> {
  const customerRates = await customerTaxRates(tx, terms.merchantId, terms.customerId);
  const settings = await merchantSettings(tx, terms.merchantId);
  const rate = (price: BilledPrice) =>
    chooseTaxRate({
      taxExempt: terms.taxExempt,
      customerTaxRates: customerRates,
      metricId: price.metric?.id ?? null,
      planId: terms.planId,
      priceTaxRate: price.taxRate,
      metricTaxRate: price.metric?.taxRate ?? null,
      planTaxRate: terms.planTaxRate,
      merchantTaxRate: settings.defaultTaxRate,
    }).rate;
  return {
    taxBehavior: terms.taxBehavior,
    taxRates: Object.fromEntries(terms.prices.map((price) => [price.id, plain(rate(price))])),
  };
}

/**
 * Transition 5. A step that throws is tried again by the runner, which parks it after the fifth time with its error (6, 7);
 * an invoice that was parked is FAILED by the next worker that looks at it, see `failParked`.
 */
async function finishCalculation(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const terms = await termsOf(tx, parts.source, invoice);
  const frozen = invoice.terms ?? (await freeze(tx, terms));
  const calculation = calculateInvoice(terms, frozen, invoice, await billedUsageOf(tx, invoice));
  await replaceLines(
    tx,
    invoice,
    calculation.lines.map((line, position) => ({
      ...line,
      merchant_id: invoice.merchant_id,
      invoice_id: invoice.id,
      id: newId('lineItem'),
      position,
      applies_to_line_id: null,
    })),
  );
  const waits =
    !invoice.auto_approve || (await merchantSettings(tx, invoice.merchant_id)).requiredApprovals.invoice.length > 0;
  return moveInvoice(
    tx,
    invoice,
    'finishCalculation',
    {
      subtotal: calculation.subtotal,
      total_tax: calculation.totalTax,
      grand_total: calculation.grandTotal,
      taxes: [...calculation.taxes],
      item_count: calculation.lines.length,
      snapshot_hash: draftHash(calculation),
      next_action_at: waits ? null : now,
    },
    now,
  );
}

/** Calculates a period's invoice from given usage: the billed one, or for a preview what was used until now. */
export function calculateInvoice(
  terms: BillingTerms,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  usage: readonly BilledUsage[],
): Calculation {
  const period = periodOf(
    invoice.billing_cadence,
    { ...terms.bounds, endsAt: invoice.period_end },
    invoice.period_number,
  );
  if (!period) throw new Error(`Invoice ${invoice.id} has no period.`);
  return calculate({
    currency: invoice.currency,
    period,
    prices: pricesOn(terms, invoice),
    usage,
    taxBehavior: frozen.taxBehavior,
    taxRates: taxRatesOf(frozen.taxRates),
  });
}

/** What the open period would come to if it ended now: the live totals of an ACTIVE or CLOSING invoice (row 1). */
export async function previewInvoice(parts: InvoicingParts, tx: Tx, invoice: InvoiceRow): Promise<Calculation> {
  const terms = await termsOf(tx, parts.source, invoice);
  const usage = await readUsage(tx, parts.source, terms, invoice, invoice.period_end);
  return calculateInvoice(terms, await freeze(tx, terms), invoice, usage);
}

/** What a draft says, for approvals: two calculations that say the same have the same hash. */
const draftHash = (calculation: Calculation): string =>
  createHash('sha256').update(JSON.stringify(calculation)).digest('hex');
