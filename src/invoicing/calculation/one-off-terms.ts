import { findPlan } from '../../catalog/index.ts';
import { findTaxation } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { type ChosenTaxRate, chooseTaxRate, taxPoint } from '../../tax/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { freezeRates } from '../invoice/freeze-place.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow, OneOffRecord } from '../invoice/invoice.ts';
import { type ServiceTime, saidServiceTime } from '../invoice/service-time.ts';
import { withOutsideAnswer } from '../outside-tax/answer.ts';
import { freezeOutside } from '../outside-tax/freeze.ts';
import type { Calculation, OtherLine } from './calculation.ts';
import { bearsTax, calculateOneOff, outsideItemsOfOneOff } from './one-off-lines.ts';

/** A one-off invoice as it is calculated. */
export interface CalculatedOneOff {
  readonly calculation: Calculation;
  readonly frozen: FrozenTerms;
  /** A tax provider has not answered yet: the amounts are by our own rates, and do not stand. */
  readonly waits: boolean;
}

/**
 * Calculates a one-off invoice from the lines it keeps, at the tax rates that were frozen, or else at those of now.
 * @param when who waits for a tax provider's answer (`withOutsideAnswer`); `stored`: nobody, what was answered is taken
 * @param credits what it takes back of other invoices
 * @returns a refusal where it comes to less than 0. @throws for an invoice of a period.
 */
export async function calculateKept(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  when: 'now' | 'later' | 'stored',
  now: Instant,
  credits: readonly OtherLine[] = [],
): Promise<Result<CalculatedOneOff>> {
  const { oneOff: kept, currency, createdAt: at } = invoice;
  if (kept === null) throw new Error(`Invoice ${invoice.id} is of a period.`);
  const rates = invoice.terms ?? (await freezeOneOff(dependencies, tx, invoice, kept, now));
  const input = { currency, lines: kept.lines, taxRates: rates.taxRates, at, credits };
  const byOurRates = calculateOneOff(input);
  if (!byOurRates.ok) return byOurRates;
  const { outside } = rates;
  const items = outside ? outsideItemsOfOneOff({ ...input, outside }) : [];
  const frozen =
    when === 'stored'
      ? rates
      : await withOutsideAnswer(dependencies.taxProviders, tx, invoice, rates, { items, when }, now);
  if (frozen === null) return ok({ calculation: byOurRates.value, frozen: rates, waits: true });
  if (!frozen.outside?.answer) return ok({ calculation: byOurRates.value, frozen, waits: false });
  const calculated = calculateOneOff({ ...input, outside: frozen.outside });
  return calculated.ok ? ok({ calculation: calculated.value, frozen, waits: false }) : calculated;
}

/** The time whose last day is the tax point: what was said of the supply by hand, else the creation. */
const taxedTime = (invoice: InvoiceRow): ServiceTime =>
  (invoice.kind === 'ad_hoc' ? saidServiceTime(invoice) : null) ?? { from: invoice.createdAt, to: invoice.createdAt };

/** The tax rates as they are now (domain.md §4, Tax): a line's own counts as a price's, and a line has no metric. */
async function freezeOneOff(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  { planId, lines, taxExempt }: OneOffRecord,
  now: Instant,
): Promise<FrozenTerms> {
  const { merchantId, subscriptionId } = invoice;
  const taxation = await findTaxation(tx, invoice.customerId);
  const isExempt =
    taxExempt ??
    (taxation.taxExempt ||
      (subscriptionId !== null && (await dependencies.source.terms(tx, subscriptionId)).taxExempt));
  const { from, to } = taxedTime(invoice);
  const day = taxPoint(from, to);
  const place = taxation.placeOn(day, isExempt);
  const common = {
    taxExempt: isExempt,
    customerTaxRates: taxation.customerTaxRates,
    metricId: null,
    planId,
    metricTaxRate: null,
    planTaxRate: planId === null ? null : ((await findPlan(tx, planId))?.defaultTaxRate ?? null),
    merchantTaxRate: taxation.merchantTaxRate,
    place,
  };
  const chosen: Record<string, ChosenTaxRate> = {};
  for (const [index, line] of lines.entries()) {
    if (!bearsTax(line)) continue;
    const own = line.taxRate === null ? null : decimal(line.taxRate);
    chosen[index] = chooseTaxRate({ ...common, priceTaxRate: own });
  }
  const facts = { merchantId, customerId: invoice.customerId, planId, plans: new Map<string, string>() };
  const outside = await freezeOutside(tx, facts, now);
  const { place: ours, ...rates } = freezeRates(chosen, place, { taxIdStatus: taxation.taxId, taxPoint: day });
  const frozen = { taxBehavior: 'exclusive' as const, ...rates, ...(isExempt && { taxExempt: true }) };
  if (outside) return { ...frozen, outside: { ...outside, ...(ours && { place: ours }) } };
  return { ...frozen, ...(ours && { place: ours }) };
}
