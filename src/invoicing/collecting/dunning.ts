import type { MerchantSettings } from '../../identity/index.ts';
import { HOURS_PER_DAY, type Instant } from '../../kernel/time.ts';
import type { ChargeOrigin } from '../../payments/index.ts';
import type { AfterDecline } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/**
 * The consequences of a declined charge (domain.md §4, rows 13, 15 and 16). For invoices with automatic charges,
 * retries come after 2, 5, 7 and 7 days unless the merchant sets others, each counted from the attempt before it. A
 * charge by request starts this if it is the first one, and otherwise takes no part in it; nor does the charge of a new
 * subscription, whose session asks.
 */
export function decideAfterDecline(
  { status, failedAttempts: before }: Pick<InvoiceRow, 'status' | 'failedAttempts'>,
  {
    origin,
    isAutomatic,
    isOurFault = false,
  }: {
    readonly origin: ChargeOrigin;
    readonly isAutomatic: boolean;
    /** The customer had no part in it, so no retry is spent: no account worked, or we sent the money back ourselves. */
    readonly isOurFault?: boolean;
  },
  dunning: MerchantSettings['dunning'],
  now: Instant,
): AfterDecline {
  if (origin === 'at_once' || status === 'WRITTEN_OFF' || (status === 'PAYMENT_FAILED' && origin === 'by_hand'))
    return { kind: 'stands' };
  if (origin === 'by_hand' && !isAutomatic) return { kind: 'fails', retryAt: null, failedAttempts: before };
  if (isOurFault) return { kind: 'fails', retryAt: now.add({ hours: HOURS_PER_DAY }), failedAttempts: before };
  const failedAttempts = before + 1;
  const days = dunning.retryAfterDays[before];
  return days === undefined
    ? { kind: 'ends', by: dunning.finally, failedAttempts }
    : { kind: 'fails', retryAt: now.add({ hours: days * HOURS_PER_DAY }), failedAttempts };
}
