import type { Locale } from '../../kernel/locale.ts';
import { frame, type Html, html } from '../../pages/index.ts';
import { DONE, type Done, PORTAL_WORDS, TABS, type Tab } from '../words/words.ts';
import { isPaidFor, type PortalPage, type Visit } from './page.ts';
import { STYLE } from './style.ts';

const pathOf = (base: string, tab: Tab): string => (tab === 'overview' ? base : `${base}/${tab}`);

/** The frame of every page of the portal: the merchant, the navigation, and the way out. */
export function portalFrame(visit: Visit, { title, tab, body }: PortalPage): string {
  const { look, base, seller, customer, session } = visit;
  const words = PORTAL_WORDS[look.locale];
  const back = session.returnUrl;
  return frame(
    `${title} – ${seller}`,
    look,
    {
      header: html`<div class="bar">
<div><p class="seller"><bdi>${seller}</bdi></p>
<p class="who"><bdi>${customer.organization.name}</bdi></p></div>
<div class="side">${back === null ? null : html`<a href="${back}"><bdi>${words.backTo(seller)}</bdi></a>`}
<form method="post" action="${base}/leave">${keyField(visit)}<button class="link" type="submit">${words.leave}</button></form></div>
</div>`,
      nav: html`<nav class="tabs" aria-label="${words.pages}"><ul>${TABS.filter(
        (each) => each !== 'cards' || !isPaidFor(visit),
      ).map(
        (each) =>
          html`<li><a href="${pathOf(base, each)}"${each === tab ? html` aria-current="page"` : null}>${words.tabs[each]}</a></li>`,
      )}</ul></nav>`,
      content: html`<div class="sheet">
${body}
</div>`,
    },
    STYLE,
  );
}

/** The hidden field that each form of a session carries. */
export const keyField = ({ formKey }: Pick<Visit, 'formKey'>): Html =>
  html`<input type="hidden" name="formKey" value="${formKey}">`;

/** The note of the last change, if the address has one; it names our own sentences only. */
export function doneNote({ query, look }: Pick<Visit, 'query' | 'look'>): Html | null {
  const done = DONE.find((each) => each === query.done);
  return done === undefined ? null : html`<p class="good-news" role="status">${sentenceOf(done, look.locale)}</p>`;
}

const sentenceOf = (done: Done, locale: Locale): string => PORTAL_WORDS[locale].done[done];

/** A button that posts. */
export const actForm = (
  visit: Pick<Visit, 'formKey'>,
  action: string,
  label: string,
  { look = 'small', hint }: { readonly look?: string; readonly hint?: string } = {},
): Html =>
  html`<form method="post" action="${action}">${keyField(visit)}<button class="${look}" type="submit">${label}${hint === undefined ? null : html`<span class="unseen"> ${hint}</span>`}</button></form>`;

/** Links to the pages before and after. */
export function pager(
  { look }: Pick<Visit, 'look'>,
  address: string,
  { page, pages }: { readonly page: number; readonly pages: number },
): Html | null {
  const words = PORTAL_WORDS[look.locale];
  if (pages <= 1) return null;
  const to = (number: number, label: string) => html`<a href="${address}?page=${String(number)}">${label}</a>`;
  return html`<nav class="pages" aria-label="${words.more}"><span>${page > 1 ? to(page - 1, words.newer) : null}</span>
<span>${words.pageOf(page, pages)}</span><span>${page < pages ? to(page + 1, words.older) : null}</span></nav>`;
}
