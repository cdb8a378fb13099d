import type { Locale } from '../kernel/locale.ts';
import { addressLines, countryNames, taxIdText } from '../look/index.ts';
import { Html, html } from './html.ts';

/** A file that a customer may have. */
export interface PageDownload {
  readonly label: string;
  readonly href: string;
}

/** A buyer or a seller, as on the document. */
interface PageParty {
  readonly name: string;
  readonly legalName?: string | null;
  readonly taxId?: string | null;
  readonly taxIdCountry?: string | null;
  readonly address?: Parameters<typeof addressLines>[0];
}

/**
 * A party line by line: its name, its address, and its tax id.
 * @param other the other side of the sale
 */
export const partyLines = (party: PageParty, other: Pick<PageParty, 'address'>, locale: Locale): string[] =>
  [
    party.name,
    party.legalName === party.name ? null : party.legalName,
    ...addressLines(party.address, locale),
    taxIdText(locale, party, other),
  ].filter((line) => line != null);

/** Lines of an address, each with its own direction of writing. */
export const addressBlock = (lines: readonly string[]): Html =>
  html`<address>${lines.map((line) => html`<bdi>${line}</bdi><br>`)}</address>`;

/** How a merchant can be reached. */
export interface Contact {
  readonly email: string | null;
  readonly phone: string | null;
}

/** Links to write and to call; nothing where neither is known. */
export const contactLinks = ({ email, phone }: Contact): Html | null => {
  if (email === null && phone === null) return null;
  return html`<ul class="contact">${email === null ? null : html`<li><a href="mailto:${encodeURIComponent(email).replace('%40', '@')}">${email}</a></li>`}${phone === null ? null : html`<li><a href="tel:${phone.replace(/[^+\d]/g, '')}">${phone}</a></li>`}</ul>`;
};

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
