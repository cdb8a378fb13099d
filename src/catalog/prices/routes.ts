import { type Route, routesOf } from '../../http/index.ts';
import { changePrice, createPrice, deletePrice, getPrice, listPrices } from './prices.ts';
import { PriceCreateBody, PriceListQuery, PriceReply, PriceUpdateBody } from './schema.ts';
import { checkPropertiesOf } from './terms.ts';

const api = routesOf('Catalog');

const one = { of: 'id', kind: 'price' } as const;

/** A matrix may have 1,000 cells, each with its price and its values. */
const MOST_KEYS = 15_000;

/** `/v0/prices` (api.md, Catalog). */
export const priceRoutes: readonly Route[] = [
  api.post('/v0/prices', 'createPrice', {
    summary: 'Create a price of a metric or a fee',
    description:
      'Customers pay a price once a plan version has it. A price is calculated exactly and rounded once, to the ' +
      'minor unit of the currency.',
    access: { role: 'member', merchant: 'body', by: ['billableMetricId', 'feeId'] },
    body: PriceCreateBody,
    alsoChecked: (body) => checkPropertiesOf(body, 'standard'),
    mostKeys: MOST_KEYS,
    replies: { 201: PriceReply },
    handler: async ({ tx, body, now }) => createPrice(tx, body, now),
  }),
  api.list('/v0/prices', 'listPrices', {
    summary: 'List prices',
    description: 'Newest first.',
    access: { role: 'viewer', merchant: 'query', by: ['billableMetricId', 'feeId'] },
    query: PriceListQuery,
    of: PriceReply,
    list: ({ tx, merchantId, query, page }) => listPrices(tx, merchantId, query, page),
  }),
  api.get('/v0/prices/:id', 'getPrice', {
    summary: 'Retrieve a price',
    description: 'Answers one price with the features that it gives.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: PriceReply },
    handler: async ({ tx, params }) => getPrice(tx, params.id),
  }),
  api.patch('/v0/prices/:id', 'updatePrice', {
    summary: 'Update a price',
    description:
      'A field that is not sent stays as it is. Once a plan version has the price, only `invoiceDisplayName` can ' +
      'change; anything else is a 409.',
    access: { role: 'member', merchant: one },
    body: PriceUpdateBody,
    alsoChecked: (body) => checkPropertiesOf(body),
    mostKeys: MOST_KEYS,
    replies: { 200: PriceReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => changePrice(tx, params.id, body, now),
  }),
  api.delete('/v0/prices/:id', 'deletePrice', {
    summary: 'Delete an unused price',
    description: 'Refused with 409 and the blockers while a version of a plan that is not archived has the price.',
    access: { role: 'member', merchant: one },
    errors: [409],
    handler: async ({ tx, params, now }) => deletePrice(tx, params.id, now),
  }),
];
