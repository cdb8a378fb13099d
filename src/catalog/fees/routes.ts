import { ListOf, listReply, pageOf, type Route, route, Type } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import { changeFee, createFee, deleteFee, getFee, listFees } from './fees.ts';
import { FeeCreateBody, FeeListQuery, FeeReply, FeeUpdateBody } from './schema.ts';

const one = { of: 'id', kind: 'fee' } as const;

/** `/v0/fees` (api.md, Catalog; §4 for DELETE). */
export const feeRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/v0/fees',
      operationId: 'createFee',
      tag: 'Catalog',
      summary: 'Create a fee',
      description: 'A fee is a fixed charge. A price has its amount and its billing cadence.',
      access: { role: 'member', merchant: 'body', by: ['productId', 'itemId'] },
      body: FeeCreateBody,
      replies: { 201: FeeReply },
    },
    async ({ tx, merchantId, body, now }) => createFee(tx, merchantId, body, now),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/fees',
      operationId: 'listFees',
      tag: 'Catalog',
      summary: 'List fees',
      description: 'Newest first.',
      access: { role: 'viewer', merchant: 'query', by: ['productId', 'itemId'] },
      query: FeeListQuery,
      replies: { 200: ListOf(FeeReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listFees(tx, merchantId, query, page), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/fees/:id',
      operationId: 'getFee',
      tag: 'Catalog',
      summary: 'Retrieve a fee',
      description: 'Answers one fee. An unknown id is a 404.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: FeeReply },
    },
    async ({ tx, merchantId, params }) => getFee(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/fees/:id',
      operationId: 'updateFee',
      tag: 'Catalog',
      summary: 'Update a fee',
      description: 'A field that is not sent stays as it is. Issued invoices do not change.',
      access: { role: 'member', merchant: one },
      body: FeeUpdateBody,
      replies: { 200: FeeReply },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => changeFee(tx, merchantId, params.id, body, now),
  ),
  route(
    {
      method: 'DELETE',
      path: '/v0/fees/:id',
      operationId: 'deleteFee',
      tag: 'Catalog',
      summary: 'Delete an unused fee',
      description: 'Refused with 409 and the blockers while a price is for the fee.',
      access: { role: 'member', merchant: one },
      replies: { 204: Type.Null() },
      errors: [409],
    },
    async ({ tx, merchantId, params, now }) => deleteFee(tx, merchantId, params.id, now),
  ),
];
