import { DEFAULT_LOCALE, type Locale } from '../kernel/locale.ts';
import { escapeHtml } from '../pages/index.ts';

/** The words of a mail, as they were when it was written. Each text is one line, cleaned of what no reader sees. */
export interface MailContent {
  /** The language of its words; absent of mails that were stored before there were several: English. */
  readonly locale?: Locale;
  readonly subject: string;
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  /** Label and value, one below the other. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** The requested action of the reader, or a link to more; null: none. */
  readonly action: { readonly label: string; readonly url: string } | null;
  /** The sender. */
  readonly signature: string;
}

/** The mail for readers of plain text. */
export function plainText({ greeting, paragraphs, facts, action, signature }: MailContent): string {
  const blocks = [
    greeting,
    ...paragraphs,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    action ? `${action.label}: ${action.url}` : '',
    signature,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/**
 * The same mail as HTML, without pictures, styles of its own or anything to load. Whatever strangers wrote in it
 * is text.
 */
export function html({
  locale = DEFAULT_LOCALE,
  subject,
  greeting,
  paragraphs,
  facts,
  action,
  signature,
}: MailContent): string {
  const rows = facts.map(([label, value]) => `<tr><td>${escapeHtml(label)}</td><td>${escapeHtml(value)}</td></tr>`);
  const parts = [
    ...[greeting, ...paragraphs].map((text) => `<p>${escapeHtml(text)}</p>`),
    ...(rows.length > 0 ? [`<table cellpadding="4">${rows.join('')}</table>`] : []),
    ...(action ? [`<p><a href="${escapeHtml(action.url)}">${escapeHtml(action.label)}</a></p>`] : []),
    `<p>${escapeHtml(signature)}</p>`,
  ];
  const head = `<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`;
  return `<!doctype html>\n<html lang="${locale}">${head}<body>\n${parts.join('\n')}\n</body></html>\n`;
}
