import type { Tx } from '../../db/index.ts';
import { plain } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { type Instant, latest } from '../../kernel/time.ts';
import { commitmentCorrectionsOf } from '../calculation/commitment-lines.ts';
import { type CorrectionDue, correctionsOf } from '../calculation/due-lines.ts';
import { taxRatesOf } from '../calculation/rate-usage.ts';
import { SAID, takeBack } from '../credits/note-credits.ts';
import type { Correction } from '../difference/billed.ts';
import { loadCorrections } from '../drafts/billing-state.ts';
import { freeze } from '../drafts/freeze-terms.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { insertInvoice, lockInvoicesIn } from '../invoice/invoices.sql.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { saveReadPeriods } from '../usage/late-usage.ts';

/** The step after the last grace, so that it comes after the closing that is due then. */
const A_MOMENT = { seconds: 1 };

/**
 * Bills what closed periods of a subscription that has ended come to more or less than was billed (§4, Late usage):
 * no invoice follows, so one is made for what is more, and what is less is a credit note on the invoice that billed it.
 * The caller has locked the billing of the subscription and its invoices.
 * @returns when to ask again, because an invoice of it is not calculated yet; null: never
 */
export async function billLateUsage(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { merchantId, subscriptionId }: { merchantId: string; subscriptionId: string },
  now: Instant,
): Promise<Instant | null> {
  const open = await lockInvoicesIn(tx, merchantId, subscriptionId, ['ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING']);
  if (open.length > 0)
    return latest(
      now,
      open.map(({ gracePeriodEnd: end }) => end).reduce((a, b) => latest(a, b)),
    ).add(A_MOMENT);
  const terms = await dependencies.source.terms(tx, merchantId, subscriptionId);
  const frozen = await freeze(dependencies, tx, terms, { gracePeriodEnd: now, periodStart: now, periodEnd: now });
  const { due, commitments, read } = await loadCorrections(tx, dependencies.source, terms, 'changed', frozen);
  if (read.length === 0) return null;
  const { currency, taxBehavior } = terms;
  const input = { currency, usage: [], charges: due, commitments, taxBehavior, taxRates: taxRatesOf(frozen.taxRates) };
  const [corrections, committed] = [correctionsOf(input), commitmentCorrectionsOf(input)];
  if ([...corrections, ...committed].some(({ total }) => total.gt(0))) {
    await openSupplementary(tx, terms, now);
    return null;
  }
  await takeBack(
    dependencies,
    tx,
    terms,
    [
      ...corrections.map((correction) => ({
        items: correction.due.late?.items ?? [],
        amount: correction.total.negated(),
        correction: contentOf(correction),
      })),
      ...committed.map(({ commitment: { items }, total }) => ({ items, amount: total.negated(), correction: SAID })),
    ],
    now,
  );
  await saveReadPeriods(tx, read);
  return null;
}

/** An invoice without a period: its calculation finds the late usage. */
const openSupplementary = (tx: Tx, terms: BillingTerms, now: Instant) =>
  insertInvoice(
    tx,
    {
      merchantId: terms.merchantId,
      id: newId('invoice'),
      kind: 'ad_hoc',
      status: 'CALCULATING',
      customerId: terms.customerId,
      subscriptionId: terms.subscriptionId,
      clockId: terms.clockId,
      currency: terms.currency,
      billingCadence: 'P0D',
      billingAnchor: now,
      periodNumber: 0,
      periodStart: now,
      periodEnd: now,
      gracePeriodEnd: now,
      sequenceNumber: 0,
      autoApprove: terms.autoApprove,
      paymentTermDays: terms.paymentTermDays,
      nextActionAt: now,
    },
    now,
  );

const contentOf = ({ quantity, charge, discount, maximum, minimum }: CorrectionDue): Correction => ({
  quantity: plain(quantity),
  charge: plain(charge),
  discount: plain(discount),
  maximum: plain(maximum),
  minimum: plain(minimum),
});
