import { type Route, routesOf } from '../http/index.ts';
import { changeAlert, createAlert, deleteAlert, getAlert, listAlerts, listTriggers } from './alerts.ts';
import type { AlertDependencies } from './dependencies.ts';
import { AlertBody, AlertReply, AlertsQuery, AlertTriggerReply, AlertUpdateBody } from './schemas.ts';

const api = routesOf('Alerts');
const one = { of: 'id', kind: 'alert' } as const;

/** `/v0/alerts` (api.md). */
export const alertRoutes = (dependencies: AlertDependencies): readonly Route[] => [
  api.post('/v0/alerts', 'createAlert', {
    summary: 'Create an alert',
    description:
      'It triggers once in each period, by webhook and email. It triggers at once if its figure has reached the ' +
      'threshold, otherwise within seconds of the event.',
    access: {
      role: 'member',
      merchant: 'body',
      by: ['entitlementId', 'subscriptionId', 'customerId', 'billableMetricId'],
    },
    body: AlertBody,
    replies: { 201: AlertReply },
    handler: async ({ tx, body, now }) => createAlert(dependencies, tx, body, now),
  }),
  api.list('/v0/alerts', 'listAlerts', {
    summary: 'List alerts',
    description: 'Newest first, each with its figure now.',
    access: {
      role: 'viewer',
      merchant: 'query',
      by: ['entitlementId', 'subscriptionId', 'customerId', 'billableMetricId'],
    },
    query: AlertsQuery,
    of: AlertReply,
    list: ({ tx, merchantId, query, now, page }) => listAlerts(dependencies, tx, merchantId, query, page, now),
  }),
  api.get('/v0/alerts/:id', 'getAlert', {
    summary: 'Retrieve an alert',
    description: 'Answers the alert with its figure now.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: AlertReply },
    handler: async ({ tx, params, now }) => getAlert(dependencies, tx, params.id, now),
  }),
  api.patch('/v0/alerts/:id', 'updateAlert', {
    summary: 'Update an alert',
    description:
      'A field that is not sent stays as it is. In a period in which the alert triggered it does not trigger again.',
    access: { role: 'member', merchant: one },
    body: AlertUpdateBody,
    replies: { 200: AlertReply },
    handler: async ({ tx, params, body, now }) => changeAlert(dependencies, tx, params.id, body, now),
  }),
  api.delete('/v0/alerts/:id', 'deleteAlert', {
    summary: 'Delete an alert',
    description: 'A budget blocks no access seconds later. Its triggers are deleted too.',
    access: { role: 'member', merchant: one },
    handler: async ({ tx, params }) => deleteAlert(tx, params.id),
  }),
  api.list('/v0/alerts/:id/triggers', 'listAlertTriggers', {
    summary: 'List triggers of an alert',
    description: 'Newest first: each time that the alert triggered, with the figure that was seen.',
    access: { role: 'viewer', merchant: one },
    of: AlertTriggerReply,
    list: ({ tx, params, page }) => listTriggers(tx, params.id, page),
  }),
];
