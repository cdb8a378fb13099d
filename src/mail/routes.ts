import { ListOf, listReply, pageOf, type Route, route } from '../http/index.ts';
import type { EnvironmentName } from '../identity/index.ts';
import { notFound, ok } from '../kernel/result.ts';
import { selectMail, selectMails } from './mails.sql.ts';
import { MailListQuery, MailReply, toMailReply } from './schemas.ts';
import { sendAgain } from './send.ts';

const tag = 'Emails';
const one = { of: 'id', kind: 'mail' } as const;

/** `/v0/mails`: what customers were written, or would have been. Only production sends. */
export const mailRoutes = ({ environment }: { environment: EnvironmentName }): readonly Route[] => [
  route(
    {
      method: 'GET',
      path: '/v0/mails',
      operationId: 'listMails',
      tag,
      summary: 'List emails',
      description: 'The newest email comes first. The sandbox stores emails and never sends them.',
      access: { role: 'viewer', merchant: 'query', by: ['customerId', 'invoiceId', 'subscriptionId'] },
      query: MailListQuery,
      replies: { 200: ListOf(MailReply) },
    },
    async ({ tx, merchantId, query }) => {
      const { customerId, invoiceId, subscriptionId, kind, status } = query;
      const about = [invoiceId, subscriptionId].filter((id) => id !== undefined);
      const page = pageOf(query);
      if (about.length > 1) return ok(listReply({ data: [], total: 0 }, page)); // no mail is about both
      const filter = { merchantId, customerId, aboutId: about[0], kind, status };
      const { rows, total } = await selectMails(tx, filter, page);
      return ok(listReply({ data: rows.map((mail) => toMailReply(mail, environment)), total }, page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/mails/:id',
      operationId: 'getMail',
      tag,
      summary: 'Retrieve an email',
      description: 'Answers the whole email with its text. In production the link of a `portalLink` email is left out.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: MailReply },
    },
    async ({ tx, merchantId, params }) => {
      const mail = await selectMail(tx, merchantId, params.id);
      return mail ? ok(toMailReply(mail, environment)) : notFound('mail');
    },
  ),
  ...(environment === 'production' ? [sendRoute] : []),
];

const sendRoute: Route = route(
  {
    method: 'POST',
    path: '/v0/mails/:id/send',
    operationId: 'sendMail',
    tag,
    summary: 'Send an email again',
    description:
      'Sends an email that was `held` or has `failed`. In production only. Without a mail server it is ' +
      'held again. An email of another status is a 409.',
    access: { role: 'member', merchant: one },
    replies: { 200: MailReply },
    errors: [409],
  },
  async ({ tx, merchantId, params, now }) => {
    const sent = await sendAgain(tx, merchantId, params.id, now);
    return sent.ok ? ok(toMailReply(sent.value, 'production')) : sent;
  },
);
