import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, shopOf } from '../support/shop.ts';
import { openTransactionPooler, type PoolerOptions, type TransactionPooler } from '../support/transaction-pooler.ts';

const START = '2026-01-31T10:30:00Z';
const MERCHANTS = 4;
const EVENTS = 30;

describe.each<PoolerOptions>([{ size: 6 }, { size: 6, inTurn: true }, { size: 6, keepsNames: true }])(
  'the life of merchants through a pooler of transactions: %o',
  (options) => {
    let env: TestEnvironment;
    let pooler: TransactionPooler;
    beforeAll(async () => {
      env = await openTestEnvironment({
        recomputed: true,
        pooled: true,
        through: async (url) => {
          pooler = await openTransactionPooler(url, options);
          return pooler.url;
        },
      });
    });
    afterAll(async () => {
      await env.close();
      await pooler.close();
    });

    /** From the first price to the payment; events are sent at the same time, by several connections. */
    async function life(): Promise<Resource> {
      const shop = shopOf(await env.merchant());
      const plan = await shop.plan([await shop.feePrice(), await shop.usagePrice()], { defaultTaxRate: 10 });
      const clock = await shop.clock(START);
      const subscription = await shop.subscribe(plan, { clock, startedAt: START });
      await Promise.all(
        Array.from({ length: EVENTS }, (_, each) =>
          shop.use(subscription.id, '2026-02-10T00:00:00Z', 1, { idempotencyKey: `event-${each % (EVENTS / 2)}` }),
        ),
      );
      await shop.advance(clock, 'P1M');
      const [invoice] = (await shop.invoices(subscription)).filter(({ status }) => status === 'ISSUED');
      await shop.pay(invoice as Resource);
      return shop.invoice(invoice?.id);
    }

    it('has no fault, and the same invoice for each', async () => {
      expect((await env.client().get('/readyz')).status).toBe(200);
      const invoices = await Promise.all(Array.from({ length: MERCHANTS }, life));
      const parts = invoices.map(({ status, grandTotal, unpaidAmount, number }) => ({
        ...{ status, grandTotal, unpaidAmount, number },
      }));
      expect(parts).toEqual(Array.from({ length: MERCHANTS }, () => ({ ...parts[0], status: 'PAID' })));
      expect(parts[0]?.unpaidAmount).toBe('0.00');
      await env.runDueWork();
      expect(pooler.transactions).toBeGreaterThan(100);
      expect(pooler.moves).toBeGreaterThan(10);
      expect((await env.client().get('/readyz')).status).toBe(200);
    });
  },
);
