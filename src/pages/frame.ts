import { Reply } from '../http/index.ts';
import type { EnvironmentName } from '../identity/index.ts';
import { type Locale, localeAskedFor } from '../kernel/locale.ts';
import { Html, html } from './html.ts';
import { type Look, plainLook } from './look.ts';
import { accentStyle, contentSecurityPolicy, type PageNeeds, STYLE } from './style.ts';
import { FRAME_WORDS } from './words.ts';

const MARKS = {
  check: 'M4 12.5 9.5 18 20 7',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7.5V12l3 2',
  question: 'M9 9a3 3 0 1 1 4.2 2.75c-.8.4-1.2 1-1.2 1.75v.5M12 17.5v.1',
} as const;

/** A sign that says at a glance how things stand; words beside it say the same. */
export const mark = (name: keyof typeof MARKS): Html =>
  html`<svg class="mark${name === 'check' ? ' good' : ''}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${MARKS[name]}"/></svg>`;

/** A page with a header and a navigation: its content is the part that differs from page to page. */
export interface FramedPage {
  readonly header: Html;
  readonly nav: Html | null;
  readonly content: Html;
}

/**
 * The frame of every page: no resource from anywhere, style sheets (and a script, at most) whose hashes the policy
 * names.
 * @param style of the room that shows the page; it is named in the needs of the answer, too, as the script is
 */
export function frame(
  title: string,
  { environment, locale, accent }: Look,
  page: Html | FramedPage,
  style?: string,
  script?: string,
): string {
  const words = FRAME_WORDS[locale];
  const { header, nav, content } = page instanceof Html ? { header: null, nav: null, content: page } : page;
  const test = environment === 'sandbox' ? html`<p class="test">${words.sandbox}</p>` : null;
  return html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(STYLE)}</style>${accent === null ? null : html`<style>${new Html(accentStyle(accent))}</style>`}${style === undefined ? null : html`<style>${new Html(style)}</style>`}
</head>
<body>
${nav === null ? null : html`<a class="skip" href="#content">${words.toContent}</a>`}
${test === null && header === null ? null : html`<header>${test}${header}</header>`}
${nav}
<main id="content">
${content}
</main>
<footer>${words.poweredBy}</footer>
${script === undefined ? null : html`<script>${new Html(script)}</script>`}
</body>
</html>
`.text;
}

/** A page with a sign, a heading, a sentence, and the next actions. */
export const endFrame = (
  look: Look,
  { title, sign, heading, body }: { title?: string; sign: keyof typeof MARKS; heading: string; body: Html },
): string =>
  frame(
    title ?? heading,
    look,
    html`<div class="sheet narrow"><section class="end">${mark(sign)}
<h1>${heading}</h1>
${body}
</section></div>`,
  );

/** The headers of every answer to the customers of merchants: it is for one reader, and no search engine stores it. */
export const PRIVATE = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
} as const;

/** For a logo, beside the headers of every answer: a browser that opens the file runs nothing of it. */
export const LOGO_HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
} as const;

/** A page as an answer; `look` is the one that it was drawn with. */
export const pageReply = (status: number, text: string, look: Pick<Look, 'accent'>, needs: PageNeeds = {}): Reply =>
  new Reply(status, text, {
    ...pageHeaders(look.accent, needs),
    ...(needs.looksAgainAt !== undefined && { refresh: `${SECONDS_BETWEEN_LOOKS}; url=${needs.looksAgainAt}` }),
  });

/** How long a page that waits stands before it looks again. */
const SECONDS_BETWEEN_LOOKS = 3;

const pageHeaders = (accent: string | null, needs: PageNeeds = {}): Record<string, string> => ({
  ...PRIVATE,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy(accent, needs),
});

function problemOf(status: number): 'unknown' | 'busy' | 'broken' | 'notUnderstood' {
  if (status === 404) return 'unknown';
  if (status === 429 || status === 503) return 'busy';
  return status >= 500 ? 'broken' : 'notUnderstood';
}

/** The answer for an unknown address. */
export const unknownReply = (environment: EnvironmentName, locale?: Locale): Reply => {
  const look = plainLook(environment, locale);
  return pageReply(404, problemPage(look, 404), look);
};

const problemPage = (look: Look, status: number): string => {
  const problem = problemOf(status);
  const words = FRAME_WORDS[look.locale];
  const { heading, text } = words[problem];
  const again = problem === 'unknown' ? null : html`<a class="button" href="">${words.loadAgain}</a>`;
  return endFrame(look, { sign: 'question', heading, body: html`<p class="soft">${text}</p>${again}` });
};

/** The page that a browser gets for a refusal or a fault, instead of JSON, in the language that it asks for. */
export const errorPage =
  (environment: EnvironmentName) =>
  (status: number, language?: string): { text: string; headers: Readonly<Record<string, string>> } => ({
    text: problemPage(plainLook(environment, localeAskedFor(language)), status),
    headers: pageHeaders(null),
  });
