import { decimal } from '../kernel/decimal.ts';
import type { Locale } from '../kernel/locale.ts';
import { breakable, type DisplayUnit, figuresOf, priceFor, quantityIn, type Scale, unitOf } from '../look/index.ts';
import type { DocumentLine, DocumentTier } from './document.ts';
import type { DocumentView, LineView } from './document-view.ts';
import { isPresent, MOST, strange } from './parties.ts';
import { DOCUMENT_WORDS } from './words.ts';

const MOST_GROUPS = 12;

/** The form of prices: an inclusive document shows them with the tax, as agreed. */
interface Shown {
  readonly currency: string;
  readonly taxIncluded: boolean;
  readonly locale: Locale;
  /** For how many units the line shows its prices. */
  readonly scale: Scale;
  /** The unit of its quantities and prices, where it is another one than the line's. */
  readonly display?: DisplayUnit | null;
  /** There is no tax on the line, not even one of 0 %. */
  readonly isUntaxed: boolean;
}

/** A line of the table in words and figures. */
export function lineView(line: DocumentLine, of: Omit<Shown, 'display'>): Omit<LineView, 'opens' | 'closes'> {
  const shown: Shown = { ...of, display: line.display ?? null };
  const { currency, taxIncluded, locale } = shown;
  const { amount, percent, period } = figuresOf(locale);
  const tiers = line.tiers ?? [];
  const description = strange(line.description, MOST.description);
  const group = Object.entries(line.group ?? {})
    .slice(0, MOST_GROUPS)
    .map(([dimension, value]) => strange(`${dimension}: ${value ?? '–'}`, MOST.group));
  const notes = (line.notes ?? []).map((note) => strange(note, MOST.description));
  const characters = [description, ...group, ...notes].reduce((total, { text }) => total + text.length, 0);
  const isAmount = line.isAmount === true;
  return {
    description,
    period: line.periodStart && line.periodEnd ? period(line.periodStart, line.periodEnd) : null,
    notes,
    group,
    keepTogether: characters <= 500 && tiers.length <= 20,
    ...(isAmount ? { quantity: '', unit: null } : quantityOf(line, shown)),
    ...(tiers.length > 0 ? { unitPrice: DOCUMENT_WORDS[locale].price.tiered, per: null } : priceOf(line, shown)),
    tax: shown.isUntaxed ? '—' : breakable(percent(line.taxRate)),
    amount: breakable(amount((taxIncluded ? line.grossAmount : null) ?? line.amount, currency)),
    tiers: tiers.map((tier) => tierView(tier, shown)),
  };
}

/** `12.4 ×` of `1M tokens`; without a display unit the quantity and its own unit. */
function quantityOf({ quantity: text, unit }: DocumentLine, shown: Shown): Pick<LineView, 'quantity' | 'unit'> {
  const { display, locale } = shown;
  if (display)
    return { quantity: breakable(`${quantityText(text, shown)}\u00a0×`), unit: strange(display.name, MOST.unit) };
  return {
    quantity: breakable(quantityText(text, shown)),
    unit: isPresent(unit) ? strange(unitOf(unit, text, locale), MOST.unit) : null,
  };
}

const quantityText = (text: string, { display, locale }: Shown): string =>
  figuresOf(locale).quantity(display ? quantityIn(text, display) : text);

type PriceView = Pick<LineView, 'unitPrice' | 'per'>;

/** A price as it was agreed: for a package, a part in percent, or for so many units that it has few digits. */
function priceOf({ agreed, unitPrice, isAmount }: DocumentLine, shown: Shown): PriceView {
  if (isAmount === true) return { unitPrice: '', per: null };
  if (!agreed) return unitPriceOf(unitPrice, shown);
  const { amount, percent, quantity } = figuresOf(shown.locale);
  if ('percent' in agreed) return { unitPrice: breakable(percent(agreed.percent)), per: null };
  const { price, per } = agreed;
  return {
    unitPrice: breakable(amount(price, shown.currency)),
    per: DOCUMENT_WORDS[shown.locale].price.per(quantity(per)),
  };
}

/** `0.15 per 1,000,000` for 0.00000015. */
function unitPriceOf(text: string, { currency, locale, scale, display }: Shown): PriceView {
  const { amount, quantity } = figuresOf(locale);
  return {
    unitPrice: breakable(amount(priceFor(text, scale), currency)),
    per: scale === 1 || display ? null : DOCUMENT_WORDS[locale].price.per(quantity(String(scale))),
  };
}

function tierView(tier: DocumentTier, shown: Shown): LineView['tiers'][number] {
  const { currency, locale } = shown;
  const { amount } = figuresOf(locale);
  const quantity = (text: string) => quantityText(text, shown);
  const words = DOCUMENT_WORDS[locale].price;
  const open = decimal(tier.from).isZero() ? words.allUnits : words.over(quantity(tier.from));
  const bounds = tier.upTo === null ? open : `${quantity(tier.from)} – ${quantity(tier.upTo)}`;
  const flat = tier.flatPrice != null && !decimal(tier.flatPrice).isZero() ? amount(tier.flatPrice, currency) : null;
  return {
    range: flat === null ? bounds : words.plusFlat(bounds, flat),
    quantity: breakable(quantity(tier.quantity)),
    ...unitPriceOf(tier.unitPrice, shown),
    amount: breakable(amount(tier.amount, currency)),
  };
}

/** Heads are in a smaller type. */
const OF_HEADS = 0.8;
const LEAST_CHARACTERS = { quantity: 9, unitPrice: 10, tax: 5, amount: 11 };
const MOST_CHARACTERS = { quantity: 16, unitPrice: 16, tax: 12, amount: 18 };

/**
 * Columns are as wide as their head and their longest figure, within bounds: beyond them a figure breaks after a
 * separator and nothing is lost.
 */
export function columnsOf(
  lines: readonly LineView[],
  heads: Readonly<Record<'quantity' | 'unitPrice' | 'tax' | 'amount', string>>,
): NonNullable<DocumentView['columns']> {
  const widest = (column: keyof typeof heads): number => {
    let most = Math.max(LEAST_CHARACTERS[column], Math.ceil(heads[column].length * OF_HEADS));
    for (const line of lines) {
      most = Math.max(most, line[column].length);
      if (column === 'unitPrice' && line.per !== null) most = Math.max(most, line.per.length);
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
