import type { Tx } from '../../db/index.ts';
import { fingerprint } from '../../http/index.ts';
import { sum, ZERO } from '../../kernel/decimal.ts';
import { orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { selectLinesOfCreditNote } from '../credit-notes/credit-note-lines.sql.ts';
import { insertPartCreditNote, selectPartNotes } from '../credit-notes/credit-notes.sql.ts';
import { partAgain } from '../credits/part-of-line.ts';
import type { CreditNoteLine, CreditNoteLineRow, CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectLines } from '../invoice/invoices.sql.ts';
import { publishInvoice } from '../invoice/webhooks.ts';
import { bookPart } from '../paying/bookings.ts';
import { billsOf, insertParts } from './credit-part.ts';

/** What makes a line the same on another calculation of its invoice; of several alike the order does, too. */
const placeOf = (line: LineRow): string =>
  JSON.stringify([
    ...[line.type, line.priceId, line.sourceKey, line.groupValues, line.priceId === null && line.displayName],
    ...[line.workings?.trueUp, line.periodStart.toString(), line.periodEnd.toString()],
  ]);

/** The line of a new invoice that has the place of a line of the replaced one. */
function lineInPlaceOf(id: string | null, replaced: readonly LineRow[], lines: readonly LineRow[]) {
  const line = replaced.find((each) => each.id === id);
  if (!line) return undefined;
  const alike = (each: LineRow) => placeOf(each) === placeOf(line);
  return lines.filter(alike)[replaced.filter(alike).indexOf(line)];
}

/** A credit note of a replaced invoice, and its parts of the new one. */
type NoteAgain = Awaited<ReturnType<typeof planNotesAgain>>['notes'][number];

/**
 * The credit notes of people on a replaced invoice, over the lines of the new one (docs/decisions/0280): what they
 * discounted stays discounted, where its line is still there.
 */
export async function planNotesAgain(tx: Tx, replaced: InvoiceRow, lines: readonly LineRow[], draft: InvoiceRow) {
  const notes = await selectPartNotes(tx, replaced.id);
  if (notes.length === 0) return { notes: [], total: ZERO };
  const own = await selectLines(tx, draft.id);
  const bills = await billsOf(tx, draft, own);
  const noted: CreditNoteLineRow[] = [];
  const behavior = draft.terms?.taxBehavior ?? 'exclusive';
  let room = draft.grandTotal;
  const again: { readonly note: CreditNoteRow; readonly parts: CreditNoteLine[] }[] = [];
  for (const note of notes) {
    const parts: CreditNoteLine[] = [];
    for (const earlier of await selectLinesOfCreditNote(tx, note)) {
      const line = lineInPlaceOf(earlier.appliesToLineId, lines, own);
      if (!line) continue;
      const leftOf = (of: LineRow) => {
        const left = bills.leftOf(of);
        const before = noted.filter(({ appliesToLineId }) => appliesToLineId === of.id);
        return (
          left && {
            net: left.net.minus(sum(before.map(({ amount }) => amount))),
            tax: left.tax.minus(sum(before.map(({ taxAmount }) => taxAmount))),
          }
        );
      };
      const part = partAgain({ lines: own, noted, leftOf, behavior, currency: draft.currency }, line, earlier, room);
      if (!part) continue;
      parts.push(part);
      noted.push({ ...part, id: earlier.id, appliesToLineId: line.id });
      room = room.minus(part.amount).minus(part.taxAmount);
    }
    if (parts.length > 0) again.push({ note, parts });
  }
  return { notes: again, total: draft.grandTotal.minus(room) };
}

/** Writes them on the issued invoice, off what was unpaid of it before its issue. */
export async function writeNotesAgain(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  notes: readonly NoteAgain[],
  now: Instant,
): Promise<void> {
  if (notes.length === 0) return;
  const lines = await selectLines(tx, invoice.id);
  const bills = await billsOf(tx, invoice, lines);
  const left = { returned: ZERO, disputed: ZERO, outside: ZERO };
  for (const { note: earlier, parts } of notes) {
    const sums = { amount: sum(parts.map(({ amount }) => amount)), tax: sum(parts.map(({ taxAmount }) => taxAmount)) };
    const note = await insertPartCreditNote(
      tx,
      invoice,
      sums,
      {
        ...{ reason: earlier.reason, refundId: null, settlement: 'reduce', idempotencyKey: earlier.id },
        idempotencyPrint: fingerprint(`credit note of ${invoice.id}`, { again: earlier.id }),
      },
      now,
      'partial',
    );
    await insertParts(tx, invoice, note, { lines, bills, parts }, now);
    orThrow(await bookPart(tx, invoice, note, { off: note.total, offAgain: ZERO, left }, now));
    await publishInvoice(tx, invoice, 'invoice.credited.v0', now, { creditNoteId: note.id });
    const fact = { kind: 'credited', note, off: note.total, intoWallet: ZERO } as const;
    await dependencies.mails.notify(tx, invoice, { ...fact, returned: ZERO }, now);
  }
}
