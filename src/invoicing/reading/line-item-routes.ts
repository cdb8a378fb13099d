import { pageOf, Reply, type Route, routesOf } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { LineItemCreateBody, LineItemListQuery, LineItemListReply, LineItemReply } from './line-item-schemas.ts';
import { createLineItem } from './line-items.ts';
import { listLineItems, toManualLineReply } from './list-line-items.ts';

const api = routesOf('Invoices');
const MOST_LINES_ON_PAGE = 100;

/** `/v2/invoices/lineItems` (api.md, Invoices and payments). */
export const lineItemRoutes = (dependencies: InvoicingDependencies): readonly Route[] => [
  api.post('/v2/invoices/lineItems', 'createLineItem', {
    summary: 'Add a line item to an open invoice',
    description:
      'Adds the line to `invoiceId`, which is `ACTIVE` or `CLOSING`. With `subscriptionId` it is added to the first ' +
      "invoice of the plan's cadence that closes at or after `invoiceAt`. The same `idempotencyKey` again answers " +
      '200 with the first line.',
    access: { role: 'member', merchant: 'body', by: ['subscriptionId', 'invoiceId'] },
    body: LineItemCreateBody,
    replies: { 201: LineItemReply, 200: LineItemReply },
    errors: [409],
    handler: async ({ tx, body, now }) => {
      const created = await createLineItem(dependencies, tx, body, now);
      if (!created.ok) return created;
      const { line, isNew } = created.value;
      const { customerId } = await dependencies.source.terms(tx, line.subscriptionId);
      return ok(new Reply(isNew ? 201 : 200, toManualLineReply(line, customerId)));
    },
  }),
  api.get('/v2/invoices/lineItems', 'listLineItems', {
    summary: 'List line items, pending and invoiced',
    description:
      'Pending lines come first, as of now; then invoiced lines, those of the newest invoice first. `summary` adds ' +
      'up all lines in its currency, not only this page. If more than 200 invoices are open, pending lines need a ' +
      'filter.',
    access: { role: 'viewer', merchant: 'query', by: ['subscriptionId', 'invoiceId'] },
    query: LineItemListQuery,
    replies: { 200: LineItemListReply },
    handler: async ({ tx, merchantId, query }) =>
      listLineItems(dependencies, tx, merchantId, query, {
        ...pageOf(query),
        limit: query.limit ?? MOST_LINES_ON_PAGE,
      }),
  }),
];
