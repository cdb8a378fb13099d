import { type Route, routesOf } from '../../http/index.ts';
import { notFound, ok } from '../../kernel/result.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { selectCreditNote, selectLinesOfCreditNote, selectLinesOfCreditNotes } from './credit-note-lines.sql.ts';
import { selectCreditNotes } from './credit-notes.sql.ts';
import { CreditNoteReply, toCreditNoteReply } from './schemas.ts';

const api = routesOf('Invoices');
const path = '/v2/invoices/:id/creditNotes';
const VIEWER = { role: 'viewer', merchant: { of: 'id', kind: 'invoice' } } as const;

/** The routes of all credits of an invoice: refunds, cancellation, and credits of a part. */
export const creditNoteRoutes = ({ publicUrl }: InvoicingDependencies): readonly Route[] => [
  api.list(path, 'listInvoiceCreditNotes', {
    summary: 'List the credit notes of an invoice',
    description: 'The newest credit note comes first: refunds, the cancellation, and credits of a part.',
    access: VIEWER,
    of: CreditNoteReply,
    list: async ({ tx, params, page }) => {
      const { rows, total } = await selectCreditNotes(tx, params.id, page);
      const lines = await selectLinesOfCreditNotes(tx, rows);
      return { data: rows.map((note) => toCreditNoteReply(note, publicUrl, lines.get(note.id))), total };
    },
  }),
  api.get(`${path}/:creditNoteId`, 'getInvoiceCreditNote', {
    summary: 'Retrieve a credit note',
    description:
      '`lines` are there for a `credit` and a `partial`. The lines of the other kinds are those of the invoice.',
    access: VIEWER,
    replies: { 200: CreditNoteReply },
    handler: async ({ tx, params }) => {
      const { id, creditNoteId } = params as { id: string; creditNoteId: string };
      const note = await selectCreditNote(tx, id, creditNoteId);
      if (!note) return notFound('creditNote');
      return ok(toCreditNoteReply(note, publicUrl, await selectLinesOfCreditNote(tx, note)));
    },
  }),
];
