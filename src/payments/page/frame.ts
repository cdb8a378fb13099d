import { Reply } from '../../http/index.ts';
import type { EnvironmentName } from '../../identity/index.ts';
import { Html, html } from './html.ts';
import { contentSecurityPolicy, STYLE } from './style.ts';

const MARKS = {
  check: 'M4 12.5 9.5 18 20 7',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7.5V12l3 2',
  question: 'M9 9a3 3 0 1 1 4.2 2.75c-.8.4-1.2 1-1.2 1.75v.5M12 17.5v.1',
} as const;

/** A sign that says at a glance how things stand; words beside it say the same. */
export const mark = (name: keyof typeof MARKS): Html =>
  html`<svg class="mark${name === 'check' ? ' good' : ''}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${MARKS[name]}"/></svg>`;

/** The frame of every page: no script, no resource from anywhere, one style sheet whose hash the policy names. */
export const frame = (title: string, environment: EnvironmentName, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
${environment === 'sandbox' ? html`<p class="test">Sandbox: test cards only, no money moves.</p>` : null}
<main>
${body}
</main>
<footer>Powered by Reckoner</footer>
</body>
</html>
`.text;

/** A page with a sign, a heading and a sentence, and what can be done next. */
export const endFrame = (
  environment: EnvironmentName,
  { title, sign, heading, body }: { title?: string; sign: keyof typeof MARKS; heading: string; body: Html },
): string =>
  frame(
    title ?? heading,
    environment,
    html`<div class="sheet narrow"><section class="end">${mark(sign)}
<h1>${heading}</h1>
${body}
</section></div>`,
  );

/**
 * What every answer to the customers of merchants says of itself: it is for one reader, and no search engine keeps
 * it.
 */
export const PRIVATE = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
} as const;

/** What a page does beyond being read. */
interface PageNeeds {
  /** The one other address to which a form on it may redirect; `https:` is every one. */
  readonly formsLeadTo?: string | null;
  /** It shows the logo of the merchant. */
  readonly showsLogo?: boolean;
}

/** A page as an answer. */
export const pageReply = (status: number, text: string, needs: PageNeeds = {}): Reply =>
  new Reply(status, text, { ...pageHeaders(needs) });

const pageHeaders = ({ formsLeadTo = null, showsLogo = false }: PageNeeds) => ({
  ...PRIVATE,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy(formsLeadTo, showsLogo),
});

interface Problem {
  readonly heading: string;
  readonly text: string;
}

const UNKNOWN: Problem = {
  heading: 'This link does not exist',
  text: 'Check that you have the whole address, or ask whoever sent it for a new one.',
};
const NOT_UNDERSTOOD: Problem = {
  heading: 'This could not be read',
  text: 'Nothing was charged. Go back, load the page again, and try once more.',
};
const BUSY: Problem = {
  heading: 'Please try again in a moment',
  text: 'Too much is going on here just now. Look at the page again before you pay a second time.',
};
const BROKEN: Problem = {
  heading: 'Something went wrong on our side',
  text: 'Load the page again. It shows whether you have paid; before that, do not pay a second time.',
};

function problemOf(status: number): Problem {
  if (status === 404) return UNKNOWN;
  if (status === 429 || status === 503) return BUSY;
  return status >= 500 ? BROKEN : NOT_UNDERSTOOD;
}

/** For an address that stands for nothing. */
export const unknownPage = (environment: EnvironmentName): string => problemPage(environment, 404);

const problemPage = (environment: EnvironmentName, status: number): string => {
  const { heading, text } = problemOf(status);
  return endFrame(environment, { sign: 'question', heading, body: html`<p class="soft">${text}</p>` });
};

/** The page that a browser gets for a refusal or a fault, instead of JSON. */
export const errorPage =
  (environment: EnvironmentName) =>
  (status: number): { text: string; headers: Readonly<Record<string, string>> } => ({
    text: problemPage(environment, status),
    headers: pageHeaders({}),
  });
