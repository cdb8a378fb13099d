import type { Tx } from '../db/index.ts';
import { pageOf, type Route, routesOf } from '../http/index.ts';
import { invalidField } from '../kernel/result.ts';
import type { UsageQuery } from '../metering/index.ts';
import { unbilledReport } from './report.ts';
import { UnbilledQuery, UnbilledReply } from './schemas.ts';

const api = routesOf('Reports');

/** `/v0/usage/unbilled`. @param usage who counts usage for reports */
export const unbilledRoutes = (usage: UsageQuery<Tx>): readonly Route[] => [
  api.get('/v0/usage/unbilled', 'getUnbilledUsage', {
    summary: 'Report unbilled usage',
    description:
      'Groups the events by the reason for which they are not billed. Usage in open periods counts as billed, so the ' +
      'report already shows the usage that the next invoices will omit. Platform operators must send `merchantId`.',
    access: { role: 'viewer', merchant: 'query' },
    query: UnbilledQuery,
    replies: { 200: UnbilledReply },
    handler: async ({ tx, merchantId, query }) =>
      merchantId === null
        ? invalidField('merchantId', 'is required of a platform operator')
        : unbilledReport(tx, usage, query, pageOf(query)),
  }),
];
