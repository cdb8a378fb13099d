import { readableOn, textOn } from '../kernel/color.ts';
import { DEFAULT_LOCALE } from '../kernel/locale.ts';
import { FONTS, groundsOf, PALETTES, type Palette, SIZES } from '../look/index.ts';
import { escapeHtml } from '../pages/index.ts';
import type { Letterhead, MailContent } from './content.ts';
import { MAIL_WORDS } from './words.ts';

/** A logo at the place where the mail finds it. */
export interface LogoImage {
  /** `cid:…` of a mail that is sent, `data:…` of one that the API shows. */
  readonly source: string;
  /** In pixels of the file. */
  readonly width: number;
  readonly height: number;
}

/** What a mail is shown with, beside its stored words. */
interface Shown {
  readonly logo?: LogoImage | null;
  /** The mail is never sent. */
  readonly isSandbox?: boolean;
}

/** In CSS pixels: the width that mail programs show, and the most that a logo takes of it. */
const WIDTH = 600;
const MOST_LOGO = { width: 192, height: 56 };

const px = (rem: number): string => `${rem * 16}px`;
/** Quotes that can stand in an attribute. */
const fonts = `font-family:${FONTS.replaceAll('"', "'")}`;

interface Accent {
  readonly accent: string;
  readonly accentInk: string;
}

/** The merchant's colour, as near to it as can be read; ours where it has none. */
function accentOn(palette: Palette, color: string | null | undefined): Accent {
  if (color == null) return palette;
  const accent = readableOn(color, groundsOf(palette));
  return { accent, accentInk: textOn(accent) };
}

/**
 * Colours by class: written into each element for programs that know nothing else, and once more in the style of the
 * head for dark screens.
 */
function colorsOf({ ground, sheet, ink, soft, line, test, testTint }: Palette, { accent, accentInk }: Accent) {
  return {
    ground: `background-color:${ground}`,
    sheet: `background-color:${sheet};border-color:${line}`,
    ink: `color:${ink}`,
    soft: `color:${soft}`,
    row: `border-color:${line}`,
    link: `color:${accent}`,
    button: `background-color:${accent}`,
    'button-text': `color:${accentInk}`,
    test: `background-color:${testTint};color:${test}`,
  };
}

type Colors = ReturnType<typeof colorsOf>;

/** The style of the head: what no element can say itself. Programs that leave it out show the light colours. */
function styleOf(dark: Colors): string {
  const rules = Object.entries(dark).map(
    ([name, colors]) => `.${name}{${colors.replaceAll(';', ' !important;')} !important}`,
  );
  return [
    ':root{color-scheme:light dark;supported-color-schemes:light dark}',
    'body{margin:0;padding:0;-webkit-text-size-adjust:100%}',
    '@media (max-width:480px){.sheet-in{padding:24px 20px !important}}',
    `@media (prefers-color-scheme:dark){${rules.join('')}.logo{background-color:#ffffff;padding:6px;border-radius:6px}}`,
  ].join('\n');
}

/** The head of the sheet: the merchant's logo, else its name. */
function headOf(signature: string, logo: LogoImage | null, colors: Colors): string {
  const named = escapeHtml(signature);
  if (logo === null)
    return `<span dir="auto" class="ink" style="${colors.ink};font-size:${px(SIZES.head)};font-weight:650">${named}</span>`;
  const scale = Math.min(1, MOST_LOGO.width / logo.width, MOST_LOGO.height / logo.height);
  const [width, height] = [logo.width, logo.height].map((side) => Math.max(1, Math.round(side * scale)));
  return `<img class="logo" src="${escapeHtml(logo.source)}" alt="${named}" width="${width}" height="${height}" style="display:block;border:0">`;
}

const paragraph = (text: string): string => `<p style="margin:0 0 12px">${escapeHtml(text)}</p>`;

