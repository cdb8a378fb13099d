import { findPlan } from '../../catalog/index.ts';
import { customerTaxRates } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import { decimal, plain } from '../../kernel/decimal.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { chooseTaxRate } from '../../tax/index.ts';
import type { InvoicingParts } from '../invoice/dependencies.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow, OneOffRecord } from '../invoice/invoice.ts';
import type { Calculation, OtherLine } from './calculate.ts';
import { bearsTax, calculateOneOff } from './one-off-lines.ts';

/**
 * Calculates a one-off invoice from the lines it keeps, at the tax rates that were frozen, or else at those of now.
 * @param credits what it takes back of other invoices
 * @returns a refusal where it comes to less than 0. @throws for an invoice of a period.
 */
export async function calculateKept(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  credits: readonly OtherLine[] = [],
): Promise<Result<{ calculation: Calculation; frozen: FrozenTerms }>> {
  const { one_off: kept, currency, created_at: at } = invoice;
  if (kept === null) throw new Error(`Invoice ${invoice.id} is of a period.`);
  const frozen = invoice.terms ?? (await freezeOneOff(parts, tx, invoice, kept));
  const calculated = calculateOneOff({ currency, lines: kept.lines, taxRates: frozen.taxRates, at, credits });
  return calculated.ok ? ok({ calculation: calculated.value, frozen }) : calculated;
}

/** The tax rates as they are now (domain.md §4, Tax): a line's own counts as a price's, and a line has no metric. */
async function freezeOneOff(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  { planId, lines, taxExempt }: OneOffRecord,
): Promise<FrozenTerms> {
  const { merchant_id: merchantId, subscription_id: subscriptionId } = invoice;
  const common = {
    taxExempt:
      taxExempt === true ||
      (subscriptionId !== null && (await parts.source.terms(tx, merchantId, subscriptionId)).taxExempt),
    customerTaxRates: await customerTaxRates(tx, merchantId, invoice.customer_id),
    metricId: null,
    planId,
    metricTaxRate: null,
    planTaxRate: planId === null ? null : ((await findPlan(tx, merchantId, planId))?.defaultTaxRate ?? null),
    merchantTaxRate: (await merchantSettings(tx, merchantId)).defaultTaxRate,
  };
  const taxRates: Record<string, string> = {};
  for (const [index, line] of lines.entries()) {
    if (!bearsTax(line)) continue;
    const own = line.taxRate === null ? null : decimal(line.taxRate);
    taxRates[index] = plain(chooseTaxRate({ ...common, priceTaxRate: own }).rate);
  }
  return { taxBehavior: 'exclusive', taxRates, ...(common.taxExempt && { taxExempt: true }) };
}
