import type { Tx } from '../../db/index.ts';
import { type MerchantSettings, merchantSettings } from '../../identity/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { contentHash, type InvoiceAtIssue } from './content-hash.ts';
import type { InvoiceRow } from './invoice.ts';
import type { IssuedLine } from './invoice-line.ts';
import { drawNumbers, selectIssuedLines } from './invoices.sql.ts';
import { invoiceNumber } from './numbering.ts';

/** The facts that make a document of an invoice. */
export interface NumberedInvoice {
  readonly invoiceNumber: string;
  readonly contentHash: string;
}

/**
 * Makes a document of each of some invoices of one merchant and one clock, by their ids: draws the next numbers of the
 * merchant's counter in this transaction in the order of the list, and hashes all content of each.
 * @throws for an invoice without fixed parties and dates.
 */
export async function numbersOf(
  tx: Tx,
  { invoicePrefix }: Pick<MerchantSettings, 'invoicePrefix'>,
  invoices: readonly InvoiceRow[],
  lines: ReadonlyMap<string, readonly IssuedLine[]>,
  now: Instant,
): Promise<ReadonlyMap<string, NumberedInvoice>> {
  const [first] = invoices;
  if (!first) return new Map();
  const drawn = await drawNumbers(tx, 'invoice', invoices.length, first.clockId, now);
  return new Map(
    invoices.map((invoice, place) => {
      if (!hasPartiesAndDates(invoice)) throw new Error(`Invoice ${invoice.id} is not issued and gets no number.`);
      const number = invoiceNumber(invoicePrefix, drawn + BigInt(place));
      const hash = contentHash(invoice, number, lines.get(invoice.id) ?? []);
      return [invoice.id, { invoiceNumber: number, contentHash: hash }];
    }),
  );
}

/** The same of one. */
export async function numberOf(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<NumberedInvoice> {
  const lines = await selectIssuedLines(tx, [invoice.id]);
  const settings = await merchantSettings(tx);
  return (await numbersOf(tx, settings, [invoice], lines, now)).get(invoice.id) as NumberedInvoice;
}

const hasPartiesAndDates = (invoice: InvoiceRow): invoice is InvoiceAtIssue =>
  invoice.seller !== null && invoice.buyer !== null && invoice.issuedAt !== null && invoice.dueAt !== null;