function buttonOf({ label, url }: { label: string; url: string }, colors: Colors): string {
  const text = `display:inline-block;padding:14px 24px;${colors['button-text']};font-weight:650;text-decoration:none`;
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0"><tr>
<td class="button" style="${colors.button};border-radius:${px(SIZES.radius)};mso-padding-alt:14px 24px"><a class="button-text" href="${escapeHtml(url)}" style="${text}">${escapeHtml(label)}</a></td>
</tr></table>`;
}

/** Facts, each in a row. The columns are fixed, so a long value takes no room from the labels. */
function factsOf(facts: MailContent['facts'], colors: Colors): string {
  const cell = `padding:10px 0;border-top:1px solid;${colors.row};vertical-align:top`;
  const rows = facts.map(
    ([label, value]) =>
      `<tr><th scope="row" class="row" align="left" width="42%" style="${cell};width:42%;font-weight:400;text-align:left;hyphens:auto"><span class="soft" style="${colors.soft}">${escapeHtml(label)}</span></th>
<td class="row" align="right" style="${cell};text-align:right;padding-left:12px;font-variant-numeric:tabular-nums"><span dir="auto" class="ink" style="${colors.ink}">${escapeHtml(value)}</span></td></tr>`,
  );
  return `<table cellpadding="0" cellspacing="0" border="0" width="100%" style="width:100%;table-layout:fixed;margin:24px 0;font-size:${px(SIZES.body)}">${rows.join('\n')}</table>`;
}

const linkTo = (url: string, text: string, colors: Colors): string =>
  `<a class="link" href="${escapeHtml(url)}" style="${colors.link};display:inline-block;padding:4px 0">${escapeHtml(text)}</a>`;

/** The foot: who writes, and why. */
function footOf(letterhead: Letterhead | undefined, because: string | undefined, colors: Colors): string {
  const { name, address, email, phone } = letterhead ?? { name: null, address: [], email: null, phone: null };
  const lines = [
    ...[name, ...address].flatMap((line) => (line === null ? [] : [`<span dir="auto">${escapeHtml(line)}</span>`])),
    ...(email === null ? [] : [linkTo(`mailto:${encodeURIComponent(email).replace('%40', '@')}`, email, colors)]),
    ...(phone === null ? [] : [linkTo(`tel:${phone.replace(/[^+\d]/g, '')}`, phone, colors)]),
  ];
  return [lines.join('<br>'), because === undefined ? '' : escapeHtml(because)]
    .filter((text) => text !== '')
    .map((text) => `<p style="margin:0 0 12px">${text}</p>`)
    .join('\n');
}

/**
 * The mail as HTML, with the look of the pages: one column of tables, which Outlook shows as Apple Mail does. Nothing
 * is loaded from elsewhere. Whatever strangers wrote in it is text.
 */
export function html(content: MailContent, { logo = null, isSandbox = false }: Shown = {}): string {
  const { locale = DEFAULT_LOCALE, subject, figure = null, greeting, paragraphs, facts, action, links = [] } = content;
  const { signature, letterhead, because } = content;
  const [light, dark] = [PALETTES.light, PALETTES.dark].map((palette) =>
    colorsOf(palette, accentOn(palette, letterhead?.accent)),
  ) as [Colors, Colors];
  const shape = (font: string) => `${fonts};${font};overflow-wrap:anywhere;word-break:break-word`;
  const title =
    figure === null
      ? `<h1 class="ink" style="margin:0 0 20px;${light.ink};font-size:20px;line-height:1.3;font-weight:650">${escapeHtml(subject)}</h1>`
      : `<h1 class="soft" style="margin:0;${light.soft};font-size:${px(SIZES.text)};font-weight:500">${escapeHtml(subject)}</h1>
<p class="ink" style="margin:4px 0 20px;${light.ink};font-size:32px;line-height:1.2;font-weight:650;letter-spacing:-.5px">${escapeHtml(figure)}</p>`;
  const parts = [
    title,
    ...[greeting, ...paragraphs].map(paragraph),
    ...(action ? [buttonOf(action, light)] : []),
    ...(facts.length > 0 ? [factsOf(facts, light)] : []),
    ...links.map(({ label, url }) => `<p style="margin:0 0 12px">${linkTo(url, label, light)}</p>`),
    `<p dir="auto" style="margin:12px 0 0;text-align:left">${escapeHtml(signature)}</p>`,
  ];
  const test = isSandbox
    ? `<tr><td class="test" style="${light.test};padding:8px 20px;text-align:center;${shape(`font-size:${px(SIZES.small)};line-height:1.5`)};border-radius:${px(SIZES.radius)}">${escapeHtml(MAIL_WORDS[locale].sandbox)}</td></tr>\n`
    : '';
  return `<!doctype html>
<html lang="${locale}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${escapeHtml(subject)}</title>
<style>
${styleOf(dark)}
</style>
<!--[if mso]><style>* { font-family: "Segoe UI", Arial, sans-serif !important; }</style><![endif]-->
</head>
<body class="ground" style="margin:0;padding:0;${light.ground}">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(paragraphs.join(' '))}</div>
<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%" class="ground" style="${light.ground}"><tr><td align="center" style="padding:24px 12px">
<!--[if mso]><table role="presentation" cellpadding="0" cellspacing="0" border="0" width="${WIDTH}"><tr><td><![endif]-->
<div role="main"><table role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%" style="width:100%;max-width:${WIDTH}px;table-layout:fixed">
${test}<tr><td style="padding:16px 4px;${shape('line-height:1.5')}">${headOf(signature, logo, light)}</td></tr>
<tr><td class="sheet" style="${light.sheet};border-width:1px;border-style:solid;border-radius:16px">
<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%" style="width:100%;table-layout:fixed"><tr><td class="sheet-in ink" style="padding:36px;${light.ink};${shape(`font-size:${px(SIZES.text)};line-height:1.5`)}">
${parts.join('\n')}
</td></tr></table>
</td></tr>
<tr><td class="soft" style="padding:20px 4px;${light.soft};${shape(`font-size:${px(SIZES.fine)};line-height:1.5`)}">
${footOf(letterhead, because, light)}
</td></tr>
</table></div>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`;
}
