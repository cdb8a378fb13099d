import { type Route, routesOf } from '../http/index.ts';
import { ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import type { CheckoutDependencies } from './link/dependencies.ts';
import type { CheckoutLink } from './link/link.ts';
import { CheckoutLinkCreateBody, CheckoutLinkReply, CheckoutLinksQuery, toLinkReply } from './link/schemas.ts';
import { createLink, expireLink, getLink, listLinks } from './links.ts';
import { signupRoutes } from './page/page-routes.ts';

const api = routesOf('Checkout links');
const one = { of: 'id', kind: 'checkoutLink' } as const;

/** The operations on sign-up links (api.md, `/v0/checkoutLinks`), and their pages. */
export function checkoutRoutes(dependencies: CheckoutDependencies): readonly Route[] {
  const shown = (found: Result<CheckoutLink>, now: Instant) =>
    found.ok ? ok(toLinkReply(found.value, dependencies.publicUrl, now)) : found;
  return [
    api.post('/v0/checkoutLinks', 'createCheckoutLink', {
      summary: 'Create a sign-up link',
      description:
        'Makes a page on which people subscribe to the plan: with billing details, and with a card if the plan costs ' +
        'anything. The customer and the subscription are created in the transaction that takes the money. With ' +
        '`customer` or `customerId` the link is for one person and works once.',
      access: { role: 'member', merchant: 'body', by: ['planId', 'customerId'] },
      body: CheckoutLinkCreateBody,
      replies: { 201: CheckoutLinkReply },
      errors: [409],
      handler: async ({ tx, body, now }) => shown(await createLink(dependencies, tx, body, now), now),
    }),
    api.list('/v0/checkoutLinks', 'listCheckoutLinks', {
      summary: 'List sign-up links',
      description: 'The newest link comes first.',
      access: { role: 'viewer', merchant: 'query', by: ['planId', 'customerId'] },
      query: CheckoutLinksQuery,
      of: CheckoutLinkReply,
      list: ({ tx, merchantId, query, page }) => listLinks(tx, merchantId, query, page),
      each: (link, { now }) => toLinkReply(link, dependencies.publicUrl, now),
    }),
    api.get('/v0/checkoutLinks/:id', 'getCheckoutLink', {
      summary: 'Retrieve a sign-up link',
      description: '`uses` has the number of subscriptions made with it.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: CheckoutLinkReply },
      handler: async ({ tx, params, now }) => shown(await getLink(tx, params.id), now),
    }),
    api.post('/v0/checkoutLinks/:id/expire', 'expireCheckoutLink', {
      summary: 'Expire a sign-up link',
      description:
        'The link ends before its time. Nobody can subscribe by it any more, except a person with a payment under ' +
        'way at the bank. A second call changes nothing and answers the same.',
      access: { role: 'member', merchant: one },
      replies: { 200: CheckoutLinkReply },
      handler: async ({ tx, params, now }) => shown(await expireLink(tx, params.id, now), now),
    }),
    ...signupRoutes(dependencies),
  ];
}
