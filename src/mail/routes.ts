import { type Route, routesOf } from '../http/index.ts';
import type { EnvironmentName } from '../identity/index.ts';
import { mapped, notFound, ok } from '../kernel/result.ts';
import { logoOf } from './attachments.ts';
import { selectMail, selectMails } from './mails.sql.ts';
import { MailListQuery, MailReply, toMailReply } from './schemas.ts';
import { sendAgain } from './send.ts';

const api = routesOf('Emails');
const one = { of: 'id', kind: 'mail' } as const;

/** `/v0/mails`: what customers were written, or would have been. Only production sends. */
export const mailRoutes = ({ environment }: { environment: EnvironmentName }): readonly Route[] => [
  api.list('/v0/mails', 'listMails', {
    summary: 'List emails',
    description: 'The newest email comes first. The sandbox stores emails and never sends them.',
    access: { role: 'viewer', merchant: 'query', by: ['customerId', 'invoiceId', 'subscriptionId'] },
    query: MailListQuery,
    of: MailReply,
    list: async ({ tx, merchantId, query, page }) => {
      const { customerId, invoiceId, subscriptionId, kind, status } = query;
      const about = [invoiceId, subscriptionId].filter((id) => id !== undefined);
      if (about.length > 1) return { rows: [], total: 0 }; // no mail is about both
      const filter = { merchantId, customerId, aboutId: about[0], kind, status };
      return selectMails(tx, filter, page);
    },
    each: (mail) => toMailReply(mail, environment),
  }),
  api.get('/v0/mails/:id', 'getMail', {
    summary: 'Retrieve an email',
    description: 'Answers the whole email with its text. In production the link of a `portalLink` email is left out.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: MailReply },
    handler: async ({ tx, params }) => {
      const mail = await selectMail(tx, params.id);
      if (!mail) return notFound('mail');
      const logo = await logoOf(tx, mail.kind);
      return ok(toMailReply(mail, environment, logo && { ...logo, source: dataUrl(logo.content) }));
    },
  }),
  ...(environment === 'production' ? [sendRoute] : []),
];

const dataUrl = (png: Uint8Array): string => `data:image/png;base64,${Buffer.from(png).toString('base64')}`;

const sendRoute: Route = api.post('/v0/mails/:id/send', 'sendMail', {
  summary: 'Send an email again',
  description:
    'Sends an email that was `held` or has `failed`. In production only. Without a mail server it is held again. An ' +
    'email of another status is a 409.',
  access: { role: 'member', merchant: one },
  replies: { 200: MailReply },
  errors: [409],
  handler: async ({ tx, params, now }) =>
    mapped(await sendAgain(tx, params.id, now), (sent) => toMailReply(sent, 'production')),
});
