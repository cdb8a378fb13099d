import { Id, ListQuery, Nullable, OneOf, type Static, Timestamp, Type } from '../http/index.ts';
import type { EnvironmentName } from '../identity/index.ts';
import { isId } from '../kernel/ids.ts';
import { formatInstant } from '../kernel/time.ts';
import { type MailContent, plainText } from './content.ts';
import { html, type LogoImage } from './html.ts';
import { ALERT_MAIL_KINDS, MAIL_KINDS, type MailKind, PORTAL_MAIL_KIND } from './kinds.ts';
import type { MailRow } from './mail-row.ts';
import { MAIL_STATUSES } from './states.ts';

const Kind = OneOf([...(Object.keys(MAIL_KINDS) as MailKind[]), ...ALERT_MAIL_KINDS, PORTAL_MAIL_KIND]);
const Status = OneOf(MAIL_STATUSES);

/** A mail to a customer. */
export const MailReply = Type.Object(
  {
    id: Id('mail'),
    object: Type.Literal('mail'),
    merchantId: Id('organization'),
    kind: Kind,
    status: Type.Unsafe<(typeof MAIL_STATUSES)[number]>({
      ...Status,
      description:
        '`held`: not to be sent, as all mail of the sandbox; `pending`: about to be sent, or sent again; ' +
        '`withdrawn`: what it says was no longer true before it left.',
    }),
    customerId: Id('customer'),
    invoiceId: Nullable(Id('invoice')),
    subscriptionId: Nullable(Id('subscription')),
    alertId: Nullable(Id('alert')),
    to: Type.Array(Type.String()),
    subject: Type.String(),
    text: Type.String(),
    html: Type.String(),
    attachments: Type.Array(Type.String()),
    attempts: Type.Integer(),
    lastError: Nullable(Type.String()),
    nextAttemptAt: Nullable(Timestamp),
    createdAt: Timestamp,
    sentAt: Nullable(Timestamp),
  },
  {
    $id: 'Mail',
    description: 'An email to a customer, or to the merchant about an alert.',
    'x-fields': {
      kind: 'The occasion of the email.',
      status:
        '`pending`: it will be sent, or sent again at `nextAttemptAt`. `sent`: the mail server took it. ' +
        '`failed`: it was refused for good, or the last attempt failed. `withdrawn`: it was no longer true ' +
        'before it left. `held`: it is not sent, like all mail of the sandbox.',
      invoiceId: 'The invoice that the email is about. Null: it is about none.',
      subscriptionId: 'The subscription that the email is about. Null: it is about none.',
      alertId: 'The alert that the email is about. Null: it is about none.',
      to: ['The email addresses of the recipients.', ['billing@example.com']],
      subject: ['The subject.', 'Invoice INV-000042 from Ferry & Sons'],
      text: ['The text without markup.', 'Dear customer, your invoice is attached.'],
      html: [
        'The same mail as HTML, with the look of the pages. One email has the logo of the merchant in it, a list has not.',
        '<p>Dear customer, your invoice is attached.</p>',
      ],
      attachments: ['The names of the attached PDF files.', ['invoice.pdf']],
      attempts: 'The number of attempts to send it.',
      lastError: 'Why the last attempt failed, or the recipients that the server refused. Null: neither.',
      nextAttemptAt: 'The time of the next attempt. Null: there is none.',
      sentAt: 'The time at which the mail server took it. Null: it was not sent.',
    },
  },
);

export const MailListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    customerId: Type.Optional(Id('customer')),
    invoiceId: Type.Optional(Id('invoice')),
    subscriptionId: Type.Optional(Id('subscription')),
    kind: Type.Optional(Kind),
    status: Type.Optional(Status),
  },
  {
    fields: {
      invoiceId: 'Only emails about this invoice.',
      subscriptionId: 'Only emails about this subscription.',
      kind: 'Only emails of this kind.',
      status: 'Only emails with this status.',
    },
  },
);

/**
 * A mail as answers show it. A link to the customer portal is for its customer alone: in production the words are shown
 * without it.
 * @param logo of the merchant; null: it has none, or is not shown
 */
export const toMailReply = (
  mail: MailRow,
  environment: EnvironmentName,
  logo: LogoImage | null = null,
): Static<typeof MailReply> => ({
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
  subject: mail.content.subject,
  text: plainText(contentShown(mail, environment), environment === 'sandbox'),
  html: html(contentShown(mail, environment), { logo, isSandbox: environment === 'sandbox' }),
  attachments: mail.attachments.map(({ fileName }) => fileName),
  attempts: mail.attempts,
  lastError: mail.lastError,
  nextAttemptAt: mail.nextActionAt && formatInstant(mail.nextActionAt),
  createdAt: formatInstant(mail.createdAt),
  sentAt: mail.sentAt && formatInstant(mail.sentAt),
});

const contentShown = ({ kind, content }: MailRow, environment: EnvironmentName): MailContent =>
  kind === PORTAL_MAIL_KIND && environment === 'production' ? { ...content, action: null } : content;
