import { type Route, routesOf } from '../../http/index.ts';
import type { CatalogOptions } from '../options.ts';
import { changePlan, createPlan, getPlan, listAvailablePlans, listPlans } from './plans.ts';
import {
  AvailablePlansQuery,
  PlanCreateBody,
  PlanListQuery,
  PlanReply,
  PlanUpdateBody,
  PlanVersionCreateBody,
  PlanVersionReply,
  PlanVersionSummaryReply,
  PlanVersionUpdateBody,
} from './schema.ts';
import { changeVersion, createVersion, getVersion, listVersions } from './versions.ts';

const api = routesOf('Plans');

const one = { of: 'id', kind: 'plan' } as const;

/** `/v0/plans` and their versions (api.md, Catalog). */
export const planRoutes = (options: CatalogOptions): readonly Route[] => [
  api.post('/v0/plans', 'createPlan', {
    summary: 'Create a plan and publish its first version',
    description: 'Publishes version 1 with the prices that are sent. Customers pay after a subscription to the plan.',
    access: { role: 'member', merchant: 'body', by: ['productId'] },
    body: PlanCreateBody,
    replies: { 201: PlanReply },
    handler: async ({ tx, body, now }) => createPlan(tx, body, now),
  }),
  api.list('/v0/plans', 'listPlans', {
    summary: 'List plans',
    description: 'Newest first, each with the prices of its default version.',
    access: { role: 'viewer', merchant: 'query', by: ['productId'] },
    query: PlanListQuery,
    of: PlanReply,
    list: ({ tx, merchantId, query, page }) => listPlans(tx, merchantId, { productId: query.productId }, page),
  }),
  api.list('/v0/plans/available', 'listAvailablePlans', {
    summary: 'List plans that a customer can subscribe to',
    description: 'Plans of products to which the customer has no active subscription. Newest first.',
    access: { role: 'viewer', merchant: 'query', by: ['customerId'] },
    query: AvailablePlansQuery,
    of: PlanReply,
    list: ({ tx, query, page }) => listAvailablePlans(tx, query, page, options),
  }),
  api.get('/v0/plans/:id', 'getPlan', {
    summary: 'Retrieve a plan',
    description: 'Answers the plan with the prices of its default version.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: PlanReply },
    handler: async ({ tx, params }) => getPlan(tx, params.id),
  }),
  api.patch('/v0/plans/:id', 'updatePlan', {
    summary: 'Update a plan',
    description:
      'A field that is not sent stays as it is. Other `prices` than those of the default version are published as ' +
      'the next version. Existing subscriptions do not change.',
    access: { role: 'member', merchant: one },
    body: PlanUpdateBody,
    replies: { 200: PlanReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => changePlan(tx, params.id, body, now, options),
  }),
  api.list('/v0/plans/:id/versions', 'listPlanVersions', {
    summary: 'List the versions of a plan',
    description: 'Newest first, without their prices.',
    access: { role: 'viewer', merchant: one },
    of: PlanVersionSummaryReply,
    list: ({ tx, params, page }) => listVersions(tx, params.id, page, options),
  }),
  api.post('/v0/plans/:id/versions', 'createPlanVersion', {
    summary: 'Create the next version of a plan',
    description:
      'The new version has the prices of the default version with the changes that are sent. It becomes the default ' +
      'for new subscriptions; existing ones keep theirs. No difference, or no price, is a 400.',
    access: { role: 'member', merchant: one },
    body: PlanVersionCreateBody,
    replies: { 201: PlanVersionReply },
    handler: async ({ tx, params, body, now }) => createVersion(tx, params.id, body, now, options),
  }),
  api.get('/v0/plans/:id/versions/:versionNumber', 'getPlanVersion', {
    summary: 'Retrieve a version of a plan',
    description: 'Answers the version with its prices. A price that was deleted since is answered too.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: PlanVersionReply },
    handler: async ({ tx, params }) => getVersion(tx, params.id, params.versionNumber, options),
  }),
  api.patch('/v0/plans/:id/versions/:versionNumber', 'updatePlanVersion', {
    summary: 'Update a version of a plan',
    description: 'The prices of a published version never change. The default version cannot be archived.',
    access: { role: 'member', merchant: one },
    body: PlanVersionUpdateBody,
    replies: { 200: PlanVersionReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, now }) =>
      changeVersion(tx, { merchantId, planId: params.id, versionNumber: params.versionNumber }, body, now, options),
  }),
];
