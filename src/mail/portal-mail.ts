import { findCustomer } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { findMerchant } from '../identity/index.ts';
import { DEFAULT_LOCALE, type InEachLocale } from '../kernel/locale.ts';
import type { Instant } from '../kernel/time.ts';
import { figuresOf } from '../look/index.ts';
import type { MailContent } from './content.ts';
import { between, type Correspondents, name, writerOf } from './correspondents.ts';
import type { NewMail } from './mails.sql.ts';
import { MAIL_WORDS } from './words.ts';

/** A link to the customer portal that somebody has asked for. */
export interface PortalLinkFacts {
  readonly merchantId: string;
  readonly customerId: string;
  readonly recipient: string;
  readonly url: string;
  readonly expiresAt: Instant;
  readonly occasion: string;
}

const en = {
  subject: (seller: string) => `Your link to your account at ${seller}`,
  text: (seller: string, until: string) => `This link opens your account at ${seller}. It works once, until ${until}.`,
  ignore: 'If you did not ask for it, you need to do nothing. Please do not pass it on.',
};

type Words = typeof en;

const de: Words = {
  subject: (seller) => `Ihr Link zu Ihrem Konto bei ${seller}`,
  text: (seller, until) => `Dieser Link öffnet Ihr Konto bei ${seller}. Er gilt einmal, bis ${until}.`,
  ignore: 'Wenn Sie ihn nicht angefordert haben, brauchen Sie nichts zu tun. Bitte geben Sie ihn nicht weiter.',
};

const fr: Words = {
  subject: (seller) => `Votre lien vers votre compte chez ${seller}`,
  text: (seller, until) =>
    `Ce lien ouvre votre compte chez ${seller}. Il est valable une seule fois, jusqu’au ${until}.`,
  ignore: 'Si vous ne l’avez pas demandé, vous n’avez rien à faire. Merci de ne pas le transmettre.',
};

const es: Words = {
  subject: (seller) => `Su enlace a su cuenta en ${seller}`,
  text: (seller, until) => `Este enlace abre su cuenta en ${seller}. Funciona una sola vez, hasta el ${until}.`,
  ignore: 'Si no lo ha solicitado, no tiene que hacer nada. Por favor, no lo comparta.',
};

const WORDS: InEachLocale<Words> = { en, de, fr, es };

type Written = Omit<NewMail, 'id' | 'status' | 'nextActionAt' | 'createdAt'>;

/** The mail with a link to the customer portal, in the customer's language, to the one address that was typed. */
export async function writePortalMail(tx: Tx, facts: PortalLinkFacts): Promise<Written> {
  const { merchantId, customerId, recipient, url, expiresAt, occasion } = facts;
  const seller = writerOf(await findMerchant(tx));
  const customer = await findCustomer(tx, customerId);
  if (!customer) throw new Error(`Customer ${customerId} of ${merchantId} no longer exists.`);
  const locale = customer.locale ?? DEFAULT_LOCALE;
  return {
    merchantId,
    kind: 'portalLink',
    aboutId: customerId,
    occasion,
    customerId,
    recipients: [recipient],
    senderName: name(seller.name),
    replyTo: seller.email ?? null,
    content: portalContent({ locale, seller, buyerName: customer.organization.name }, url, expiresAt),
    attachments: [],
  };
}

/** A link, who has asked for it, and until when it works. */
export function portalContent(correspondents: Correspondents, url: string, expiresAt: Instant): MailContent {
  const { locale } = correspondents;
  const { subject, text, ignore } = WORDS[locale];
  const seller = name(correspondents.seller.name);
  return {
    ...between(correspondents, 'account'),
    subject: subject(seller),
    paragraphs: [text(seller, figuresOf(locale).minute(expiresAt)), ignore],
    facts: [],
    action: { label: MAIL_WORDS[locale].openAccount, url },
  };
}
