import type { Tx } from '../../db/index.ts';
import { plain } from '../../kernel/decimal.ts';
import { overlap } from '../../kernel/spans.ts';
import type { Instant, Period } from '../../kernel/time.ts';
import { commitmentCorrectionsOf } from '../calculation/commitment-lines.ts';
import { type CorrectionDue, correctionsOf } from '../calculation/due-lines.ts';
import { taxRatesOf } from '../calculation/rate-usage.ts';
import { couponsBack } from '../credits/coupons-back.ts';
import { SAID, type TakenBack, takeBack } from '../credits/note-credits.ts';
import type { Correction } from '../difference/billed.ts';
import { loadCorrections } from '../drafts/billing-state.ts';
import { freeze, type KnownTerms } from '../drafts/freeze-terms.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { type LineRow, linesOf } from '../invoice/invoice-line.ts';
import { selectLines } from '../invoice/invoices.sql.ts';
import { lockBilling } from '../usage/billing-lock.sql.ts';
import { deleteUsageTakenOfCorrected } from '../usage/late-usage.sql.ts';
import type { ReadPeriod } from '../usage/late-usage.ts';

/**
 * An invoice is refunded, or stands again: the closed periods that it billed or corrected are read again, and what they
 * come to less is credited at once. Corrections on a refunded invoice count for nothing, and an invoice that did not
 * stand could not be credited. Where something of it is more, or a minimum follows other charges that are corrected,
 * all of it is left to the next invoice.
 * @param refundId the refund that gives corrections back; its void takes them back again
 */
export async function correctAtOnce(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
  refundId?: string,
): Promise<void> {
  const { subscriptionId } = invoice;
  const lines = linesOf(invoice, await selectLines(tx, invoice.id));
  if (subscriptionId === null || !lines.some(isOfUsage)) return;
  await lockBilling(tx, [subscriptionId]);
  await deleteUsageTakenOfCorrected(tx, invoice, 'billed');
  const terms = await dependencies.source.terms(tx, subscriptionId);
  const { found } = await findCorrections(dependencies, tx, { terms }, now);
  const own = found.filter((correction) => lines.some((line) => isOf(correction, line)));
  const minima = own.filter(({ priceId }) => priceId === null);
  const beside = found.filter(({ period }) => minima.some((minimum) => overlap(minimum.period, period)));
  if (beside.some((correction) => !own.includes(correction))) return;
  if (own.some(({ amount }) => amount.lte(0))) return;
  await takeBack(dependencies, tx, { ...terms, refundId }, own, now, (given) => couponsBack(tx, terms, given, now));
}

/** The credit of a price in a closed period; below 0 for more to bill. */
interface FoundCorrection extends TakenBack {
  /** Null: the commitment of the plan. */
  readonly priceId: string | null;
  readonly period: Period;
}

/** Is a correction one of what a line bills? A minimum is one of all that it is asked with. */
function isOf({ priceId, period }: FoundCorrection, { periodStart: start, periodEnd: end, ...line }: LineRow): boolean {
  const isSame = priceId === null ? line.type === 'commitment' || isOfUsage(line) : line.priceId === priceId;
  return isSame && overlap({ start, end }, period);
}

const isOfUsage = ({ type, billableMetricId }: Pick<LineRow, 'type' | 'billableMetricId'>): boolean =>
  billableMetricId !== null || type === 'late_usage';

/** The differences of closed periods in which something changed. */
export async function findCorrections(
  dependencies: InvoicingDependencies,
  tx: Tx,
  known: KnownTerms,
  now: Instant,
): Promise<{ found: FoundCorrection[]; read: readonly ReadPeriod[]; frozen: () => Promise<FrozenTerms> }> {
  const { terms } = known;
  let rates: FrozenTerms | undefined;
  const frozen = async () =>
    (rates ??= await freeze(dependencies, tx, known, { gracePeriodEnd: now, periodStart: now, periodEnd: now }));
  const rateOf = async () => (await frozen()).manualTaxRate;
  const { due, commitments, read } = await loadCorrections(tx, dependencies.source, terms, 'changed', rateOf);
  if (read.length === 0) return { found: [], read, frozen };
  const { taxRates } = await frozen();
  const { currency, taxBehavior } = terms;
  const input = { currency, usage: [], charges: due, commitments, taxBehavior, taxRates: taxRatesOf(taxRates) };
  const corrections = [
    ...correctionsOf(input).map((correction): FoundCorrection => {
      const { charge, late } = correction.due;
      const amount = correction.total.negated();
      const of = { priceId: charge.price.id, period: charge.period, items: late?.items ?? [] };
      const told = correction.told && { ...correction.told, units: correction.told.units.negated() };
      return { ...of, amount, correction: contentOf(correction), told };
    }),
    ...commitmentCorrectionsOf(input).map(
      ({ commitment: { items, period }, total }): FoundCorrection => ({
        ...{ priceId: null, period, items, amount: total.negated(), correction: SAID, told: null },
      }),
    ),
  ];
  return { found: corrections, read, frozen };
}

const contentOf = ({ quantity, charge, discount, coupons, maximum, minimum }: CorrectionDue): Correction => ({
  quantity: plain(quantity),
  charge: plain(charge),
  discount: plain(discount),
  maximum: plain(maximum),
  minimum: plain(minimum),
  ...(Object.keys(coupons).length > 0 && {
    coupons: Object.fromEntries(Object.entries(coupons).map(([id, amount]) => [id, plain(amount)])),
  }),
});
