import type { Tx } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { type Instant, latest } from '../../kernel/time.ts';
import { couponsBack, isDiscountOwed } from '../credits/coupons-back.ts';
import { takeBack } from '../credits/note-credits.ts';
import { selectTrueUps } from '../difference/commitments.sql.ts';
import type { KnownTerms } from '../drafts/freeze-terms.ts';
import { withOpenPeriods } from '../drafts/preview.ts';
import { openTrueUps } from '../drafts/true-ups.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { FrozenTrueUp } from '../invoice/frozen-terms.ts';
import { insertInvoice, lockInvoicesIn } from '../invoice/invoices.sql.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { saveReadPeriods } from '../usage/late-usage.ts';
import { findCorrections } from './corrections.ts';
import { giveBackTrueUps } from './give-back-true-ups.ts';

/** The step after the last grace, so that it comes after the closing that is due then. */
const A_MOMENT = { seconds: 1 };

/** After how long what an invoice cannot bear now is tried again. */
const LATER = { hours: 1 };

/**
 * Bills what closed periods of a subscription that has ended come to more or less than was billed (§4, Late usage):
 * no invoice follows, so one is made for what is more, and what is less is a credit note on the invoice that billed it.
 * The invoice also asks what is missing to commitments, and what coupons took whose minimum is not reached any more; it
 * is made for that alone, too. What was asked too much for a commitment goes back as less usage does.
 * The caller has locked the billing of the subscription and its invoices.
 * @returns when to ask again, because an invoice of it is not calculated or cannot be credited yet; null: never
 */
export async function billLateUsage(
  dependencies: InvoicingDependencies,
  tx: Tx,
  known: KnownTerms,
  now: Instant,
): Promise<Instant | null> {
  const { terms } = known;
  const { subscriptionId } = terms;
  const open = await lockInvoicesIn(tx, [subscriptionId], ['ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING']);
  if (open.length > 0)
    return latest(
      now,
      open.map(({ gracePeriodEnd: end }) => end).reduce((a, b) => latest(a, b)),
    ).add(A_MOMENT);
  const { found, read, frozen } = await findCorrections(dependencies, tx, known, now);
  const isMore = found.some(({ amount }) => amount.lt(0));
  if (!isMore && read.length > 0) {
    await takeBack(dependencies, tx, terms, found, now, (given) => couponsBack(tx, terms, given, now));
    await saveReadPeriods(tx, read);
  }
  const openOf = (all: readonly BillingTerms[]) => withOpenPeriods(dependencies, tx, all, now);
  const trueUps =
    terms.isCommitted === true
      ? await openTrueUps(tx, dependencies.source, terms, { frozen: await frozen(), openOf }, now)
      : [];
  const isGivenBack = await giveBackTooMuch(dependencies, tx, terms, trueUps, now);
  const isMissing = trueUps.some(({ asked }) => decimal(asked).gt(0));
  if (isMore || isMissing || (await isDiscountOwed(tx, terms))) await openSupplementary(tx, terms, now);
  return isGivenBack ? null : now.add(LATER);
}

/** Gives back what was asked too much for commitments. @returns false where something of it cannot be credited now */
async function giveBackTooMuch(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { subscriptionId }: BillingTerms,
  trueUps: readonly FrozenTrueUp[],
  now: Instant,
): Promise<boolean> {
  const below = trueUps.filter(({ asked }) => decimal(asked).lt(0));
  const all = below.length === 0 ? [] : await selectTrueUps(tx, subscriptionId);
  let isGivenBack = true;
  for (const { commitmentId, segment, asked } of below) {
    const own = all.filter((each) => each.commitmentId === commitmentId && each.segment === segment);
    if (!(await giveBackTrueUps(dependencies, tx, own, decimal(asked).negated(), now))) isGivenBack = false;
  }
  return isGivenBack;
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
