import type { Tx } from '../../db/index.ts';
import { type Route, routesOf } from '../../http/index.ts';
import { invalidField } from '../../kernel/result.ts';
import { type UsageQuery, withinRows } from '../../metering/index.ts';
import { costReport } from './cost-report.ts';
import { costSummary } from './cost-summary.ts';
import { metricEvents, metricUsage } from './metric-usage.ts';
import {
  CostReportQuery,
  CostReportReply,
  CostSummaryQuery,
  CostSummaryReply,
  MeterQuery,
  MeterReply,
  MetricEventsQuery,
  MetricEventsReply,
} from './schemas.ts';

const api = routesOf('Metering');

/** The usage of metrics and costs. @param usage the counter of usage */
export const usageRoutes = (usage: UsageQuery<Tx>): readonly Route[] => [
  api.get('/v0/billableMetrics/:id/meter', 'getMetricUsage', {
    summary: 'Retrieve the usage of a metric',
    description:
      '`from` is inclusive and `to` is exclusive. Every event that was answered with 202 counts at once. Only an ' +
      'answer with `Reckoner-Data-Age` may lack those of the last seconds.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'billableMetric' } },
    reads: 'report',
    query: MeterQuery,
    replies: { 200: MeterReply },
    handler: async ({ tx, params, query }) => withinRows('groupBy', () => metricUsage(tx, usage, params.id, query)),
  }),
  api.get('/v0/billableMetrics/:id/events', 'listMetricEvents', {
    summary: 'List the events of a metric',
    description: 'Newest first. `from` is inclusive and `to` is exclusive.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'billableMetric' } },
    reads: 'report',
    query: MetricEventsQuery,
    replies: { 200: MetricEventsReply },
    handler: async ({ tx, params, query }) => metricEvents(tx, params.id, query),
  }),
  api.get('/v0/costs/:id/summary', 'getCostSummary', {
    summary: 'Summarize the usage of a cost',
    description:
      'What usage cost at its time. `from` is inclusive and `to` is exclusive. A figure that is no sum, such as a ' +
      "level, is each customer's own, and the total is their sum.",
    access: { role: 'viewer', merchant: { of: 'id', kind: 'cost' } },
    reads: 'report',
    query: CostSummaryQuery,
    replies: { 200: CostSummaryReply },
    handler: async ({ tx, params, query }) => withinRows('groupBy', () => costSummary(tx, usage, params.id, query)),
  }),
  api.get('/v0/costs/report', 'getCostReport', {
    summary: 'Report costs by cost, customer or dimension',
    description:
      'In one currency. A cost without the dimension of `groupBy` counts with its missing value. The total is the ' +
      "sum of all groups: a level is each customer's own.",
    access: { role: 'viewer', merchant: 'query', by: ['costId'] },
    reads: 'report',
    query: CostReportQuery,
    replies: { 200: CostReportReply },
    handler: async ({ tx, merchantId, query }) =>
      merchantId === null
        ? invalidField('merchantId', 'is required of a platform operator')
        : withinRows('windowSize', () => costReport(tx, usage, query)),
  }),
];
