import type { Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import { fail, ok, type Result } from '../../kernel/result.ts';
import { statesFor, wrongState } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { checkTakesCards, checkTakesCardsNow, performCharge } from '../../payments/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { updateInvoice } from '../invoice/invoices.sql.ts';
import { invoiceStates } from '../invoice/states.ts';
import { lockWithNow } from '../issue/actions.ts';
import { cardOf, intend, isChargedAutomatically, startCharge } from '../paying/card-charge.ts';
import { followCharge } from './after-charge.ts';

/**
 * POST …/pay: charges what is unpaid to the customer's default card now, whatever the subscription says of charging,
 * and answers with the outcome: a declined card leaves the invoice PAYMENT_FAILED with its reason. The provider's key
 * is the attempt's number, so that what a rollback undid is asked again under the same one.
 * @returns INVALID_TRANSITION where the invoice takes no money, PAYMENT_IN_PROGRESS, NO_PAYMENT_PROVIDER,
 *   NO_PAYMENT_METHOD
 */
export async function payNow(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoiceId: string,
  wall: Instant,
): Promise<Result<InvoiceRow>> {
  const locked = await lockWithNow(tx, invoiceId, wall, dependencies);
  if (!locked.ok) return locked;
  const { invoice, now } = locked.value;
  const { status } = invoice;
  const allowedFrom = statesFor(invoiceStates, 'settle');
  if (!allowedFrom.includes(status))
    return wrongState({ thing: 'invoice', status, trigger: 'pay', allowedFrom, done: 'paid' });
  if (invoice.paymentInFlight) return fail('PAYMENT_IN_PROGRESS');
  const takesCards = await checkTakesCardsNow(tx, await merchantSettings(tx));
  if (!takesCards.ok) return takesCards;
  const card = await cardOf(tx, invoice);
  if (!card) return fail('NO_PAYMENT_METHOD');
  // A provider outside our database is asked after this has committed; the outcome comes as by due work.
  if (card.provider !== 'sandbox') return ok(await startCharge(tx, invoice, 'by_hand', card, now));
  const { id } = await intend(tx, invoice, 'by_hand', card, now);
  return ok(
    await followCharge(dependencies, tx, invoice, await performCharge(tx, { merchantId: tx.merchantId, id }, now), now),
  );
}

/** The time that a retry waits for the outcome of a requested charge. */
const WAIT_FOR_OUTCOME = { hours: 1 };

/**
 * Transition 15, begun: the day of the next retry has come. Where nothing may be charged any more (autoCharge was
 * switched off, the card was forgotten, the merchant takes none), the attempt counts as declined.
 */
export async function retryCharge(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  if (invoice.paymentInFlight) return updateInvoice(tx, invoice, { nextActionAt: now.add(WAIT_FOR_OUTCOME) }, now);
  const mayCharge =
    checkTakesCards(await merchantSettings(tx)).ok && (await isChargedAutomatically(dependencies, tx, invoice));
  const card = mayCharge ? await cardOf(tx, invoice) : undefined;
  return startCharge(tx, invoice, 'automatic', card, now, { nextActionAt: null });
}
