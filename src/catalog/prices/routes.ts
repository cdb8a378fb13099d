import { ListOf, listReply, pageOf, type Route, route, Type } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import { changePrice, createPrice, deletePrice, getPrice, listPrices } from './prices.ts';
import { PriceCreateBody, PriceListQuery, PriceReply, PriceUpdateBody } from './schema.ts';

const one = { of: 'id', kind: 'price' } as const;

/** A matrix may have 1,000 cells, each with its price and its values. */
const MOST_KEYS = 15_000;

/** `/v0/prices` (api.md, Catalog). */
export const priceRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/v0/prices',
      operationId: 'createPrice',
      tag: 'Catalog',
      summary: 'Create a price of a metric or a fee',
      description:
        'Customers pay a price once a plan version has it. A price is calculated exactly and rounded ' +
        'once, to the minor unit of the currency.',
      access: { role: 'member', merchant: 'body', by: ['billableMetricId', 'feeId'] },
      body: PriceCreateBody,
      mostKeys: MOST_KEYS,
      replies: { 201: PriceReply },
    },
    async ({ tx, merchantId, body, now }) => createPrice(tx, merchantId, body, now),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/prices',
      operationId: 'listPrices',
      tag: 'Catalog',
      summary: 'List prices',
      description: 'Newest first.',
      access: { role: 'viewer', merchant: 'query', by: ['billableMetricId', 'feeId'] },
      query: PriceListQuery,
      replies: { 200: ListOf(PriceReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listPrices(tx, merchantId, query, page), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/prices/:id',
      operationId: 'getPrice',
      tag: 'Catalog',
      summary: 'Retrieve a price',
      description: 'Answers one price with the features that it gives.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: PriceReply },
    },
    async ({ tx, merchantId, params }) => getPrice(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/prices/:id',
      operationId: 'updatePrice',
      tag: 'Catalog',
      summary: 'Update a price',
      description:
        'A field that is not sent stays as it is. Once a plan version has the price, only ' +
        '`invoiceDisplayName` can change; anything else is a 409.',
      access: { role: 'member', merchant: one },
      body: PriceUpdateBody,
      mostKeys: MOST_KEYS,
      replies: { 200: PriceReply },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => changePrice(tx, merchantId, params.id, body, now),
  ),
  route(
    {
      method: 'DELETE',
      path: '/v0/prices/:id',
      operationId: 'deletePrice',
      tag: 'Catalog',
      summary: 'Delete an unused price',
      description: 'Refused with 409 and the blockers while a version of a plan that is not archived has the price.',
      access: { role: 'member', merchant: one },
      replies: { 204: Type.Null() },
      errors: [409],
    },
    async ({ tx, merchantId, params, now }) => deletePrice(tx, merchantId, params.id, now),
  ),
];
