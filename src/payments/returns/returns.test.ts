import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../db/index.ts';
import { newId } from '../../kernel/ids.ts';
import { receiptsOf, requestReturn, stopReturn } from '../index.ts';
import { openShop, type Shop, type Shopkeeper } from '../testing/shop.ts';

let shop: Shop;
let merchant: Shopkeeper;
beforeAll(async () => {
  shop = await openShop();
  merchant = await shop.merchant();
});
afterAll(() => shop.close());

/** A toy that was paid by card. */
async function paidToy(more: Parameters<Shop['open']>[2] = {}): Promise<string> {
  const toy = await shop.toy(merchant);
  const { id } = await shop.open(merchant, toy, more);
  const paid = await shop.completeAt(merchant, id, 'pm_ok', shop.now());
  expect(paid.ok).toBe(true);
  return toy;
}

const request = async (invoiceId: string, refundId = newId('refund')) => {
  const { returned } = await shop.inMerchant(merchant.id, (tx) =>
    requestReturn(tx, { merchantId: merchant.id, invoiceId, refundId }, shop.now()),
  );
  return { refundId, amount: returned.toFixed() };
};
const stop = async (refundId: string) => {
  const { stopped, left } = await shop.inMerchant(merchant.id, (tx) =>
    stopReturn(tx, { merchantId: merchant.id, refundId }),
  );
  return { stopped: stopped.toFixed(), left: left.toFixed() };
};
const receiptOf = async (invoiceId: string) => {
  const [receipt] = await shop.inMerchant(merchant.id, (tx) => receiptsOf(tx, invoiceId));
  if (!receipt) throw new Error('There is no receipt.');
  return receipt;
};
const refundsAtProvider = async (invoiceId: string) => {
  const { providerReference: reference } = await receiptOf(invoiceId);
  return shop.inMerchant(merchant.id, (tx) =>
    tx.rows<{ reference: string }>(
      sql`select reference from sandbox_provider_record where charge_reference = ${reference}`,
    ),
  );
};

describe('money that goes back', () => {
  it('leaves by due work, once, and the receipt says for which refund', async () => {
    const toy = await paidToy();
    const { refundId, amount } = await request(toy);
    expect(amount).toBe('69.44');
    expect(await receiptOf(toy)).toMatchObject({ returnStatus: 'requested', returnRefundId: refundId });
    expect(await refundsAtProvider(toy)).toHaveLength(0);
    await shop.runDueWork();
    const [refund] = await refundsAtProvider(toy);
    expect(await receiptOf(toy)).toMatchObject({ returnStatus: 'returned', returnReference: refund?.reference });
    await shop.runDueWork();
    expect(await refundsAtProvider(toy)).toHaveLength(1);
  });

  it('is nothing where nothing came in', async () => {
    expect((await request(await shop.toy(merchant))).amount).toBe('0');
  });

  it('does not leave when the refund is voided before, and leaves under a later refund', async () => {
    const toy = await paidToy();
    const first = await request(toy);
    expect(await stop(first.refundId)).toEqual({ stopped: '69.44', left: '0' });
    await shop.runDueWork();
    expect(await refundsAtProvider(toy)).toHaveLength(0);
    expect(await receiptOf(toy)).toMatchObject({ returnStatus: 'stopped' });
    expect(await stop(first.refundId)).toEqual({ stopped: '0', left: '0' });

    const second = await request(toy);
    expect(second.amount).toBe('69.44');
    await shop.runDueWork();
    expect(await receiptOf(toy)).toMatchObject({ returnStatus: 'returned', returnRefundId: second.refundId });
    expect(await refundsAtProvider(toy)).toHaveLength(1);
  });

  it('does not leave a second time under a later refund', async () => {
    const toy = await paidToy();
    const first = await request(toy);
    await shop.runDueWork();
    expect(await stop(first.refundId)).toEqual({ stopped: '0', left: '69.44' });
    const second = await request(toy);
    expect(second.amount).toBe('0');
    await shop.runDueWork();
    expect(await refundsAtProvider(toy)).toHaveLength(1);
    expect(await stop(second.refundId)).toEqual({ stopped: '0', left: '0' });
  });

  it('goes back on the test clock on which it came', async () => {
    const clock = await merchant.post('/v0/testClocks', { currentTime: '2030-01-01T00:00:00Z' });
    const at = Temporal.Instant.from('2030-01-01T00:00:00Z');
    const toy = await paidToy({ clockId: clock.body.id, at, expiresAt: at.add({ hours: 1 }) });
    await shop.inMerchant(merchant.id, (tx) =>
      requestReturn(tx, { merchantId: merchant.id, invoiceId: toy, refundId: newId('refund') }, at),
    );
    await merchant.patch(`/v0/testClocks/${clock.body.id}`, { advanceBy: 'PT1S' });
    const receipt = await receiptOf(toy);
    expect([receipt.returnStatus, String(receipt.returnedAt)]).toEqual(['returned', '2030-01-01T00:00:00Z']);
  });
});

