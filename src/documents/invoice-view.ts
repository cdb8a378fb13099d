import { decimal, plain } from '../kernel/decimal.ts';
import type { Locale } from '../kernel/locale.ts';
import { breakable, daysOf, figuresOf, legalTitle, oneLine, TERMS, taxNames } from '../look/index.ts';
import type { DecimalText, InvoiceDocument } from './document.ts';
import { type DocumentView, letterheadOf } from './document-view.ts';
import { columnsOf, lineView } from './line-view.ts';
import { isPresent, MOST, strange, type Text, textLines } from './parties.ts';
import { settledText, whenToPay } from './payment-terms.ts';
import { scalesOf } from './price-scales.ts';
import { isPaymentOnAccount, untaxedOf } from './tax-notes.ts';
import { sumsInWords, taxSentences } from './taxes-in-words.ts';
import { type Span, timeOfSupply } from './time-of-supply.ts';
import { DOCUMENT_WORDS } from './words.ts';

const MOST_PAYMENT_URL = 2048;

/** An invoice or a credit note in words and figures. */
export function invoiceView(document: InvoiceDocument): DocumentView {
  const credit = document.kind === 'credit_note';
  const { currency, locale } = document;
  const words = DOCUMENT_WORDS[locale];
  const head = letterheadOf(document, titleOf(document), words.sandbox);
  const payable = !credit && decimal(document.unpaidAmount).gt(0);
  const payment = payable ? webAddress(document.paymentUrl) : null;
  const taxIncluded = document.taxIncluded === true;
  const scale = scalesOf(document);
  const untaxed = untaxedOf(document);
  const lines = document.lines.map((line, place) => ({
    ...sectionAround(document, place),
    ...lineView(line, { currency, taxIncluded, locale, scale: scale(line), isUntaxed: untaxed(line) !== null }),
  }));
  const tax = taxNames(locale, document.seller).inSentence;
  const unitPriceLabel = taxIncluded ? words.unitPriceWithTax : words.unitPrice;
  const amountLabel = taxIncluded ? words.amountWithTax(currency, tax) : words.amount(currency);
  return {
    ...head,
    buyerLabel: credit ? words.creditedTo : words.billedTo,
    facts: factsOf(document, head.number),
    headline: headlineOf(document, payable, payment),
    columns: columnsOf(lines, {
      ...{ quantity: words.template.quantity, unitPrice: unitPriceLabel },
      ...{ tax: head.taxLabel, amount: amountLabel },
    }),
    unitPriceLabel,
    amountLabel,
    lines,
    statement: null,
    totals: totalsOf(document),
    terms: { heading: credit ? words.aboutCredit : words.payment, sentences: sentencesOf(document, payable) },
    payment: payment === null ? null : { address: payment, shown: oneLine(payment, 200) },
    bankTransfer: payable && payment === null ? accountOf(document) : [],
    notes: [replacedIn(document), ...taxSentences(document), document.notes].flatMap((text) =>
      textLines(text, MOST.note, 40),
    ),
  };
}

/** The heading before a line with which a section of a grouped invoice begins, and its subtotal behind the last one. */
function sectionAround(
  { sections, lines, locale, currency }: InvoiceDocument,
  place: number,
): Pick<DocumentView['lines'][number], 'opens' | 'closes'> {
  const at = lines[place]?.section;
  const section = at == null ? undefined : sections?.[at];
  if (!section) return { opens: null, closes: null };
  const label = strange(`${TERMS[locale].subtotal}: ${section.name}`, MOST.description);
  const amount = breakable(figuresOf(locale).amount(section.subtotal, currency));
  return {
    opens: lines[place - 1]?.section === at ? null : strange(section.name, MOST.description),
    closes: lines[place + 1]?.section === at ? null : { label, amount },
  };
}

function titleOf(document: InvoiceDocument): string {
  const { titles } = DOCUMENT_WORDS[document.locale];
  if (document.kind === 'invoice' && isPaymentOnAccount(document)) return titles.onAccount;
  const kind = document.kind === 'credit_note' ? 'creditNote' : 'invoice';
  const [own, legal] = [titles[kind], legalTitle(kind, document.seller)];
  if (legal === null) return own;
  return document.locale === 'en' ? legal : `${own} (${legal})`;
}

/** The account to which money is sent, its number in groups of four as banks print it. */
function accountOf({ locale, bankTransfer }: InvoiceDocument): DocumentView['bankTransfer'] {
  const { holder, iban, account: number, bank, bic, note } = bankTransfer ?? {};
  const words = DOCUMENT_WORDS[locale].account;
  const entries: [string, string | null | undefined][] = [
    [words.holder, holder],
    ['IBAN', iban?.replace(/(.{4})(?=.)/g, '$1\u00a0')],
    [words.number, number],
    ['BIC', bic],
    [words.bank, bank],
  ];
  const shown = entries.flatMap(([label, value]) =>
    isPresent(value) ? [{ label, value: strange(value, MOST.addressLine) }] : [],
  );
  const notes = textLines(note, MOST.footer, 6).map((value) => ({ label: '', value }));
  return [...shown, ...notes];
}

