import { ListOf, listReply, pageOf, type Route, route } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import type { CatalogOptions } from '../options.ts';
import { changePlan, createPlan, getPlan, listAvailablePlans, listPlans } from './plans.ts';
import {
  AvailablePlansQuery,
  PlanCreateBody,
  PlanListQuery,
  PlanReply,
  PlanUpdateBody,
  PlanVersionCreateBody,
  PlanVersionListReply,
  PlanVersionReply,
  PlanVersionUpdateBody,
  VersionListQuery,
} from './schema.ts';
import { changeVersion, createVersion, getVersion, listVersions } from './versions.ts';

const one = { of: 'id', kind: 'plan' } as const;

/** `/v0/plans` and their versions (api.md, Catalog). */
export const planRoutes = (options: CatalogOptions): readonly Route[] => [
  route(
    {
      method: 'POST',
      path: '/v0/plans',
      operationId: 'createPlan',
      tag: 'Plans',
      summary: 'Create a plan and publish its first version',
      description: 'Publishes version 1 with the prices that are sent. Customers pay after a subscription to the plan.',
      access: { role: 'member', merchant: 'body', by: ['productId'] },
      body: PlanCreateBody,
      replies: { 201: PlanReply },
    },
    async ({ tx, merchantId, body, now }) => createPlan(tx, merchantId, body, now),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/plans',
      operationId: 'listPlans',
      tag: 'Plans',
      summary: 'List plans',
      description: 'Newest first, each with the prices of its default version.',
      access: { role: 'viewer', merchant: 'query', by: ['productId'] },
      query: PlanListQuery,
      replies: { 200: ListOf(PlanReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listPlans(tx, merchantId, { productId: query.productId }, page), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/plans/available',
      operationId: 'listAvailablePlans',
      tag: 'Plans',
      summary: 'List plans that a customer can subscribe to',
      description: 'Plans of products to which the customer has no active subscription. Newest first.',
      access: { role: 'viewer', merchant: 'query', by: ['customerId'] },
      query: AvailablePlansQuery,
      replies: { 200: ListOf(PlanReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listAvailablePlans(tx, merchantId as string, query, page, options), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/plans/:id',
      operationId: 'getPlan',
      tag: 'Plans',
      summary: 'Retrieve a plan',
      description: 'Answers the plan with the prices of its default version.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: PlanReply },
    },
    async ({ tx, merchantId, params }) => getPlan(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/plans/:id',
      operationId: 'updatePlan',
      tag: 'Plans',
      summary: 'Update a plan',
      description:
        'A field that is not sent stays as it is. Other `prices` than those of the default version are ' +
        'published as the next version. Existing subscriptions do not change.',
      access: { role: 'member', merchant: one },
      body: PlanUpdateBody,
      replies: { 200: PlanReply },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => changePlan(tx, merchantId, params.id, body, now, options),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/plans/:id/versions',
      operationId: 'listPlanVersions',
      tag: 'Plans',
      summary: 'List the versions of a plan',
      description: 'Newest first, without their prices.',
      access: { role: 'viewer', merchant: one },
      query: VersionListQuery,
      replies: { 200: PlanVersionListReply },
    },
    async ({ tx, merchantId, params, query }) => {
      const page = pageOf(query);
      const listed = await listVersions(tx, merchantId, params.id, page, options);
      return listed.ok ? ok(listReply(listed.value, page)) : listed;
    },
  ),
  route(
    {
      method: 'POST',
      path: '/v0/plans/:id/versions',
      operationId: 'createPlanVersion',
      tag: 'Plans',
      summary: 'Create the next version of a plan',
      description:
        'The new version has the prices of the default version with the changes that are sent. It ' +
        'becomes the default for new subscriptions; existing ones keep theirs. No difference, or no ' +
        'price, is a 400.',
      access: { role: 'member', merchant: one },
      body: PlanVersionCreateBody,
      replies: { 201: PlanVersionReply },
    },
    async ({ tx, merchantId, params, body, now }) => createVersion(tx, merchantId, params.id, body, now, options),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/plans/:id/versions/:versionNumber',
      operationId: 'getPlanVersion',
      tag: 'Plans',
      summary: 'Retrieve a version of a plan',
      description: 'Answers the version with its prices. A price that was deleted since is answered too.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: PlanVersionReply },
    },
    async ({ tx, merchantId, params }) => getVersion(tx, merchantId, params.id, params.versionNumber, options),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/plans/:id/versions/:versionNumber',
      operationId: 'updatePlanVersion',
      tag: 'Plans',
      summary: 'Update a version of a plan',
      description: 'The prices of a published version never change. The default version cannot be archived.',
      access: { role: 'member', merchant: one },
      body: PlanVersionUpdateBody,
      replies: { 200: PlanVersionReply },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) =>
      changeVersion(tx, { merchantId, planId: params.id, versionNumber: params.versionNumber }, body, now, options),
  ),
];
