import type { Tx } from '../db/index.ts';
import { type Route, routesOf } from '../http/index.ts';
import { invalidField } from '../kernel/result.ts';
import { type UsageQuery, withinRows } from '../metering/index.ts';
import { profitability } from './profitability.ts';
import { revenueSummary } from './revenue.ts';
import { ProfitabilityQuery, ProfitabilityReply, RevenueQuery, RevenueSummaryReply } from './schemas.ts';

const api = routesOf('Reports');
const merchantMissing = () => invalidField('merchantId', 'is required of a platform operator');

/** `/v0/revenue` and `/v0/profitability`. @param usage who counts the usage of costs */
export const analyticsRoutes = (usage: UsageQuery<Tx>): readonly Route[] => [
  api.get('/v0/revenue', 'getRevenue', {
    summary: 'Report revenue',
    description:
      'Reports invoices, refunds, payments and net revenue of a stretch of time, with a figure for each bucket. ' +
      'Amounts are without tax, except payments. A later refund, void or cancellation changes the report of the time ' +
      'to which it belongs. Platform operators must send `merchantId`.',
    access: { role: 'viewer', merchant: 'query', by: ['customerId'] },
    reads: 'report',
    query: RevenueQuery,
    replies: { 200: RevenueSummaryReply },
    handler: async ({ tx, merchantId, query }) => (merchantId === null ? merchantMissing() : revenueSummary(tx, query)),
  }),
  api.get('/v0/profitability', 'getProfitability', {
    summary: 'Report the profit by customer',
    description:
      'Subtracts the cost of the usage of each customer from the net revenue of the customer. Costs are those of ' +
      '`/v0/costs`. Platform operators must send `merchantId`.',
    access: { role: 'viewer', merchant: 'query' },
    reads: 'report',
    query: ProfitabilityQuery,
    replies: { 200: ProfitabilityReply },
    handler: async ({ tx, merchantId, query }) =>
      merchantId === null ? merchantMissing() : withinRows('to', () => profitability(tx, usage, query)),
  }),
];
