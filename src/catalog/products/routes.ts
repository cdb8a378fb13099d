import { ListOf, listReply, pageOf, type Route, route } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import { changeProduct, createProduct, getProduct, listProducts } from './products.ts';
import { ProductCreateBody, ProductListQuery, ProductReply, ProductUpdateBody } from './schema.ts';

/** `/v0/products` (api.md, Catalog). */
export const productRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/v0/products',
      operationId: 'createProduct',
      tag: 'Catalog',
      summary: 'Create a product',
      description: 'A product is the frame for features, metrics, fees and plans. It has no price itself.',
      access: { role: 'member', merchant: 'body' },
      body: ProductCreateBody,
      replies: { 201: ProductReply },
    },
    async ({ tx, merchantId, body, now }) => createProduct(tx, merchantId, body, now),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/products',
      operationId: 'listProducts',
      tag: 'Catalog',
      summary: 'List products',
      description: 'Newest first.',
      access: { role: 'viewer', merchant: 'query' },
      query: ProductListQuery,
      replies: { 200: ListOf(ProductReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listProducts(tx, merchantId, page), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/products/:id',
      operationId: 'getProduct',
      tag: 'Catalog',
      summary: 'Retrieve a product',
      description: 'Answers one product. An unknown id is a 404.',
      access: { role: 'viewer', merchant: { of: 'id', kind: 'product' } },
      replies: { 200: ProductReply },
    },
    async ({ tx, merchantId, params }) => getProduct(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/products/:id',
      operationId: 'updateProduct',
      tag: 'Catalog',
      summary: 'Update a product',
      description: 'A field that is not sent stays as it is. Invoices do not change.',
      access: { role: 'member', merchant: { of: 'id', kind: 'product' } },
      body: ProductUpdateBody,
      replies: { 200: ProductReply },
    },
    async ({ tx, merchantId, params, body, now }) => changeProduct(tx, merchantId, params.id, body, now),
  ),
];
