import { expect } from 'vitest';
import type { Resource, Shop } from './shop.ts';

/** An invoice as the stories of a year write it down: the figures that a person works out by hand. */
export interface Bill {
  /** The kind, the dates and the net amount of each line: `charge 02-15/03-01 48.00`. */
  lines: readonly string[];
  /** `net + tax = total`. */
  total: string;
  /** The wallet's payment. */
  wallet: string;
  status: string;
}

export const billOf = ({ lines, subtotal, totalTax, grandTotal, walletApplied, status }: Resource): Bill => ({
  lines: lines.map(
    ({ type, lineItemType, periodStart, periodEnd, totalPrice }: Resource) =>
      `${lineItemType === 'refund' ? 'credit' : type} ${day(periodStart)}/${day(periodEnd)} ${totalPrice}`,
  ),
  total: `${subtotal} + ${totalTax} = ${grandTotal}`,
  wallet: walletApplied,
  status,
});
const day = (time: string) => time.slice(5, 10);

/** The content of a customer's wallet, of the only currency that it has. */
export async function walletOf(shop: Shop, { customerId }: Resource): Promise<string> {
  const { balances } = await shop.read(`/v0/customers/${customerId}/wallet`);
  return balances[0]?.balance ?? '0.00';
}

/** Stores a card of the customer, and makes it the default. */
export async function chargeBy(shop: Shop, customer: { id: string }, card: string): Promise<void> {
  const path = `/v0/customers/${customer.id}/paymentMethods`;
  const setup = await shop.create(path);
  await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: card });
  const { data } = await shop.read(path);
  await shop.act(`${path}/${data[0].id}/default`);
}

let transfers = 0;
/** Records a received transfer for an invoice. */
export function transfer(shop: Shop, invoice: Resource, amount: string): Promise<Resource> {
  transfers += 1;
  return shop.create(`/v2/invoices/${invoice.id}/payments`, {
    amount,
    method: 'bank_transfer',
    idempotencyKey: `transfer-${transfers}`,
  });
}

/** Explains every calculated invoice: each must equal its bill, after any later events. */
export async function expectExplained(shop: Shop, subscription: Resource): Promise<void> {
  for (const { id, kind, status, grandTotal } of await shop.invoices(subscription)) {
    if (status === 'ACTIVE') continue;
    const { recalculation } = await shop.read(`/v2/invoices/${id}/explain`);
    expect({ id, kind, recalculation }).toEqual({ id, kind, recalculation: { grandTotal, isSame: true } });
  }
}
