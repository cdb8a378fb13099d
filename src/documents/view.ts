import { decimal, plain } from '../kernel/decimal.ts';
import { accentColor, textOn } from './color.ts';
import type { DecimalText, DocumentLine, DocumentTier, InvoiceDocument, Party } from './document.ts';
import { amount, breakable, day, money, percent, period, quantity } from './format.ts';
import { isRightToLeft, manyLines, oneLine } from './text.ts';

/**
 * What the template draws: every word and figure of a document, finished. The template places, it never decides; this file
 * decides, it never places. A stranger's text is `{ text, rtl }`, ours is a plain string.
 */
export interface DocumentView {
  metadata: { title: string; author: string };
  accent: string;
  onAccent: string;
  /** Stands on every page of a document that is none for the tax office. */
  mark: string | null;
  title: string;
  number: Text;
  /** The seller's name as it trades, large; the party block below it says who it is in law. */
  brand: Text;
  /** The same, short enough for the head of a page. */
  runningBrand: Text;
  seller: PartyView;
  buyer: PartyView;
  buyerLabel: string;
  facts: { label: string; value: Text | string }[];
  headline: { label: string; figure: string; note: string | null; payment: string | null };
  columns: { quantity: number; unitPrice: number; tax: number; amount: number };
  currency: string;
  lines: LineView[];
  totals: { label: string; figure: string; strong: boolean }[];
  /** Sentences on how and when to pay, or why this credit was given. */
  terms: (Text | string)[];
  payment: { address: string; shown: string } | null;
  notes: Text[];
  footer: Text[];
}

export interface Text {
  text: string;
  rtl: boolean;
}

interface PartyView {
  name: Text;
  lines: Text[];
}

interface LineView {
  description: Text;
  period: string | null;
  group: Text[];
  quantity: string;
  unit: Text | null;
  unitPrice: string;
  tax: string;
  amount: string;
  /** False for a line that might not fit on one page. */
  keepTogether: boolean;
  tiers: { range: string; quantity: string; unitPrice: string; amount: string }[];
}

const MOST = {
  name: 160,
  addressLine: 160,
  description: 1000,
  unit: 40,
  group: 80,
  number: 64,
  note: 2000,
  footer: 300,
};
const MOST_GROUPS = 12;
const MOST_EMAILS = 3;
const MOST_PAYMENT_URL = 2048;

const strange = (text: string, most: number): Text => {
  const clean = oneLine(text, most);
  return { text: clean, rtl: isRightToLeft(clean) };
};

const present = (text: string | null | undefined): text is string => text != null && text.trim() !== '';

/** Lays out the words and figures of a document. @throws for no ISO 4217 currency, or for text that is no decimal. */
export function viewOf(document: InvoiceDocument): DocumentView {
  const credit = document.kind === 'credit_note';
  const title = credit ? 'Credit note' : 'Invoice';
  const number = strange(document.number, MOST.number);
  const brand = strange(document.seller.name, MOST.name);
  const accent = accentColor(document.color);
  const payable = !credit && decimal(document.unpaidAmount).gt(0);
  const payment = payable ? webAddress(document.paymentUrl) : null;
  const lines = document.lines.map((line) => lineView(line, document.currency));
  return {
    metadata: {
      title: `${title} ${number.text} – ${brand.text}`.replaceAll('\u200b', ''),
      author: brand.text.replaceAll('\u200b', ''),
    },
    accent,
    onAccent: textOn(accent),
    mark: document.environment === 'sandbox' ? 'Sandbox – not a tax document' : null,
    title,
    number,
    brand,
    runningBrand: strange(document.seller.name, 60),
    seller: partyView(legalParty(document.seller)),
    buyer: partyView(document.buyer),
    buyerLabel: credit ? 'Credited to' : 'Billed to',
    facts: factsOf(document, number),
    headline: headlineOf(document, payable, payment),
    columns: columnsOf(lines),
    currency: document.currency,
    lines,
    totals: totalsOf(document),
    terms: termsOf(document, payable),
    payment: payment === null ? null : { address: payment, shown: oneLine(payment, 200) },
    notes: textLines(document.notes, MOST.note, 40),
    footer: textLines(document.footer, MOST.footer, 3),
  };
}

