import { accentColor, textOn } from '../kernel/color.ts';
import type { Locale } from '../kernel/locale.ts';
import { taxNames } from '../look/index.ts';
import type { DocumentLogo, PrintedDocument } from './document.ts';
import { legalParty, MOST, type PartyView, partyView, strange, type Text, textLines } from './parties.ts';
import { DOCUMENT_WORDS, type DocumentWords } from './words.ts';

/**
 * The content of a document: every word and figure, finished. The template places and never decides; the views decide
 * and never place. A stranger's text is `{ text, rtl }`, ours is a plain string.
 */
export interface DocumentView {
  metadata: { title: string; author: string };
  lang: Locale;
  /** The fixed words of the template. */
  words: DocumentWords['template'];
  accent: string;
  onAccent: string;
  /** Stands on every page of a document that is none for the tax office. */
  mark: string | null;
  title: string;
  number: Text;
  /** The seller's name as it trades, large; the party block below it says who it is in law. */
  brand: Text;
  /** The file of the logo that stands instead, and its size in points; null for none. */
  logo: { file: string; width: number; height: number } | null;
  /** The same, short enough for the head of a page. */
  runningBrand: Text;
  seller: PartyView;
  buyer: PartyView;
  buyerLabel: string;
  facts: { label: string; value: Text | string }[];
  headline: { label: string; figure: string; note: string | null; payment: string | null };
  /** Null for a document without a table. */
  columns: { quantity: number; unitPrice: number; tax: number; amount: number } | null;
  /** The head of the column of prices. */
  unitPriceLabel: string;
  /** The head of the column of rates. */
  taxLabel: string;
  /** The head of the column of amounts. */
  amountLabel: string;
  lines: LineView[];
  /** The table of a statement; null for other documents. */
  statement: StatementTable | null;
  totals: { label: string; figure: string; strong: boolean }[];
  /** Sentences on how and when to pay, or why this credit was given. */
  terms: { heading: string; sentences: (Text | string)[] };
  payment: { address: string; shown: string } | null;
  /** The account to which money is sent. */
  bankTransfer: { label: string; value: Text | string }[];
  notes: Text[];
  footer: Text[];
}

/** The entries of a statement, between its balances; the widths are in characters. */
export interface StatementTable {
  heads: { date: string; description: string; amount: string; balance: string };
  widths: { date: number; amount: number; balance: number };
  rows: { date: string; description: Text; amount: string; balance: string; strong: boolean }[];
}

export interface LineView {
  /** The name of the section that begins with the line; null: none does. */
  opens: Text | null;
  /** The subtotal of the section that ends with the line; null: none does. */
  closes: { label: Text; amount: string } | null;
  description: Text;
  period: string | null;
  /** The calculation of the amount, in words. */
  notes: Text[];
  group: Text[];
  quantity: string;
  unit: Text | null;
  unitPrice: string;
  /** `per 1,000,000`, where the price is not of one. */
  per: string | null;
  tax: string;
  amount: string;
  /** False for a line that might not fit on one page. */
  keepTogether: boolean;
  tiers: { range: string; quantity: string; unitPrice: string; per: string | null; amount: string }[];
}

const LOGO_WIDTH = 150;
const LOGO_HEIGHT = 40;

/** As large as fits its place, in points. */
function logoView({ format, width, height }: DocumentLogo): DocumentView['logo'] {
  const scale = Math.min(LOGO_WIDTH / width, LOGO_HEIGHT / height);
  return { file: `logo.${format}`, width: width * scale, height: height * scale };
}

/** The part of a view that every document has. */
export function letterheadOf(document: PrintedDocument, title: string, mark: string) {
  const number = strange(document.number, MOST.number);
  const brand = strange(document.seller.name, MOST.name);
  const accent = accentColor(document.color);
  const { locale } = document;
  const words = DOCUMENT_WORDS[locale];
  return {
    metadata: {
      title: `${title} ${number.text} – ${brand.text}`.replaceAll('\u200b', ''),
      author: brand.text.replaceAll('\u200b', ''),
    },
    lang: locale,
    words: words.template,
    accent,
    onAccent: textOn(accent),
    mark: document.environment === 'sandbox' ? mark : null,
    title,
    number,
    brand,
    logo: document.logo ? logoView(document.logo) : null,
    runningBrand: strange(document.seller.name, 60),
    seller: partyView(legalParty(document.seller), document.buyer, locale),
    buyer: partyView(document.buyer, document.seller, locale),
    taxLabel: taxNames(locale, document.seller).head,
    footer: textLines(document.footer, MOST.footer, 3),
  };
}
