import { countryCode } from '../kernel/country.ts';
import { decimal } from '../kernel/decimal.ts';
import { hasVatNumber, isInEu, taxNames } from '../look/index.ts';
import type { DocumentLine, InvoiceDocument } from './document.ts';
import { DOCUMENT_WORDS } from './words.ts';

/** The parts of a document that decide its tax notes. */
export type Taxed = Pick<InvoiceDocument, 'locale' | 'seller' | 'buyer' | 'lines' | 'invoiceNotes' | 'untaxedBy'>;

type TaxedLine = Pick<DocumentLine, 'taxRate' | 'untaxed'>;

/** The same where of the lines only their taxes are known. */
export type TaxedByLines = Omit<Taxed, 'lines'> & { readonly lines: readonly TaxedLine[] };

const isSupply = (line: TaxedLine): boolean => line.untaxed !== 'prepayment';

const isUntaxed = (lines: readonly TaxedLine[]): boolean => lines.every(({ taxRate }) => decimal(taxRate).isZero());

/**
 * Does the buyer owe the tax? Where the place of the sale was decided, it says so; else a sale without tax from one
 * member state of the European Union to a business in another one, both with VAT numbers (Article 196 of Directive
 * 2006/112/EC). A seller who taxes one line of it does not sell so.
 */
export function isReverseCharge({
  seller,
  buyer,
  lines,
  untaxedBy,
}: Omit<TaxedByLines, 'locale' | 'invoiceNotes'>): boolean {
  const supplies = lines.filter(isSupply);
  if (supplies.length === 0 || !isUntaxed(supplies)) return false;
  if (untaxedBy != null) return untaxedBy === 'reverseCharge';
  const isAcross =
    isInEu(seller) && isInEu(buyer) && countryCode(seller.address?.country) !== countryCode(buyer.address?.country);
  return isAcross && hasVatNumber(seller) && hasVatNumber(buyer);
}

/**
 * Is the place of the sale outside the reach of the seller's tax? Lines may be taxed all the same, by rates of their
 * own.
 */
export const isOutsideOfReach = ({ lines, untaxedBy }: Pick<TaxedByLines, 'lines' | 'untaxedBy'>): boolean =>
  untaxedBy === 'outside' && lines.some((line) => isSupply(line) && decimal(line.taxRate).isZero());

/** Why there is no tax on a sale outside the reach of the seller's tax. */
export const outsideNote = ({ locale, seller, invoiceNotes }: Omit<Taxed, 'lines'>): string => {
  return invoiceNotes?.outside ?? DOCUMENT_WORDS[locale].outside(taxNames(locale, seller).inSentence);
};

/** Are all lines money paid ahead of any supply, for the wallet? */
export const isPaymentOnAccount = ({ lines }: Pick<InvoiceDocument, 'lines'>): boolean =>
  lines.length > 0 && !lines.some(isSupply);

/** Why there is no tax on lines that are exempt: the merchant's words, else the common ones. */
export const exemptNote = ({ locale, seller, invoiceNotes }: Omit<Taxed, 'lines'>): string => {
  return invoiceNotes?.exempt ?? DOCUMENT_WORDS[locale].exempt(taxNames(locale, seller).inSentence);
};

/** Why there is no tax where the buyer owes it. */
export const reverseChargeNote = ({ locale, invoiceNotes }: Omit<Taxed, 'lines'>): string =>
  invoiceNotes?.reverseCharge ?? DOCUMENT_WORDS[locale].reverseCharge;

/** The sentence that the law requires for tax that is not on a document; null if there is none. */
export function taxNote(document: TaxedByLines): string | null {
  if (isReverseCharge(document)) return reverseChargeNote(document);
  if (isOutsideOfReach(document)) return outsideNote(document);
  return document.lines.some(({ untaxed }) => untaxed === 'exempt') ? exemptNote(document) : null;
}
