import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { lockIngest, settleUsage, usageMark, usageSnapshot } from '../../metering/index.ts';
import { moved } from '../invoice/changed-invoice.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import {
  changeInvoice,
  insertPeriods,
  moveInvoice,
  saveBilledUsage,
  selectEarlierParts,
  updateInvoices,
} from '../invoice/invoices.sql.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { lockBilling } from '../usage/billing-lock.sql.ts';
import { saveTaken } from '../usage/burnt-taken.sql.ts';
import { saveUsageTaken } from '../usage/late-usage.sql.ts';
import { subjectsOf } from '../usage/late-usage.ts';
import { readUsage } from '../usage/read-usage.ts';
import { takeManualLines } from './manual-lines.sql.ts';
import { waitingFor } from './manual-lines.ts';
import { nextInvoice } from './open.ts';

/** Transition 2 of one invoice; see `closePeriods`. */
export async function closePeriod(
  tx: Tx,
  source: BillingSource,
  invoice: InvoiceRow,
  trigger: 'endPeriod' | 'terminate' | 'closeNow',
  now: Instant,
): Promise<InvoiceRow> {
  const [closing] = await closePeriods(tx, source, [invoice], trigger, now);
  return closing as InvoiceRow;
}

/**
 * Transition 2, of some invoices of one merchant: the periods are over. The next ones open in the same transaction, unless
 * their subscriptions ended.
 */
export async function closePeriods(
  tx: Tx,
  source: BillingSource,
  invoices: readonly InvoiceRow[],
  trigger: 'endPeriod' | 'terminate' | 'closeNow',
  now: Instant,
): Promise<InvoiceRow[]> {
  const terms = await termsOfInvoices(tx, source, invoices);
  const moves = invoices.map((invoice) => moved(invoice, trigger, { next_action_at: invoice.grace_period_end }, now));
  await updateInvoices(tx, moves);
  const next = invoices.flatMap((invoice) => nextInvoice(terms(invoice), invoice) ?? []);
  await insertPeriods(tx, next, now);
  return moves.map(({ after }) => after);
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

/** The same of some invoices of one merchant. */
export async function termsOfInvoices(
  tx: Tx,
  source: BillingSource,
  invoices: readonly InvoiceRow[],
): Promise<(invoice: InvoiceRow) => BillingTerms> {
  const ids = invoices.flatMap(({ subscription_id: id }) => id ?? []);
  const [first] = invoices;
  const terms = first ? await source.termsOf(tx, first.merchant_id, ids) : new Map<string, BillingTerms>();
  return ({ id, subscription_id: subscriptionId }) => {
    const found = subscriptionId === null ? undefined : terms.get(subscriptionId);
    if (!found) throw new Error(`Invoice ${id} is of no subscription.`);
    return found;
  };
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
