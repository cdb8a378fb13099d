import { customersOfEmail, findCustomer, findLocale } from '../customers/index.ts';
import type { Database, Tx } from '../db/index.ts';
import { AddressRate, RateLimiter, Reply, type Route, routesOf, Strict, Text, Type } from '../http/index.ts';
import { findMerchant, findOrganization, type MerchantOrganization, recordCustomerAudit } from '../identity/index.ts';
import { isId } from '../kernel/ids.ts';
import { localeAskedFor } from '../kernel/locale.ts';
import { ok } from '../kernel/result.ts';
import {
  errorPage,
  FORM,
  HTML,
  isForeign,
  type Look,
  lookOf,
  PRIVATE,
  pageReply,
  unknownReply,
} from '../pages/index.ts';
import { noCookie, portalPath, sessionCookie, sessionTokenIn } from './frame/cookie.ts';
import { deadLinkPage, leftPage, openPage, sentPage, signInPage } from './frame/sign-in-pages.ts';
import { STYLE } from './frame/style.ts';
import type { PortalDependencies } from './links/dependencies.ts';
import {
  createMailedLink,
  findLink,
  findSession,
  isOpen,
  leaveSession,
  merchantOfLink,
  merchantOfSession,
  openLink,
  stateOfLink,
} from './links/links.ts';
import type { PortalLink } from './links/portal.sql.ts';
import { hashOfToken, isFormKey } from './links/tokens.ts';

const api = routesOf('Pages');

