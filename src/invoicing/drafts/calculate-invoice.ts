import { decimal, ZERO } from '../../kernel/decimal.ts';
import { calculate, outsideItemsOf } from '../calculation/calculate.ts';
import type { Calculation, CalculationInput, OtherLine } from '../calculation/calculation.ts';
import { otherLineOf } from '../calculation/one-off-lines.ts';
import type { OutsideItem } from '../calculation/outside-items.ts';
import { taxRatesOf } from '../calculation/rate-usage.ts';
import type { CreditOn } from '../credit-notes/unused-credit.ts';
import { creditLines } from '../credits/credit-lines.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { BillingOfInvoice } from './billing-state.ts';
import type { ManualLineRow } from './manual-line.ts';
import { manualLine } from './manual-lines.ts';

/** The content of an invoice beside its charges. */
export interface Beside {
  readonly manual: readonly ManualLineRow[];
  readonly credits?: readonly CreditOn[];
  /** Credits and corrections of closed periods on the invoice. */
  readonly storedCredits?: readonly OtherLine[];
  readonly late?: readonly OtherLine[];
}

/** Calculates an invoice of a subscription from its charges and the usage of its own period. */
export function calculateInvoice(
  due: BillingOfInvoice,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  usage: readonly BilledUsage[],
  beside: Beside = { manual: [] },
): Calculation {
  return calculate(inputOf(due, frozen, invoice, usage, beside));
}

/** The items of it that a tax provider is asked to tax; none with our own rates. */
export function outsideItemsFor(
  due: BillingOfInvoice,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  usage: readonly BilledUsage[],
  beside: Beside = { manual: [] },
): OutsideItem[] {
  const { outside } = frozen;
  return outside ? outsideItemsOf({ ...inputOf(due, frozen, invoice, usage, beside), outside }) : [];
}

/** Everything that an invoice is calculated from. */
export const inputOf = (
  { due, commitments, coupons }: BillingOfInvoice,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  usage: readonly BilledUsage[],
  beside: Beside,
): CalculationInput => ({
  currency: invoice.currency,
  charges: due,
  commitments,
  coupons,
  ...(frozen.billingCredits && { billingCredits: frozen.billingCredits }),
  ...(frozen.trueUps && { trueUps: frozen.trueUps }),
  others: [
    ...(beside.late ?? []),
    ...(invoice.oneOff?.lines ?? []).map((line) => otherLineOf(line, ZERO, invoice.currency, invoice.createdAt)),
    ...beside.manual.map((line) => manualLine(line, decimal(frozen.manualTaxRate ?? '0'))),
    ...(beside.storedCredits ?? creditLines(beside.credits ?? [], frozen.taxBehavior, invoice.currency)),
  ],
  usage,
  taxBehavior: frozen.taxBehavior,
  taxRates: taxRatesOf(frozen.taxRates),
  adjustments: frozen.adjustments ?? [],
  ...(frozen.outside?.answer && { outside: frozen.outside }),
});
