import {
  agreedPriceOf,
  countsUnits,
  type InvoiceRow,
  type LineContext,
  type LineRow,
  notesOfLine,
} from '../../invoicing/index.ts';
import { type Decimal, decimal, plain } from '../../kernel/decimal.ts';
import type { Locale } from '../../kernel/locale.ts';
import {
  breakable,
  type DisplayUnit,
  figuresOf,
  lineNameIn,
  priceFor,
  quantityIn,
  scaleOf,
  taxNames,
  unitOf,
} from '../../look/index.ts';
import { type Html, html, stackedTable, type TableRow } from '../../pages/index.ts';
import { PORTAL_WORDS } from '../words/words.ts';
import type { Visit } from './page.ts';

/** The invoice of some lines, issued or open. */
type InvoiceOfLines = LineContext & Pick<InvoiceRow, 'seller'>;

/** The forms of the figures of some lines. */
interface Forms {
  readonly locale: Locale;
  readonly invoice: InvoiceOfLines;
  /** Do prices and amounts include the tax, as agreed? */
  readonly isInclusive: boolean;
  /** The name of the tax, where the lines have several rates; null: the total of the invoice says it. */
  readonly tax: string | null;
  readonly money: (value: Decimal | string) => string;
  /** For how many units the prices of one list are shown. */
  readonly scales: ReadonlyMap<string | null, number>;
}

/** A quantity with its unit: `34 images`. */
export const quantityOf = (locale: Locale, quantity: Decimal, unit: string): string =>
  [breakable(figuresOf(locale).quantity(quantity)), unitOf(unit, quantity, locale)].join(' ').trim();

/** The same of a line, in its display unit where it has one: `12.4 × 1M tokens`. */
const countOf = (locale: Locale, quantity: Decimal, { metricUnit, workings: of }: LineRow): string =>
  of?.display
    ? `${breakable(numberIn(locale, plain(quantity), of.display))}\u00a0× ${of.display.name}`
    : quantityOf(locale, quantity, metricUnit);

const numberIn = (locale: Locale, text: string, display: DisplayUnit | undefined): string =>
  figuresOf(locale).quantity(display ? quantityIn(text, display) : text);

/** The values of dimensions by which usage was billed apart: `model: atlas-4-pro`. */
export const groupInWords = (group: Readonly<Record<string, string | null>> | null): string[] =>
  Object.entries(group ?? {}).map(([dimension, value]) => `${dimension}: ${value ?? '–'}`);

/** The lines of an invoice that another customer pays: what was used, without money. */
export const linesWithoutMoney = ({ look: { locale } }: Pick<Visit, 'look'>, rows: readonly LineRow[]): Html => {
  const words = PORTAL_WORDS[locale];
  return stackedTable({
    ...{ caption: words.lines, named: words.description, columns: [{ head: words.quantity }] },
    rows: rows
      .filter(({ appliesToLineId: of }) => of === null)
      .map((row) => ({
        name: html`${nameOf(locale, row)}${groupInWords(row.groupValues).map(noteOf)}`,
        cells: [countsUnits(row) ? quantityOf(locale, row.quantity, row.metricUnit) : null],
      })),
  });
};

const nameOf = (locale: Locale, row: LineRow): Html => html`<bdi>${lineNameIn(locale, row.displayName)}</bdi>
<span class="note">${figuresOf(locale).period(row.periodStart, row.periodEnd)}</span>`;

const noteOf = (note: string): Html => html`<span class="note"><bdi>${note}</bdi></span>`;

/** The lines of an invoice, discounts among them, and the way from a quantity to its amount. */
export function explainedLines(
  { look: { locale }, merchant }: Pick<Visit, 'look' | 'merchant'>,
  invoice: InvoiceOfLines,
  rows: readonly LineRow[],
): Html {
  const words = PORTAL_WORDS[locale];
  const figures = figuresOf(locale);
  const isInclusive = invoice.terms?.taxBehavior === 'inclusive';
  const { sum: tax, inSentence } = taxNames(locale, invoice.seller ?? merchant);
  const hasRates = new Set(rows.map(({ taxRate }) => plain(taxRate))).size > 1;
  const forms: Forms = {
    ...{ locale, invoice, isInclusive, tax: hasRates ? tax : null },
    money: (value) => breakable(figures.money(value, invoice.currency)),
    scales: scalesOf(rows, invoice.currency),
  };
  const own = rows.filter(({ appliesToLineId: of }) => of === null);
  const columns = [
    { head: words.quantity },
    { head: isInclusive ? words.unitPriceWithTax : words.unitPrice },
    { head: isInclusive ? words.amountWithTax(inSentence) : words.amount },
  ];
  return html`${isInclusive ? html`<p class="soft">${words.pricesInclude(inSentence)}</p>` : null}
${stackedTable({
  ...{ caption: words.lines, named: words.description, columns },
  rows: own.flatMap((row) => [
    rowOf(forms, row),
    ...rows.filter(({ appliesToLineId: of }) => of === row.id).map((each) => discountRow(forms, each)),
  ]),
})}`;
}

