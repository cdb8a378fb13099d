import { type Decimal, decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { cleanLine } from '../../look/index.ts';
import type { DocumentLine, InvoiceDocument } from '../document.ts';
import {
  exemptNote,
  isOutsideOfReach,
  isReverseCharge,
  outsideNote,
  reverseChargeNote,
  type Taxed,
} from '../tax-notes.ts';
import { DOCUMENT_WORDS } from '../words.ts';

const MOST_REASON = 1000;

/**
 * UNCL 5305 as EN 16931 uses it: S is taxed, Z is taxed at 0 %, E is exempt, AE is taxed with the buyer (reverse
 * charge), O is an invoice without tax on any line, of a seller who is not registered for tax or for a sale outside its
 * reach.
 */
export type TaxCategory = 'S' | 'Z' | 'E' | 'AE' | 'O';

/** The tax of a category and rate on the whole invoice (BG-23). */
export interface TaxGroup {
  readonly category: TaxCategory;
  /** Percent. */
  readonly rate: Decimal;
  readonly base: Decimal;
  readonly tax: Decimal;
  /** Why there is no tax, for the categories that have to say so. */
  readonly reason: string | null;
}

const isTaxed = (line: DocumentLine): boolean => !decimal(line.taxRate).isZero();

/**
 * Is it in no way subject to tax: has the seller no tax id and needs none, or is the sale outside the reach of its tax?
 */
export const isOutsideOfTax = (document: Pick<InvoiceDocument, 'seller' | 'lines' | 'untaxedBy'>): boolean =>
  !document.lines.some(isTaxed) && ((document.seller.taxId ?? '').trim() === '' || isOutsideOfReach(document));

/** The category of each line of a document. A rate of 0 is Z, unless something says that there is no tax at all. */
export function categoriesOf(document: Taxed): (line: DocumentLine) => TaxCategory {
  const isOutside = isOutsideOfTax(document);
  const isReversed = isReverseCharge(document);
  return (line) => {
    if (isOutside) return 'O';
    if (isTaxed(line)) return 'S';
    if (isReversed && line.untaxed !== 'prepayment') return 'AE';
    // BR-O-11: an invoice with O has nothing else. Beside taxed lines, a line outside the scope of tax is an exempt
    // one.
    return line.untaxed == null && !isOutsideOfReach(document) ? 'Z' : 'E';
  };
}

/**
 * The breakdown of tax: one group for each category and rate that a line has (BR-S-8, BR-Z-8, BR-E-8, BR-AE-8, BR-O-8).
 * The bases are sums of lines; the tax of a rate is the invoice's, which was rounded once (domain.md §4).
 */
export function taxGroups(document: Taxed & Pick<InvoiceDocument, 'taxes'>): TaxGroup[] {
  const categoryOf = categoriesOf(document);
  const ofGroups = Map.groupBy(document.lines, (line) => `${categoryOf(line)} ${plain(decimal(line.taxRate))}`);
  return [...ofGroups.values()].map((lines) => {
    const [first] = lines as [DocumentLine];
    const rate = decimal(first.taxRate);
    const category = categoryOf(first);
    return {
      category,
      rate,
      base: sum(lines.map(({ amount }) => decimal(amount))),
      tax: sum(document.taxes.filter((tax) => decimal(tax.rate).eq(rate)).map((tax) => decimal(tax.amount))),
      reason: reasonOf(document, category, lines),
    };
  });
}

function reasonOf(document: Taxed, category: TaxCategory, lines: readonly DocumentLine[]): string | null {
  const { prepayment, notRegistered } = DOCUMENT_WORDS[document.locale].eInvoice;
  if (category === 'O')
    return isOutsideOfReach(document) ? cleanLine(outsideNote(document), MOST_REASON) : notRegistered;
  if (category === 'AE') return cleanLine(reverseChargeNote(document), MOST_REASON);
  if (category !== 'E') return null;
  const why = isOutsideOfReach(document) ? outsideNote(document) : exemptNote(document);
  const exempt = cleanLine(why, MOST_REASON);
  return [...new Set(lines.map(({ untaxed }) => (untaxed === 'prepayment' ? prepayment : exempt)))].join('; ');
}

/** The whole tax: the groups' (BR-CO-14). */
export const taxOf = (groups: readonly TaxGroup[]): Decimal => groups.reduce((all, { tax }) => all.plus(tax), ZERO);
