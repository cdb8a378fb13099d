import type { Decimal } from '../kernel/decimal.ts';
import type { Locale } from '../kernel/locale.ts';
import { countryNames, figuresOf } from '../look/index.ts';
import { Html, html } from './html.ts';
import { FRAME_WORDS } from './words.ts';

/** A file that a customer may have. */
export interface PageDownload {
  readonly label: string;
  readonly href: string;
}

/** A line of the payment's subject. */
export interface PageLine {
  readonly description: string;
  readonly amount: Decimal;
}

const LINES_SHOWN = 12;

/** The lines of a payment, the first dozen visible, and the totals below them. */
export function lineTables(
  locale: Locale,
  { lines, currency }: { readonly lines: readonly PageLine[]; readonly currency: string },
  totals: readonly (readonly [label: string, amount: Decimal])[],
): Html {
  const { money } = figuresOf(locale);
  const words = FRAME_WORDS[locale];
  const row = (label: string, amount: Decimal) =>
    html`<th scope="row" dir="auto">${label}</th><td>${money(amount, currency)}</td>`;
  const rows = lines.map(({ description, amount }) => html`<tr>${row(description, amount)}</tr>\n`);
  const others = rows.slice(LINES_SHOWN);
  const total = html`<tfoot>${totals.map(([label, amount]) => html`<tr>${row(label, amount)}</tr>`)}</tfoot>`;
  const caption = html`<caption class="unseen">${words.whatYouPayFor}</caption>`;
  if (others.length === 0) return html`<table>${caption}<tbody>${rows}</tbody>${total}</table>`;
  return html`<table>${caption}<tbody>${rows.slice(0, LINES_SHOWN)}</tbody></table>
<details><summary>${words.moreLines(others.length)}</summary><table>
<caption class="unseen">${words.otherLines}</caption><tbody>${others}</tbody></table></details>
<table><caption class="unseen">${words.inAll}</caption>${total}</table>`;
}

/** A button that leads to a session; a form, because what follows a link on its own (a mail scanner) opens none. */
export const openForm = (page: string, label: string): Html =>
  html`<form method="post" action="${page}"><button type="submit">${label}</button></form>`;

/** Links to files; nothing where there are none. */
export const downloadLinks = (downloads: readonly PageDownload[]): Html | null =>
  downloads.length === 0
    ? null
    : html`<ul class="links">${downloads.map(({ label, href }) => html`<li><a href="${href}">${label}</a></li>`)}</ul>`;

/** The logo of the merchant, whose name stands below it. */
export const logoImage = (href: string | undefined): Html | null =>
  href === undefined ? null : html`<img class="logo" src="${href}" alt="">`;

const countryLists = new Map<Locale, string>();

/** The options of a `select` for a country. They are the same on each page, but for the chosen one. */
export function countryOptions(locale: Locale, chosen: string): Html {
  const names = countryNames(locale);
  const list =
    countryLists.get(locale) ??
    html`${[...names].map(([code, name]) => html`<option value="${code}">${name}</option>`)}`.text;
  countryLists.set(locale, list);
  return new Html(names.has(chosen) ? list.replace(`"${chosen}">`, `"${chosen}" selected>`) : list);
}
