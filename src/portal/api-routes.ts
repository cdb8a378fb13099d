import { type Route, routesOf, type Static, Strict, Text, Timestamp, Type } from '../http/index.ts';
import { notFound, ok } from '../kernel/result.ts';
import { formatInstant } from '../kernel/time.ts';
import { findSubscription } from '../subscriptions/index.ts';
import type { PortalDependencies } from './links/dependencies.ts';
import { createLink, type NewLink } from './links/links.ts';

const api = routesOf('Subscriptions');
const customers = routesOf('Customers');

const LinkBody = Strict(
  {
    expiresIn: Type.Optional(Text({ maxLength: 64 })),
    returnUrl: Type.Optional(Text({ maxLength: 2048 })),
  },
  {
    $id: 'PortalLinkCreate',
    examples: [{ expiresIn: 'PT1H', returnUrl: 'https://app.example/account' }],
    'x-fields': {
      expiresIn: 'How long the link opens the portal, as an ISO 8601 duration of at most `P7D`. Default: `PT10M`.',
      returnUrl: 'The address of the link "back" in the portal. Default: no link.',
    },
  },
);

const linkReply = <const Name extends string>(object: Name, $id: string) =>
  Type.Object(
    {
      object: Type.Literal(object),
      url: Type.String(),
      expiresAt: Timestamp,
    },
    {
      $id,
      description: 'A link to the customer portal.',
      'x-fields': {
        url: 'The link. It opens the portal once. Anybody with the link acts as the customer.',
        expiresAt: 'Until then the link opens the portal. The visit lasts an hour from its last request.',
      },
    },
  );

const SubscriptionPortalReply = linkReply('subscriptionPortal', 'SubscriptionPortal');
const CustomerPortalReply = linkReply('customerPortal', 'CustomerPortal');

const shown = <const Name extends string>(object: Name, { url, expiresAt }: NewLink) => ({
  object,
  url,
  expiresAt: formatInstant(expiresAt),
});

/** Links to the customer portal (api.md, Subscriptions and Customers). */
export const portalLinkRoutes = (
  dependencies: Pick<PortalDependencies, 'environment' | 'publicUrl'>,
): readonly Route[] => [
  api.post('/v0/subscriptions/:id/portal', 'createSubscriptionPortal', {
    summary: 'Create a link to the customer portal at a subscription',
    description:
      'The portal is the one of the customer of the subscription. The link works once, until `expiresAt`. Create it ' +
      'when the customer presses your button, and redirect to it.',
    access: { role: 'member', merchant: { of: 'id', kind: 'subscription' } },
    body: LinkBody,
    replies: { 200: SubscriptionPortalReply },
    secretReply: true,
    handler: async ({ tx, merchantId, params, body, now }) => {
      const subscriptionId = params.id;
      const subscription = await findSubscription(tx, subscriptionId);
      if (!subscription) return notFound('subscription');
      const of = { merchantId, customerId: subscription.customerId, subscriptionId };
      const link = await createLink(tx, dependencies, of, requestOf(body), now);
      return link.ok ? ok(shown('subscriptionPortal', link.value)) : link;
    },
  }),
  customers.post('/v0/customers/:id/portal', 'createCustomerPortal', {
    summary: 'Create a link to the customer portal',
    description:
      'The link works once, until `expiresAt`. Create it when the customer presses your button, and redirect to it.',
    access: { role: 'member', merchant: { of: 'id', kind: 'customer' } },
    body: LinkBody,
    replies: { 200: CustomerPortalReply },
    secretReply: true,
    handler: async ({ tx, merchantId, params, body, now }) => {
      const of = { merchantId, customerId: params.id, subscriptionId: null };
      const link = await createLink(tx, dependencies, of, requestOf(body), now);
      return link.ok ? ok(shown('customerPortal', link.value)) : link;
    },
  }),
];

const requestOf = ({ expiresIn, returnUrl }: Static<typeof LinkBody>) => ({
  ...(expiresIn !== undefined && { expiresIn }),
  ...(returnUrl !== undefined && { returnUrl }),
});
