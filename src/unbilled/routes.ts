import type { Tx } from '../db/index.ts';
import { pageOf, type Route, routesOf } from '../http/index.ts';
import { invalidField } from '../kernel/result.ts';
import type { FindBilling, UsageQuery } from '../metering/index.ts';
import { explainEvent } from './explain.ts';
import { EventExplanationReply } from './explanation-schema.ts';
import { unbilledReport } from './report.ts';
import { UnbilledQuery, UnbilledReply } from './schemas.ts';

const api = routesOf('Reports');
const ofEvents = routesOf('Metering');

/**
 * `/v0/usage/unbilled`, and the explanation of an event.
 * @param usage who counts usage for reports
 * @param findBilling finds the bill of an event
 */
export const unbilledRoutes = (usage: UsageQuery<Tx>, findBilling: FindBilling): readonly Route[] => [
  ofEvents.get('/v0/events/:id/explain', 'explainEvent', {
    summary: 'Explain why an event is billed or not',
    description:
      'Answers the event with `isCounted`, the `reason` if no invoice bills it, and a `message` that says what to do. ' +
      '`metrics` and `costs` list what takes events of its type, each with the prices that could bill the event.',
    access: { role: 'viewer', merchant: 'query', ownerless: true },
    replies: { 200: EventExplanationReply },
    handler: ({ tx, merchantId, params }) => explainEvent(tx, merchantId, params.id, findBilling),
  }),
  api.get('/v0/usage/unbilled', 'getUnbilledUsage', {
    summary: 'Report unbilled usage',
    description:
      'Groups the events by the reason for which they are not billed. Usage in open periods counts as billed, so the ' +
      'report already shows the usage that the next invoices will omit. Platform operators must send `merchantId`.',
    access: { role: 'viewer', merchant: 'query' },
    reads: 'report',
    query: UnbilledQuery,
    replies: { 200: UnbilledReply },
    handler: async ({ tx, merchantId, query }) =>
      merchantId === null
        ? invalidField('merchantId', 'is required of a platform operator')
        : unbilledReport(tx, usage, query, pageOf(query)),
  }),
];
