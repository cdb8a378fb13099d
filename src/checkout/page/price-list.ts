import type { CatalogPrice } from '../../catalog/index.ts';
import { displayUnitOf, modelOf, type ShownPrice } from '../../invoicing/rating/index.ts';
import { type Decimal, decimal } from '../../kernel/decimal.ts';
import type { Locale } from '../../kernel/locale.ts';
import { isOnce, parseCadence } from '../../kernel/time.ts';
import { type DisplayUnit, figuresOf, pluralOf, priceFor, type Scale, scaleOf, unitOf } from '../../look/index.ts';
import { type Html, html, stackedTable, type TableRow } from '../../pages/index.ts';
import { CHECKOUT_WORDS } from './words.ts';

/** How prices are written: in a language and a currency. */
interface Writing {
  readonly locale: Locale;
  readonly currency: string;
  readonly planCadence: string;
}

/** The prices of a plan in their order: sentences, and tables of what differs by quantity or by kind. */
export const priceList = (prices: readonly CatalogPrice[], writing: Writing): Html =>
  html`<ul class="prices">${prices.map((price) => html`<li>${priceOf(price, writing)}</li>\n`)}</ul>`;

function priceOf(price: CatalogPrice, writing: Writing): Html {
  const { locale, currency, planCadence } = writing;
  const words = CHECKOUT_WORDS[locale];
  const { money } = figuresOf(locale);
  const often = cadenceInWords(price.billingCadence ?? planCadence, locale);
  const { sentence, table } = shownIn(price, writing, often);
  const more = [
    ...includedIn(price, writing, often),
    ...(price.minimumAmount === null ? [] : [`${words.atLeast(money(price.minimumAmount, currency))} ${often}`]),
    ...(price.maximumAmount === null ? [] : [`${words.atMost(money(price.maximumAmount, currency))} ${often}`]),
  ];
  return html`<p class="of-price"><strong dir="auto">${price.invoiceDisplayName}</strong> <span>${sentence}</span></p>${more.map((text) => html`<p class="note">${text}</p>`)}${table}`;
}

/** `every month`, `every 2 weeks`, `once`. */
function cadenceInWords(cadence: string, locale: Locale): string {
  const words = CHECKOUT_WORDS[locale];
  const parsed = isOnce(cadence) ? null : parseCadence(cadence);
  if (parsed === null) return words.once;
  const { months, days } = parsed;
  if (months > 0) return months % 12 === 0 ? words.every.year(months / 12) : words.every.month(months);
  return days % 7 === 0 ? words.every.week(days / 7) : words.every.day(days);
}

function includedIn({ pricing, metric }: CatalogPrice, { locale }: Writing, often: string): string[] {
  const { includedUnits } = pricing.properties as { includedUnits?: string | number | Decimal };
  if (includedUnits == null || decimal(includedUnits).isZero()) return [];
  return [CHECKOUT_WORDS[locale].included(countOf(decimal(includedUnits), metric?.unit, locale), often)];
}

/** `1,000 tokens`. */
const countOf = (count: Decimal, unit: string | undefined, locale: Locale): string =>
  `${figuresOf(locale).quantity(count)}\u00a0${unitOf(unit || 'unit', count, locale)}`;

interface Shown {
  readonly sentence: string;
  readonly table: Html | null;
}

const said = (sentence: string): Shown => ({ sentence, table: null });

