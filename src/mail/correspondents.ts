import type { MerchantOrganization } from '../identity/index.ts';
import { type Decimal, plain } from '../kernel/decimal.ts';
import type { Locale } from '../kernel/locale.ts';
import type { Instant } from '../kernel/time.ts';
import { addressLines, cleanLine, type Figures, figuresOf } from '../look/index.ts';
import { portalDoor } from '../portal/index.ts';
import type { Letterhead, MailContent } from './content.ts';
import { MAIL_WORDS, type MailWords } from './words.ts';

export const MOST_OF_A_NAME = 120;

/** A name that strangers chose, as one line that can stand in a header. */
export const name = (text: string): string => cleanLine(text, MOST_OF_A_NAME);

/** The words and figures of a mail's language. */
export interface Written {
  readonly words: MailWords;
  readonly date: (instant: Instant) => string;
  readonly sum: (amount: Decimal, currency: string) => string;
  readonly quantity: Figures['quantity'];
  readonly percent: Figures['percent'];
}

/** Words and figures in a language. */
export function writtenIn(locale: Locale): Written {
  const { day, money, quantity, percent } = figuresOf(locale);
  return {
    words: MAIL_WORDS[locale],
    date: (instant) => day(instant).replaceAll('\u00a0', ' '),
    sum: (amount, currency) => money(plain(amount), currency),
    quantity,
    percent,
  };
}

/** Who a mail is from. */
export interface Writer {
  readonly name: string;
  readonly legalName?: string | null | undefined;
  readonly address?: Parameters<typeof addressLines>[0];
  readonly email?: string | null | undefined;
  readonly phone?: string | null | undefined;
  /** The merchant's colour; null: it has none. */
  readonly accent: string | null;
}

/** A merchant as the writer of a mail. */
export const writerOf = ({ settings, billingEmails, ...merchant }: MerchantOrganization): Writer => ({
  ...{ name: merchant.name, legalName: merchant.legalName, address: merchant.address },
  ...{ email: billingEmails[0], phone: merchant.phone, accent: settings.branding.color },
});

/** The door of the customer portal; null: the merchant's mails do not lead there. */
export const accountOf = ({ id, settings }: Pick<MerchantOrganization, 'id' | 'settings'>, publicUrl: string) =>
  settings.mail.portalLinks ? portalDoor(publicUrl, id) : null;

/** The head and the foot of a mail, in its language. */
export const letterheadOf = (
  { name: known, legalName, address, email, phone, accent }: Writer,
  locale: Locale,
): Letterhead => ({
  name: name(legalName ?? known),
  address: addressLines(address, locale).map(name),
  email: email == null ? null : name(email),
  phone: phone == null ? null : name(phone),
  accent,
});

/** The parts of every mail that do not depend on its subject. */
export interface Correspondents {
  readonly locale: Locale;
  readonly seller: Writer;
  readonly buyerName: string;
}

type Reason = 'invoices' | 'subscription' | 'alert' | 'account';

/** From whom to whom, and why. */
export function between({ locale, seller, buyerName }: Correspondents, reason: Reason) {
  const { greeting, because } = MAIL_WORDS[locale];
  const [from, to] = [name(seller.name), name(buyerName)];
  return {
    locale,
    greeting: greeting(to),
    signature: from,
    letterhead: letterheadOf(seller, locale),
    because: because[reason](from, to),
  };
}

/** Facts, each with its label. */
export type Rows = MailContent['facts'][number][];
/** A fact that only some mails have. */
export const row = (isThere: boolean, label: string, value: string): Rows => (isThere ? [[label, value]] : []);

/** A link that only some mails have. */
export const linkTo = (url: string | null, label: string) => (url === null ? [] : [{ label, url }]);