function factsOf(document: InvoiceDocument, number: Text): DocumentView['facts'] {
  const words = DOCUMENT_WORDS[document.locale].facts;
  const { day, period } = figuresOf(document.locale);
  const invoiceLabel = isPaymentOnAccount(document) ? words.number : words.invoiceNumber;
  const facts: DocumentView['facts'] = [
    { label: document.kind === 'credit_note' ? words.creditNote : invoiceLabel, value: number },
    { label: words.issued, value: day(document.issuedAt) },
  ];
  if (isPresent(document.buyer.buyerReference))
    facts.push({ label: words.yourReference, value: strange(document.buyer.buyerReference, MOST.group) });
  if (isPresent(document.buyer.servedName))
    facts.push({ label: words.suppliedTo, value: strange(document.buyer.servedName, MOST.group) });
  if (document.dueAt) facts.push({ label: words.due, value: day(document.dueAt) });
  const { service, period: time } = timeOfSupply(document);
  if (service) facts.push({ label: words.serviceDate, value: serviceText(service, document.locale) });
  if (time) facts.push({ label: words.period, value: period(time.from, time.to) });
  if (document.original) {
    facts.push({ label: words.originalInvoice, value: strange(document.original.number, MOST.number) });
    facts.push({ label: words.invoiceIssued, value: day(document.original.issuedAt) });
  }
  return facts;
}

/** `1 March 2026`, or `1 – 14 Mar 2026`. */
function serviceText({ from, to }: Span, locale: Locale): string {
  const { day, period } = figuresOf(locale);
  const { first, last } = daysOf(from, to);
  return first.equals(last) ? day(from) : period(from, to);
}

function headlineOf(document: InvoiceDocument, payable: boolean, payment: string | null): DocumentView['headline'] {
  const { currency, locale } = document;
  const { headline: words } = DOCUMENT_WORDS[locale];
  const { money, day } = figuresOf(locale);
  if (document.kind === 'credit_note')
    return { label: words.totalCredited, figure: breakable(money(document.grandTotal, currency)), note: null, payment };
  if (!payable) {
    const figure = breakable(money(document.grandTotal, currency));
    return { label: totalLabel(document), figure, note: settledText(document), payment };
  }
  const note = document.dueAt ? words.due(day(document.dueAt)) : null;
  return { label: words.amountDue, figure: breakable(money(document.unpaidAmount, currency)), note, payment };
}

/** The sums before the total. A rate of 0 % has none where all that it holds is not taxed for a reason. */
function sumsOf(document: InvoiceDocument): ReturnType<typeof sumsInWords> {
  const untaxed = untaxedOf(document);
  const whys = document.lines.filter(({ taxRate }) => decimal(taxRate).isZero()).map(untaxed);
  return sumsInWords({ ...document, isUntaxed: whys.length > 0 && !whys.includes(null) });
}

/** Without tax there is neither a net nor a gross amount. */
function totalLabel(document: InvoiceDocument): string {
  const { totals } = DOCUMENT_WORDS[document.locale];
  return sumsOf(document).length === 0 ? totals.totalAlone : totals.total;
}

function totalsOf(document: InvoiceDocument): DocumentView['totals'] {
  const { currency, locale } = document;
  const { totals: words, headline } = DOCUMENT_WORDS[locale];
  const { money } = figuresOf(locale);
  const totals: DocumentView['totals'] = [];
  const add = (label: string, text: DecimalText, strong = false): void => {
    totals.push({ label, figure: breakable(money(text, currency)), strong });
  };
  for (const { label, amount } of sumsOf(document)) add(label, amount);
  if (document.kind === 'credit_note') {
    add(headline.totalCredited, document.grandTotal, true);
    return totals;
  }
  add(totalLabel(document), document.grandTotal, true);
  const wallet = decimal(document.walletApplied ?? '0');
  const otherwise = decimal(document.paidAmount).minus(wallet);
  if (!wallet.isZero()) add(words.fromWallet, plain(wallet.negated()));
  if (!otherwise.isZero()) add(words.paid, plain(otherwise.negated()));
  if (!decimal(document.unpaidAmount).eq(document.grandTotal)) add(headline.amountDue, document.unpaidAmount, true);
  return totals;
}

function sentencesOf(document: InvoiceDocument, payable: boolean): DocumentView['terms']['sentences'] {
  const words = DOCUMENT_WORDS[document.locale];
  if (document.kind === 'credit_note') {
    const terms: DocumentView['terms']['sentences'] = [];
    if (document.original) {
      const number = oneLine(document.original.number, MOST.number);
      terms.push(words.corrects(number, figuresOf(document.locale).day(document.original.issuedAt)));
    }
    if (isPresent(document.replacedBy)) terms.push(words.replacedBy(oneLine(document.replacedBy, MOST.number)));
    if (isPresent(document.reason)) terms.push(strange(words.reason(document.reason), MOST.description));
    return terms;
  }
  if (isPaymentOnAccount(document)) {
    return payable ? [words.onAccount, ...termsOf(document)] : [words.onAccount];
  }
  return payable ? termsOf(document) : [];
}

/** Which invoice it replaces. */
function replacedIn({ replaces, locale }: InvoiceDocument): string | null {
  if (!replaces) return null;
  return DOCUMENT_WORDS[locale].replaces(
    oneLine(replaces.number, MOST.number),
    figuresOf(locale).day(replaces.issuedAt),
  );
}

/** Until when to pay, and what to quote. */
const termsOf = (document: InvoiceDocument): string[] => [
  whenToPay(document),
  DOCUMENT_WORDS[document.locale].quote(oneLine(document.number, MOST.number)),
];

/** An absolute http or https address without credentials, as `URL` writes it; null for anything else. */
function webAddress(text: string | null | undefined): string | null {
  if (!isPresent(text) || text.length > MOST_PAYMENT_URL || !URL.canParse(text)) return null;
  const url = new URL(text);
  const web = url.protocol === 'https:' || url.protocol === 'http:';
  return web && url.username === '' && url.password === '' ? url.href : null;
}
