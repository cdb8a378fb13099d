import { createHash } from 'node:crypto';
import { customerTaxRates } from '../../customers/index.ts';
import { sqlState, type Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import { decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { chooseTaxRate } from '../../tax/index.ts';
import {
  type Calculation,
  type CarriedCharge,
  calculate,
  type LateCharge,
  type OtherLine,
  taxRatesOf,
} from '../calculation/calculate.ts';
import { afterFailure } from '../calculation/calculation-attempts.ts';
import { otherLineOf } from '../calculation/one-off-lines.ts';
import { calculateKept } from '../calculation/one-off-terms.ts';
import { type CreditOn, creditsOn } from '../credit-notes/unused-credits.sql.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { InvoicingParts } from '../invoice/dependencies.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { billedUsageOf, changeInvoice, moveInvoice, replaceLines } from '../invoice/invoices.sql.ts';
import { advancesOf, type BilledCharge, chargesOn, upfrontCharges } from '../owed/charges.ts';
import { adjustmentsAt, stillThere } from '../owed/discounts.ts';
import type { BilledPrice, BillingTerms } from '../terms/billing-terms.ts';
import { versionsOf } from '../timeline/segments.ts';
import {
  carriedCharges,
  findLateUsage,
  findRests,
  lateChargesOf,
  lateChargesOn,
  takeRests,
} from '../usage/late-usage.ts';
import { readUsage } from '../usage/read-usage.ts';
import { earlierUsage, earlierUsageOn } from '../usage/split-period.ts';
import { termsOf } from './close.ts';
import { creditLines } from './credits.ts';
import type { ManualLineRow } from './manual-line.ts';
import { manualLinesOn } from './manual-lines.sql.ts';
import { manualLine, waitingFor } from './manual-lines.ts';

/** Transition 4: what could change while the calculation runs or is tried again is frozen (prices are pinned as it is). */
export async function startCalculation(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const terms = await termsOf(tx, parts.source, invoice);
  const frozen = { ...(await freeze(parts, tx, terms, invoice)), ...(await takeRests(tx, terms, invoice)) };
  return moveInvoice(tx, invoice, 'startCalculation', { terms: frozen, next_action_at: now }, now);
}

/** The terms for calculating once more: the tax rates as they are now, and the adjustments taken first that still exist. */
export async function freezeAgain(parts: InvoicingParts, tx: Tx, invoice: InvoiceRow): Promise<FrozenTerms | null> {
  const isOneOff = invoice.one_off !== null && invoice.kind !== 'upfront';
  if (isOneOff || invoice.subscription_id === null) return null; // frozen as it is calculated
  const lateCarried = invoice.terms?.lateCarried;
  const frozen = {
    ...(await freeze(parts, tx, await termsOf(tx, parts.source, invoice), invoice)),
    ...(lateCarried && { lateCarried }),
  };
  const taken = invoice.terms?.adjustments;
  if (taken === undefined) return frozen;
  const existing = await parts.source.adjustments(tx, invoice.merchant_id, invoice.subscription_id);
  return { ...frozen, adjustments: stillThere(taken, existing) };
}

/** Sends a draft back (transition 9), or has a calculation that runs go on with what is frozen anew. */
export async function calculateAgain(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const terms = await freezeAgain(parts, tx, invoice);
  if (invoice.status === 'CALCULATING') return changeInvoice(tx, invoice, { terms }, now);
  return moveInvoice(tx, invoice, 'recalculate', { next_action_at: now, calculation_attempts: 0, terms }, now);
}

/** The tax rates as they are now (domain.md §4, Tax), and the adjustments that hold the invoice's instant. */
export async function freeze(
  parts: InvoicingParts,
  tx: Tx,
  terms: BillingTerms,
  invoice: Pick<InvoiceRow, 'grace_period_end'>,
): Promise<FrozenTerms> {
  const customerRates = await customerTaxRates(tx, terms.merchantId, terms.customerId);
  const settings = await merchantSettings(tx, terms.merchantId);
  const rate = (price: BilledPrice | null, plan: Pick<BillingTerms, 'planId' | 'planTaxRate'> = terms) =>
    chooseTaxRate({
      taxExempt: terms.taxExempt,
      customerTaxRates: customerRates,
      metricId: price?.metric?.id ?? null,
      planId: plan.planId,
      priceTaxRate: price?.taxRate ?? null,
      metricTaxRate: price?.metric?.taxRate ?? null,
      planTaxRate: plan.planTaxRate,
      merchantTaxRate: settings.defaultTaxRate,
    }).rate;
  return {
    taxBehavior: terms.taxBehavior,
    ...(terms.taxExempt && { taxExempt: true }),
    taxRates: Object.fromEntries(
      versionsOf(terms).flatMap((version) => version.prices.map((price) => [price.id, plain(rate(price, version))])),
    ),
    manualTaxRate: plain(rate(null)),
    adjustments: adjustmentsAt(
      await parts.source.adjustments(tx, terms.merchantId, terms.subscriptionId),
      invoice.grace_period_end,
    ),
  };
}

/**
 * Transitions 5 to 7. A calculation that throws is undone alone, waits and is tried again; after the last attempt the
 * invoice is FAILED and says so, until someone asks for a recalculation. Faults of the database are the runner's.
 */
export async function tryCalculation(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  try {
    return await tx.part(
      () => finishCalculation(parts, tx, invoice, now),
      () => true,
    );
  } catch (error) {
    if (sqlState(error) !== '') throw error;
    const attempts = invoice.calculation_attempts + 1;
    const outcome = afterFailure(attempts);
    const failed = { calculation_attempts: attempts, failure_detail: String(error) };
    return outcome.trigger === 'deferCalculation'
      ? moveInvoice(
          tx,
          invoice,
          outcome.trigger,
          { ...failed, next_action_at: now.add({ minutes: outcome.waitMinutes }) },
          now,
        )
      : moveInvoice(
          tx,
          invoice,
          outcome.trigger,
          { ...failed, failure_reason: 'CALCULATION_FAILED', next_action_at: null },
          now,
        );
  }
}

async function finishCalculation(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const { calculation, frozen } = await calculateStored(parts, tx, invoice);
  return saveCalculation(tx, invoice, calculation, frozen, now);
}

/**
 * What an invoice comes to by all that is stored of it: the usage that was read, and the terms that were frozen.
 * @param then the terms as they may have been, and the credits as its lines say: both may be others by now
 */
export async function calculateStored(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  then?: { readonly terms: BillingTerms; readonly others: readonly OtherLine[] },
): Promise<{ calculation: Calculation; frozen: FrozenTerms }> {
  if (invoice.one_off !== null && invoice.kind !== 'upfront') return orThrow(await calculateKept(parts, tx, invoice));
  const terms = then?.terms ?? (await termsOf(tx, parts.source, invoice));
  const frozen = invoice.terms ?? {
    ...(await freeze(parts, tx, terms, invoice)),
    ...(invoice.kind === 'ad_hoc' && (await takeRests(tx, terms, invoice))),
  };
  const calculation = calculateInvoice(terms, frozen, invoice, await billedUsageOf(tx, invoice), {
    earlier: await earlierUsageOn(tx, invoice),
    late: await lateChargesOn(tx, terms, invoice),
    carried: await carriedCharges(tx, terms, frozen),
    manual: await manualLinesOn(tx, invoice, 'none'),
    ...(then ? { others: then.others } : { credits: await creditsOn(tx, invoice) }),
  });
  return { calculation, frozen };
}

/** Transition 5: what was calculated is stored, and the draft is issued by itself unless it waits for somebody. */
export async function saveCalculation(
  tx: Tx,
  invoice: InvoiceRow,
  calculation: Calculation,
  frozen: FrozenTerms,
  now: Instant,
): Promise<InvoiceRow> {
  await replaceLines(
    tx,
    invoice,
    lineRows(invoice, calculation, () => newId('lineItem')),
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
      terms: { ...withoutRests(frozen), ...(calculation.lateRests && { lateRests: calculation.lateRests }) },
      failure_reason: null,
      failure_detail: null,
      next_action_at: waits ? null : now,
    },
    now,
  );
}

/** What a calculation before this one left is nothing any more. */
const withoutRests = ({ lateRests: _, ...frozen }: FrozenTerms): FrozenTerms => frozen;

/** The lines of a calculation with their places, and which takes something off which. */
export function lineRows(invoice: InvoiceRow, calculation: Calculation, idOf: (position: number) => string): LineRow[] {
  const ids = calculation.lines.map((_, position) => calculation.ids?.[position] ?? idOf(position));
  return calculation.lines.map((line, position) => {
    const appliesTo = calculation.appliesTo?.[position] ?? null;
    return {
      ...line,
      merchant_id: invoice.merchant_id,
      invoice_id: invoice.id,
      id: ids[position] as string,
      position,
      applies_to_line_id: appliesTo === null ? null : (ids[appliesTo] as string),
    };
  });
}

/** What stands on an invoice beside its charges. */
interface Beside {
  readonly late: readonly LateCharge[];
  readonly carried?: readonly CarriedCharge[];
  readonly manual: readonly ManualLineRow[];
  readonly credits?: readonly CreditOn[];
  /** Other lines, as they are. */
  readonly others?: readonly OtherLine[];
  /** What the parts before used of a period that `closeNow` cut; null where it is no rest of one. */
  readonly earlier?: readonly BilledUsage[] | null;
}

/**
 * Calculates the invoice of a period, or the upfront one, from given usage: the billed one, or for a preview what was used
 * until now.
 */
export function calculateInvoice(
  terms: BillingTerms,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  usage: readonly BilledUsage[],
  beside: Beside = { late: [], manual: [] },
): Calculation {
  return calculate({
    currency: invoice.currency,
    charges: chargesOf(terms, invoice),
    others: [
      ...(invoice.one_off?.lines ?? []).map((line) => otherLineOf(line, ZERO, invoice.currency, invoice.created_at)),
      ...beside.manual.map((line) => manualLine(line, decimal(frozen.manualTaxRate ?? '0'))),
      ...creditLines(beside.credits ?? [], frozen.taxBehavior),
      ...(beside.others ?? []),
    ],
    late: beside.late,
    carried: beside.carried ?? [],
    usage,
    ...(beside.earlier && { earlier: { invoiceId: invoice.id, used: beside.earlier } }),
    taxBehavior: frozen.taxBehavior,
    taxRates: taxRatesOf(frozen.taxRates),
    adjustments: frozen.adjustments ?? [],
  });
}

function chargesOf(terms: BillingTerms, invoice: InvoiceRow): readonly BilledCharge[] {
  if (invoice.kind === 'upfront')
    return invoice.advances.length > 0 ? advancesOf(terms, invoice.advances) : upfrontCharges(terms);
  return invoice.kind === 'subscription' ? chargesOn(terms, invoice) : []; // what bills late usage has no period of its own
}

/**
 * What the open period would come to if it ended now: the live totals of an ACTIVE or CLOSING invoice (row 1).
 * @returns null where it cannot be calculated. Faults of the database are thrown.
 */
export async function tryPreview(parts: InvoicingParts, tx: Tx, invoice: InvoiceRow): Promise<Calculation | null> {
  const terms = await termsOf(tx, parts.source, invoice);
  const usage = await readUsage(tx, parts.source, terms, invoice, invoice.period_end);
  const frozen = await freeze(parts, tx, terms, invoice);
  const late = await findLateUsage(tx, parts.source, terms);
  const earlier = await earlierUsage(tx, parts.source, terms, invoice, late);
  const manual = await manualLinesOn(tx, invoice, waitingFor(terms, invoice));
  try {
    return calculateInvoice(terms, frozen, invoice, usage, {
      earlier: earlier?.used ?? null,
      late: await lateChargesOf(tx, terms, late),
      carried: await carriedCharges(tx, terms, await findRests(tx, terms, invoice)),
      manual,
      credits: await creditsOn(tx, invoice),
    });
  } catch {
    return null; // the calculation of the closed period keeps what was thrown, with the invoice
  }
}

/** What a draft says, for approvals: two calculations that say the same have the same hash. */
const draftHash = (calculation: Calculation): string =>
  createHash('sha256').update(JSON.stringify(calculation)).digest('hex');
