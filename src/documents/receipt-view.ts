import { cardBrandName } from '../kernel/card-brand.ts';
import { decimal, plain } from '../kernel/decimal.ts';
import { breakable, figuresOf, oneLine } from '../look/index.ts';
import type { DecimalText, ReceiptDocument } from './document.ts';
import { type DocumentView, letterheadOf } from './document-view.ts';
import { isPresent, MOST, strange } from './parties.ts';
import { DOCUMENT_WORDS } from './words.ts';

/**
 * A receipt in words and figures: the amount, the means and the time of the payment, its invoice, and the remainder.
 */
export function receiptView(document: ReceiptDocument): DocumentView {
  const { receipt: words, ...all } = DOCUMENT_WORDS[document.locale];
  const { money, day } = figuresOf(document.locale);
  const head = letterheadOf(document, all.titles.receipt, all.sandboxReceipt);
  return {
    ...head,
    buyerLabel: all.receivedFrom,
    facts: factsOf(document),
    headline: {
      label: all.headline.amountPaid,
      figure: breakable(money(document.amount, document.currency)),
      note: words.paidOn(day(document.receivedAt), methodPhrase(document)),
      payment: null,
    },
    columns: null,
    unitPriceLabel: '',
    amountLabel: '',
    lines: [],
    statement: null,
    totals: totalsOf(document),
    terms: {
      heading: words.about,
      sentences: [words.confirms(oneLine(document.invoice.number, MOST.number)), words.noTaxes],
    },
    payment: null,
    bankTransfer: [],
    notes: [],
  };
}

function factsOf(document: ReceiptDocument): DocumentView['facts'] {
  const words = DOCUMENT_WORDS[document.locale].facts;
  const { day } = figuresOf(document.locale);
  const facts: DocumentView['facts'] = [
    { label: words.receiptNumber, value: strange(document.number, MOST.number) },
    { label: words.paidOn, value: day(document.receivedAt) },
    { label: words.paidBy, value: methodName(document) },
  ];
  if (isPresent(document.reference))
    facts.push({ label: words.reference, value: strange(document.reference, MOST.group) });
  facts.push({ label: words.invoice, value: strange(document.invoice.number, MOST.number) });
  facts.push({ label: words.invoiceIssued, value: day(document.invoice.issuedAt) });
  return facts;
}

function totalsOf(document: ReceiptDocument): DocumentView['totals'] {
  const words = DOCUMENT_WORDS[document.locale].receipt;
  const { money } = figuresOf(document.locale);
  const totals: DocumentView['totals'] = [];
  const add = (label: string, text: DecimalText, strong = false): void => {
    totals.push({ label, figure: breakable(money(text, document.currency)), strong });
  };
  const wallet = decimal(document.walletAmount);
  const applied = decimal(document.amount).minus(wallet);
  add(words.invoiceTotal, document.invoice.total);
  if (!decimal(document.paidBefore).isZero()) add(words.paidBefore, plain(decimal(document.paidBefore).negated()));
  add(wallet.isZero() ? words.thisPayment : words.thisPaymentAsDue, plain(applied.negated()));
  add(words.remaining, document.remaining, true);
  if (!wallet.isZero()) add(words.overpaid, document.walletAmount);
  return totals;
}

function methodName({ locale, method, card }: ReceiptDocument): string {
  const { cardEndingIn, methods } = DOCUMENT_WORDS[locale].receipt;
  return method === 'card' && card ? cardEndingIn(cardBrandName(card.brand) ?? null, card.last4) : methods[method];
}

function methodPhrase({ locale, method, card }: ReceiptDocument): string {
  const { paidWithCard, paidWith } = DOCUMENT_WORDS[locale].receipt;
  return method === 'card' && card ? paidWithCard(cardBrandName(card.brand) ?? null, card.last4) : paidWith[method];
}
