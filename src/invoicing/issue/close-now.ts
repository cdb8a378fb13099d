import type { Tx } from '../../db/index.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { next, statesFor, wrongState } from '../../kernel/state-table.ts';
import { earliest, type Instant, isAfter } from '../../kernel/time.ts';
import { termsOf } from '../drafts/terms-of-invoices.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { updateInvoice } from '../invoice/invoices.sql.ts';
import { invoiceStates } from '../invoice/states.ts';
import { lockWithNow } from './actions.ts';
import { closePeriod } from './close.ts';

/**
 * POST …/closeNow (domain.md §4, row 2): the open period ends now and has no grace; the next invoice runs to the old
 * end. What is charged in advance stands on that one, as it would have stood on this. The parts are priced as one
 * period (`difference/period-difference.ts`).
 * @param wall wall time
 * @returns 404; INVALID_TRANSITION where the period is not open, or began at this very instant: none has no length
 */
export async function closeInvoiceNow(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoiceId: string,
  wall: Instant,
): Promise<Result<InvoiceRow>> {
  const locked = await lockWithNow(tx, invoiceId, wall);
  if (!locked.ok) return locked;
  const { invoice, now } = locked.value;
  const moved = next(invoiceStates, invoice.status, 'closeNow');
  if (!moved.ok) return moved;
  if (!isAfter(now, invoice.periodStart))
    return wrongState(
      {
        thing: 'invoice',
        status: invoice.status,
        trigger: 'closeNow',
        allowedFrom: statesFor(invoiceStates, 'closeNow'),
        done: null,
      },
      {
        why: 'The period of this invoice begins now, so there is nothing to close yet.',
        details: { periodStart: invoice.periodStart.toString() },
      },
    );
  const end = earliest(now, invoice.periodEnd); // a worker may be late
  const cut = await updateInvoice(tx, invoice, { periodEnd: end, gracePeriodEnd: now }, now);
  return ok(await closePeriod(tx, await termsOf(tx, dependencies.source, cut), cut, 'closeNow', now));
}
