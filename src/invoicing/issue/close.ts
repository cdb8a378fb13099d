import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { lockIngest, settleUsage, usageMark, usageSnapshot } from '../../metering/index.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { changeInvoice, moveInvoice, saveBilledUsage, selectEarlierParts } from '../invoice/invoices.sql.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { lockBilling } from '../usage/billing-lock.sql.ts';
import { saveTaken } from '../usage/burnt-taken.sql.ts';
import { saveUsageTaken } from '../usage/late-usage.sql.ts';
import { subjectsOf } from '../usage/late-usage.ts';
import { readUsage } from '../usage/read-usage.ts';
import { takeManualLines } from './manual-lines.sql.ts';
import { waitingFor } from './manual-lines.ts';
import { openNextInvoice } from './open.ts';

/** Transition 2: the period is over; the next one opens in the same transaction, unless the subscription ended. */
export async function closePeriod(
  tx: Tx,
  source: BillingSource,
  invoice: InvoiceRow,
  trigger: 'endPeriod' | 'terminate' | 'closeNow',
  now: Instant,
): Promise<InvoiceRow> {
  const terms = await termsOf(tx, source, invoice);
  const closing = await moveInvoice(tx, invoice, trigger, { next_action_at: invoice.grace_period_end }, now);
  await openNextInvoice(tx, terms, invoice, now);
  return closing;
}

/** How long a part of a period waits for the part before it, whose lines it goes on from. */
const A_WHILE = { minutes: 1 };

/**
 * Transition 3: the grace is over, and the quantities are read and stored. No event can slip in between: intake holds the
 * merchant's ingest lock shared, and this takes it exclusively, so what is accepted later is late usage.
 */
export async function closeUsage(
  tx: Tx,
  source: BillingSource,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const terms = await termsOf(tx, source, invoice);
  if ((await selectEarlierParts(tx, invoice)).length > 0)
    return changeInvoice(tx, invoice, { next_action_at: now.add(A_WHILE) }, now);
  await lockBilling(tx, terms.merchantId, [terms.subscriptionId]);
  await takeManualLines(tx, invoice, waitingFor(terms, invoice), now);
  await lockIngest(tx, invoice.merchant_id, 'exclusive');
  const read = await readUsage(tx, source, terms, invoice);
  await saveBilledUsage(tx, invoice, read);
  await saveTaken(tx, invoice, read);
  const mark = await usageMark(tx, invoice.merchant_id);
  await saveUsageTaken(tx, invoice.merchant_id, invoice.id, await usageSnapshot(tx, invoice.merchant_id));
  // Under the lock nobody is accepting events, so whoever does from now on sees the mark and notes what is late.
  await settleUsage(
    tx,
    { merchantId: invoice.merchant_id, subjects: subjectsOf(terms), until: invoice.period_end },
    now,
  );
  return moveInvoice(tx, invoice, 'endGrace', { usage_mark: mark, next_action_at: now }, now);
}

/** The terms of an invoice's subscription. @throws for an invoice that has none: only invoices of periods come here. */
export async function termsOf(tx: Tx, source: BillingSource, invoice: InvoiceRow): Promise<BillingTerms> {
  if (invoice.subscription_id === null) throw new Error(`Invoice ${invoice.id} is of no subscription.`);
  return source.terms(tx, invoice.merchant_id, invoice.subscription_id);
}

/** Moves the end of a period whose usage is not read yet, and with it its grace and its due time. */
export const cutPeriod = (
  tx: Tx,
  invoice: InvoiceRow,
  end: Instant,
  gracePeriodEnd: Instant,
  now: Instant,
): Promise<InvoiceRow> =>
  changeInvoice(
    tx,
    invoice,
    {
      period_end: end,
      grace_period_end: gracePeriodEnd,
      next_action_at: invoice.status === 'CLOSING' ? gracePeriodEnd : end,
    },
    now,
  );
