import { findTaxations, type Taxation, taxationsUnder } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { findMerchant } from '../../identity/index.ts';
import { plain } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { chooseTaxRate, taxPoint } from '../../tax/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { freezeRates } from '../invoice/freeze-place.ts';
import type { FrozenHistory, FrozenTerms } from '../invoice/frozen-terms.ts';
import { hasGivenLines, type InvoiceRow } from '../invoice/invoice.ts';
import { freezeOutside } from '../outside-tax/freeze.ts';
import { adjustmentsAt, stillThere } from '../owed/discounts.ts';
import type { BilledPrice, BillingTerms } from '../terms/billing-terms.ts';
import { versionsOf } from '../timeline/segments.ts';
import { termsOf } from './terms-of-invoices.ts';

/** The adjustments of a second calculation: of those taken first the ones that still exist, or all as they are now. */
export type WhichAdjustments = 'taken' | 'present';

/** The terms for calculating once more: the tax rates as they are now, and the adjustments. */
export async function freezeAgain(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  which: WhichAdjustments,
  now: Instant,
): Promise<FrozenTerms | null> {
  if (hasGivenLines(invoice) || invoice.subscriptionId === null) return null; // frozen as it is calculated
  const frozen = await freezeFor(dependencies, tx, await termsOf(tx, dependencies.source, invoice), invoice, now);
  const taken = invoice.terms?.adjustments;
  if (taken === undefined) return frozen;
  const found = await dependencies.source.adjustments(tx, [invoice.subscriptionId]);
  const existing = found.get(invoice.subscriptionId) ?? [];
  const adjustments =
    which === 'taken' ? stillThere(taken, existing) : adjustmentsAt(existing, invoice.gracePeriodEnd, now);
  return { ...frozen, adjustments };
}

/** The terms of a subscription, and what decides its tax; loaded if absent. */
export interface KnownTerms {
  readonly terms: BillingTerms;
  readonly taxation?: Taxation | undefined;
}

/** An invoice whose terms are frozen. */
interface ToFreeze {
  readonly terms: BillingTerms;
  readonly invoice: Pick<InvoiceRow, 'gracePeriodEnd' | 'periodStart' | 'periodEnd'>;
}

/**
 * The tax rates as they are now (domain.md §4, Tax), for the day of the invoice's tax point, and the adjustments that
 * hold its instant.
 */
export async function freeze(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { terms, taxation }: KnownTerms,
  invoice: ToFreeze['invoice'],
): Promise<FrozenTerms> {
  const [frozen] = await freezeEach(dependencies, tx, [{ terms, invoice }], taxation);
  return frozen as FrozenTerms;
}

/**
 * The same for some invoices of one merchant, in their order.
 * @param taxation what decides the tax of all of them; loaded if absent
 */
export async function freezeEach(
  dependencies: InvoicingDependencies,
  tx: Tx,
  all: readonly ToFreeze[],
  taxation?: Taxation,
): Promise<FrozenTerms[]> {
  const [first] = all;
  if (!first) return [];
  const customerIds = all.map(({ terms }) => terms.customerId);
  const taxationOf = taxation ? () => taxation : await findTaxations(tx, customerIds);
  return freezeAll(dependencies, tx, taxationOf, all);
}

/** The same with what decides the tax of each. */
async function freezeAll(
  dependencies: InvoicingDependencies,
  tx: Tx,
  taxationOf: (customerId: string) => Taxation,
  all: readonly ToFreeze[],
): Promise<FrozenTerms[]> {
  const [first] = all;
  if (!first) return [];
  const adjustments = await dependencies.source.adjustments(
    tx,
    all.map(({ terms }) => terms.subscriptionId),
  );
  return all.map(({ terms, invoice }) => ({
    ...freezeTax(taxationOf(terms.customerId), terms, invoice),
    adjustments: adjustmentsAt(adjustments.get(terms.subscriptionId) ?? [], invoice.gracePeriodEnd),
  }));
}

function freezeTax(taxation: Taxation, terms: BillingTerms, invoice: ToFreeze['invoice']): FrozenTerms {
  const day = taxPoint(invoice.periodStart, invoice.periodEnd);
  const taxExempt = terms.taxExempt || taxation.taxExempt;
  const place = taxation.placeOn(day, taxExempt);
  const choose = (price: BilledPrice | null, plan: Pick<BillingTerms, 'planId' | 'planTaxRate'> = terms) =>
    chooseTaxRate({
      taxExempt,
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
    ...(taxExempt && { taxExempt: true }),
    ...(taxation.invoiceGrouping !== null && { isGrouped: true }),
    ...freezeRates(Object.fromEntries(chosen), place, { taxIdStatus: taxation.taxId, taxPoint: day }),
    manualTaxRate: plain(choose(null).rate),
  };
}

/** The terms for the calculation of an invoice, not for a preview: they include the question to a tax provider. */
export async function freezeFor(
  dependencies: InvoicingDependencies,
  tx: Tx,
  terms: BillingTerms,
  invoice: ToFreeze['invoice'],
  now: Instant,
): Promise<FrozenTerms> {
  const [frozen] = await freezeAllFor(dependencies, tx, [{ terms, invoice }], now);
  return frozen as FrozenTerms;
}

/** The same for some invoices of one merchant. With a tax provider, the question of each is found separately. */
export async function freezeAllFor(
  dependencies: InvoicingDependencies,
  tx: Tx,
  all: readonly ToFreeze[],
  now: Instant,
): Promise<FrozenTerms[]> {
  const [first] = all;
  if (!first) return [];
  const merchant = await findMerchant(tx);
  const taxationOf = await taxationsUnder(
    tx,
    merchant,
    all.map(({ terms }) => terms.customerId),
  );
  const frozen = await freezeAll(dependencies, tx, taxationOf, all);
  if (merchant.settings.taxProvider === 'internal') return frozen;
  const withOutside: FrozenTerms[] = [];
  for (const [index, { terms }] of all.entries())
    withOutside.push(await freezeOutsideOf(tx, terms, frozen[index] as FrozenTerms, now));
  return withOutside;
}

async function freezeOutsideOf(
  tx: Tx,
  terms: BillingTerms,
  { place, ...frozen }: FrozenTerms,
  now: Instant,
): Promise<FrozenTerms> {
  const { merchantId, customerId, planId } = terms;
  const plans = new Map(
    versionsOf(terms).flatMap((version) => version.prices.map((price) => [price.id, version.planId] as const)),
  );
  const outside = await freezeOutside(tx, { merchantId, customerId, planId, plans }, now);
  if (outside) return { ...frozen, outside: { ...outside, ...(place && { place }) } }; // it decides the place, too
  return place ? { ...frozen, place } : frozen;
}

/** The present history of a subscription, as an invoice stores it (docs/decisions/0066). */
export function historyOf({ bounds: { endsAt }, versions, redemptions }: BillingTerms): FrozenHistory {
  const { pauses = [], committed = [] } = versions?.[0] ?? {};
  return {
    endsAt: endsAt?.toString() ?? null,
    ...(redemptions && {
      redemptions: Object.fromEntries(redemptions.map(({ id, until }) => [id, until?.toString() ?? null])),
    }),
    ...(versions && { changeIds: versions.flatMap(({ changeId }) => changeId ?? []), asksAsItComes: true }),
    ...(pauses.length > 0 && { pauses }),
    ...(committed.length > 0 && { committed }),
  };
}
