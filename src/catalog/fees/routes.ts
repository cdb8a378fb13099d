import { type Route, routesOf } from '../../http/index.ts';
import { changeFee, createFee, deleteFee, getFee, listFees } from './fees.ts';
import { FeeCreateBody, FeeListQuery, FeeReply, FeeUpdateBody } from './schema.ts';

const api = routesOf('Catalog');

const one = { of: 'id', kind: 'fee' } as const;

/** `/v0/fees` (api.md, Catalog; §4 for DELETE). */
export const feeRoutes: readonly Route[] = [
  api.post('/v0/fees', 'createFee', {
    summary: 'Create a fee',
    description: 'A fee is a fixed charge. A price has its amount and its billing cadence.',
    access: { role: 'member', merchant: 'body', by: ['productId', 'itemId'] },
    body: FeeCreateBody,
    replies: { 201: FeeReply },
    handler: async ({ tx, body, now }) => createFee(tx, body, now),
  }),
  api.list('/v0/fees', 'listFees', {
    summary: 'List fees',
    description: 'Newest first.',
    access: { role: 'viewer', merchant: 'query', by: ['productId', 'itemId'] },
    query: FeeListQuery,
    of: FeeReply,
    list: ({ tx, merchantId, query, page }) => listFees(tx, merchantId, query, page),
  }),
  api.get('/v0/fees/:id', 'getFee', {
    summary: 'Retrieve a fee',
    description: 'Answers one fee. An unknown id is a 404.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: FeeReply },
    handler: async ({ tx, params }) => getFee(tx, params.id),
  }),
  api.patch('/v0/fees/:id', 'updateFee', {
    summary: 'Update a fee',
    description: 'A field that is not sent stays as it is. Issued invoices do not change.',
    access: { role: 'member', merchant: one },
    body: FeeUpdateBody,
    replies: { 200: FeeReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => changeFee(tx, params.id, body, now),
  }),
  api.delete('/v0/fees/:id', 'deleteFee', {
    summary: 'Delete an unused fee',
    description: 'Refused with 409 and the blockers while a price is for the fee.',
    access: { role: 'member', merchant: one },
    errors: [409],
    handler: async ({ tx, params, now }) => deleteFee(tx, params.id, now),
  }),
];
