import { decimal } from '../kernel/decimal.ts';
import type { Locale } from '../kernel/locale.ts';
import { figuresOf, taxNames } from '../look/index.ts';
import type { DecimalText, InvoiceDocument, Party } from './document.ts';
import { type Taxed, taxNotes } from './tax-notes.ts';
import { DOCUMENT_WORDS } from './words.ts';

/** The sums of a sale, and what they are taxed by. */
export interface TaxedSums extends Pick<InvoiceDocument, 'subtotal' | 'totalTax' | 'taxes' | 'taxIncluded'> {
  readonly locale: Locale;
  readonly currency: string;
  readonly seller: Party;
  /** A sentence says why there is no tax on what has a rate of 0 %. */
  readonly isUntaxed?: boolean;
}

interface Sum {
  readonly label: string;
  readonly amount: DecimalText;
}

/**
 * The sums of a sale before its total, as documents and pages name them: `Subtotal`, `VAT 19% on €100.00`. Without any
 * tax there are none: the total is all.
 */
export function sumsInWords(sums: TaxedSums): Sum[] {
  const { locale, currency, seller, taxIncluded, isUntaxed = false } = sums;
  const { totals: words } = DOCUMENT_WORDS[locale];
  const { money, percent } = figuresOf(locale);
  const tax = taxNames(locale, seller);
  const taxes = sums.taxes.filter(({ rate }) => !isUntaxed || !decimal(rate).isZero());
  if (isUntaxed && taxes.length === 0) return [];
  return [
    { label: taxIncluded === true ? words.subtotalWithout(tax.inSentence) : words.subtotal, amount: sums.subtotal },
    ...taxes.map(({ rate, base, amount }) => ({
      label: words.taxOf(tax.sum, percent(rate), money(base, currency)),
      amount,
    })),
    ...(taxes.length === 1 ? [] : [{ label: words.allTax(tax.inSentence), amount: sums.totalTax }]),
  ];
}

/** The sentences about the taxes of a sale: that prices include them, and why there are none. */
export function taxSentences(sale: Taxed & Pick<InvoiceDocument, 'taxIncluded'>): string[] {
  const { locale, seller, taxIncluded } = sale;
  const { pricesInclude } = DOCUMENT_WORDS[locale];
  return [...(taxIncluded === true ? [pricesInclude(taxNames(locale, seller).inSentence)] : []), ...taxNotes(sale)];
}
