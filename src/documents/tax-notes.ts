import { countryCode } from '../kernel/country.ts';
import { decimal } from '../kernel/decimal.ts';
import { cleanLine, hasVatNumber, isInEu, numberOf, taxNames, taxWord } from '../look/index.ts';
import type { DocumentLine, InvoiceDocument } from './document.ts';
import { DOCUMENT_WORDS } from './words.ts';

type TaxedLine = Pick<DocumentLine, 'taxRate' | 'untaxed'>;

/** The parts of a document that decide its tax notes. */
export interface Taxed extends Pick<InvoiceDocument, 'locale' | 'seller' | 'buyer' | 'invoiceNotes' | 'untaxedBy'> {
  readonly lines: readonly TaxedLine[];
}

/**
 * Why there is no tax on a line: the buyer owes it, the place of the sale is outside the reach of the seller's tax, the
 * sale is exempt, nothing is supplied yet, it is a debt of an earlier payment, or the seller is not registered for tax.
 */
export type Untaxed = 'reverseCharge' | 'outside' | 'exempt' | 'prepayment' | 'debt' | 'notRegistered';

const MOST_REASON = 1000;

const isTaxed = ({ taxRate }: TaxedLine): boolean => !decimal(taxRate).isZero();
const isSupply = (line: TaxedLine): boolean => line.untaxed !== 'prepayment' && line.untaxed !== 'debt';

/**
 * Does the buyer owe the tax? Where the place of the sale was decided, it says so; else a sale without tax from one
 * member state of the European Union to a business in another one, both with VAT numbers (Article 196 of Directive
 * 2006/112/EC). A seller who taxes one line of it does not sell so.
 */
function isReverseCharge({ seller, buyer, lines, untaxedBy }: Taxed): boolean {
  const supplies = lines.filter(isSupply);
  if (supplies.length === 0 || supplies.some(isTaxed)) return false;
  if (untaxedBy != null) return untaxedBy === 'reverseCharge';
  const isAcross =
    isInEu(seller) && isInEu(buyer) && countryCode(seller.address?.country) !== countryCode(buyer.address?.country);
  return isAcross && hasVatNumber(seller) && hasVatNumber(buyer);
}

/** Are all lines money paid ahead of any supply, for the wallet? */
export const isPaymentOnAccount = ({ lines }: Pick<Taxed, 'lines'>): boolean =>
  lines.length > 0 && lines.every(({ untaxed }) => untaxed === 'prepayment');

/** Why there is no tax on each line of a document; null for a line that is taxed, be it at a rate of 0 %. */
export function untaxedOf(document: Taxed): (line: TaxedLine) => Untaxed | null {
  const { lines, seller, untaxedBy } = document;
  const isReversed = isReverseCharge(document);
  const isUnregistered = numberOf(seller) === null && !lines.some(isTaxed);
  return (line) => {
    if (isTaxed(line)) return null;
    if (line.untaxed === 'prepayment' || line.untaxed === 'debt') return line.untaxed;
    if (untaxedBy === 'outside') return 'outside';
    if (isReversed) return 'reverseCharge';
    if (isUnregistered) return 'notRegistered';
    return line.untaxed === 'exempt' ? 'exempt' : null;
  };
}

/** The sentence for it: the merchant's words, else the common ones. The PDF and the e-invoice say the same. */
export function reasonOf(why: Untaxed, { locale, seller, invoiceNotes }: Taxed): string {
  const words = DOCUMENT_WORDS[locale].untaxed;
  const tax = taxNames(locale, seller).inSentence;
  const said: Record<Untaxed, () => string> = {
    reverseCharge: () => invoiceNotes?.reverseCharge ?? words.reverseCharge,
    outside: () => invoiceNotes?.outside ?? words.outside(tax),
    exempt: () => invoiceNotes?.exempt ?? words.exempt(tax),
    prepayment: () => words.prepayment,
    debt: () => words.debt,
    notRegistered: () => invoiceNotes?.exempt ?? (taxWord(seller) === 'Tax' ? words.noTax : words.notRegistered(tax)),
  };
  return cleanLine(said[why](), MOST_REASON);
}

/** The sentences that the law requires for tax that is not on a document, each once. */
export function taxNotes(document: Taxed): string[] {
  const untaxed = untaxedOf(document);
  const whys = new Set(document.lines.map(untaxed).filter((why) => why !== null));
  return [...new Set([...whys].map((why) => reasonOf(why, document)))];
}
