import type { Locale } from '../kernel/locale.ts';
import type { DisplayUnit } from '../look/index.ts';

/** A decimal as text, in major units where it is money: `57.87`, `-1200`, `0.000012`. */
export type DecimalText = string;

type Maybe<T> = T | null | undefined;

/** One side of a document, as copied onto the invoice when it was issued (domain.md §4, row 10). */
export interface Party {
  /** The merchant's id in the system of its invoices: only on the e-invoice, for sellers without a tax id. */
  id?: Maybe<string>;
  name: string;
  legalName?: Maybe<string>;
  taxId?: Maybe<string>;
  /** The country of the tax id, where a registration says it; else its own prefix, or the address. */
  taxIdCountry?: Maybe<string>;
  address?: Maybe<{
    line1?: Maybe<string>;
    line2?: Maybe<string>;
    city?: Maybe<string>;
    state?: Maybe<string>;
    zipCode?: Maybe<string>;
    /** ISO 3166-1 alpha-2 (shown as the country's name in the language of the document) or any text. */
    country?: Maybe<string>;
  }>;
  emails?: Maybe<readonly string[]>;
  phone?: Maybe<string>;
  /** For a buyer: its own reference for its invoices (EN 16931, BT-10). */
  buyerReference?: Maybe<string>;
  /** For a buyer that pays for somebody else: who was supplied. */
  servedName?: Maybe<string>;
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

/** The contribution of one tier to its line: `from` exclusive, `upTo` inclusive, null for no upper bound. */
export interface DocumentTier {
  from: DecimalText;
  upTo: DecimalText | null;
  quantity: DecimalText;
  unitPrice: DecimalText;
  flatPrice?: Maybe<DecimalText>;
  amount: DecimalText;
}

/** A part of a time and the whole of it, in seconds. */
export interface ShareOfTime {
  readonly part: DecimalText;
  readonly whole: DecimalText;
}

/**
 * The calculation of a line, if quantity × unit price does not give the amount: its notes show it (`line-notes.ts`).
 */
export interface LineWorkings {
  /** The unit in which its notes say quantities and prices. */
  readonly display?: DisplayUnit;
  /** Of an agreed price: the price of a unit as the catalog has it. */
  readonly list?: { readonly unitPrice: DecimalText };
  /** The charged part of the period, with the amount of the whole. */
  readonly share?: ShareOfTime;
  readonly whole?: DecimalText;
  /** The part of the period by which flat prices of tiers are scaled. */
  readonly flatShare?: ShareOfTime;
  /** Units at no cost: those that were used, and how many the price includes in a whole period. */
  readonly included?: { readonly units: DecimalText; readonly allowance: DecimalText; readonly share?: ShareOfTime };
  readonly packages?: { readonly count: DecimalText; readonly size: DecimalText; readonly price: DecimalText };
  readonly percentage?: {
    readonly percent: DecimalText;
    readonly of: DecimalText;
    readonly fixed?: DecimalText;
    readonly events?: DecimalText;
    readonly least?: DecimalText;
    readonly most?: DecimalText;
    /** Of a price on each event: its bounds for each, and the number of free ones. */
    readonly each?: { readonly least?: DecimalText; readonly most?: DecimalText; readonly free?: DecimalText };
  };
  /** The groups in the default of a matrix, and the number of further ones. */
  readonly others?: { readonly groups: readonly string[]; readonly more: number };
  /** Of a price of several lines, which is rounded once: this line before that, and on the last one all of them. */
  readonly rows?: {
    readonly exact: DecimalText;
    readonly all?: { readonly count: number; readonly exact: DecimalText; readonly amount: DecimalText };
  };
  /** For a minimum or a maximum: its amount, and the amount of the price without it. */
  readonly limit?: { readonly amount: DecimalText; readonly reached: DecimalText };
  readonly discount?: { readonly percent: DecimalText; readonly of: DecimalText };
  /** For a part or for late usage: the total so far, and its billed part. */
  readonly soFar?: { readonly total: DecimalText; readonly before: DecimalText };
  /** Of a negative line by hand: all of it, of which the line may hold less. */
  readonly byHand?: { readonly amount: DecimalText };
  /** For a credit of an unused charge: the charge, its credited part, and the target of the remainder. */
  readonly credit?: {
    readonly invoiceNumber: string | null;
    /** RFC 3339. */
    readonly from: string;
    readonly to: string;
    readonly billed: DecimalText | null;
    readonly share: ShareOfTime | null;
    readonly amount: DecimalText;
    readonly before: DecimalText;
    readonly notes?: readonly { readonly number: string; readonly amount: DecimalText }[];
  };
}

/** One line. Its dates are half-open `[periodStart, periodEnd)`. */
export interface DocumentLine {
  description: string;
  periodStart?: Maybe<Temporal.Instant>;
  periodEnd?: Maybe<Temporal.Instant>;
  quantity: DecimalText;
  unit?: Maybe<string>;
  /** Quantities and prices are shown in this unit instead; the figures here stay of one unit. */
  display?: Maybe<DisplayUnit>;
  /** Names its price: the lines of one price show it for the same number of units. Absent: name and unit do. */
  price?: Maybe<string>;
  /** Not shown where `tiers` are: there it is an average rounded to 9 digits, and each tier shows its own price. */
  unitPrice: DecimalText;
  /** The place of its section on a grouped invoice; absent: in none. */
  section?: Maybe<number>;
  /** Net of discounts on other lines; negative for a discount or a credit. */
  amount: DecimalText;
  /** The amount with tax: shown instead where prices include it. */
  grossAmount?: Maybe<DecimalText>;
  /** Percent: `8.875` means 8.875 %. */
  taxRate: DecimalText;
  kind: 'usage' | 'fee' | 'discount';
  /** It is an amount alone, and no quantity of anything: a discount, a limit, a credit. */
  isAmount?: Maybe<boolean>;
  /** The calculation of the amount, in sentences (`notesOf`). */
  notes?: Maybe<readonly string[]>;
  /** Of packages and percentages: the price as it was agreed, which is none of a unit. */
  agreed?: Maybe<{ price: DecimalText; per: DecimalText } | { percent: DecimalText }>;
  /** Why no tax is on it; absent for a line that is taxed, be it at a rate of 0 %. The e-invoice has to say so. */
  untaxed?: Maybe<'exempt' | 'prepayment' | 'debt'>;
  tiers?: Maybe<readonly DocumentTier[]>;
  /** The dimensions this line was grouped by; null where the events had no value. */
  group?: Maybe<Readonly<Record<string, string | null>>>;
}

/** A logo that was made safe before it was kept; one that cannot be drawn all the same is left out. */
export interface DocumentLogo {
  readonly format: 'png' | 'svg';
  /** In pixels, or the units of the SVG. */
  readonly width: number;
  readonly height: number;
  readonly content: Uint8Array;
}

/** The common content of every document: its parties, its currency, and its look. */
interface Letterhead {
  /** In which its own words, figures and dates are written; texts of the merchant stay as they are. */
  locale: Locale;
  number: string;
  /** Names the day of the document, and the file's own creation. */
  issuedAt: Temporal.Instant;
  /** ISO 4217. */
  currency: string;
  seller: Party;
  buyer: Party;
  /** Stands at the head in place of the seller's name. */
  logo?: Maybe<DocumentLogo>;
  /** Small print at the foot of every page. */
  footer?: Maybe<string>;
  /** Accent: `#rgb` or `#rrggbb`; anything else means the default. */
  color?: Maybe<string>;
  environment: 'production' | 'sandbox';
}

/** A document of any kind. */
export type PrintedDocument = InvoiceDocument | ReceiptDocument | StatementDocument;

/** What an entry of a statement tells. */
export type StatementWhat =
  | 'invoice'
  | 'invoiceCancelled'
  | 'writtenOff'
  | 'noLoss'
  | 'lossAgain'
  | 'collected'
  | 'notCollected'
  | 'creditElsewhere'
  | 'creditNote'
  | 'creditNoteVoided'
  | 'payment'
  | 'paymentReversed'
  | 'refund'
  | 'refundStopped'
  | 'walletApplied'
  | 'walletBack'
  | 'walletFilled'
  | 'walletTaken'
  | 'receipt'
  | 'receiptApplied'
  | 'receiptReturned'
  | 'receiptWaits'
  | 'creditGranted'
  | 'creditUsed'
  | 'creditBack'
  | 'creditVoided';

/** An entry of a statement. Above 0: the customer owes more. */
export interface StatementEntry {
  date: Temporal.Instant;
  what: StatementWhat;
  /** The number of the invoice. */
  invoice?: Maybe<string>;
  /** The number of the credit note. */
  note?: Maybe<string>;
  /** Of a billing credit. */
  name?: Maybe<string>;
  /** An amount that is not the change of the balance: of the wallet, or of a billing credit. */
  moved?: Maybe<DecimalText>;
  amount: DecimalText;
  balance: DecimalText;
}

/** The account of a customer in a currency over a stretch of time. It is no tax document. */
export interface StatementDocument extends Letterhead {
  kind: 'statement';
  /** Half-open. */
  from: Temporal.Instant;
  to: Temporal.Instant;
  openingBalance: DecimalText;
  closingBalance: DecimalText;
  entries: readonly StatementEntry[];
}

/** The receipt of one payment towards an invoice. It is no tax document: the invoice is. */
export interface ReceiptDocument extends Letterhead {
  kind: 'receipt';
  /** When the money came, which for recorded money is before it was recorded. */
  receivedAt: Temporal.Instant;
  invoice: { number: string; issuedAt: Temporal.Instant; total: DecimalText };
  /** All that came. */
  amount: DecimalText;
  /** The excess over the invoice, which went to the customer's wallet. */
  walletAmount: DecimalText;
  /** The amount paid or credited before this payment. */
  paidBefore: DecimalText;
  /** The remaining amount of the invoice after this payment. */
  remaining: DecimalText;
  method: 'card' | 'bank_transfer' | 'cash' | 'other';
  card?: Maybe<{ brand: string; last4: string }>;
  /** The purpose on the payer's bank statement. */
  reference?: Maybe<string>;
}

/** The content of an invoice or a credit note. No figure is computed again from it. */
export interface InvoiceDocument extends Letterhead {
  kind: 'invoice' | 'credit_note';
  /** Do the prices of the lines include the tax? Then their amounts are shown with it. */
  taxIncluded?: Maybe<boolean>;
  dueAt: Temporal.Instant | null;
  periodStart: Temporal.Instant | null;
  periodEnd: Temporal.Instant | null;
  /** The time of the supply, half-open; the same instant twice: one day. Absent where lines or the period say it. */
  serviceFrom?: Maybe<Temporal.Instant>;
  serviceTo?: Maybe<Temporal.Instant>;
  lines: readonly DocumentLine[];
  /** Of a grouped invoice: its subscriptions, each with the sum of its lines before tax. Absent: none. */
  sections?: Maybe<readonly { name: string; subtotal: DecimalText }[]>;
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
  /** The bank account for payments offline; not shown if nothing is due, or with a `paymentUrl`. */
  bankTransfer?: Maybe<BankTransfer>;
  /** The merchant's own words for sales without tax; the common ones stand where they are missing. */
  invoiceNotes?: Maybe<{ exempt?: Maybe<string>; reverseCharge?: Maybe<string>; outside?: Maybe<string> }>;
  /** Why the place of the sale leaves it untaxed; absent where it does not, or where no place was decided. */
  untaxedBy?: Maybe<'reverseCharge' | 'exempt' | 'outside'>;
  /** Of a credit note: the invoice it credits. */
  original?: Maybe<{ number: string; issuedAt: Temporal.Instant }>;
  /** Of an invoice: the one that it replaces. Of a credit note: the invoice that replaces the credited one. */
  replaces?: Maybe<{ number: string; issuedAt: Temporal.Instant }>;
  replacedBy?: Maybe<string>;
  /** Of a credit note: why. */
  reason?: Maybe<string>;
}
