import { createdReply, type Route, routesOf } from '../../http/index.ts';
import { mapped } from '../../kernel/result.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import {
  ReceiptApplyBody,
  ReceiptCreateBody,
  ReceiptReply,
  ReceiptReturnBody,
  toReceiptReply,
} from './receipt-schemas.ts';
import { applyReceipt, listReceipts, type ReceiptKey, recordMoney, returnReceipt } from './receipts.ts';

const api = routesOf('Customers');
const path = '/v0/customers/:id/receipts';
const MEMBER = { role: 'member', merchant: { of: 'id', kind: 'customer' } } as const;

const keyOf = (params: unknown): ReceiptKey => {
  const { id: customerId, receiptId } = params as { id: string; receiptId: string };
  return { customerId, receiptId };
};

/** Money of customers that names no invoice (commercial.md §7). */
export const receiptRoutes = (dependencies: InvoicingDependencies): readonly Route[] => [
  api.post(path, 'createReceipt', {
    summary: 'Record money that names no invoice',
    description:
      'Records money that was received outside Reckoner, before it is known what it pays. It waits as `unapplied` ' +
      'until you apply it to invoices or the wallet, or return it. The same `idempotencyKey` again answers 200 with ' +
      'the first receipt.',
    access: MEMBER,
    body: ReceiptCreateBody,
    replies: { 201: ReceiptReply, 200: ReceiptReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) =>
      createdReply(await recordMoney(dependencies, tx, params.id, body, now), ({ receipt }) => toReceiptReply(receipt)),
  }),
  api.list(path, 'listReceipts', {
    summary: 'List the receipts of a customer',
    description: 'The newest receipt comes first.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'customer' } },
    of: ReceiptReply,
    list: ({ tx, params, page }) => listReceipts(tx, params.id, page),
    each: toReceiptReply,
  }),
  api.post(`${path}/:receiptId/apply`, 'applyReceipt', {
    summary: 'Apply a receipt to an invoice or to the wallet',
    description:
      'Pays an invoice with money that waits, or puts it into the wallet. Without `amount`: the smaller of what is ' +
      'left of the receipt and what is unpaid of the invoice. The payment can be reversed; then the money waits again.',
    access: MEMBER,
    body: ReceiptApplyBody,
    replies: { 200: ReceiptReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) =>
      mapped(await applyReceipt(dependencies, tx, keyOf(params), body, now), toReceiptReply),
  }),
  api.post(`${path}/:receiptId/return`, 'returnReceipt', {
    summary: 'Mark the unapplied money of a receipt as returned',
    description: 'Confirms that you have sent back what waits of a receipt. Fails with 409 if nothing waits.',
    access: MEMBER,
    body: ReceiptReturnBody,
    replies: { 200: ReceiptReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) =>
      mapped(await returnReceipt(tx, keyOf(params), body, now), toReceiptReply),
  }),
];
