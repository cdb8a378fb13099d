import { ListOf, listReply, type Route, routesOf } from '../http/index.ts';
import { mapped, ok } from '../kernel/result.ts';
import type { ScheduleDependencies } from './dependencies.ts';
import { listIntervals, replaceIntervals } from './intervals.ts';
import { toIntervalReply, toScheduleReply } from './present.ts';
import { createSchedule, deleteSchedule, getSchedule, listSchedules, updateScheduleBy } from './schedules.ts';
import {
  BillingScheduleCreateBody,
  BillingScheduleListQuery,
  BillingScheduleReply,
  BillingScheduleUpdateBody,
  MOST_INTERVALS,
  MOST_KEYS_OF_INTERVALS,
  ScheduleIntervalListQuery,
  ScheduleIntervalReply,
  ScheduleIntervalsReplaceBody,
  ScheduleInvoiceListQuery,
  ScheduleInvoiceListReply,
  ScheduleInvoiceReply,
} from './schemas.ts';
import { listScheduleInvoices, regenerateScheduleInvoices } from './staged-invoices.ts';

const api = routesOf('Billing schedules');
const ofSchedule = { of: 'id', kind: 'billingSchedule' } as const;
const WHOLE_PAGE = { limit: MOST_INTERVALS, offset: 0 };
const keyOf = (merchantId: string, params: { readonly id: string }) => ({
  merchantId,
  id: params.id,
});

/** `/v0/billingSchedules` (api.md). */
export const scheduleRoutes = (dependencies: ScheduleDependencies): readonly Route[] => [
  api.post('/v0/billingSchedules', 'createBillingSchedule', {
    summary: 'Create a billing schedule',
    description:
      'A schedule is of one order or of one subscription. Its windows follow from `periodPreset` and ' +
      '`alignmentPolicy`, and the charges from its intervals. A new schedule cancels a pending approval of its order.',
    access: { role: 'member', merchant: 'body', by: ['orderId', 'subscriptionId'] },
    body: BillingScheduleCreateBody,
    mostKeys: MOST_KEYS_OF_INTERVALS,
    replies: { 201: BillingScheduleReply },
    errors: [409],
    handler: async ({ tx, body, caller, now }) =>
      mapped(await createSchedule(dependencies, tx, body, { by: caller.userId, wall: now }), toScheduleReply),
  }),
  api.list('/v0/billingSchedules', 'listBillingSchedules', {
    summary: 'List billing schedules',
    description: 'The newest schedule comes first. Several filters narrow each other.',
    access: { role: 'viewer', merchant: 'query', by: ['customerId', 'orderId', 'subscriptionId'] },
    query: BillingScheduleListQuery,
    of: BillingScheduleReply,
    list: ({ tx, merchantId, query, page }) => listSchedules(tx, merchantId, query, page),
    each: toScheduleReply,
  }),
  api.get('/v0/billingSchedules/:id', 'getBillingSchedule', {
    summary: 'Retrieve a billing schedule',
    description:
      'The charges are at `GET /v0/billingSchedules/{id}/intervals`, the invoices at `GET ' +
      '/v0/billingSchedules/{id}/invoices`.',
    access: { role: 'viewer', merchant: ofSchedule },
    replies: { 200: BillingScheduleReply },
    handler: async ({ tx, merchantId, params }) =>
      mapped(await getSchedule(tx, keyOf(merchantId, params)), toScheduleReply),
  }),
  api.patch('/v0/billingSchedules/:id', 'updateBillingSchedule', {
    summary: 'Update a billing schedule',
    description:
      'The next invoice corrects earlier invoices: its amount is the amount owed less the amount that is billed. The ' +
      'change cancels a pending approval of the order.',
    access: { role: 'member', merchant: ofSchedule },
    body: BillingScheduleUpdateBody,
    mostKeys: MOST_KEYS_OF_INTERVALS,
    replies: { 200: BillingScheduleReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, caller, now }) => {
      const asker = { by: caller.userId, wall: now };
      const updated = await updateScheduleBy(dependencies, tx, keyOf(merchantId, params), body, asker);
      return updated.ok ? ok(toScheduleReply(updated.value)) : updated;
    },
  }),
  api.delete('/v0/billingSchedules/:id', 'deleteBillingSchedule', {
    summary: 'Delete a draft billing schedule',
    description: 'Deletes the schedule with its intervals. A schedule that is no draft is a 409.',
    access: { role: 'member', merchant: ofSchedule },
    errors: [409],
    handler: async ({ tx, merchantId, params, caller, now }) =>
      deleteSchedule(dependencies, tx, keyOf(merchantId, params), { by: caller.userId, wall: now }),
  }),
  api.list('/v0/billingSchedules/:id/intervals', 'listScheduleIntervals', {
    summary: 'List the intervals of a billing schedule',
    description: 'The intervals come in the order in which they were sent.',
    access: { role: 'viewer', merchant: ofSchedule },
    query: ScheduleIntervalListQuery,
    of: ScheduleIntervalReply,
    list: ({ tx, merchantId, params, page }) => listIntervals(tx, keyOf(merchantId, params), page),
    each: toIntervalReply,
  }),
  api.put('/v0/billingSchedules/:id/intervals', 'replaceScheduleIntervals', {
    summary: 'Replace the intervals of a billing schedule',
    description:
      'Replaces all intervals, or with `orderLineItemId` those of one order line. An interval with the content of a ' +
      'former one keeps its id. The change cancels a pending approval of the order.',
    access: { role: 'member', merchant: ofSchedule },
    body: ScheduleIntervalsReplaceBody,
    mostKeys: MOST_KEYS_OF_INTERVALS,
    replies: { 200: ListOf(ScheduleIntervalReply) },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, caller, now }) => {
      const asker = { by: caller.userId, wall: now };
      const replaced = await replaceIntervals(dependencies, tx, keyOf(merchantId, params), body, asker);
      if (!replaced.ok) return replaced;
      const { value } = replaced;
      return ok(listReply({ data: value.map(toIntervalReply), total: value.length }, WHOLE_PAGE));
    },
  }),
  api.list('/v0/billingSchedules/:id/invoices', 'listScheduleInvoices', {
    summary: 'List the invoices of a billing schedule',
    description:
      'The rows come by their bill dates. `staged` rows are planned, `pushed` rows are invoiced; together they sum ' +
      'to the contract.',
    access: { role: 'viewer', merchant: ofSchedule },
    query: ScheduleInvoiceListQuery,
    of: ScheduleInvoiceReply,
    list: ({ tx, merchantId, params, query, page }) =>
      listScheduleInvoices(dependencies, tx, keyOf(merchantId, params), query.status, page),
  }),
  api.post('/v0/billingSchedules/:id/invoices', 'regenerateScheduleInvoices', {
    summary: 'Stage the invoices of a billing schedule again',
    description:
      'Staged rows follow every change automatically, so this call is rarely needed. Rows that are invoiced stay.',
    access: { role: 'member', merchant: ofSchedule },
    replies: { 201: ScheduleInvoiceListReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, caller, now }) => {
      const asker = { by: caller.userId, wall: now };
      const page = { limit: 100, offset: 0 };
      const made = await regenerateScheduleInvoices(dependencies, tx, keyOf(merchantId, params), asker, page);
      return made.ok ? ok(listReply(made.value, page)) : made;
    },
  }),
];
