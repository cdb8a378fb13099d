import { decimal, plain } from '../kernel/decimal.ts';
import type { DecimalText, InvoiceDocument } from './document.ts';
import { type DocumentView, letterheadOf } from './document-view.ts';
import { breakable, day, money, percent, period } from './format.ts';
import { columnsOf, lineView } from './line-view.ts';
import { MOST, present, strange, type Text, textLines } from './parties.ts';
import { isPaymentOnAccount, taxNote } from './tax-notes.ts';
import { type TaxWord, taxWord } from './tax-words.ts';
import { oneLine } from './text.ts';

const MOST_PAYMENT_URL = 2048;

/** An invoice or a credit note in words and figures. */
export function invoiceView(document: InvoiceDocument): DocumentView {
  const credit = document.kind === 'credit_note';
  const head = letterheadOf(document, titleOf(document), 'Sandbox – not a tax document');
  const payable = !credit && decimal(document.unpaidAmount).gt(0);
  const payment = payable ? webAddress(document.paymentUrl) : null;
  const taxIncluded = document.taxIncluded === true;
  const lines = document.lines.map((line) => lineView(line, { currency: document.currency, taxIncluded }));
  const note = taxNote(document);
  const tax = lowered(head.taxWord);
  const included = taxIncluded ? `Prices and amounts of the lines include ${tax}.` : null;
  return {
    ...head,
    buyerLabel: credit ? 'Credited to' : 'Billed to',
    facts: factsOf(document, head.number),
    headline: headlineOf(document, payable, payment),
    columns: columnsOf(lines),
    amountLabel: taxIncluded ? `${document.currency} incl. ${tax}` : `Amount ${document.currency}`,
    lines,
    totals: totalsOf(document),
    terms: { heading: credit ? 'About this credit' : 'Payment', sentences: sentencesOf(document, payable) },
    payment: payment === null ? null : { address: payment, shown: oneLine(payment, 200) },
    bankTransfer: payable && payment === null ? accountOf(document.bankTransfer) : [],
    notes: [included, note, document.notes].flatMap((text) => textLines(text, MOST.note, 40)),
  };
}

/** The name of the tax inside a sentence. */
const lowered = (word: TaxWord): string => (word === 'Tax' ? 'tax' : word);

function titleOf(document: InvoiceDocument): string {
  if (document.kind === 'credit_note') return 'Credit note';
  return isPaymentOnAccount(document) ? 'Payment on account' : 'Invoice';
}

/** The account to which money is sent, its number in groups of four as banks print it. */
function accountOf(account: InvoiceDocument['bankTransfer']): DocumentView['bankTransfer'] {
  const { holder, iban, account: number, bank, bic } = account ?? {};
  const entries: [string, string | null | undefined][] = [
    ['Account holder', holder],
    ['IBAN', iban?.replace(/(.{4})(?=.)/g, '$1\u00a0')],
    ['Account', number],
    ['BIC', bic],
    ['Bank', bank],
  ];
  const shown = entries.flatMap(([label, value]) =>
    present(value) ? [{ label, value: strange(value, MOST.addressLine) }] : [],
  );
  const notes = textLines(account?.note, MOST.footer, 6).map((value) => ({ label: '', value }));
  return [...shown, ...notes];
}

function factsOf(document: InvoiceDocument, number: Text): DocumentView['facts'] {
  const facts: DocumentView['facts'] = [
    {
      label:
        document.kind === 'credit_note' ? 'Credit note' : isPaymentOnAccount(document) ? 'Number' : 'Invoice number',
      value: number,
    },
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
  const word = taxWord(document.seller);
  add(document.taxIncluded ? `Subtotal without ${lowered(word)}` : 'Subtotal', document.subtotal);
  for (const tax of document.taxes) add(`${word} ${percent(tax.rate)} on ${money(tax.base, currency)}`, tax.amount);
  if (document.taxes.length !== 1) add(word === 'Tax' ? 'Total tax' : `Total ${word}`, document.totalTax);
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

function sentencesOf(document: InvoiceDocument, payable: boolean): DocumentView['terms']['sentences'] {
  if (document.kind === 'credit_note') {
    const terms: DocumentView['terms']['sentences'] = [];
    if (document.original) {
      const number = oneLine(document.original.number, MOST.number);
      terms.push(`This credit note corrects invoice ${number} of ${day(document.original.issuedAt)}.`);
    }
    if (present(document.reason)) terms.push(strange(`Reason: ${document.reason}`, MOST.description));
    return terms;
  }
  if (isPaymentOnAccount(document)) {
    const account = 'This payment goes to your wallet and pays later invoices. They state the taxes.';
    return payable ? [account, ...termsOf(document)] : [account];
  }
  return payable ? termsOf(document) : [];
}

/** Until when to pay, and what to quote. */
function termsOf(document: InvoiceDocument): string[] {
  const days = document.paymentTermDays;
  const when = days === 0 ? 'on receipt' : `within ${days} ${days === 1 ? 'day' : 'days'}`;
  const until = document.dueAt ? `, by ${day(document.dueAt)}` : '';
  return [
    `Payment is due ${when}${until}.`,
    `Please quote ${oneLine(document.number, MOST.number)} with your payment.`,
  ];
}

/** An absolute http or https address without credentials, as `URL` writes it; null for anything else. */
function webAddress(text: string | null | undefined): string | null {
  if (!present(text) || text.length > MOST_PAYMENT_URL || !URL.canParse(text)) return null;
  const url = new URL(text);
  const web = url.protocol === 'https:' || url.protocol === 'http:';
  return web && url.username === '' && url.password === '' ? url.href : null;
}
