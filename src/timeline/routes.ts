import { type Route, routesOf } from '../http/index.ts';
import { TimelineQuery, TimelineReply } from './schemas.ts';
import { customerTimeline } from './timeline.ts';

const api = routesOf('Customers');

/** `/v0/customers/{id}/timeline`. */
export const timelineRoutes: readonly Route[] = [
  api.get('/v0/customers/:id/timeline', 'getCustomerTimeline', {
    summary: 'Retrieve the timeline of a customer',
    description:
      'Lists what happened to one customer, the latest first: usage by day, invoices, payments, the wallet, ' +
      'subscriptions, entitlements, changes, emails and webhooks. Read on with `before` set to `nextCursor`.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'customer' } },
    query: TimelineQuery,
    replies: { 200: TimelineReply },
    handler: ({ tx, params, query }) => customerTimeline(tx, params.id, query),
  }),
];