describe('a race', () => {
  it('of twenty refunds for one invoice asks for the money once, and it leaves once', async () => {
    const toy = await paidToy();
    const asked = await Promise.all(Array.from({ length: 20 }, () => request(toy)));
    expect(asked.map(({ amount }) => amount).toSorted()).toEqual([...Array(19).fill('0'), '69.44']);
    await Promise.all([shop.runDueWork(), shop.runDueWork(), shop.runDueWork()]);
    expect(await refundsAtProvider(toy)).toHaveLength(1);
  });

  it('between a void and the worker either stops the money or says that it left', async () => {
    for (let round = 0; round < 40; round += 1) {
      const toy = await paidToy();
      const { refundId } = await request(toy);
      const work = shop.runDueWork();
      if (round % 2 === 0) await new Promise(setImmediate);
      const { stopped, left } = await stop(refundId);
      await work;
      await shop.runDueWork();
      expect([stopped, left].toSorted()).toEqual(['0', '69.44']);
      expect(await refundsAtProvider(toy)).toHaveLength(left === '0' ? 0 : 1);
      expect((await receiptOf(toy)).returnStatus).toBe(left === '0' ? 'stopped' : 'returned');
    }
  });

  it('of refunds, voids and workers sends the money at most once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const toy = await paidToy();
      const many = Array.from({ length: 6 }, async () => {
        const { refundId } = await request(toy);
        return stop(refundId);
      });
      await Promise.all([...many, shop.runDueWork(), shop.runDueWork()]);
      const last = await request(toy);
      await shop.runDueWork();
      expect(await refundsAtProvider(toy)).toHaveLength(1);
      expect((await receiptOf(toy)).returnStatus).toBe('returned');
      expect(Number(last.amount)).toBeLessThanOrEqual(69.44);
    }
  });
});

describe('a crash', () => {
  it('after the intent is made good by the next worker, and cannot be stopped any more', async () => {
    const toy = await paidToy();
    const { refundId } = await request(toy);
    await shop.inMerchant(merchant.id, (tx) =>
      tx.run(sql`update payment_receipt set return_started_at = ${shop.now()} where invoice_id = ${toy}`),
    );
    expect(await stop(refundId)).toEqual({ stopped: '0', left: '69.44' });
    expect((await receiptOf(toy)).returnStatus).toBe('requested');
    await shop.runDueWork();
    expect((await receiptOf(toy)).returnStatus).toBe('returned');
    expect(await refundsAtProvider(toy)).toHaveLength(1);
  });
});

describe('the database refuses', () => {
  it.each([
    { title: 'to send returned money again', set: sql`return_status = 'requested', next_action_at = now()` },
    { title: 'to forget that it left', set: sql`return_status = 'none', return_started_at = null, returned_at = null` },
    { title: 'to change what came in', set: sql`amount = amount + 1` },
  ])('$title', async ({ set }) => {
    const toy = await paidToy();
    await request(toy);
    await shop.runDueWork();
    await expect(
      shop.inMerchant(merchant.id, (tx) => tx.run(sql`update payment_receipt set ${set} where invoice_id = ${toy}`)),
    ).rejects.toThrow(/payment receipt/);
  });

  it('a second receipt for one session', async () => {
    const toy = await paidToy();
    await expect(
      shop.inMerchant(merchant.id, (tx) =>
        tx.run(sql`
          insert into payment_receipt (merchant_id, id, invoice_id, session_id, amount, currency, method, provider,
                                       provider_reference, received_at, created_at)
          select merchant_id, ${newId('payment')}, invoice_id, session_id, amount, currency, method, provider,
                 provider_reference, received_at, created_at from payment_receipt where invoice_id = ${toy}`),
      ),
    ).rejects.toThrow('payment_receipt_session');
  });
});
