import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow('2026-03-10T09:30:00Z');
});
afterAll(() => env.close());

const MARCH = 'startTime=2026-03-01T00:00:00Z&endTime=2026-04-01T00:00:00Z';
/** Writes an invoice over some lines and issues it. */
async function bill(shop: Shop, amount: string, fields: Record<string, unknown> = {}): Promise<Resource> {
  const customerId = fields.customerId ?? (await shop.customer()).id;
  const lines = [
    { displayName: 'Work', quantity: 1, unitPrice: amount, ...(fields.taxRate ? { taxRate: fields.taxRate } : {}) },
  ];
  return shop.create('/v2/invoices', {
    currency: 'USD',
    customerId,
    lines,
    autoApprove: true,
    ...('currency' in fields && { currency: fields.currency }),
  });
}
const newShop = async (): Promise<{
  merchant: Merchant;
  shop: Shop;
  revenue: (query?: string) => Promise<Resource>;
}> => {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  return { merchant, shop, revenue: (query = '') => shop.read(`/v0/revenue?${MARCH}${query}`) };
};

const figures = ({ netRevenue, totalRefunds, totalRebates, invoices }: Resource) => ({
  net: netRevenue,
  refunds: totalRefunds,
  rebates: totalRebates,
  issued: [invoices.issued.count, invoices.issued.amount],
  outstanding: [invoices.outstanding.count, invoices.outstanding.amount],
  paid: [invoices.paid.count, invoices.paid.amount],
  writtenOff: [invoices.writtenOff.count, invoices.writtenOff.amount],
});
const NOTHING = {
  net: '0.00',
  refunds: '0.00',
  rebates: '0.00',
  issued: [0, '0.00'],
  outstanding: [0, '0.00'],
  paid: [0, '0.00'],
  writtenOff: [0, '0.00'],
};

describe('what an invoice counts', () => {
  it('follows it from issue to payment, refund and void', async () => {
    const { shop, revenue } = await newShop();
    const invoice = await bill(shop, '100');
    expect(figures(await revenue())).toEqual({
      ...NOTHING,
      net: '100.00',
      issued: [1, '100.00'],
      outstanding: [1, '100.00'],
    });
    await shop.pay(invoice);
    const paid = { ...NOTHING, net: '100.00', issued: [1, '100.00'], paid: [1, '100.00'] };
    expect(figures(await revenue())).toEqual(paid);
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`, {});
    expect(figures(await revenue())).toEqual({ ...paid, net: '0.00', refunds: '100.00' });
    expect((await revenue()).refundCount).toBe(1);
    await shop.act(`/v2/invoices/${invoice.id}/refunds/${refund.id}/void`, {});
    expect(figures(await revenue())).toEqual(paid);
    expect((await revenue()).refundCount).toBe(0);
  });
});
