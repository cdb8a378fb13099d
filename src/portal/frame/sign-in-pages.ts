import { endFrame, frame, type Html, html, type Look } from '../../pages/index.ts';
import { SIGN_IN_WORDS } from '../words/sign-in-words.ts';
import { STYLE } from './style.ts';

const askLink = (look: Look, { base, merchantId }: { base: string; merchantId: string | null }): Html | null =>
  merchantId === null ? null : html`<p><a href="${base}/${merchantId}">${SIGN_IN_WORDS[look.locale].askHere}</a></p>`;

/** A page with a heading, a sentence, and a link to the page that sends a new link. */
const statusPage = (
  look: Look,
  which: 'used' | 'expired' | 'signedOut' | 'left',
  of: { readonly base: string; readonly merchantId: string | null },
): string => {
  const { heading, text } = SIGN_IN_WORDS[look.locale][which];
  return endFrame(look, {
    sign: which === 'left' ? 'check' : 'clock',
    heading,
    body: html`<p class="soft">${text}</p>${askLink(look, of)}`,
  });
};

type Of = Parameters<typeof statusPage>[2];

/** The page for visitors without a session, or with an ended one. */
export const signedOutPage = (look: Look, of: Of): string => statusPage(look, 'signedOut', of);

/** The page after signing out. */
export const leftPage = (look: Look, of: Of): string => statusPage(look, 'left', of);

/** The page of a used or expired link. */
export const deadLinkPage = (look: Look, state: 'used' | 'expired', of: Of): string => statusPage(look, state, of);

/**
 * The first page of a link. Its button opens the portal, because what follows a link on its own (a mail scanner, a
 * preview) must not use it up.
 */
export function openPage(
  look: Look,
  { base, seller, customer, token }: { base: string; seller: string; customer: string; token: string },
): string {
  const words = SIGN_IN_WORDS[look.locale];
  return frame(
    words.open(seller),
    look,
    html`<div class="sheet narrow"><section class="end">
<h1><bdi>${words.open(seller)}</bdi></h1>
<p class="soft"><bdi>${words.openFor(customer)}</bdi></p>
<form method="post" action="${base}/open"><input type="hidden" name="token" value="${token}"><button type="submit">${words.openButton}</button></form>
<p class="fine">${words.openNote}</p>
</section></div>`,
  );
}

/** The page on which a customer requests a link by email. */
export function signInPage(
  look: Look,
  { base, merchantId, seller, wrong }: { base: string; merchantId: string; seller: string; wrong: string | null },
): string {
  const words = SIGN_IN_WORDS[look.locale];
  return frame(
    words.open(seller),
    look,
    html`<div class="sheet narrow"><section>
<h1><bdi>${words.open(seller)}</bdi></h1>
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
export function sentPage(look: Look, which: 'sent' | 'tooMany'): string {
  const { heading, text } = SIGN_IN_WORDS[look.locale][which];
  return endFrame(look, {
    sign: which === 'sent' ? 'check' : 'clock',
    heading,
    body: html`<p class="soft">${text}</p>`,
  });
}
