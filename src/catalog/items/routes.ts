import { type Route, routesOf } from '../../http/index.ts';
import type { CatalogOptions } from '../options.ts';
import { changeItem, createItem, deleteItem, getItem, listItems } from './items.ts';
import { ItemCreateBody, ItemListQuery, ItemReply, ItemUpdateBody } from './schema.ts';

const api = routesOf('Catalog');

const one = { of: 'id', kind: 'item' } as const;

/** `/v0/items` (§4, Catalog). */
export const itemRoutes = (options: CatalogOptions): readonly Route[] => [
  api.post('/v0/items', 'createItem', {
    summary: 'Create an item',
    description: 'An item is separate from the catalog and has no price. It has the ids of external systems.',
    access: { role: 'member', merchant: 'body', by: ['catalogId'] },
    body: ItemCreateBody,
    replies: { 201: ItemReply },
    handler: async ({ tx, body, now }) => createItem(tx, body, now),
  }),
  api.list('/v0/items', 'listItems', {
    summary: 'List items',
    description: 'Newest first. `provider` and `externalId` find the item of a record in an external system.',
    access: { role: 'viewer', merchant: 'query', by: ['catalogId'] },
    query: ItemListQuery,
    of: ItemReply,
    list: ({ tx, merchantId, query, page }) => listItems(tx, merchantId, query, page),
  }),
  api.get('/v0/items/:id', 'getItem', {
    summary: 'Retrieve an item',
    description: 'Answers one item with its external references. An archived item is answered too.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: ItemReply },
    handler: async ({ tx, params }) => getItem(tx, params.id),
  }),
  api.patch('/v0/items/:id', 'updateItem', {
    summary: 'Update, archive or restore an item',
    description: 'A field that is not sent stays as it is. `archived` archives or restores the item.',
    access: { role: 'member', merchant: one },
    body: ItemUpdateBody,
    replies: { 200: ItemReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => changeItem(tx, params.id, body, now),
  }),
  api.delete('/v0/items/:id', 'deleteItem', {
    summary: 'Delete an unused item',
    description:
      'Refused with 409 and the blockers while a metric, a fee or a line of an order uses the item. Its external ' +
      'references are deleted too.',
    access: { role: 'member', merchant: one },
    errors: [409],
    handler: async ({ tx, params, now }) => deleteItem(tx, params.id, now, options),
  }),
];