/** A price as its model says it; of a fee with its cadence. */
function shownIn({ pricing, metric, quantity, displayUnit }: CatalogPrice, writing: Writing, often: string): Shown {
  const { locale, currency } = writing;
  const words = CHECKOUT_WORDS[locale];
  const { money, quantity: number, percent } = figuresOf(locale);
  const shown = modelOf(pricing).describe(pricing.properties);
  const unit = displayUnitOf({ pricing, displayUnit, metric }) ?? (metric?.unit || 'unit');
  const ownUnit = metric?.unit || 'unit';
  const isFee = metric === null;
  const free = (price: Decimal, text: string) => (price.isZero() ? words.free : text);
  switch (shown.kind) {
    case 'unit': {
      const { unitPrice } = shown;
      if (!isFee) return said(free(unitPrice, perUnits(unitPrice, scaleIn([unitPrice], unit, writing), unit, writing)));
      const each = money(unitPrice, currency);
      return said(free(unitPrice, `${quantity.eq(1) ? each : words.quantity(number(quantity), each)} ${often}`));
    }
    case 'tiers': {
      const rule = shown.byVolume ? words.byVolume : words.byTier;
      const sentence = isFee ? `${words.forUnits(countOf(quantity, undefined, locale))} ${often}; ${rule}` : rule;
      return { sentence, table: tiersTable(shown, unit, writing) };
    }
    case 'packages': {
      const { price, size } = shown;
      const text = words.byPackage(money(price, currency), countOf(size, ownUnit, locale));
      return said(free(price, isFee ? `${text}, ${often}` : text));
    }
    case 'share': {
      const { percent: part, fixed, each } = shown;
      const within = ({ least, most }: Pick<typeof shown, 'least' | 'most'>) => [
        ...(least === null ? [] : [words.atLeast(money(least, currency))]),
        ...(most === null ? [] : [words.atMost(money(most, currency))]),
      ];
      return said(
        [
          words.share(percent(part), ownUnit),
          ...(fixed.isZero() ? [] : [words.perEvent(money(fixed, currency))]),
          ...(each ? within(each).map(words.ofEach) : []),
          ...(!each || each.free.isZero() ? [] : [words.freeEvents(number(each.free))]),
          ...within(shown),
        ].join(', '),
      );
    }
    case 'cells':
      return cellsTable(shown, unit, writing);
    case 'cost':
      return said(shown.factor.eq(1) ? words.perUse : words.perUseTimes(number(shown.factor)));
  }
}

/** The unit of a metric, or the one in which the price is shown. */
type Unit = string | DisplayUnit;

const oneOf = (unit: Unit, locale: Locale): string =>
  typeof unit === 'string' ? unitOf(unit, '1', locale) : unit.name;

/** For how many units the prices of a list are shown. */
const scaleIn = (prices: readonly Decimal[], unit: Unit, { currency }: Writing): Scale =>
  typeof unit === 'string' ? scaleOf(prices, currency) : unit.per;

/** `€0.35 per image`, `€3.00 per 1,000,000 tokens`. */
function perUnits(price: Decimal, scale: Scale, unit: Unit, { locale, currency }: Writing): string {
  const amount = figuresOf(locale).money(priceFor(price, scale), currency);
  return typeof unit === 'string' && scale !== 1
    ? `${amount} ${per(scale, unit, locale)}`
    : CHECKOUT_WORDS[locale].each(amount, oneOf(unit, locale));
}

/** `per 1,000,000 tokens`. */
const per = (scale: Scale, unit: Unit, locale: Locale): string =>
  scale === 1 || typeof unit !== 'string'
    ? CHECKOUT_WORDS[locale].each('', oneOf(unit, locale)).trim()
    : CHECKOUT_WORDS[locale].per(countOf(decimal(scale), unit, locale));

type Of<Kind extends ShownPrice['kind']> = Extract<ShownPrice, { kind: Kind }>;

/** A row for each tier: its bounds and its price, and its flat price where any has one. */
function tiersTable({ tiers }: Of<'tiers'>, unit: Unit, writing: Writing): Html {
  const { locale, currency } = writing;
  const words = CHECKOUT_WORDS[locale];
  const { money, quantity } = figuresOf(locale);
  const scale = scaleIn(
    tiers.map(({ unitPrice }) => unitPrice),
    unit,
    writing,
  );
  const hasFlat = tiers.some(({ flatPrice }) => !flatPrice.isZero());
  const bound = ({ above, upTo }: (typeof tiers)[number]) => {
    if (upTo !== null) return words.upTo(quantity(upTo));
    return above.isZero() ? words.anyQuantity : words.above(quantity(above));
  };
  return rates({
    ...{ caption: words.prices, named: words.quantityHead },
    columns: [{ head: per(scale, unit, locale) }, ...(hasFlat ? [{ head: words.flatHead }] : [])],
    rows: tiers.map((tier) => ({
      name: html`${bound(tier)}`,
      cells: [
        priceText(tier.unitPrice, scale, currency, locale),
        ...(hasFlat ? [tier.flatPrice.isZero() ? '–' : money(tier.flatPrice, currency)] : []),
      ],
    })),
  });
}

