import { decimal } from '../kernel/decimal.ts';
import type { DocumentLine, DocumentTier } from './document.ts';
import type { DocumentView, LineView } from './document-view.ts';
import { amount, breakable, percent, period, quantity } from './format.ts';
import { MOST, present, strange } from './parties.ts';

const MOST_GROUPS = 12;

/** A line of the table in words and figures. */
export function lineView(line: DocumentLine, currency: string): LineView {
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
export function columnsOf(lines: readonly LineView[]): DocumentView['columns'] {
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
