import { type Route, route } from '../http/index.ts';
import { invalidField } from '../kernel/result.ts';
import { revenueSummary } from './revenue.ts';
import { RevenueQuery, RevenueSummaryReply } from './schemas.ts';

const tag = 'Reports';
const merchantMissing = () => invalidField('merchantId', 'is required of a platform operator');

/** `/v0/revenue` and `/v0/profitability` (api.md). */
export const analyticsRoutes = (): readonly Route[] => [
  route(
    {
      method: 'GET',
      path: '/v0/revenue',
      operationId: 'getRevenue',
      tag,
      summary: 'Report revenue',
      access: { role: 'viewer', merchant: 'query', by: ['customerId'] },
      query: RevenueQuery,
      replies: { 200: RevenueSummaryReply },
    },
    async ({ tx, merchantId, query }) =>
      merchantId === null ? merchantMissing() : revenueSummary(tx, merchantId, query),
  ),
];