const priceText = (price: Decimal, scale: Scale, currency: string, locale: Locale): string =>
  price.isZero() ? CHECKOUT_WORDS[locale].free : figuresOf(locale).money(priceFor(price, scale), currency);

/** A phone has room for columns of prices with so many characters in all, beside a name. */
const MOST_CHARACTERS = 24;
const ROWS_SHOWN = 12;
const FOLDS_FROM = 16;

/**
 * The prices by the values of dimensions, on one scale: a table of two dimensions where each cell names both; else a
 * row for each cell, of which the first that matches counts.
 */
function cellsTable(price: Of<'cells'>, unit: Unit, writing: Writing): Shown {
  const { cells, dimensions, others } = price;
  const { locale, currency } = writing;
  const words = CHECKOUT_WORDS[locale];
  const scale = scaleIn([...cells.map(({ unitPrice }) => unitPrice), others], unit, writing);
  const text = (each: Decimal) => priceText(each, scale, currency, locale);
  if (cells.length === 0) return said(others.isZero() ? words.free : perUnits(others, scale, unit, writing));
  const grid = gridOf(price, text);
  const named = html`${words.others}`;
  const rows: TableRow[] = grid
    ? grid.rows.map(({ name, prices }) => ({
        name: html`<bdi>${name}</bdi>`,
        cells: prices.map((each) => text(each ?? others)),
      }))
    : cells.map(({ match, unitPrice }) => ({
        name: html`<bdi>${dimensions.map((name) => match[name] ?? words.any).join(' · ')}</bdi>`,
        cells: [text(unitPrice)],
      }));
  const columns = (grid?.columns ?? [words.price]).map((head) => ({ head }));
  const last: TableRow = { name: named, cells: columns.map(() => text(others)) };
  const tableOf = (some: readonly TableRow[]) =>
    rates({ caption: words.prices, named: grid?.rowName ?? dimensions.join(' · '), columns, rows: some });
  const shown = rows.length < FOLDS_FROM ? rows : rows.slice(0, ROWS_SHOWN);
  const folded = rows.slice(shown.length);
  const fold =
    folded.length === 0
      ? null
      : html`<details><summary>${`${folded.length} ${pluralOf(locale, folded.length, words.morePrices)}`}</summary>${tableOf(folded)}</details>`;
  return {
    sentence: per(scale, unit, locale),
    table: html`${tableOf(folded.length === 0 ? [...shown, last] : shown)}${fold}${folded.length === 0 ? null : tableOf([last])}`,
  };
}

const rates = (table: Parameters<typeof stackedTable>[0]): Html =>
  html`<div class="rates">${stackedTable(table)}</div>`;

interface Grid {
  readonly rowName: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly name: string; readonly prices: readonly (Decimal | null)[] }[];
}

/** Two dimensions as rows and columns, the longer one as rows; null where they are not two, or a phone has no room. */
function gridOf({ dimensions, cells, others }: Of<'cells'>, text: (price: Decimal) => string): Grid | null {
  const [one, other, ...further] = dimensions;
  if (one === undefined || other === undefined || further.length > 0) return null;
  if (cells.some(({ match }) => match[one] === undefined || match[other] === undefined)) return null;
  const valuesOf = (name: string) => [...new Set(cells.map(({ match }) => match[name] as string))];
  const isTall = valuesOf(one).length >= valuesOf(other).length;
  const [rowName, columnName] = isTall ? [one, other] : [other, one];
  const columns = valuesOf(columnName);
  const prices = new Map(
    cells.map(({ match, unitPrice }) => [JSON.stringify([match[rowName], match[columnName]]), unitPrice]),
  );
  const rows = valuesOf(rowName).map((name) => ({
    name,
    prices: columns.map((column) => prices.get(JSON.stringify([name, column])) ?? null),
  }));
  const words = (index: number) => [columns[index] ?? '', ...rows.map((row) => text(row.prices[index] ?? others))];
  const widthOf = (some: readonly string[]) => some.reduce((most, { length }) => (length > most ? length : most), 0);
  const width = columns.reduce((all, _, index) => all + widthOf(words(index)), 0);
  return width > MOST_CHARACTERS ? null : { rowName, columns, rows };
}
