import { ListOf, listReply, pageOf, type Route, route, Type } from '../http/index.ts';
import { ok } from '../kernel/result.ts';
import { changeAlert, createAlert, deleteAlert, getAlert, listAlerts, listTriggers } from './alerts.ts';
import type { AlertDependencies } from './dependencies.ts';
import {
  AlertBody,
  AlertReply,
  AlertsQuery,
  AlertTriggerReply,
  AlertTriggersQuery,
  AlertUpdateBody,
} from './schemas.ts';

const tag = 'Alerts';
const one = { of: 'id', kind: 'alert' } as const;

/** `/v0/alerts` (api.md). */
export const alertRoutes = (dependencies: AlertDependencies): readonly Route[] => [
  route(
    {
      method: 'POST',
      path: '/v0/alerts',
      operationId: 'createAlert',
      tag,
      summary: 'Create an alert',
      description:
        'It triggers once in each period, by webhook and email. It triggers at once if its figure has ' +
        'reached the threshold, otherwise within seconds of the event.',
      access: {
        role: 'member',
        merchant: 'body',
        by: ['entitlementId', 'subscriptionId', 'customerId', 'billableMetricId'],
      },
      body: AlertBody,
      replies: { 201: AlertReply },
    },
    async ({ tx, merchantId, body, now }) => createAlert(dependencies, tx, merchantId, body, now),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/alerts',
      operationId: 'listAlerts',
      tag,
      summary: 'List alerts',
      description: 'Newest first, each with its figure now.',
      access: {
        role: 'viewer',
        merchant: 'query',
        by: ['entitlementId', 'subscriptionId', 'customerId', 'billableMetricId'],
      },
      query: AlertsQuery,
      replies: { 200: ListOf(AlertReply) },
    },
    async ({ tx, merchantId, query, now }) => {
      const page = pageOf(query);
      return ok(listReply(await listAlerts(dependencies, tx, merchantId, query, page, now), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/alerts/:id',
      operationId: 'getAlert',
      tag,
      summary: 'Retrieve an alert',
      description: 'Answers the alert with its figure now.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: AlertReply },
    },
    async ({ tx, merchantId, params, now }) => getAlert(dependencies, tx, merchantId, params.id, now),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/alerts/:id',
      operationId: 'updateAlert',
      tag,
      summary: 'Update an alert',
      description:
        'A field that is not sent stays as it is. In a period in which the alert triggered it does not ' +
        'trigger again.',
      access: { role: 'member', merchant: one },
      body: AlertUpdateBody,
      replies: { 200: AlertReply },
    },
    async ({ tx, merchantId, params, body, now }) => changeAlert(dependencies, tx, merchantId, params.id, body, now),
  ),
  route(
    {
      method: 'DELETE',
      path: '/v0/alerts/:id',
      operationId: 'deleteAlert',
      tag,
      summary: 'Delete an alert',
      description: 'A budget blocks no access seconds later. Its triggers are deleted too.',
      access: { role: 'member', merchant: one },
      replies: { 204: Type.Null() },
    },
    async ({ tx, merchantId, params }) => deleteAlert(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/alerts/:id/triggers',
      operationId: 'listAlertTriggers',
      tag,
      summary: 'List triggers of an alert',
      description: 'Newest first: each time that the alert triggered, with the figure that was seen.',
      access: { role: 'viewer', merchant: one },
      query: AlertTriggersQuery,
      replies: { 200: ListOf(AlertTriggerReply) },
    },
    async ({ tx, merchantId, params, query }) => {
      const page = pageOf(query);
      const found = await listTriggers(tx, merchantId, params.id, page);
      return found.ok ? ok(listReply(found.value, page)) : found;
    },
  ),
];
