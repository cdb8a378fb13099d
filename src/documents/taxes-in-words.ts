import type { Locale } from '../kernel/locale.ts';
import { figuresOf, taxNames } from '../look/index.ts';
import type { DecimalText, InvoiceDocument, Party } from './document.ts';
import { type TaxedByLines, taxNote } from './tax-notes.ts';
import { DOCUMENT_WORDS } from './words.ts';

/** The sums of a sale, and what they are taxed by. */
interface TaxedSums extends Pick<InvoiceDocument, 'subtotal' | 'totalTax' | 'taxes' | 'taxIncluded'> {
  readonly locale: Locale;
  readonly currency: string;
  readonly seller: Party;
}

interface Sum {
  readonly label: string;
  readonly amount: DecimalText;
}

/** The sums of a sale before its total, as documents and pages name them: `Subtotal`, `VAT 19% on €100.00`. */
export function sumsInWords({ locale, currency, seller, subtotal, totalTax, taxes, taxIncluded }: TaxedSums): Sum[] {
  const { totals: words } = DOCUMENT_WORDS[locale];
  const { money, percent } = figuresOf(locale);
  const tax = taxNames(locale, seller);
  return [
    { label: taxIncluded === true ? words.subtotalWithout(tax.inSentence) : words.subtotal, amount: subtotal },
    ...taxes.map(({ rate, base, amount }) => ({
      label: words.taxOf(tax.sum, percent(rate), money(base, currency)),
      amount,
    })),
    ...(taxes.length === 1 ? [] : [{ label: words.allTax(tax.inSentence), amount: totalTax }]),
  ];
}

/** The sentences about the taxes of a sale: that prices include them, and why there are none. */
export function taxSentences(sale: TaxedByLines & Pick<InvoiceDocument, 'taxIncluded'>): string[] {
  const { locale, seller, taxIncluded } = sale;
  const included =
    taxIncluded === true ? DOCUMENT_WORDS[locale].pricesInclude(taxNames(locale, seller).inSentence) : null;
  return [included, taxNote(sale)].filter((sentence) => sentence !== null);
}