const textLines = (text: string | null | undefined, most: number, mostLines: number): Text[] =>
  present(text) ? manyLines(text, most, mostLines).map((line) => ({ text: line, rtl: isRightToLeft(line) })) : [];

/** Where the post code follows the town; elsewhere it goes before it. */
const POST_CODE_LAST: ReadonlySet<string> = new Set('US CA AU NZ GB IE IN SG BR MX CO ZA KR TH ID PH HK PK'.split(' '));

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

function countryName(country: string): string {
  const code = country.trim().toUpperCase();
  return /^[A-Z]{2}$/.test(code) ? (countryNames.of(code) ?? code) : country;
}

function partyView(party: Party): PartyView {
  const { line1, line2, city, state, zipCode, country } = party.address ?? {};
  const postCodeLast = POST_CODE_LAST.has((country ?? '').trim().toUpperCase());
  const town = postCodeLast
    ? [city, [state, zipCode].filter(present).join(' ')].filter(present).join(', ')
    : [[zipCode, city].filter(present).join(' '), state].filter(present).join(', ');
  const lines = [
    party.legalName?.trim() === party.name.trim() ? null : party.legalName,
    line1,
    line2,
    town,
    present(country) ? countryName(country) : null,
    present(party.taxId) ? `Tax ID ${party.taxId}` : null,
    ...(party.emails ?? []).slice(0, MOST_EMAILS),
    party.phone,
  ];
  return {
    name: strange(party.name, MOST.name),
    lines: lines.filter(present).map((line) => strange(line, MOST.addressLine)),
  };
}

/** The party under its legal name; the trading name stands above it already. */
const legalParty = (party: Party): Party => ({
  ...party,
  name: present(party.legalName) ? party.legalName : party.name,
  legalName: null,
});

function factsOf(document: InvoiceDocument, number: Text): DocumentView['facts'] {
  const facts: DocumentView['facts'] = [
    { label: document.kind === 'credit_note' ? 'Credit note' : 'Invoice number', value: number },
    { label: 'Issued', value: day(document.issuedAt) },
  ];
  if (document.dueAt) facts.push({ label: 'Due', value: day(document.dueAt) });
  if (document.periodStart && document.periodEnd)
    facts.push({ label: 'Period', value: period(document.periodStart, document.periodEnd) });
  if (document.original) {
    facts.push({ label: 'Original invoice', value: strange(document.original.number, MOST.number) });
    facts.push({ label: 'Invoice issued', value: day(document.original.issuedAt) });
  }
  return facts;
}

function headlineOf(document: InvoiceDocument, payable: boolean, payment: string | null): DocumentView['headline'] {
  const { currency } = document;
  if (document.kind === 'credit_note')
    return { label: 'Total credited', figure: breakable(money(document.grandTotal, currency)), note: null, payment };
  if (!payable) {
    const note = decimal(document.grandTotal).isZero() ? 'Nothing to pay' : 'Paid in full';
    return { label: 'Total', figure: breakable(money(document.grandTotal, currency)), note, payment };
  }
  const note = document.dueAt ? `Due ${day(document.dueAt)}` : null;
  return { label: 'Amount due', figure: breakable(money(document.unpaidAmount, currency)), note, payment };
}

function totalsOf(document: InvoiceDocument): DocumentView['totals'] {
  const { currency } = document;
  const totals: DocumentView['totals'] = [];
  const add = (label: string, text: DecimalText, strong = false): void => {
    totals.push({ label, figure: breakable(money(text, currency)), strong });
  };
  add('Subtotal', document.subtotal);
  for (const tax of document.taxes) add(`Tax ${percent(tax.rate)} on ${money(tax.base, currency)}`, tax.amount);
  if (document.taxes.length !== 1) add('Total tax', document.totalTax);
  if (document.kind === 'credit_note') {
    add('Total credited', document.grandTotal, true);
    return totals;
  }
  add('Total', document.grandTotal, true);
  const wallet = decimal(document.walletApplied ?? '0');
  const otherwise = decimal(document.paidAmount).minus(wallet);
  if (!wallet.isZero()) add('Paid from wallet', plain(wallet.negated()));
  if (!otherwise.isZero()) add('Paid', plain(otherwise.negated()));
  add('Amount due', document.unpaidAmount, true);
  return totals;
}

