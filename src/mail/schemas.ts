import { Id, ListQuery, Nullable, OneOf, type Static, Timestamp, Type } from '../http/index.ts';
import type { EnvironmentName } from '../identity/index.ts';
import { isId } from '../kernel/ids.ts';
import { formatInstant } from '../kernel/time.ts';
import { ALERT_MAIL_KINDS, MAIL_KINDS, type MailKind, PORTAL_MAIL_KIND } from './kinds.ts';
import { html, type Letter, plainText } from './letter.ts';
import type { MailRow } from './mail-row.ts';
import { MAIL_STATUSES } from './states.ts';

const Kind = OneOf([...(Object.keys(MAIL_KINDS) as MailKind[]), ...ALERT_MAIL_KINDS, PORTAL_MAIL_KIND]);
const Status = OneOf(MAIL_STATUSES);

/** A mail to a customer. */
export const Mail = Type.Object(
  {
    id: Id('mail'),
    object: Type.Literal('mail'),
    merchantId: Id('organization'),
    kind: Kind,
    status: Type.Unsafe<(typeof MAIL_STATUSES)[number]>({
      ...Status,
      description:
        '`held`: not to be sent, as all mail of the sandbox; `pending`: about to be sent, or sent again; `withdrawn`: what it ' +
        'says was no longer true before it left.',
    }),
    customerId: Id('customer'),
    invoiceId: Nullable(Id('invoice')),
    subscriptionId: Nullable(Id('subscription')),
    alertId: Nullable(Id('alert')),
    to: Type.Array(Type.String()),
    subject: Type.String(),
    text: Type.String(),
    html: Type.String(),
    attachments: Type.Array(Type.String(), { description: 'The names of the PDF files that go with it.' }),
    attempts: Type.Integer(),
    lastError: Nullable(Type.String({ description: 'Why the last attempt failed, or whom the server refused.' })),
    nextAttemptAt: Nullable(Timestamp),
    createdAt: Timestamp,
    sentAt: Nullable(Timestamp),
  },
  { $id: 'Mail' },
);

export const MailListQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  customerId: Type.Optional(Id('customer')),
  invoiceId: Type.Optional(Id('invoice')),
  subscriptionId: Type.Optional(Id('subscription')),
  kind: Type.Optional(Kind),
  status: Type.Optional(Status),
});

/**
 * A mail as answers show it. A link to the customer portal is for its customer alone: in production the words are shown
 * without it.
 */
export const presentMail = (mail: MailRow, environment: EnvironmentName): Static<typeof Mail> => ({
  id: mail.id,
  object: 'mail',
  merchantId: mail.merchantId,
  kind: mail.kind,
  status: mail.status,
  customerId: mail.customerId,
  invoiceId: isId('invoice', mail.aboutId) ? mail.aboutId : null,
  subscriptionId: isId('subscription', mail.aboutId) ? mail.aboutId : null,
  alertId: isId('alert', mail.aboutId) ? mail.aboutId : null,
  to: [...mail.recipients],
  subject: mail.letter.subject,
  text: plainText(letterShown(mail, environment)),
  html: html(letterShown(mail, environment)),
  attachments: mail.attachments.map(({ fileName }) => fileName),
  attempts: mail.attempts,
  lastError: mail.lastError,
  nextAttemptAt: mail.nextActionAt && formatInstant(mail.nextActionAt),
  createdAt: formatInstant(mail.createdAt),
  sentAt: mail.sentAt && formatInstant(mail.sentAt),
});

const letterShown = ({ kind, letter }: MailRow, environment: EnvironmentName): Letter =>
  kind === PORTAL_MAIL_KIND && environment === 'production' ? { ...letter, action: null } : letter;
