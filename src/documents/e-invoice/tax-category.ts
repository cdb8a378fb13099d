import { type Decimal, decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import type { DocumentLine, InvoiceDocument } from '../document.ts';
import { reasonOf, type Taxed, type Untaxed, untaxedOf } from '../tax-notes.ts';

/**
 * UNCL 5305 as EN 16931 uses it: S is taxed, Z is taxed at 0 %, E is exempt, AE is taxed with the buyer (reverse
 * charge), O is an invoice without tax on any line: of a seller who is not registered for tax, of a sale outside its
 * reach, or of money alone.
 */
export type TaxCategory = 'S' | 'Z' | 'E' | 'AE' | 'O';

/** The tax of a category and rate on the whole invoice (BG-23). */
export interface TaxGroup {
  readonly category: TaxCategory;
  /** Percent. */
  readonly rate: Decimal;
  readonly base: Decimal;
  readonly tax: Decimal;
  /** Why there is no tax, for the categories that have to say so (BT-120), and its code (BT-121). */
  readonly reason: string | null;
  readonly reasonCode: string | null;
}

const OUTSIDE_OF_TAX: ReadonlySet<Untaxed | null> = new Set(['outside', 'prepayment', 'debt', 'notRegistered']);

/** The codes are for these categories alone; the article by which something is exempt is not known. */
const REASON_CODES: Readonly<Partial<Record<TaxCategory, string>>> = { AE: 'VATEX-EU-AE', O: 'VATEX-EU-O' };

/** Is it in no way subject to tax? */
export const isOutsideOfTax = (document: Taxed): boolean => {
  const untaxed = untaxedOf(document);
  return document.lines.every((line) => OUTSIDE_OF_TAX.has(untaxed(line)));
};

/** The category of each line of a document. A rate of 0 is Z, unless something says that there is no tax at all. */
export function categoriesOf(document: Taxed): (line: DocumentLine) => TaxCategory {
  const untaxed = untaxedOf(document);
  const isOutside = isOutsideOfTax(document);
  return (line) => {
    const why = untaxed(line);
    if (why === null) return decimal(line.taxRate).isZero() ? 'Z' : 'S';
    if (why === 'reverseCharge') return 'AE';
    // BR-O-11: an invoice with O has nothing else. Beside other lines, one outside the scope of tax is an exempt one.
    return isOutside ? 'O' : 'E';
  };
}

/**
 * The breakdown of tax: one group for each category and rate that a line has (BR-S-8, BR-Z-8, BR-E-8, BR-AE-8, BR-O-8).
 * The bases are sums of lines; the tax of a rate is the invoice's, which was rounded once (domain.md §4).
 */
export function taxGroups(document: InvoiceDocument): TaxGroup[] {
  const categoryOf = categoriesOf(document);
  const untaxed = untaxedOf(document);
  const ofGroups = Map.groupBy(document.lines, (line) => `${categoryOf(line)} ${plain(decimal(line.taxRate))}`);
  return [...ofGroups.values()].map((lines) => {
    const [first] = lines as [DocumentLine];
    const rate = decimal(first.taxRate);
    const category = categoryOf(first);
    const whys = new Set(lines.map(untaxed).filter((why) => why !== null));
    const reasons = new Set([...whys].map((why) => reasonOf(why, document)));
    return {
      category,
      rate,
      base: sum(lines.map(({ amount }) => decimal(amount))),
      tax: sum(document.taxes.filter((tax) => decimal(tax.rate).eq(rate)).map((tax) => decimal(tax.amount))),
      reason: reasons.size === 0 ? null : [...reasons].join('; '),
      reasonCode: REASON_CODES[category] ?? null,
    };
  });
}

/** The whole tax: the groups' (BR-CO-14). */
export const taxOf = (groups: readonly TaxGroup[]): Decimal => groups.reduce((all, { tax }) => all.plus(tax), ZERO);