function termsOf(document: InvoiceDocument, payable: boolean): DocumentView['terms'] {
  if (document.kind === 'credit_note') {
    const terms: DocumentView['terms'] = [];
    if (document.original) {
      const number = oneLine(document.original.number, MOST.number);
      terms.push(`This credit note corrects invoice ${number} of ${day(document.original.issuedAt)}.`);
    }
    if (present(document.reason)) terms.push(strange(`Reason: ${document.reason}`, MOST.description));
    return terms;
  }
  if (!payable) return [];
  const days = document.paymentTermDays;
  const when = days === 0 ? 'on receipt' : `within ${days} ${days === 1 ? 'day' : 'days'}`;
  const until = document.dueAt ? `, by ${day(document.dueAt)}` : '';
  return [
    `Payment is due ${when}${until}.`,
    `Please quote ${oneLine(document.number, MOST.number)} with your payment.`,
  ];
}

function lineView(line: DocumentLine, currency: string): LineView {
  const tiers = line.tiers ?? [];
  const description = strange(line.description, MOST.description);
  const group = Object.entries(line.group ?? {})
    .slice(0, MOST_GROUPS)
    .map(([dimension, value]) => strange(`${dimension}: ${value ?? '–'}`, MOST.group));
  const characters = description.text.length + group.reduce((sum, { text }) => sum + text.length, 0);
  return {
    description,
    period: line.periodStart && line.periodEnd ? period(line.periodStart, line.periodEnd) : null,
    group,
    keepTogether: characters <= 500 && tiers.length <= 20,
    quantity: breakable(quantity(line.quantity)),
    unit: present(line.unit) ? strange(line.unit, MOST.unit) : null,
    unitPrice: tiers.length > 0 ? 'tiered' : breakable(amount(line.unitPrice, currency)),
    tax: breakable(percent(line.taxRate)),
    amount: breakable(amount(line.amount, currency)),
    tiers: tiers.map((tier) => tierView(tier, currency)),
  };
}

function tierView(tier: DocumentTier, currency: string): LineView['tiers'][number] {
  const bounds =
    tier.upTo === null
      ? decimal(tier.from).isZero()
        ? 'All units'
        : `Over ${quantity(tier.from)}`
      : `${quantity(tier.from)} – ${quantity(tier.upTo)}`;
  const flat = tier.flatPrice != null && !decimal(tier.flatPrice).isZero() ? amount(tier.flatPrice, currency) : null;
  return {
    range: flat === null ? bounds : `${bounds}, plus ${flat} flat`,
    quantity: breakable(quantity(tier.quantity)),
    unitPrice: breakable(amount(tier.unitPrice, currency)),
    amount: breakable(amount(tier.amount, currency)),
  };
}

const LEAST_CHARACTERS = { quantity: 9, unitPrice: 10, tax: 5, amount: 11 };
const MOST_CHARACTERS = { quantity: 16, unitPrice: 16, tax: 12, amount: 18 };

/** Columns are as wide as their longest figure, within bounds: beyond them a figure breaks after a separator and nothing is lost. */
function columnsOf(lines: readonly LineView[]): DocumentView['columns'] {
  const widest = (column: 'quantity' | 'unitPrice' | 'tax' | 'amount'): number => {
    let most = LEAST_CHARACTERS[column];
    for (const line of lines) {
      most = Math.max(most, line[column].length);
      if (column !== 'tax') for (const tier of line.tiers) most = Math.max(most, tier[column].length);
    }
    return Math.min(most, MOST_CHARACTERS[column]);
  };
  return {
    quantity: widest('quantity'),
    unitPrice: widest('unitPrice'),
    tax: widest('tax'),
    amount: widest('amount'),
  };
}

/** An absolute http or https address without credentials, as `URL` writes it; null for anything else. */
function webAddress(text: string | null | undefined): string | null {
  if (!present(text) || text.length > MOST_PAYMENT_URL || !URL.canParse(text)) return null;
  const url = new URL(text);
  const web = url.protocol === 'https:' || url.protocol === 'http:';
  return web && url.username === '' && url.password === '' ? url.href : null;
}
