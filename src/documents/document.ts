/** A decimal as text, in major units where it is money: `57.87`, `-1200`, `0.000012`. */
export type DecimalText = string;

type Maybe<T> = T | null | undefined;

/** One side of a document, as copied onto the invoice when it was issued (domain.md §4, row 10). */
export interface Party {
  /** What the merchant is called where its invoices are made: stands in the e-invoice only, for sellers without a tax id. */
  id?: Maybe<string>;
  name: string;
  legalName?: Maybe<string>;
  taxId?: Maybe<string>;
  address?: Maybe<{
    line1?: Maybe<string>;
    line2?: Maybe<string>;
    city?: Maybe<string>;
    state?: Maybe<string>;
    zipCode?: Maybe<string>;
    /** ISO 3166-1 alpha-2 (shown as the country's English name) or any text. */
    country?: Maybe<string>;
  }>;
  emails?: Maybe<readonly string[]>;
  phone?: Maybe<string>;
}

/** A bank account to which money is sent. */
export interface BankTransfer {
  holder?: Maybe<string>;
  /** Without spaces. */
  iban?: Maybe<string>;
  /** An account that has no IBAN, as its country writes it. */
  account?: Maybe<string>;
  bic?: Maybe<string>;
  bank?: Maybe<string>;
  note?: Maybe<string>;
}

/** What one tier of a tiered price contributed to its line: `from` exclusive, `upTo` inclusive, null for no upper bound. */
export interface DocumentTier {
  from: DecimalText;
  upTo: DecimalText | null;
  quantity: DecimalText;
  unitPrice: DecimalText;
  flatPrice?: Maybe<DecimalText>;
  amount: DecimalText;
}

/** One line. Its dates are half-open `[periodStart, periodEnd)`. */
export interface DocumentLine {
  description: string;
  periodStart?: Maybe<Temporal.Instant>;
  periodEnd?: Maybe<Temporal.Instant>;
  quantity: DecimalText;
  unit?: Maybe<string>;
  /** Not shown where `tiers` are: there it is an average rounded to 9 digits, and each tier shows its own price. */
  unitPrice: DecimalText;
  /** Net of discounts that stand on other lines; negative for a discount or a credit. */
  amount: DecimalText;
  /** Percent: `8.875` means 8.875 %. */
  taxRate: DecimalText;
  kind: 'usage' | 'fee' | 'discount';
  /** Why no tax is on it; absent for a line that is taxed, be it at a rate of 0 %. The e-invoice has to say so. */
  untaxed?: Maybe<'exempt' | 'prepayment'>;
  tiers?: Maybe<readonly DocumentTier[]>;
  /** The dimensions this line was grouped by; null where the events had no value. */
  group?: Maybe<Readonly<Record<string, string | null>>>;
}

/** What every document says: between whom, in which currency, and how it looks. */
interface Letterhead {
  number: string;
  /** Names the day of the document, and the file's own creation. */
  issuedAt: Temporal.Instant;
  /** ISO 4217. */
  currency: string;
  seller: Party;
  buyer: Party;
  /** Small print at the foot of every page. */
  footer?: Maybe<string>;
  /** Accent: `#rgb` or `#rrggbb`; anything else means the default. */
  color?: Maybe<string>;
  environment: 'production' | 'sandbox';
}

/** A document of any kind. */
export type PrintedDocument = InvoiceDocument | ReceiptDocument;

/** The receipt of one payment towards an invoice. It is no tax document: the invoice is. */
export interface ReceiptDocument extends Letterhead {
  kind: 'receipt';
  /** When the money came, which for recorded money is before it was recorded. */
  receivedAt: Temporal.Instant;
  invoice: { number: string; issuedAt: Temporal.Instant; total: DecimalText };
  /** All that came. */
  amount: DecimalText;
  /** What of it was more than the invoice asked, and went to the customer's wallet. */
  walletAmount: DecimalText;
  /** What was paid or credited before this payment. */
  settledBefore: DecimalText;
  /** What the invoice still asked for after this payment. */
  remaining: DecimalText;
  method: 'card' | 'bank_transfer' | 'cash' | 'other';
  card?: Maybe<{ brand: string; last4: string }>;
  /** What the payer's bank says it is for. */
  reference?: Maybe<string>;
}

/** Everything that stands on an invoice or a credit note. Nothing is computed from it that changes a figure. */
export interface InvoiceDocument extends Letterhead {
  kind: 'invoice' | 'credit_note';
  dueAt: Temporal.Instant | null;
  periodStart: Temporal.Instant | null;
  periodEnd: Temporal.Instant | null;
  lines: readonly DocumentLine[];
  /** One entry for each rate (percent). */
  taxes: readonly { rate: DecimalText; base: DecimalText; amount: DecimalText }[];
  subtotal: DecimalText;
  totalTax: DecimalText;
  grandTotal: DecimalText;
  paidAmount: DecimalText;
  unpaidAmount: DecimalText;
  /** The part of `paidAmount` that the wallet paid (domain.md §4, Wallet). */
  walletApplied?: Maybe<DecimalText>;
  paymentTermDays: number;
  /** Shown and linked only where it is an absolute http or https address. */
  paymentUrl?: Maybe<string>;
  notes?: Maybe<string>;
  /** Where money is sent that is not paid online; not shown where nothing is due, or where `paymentUrl` is. */
  bankTransfer?: Maybe<BankTransfer>;
  /** The merchant's own words for sales without tax; the common ones stand where they are missing. */
  invoiceNotes?: Maybe<{ exempt?: Maybe<string>; reverseCharge?: Maybe<string> }>;
  /** Of a credit note: the invoice it credits. */
  original?: Maybe<{ number: string; issuedAt: Temporal.Instant }>;
  /** Of a credit note: why. */
  reason?: Maybe<string>;
}
