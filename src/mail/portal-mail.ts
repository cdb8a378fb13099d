import { findCustomer } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { findOrganization } from '../identity/index.ts';
import { DEFAULT_LOCALE, type InEachLocale } from '../kernel/locale.ts';
import type { Instant } from '../kernel/time.ts';
import { figuresOf } from '../look/index.ts';
import { name } from './compose.ts';
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
  open: 'Open your account',
};

type Words = typeof en;

const de: Words = {
  subject: (seller) => `Ihr Link zu Ihrem Konto bei ${seller}`,
  text: (seller, until) => `Dieser Link öffnet Ihr Konto bei ${seller}. Er gilt einmal, bis ${until}.`,
  ignore: 'Wenn Sie ihn nicht angefordert haben, brauchen Sie nichts zu tun. Bitte geben Sie ihn nicht weiter.',
  open: 'Konto öffnen',
};

const fr: Words = {
  subject: (seller) => `Votre lien vers votre compte chez ${seller}`,
  text: (seller, until) =>
    `Ce lien ouvre votre compte chez ${seller}. Il est valable une seule fois, jusqu’au ${until}.`,
  ignore: 'Si vous ne l’avez pas demandé, vous n’avez rien à faire. Merci de ne pas le transmettre.',
  open: 'Ouvrir votre compte',
};

const es: Words = {
  subject: (seller) => `Su enlace a su cuenta en ${seller}`,
  text: (seller, until) => `Este enlace abre su cuenta en ${seller}. Funciona una sola vez, hasta el ${until}.`,
  ignore: 'Si no lo ha solicitado, no tiene que hacer nada. Por favor, no lo comparta.',
  open: 'Abrir su cuenta',
};

const WORDS: InEachLocale<Words> = { en, de, fr, es };

type Written = Omit<NewMail, 'id' | 'status' | 'nextActionAt' | 'createdAt'>;

/** The mail with a link to the customer portal, in the customer's language, to the one address that was typed. */
export async function writePortalMail(tx: Tx, facts: PortalLinkFacts): Promise<Written> {
  const { merchantId, customerId, recipient, url, expiresAt, occasion } = facts;
  const seller = await findOrganization(tx, merchantId);
  const customer = await findCustomer(tx, customerId);
  if (!seller || !customer) throw new Error(`Customer ${customerId} of ${merchantId} no longer exists.`);
  const locale = customer.locale ?? DEFAULT_LOCALE;
  const words = WORDS[locale];
  const sellerName = name(seller.name);
  return {
    merchantId,
    kind: 'portalLink',
    aboutId: customerId,
    occasion,
    customerId,
    recipients: [recipient],
    senderName: sellerName,
    replyTo: seller.billingEmails[0] ?? null,
    content: {
      locale,
      subject: words.subject(sellerName),
      greeting: MAIL_WORDS[locale].greeting(name(customer.organization.name)),
      paragraphs: [words.text(sellerName, figuresOf(locale).minute(expiresAt)), words.ignore],
      facts: [],
      action: { label: words.open, url },
      signature: sellerName,
    },
    attachments: [],
  };
}