const FORM_BYTES = 4096;
const EMAIL = /^[^\s@<>"',;:\\]{1,64}@[^\s@<>"',;:\\]{1,253}$/;
/** Customers of one e-mail address who get a link each. */
const MOST_CUSTOMERS = 5;
/** Requests for links from one address, and for links of one merchant from all addresses. */
const OF_ADDRESS = { perSecond: 1 / 30, burst: 10 };
const OF_MERCHANT = { perSecond: 1, burst: 100 };

const subscriptionPath = ({ subscriptionId: id }: Pick<PortalLink, 'subscriptionId'>): string =>
  id === null ? '' : `/subscriptions/${id}`;

/** Signing in to the portal, and signing out of it (docs/decisions/0124). */
export function signInRoutes(dependencies: PortalDependencies): readonly Route[] {
  const { environment, publicUrl } = dependencies;
  const base = portalPath(publicUrl);
  const unknown = unknownReply(environment);
  const usual = { access: { public: true }, hidden: true, errorPage: errorPage(environment) } as const;
  const addresses = new AddressRate(OF_ADDRESS);
  const merchants = new RateLimiter({ limitsOf: async () => ({ general: OF_MERCHANT }) });
  const page = (status: number, text: string, look: Look) => ok(pageReply(status, text, look, { style: STYLE }));

  return [
    api.get('/portal/open', 'showPortalLink', {
      ...usual,
      summary: 'The first page of a link to the portal. It opens nothing',
      query: Strict({ token: Type.Optional(Text({ maxLength: 100 })) }),
      replies: { 200: HTML, 303: HTML, 404: HTML, 410: HTML },
      free: async ({ database, query, request, now }) => {
        const { token } = query;
        const merchantId = await merchantOfLink(database, token);
        if (token === undefined || merchantId === null) return ok(unknown);
        return database.transaction({ merchants: [merchantId] }, async (tx) => {
          const link = await findLink(tx, token);
          const customer = link && (await findCustomer(tx, link.customerId));
          if (!link || !customer) return ok(unknown);
          const own = hashOfToken(sessionTokenIn(request.headers.cookie));
          // The browser that opened it comes back to it: by its history, or by the same link once more.
          if (own !== null && link.sessionHash?.equals(own) === true && isOpen(link, now))
            return ok(new Reply(303, '', { ...PRIVATE, location: `${base}${subscriptionPath(link)}` }));
          const { name: seller, settings } = await findMerchant(tx);
          const asked = localeAskedFor(request.headers['accept-language']);
          const look = lookOf(environment, settings, customer.locale, asked);
          const state = stateOfLink(link, now);
          if (state !== 'ready') return page(410, deadLinkPage(look, state, { base, merchantId, seller }), look);
          return page(200, openPage(look, { base, seller, customer: customer.organization.name, token }), look);
        });
      },
    }),
    api.post('/portal/open', 'openPortalLink', {
      ...usual,
      summary: 'Opens the portal by a link, once',
      body: Strict({ token: Text({ maxLength: 100 }) }),
      contentTypes: [FORM],
      bodyLimit: FORM_BYTES,
      replies: { 303: HTML, 404: HTML, 410: HTML },
      free: async ({ database, body, request, now }) => {
        const merchantId = await merchantOfLink(database, body.token);
        if (merchantId === null || isForeign(request)) return ok(unknown);
        return database.transaction({ merchants: [merchantId] }, async (tx) => {
          const link = await findLink(tx, body.token);
          const customer = link && (await findCustomer(tx, link.customerId, { keep: true }));
          if (!link || !customer) return ok(unknown);
          const opened = await openLink(tx, link, now);
          if (opened === null) {
            const asked = localeAskedFor(request.headers['accept-language']);
            const { name: seller, settings } = await findMerchant(tx);
            const look = lookOf(environment, settings, customer.locale, asked);
            const isUsed = ((await findLink(tx, body.token)) as PortalLink).openedAt !== null;
            const state = isUsed ? 'used' : 'expired';
            return page(410, deadLinkPage(look, state, { base, merchantId, seller }), look);
          }
          const { link: session, token } = opened;
          await recordCustomerAudit(tx, {
            ...{ merchantId, customerId: customer.id, operation: 'openPortalLink', resourceId: customer.id },
            ...{ before: null, after: { way: session.way }, requestId: request.id, at: now },
          });
          return ok(
            new Reply(303, '', {
              ...PRIVATE,
              location: `${base}${subscriptionPath(session)}`,
              'set-cookie': sessionCookie(publicUrl, token),
            }),
          );
        });
      },
    }),
    api.post('/portal/leave', 'leavePortal', {
      ...usual,
      summary: 'Ends the visit to the portal',
      body: Strict({ formKey: Text({ maxLength: 100 }) }),
      contentTypes: [FORM],
      bodyLimit: FORM_BYTES,
      replies: { 200: HTML, 303: HTML, 404: HTML },
      free: async ({ database, body, request, now }) => {
        const token = sessionTokenIn(request.headers.cookie);
        const merchantId = await merchantOfSession(database, token);
        if (token === undefined || merchantId === null) return ok(unknown);
        if (isForeign(request) || !isFormKey(token, body.formKey))
          return ok(new Reply(303, '', { ...PRIVATE, location: base }));
        return database.transaction({ merchants: [merchantId] }, async (tx) => {
          const session = await findSession(tx, token);
          await leaveSession(tx, token, now);
          const asked = localeAskedFor(request.headers['accept-language']);
          const locale = session && (await findLocale(tx, session.customerId));
          const { name: seller, settings } = await findMerchant(tx);
          const look = lookOf(environment, settings, locale, asked);
          const door = { base, merchantId, seller, returnUrl: session?.returnUrl ?? null };
          const { status, body: text, headers } = pageReply(200, leftPage(look, door), look, { style: STYLE });
          return ok(new Reply(status, text, { ...headers, 'set-cookie': noCookie(publicUrl) }));
        });
      },
    }),
    api.get('/portal/:merchantId', 'showPortalSignIn', {
      ...usual,
      summary: 'The page on which customers of a merchant request a link by email',
      replies: { 200: HTML, 404: HTML },
      free: async ({ database, params, request }) => {
        const found = await merchantNamed(database, params.merchantId, async (tx, { name: seller, settings }) => {
          const look = lookOf(environment, settings, null, localeAskedFor(request.headers['accept-language']));
          return page(200, signInPage(look, { base, merchantId: tx.merchantId, seller, wrong: null }), look);
        });
        return found ?? ok(unknown);
      },
    }),
    api.post('/portal/:merchantId', 'mailPortalLink', {
      ...usual,
      summary: 'Sends a link by email, and answers the same for unknown addresses',
      body: Strict({ email: Text({ maxLength: 320 }) }),
      contentTypes: [FORM],
      bodyLimit: FORM_BYTES,
      replies: { 200: HTML, 400: HTML, 404: HTML, 429: HTML },
      free: async ({ database, params, body, request, now }) => {
        const email = body.email.trim();
        const asked = localeAskedFor(request.headers['accept-language']);
        const found = await merchantNamed(database, params.merchantId, async (tx, { name: seller, settings }) => {
          const look = lookOf(environment, settings, null, asked);
          if (isForeign(request) || !EMAIL.test(email))
            return page(400, signInPage(look, { base, merchantId: tx.merchantId, seller, wrong: email }), look);
          const isTooOften =
            addresses.count(request.ip, request.ips !== undefined) !== null ||
            (await merchants.take(tx.merchantId, 'general'))?.isAllowed === false;
          if (isTooOften) return page(429, sentPage(look, seller, 'tooMany'), look);
          for (const customerId of await customersOfEmail(tx, email, MOST_CUSTOMERS)) {
            const link = await createMailedLink(tx, publicUrl, { merchantId: tx.merchantId, customerId, email }, now);
            if (link !== null) await dependencies.mailLink(tx, link, now);
          }
          return page(200, sentPage(look, seller, 'sent'), look);
        });
        return found ?? ok(unknown);
      },
    }),
  ];
}

/** Runs in a transaction of the merchant that an address names; null where it names none. */
async function merchantNamed<T>(
  database: Database,
  id: string,
  work: (tx: Tx, merchant: Pick<MerchantOrganization, 'name' | 'settings'>) => Promise<T>,
): Promise<T | null> {
  const owner = isId('organization', id) ? await database.owners.find(id) : null;
  if (owner !== id) return null; // nobody, or a customer's organization
  return database.transaction({ merchants: [id] }, async (tx) => {
    const { name = '', settings } = (await findOrganization(tx, id)) ?? {};
    return settings ? work(tx, { name, settings }) : null;
  });
}
