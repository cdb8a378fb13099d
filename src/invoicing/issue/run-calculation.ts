import { createHash } from 'node:crypto';
import { cancelApprovals, findMissingKinds } from '../../approvals/index.ts';
import { findTaxation } from '../../customers/index.ts';
import { sqlState, type Tx } from '../../db/index.ts';
import { decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { chooseTaxRate, taxPoint } from '../../tax/index.ts';
import {
  type Calculation,
  type CalculationInput,
  calculate,
  type OtherLine,
  outsideItemsOf,
  taxRatesOf,
} from '../calculation/calculate.ts';
import { otherLineOf } from '../calculation/one-off-lines.ts';
import { calculateKept } from '../calculation/one-off-terms.ts';
import type { OutsideItem } from '../calculation/outside-items.ts';
import { type CreditOn, creditsOn } from '../credit-notes/unused-credits.sql.ts';
import { firstSeqOf, type PlaceInBilling, selectPlace } from '../difference/billed.sql.ts';
import { itemsOf, type StoredLine } from '../difference/billed.ts';
import { wrongsOf } from '../difference/check.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { InvoicingParts } from '../invoice/dependencies.ts';
import { freezeRates } from '../invoice/freeze-place.ts';
import type { FrozenHistory, FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import {
  billedUsageOf,
  changeInvoice,
  moveInvoice,
  replaceLines,
  selectEarlierParts,
} from '../invoice/invoices.sql.ts';
import { withOutsideAnswer } from '../outside-tax/answer.ts';
import { afterFailure, NO_MORE } from '../outside-tax/attempts.ts';
import { freezeOutside } from '../outside-tax/freeze.ts';
import { leaseUntil } from '../outside-tax/quotes.ts';
import { asBilled, isOwnSeries } from '../owed/charges.ts';
import { adjustmentsAt, stillThere } from '../owed/discounts.ts';
import type { BilledPrice, BillingTerms } from '../terms/billing-terms.ts';
import { versionsOf } from '../timeline/segments.ts';
import { lockBilling } from '../usage/billing-lock.sql.ts';
import { deleteUsageTakenOfCorrected } from '../usage/late-usage.sql.ts';
import { saveReadPeriods } from '../usage/late-usage.ts';
import { readUsage } from '../usage/read-usage.ts';
import { type Billing, loadBilling, loadOwnDue } from './billing-state.ts';
import { termsOf } from './close.ts';
import { creditLines, creditLinesOn, expectedCredits } from './credits.ts';
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
  const frozen = await freezeFor(parts, tx, terms, invoice, now);
  return moveInvoice(tx, invoice, 'startCalculation', { terms: frozen, next_action_at: now }, now);
}

/** The terms for calculating once more: the tax rates as they are now, and the adjustments taken first that still exist. */
export async function freezeAgain(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<FrozenTerms | null> {
  const isOneOff = invoice.one_off !== null && invoice.kind !== 'upfront';
  if (isOneOff || invoice.subscription_id === null) return null; // frozen as it is calculated
  const frozen = await freezeFor(parts, tx, await termsOf(tx, parts.source, invoice), invoice, now);
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
  const terms = await freezeAgain(parts, tx, invoice, now);
  if (invoice.status === 'CALCULATING') return changeInvoice(tx, invoice, { terms }, now);
  await cancelApprovals(tx, invoice.merchant_id, [invoice.id], now);
  return moveInvoice(tx, invoice, 'recalculate', { next_action_at: now, calculation_attempts: 0, terms }, now);
}

/**
 * The tax rates as they are now (domain.md §4, Tax), for the day of the invoice's tax point, and the adjustments that hold
 * its instant.
 */
export async function freeze(
  parts: InvoicingParts,
  tx: Tx,
  terms: BillingTerms,
  invoice: Pick<InvoiceRow, 'grace_period_end' | 'period_start' | 'period_end'>,
): Promise<FrozenTerms> {
  const taxation = await findTaxation(tx, terms.merchantId, terms.customerId);
  const day = taxPoint(invoice.period_start, invoice.period_end);
  const place = taxation.placeOn(day, terms.taxExempt);
  const choose = (price: BilledPrice | null, plan: Pick<BillingTerms, 'planId' | 'planTaxRate'> = terms) =>
    chooseTaxRate({
      taxExempt: terms.taxExempt,
      customerTaxRates: taxation.customerTaxRates,
      metricId: price?.metric?.id ?? null,
      planId: plan.planId,
      priceTaxRate: price?.taxRate ?? null,
      metricTaxRate: price?.metric?.taxRate ?? null,
      planTaxRate: plan.planTaxRate,
      merchantTaxRate: taxation.merchantTaxRate,
      place,
    });
  const chosen = versionsOf(terms).flatMap((version) =>
    version.prices.map((price) => [price.id, choose(price, version)] as const),
  );
  return {
    history: historyOf(terms),
    taxBehavior: terms.taxBehavior,
    ...(terms.taxExempt && { taxExempt: true }),
    ...freezeRates(Object.fromEntries(chosen), place, { taxIdStatus: taxation.taxId, taxPoint: day }),
    manualTaxRate: plain(choose(null).rate),
    adjustments: adjustmentsAt(
      await parts.source.adjustments(tx, terms.merchantId, terms.subscriptionId),
      invoice.grace_period_end,
    ),
  };
}

/** The terms of an invoice that is calculated, and not only shown: with them goes what is asked of a tax provider. */
export async function freezeFor(
  parts: InvoicingParts,
  tx: Tx,
  terms: BillingTerms,
  invoice: Pick<InvoiceRow, 'grace_period_end' | 'period_start' | 'period_end'>,
  now: Instant,
): Promise<FrozenTerms> {
  const { place, ...frozen } = await freeze(parts, tx, terms, invoice);
  const { merchantId, customerId, planId } = terms;
  const plans = new Map(
    versionsOf(terms).flatMap((version) => version.prices.map((price) => [price.id, version.planId] as const)),
  );
  const outside = await freezeOutside(tx, { merchantId, customerId, planId, plans }, now);
  if (outside) return { ...frozen, outside: { ...outside, ...(place && { place }) } }; // it decides the place, too
  return place ? { ...frozen, place } : frozen;
}

const historyOf = ({ bounds: { endsAt }, versions }: BillingTerms): FrozenHistory => ({
  endsAt: endsAt?.toString() ?? null,
  ...(versions && { changeIds: versions.flatMap(({ changeId }) => changeId ?? []) }),
});

/**
 * Transitions 5 to 7. A calculation that throws is undone alone, waits and is tried again; after the last attempt the
 * invoice is FAILED and says so, until someone asks for a recalculation. Faults of the database are the runner's.
 * @param asks the caller asks the tax provider after its transaction; else due work does at once
 */
export async function tryCalculation(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
  asks = false,
): Promise<InvoiceRow> {
  try {
    return await tx.part(
      () => finishCalculation(parts, tx, invoice, now, asks),
      () => true,
    );
  } catch (error) {
    if (sqlState(error) !== '') throw error;
    const attempts = invoice.calculation_attempts + 1;
    const outcome = error instanceof WrongBillError ? NO_MORE : afterFailure(attempts);
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

/**
 * The invoices of a subscription are calculated one after another: each bills what is owed and not billed, so it must see the lines of
 * the others.
 */
async function finishCalculation(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
  asks: boolean,
): Promise<InvoiceRow> {
  const asked = { next_action_at: asks ? leaseUntil(now) : now };
  if (isOneOff(invoice)) {
    const credits = await creditLinesOn(tx, invoice);
    const { calculation, frozen, waits } = orThrow(await calculateKept(parts, tx, invoice, 'later', now, credits));
    return waits
      ? changeInvoice(tx, invoice, { terms: frozen, ...asked }, now)
      : saveCalculation(tx, invoice, calculation, frozen, now);
  }
  const terms = await termsOf(tx, parts.source, invoice);
  await lockBilling(tx, terms.merchantId, [terms.subscriptionId]);
  await deleteUsageTakenOfCorrected(tx, invoice); // of a calculation before this one
  // What is due follows from the history as it stands now, also where a change came since the rates were frozen.
  const rates = invoice.terms ?? (await freezeFor(parts, tx, terms, invoice, now));
  const unanswered = { ...rates, history: historyOf(terms) };
  const billing = await loadBilling(tx, parts.source, terms, invoice, unanswered);
  const usage = await billedUsageOf(tx, invoice);
  const beside = { manual: await manualLinesOn(tx, invoice, 'none'), credits: await creditsOn(tx, invoice) };
  const items = outsideItemsFor(billing, unanswered, invoice, usage, beside);
  const answered = await withOutsideAnswer(parts.taxProviders, tx, invoice, unanswered, items, 'later', now);
  if (answered === null) return changeInvoice(tx, invoice, { terms: rates, ...asked }, now);
  const frozen = { ...answered, history: unanswered.history };
  const calculation = calculateInvoice(billing, frozen, invoice, usage, beside);
  refuseWrongBill(invoice, calculation, billing);
  await saveReadPeriods(tx, billing.read);
  return saveCalculation(tx, invoice, calculation, await placed(tx, invoice, calculation, frozen), now);
}

/** The lines of an invoice say its place in the order of billing; one without lines keeps it. */
async function placed(
  tx: Tx,
  invoice: InvoiceRow,
  { lines }: Calculation,
  frozen: FrozenTerms & { readonly history: FrozenHistory },
): Promise<FrozenTerms> {
  if (lines.length > 0) return frozen;
  const { seq, creditSeq } = await selectPlace(tx, invoice);
  return { ...frozen, history: { ...frozen.history, place: { seq: String(seq), creditSeq: String(creditSeq) } } };
}

/** A bill that would be wrong. It is not tried again by itself: what it is made of does not change. */
class WrongBillError extends Error {}

/** A wrong invoice is worse than a late one: what the net finds is not issued (docs/decisions/0064). */
function refuseWrongBill(invoice: InvoiceRow, { lines }: Calculation, { items }: Billing): void {
  const own = itemsOf(
    lines
      .filter(({ type, price_id: priceId }) => type !== 'credit' && priceId !== null)
      .map((line) => storedLineOf(invoice, line)),
    [],
  );
  const wrongs = wrongsOf([...items, ...own]);
  if (wrongs.length > 0) throw new WrongBillError(wrongs.join('; '));
}

const isOneOff = ({ one_off: kept, kind }: InvoiceRow): boolean => kept !== null && kind !== 'upfront';

/**
 * What a calculated invoice comes to when it is calculated again from what is stored of it: the usage that was read, the terms that
 * were frozen, and what was billed before it. Corrections of closed periods, lines by hand and credits stand as they are.
 * @param terms the terms as they may have been: they may be others by now
 */
export async function calculateStored(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  terms: BillingTerms | null,
  lines: readonly LineRow[],
): Promise<Calculation> {
  if (terms === null) {
    const credits = lines.filter(({ type }) => type === 'credit').map((line) => asStored(line, 'exclusive'));
    return orThrow(await calculateKept(parts, tx, invoice, 'stored', invoice.created_at, credits)).calculation;
  }
  const frozen = invoice.terms ?? (await freeze(parts, tx, terms, invoice));
  return recalculate(tx, terms, frozen, invoice, lines, await billedUsageOf(tx, invoice));
}

/** The same with the usage given. */
export async function recalculate(
  tx: Tx,
  terms: BillingTerms,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  lines: readonly LineRow[],
  usage: readonly BilledUsage[],
): Promise<Calculation> {
  const then = frozen.history ? terms : asBilled(terms, invoice);
  const late = lines.filter((line) => isOfLate(then, invoice, line, lines));
  const corrections = late
    .filter(({ price_id: priceId }) => priceId !== null)
    .map((line) => storedLineOf(invoice, line));
  const own = await loadOwnDue(tx, then, invoice, frozen, await placeOf(tx, invoice, frozen), corrections);
  return calculateInvoice(own, frozen, invoice, usage, {
    manual: await manualLinesOn(tx, invoice, 'none'),
    late: late.map((line) => asStored(line, frozen.taxBehavior)),
    storedCredits: lines.filter(({ type }) => type === 'credit').map((line) => asStored(line, frozen.taxBehavior)),
  });
}

/** Where an invoice stands in the order of billing; null where nothing tells. */
export async function placeOf(
  tx: Tx,
  invoice: InvoiceRow,
  frozen: FrozenTerms | null = invoice.terms,
): Promise<PlaceInBilling | null> {
  const kept = frozen?.history?.place;
  if (kept) return { seq: BigInt(kept.seq), creditSeq: BigInt(kept.creditSeq) };
  const seq = await firstSeqOf(tx, invoice);
  return seq === null ? null : { seq };
}

/** Does a line correct a closed period? A commitment does that is not of the period which is over with the invoice. */
function isOfLate(terms: BillingTerms, invoice: InvoiceRow, line: LineRow, lines: readonly LineRow[]): boolean {
  const { type, applies_to_line_id: of, period_end: end, workings } = line;
  if (type === 'commitment') return !(isOwnSeries(terms, invoice) && end.equals(invoice.period_end));
  return workings?.late !== undefined || lines.some((other) => other.id === of && other.type === 'late_usage');
}

/** A line as it was before a total of 0 cut it. A line that takes something back has the tax that was billed. */
function asStored(line: LineRow, taxBehavior: FrozenTerms['taxBehavior']): OtherLine {
  const { type, unit_price: asked, total_price: net, total_amount: gross, tax_rate: taxRate, workings } = line;
  const quoted = taxBehavior === 'inclusive' ? gross : net;
  const amount = type === 'credit' ? asked : quoted.plus(workings?.cut ?? workings?.lost ?? ZERO);
  return {
    amount,
    taxRate,
    ...(type !== 'adjustment' && amount.lt(0) && { givesWay: 'credit' as const }),
    ...(net.lt(0) && quoted.eq(amount) && { tax: line.total_tax }),
    says: line,
  };
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
  const snapshotHash = draftHash(calculation);
  const key = { merchantId: invoice.merchant_id, id: invoice.id };
  const waits = !invoice.auto_approve || (await findMissingKinds(tx, 'invoice', key, snapshotHash)).length > 0;
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
      snapshot_hash: snapshotHash,
      terms: withOutsideCredits(frozen, calculation),
      failure_reason: null,
      failure_detail: null,
      next_action_at: waits ? null : now,
    },
    now,
  );
}

/** What lines take off that were billed before is told a tax provider by itself; the terms keep how much it is. */
const withOutsideCredits = (
  { outside, ...frozen }: FrozenTerms,
  { outsideCredits: credits }: Calculation,
): FrozenTerms =>
  outside?.answer
    ? { ...frozen, outside: { ...outside, answer: { ...outside.answer, ...(credits && { credits }) } } }
    : frozen;

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
  readonly manual: readonly ManualLineRow[];
  readonly credits?: readonly CreditOn[];
  /** Credits and corrections of closed periods as they stand on the invoice. */
  readonly storedCredits?: readonly OtherLine[];
  readonly late?: readonly OtherLine[];
}

/** Calculates an invoice of a subscription from what is due on it and the usage of its own period. */
export function calculateInvoice(
  due: Pick<Billing, 'due' | 'commitments'>,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  usage: readonly BilledUsage[],
  beside: Beside = { manual: [] },
): Calculation {
  return calculate(inputOf(due, frozen, invoice, usage, beside));
}

/** What a tax provider is asked to tax of it; nothing where our own rates count. */
export function outsideItemsFor(
  due: Pick<Billing, 'due' | 'commitments'>,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  usage: readonly BilledUsage[],
  beside: Beside = { manual: [] },
): OutsideItem[] {
  const { outside } = frozen;
  return outside ? outsideItemsOf({ ...inputOf(due, frozen, invoice, usage, beside), outside }) : [];
}

const inputOf = (
  { due, commitments }: Pick<Billing, 'due' | 'commitments'>,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  usage: readonly BilledUsage[],
  beside: Beside,
): CalculationInput => ({
  currency: invoice.currency,
  charges: due,
  commitments,
  others: [
    ...(beside.late ?? []),
    ...(invoice.one_off?.lines ?? []).map((line) => otherLineOf(line, ZERO, invoice.currency, invoice.created_at)),
    ...beside.manual.map((line) => manualLine(line, decimal(frozen.manualTaxRate ?? '0'))),
    ...(beside.storedCredits ?? creditLines(beside.credits ?? [], frozen.taxBehavior)),
  ],
  usage,
  taxBehavior: frozen.taxBehavior,
  taxRates: taxRatesOf(frozen.taxRates),
  adjustments: frozen.adjustments ?? [],
  ...(frozen.outside?.answer && { outside: frozen.outside }),
});

/**
 * What the open period would come to if it ended now: the live totals of an ACTIVE or CLOSING invoice (row 1).
 * @returns null where it cannot be calculated. Faults of the database are thrown.
 */
export async function tryPreview(parts: InvoicingParts, tx: Tx, invoice: InvoiceRow): Promise<Calculation | null> {
  const terms = await termsOf(tx, parts.source, invoice);
  const usage = await readUsage(tx, parts.source, terms, invoice);
  const frozen = await freeze(parts, tx, terms, invoice);
  const billing = await loadBilling(tx, parts.source, terms, invoice, frozen, await earlierParts(parts, tx, invoice));
  const manual = await manualLinesOn(tx, invoice, waitingFor(terms, invoice));
  const credits = await expectedCredits(tx, terms, invoice, invoice.period_end);
  try {
    return calculateInvoice(billing, frozen, invoice, usage, { manual, credits });
  } catch {
    return null; // the calculation of the closed period keeps what was thrown, with the invoice
  }
}

/** The lines that earlier parts of a period will bill which are closed and not calculated yet: as they stand now. */
async function earlierParts(parts: InvoicingParts, tx: Tx, invoice: InvoiceRow): Promise<StoredLine[]> {
  const lines: StoredLine[] = [];
  for (const part of await selectEarlierParts(tx, invoice)) {
    const preview = await tryPreview(parts, tx, part);
    lines.push(...(preview?.lines ?? []).map((line) => storedLineOf(part, line)));
  }
  return lines;
}

/** A line of a preview as if it were billed. */
const storedLineOf = ({ id }: InvoiceRow, line: Calculation['lines'][number]): StoredLine => ({
  invoiceId: id,
  status: 'DRAFT',
  isRefunded: false,
  priceId: line.price_id,
  feeId: line.fee_id,
  type: line.type,
  displayName: line.display_name,
  quantity: line.quantity,
  net: line.total_price,
  tax: line.total_tax,
  taxRate: line.tax_rate,
  periodStart: line.period_start,
  periodEnd: line.period_end,
  group: line.group_values,
  tiers: line.tiers,
  workings: line.workings,
});

/** What a draft says, for approvals: two calculations that say the same have the same hash. */
const draftHash = (calculation: Calculation): string =>
  createHash('sha256').update(JSON.stringify(calculation)).digest('hex');
