import { decimal } from '../kernel/decimal.ts';
import { figuresOf } from '../look/index.ts';
import type { InvoiceDocument } from './document.ts';
import { DOCUMENT_WORDS } from './words.ts';

/** Until when an invoice is to be paid: the same on the PDF and in the e-invoice. */
export const whenToPay = ({ locale, paymentTermDays, dueAt }: InvoiceDocument): string =>
  DOCUMENT_WORDS[locale].terms(paymentTermDays, dueAt === null ? null : figuresOf(locale).day(dueAt));

/** The same where nothing is due. */
export function settledText({ locale, grandTotal }: InvoiceDocument): string {
  const { nothingToPay, paidInFull } = DOCUMENT_WORDS[locale].headline;
  return decimal(grandTotal).isZero() ? nothingToPay : paidInFull;
}
