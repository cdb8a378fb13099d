import type { Tx } from '../../db/index.ts';
import { fail, notFound, ok, type Result } from '../../kernel/result.ts';
import { wrongState } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { isDisputed, requestReturn, stopReturn } from '../../payments/index.ts';
import {
  insertCreditNote,
  lockCreditNote,
  markCreditNoteVoided,
  selectUnvoidedCreditNote,
} from '../credit-notes/credit-notes.sql.ts';
import { isCredited } from '../credit-notes/unused-credits.sql.ts';
import { returnCredits, voidReturnedCredits } from '../credits/return-credits.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { bySubscription, type InvoiceRow } from '../invoice/invoice.ts';
import { announce, announceUndone } from '../invoice/purposes.ts';
import { publishInvoice } from '../invoice/webhooks.ts';
import { recordVoid } from '../outside-tax/records.ts';
import { bookNoteVoided, bookRefund } from '../paying/bookings.ts';
import { oweUsedElsewhere } from '../paying/debts-of-credits.ts';
import { lockWithNow } from './actions.ts';
import { correctAtOnce } from './corrections.ts';
import { lockCreditsFor, standAgain } from './stand-again.ts';

/** §3: a refund is of a paid invoice, in full, once; after a void a new one may be made (domain.md §4). */
export function decideRefund(invoice: Pick<InvoiceRow, 'status'>, inForce: unknown): Result<void> {
  if (invoice.status !== 'PAID') return fail('INVOICE_NOT_PAID', { status: invoice.status });
  return inForce === undefined ? ok(undefined) : fail('INVOICE_ALREADY_REFUNDED');
}

/**
 * Refunds an invoice: a child credit note over subtotal and tax. The money goes back as it came: into the wallet at
 * once, else by due work. What credits had paid of it goes into the wallet, too.
 * @returns WALLET_SPENT where the invoice filled the wallet and not all of it is there any more, or what else it made
 *   is used
 */
export async function refundInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoiceId: string,
  reason: string | null,
  wall: Instant,
): Promise<Result<CreditNoteRow>> {
  const locked = await lockWithNow(tx, invoiceId, wall, dependencies);
  if (!locked.ok) return locked;
  const { invoice, now } = locked.value;
  const isCreditedInPart = await isCredited(tx, invoice); // what of it was given back does not go back again
  const decided = decideRefund(invoice, isCreditedInPart ? 'in part' : await selectUnvoidedCreditNote(tx, invoice));
  if (!decided.ok) return decided;
  if (await isDisputed(tx, invoiceId)) return fail('PAYMENT_DISPUTED');
  const undone = await announceUndone(dependencies, tx, invoice, 'givenBack', now);
  if (!undone.ok) return undone;
  const note = await insertCreditNote(tx, invoice, 'refund', reason, now);
  const returned = await requestReturn(tx, { merchantId: tx.merchantId, invoiceId, refundId: note.id }, now);
  await publishInvoice(tx, invoice, 'invoice.refunded.v0', now, { refundId: note.id });
  const booked = await bookRefund(tx, invoice, note, returned, now);
  if (!booked.ok) return booked;
  await returnCredits(dependencies, tx, invoice, now, note.id);
  for (const own of bySubscription(invoice)) await correctAtOnce(dependencies, tx, own, now, note.id);
  await dependencies.mails.notify(tx, invoice, { kind: 'refunded', note, intoWallet: booked.value }, now);
  return ok(note);
}

interface RefundKey {
  readonly merchantId: string;
  readonly invoiceId: string;
  readonly refundId: string;
}

/**
 * Voids a refund: final, once. Money that has not left yet stays, and the invoice bears its credits again. It stands
 * again, so what of it was not used since its subscription ended or changed is given back. What billing credits had
 * paid of it and do not have any more is owed.
 */
export async function voidRefund(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { merchantId, invoiceId, refundId }: RefundKey,
  reason: string | null,
  wall: Instant,
): Promise<Result<CreditNoteRow>> {
  const locked = await lockWithNow(tx, invoiceId, wall, dependencies);
  if (!locked.ok) return locked;
  const { invoice, now } = locked.value;
  const note = await lockCreditNote(tx, invoice, refundId, 'refund');
  if (!note) return notFound('refund');
  if (note.status === 'VOIDED')
    return wrongState({ thing: 'refund', status: 'VOIDED', trigger: 'void', allowedFrom: ['ISSUED'], done: 'voided' });
  const creditIds = await lockCreditsFor(tx, invoice);
  const voided = await markCreditNoteVoided(tx, note, reason, now);
  await recordVoid(tx, invoice, note, now);
  const { stopped, left } = await stopReturn(tx, { merchantId, refundId });
  await publishInvoice(tx, invoice, 'invoice.refund_voided.v0', now, { refundId: note.id });
  await bookNoteVoided(tx, invoice, note, stopped, now);
  await voidReturnedCredits(tx, note, reason, now);
  await dependencies.mails.notify(tx, invoice, { kind: 'refundVoided', note, stopped, left }, now);
  await standAgain(dependencies, tx, invoice, now);
  await announce(dependencies, tx, invoice, 'standsAgain', now);
  await oweUsedElsewhere(tx, invoice, { noteId: note.id, creditIds }, now);
  return ok(voided);
}
