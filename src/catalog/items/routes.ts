import { ListOf, listReply, pageOf, type Route, route, Type } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import type { CatalogOptions } from '../options.ts';
import { changeItem, createItem, deleteItem, getItem, listItems } from './items.ts';
import { ItemCreateBody, ItemListQuery, ItemReply, ItemUpdateBody } from './schema.ts';

const one = { of: 'id', kind: 'item' } as const;

/** `/v0/items` (§4, Catalog). */
export const itemRoutes = (options: CatalogOptions): readonly Route[] => [
  route(
    {
      method: 'POST',
      path: '/v0/items',
      operationId: 'createItem',
      tag: 'Catalog',
      summary: 'Create an item',
      description: 'An item is separate from the catalog and has no price. It has the ids of external systems.',
      access: { role: 'member', merchant: 'body', by: ['catalogId'] },
      body: ItemCreateBody,
      replies: { 201: ItemReply },
    },
    async ({ tx, merchantId, body, now }) => createItem(tx, merchantId, body, now),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/items',
      operationId: 'listItems',
      tag: 'Catalog',
      summary: 'List items',
      description: 'Newest first. `provider` and `externalId` find the item of a record in an external system.',
      access: { role: 'viewer', merchant: 'query', by: ['catalogId'] },
      query: ItemListQuery,
      replies: { 200: ListOf(ItemReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listItems(tx, merchantId, query, page), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/items/:id',
      operationId: 'getItem',
      tag: 'Catalog',
      summary: 'Retrieve an item',
      description: 'Answers one item with its external references. An archived item is answered too.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: ItemReply },
    },
    async ({ tx, merchantId, params }) => getItem(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/items/:id',
      operationId: 'updateItem',
      tag: 'Catalog',
      summary: 'Update, archive or restore an item',
      description: 'A field that is not sent stays as it is. `archived` archives or restores the item.',
      access: { role: 'member', merchant: one },
      body: ItemUpdateBody,
      replies: { 200: ItemReply },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => changeItem(tx, merchantId, params.id, body, now),
  ),
  route(
    {
      method: 'DELETE',
      path: '/v0/items/:id',
      operationId: 'deleteItem',
      tag: 'Catalog',
      summary: 'Delete an unused item',
      description:
        'Refused with 409 and the blockers while a metric, a fee or a line of an order uses the item. ' +
        'Its external references are deleted too.',
      access: { role: 'member', merchant: one },
      replies: { 204: Type.Null() },
      errors: [409],
    },
    async ({ tx, merchantId, params, now }) => deleteItem(tx, merchantId, params.id, now, options),
  ),
];
