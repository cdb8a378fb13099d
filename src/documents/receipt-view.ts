import { cardBrandName } from '../kernel/card-brand.ts';
import { decimal, plain } from '../kernel/decimal.ts';
import type { DecimalText, ReceiptDocument } from './document.ts';
import { type DocumentView, letterheadOf } from './document-view.ts';
import { breakable, day, money } from './format.ts';
import { MOST, present, strange } from './parties.ts';
import { oneLine } from './text.ts';

/** A receipt in words and figures: what was paid, how and when, for which invoice, and what remains to be paid. */
export function receiptView(document: ReceiptDocument): DocumentView {
  const head = letterheadOf(document, 'Receipt', 'Sandbox – no money was paid');
  const paidOn = `Paid on ${day(document.receivedAt)}`;
  return {
    ...head,
    buyerLabel: 'Received from',
    facts: factsOf(document),
    headline: {
      label: 'Amount paid',
      figure: breakable(money(document.amount, document.currency)),
      note: `${paidOn} ${methodPhrase(document)}`,
      payment: null,
    },
    columns: null,
    amountLabel: '',
    lines: [],
    totals: totalsOf(document),
    terms: {
      heading: 'About this receipt',
      sentences: [
        `This receipt confirms a payment of invoice ${oneLine(document.invoice.number, MOST.number)}.`,
        'The invoice states the taxes. This receipt is not an invoice.',
      ],
    },
    payment: null,
    bankTransfer: [],
    notes: [],
  };
}

function factsOf(document: ReceiptDocument): DocumentView['facts'] {
  const facts: DocumentView['facts'] = [
    { label: 'Receipt number', value: strange(document.number, MOST.number) },
    { label: 'Paid on', value: day(document.receivedAt) },
    { label: 'Paid by', value: methodName(document) },
  ];
  if (present(document.reference)) facts.push({ label: 'Reference', value: strange(document.reference, MOST.group) });
  facts.push({ label: 'Invoice', value: strange(document.invoice.number, MOST.number) });
  facts.push({ label: 'Invoice issued', value: day(document.invoice.issuedAt) });
  return facts;
}

function totalsOf(document: ReceiptDocument): DocumentView['totals'] {
  const totals: DocumentView['totals'] = [];
  const add = (label: string, text: DecimalText, strong = false): void => {
    totals.push({ label, figure: breakable(money(text, document.currency)), strong });
  };
  const wallet = decimal(document.walletAmount);
  const applied = decimal(document.amount).minus(wallet);
  add('Invoice total', document.invoice.total);
  if (!decimal(document.settledBefore).isZero())
    add('Paid or credited before', plain(decimal(document.settledBefore).negated()));
  add(wallet.isZero() ? 'This payment' : 'This payment, as far as it was due', plain(applied.negated()));
  add('Remaining on the invoice', document.remaining, true);
  if (!wallet.isZero()) add('Overpaid, added to the wallet', document.walletAmount);
  return totals;
}

function methodName({ method, card }: ReceiptDocument): string {
  if (method === 'card') return card ? `${cardBrandName(card.brand) ?? 'Card'} ending in ${card.last4}` : 'Card';
  return { bank_transfer: 'Bank transfer', cash: 'Cash', other: 'Other means' }[method];
}

function methodPhrase(document: ReceiptDocument): string {
  if (document.method === 'card')
    return document.card
      ? `with ${cardBrandName(document.card.brand) ? methodName(document) : `a card ending in ${document.card.last4}`}`
      : 'by card';
  return { bank_transfer: 'by bank transfer', cash: 'in cash', other: 'by other means' }[document.method];
}
