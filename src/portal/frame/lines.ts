import { type LineContext, type LineRow, notesOfLine } from '../../invoicing/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { Locale } from '../../kernel/locale.ts';
import type { Instant } from '../../kernel/time.ts';
import { figuresOf } from '../../look/index.ts';
import { type Html, html } from '../../pages/index.ts';
import { PORTAL_WORDS } from '../words/words.ts';

/** The last day of a stretch of time, whose end belongs to the next one. */
const lastDay = (end: Instant): Instant => end.subtract({ nanoseconds: 1 });

/** `1 March 2026 to 31 March 2026`; one day alone where it is no longer. */
export function stretch(locale: Locale, from: Instant, to: Instant): string {
  const { day } = figuresOf(locale);
  const [first, last] = [day(from), day(Temporal.Instant.compare(from, to) < 0 ? lastDay(to) : to)];
  return first === last ? first : PORTAL_WORDS[locale].fromTo(first, last);
}

/** The lines of an invoice, each with how it came about one level down. */
export function explainedLines(locale: Locale, invoice: LineContext, rows: readonly LineRow[]): Html {
  const words = PORTAL_WORDS[locale];
  const formats = figuresOf(locale);
  const line = (row: LineRow): Html =>
    html`<tr><th scope="row" class="start"><span dir="auto">${row.displayName}</span>${groupOf(row)}
<span class="note">${stretch(locale, row.periodStart, row.periodEnd)}</span>
<details><summary>${words.howCalculated}<span class="unseen">: ${row.displayName}</span></summary>${workings(locale, invoice, row, rows)}</details></th>
<td>${formats.money(row.totalPrice, invoice.currency)}</td></tr>
`;
  const own = rows.filter(({ appliesToLineId: of }) => of === null);
  return html`<table><caption class="unseen">${words.lines}</caption><tbody>${own.map(line)}</tbody></table>`;
}

/** The values of dimensions by which usage was billed apart. */
const groupOf = ({ groupValues: group }: LineRow): Html | null => {
  const values = Object.values(group ?? {}).filter((value) => value !== null);
  return values.length === 0 ? null : html` <span class="note" dir="auto">${values.join(', ')}</span>`;
};

function workings(locale: Locale, invoice: LineContext, row: LineRow, all: readonly LineRow[]): Html {
  const { currency } = invoice;
  const words = PORTAL_WORDS[locale];
  const { money, quantity: number } = figuresOf(locale);
  const fact = (label: string, value: string) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
  const discounts = all.filter(({ appliesToLineId: of }) => of === row.id);
  const unit = row.metricUnit === '' ? '' : ` ${row.metricUnit}`;
  return html`<div class="sub"><dl>
${fact(words.quantity, `${number(row.quantity)}${unit}`)}
${row.tiers === null ? fact(words.unitPrice, `${number(row.unitPrice)} ${currency}`) : null}
</dl>${row.tiers === null ? null : tiersOf(locale, currency, row.tiers)}
${notesOfLine(row, invoice, locale).map((note) => html`<p class="note" dir="auto">${note}</p>`)}<dl>
${fact(words.amount, money(row.totalPrice, currency))}
${discounts.map((each) => fact(each.displayName === '' ? words.discount : each.displayName, money(each.totalPrice, currency)))}
${row.taxRate.isZero() ? fact(words.tax, words.noTax) : fact(words.taxOf(number(row.taxRate)), money(row.totalTax, currency))}
${fact(words.withTax, money(row.totalAmount, currency))}
</dl></div>`;
}

/** A row for each tier: its quantity and its amount. */
function tiersOf(locale: Locale, currency: string, tiers: NonNullable<LineRow['tiers']>): Html {
  const words = PORTAL_WORDS[locale];
  const { quantity: number } = figuresOf(locale);
  const figure = (text: string) => number(decimal(text));
  return html`<div class="wide"><table><caption class="unseen">${words.tiers}</caption>
<thead><tr><th scope="col">${words.tiers}</th><th scope="col" class="end">${words.quantity}</th><th scope="col" class="end">${words.unitPrice}</th><th scope="col" class="end">${words.flat}</th><th scope="col" class="end">${words.amount}</th></tr></thead>
<tbody>${tiers.map(
    ({ above, upTo, quantity, unitPrice, flatPrice, amount }) =>
      html`<tr><th scope="row">${upTo === null ? words.tierAbove(figure(above)) : words.tierUpTo(figure(above), figure(upTo))}</th><td>${figure(quantity)}</td><td>${figure(unitPrice)}</td><td>${figure(flatPrice)}</td><td>${figure(amount)} ${currency}</td></tr>`,
  )}</tbody></table></div>`;
}
