import type { Tx } from '../../db/index.ts';
import { fingerprint } from '../../http/index.ts';
import { type Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { insertCreditNoteLines, selectLinesOfCreditNote } from '../credit-notes/credit-note-lines.sql.ts';
import { insertPartCreditNote, selectPartNotes } from '../credit-notes/credit-notes.sql.ts';
import { insertUnusedCreditsAgain } from '../credit-notes/unused-credits.sql.ts';
import { notedBy } from '../credits/note-credits.ts';
import { partAgain } from '../credits/part-of-line.ts';
import { grossOf, less } from '../difference/billed.ts';
import type { CreditNoteLine, CreditNoteLineRow, CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectLines } from '../invoice/invoices.sql.ts';
import { publishInvoice } from '../invoice/webhooks.ts';
import { bookPart } from '../paying/bookings.ts';
import { billsOf, insertParts } from './credit-part.ts';

/** A credit note of a replaced invoice, and its parts of the new one. */
interface NoteAgain {
  readonly note: CreditNoteRow;
  readonly parts: CreditNoteLine[];
}

/** The credit notes over parts of a replaced invoice that the new one gets, and what they come to. */
export interface NotesAgain {
  readonly notes: readonly NoteAgain[];
  readonly total: Decimal;
  /** The lines are the same, and so are the reductions: they are written already. */
  readonly isCopied: boolean;
}

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

/**
 * The credit notes over parts of a replaced invoice, over the same lines of the new one (docs/decisions/0280). The
 * credits of its lines are written with them.
 */
export async function copyNotes(
  tx: Tx,
  replaced: InvoiceRow,
  lines: readonly LineRow[],
  draft: InvoiceRow,
): Promise<NotesAgain> {
  const earlier = await selectPartNotes(tx, replaced.id);
  const credits = await insertUnusedCreditsAgain(tx, replaced.id, draft.id);
  const own = earlier.length === 0 ? [] : await selectLines(tx, draft.id);
  const notes: NoteAgain[] = [];
  for (const note of earlier)
    notes.push({
      note,
      parts: (await selectLinesOfCreditNote(tx, note)).map(({ id, appliesToLineId, creditId = null, ...part }) => ({
        ...part,
        appliesTo: lineInPlaceOf(appliesToLineId, lines, own)?.id ?? null,
        creditId: creditId === null ? null : (credits.get(creditId) ?? null),
      })),
    });
  return { notes, total: sum(earlier.map(({ total }) => total)), isCopied: true };
}

/** The lines of a credit note of a person: each charge, with what billing credits had back of it. */
function byCharge(lines: readonly CreditNoteLineRow[]): [CreditNoteLineRow, ...CreditNoteLineRow[]][] {
  const charges: [CreditNoteLineRow, ...CreditNoteLineRow[]][] = [];
  for (const line of lines)
    if (line.amount.lt(0)) charges.at(-1)?.push(line);
    else charges.push([line]);
  return charges;
}

/**
 * The credit notes of people on a replaced invoice, over the lines of the new one, which is rated anew: what they
 * discounted stays discounted, where its line is still there.
 */
export async function planNotes(
  tx: Tx,
  replaced: InvoiceRow,
  lines: readonly LineRow[],
  draft: InvoiceRow,
): Promise<NotesAgain> {
  const own = await selectLines(tx, draft.id);
  const bills = await billsOf(tx, draft, own);
  const noted: CreditNoteLineRow[] = [];
  const behavior = draft.terms?.taxBehavior ?? 'exclusive';
  let room = draft.grandTotal;
  const leftOf = (line: LineRow) => {
    const left = bills.leftOf(line);
    const together = own.filter(({ id, appliesToLineId }) => id === line.id || appliesToLineId === line.id);
    const before = noted.filter(({ appliesToLineId }) => together.some(({ id }) => id === appliesToLineId));
    return left && less(left, notedBy(before));
  };
  const of = { ...bills, lines: own, noted, leftOf, behavior, currency: draft.currency };
  const notes: NoteAgain[] = [];
  for (const note of await selectPartNotes(tx, replaced.id)) {
    const parts: CreditNoteLine[] = [];
    for (const earlier of byCharge(await selectLinesOfCreditNote(tx, note))) {
      const line = lineInPlaceOf(earlier[0].appliesToLineId, lines, own);
      const again = line ? partAgain(of, line, earlier, room) : [];
      parts.push(...again);
      noted.push(...again.map((part) => ({ ...part, id: earlier[0].id, appliesToLineId: part.appliesTo as string })));
      room = room.minus(grossOf(notedBy(again)));
    }
    if (parts.length > 0) notes.push({ note, parts });
  }
  return { notes, total: draft.grandTotal.minus(room), isCopied: false };
}

/** Writes them on the issued invoice, off what was unpaid of it before its issue. */
export async function writeNotes(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  { notes, isCopied }: NotesAgain,
  now: Instant,
): Promise<void> {
  if (notes.length === 0) return;
  const lines = await selectLines(tx, invoice.id);
  const bills = await billsOf(tx, invoice, lines);
  const left = { returned: ZERO, disputed: ZERO, outside: ZERO };
  for (const { note: earlier, parts } of notes) {
    const isOfPerson = earlier.kind === 'partial';
    const note = await insertPartCreditNote(
      tx,
      invoice,
      { amount: sum(parts.map(({ amount }) => amount)), tax: sum(parts.map(({ taxAmount }) => taxAmount)) },
      {
        ...{ reason: earlier.reason, refundId: null },
        ...(isOfPerson && {
          ...{ settlement: 'reduce', idempotencyKey: earlier.id },
          idempotencyPrint: fingerprint(`credit note of ${invoice.id}`, { again: earlier.id }),
        }),
      },
      now,
      isOfPerson ? 'partial' : 'credit',
    );
    if (isCopied) await insertCreditNoteLines(tx, note, parts);
    else await insertParts(tx, invoice, note, { lines, bills, parts }, now);
    orThrow(await bookPart(tx, invoice, note, { off: note.total, offAgain: ZERO, left }, now));
    if (isOfPerson) await publishInvoice(tx, invoice, 'invoice.credited.v0', now, { creditNoteId: note.id });
    const fact = { kind: 'credited', note, off: note.total, intoWallet: ZERO } as const;
    if (!note.total.isZero()) await dependencies.mails.notify(tx, invoice, { ...fact, returned: ZERO }, now);
  }
}
