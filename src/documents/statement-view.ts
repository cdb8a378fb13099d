import { breakable, figuresOf, oneLine, TERMS } from '../look/index.ts';
import type { StatementDocument, StatementEntry } from './document.ts';
import { type DocumentView, letterheadOf, type StatementTable } from './document-view.ts';
import { MOST, strange } from './parties.ts';
import { statementEntryIn } from './statement-words.ts';
import { DOCUMENT_WORDS } from './words.ts';

const LEAST_WIDTH = 10;
const MOST_WIDTH = 18;

/** A statement in words and figures: its entries, each with the balance after it, between two balances. */
export function statementView(document: StatementDocument): DocumentView {
  const { currency, from, to, locale } = document;
  const { statement: words } = DOCUMENT_WORDS[locale];
  const { money, period } = figuresOf(locale);
  const head = letterheadOf(document, words.title, words.sandbox);
  return {
    ...head,
    buyerLabel: words.accountOf,
    facts: [
      { label: words.period, value: period(from, to) },
      { label: words.opening, value: breakable(money(document.openingBalance, currency)) },
    ],
    headline: {
      label: words.closing,
      figure: breakable(money(document.closingBalance, currency)),
      note: null,
      payment: null,
    },
    columns: null,
    unitPriceLabel: '',
    amountLabel: '',
    lines: [],
    statement: tableOf(document),
    totals: [],
    terms: { heading: words.about, sentences: [words.signs, words.noInvoice] },
    payment: null,
    bankTransfer: [],
    notes: [],
  };
}

function tableOf(document: StatementDocument): StatementTable {
  const { currency, locale, entries, openingBalance, closingBalance } = document;
  const { statement: words } = DOCUMENT_WORDS[locale];
  const { amount, money, shortDay } = figuresOf(locale);
  const balanceRow = (description: string, balance: string) => ({
    ...{ date: '', description: { text: description, rtl: false }, amount: '' },
    balance: breakable(amount(balance, currency)),
    strong: true,
  });
  const entryRow = (entry: StatementEntry) => ({
    date: shortDay(entry.date),
    description: strange(
      statementEntryIn(locale, { ...entry, name: entry.name && oneLine(entry.name, MOST.name) }, (moved) =>
        money(moved, currency),
      ),
      MOST.description,
    ),
    amount: breakable(amount(entry.amount, currency)),
    balance: breakable(amount(entry.balance, currency)),
    strong: false,
  });
  const rows = [
    balanceRow(words.opening, openingBalance),
    ...entries.map(entryRow),
    balanceRow(words.closing, closingBalance),
  ];
  const heads = {
    date: words.date,
    description: TERMS[locale].description,
    amount: words.change(currency),
    balance: words.balance,
  };
  const widthOf = (column: 'date' | 'amount' | 'balance'): number =>
    Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, heads[column].length, ...rows.map((row) => row[column].length)));
  return { heads, widths: { date: widthOf('date'), amount: widthOf('amount'), balance: widthOf('balance') }, rows };
}
