import { listReply, pageOf, type Route, route } from '../../http/index.ts';
import { notFound, ok } from '../../kernel/result.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { selectCreditNote, selectLinesOfCreditNote } from './credit-note-lines.sql.ts';
import { selectCreditNotes } from './credit-notes.sql.ts';
import { CreditNoteListQuery, CreditNoteListReply, CreditNoteReply, toCreditNoteReply } from './schemas.ts';

const TAG = 'Invoices';
const path = '/v2/invoices/:id/creditNotes';
const VIEWER = { role: 'viewer', merchant: { of: 'id', kind: 'invoice' } } as const;

/** The routes of all credits of an invoice: refunds, cancellation, and credits of a part. */
export const creditNoteRoutes = ({ publicUrl }: InvoicingDependencies): readonly Route[] => [
  route(
    {
      method: 'GET',
      path,
      operationId: 'listInvoiceCreditNotes',
      tag: TAG,
      summary: 'List the credit notes of an invoice',
      description:
        'The newest credit note comes first: refunds, the cancellation, and credits of a part. `lines` are ' +
        'null in this list.',
      access: VIEWER,
      query: CreditNoteListQuery,
      replies: { 200: CreditNoteListReply },
    },
    async ({ tx, merchantId, params, query }) => {
      const page = pageOf(query);
      const { rows, total } = await selectCreditNotes(tx, merchantId, params.id, page);
      return ok(listReply({ data: rows.map((note) => toCreditNoteReply(note, publicUrl)), total }, page));
    },
  ),
  route(
    {
      method: 'GET',
      path: `${path}/:creditNoteId`,
      operationId: 'getInvoiceCreditNote',
      tag: TAG,
      summary: 'Retrieve a credit note',
      description: '`lines` are there for a `credit`. The lines of the other kinds are those of the invoice.',
      access: VIEWER,
      replies: { 200: CreditNoteReply },
    },
    async ({ tx, merchantId, params }) => {
      const { id, creditNoteId } = params as { id: string; creditNoteId: string };
      const note = await selectCreditNote(tx, merchantId, id, creditNoteId);
      if (!note) return notFound('creditNote');
      const lines = note.kind === 'credit' ? await selectLinesOfCreditNote(tx, note) : null;
      return ok(toCreditNoteReply(note, publicUrl, lines));
    },
  ),
];
