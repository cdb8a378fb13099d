import type { Locale } from '../../kernel/locale.ts';
import { frame, type Html, html, type Look, mark } from '../../pages/index.ts';
import { SIGN_IN_WORDS } from '../words/sign-in-words.ts';
import { PORTAL_WORDS } from '../words/words.ts';
import { STYLE } from './style.ts';

/** The merchant of a page before a session, and the path of the portal. */
export interface Door {
  readonly base: string;
  readonly merchantId: string;
  /** The name of the merchant. */
  readonly seller: string;
  /** The address to which the last visit leads back; null: none. */
  readonly returnUrl?: string | null;
}

/** A page before a session: whose it is, a heading, and what follows. */
const doorFrame = (look: Look, seller: string, heading: Html, body: Html, title: string): string =>
  frame(
    `${title} – ${seller}`,
    look,
    html`<div class="sheet narrow"><section class="end">
<p class="seller"><bdi>${seller}</bdi></p>
${heading}
${body}
</section></div>`,
    STYLE,
  );

/** The way to a new link, and back to the merchant. */
const waysOf = ({ locale }: Look, { base, merchantId, seller, returnUrl = null }: Door): Html =>
  html`<p><a class="button" href="${base}/${merchantId}">${SIGN_IN_WORDS[locale].newLink}</a></p>
${returnUrl === null ? null : html`<p><a href="${returnUrl}"><bdi>${PORTAL_WORDS[locale].backTo(seller)}</bdi></a></p>`}`;

/** A page with a heading, a sentence, and the way to a new link. */
const statusPage = (look: Look, which: 'used' | 'expired' | 'ended' | 'left', door: Door): string => {
  const { heading, text } = SIGN_IN_WORDS[look.locale][which];
  const sign = mark(which === 'left' ? 'check' : 'clock');
  const body = html`<p class="soft">${text}</p>${waysOf(look, door)}`;
  return doorFrame(look, door.seller, html`${sign}<h1>${heading}</h1>`, body, heading);
};

/** The page for visitors whose session has ended. */
export const endedPage = (look: Look, door: Door): string => statusPage(look, 'ended', door);

/** The page after signing out. */
export const leftPage = (look: Look, door: Door): string => statusPage(look, 'left', door);

/** The page of a used or expired link. */
export const deadLinkPage = (look: Look, state: 'used' | 'expired', door: Door): string =>
  statusPage(look, state, door);

/** The page for visitors of whom nothing is known. */
export const signedOutPage = (look: Look): string => {
  const { heading, text } = SIGN_IN_WORDS[look.locale].signedOut;
  const body = html`<div class="sheet narrow"><section class="end">${mark('clock')}<h1>${heading}</h1><p class="soft">${text}</p></section></div>`;
  return frame(heading, look, body, STYLE);
};

/**
 * The first page of a link. Its button opens the portal, because what follows a link on its own (a mail scanner, a
 * preview) must not use it up.
 */
export function openPage(
  look: Look,
  { base, seller, customer, token }: { base: string; seller: string; customer: string; token: string },
): string {
  const words = SIGN_IN_WORDS[look.locale];
  return doorFrame(
    look,
    seller,
    openHeading(look.locale, seller),
    html`<p class="soft">${words.openFor(html`<bdi>${customer}</bdi>`)}</p>
<form method="post" action="${base}/open"><input type="hidden" name="token" value="${token}"><button type="submit">${words.openButton}</button></form>
<p class="fine">${words.openNote}</p>`,
    words.yourAccount,
  );
}

const openHeading = (locale: Locale, seller: string): Html =>
  html`<h1>${SIGN_IN_WORDS[locale].open(html`<bdi>${seller}</bdi>`)}</h1>`;

/** The page on which a customer requests a link by email. */
export function signInPage(
  look: Look,
  { base, merchantId, seller, wrong }: { base: string; merchantId: string; seller: string; wrong: string | null },
): string {
  const words = SIGN_IN_WORDS[look.locale];
  return frame(
    `${words.yourAccount} – ${seller}`,
    look,
    html`<div class="sheet narrow"><section>
<p class="seller"><bdi>${seller}</bdi></p>
${openHeading(look.locale, seller)}
<p class="soft" id="why">${words.signInText}</p>
<form method="post" action="${base}/${merchantId}" novalidate>
<div class="field"><label for="email">${words.email}</label>
${wrong === null ? null : html`<p class="wrong" id="wrong">${words.wrongEmail}</p>`}
<input id="email" name="email" type="email" autocomplete="email" required value="${wrong ?? ''}" aria-describedby="${wrong === null ? 'why' : 'why wrong'}"${wrong === null ? null : html` aria-invalid="true"`}></div>
<button type="submit">${words.send}</button></form>
</section></div>`,
    STYLE,
  );
}

/** The answer to every request for a link by email. */
export function sentPage(look: Look, seller: string, which: 'sent' | 'tooMany'): string {
  const { heading, text } = SIGN_IN_WORDS[look.locale][which];
  const sign = mark(which === 'sent' ? 'check' : 'clock');
  return doorFrame(look, seller, html`${sign}<h1>${heading}</h1>`, html`<p class="soft">${text}</p>`, heading);
}
