import type { Tx } from '../../db/index.ts';
import { decimal, plain, sum } from '../../kernel/decimal.ts';
import { orThrow } from '../../kernel/result.ts';
import { isBefore } from '../../kernel/time.ts';
import { calculate } from '../calculation/calculate.ts';
import type { Calculation, CalculationInput } from '../calculation/calculation.ts';
import { keptLines } from '../calculation/kept-lines.ts';
import { calculateKept } from '../calculation/one-off-terms.ts';
import type { CreditOn } from '../credit-notes/unused-credit.ts';
import { type PlaceInBilling, selectFirstSeq } from '../difference/billed.sql.ts';
import { ownStartOf } from '../difference/coupons-due.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectBilledUsage } from '../invoice/invoices.sql.ts';
import { asBilled, isOwnSeries } from '../owed/charges.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { loadOwnDue } from './billing-state.ts';
import { inputOf } from './calculate-invoice.ts';
import { storedLineOf } from './calculated-line.ts';
import { freeze } from './freeze-terms.ts';
import { selectManualLinesOn } from './manual-lines.sql.ts';

/**
 * Calculates an invoice again from its stored inputs: the usage that was read, the frozen terms, and the earlier bills.
 * Corrections of closed periods, lines by hand and credits stay unchanged.
 * @param terms the terms at that time, which may differ from the present ones
 */
export async function calculateStored(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  terms: BillingTerms | null,
  lines: readonly LineRow[],
): Promise<Calculation> {
  if (terms === null) {
    const credits = keptLines(lines.filter(isCredit), 'exclusive');
    return orThrow(await calculateKept(dependencies, tx, invoice, 'stored', invoice.createdAt, credits)).calculation;
  }
  const frozen = invoice.terms ?? (await freeze(dependencies, tx, { terms }, invoice));
  return recalculate(tx, terms, frozen, invoice, lines, await selectBilledUsage(tx, invoice));
}

const isCredit = ({ type, workings }: LineRow): boolean => type === 'credit' || workings?.use?.creditId !== undefined;

/** Does a kept line change what is billed of a charge, of the minimum of the plan, or of a coupon? */
const isBilling = ({ priceId, type }: LineRow): boolean =>
  priceId !== null || type === 'commitment' || type === 'coupon';

/** The same with the usage given. */
export const recalculate = async (
  tx: Tx,
  terms: BillingTerms,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  lines: readonly LineRow[],
  usage: readonly BilledUsage[],
): Promise<Calculation> => calculate(await inputAgain(tx, terms, frozen, invoice, lines, usage));

/**
 * Everything that an invoice was calculated from.
 * @param credits on it as they are before a total of 0 cut something off them; else as they stand on it
 */
export async function inputAgain(
  tx: Tx,
  terms: BillingTerms,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  lines: readonly LineRow[],
  usage: readonly BilledUsage[],
  credits?: readonly CreditOn[],
): Promise<CalculationInput> {
  const then = frozen.history ? terms : asBilled(terms, invoice);
  const late = lines.filter((line) => isOfLate(then, invoice, line, lines));
  const corrections = late.filter(isBilling).map((line) => storedLineOf(invoice, line));
  const own = await loadOwnDue(tx, then, invoice, frozen, await placeOf(tx, invoice, frozen), corrections);
  return inputOf(own, withReturned(frozen, late), invoice, usage, {
    manual: await selectManualLinesOn(tx, invoice),
    late: keptLines(late, frozen.taxBehavior),
    ...(credits ? { credits } : { storedCredits: keptLines(lines.filter(isCredit), frozen.taxBehavior) }),
  });
}

/** The place of an invoice in the order of billing; null if it is unknown. */
export async function placeOf(
  tx: Tx,
  invoice: InvoiceRow,
  frozen: FrozenTerms | null = invoice.terms,
): Promise<PlaceInBilling | null> {
  const kept = frozen?.history?.place;
  if (kept) return { seq: BigInt(kept.seq), creditSeq: BigInt(kept.creditSeq) };
  const seq = await selectFirstSeq(tx, invoice);
  return seq === null ? null : { seq };
}

/** What is kept has given back to billing credits, or used of them, before the own lines. */
function withReturned(frozen: FrozenTerms, late: readonly LineRow[]): FrozenTerms {
  const { billingCredits: credits } = frozen;
  const returned = late.filter(({ workings }) => workings?.use !== undefined);
  if (credits === undefined || returned.length === 0) return frozen;
  const held = credits.held.map((credit) => {
    const own = returned.filter(({ workings }) => workings?.use?.billingCreditId === credit.id);
    return { ...credit, left: plain(decimal(credit.left).plus(sum(own.map(({ totalPrice }) => totalPrice)))) };
  });
  return { ...frozen, billingCredits: { ...credits, held } };
}

/**
 * Does a line correct a closed period? A commitment does that is not of the period which is over with the invoice. What
 * takes something off a line goes with it.
 */
function isOfLate(terms: BillingTerms, invoice: InvoiceRow, line: LineRow, lines: readonly LineRow[]): boolean {
  const { type, appliesToLineId: of, periodEnd: end, workings } = line;
  if (workings?.use?.onInvoiceId !== undefined) return workings.use.creditId === undefined; // it has back
  const charge = of === null ? undefined : lines.find(({ id }) => id === of);
  if (type === 'coupon' && workings?.coupon?.period !== undefined)
    return (
      isOfEarlier(terms, invoice, workings.coupon.period) ||
      (charge !== undefined && isOfLate(terms, invoice, charge, lines))
    );
  if ((type === 'coupon' || type === 'billing_credit') && charge)
    return charge.type === 'late_usage' || isOfLate(terms, invoice, charge, lines);
  if (type === 'commitment') return !(isOwnSeries(terms, invoice) && end.equals(invoice.periodEnd));
  return workings?.late !== undefined || charge?.type === 'late_usage';
}

/** Is the period of a coupon one before those of the invoice's own charges? */
function isOfEarlier(terms: BillingTerms, invoice: InvoiceRow, period: string): boolean {
  const own = ownStartOf(terms, invoice);
  return own === null || isBefore(Temporal.Instant.from(period), own);
}
