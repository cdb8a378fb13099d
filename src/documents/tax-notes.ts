import { countryCode } from '../kernel/country.ts';
import { decimal } from '../kernel/decimal.ts';
import type { DocumentLine, InvoiceDocument } from './document.ts';
import { hasVatNumber, isInEu, taxWord } from './tax-words.ts';

type Taxed = Pick<InvoiceDocument, 'seller' | 'buyer' | 'lines' | 'invoiceNotes'>;

const isSupply = (line: DocumentLine): boolean => line.untaxed !== 'prepayment';

/**
 * Does the buyer owe the tax? A sale without tax from one member state of the European Union to a business in another
 * one, both with VAT numbers (Article 196 of Directive 2006/112/EC). A seller who taxes one line of it does not sell
 * so.
 */
export function isReverseCharge({ seller, buyer, lines }: Taxed): boolean {
  const isAcross =
    isInEu(seller) && isInEu(buyer) && countryCode(seller.address?.country) !== countryCode(buyer.address?.country);
  if (!isAcross || !hasVatNumber(seller) || !hasVatNumber(buyer)) return false;
  const supplies = lines.filter(isSupply);
  return supplies.length > 0 && supplies.every(({ taxRate }) => decimal(taxRate).isZero());
}

/** Are all lines money paid ahead of any supply, for the wallet? */
export const isPaymentOnAccount = ({ lines }: Pick<InvoiceDocument, 'lines'>): boolean =>
  lines.length > 0 && !lines.some(isSupply);

/** Why there is no tax on lines that are exempt: the merchant's words, else the common ones. */
export const exemptNote = ({ seller, invoiceNotes }: Taxed): string => {
  const word = taxWord(seller);
  return invoiceNotes?.exempt ?? `Exempt from ${word === 'Tax' ? 'tax' : word}`;
};

/** Why there is no tax where the buyer owes it. */
export const reverseChargeNote = ({ invoiceNotes }: Taxed): string =>
  invoiceNotes?.reverseCharge ??
  'Reverse charge: the recipient accounts for the VAT (Article 196 of Directive 2006/112/EC)';

/** What the law wants a document to say of tax that is not on it; null where there is nothing to say. */
export function taxNote(document: Taxed): string | null {
  if (isReverseCharge(document)) return reverseChargeNote(document);
  return document.lines.some(({ untaxed }) => untaxed === 'exempt') ? exemptNote(document) : null;
}
