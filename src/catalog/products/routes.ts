import { type Route, routesOf } from '../../http/index.ts';
import { changeProduct, createProduct, getProduct, listProducts } from './products.ts';
import { ProductCreateBody, ProductListQuery, ProductReply, ProductUpdateBody } from './schema.ts';

const api = routesOf('Catalog');

/** `/v0/products` (api.md, Catalog). */
export const productRoutes: readonly Route[] = [
  api.post('/v0/products', 'createProduct', {
    summary: 'Create a product',
    description: 'A product is the frame for features, metrics, fees and plans. It has no price itself.',
    access: { role: 'member', merchant: 'body' },
    body: ProductCreateBody,
    replies: { 201: ProductReply },
    handler: async ({ tx, body, now }) => createProduct(tx, body, now),
  }),
  api.list('/v0/products', 'listProducts', {
    summary: 'List products',
    description: 'Newest first.',
    access: { role: 'viewer', merchant: 'query' },
    query: ProductListQuery,
    of: ProductReply,
    list: ({ tx, merchantId, page }) => listProducts(tx, merchantId, page),
  }),
  api.get('/v0/products/:id', 'getProduct', {
    summary: 'Retrieve a product',
    description: 'Answers one product. An unknown id is a 404.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'product' } },
    replies: { 200: ProductReply },
    handler: async ({ tx, params }) => getProduct(tx, params.id),
  }),
  api.patch('/v0/products/:id', 'updateProduct', {
    summary: 'Update a product',
    description: 'A field that is not sent stays as it is. Invoices do not change.',
    access: { role: 'member', merchant: { of: 'id', kind: 'product' } },
    body: ProductUpdateBody,
    replies: { 200: ProductReply },
    handler: async ({ tx, params, body, now }) => changeProduct(tx, params.id, body, now),
  }),
];
