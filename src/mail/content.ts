import { DEFAULT_LOCALE, type Locale } from '../kernel/locale.ts';
import { MAIL_WORDS } from './words.ts';

/** Who writes a mail: its head and its foot. */
export interface Letterhead {
  /** The full name, by which a contract knows the seller. */
  readonly name: string;
  /** Line by line. */
  readonly address: readonly string[];
  readonly email: string | null;
  readonly phone: string | null;
  /** The merchant's colour, `#rrggbb`; null: it has none. */
  readonly accent: string | null;
}

interface MailLink {
  readonly label: string;
  readonly url: string;
}

/**
 * The words of a mail, as they were when it was written. Each text is one line, cleaned of what no reader sees. Mails
 * are stored for years: a field that is newer than a mail is absent from it.
 */
export interface MailContent {
  /** The language of its words; absent of mails that were stored before there were several: English. */
  readonly locale?: Locale;
  readonly subject: string;
  /** The amount that the mail is about, as a heading shows it; null: none. */
  readonly figure?: string | null;
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  /** Label and value, one below the other. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** The requested action of the reader, or a link to more; null: none. */
  readonly action: MailLink | null;
  /** Links beside the action. */
  readonly links?: readonly MailLink[];
  /** The sender. */
  readonly signature: string;
  readonly letterhead?: Letterhead;
  /** Why somebody gets this mail. */
  readonly because?: string;
}

/**
 * The mail for readers of plain text.
 * @param isSandbox the mail is never sent
 */
export function plainText(content: MailContent, isSandbox = false): string {
  const { locale = DEFAULT_LOCALE, greeting, paragraphs, facts, action, links = [], signature } = content;
  const { colon, sandbox } = MAIL_WORDS[locale];
  const pair = (label: string, value: string): string => `${label}${colon} ${value}`;
  const blocks = [
    isSandbox ? sandbox : '',
    greeting,
    ...paragraphs,
    facts.map(([label, value]) => pair(label, value)).join('\n'),
    [action, ...links].flatMap((link) => (link ? [pair(link.label, link.url)] : [])).join('\n'),
    [signature, ...linesOf(content)].join('\n'),
    content.because ?? '',
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** The lines below the signature. */
function linesOf({ letterhead, signature }: MailContent): string[] {
  if (!letterhead) return [];
  const { name, address, email, phone } = letterhead;
  return [name === signature ? null : name, ...address, email, phone].filter((line) => line !== null);
}
