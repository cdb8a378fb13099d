import type { Tx } from '../../db/index.ts';
import { newId } from '../../kernel/ids.ts';
import { type Instant, latest } from '../../kernel/time.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { insertInvoice, lockInvoicesIn } from '../invoice/invoices.sql.ts';
import type { BillingSource } from '../terms/billing-terms.ts';
import { findLateUsage, takeLateUsage } from '../usage/late-usage.ts';

/** The step after the last grace, so that it comes after the closing that is due then. */
const A_MOMENT = { seconds: 1 };

/**
 * Bills what came late for a subscription that has ended: no invoice follows, so one is made for it, once (domain.md §4, Late
 * usage). Nothing is made where nothing came.
 * @returns when to ask again, because the grace of its last period is not over yet; null: never
 */
export async function billLateUsage(
  tx: Tx,
  source: BillingSource,
  { merchantId, subscriptionId }: { merchantId: string; subscriptionId: string },
  now: Instant,
): Promise<Instant | null> {
  const open = await lockInvoicesIn(tx, merchantId, subscriptionId, ['ACTIVE', 'CLOSING']);
  if (open.length > 0)
    return latest(
      now,
      open.map(({ grace_period_end: end }) => end).reduce((a, b) => latest(a, b)),
    ).add(A_MOMENT);
  const terms = await source.terms(tx, merchantId, subscriptionId);
  if ((await findLateUsage(tx, source, terms)).length === 0) return null;
  const invoice = await insertInvoice(
    tx,
    {
      merchant_id: merchantId,
      id: newId('invoice'),
      kind: 'ad_hoc',
      status: 'CALCULATING',
      customer_id: terms.customerId,
      subscription_id: subscriptionId,
      clock_id: terms.clockId,
      currency: terms.currency,
      billing_cadence: 'P0D',
      billing_anchor: now,
      period_number: 0,
      period_start: now,
      period_end: now,
      grace_period_end: now,
      sequence_number: 0,
      auto_approve: terms.autoApprove,
      payment_term_days: terms.paymentTermDays,
      next_action_at: now,
    },
    now,
  );
  await takeLateUsage(tx, source, terms, invoice as InvoiceRow);
  return null;
}
