import { findCustomer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { type FreeContext, MapOf, Reply, type Route, routesOf, Strict, Text, type TSchema } from '../../http/index.ts';
import { findMerchant, recordCustomerAudit } from '../../identity/index.ts';
import { localeAskedFor } from '../../kernel/locale.ts';
import { ok } from '../../kernel/result.ts';
import {
  errorPage,
  FORM,
  HTML,
  isForeign,
  type Look,
  lookOf,
  PRIVATE,
  pageReply,
  plainLook,
  unknownReply,
} from '../../pages/index.ts';
import type { PortalDependencies } from '../links/dependencies.ts';
import { continueSession, findSession, isOpen, merchantOfSession } from '../links/links.ts';
import { formKeyOf, isFormKey } from '../links/tokens.ts';
import { noCookie, portalPath, sessionTokenIn } from './cookie.ts';
import type { FormFields, Outcome, PortalPage, Visit } from './page.ts';
import { portalFrame } from './shell.ts';
import { endedPage, signedOutPage } from './sign-in-pages.ts';
import { STYLE } from './style.ts';

const api = routesOf('Pages');

const FORM_BYTES = 16_384;

const Query = MapOf(Text({ maxLength: 40 }), Text({ maxLength: 200 }));

/** Makes the routes of pages behind a session. */
export interface PageMaker {
  /** A page, or the way to another one; null is a 404. */
  show(path: string, operationId: string, summary: string, work: (visit: Visit) => Promise<Outcome>): Route;
  /** A form: in one transaction, which a page in place of a redirect undoes. */
  act(
    path: string,
    operationId: string,
    summary: string,
    fields: Readonly<Record<string, TSchema>> | 'any',
    work: (visit: Visit, form: FormFields) => Promise<Outcome>,
  ): Route;
}

type Asked = Pick<
  FreeContext<Record<string, string>, Record<string, string>, unknown, { readonly public: true }>,
  'database' | 'request' | 'now' | 'params' | 'query' | 'signal'
>;

/**
 * The pages of the portal (docs/decisions/0124): each finds its customer by the session in the cookie, and by nothing
 * else.
 */
export function pageMaker(dependencies: PortalDependencies): PageMaker {
  const { environment, publicUrl } = dependencies;
  const unknown = unknownReply(environment);
  const base = portalPath(publicUrl);
  const usual = {
    tag: 'Pages',
    access: { public: true },
    hidden: true,
    errorPage: errorPage(environment),
    query: Query,
  } as const;

  const reply = (visit: Visit, page: PortalPage | null): Reply =>
    page === null
      ? unknown
      : pageReply(page.status ?? 200, portalFrame(visit, page), visit.look, { style: STYLE, formsLeadTo: 'https:' });

  const answer = (visit: Visit, outcome: Outcome): Reply => {
    if (outcome !== null && 'to' in outcome) return goTo(`${base}${outcome.to}`);
    if (outcome !== null && 'toOurs' in outcome) return goTo(outcome.toOurs);
    return reply(visit, outcome);
  };

  /** Runs work for visitors with a session; others get the way to one. */
  const visited = async (
    { database, request, now, params, query, signal }: Asked,
    operation: string,
    work: (visit: Visit, token: string) => Promise<Reply>,
  ): Promise<Reply> => {
    const token = sessionTokenIn(request.headers.cookie);
    const merchantId = await merchantOfSession(database, token);
    const asked = localeAskedFor(request.headers['accept-language']);
    if (token === undefined || merchantId === null) return signedOut(plainLook(environment, asked));
    const inVisit = async (tx: Tx): Promise<Reply> => {
      const session = await findSession(tx, token);
      const customer = session && (await findCustomer(tx, session.customerId));
      const merchant = await findMerchant(tx);
      const { name: seller, settings } = merchant;
      const look = lookOf(environment, settings, customer?.locale, asked);
      if (!session || !customer || !isOpen(session, now)) {
        const door = { base, merchantId, seller, returnUrl: session?.returnUrl ?? null };
        return pageReply(403, endedPage(look, door), look, { style: STYLE });
      }
      await continueSession(tx, session, now);
      const visit: Visit = {
        ...{ tx, merchantId, customerId: customer.id, customer, session, merchant, seller, settings, look, now, base },
        ...{ params, query, signal },
        formKey: formKeyOf(token),
        audit: (resourceId, before, after) =>
          recordCustomerAudit(tx, {
            ...{ merchantId, customerId: customer.id, operation, resourceId, before, after },
            requestId: request.id,
            at: now,
          }),
      };
      return work(visit, token);
    };
    return database.transaction({ merchants: [merchantId] }, inVisit, { byKeys: 'one thing' });
  };
  const signedOut = (look: Look): Reply => {
    const { status, body, headers } = pageReply(403, signedOutPage(look), look, { style: STYLE });
    return new Reply(status, body, { ...headers, 'set-cookie': noCookie(publicUrl) });
  };

  return {
    show: (path, operationId, summary, work) =>
      api.get(path, operationId, {
        ...usual,
        summary,
        replies: { 200: HTML, 303: HTML, 400: HTML, 403: HTML, 404: HTML, 409: HTML },
        free: async (context) =>
          ok(await visited(context, operationId, async (visit) => answer(visit, await work(visit)))),
      }),
    act: (path, operationId, summary, fields, work) =>
      api.post(path, operationId, {
        ...usual,
        summary,
        body:
          fields === 'any' ? MapOf(Text({ maxLength: 100 }), Text({ maxLength: 1000 })) : Strict({ ...KEY, ...fields }),
        contentTypes: [FORM],
        bodyLimit: FORM_BYTES,
        replies: { 303: HTML, 200: HTML, 400: HTML, 403: HTML, 404: HTML, 409: HTML },
        free: async (context) => {
          const form = context.body as FormFields;
          const acted = async (visit: Visit) => answer(visit, await work(visit, form));
          const done = await visited(context, operationId, async (visit, token) => {
            // Another site, or a page of another session, changes nothing: the customer sees the portal as it is.
            if (isForeign(context.request) || !isFormKey(token, form.formKey ?? '')) return goTo(base);
            return visit.tx.savepoint(
              () => acted(visit),
              ({ status }) => status === 303,
            );
          });
          return ok(done);
        },
      }),
  };
}

const KEY = { formKey: Text({ maxLength: 100 }) };

const goTo = (location: string): Reply => new Reply(303, '', { ...PRIVATE, location });