/** Prices of one list have one scale, so that they can be compared. */
function scalesOf(rows: readonly LineRow[], currency: string): Map<string | null, number> {
  const lists = Map.groupBy(rows, ({ priceId }) => priceId);
  return new Map(
    [...lists].map(([id, those]) => {
      const prices = those.flatMap(({ unitPrice, tiers }) => [
        plain(unitPrice),
        ...(tiers ?? []).map((tier) => tier.unitPrice),
      ]);
      return [id, scaleOf(prices, currency)];
    }),
  );
}

const amountOf = ({ isInclusive, money }: Forms, row: LineRow): string =>
  money(isInclusive ? row.totalAmount : row.totalPrice);

function rowOf(forms: Forms, row: LineRow): TableRow {
  const { locale, invoice } = forms;
  const isCounted = countsUnits(row);
  const notes = [...groupInWords(row.groupValues), ...notesOfLine(row, invoice, locale)];
  return {
    name: html`${nameOf(locale, row)}${notes.map(noteOf)}`,
    cells: [
      isCounted ? countOf(locale, row.quantity, row) : null,
      isCounted ? priceOf(forms, row) : null,
      amountOf(forms, row),
    ],
    below: workings(forms, row),
  };
}

const discountRow = (forms: Forms, row: LineRow): TableRow => ({
  name: html`<bdi>${row.displayName === '' ? PORTAL_WORDS[forms.locale].discount : lineNameIn(forms.locale, row.displayName)}</bdi>`,
  cells: [null, null, amountOf(forms, row)],
});

/** A price as it was agreed: by tiers, for a package, a share in percent, or for so many units. */
function priceOf({ locale, money, scales }: Forms, row: LineRow): string {
  const words = PORTAL_WORDS[locale];
  const { percent, quantity } = figuresOf(locale);
  if (row.tiers !== null) return words.tieredPrices;
  const agreed = agreedPriceOf(row);
  if (agreed && 'percent' in agreed) return percent(agreed.percent);
  if (agreed) return `${money(agreed.price)} ${words.per(quantity(agreed.per))}`;
  return scaledPrice({ locale, money }, row.unitPrice, row.workings?.display ?? scales.get(row.priceId) ?? 1);
}

const scaledPrice = (
  { locale, money }: Pick<Forms, 'locale' | 'money'>,
  price: Decimal | string,
  scale: number | DisplayUnit,
): string => {
  if (typeof scale !== 'number') return money(priceFor(price, scale.per));
  const shown = money(priceFor(price, scale));
  return scale === 1 ? shown : `${shown} ${PORTAL_WORDS[locale].per(figuresOf(locale).quantity(String(scale)))}`;
};

/** The tiers of a line and its tax, one level down; null where there is neither. */
function workings(forms: Forms, row: LineRow): Html | null {
  const { locale, money, tax } = forms;
  const words = PORTAL_WORDS[locale];
  if (row.tiers === null && tax === null) return null;
  const fact = (label: string, value: string) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
  const name = lineNameIn(locale, row.displayName);
  return html`<details><summary>${words.howCalculated}<span class="unseen">: <bdi>${name}</bdi></span></summary>
<div class="sub">${row.tiers === null ? null : tiersOf(forms, row, row.tiers)}
${
  tax === null
    ? null
    : html`<dl>${fact(words.subtotal, money(row.totalPrice))}${fact(`${tax} ${figuresOf(locale).percent(row.taxRate)}`, money(row.totalTax))}${fact(words.total, money(row.totalAmount))}</dl>`
}</div></details>`;
}

/** A row for each tier: its quantity, its price and its amount. */
function tiersOf(forms: Forms, row: LineRow, tiers: NonNullable<LineRow['tiers']>): Html {
  const { locale, money, scales } = forms;
  const words = PORTAL_WORDS[locale];
  const { display } = row.workings ?? {};
  const number = (text: string) => numberIn(locale, text, display);
  const hasFlat = tiers.some(({ flatPrice }) => !decimal(flatPrice).isZero());
  return stackedTable({
    ...{ caption: words.tieredPrices, named: words.tieredPrices },
    columns: [
      { head: words.quantity },
      { head: words.unitPrice },
      ...(hasFlat ? [{ head: words.flat }] : []),
      { head: words.amount },
    ],
    rows: tiers.map(({ above, upTo, quantity, unitPrice, flatPrice, amount }) => ({
      name: html`${upTo === null ? words.tierAbove(number(above)) : words.tierUpTo(number(above), number(upTo))}`,
      cells: [
        countOf(locale, decimal(quantity), row),
        scaledPrice(forms, unitPrice, display ?? scales.get(row.priceId) ?? 1),
        ...(hasFlat ? [money(flatPrice)] : []),
        money(amount),
      ],
    })),
  });
}
