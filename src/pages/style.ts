import { createHash } from 'node:crypto';
import { mix, readableOn, textOn } from '../kernel/color.ts';
import { FONTS, groundsOf, PALETTES, type Palette, SIZES } from '../look/index.ts';

/** `accentInk` is `--accent-ink`. */
const colorVariables = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, color]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${color};`)
    .join(' ');

const sizeVariables = Object.entries(SIZES)
  .map(([name, size]) => `--${name}: ${size}rem;`)
  .join(' ');

/** The style sheet of all pages: light and dark, system fonts, nothing from elsewhere. */
export const STYLE = `
:root { color-scheme: light dark; ${colorVariables(PALETTES.light)}
  ${sizeVariables} }
@media (prefers-color-scheme: dark) { :root { ${colorVariables(PALETTES.dark)} } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 ${FONTS};
  overflow-wrap: anywhere;
}
.test {
  margin: 0; padding: .5rem 1.25rem; background: var(--test-tint); color: var(--test); text-align: center;
  font-size: var(--small);
}
.skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.skip { display: block; padding: .5rem 1.25rem; text-align: center; }
main { width: 100%; max-width: 58rem; margin: auto; padding: 2.5rem 1.25rem; }
.sheet {
  background: var(--sheet); border: 1px solid var(--line); border-radius: 1rem; overflow: hidden;
  box-shadow: 0 1px 2px rgb(0 0 0 / .04), 0 16px 40px -20px rgb(0 0 0 / .18);
}
.sheet > section { padding: clamp(1.5rem, 5vw, 2.75rem); }
.narrow { max-width: 30rem; margin: 0 auto; }
.summary { background: var(--tint); border-bottom: 1px solid var(--line); }
@media (min-width: 50rem) {
  .two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .two .summary { border-bottom: 0; border-inline-end: 1px solid var(--line); }
}
.logo { display: block; max-width: 12rem; max-height: 3.5rem; width: auto; height: auto; margin: 0 0 1rem; }
@media (prefers-color-scheme: dark) { .logo { padding: .375rem; border-radius: .375rem; background: #ffffff; } }
.seller { margin: 0 0 1.75rem; font-weight: 650; font-size: var(--head); }
h1 { margin: 0; font-size: 1rem; font-weight: 500; color: var(--soft); }
h2 { margin: 0 0 1.25rem; font-size: var(--head); font-weight: 650; }
.amount {
  margin: .25rem 0 0; font-size: clamp(2rem, 7vw, 2.75rem); line-height: 1.15; font-weight: 650;
  letter-spacing: -.025em; font-variant-numeric: tabular-nums;
}
.lead { margin: .375rem 0 0; font-size: 1.25rem; line-height: 1.4; text-wrap: balance; }
.soft { color: var(--soft); font-size: var(--body); margin: .5rem 0 0; }
table { width: 100%; margin-top: 1.75rem; border-collapse: collapse; font-size: var(--body); }
th { font-weight: 400; text-align: start; }
th, td { padding: .625rem 0; border-top: 1px solid var(--line); vertical-align: top; }
td { padding-inline-start: 1.25rem; text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums; }
th { min-width: 6rem; }
.part { padding-inline-start: 1rem; }
details table, table.totals { margin-top: 0; }
table.totals tr:first-child > * { border-top-width: 2px; }
table.totals .strong > * { font-weight: 650; }
table.totals tr + tr:not(.strong) > * { border-top: 0; padding-top: 0; }
summary {
  display: flex; justify-content: space-between; gap: 1.25rem; padding: .625rem 0; border-top: 1px solid var(--line);
  color: var(--accent); font-size: var(--body); cursor: pointer; list-style: none;
}
summary::-webkit-details-marker { display: none; }
summary > :first-child::before { content: "+ "; }
[open] > summary > :first-child::before { content: "− "; }
summary .figure { color: var(--ink); }
.figure { white-space: nowrap; font-variant-numeric: tabular-nums; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
legend { margin: 0 0 .75rem; padding: 0; font-size: var(--body); font-weight: 600; }
.card {
  display: flex; gap: .875rem; align-items: flex-start; padding: .8125rem 1rem; border: 1px solid var(--line);
  cursor: pointer;
}
.card:first-of-type { border-radius: .625rem .625rem 0 0; }
.card:last-of-type { border-radius: 0 0 .625rem .625rem; }
.card + .card { margin-top: -1px; }
.card:hover { background: var(--tint); }
.card:has(:checked) { position: relative; border-color: var(--accent); background: var(--accent-tint); }
.card input { flex: none; width: 1.125rem; height: 1.125rem; margin: .1875rem 0 0; accent-color: var(--accent); }
.card > span, .card > div { flex: 1; min-width: 0; }
.face, .note { display: block; }
.face { font-weight: 550; font-variant-numeric: tabular-nums; }
.note { color: var(--soft); font-size: var(--small); }
button, .button {
  display: block; width: 100%; margin-top: 1.25rem; padding: .875rem 1rem; border: 0; border-radius: var(--radius);
  background: var(--accent); color: var(--accent-ink); font: inherit; font-weight: 650; text-align: center;
  text-decoration: none; cursor: pointer;
}
button.plainly {
  width: auto; margin: .75rem auto 0; padding: .5rem .75rem; background: none; color: var(--soft); font-weight: 400;
  text-decoration: underline;
}
button:hover, .button:hover { filter: brightness(1.08); }
button:active, .button:active { filter: brightness(.94); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.card:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; z-index: 1; position: relative; }
.card input:focus-visible { outline: none; }
a { color: var(--accent); }
.links { margin: 1.25rem 0 0; padding: 0; list-style: none; font-size: var(--body); }
.links li { padding: .5rem 0; border-top: 1px solid var(--line); }
.links li:last-child { border-bottom: 1px solid var(--line); }
.good-news {
  margin: 0 0 1.25rem; padding: .875rem 1rem; border-radius: var(--radius); background: var(--good-tint);
  color: var(--good);
}
.plain { margin: 0 0 1.25rem; padding: .875rem 1rem; border-radius: var(--radius); background: var(--tint); }
.good-news strong, .plain strong { display: block; }
.notice h2, .good-news h2, .plain h2 { margin: 0 0 .25rem; font-size: var(--head); }
h3 { margin: 1.75rem 0 .5rem; font-size: var(--body); font-weight: 650; }
dl { margin: 0; font-size: var(--body); }
dl > div {
  display: flex; gap: 1.25rem; justify-content: space-between; padding: .5rem 0; border-top: 1px solid var(--line);
}
dt { color: var(--soft); overflow-wrap: break-word; }
dd { margin: 0; text-align: end; font-variant-numeric: tabular-nums; }
ul.prices { margin: 0; padding: 0; list-style: none; font-size: var(--body); }
ul.prices > li { padding: .625rem 0; border-top: 1px solid var(--line); }
.of-price { display: flex; flex-wrap: wrap; gap: 0 1.25rem; justify-content: space-between; margin: 0; }
.of-price strong { font-weight: 550; }
.of-price span { color: var(--soft); }
.prices .note { margin: 0; }
.rates { font-size: var(--small); }
.rates table { margin: .375rem 0 0; }
.rates .stack tbody th { min-width: 6rem; }
.rates .stack thead th + th { min-width: 0; }
.rates .stack th + th, .rates .stack td { padding-inline-start: .5rem; }
.wide { overflow-x: auto; }
.stack th, .stack td { overflow-wrap: break-word; padding-inline-end: 0; }
.stack tbody th { overflow-wrap: anywhere; min-width: 9rem; }
.stack tbody td { white-space: normal; }
.stack thead th {
  font-size: var(--small); color: var(--soft); vertical-align: bottom; padding: .375rem 0; border-top: 0;
}
.stack thead th + th:not(.start) { text-align: end; }
.stack th.start, .stack td.start { text-align: start; }
.stack th + th, .stack td { padding-inline-start: 1.25rem; }
.stack th a { font-weight: 550; }
.stack .below > td { padding: 0; border-top: 0; text-align: start; }
.stack .below details { padding-bottom: .5rem; }
@media (max-width: 40rem) {
  .stack, .stack tbody, .stack tr, .stack tbody th, .stack td { display: block; }
  .stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stack tbody tr { padding: .75rem 0; border-top: 1px solid var(--line); }
  .stack tbody tr:first-child { border-top: 0; padding-top: 0; }
  .stack tbody th, .stack tbody td { padding: 0; border-top: 0; }
  .stack td:empty { display: none; }
  .stack td[data-head], .stack td[data-head].start {
    display: flex; flex-wrap: wrap; gap: 0 1.25rem; justify-content: space-between; margin-top: .25rem; text-align: end;
  }
  .stack td[data-head]::before {
    content: attr(data-head); min-width: 0; overflow-wrap: anywhere; color: var(--soft); text-align: start;
  }
  .stack td[data-head] > span { margin-inline-start: auto; }
  .stack tbody .below { padding-top: 0; margin-top: -.5rem; border-top: 0; }
}
@media (max-width: 40rem) {
  .rates tr:has(> td:only-of-type) { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
  .rates tr:has(> td:only-of-type) td { margin-top: 0; margin-inline-start: auto; }
  .rates tr:has(> td:only-of-type) td::before { content: none; }
}
address { font-style: normal; font-size: var(--small); color: var(--soft); }
h2.label { margin: 1.5rem 0 .125rem; font-size: var(--small); font-weight: 600; color: var(--soft); }
h2.label + address { color: var(--ink); }
.copy { user-select: all; }
.contact { margin: .25rem 0 0; padding: 0; list-style: none; font-size: var(--small); }
.contact a { display: inline-block; padding: .25rem 0; }
.end .contact { margin-top: 1rem; }
.notice {
  margin: 0 0 1.25rem; padding: .875rem 1rem; border-radius: var(--radius); background: var(--bad-tint); color: var(--bad);
}
.notice strong { display: block; }
.fine { margin: 1rem 0 0; color: var(--soft); font-size: var(--small); text-align: center; }
.end { text-align: center; }
.end h1 {
  margin: 0 0 .5rem; color: var(--ink); font-size: var(--title); line-height: 1.25; font-weight: 650;
  letter-spacing: -.01em;
}
.end h1, .end p { text-wrap: balance; }
.end p { margin: .25rem 0 0; }
.end .amount { margin: 1.25rem 0; }
.mark {
  display: block; width: 3.5rem; height: 3.5rem; margin: 0 auto 1.25rem; padding: .875rem; border-radius: 50%;
  background: var(--tint); color: var(--soft);
}
.mark.good { background: var(--good-tint); color: var(--good); }
footer { padding: 0 1.25rem 1.5rem; color: var(--soft); font-size: var(--fine); text-align: center; }
@media (forced-colors: active) { .card:has(:checked) { outline: 2px solid; } }
@media print { .test, footer, .button { display: none; } body { background: none; } }
`;

/**
 * The merchant's colour as the accent of a page, light and dark: as near to it as can be read.
 * @param accent `#rrggbb`; null leaves ours
 */
export function accentStyle(accent: string | null): string {
  if (accent === null) return '';
  const variables = (grounds: readonly [string, ...string[]]) => {
    const color = readableOn(accent, grounds);
    return `:root { --accent: ${color}; --accent-ink: ${textOn(color)}; --accent-tint: ${mix(color, grounds[0], 0.9)}; }`;
  };
  return `${variables(groundsOf(PALETTES.light))}\n@media (prefers-color-scheme: dark) { ${variables(groundsOf(PALETTES.dark))} }`;
}

const hashOf = (inline: string): string => `'sha256-${createHash('sha256').update(inline).digest('base64')}'`;
const STYLE_HASH = hashOf(STYLE);

/** `https:` allows every address: the page of a payment provider may be anywhere. */
const sourceOf = (redirectsTo: string): string =>
  redirectsTo === 'https:' ? redirectsTo : new URL(redirectsTo).origin;

/** The needs of a page beyond reading. */
export interface PageNeeds {
  /** The one other address to which a form on it may redirect; `https:` is every one. */
  readonly formsLeadTo?: string | null;
  /** The style sheet of its room. */
  readonly style?: string;
  /** It shows the logo of the merchant. */
  readonly showsLogo?: boolean;
  /** The address at which the page continues automatically, relative to its own. */
  readonly looksAgainAt?: string | undefined;
  /** The web console shows it in a frame. Only pages of our own origin may, of which the console alone frames any. */
  readonly isFramedByConsole?: boolean;
  /** The one script that it carries, which may ask our own addresses. */
  readonly script?: string;
}

/**
 * Nothing loads but the merchant's logo from here, nothing runs, no other site frames it. Browsers hold the redirect
 * that follows a form against `form-action` too, so the one place that the merchant sends its customers to after paying
 * is named.
 */
export const contentSecurityPolicy = (
  accent: string | null,
  { formsLeadTo = null, showsLogo = false, isFramedByConsole = false, style, script }: PageNeeds = {},
): string =>
  [
    "default-src 'none'",
    ...(showsLogo ? ["img-src 'self'"] : []),
    ['style-src', STYLE_HASH, ...[accentStyle(accent), style ?? ''].filter((each) => each !== '').map(hashOf)].join(
      ' ',
    ),
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`, "connect-src 'self'"]),
    `form-action 'self'${formsLeadTo === null ? '' : ` ${sourceOf(formsLeadTo)}`}`,
    `frame-ancestors ${isFramedByConsole ? "'self'" : "'none'"}`,
    "base-uri 'none'",
  ].join('; ');
