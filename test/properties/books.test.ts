import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { type Decimal, decimal, plain, sum } from '../../src/kernel/decimal.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { cases } from '../support/cases.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, shopOf } from '../support/shop.ts';

/**
 * Whatever happens to a customer's invoices, in which order, and at once: the books balance (reliability I-41 to I-45).
 */
let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow('2026-03-10T09:30:00Z');
});
afterAll(() => env.close());

const actions = [
  'bill',
  'bill',
  'topUp',
  'payByCard',
  'payByCard',
  'transferPart',
  'transferMore',
  'expire',
  'refund',
  'voidRefund',
  'cancel',
  'writeOff',
  'doDueWork',
] as const;
const step = fc.record({
  action: fc.constantFrom(...actions),
  /** One of the invoices, in turn. */
  at: fc.nat({ max: 5 }),
  cents: fc.integer({ min: 1, max: 9_999 }),
});
type Step = typeof step extends fc.Arbitrary<infer Of> ? Of : never;

let counter = 0;
const key = (): string => {
  counter += 1;
  return `key-${counter}`;
};

/** A customer, and the acts on its invoices. A refusal is a normal answer; a fault is not. */
function worldOf(merchant: Merchant, customerId: string) {
  const invoices: string[] = [];
  const refunds: { invoiceId: string; id: string }[] = [];
  const post = async (path: string, body?: unknown): Promise<Resource> => {
    const { status, body: answered, text } = await merchant.post(path, body);
    expect(status, `POST ${path} answered ${text}`).toBeLessThan(500);
    return status < 300 ? answered : null;
  };
  const openSession = async (invoiceId: string): Promise<string | undefined> => {
    const { paymentUrl } = (await merchant.get(`/v2/invoices/${invoiceId}`)).body;
    return paymentUrl?.includes('/pay/ps_') ? paymentUrl.split('/').at(-1) : undefined;
  };
  const transfer = (invoiceId: string, amount: string) =>
    post(`/v2/invoices/${invoiceId}/payments`, { amount, method: 'bank_transfer', idempotencyKey: key() });
  const lines = (unitPrice: string) => [{ displayName: 'Workshop', quantity: 1, unitPrice }];
  const run: Record<(typeof actions)[number], (on: string, amount: string) => Promise<unknown>> = {
    bill: async (_, amount) => {
      const body = { customerId, currency: 'USD', lines: lines(amount), autoApprove: true };
      invoices.push((await post('/v2/invoices', body)).id);
    },
    topUp: async (_, amount) => {
      const body = { amount, currency: 'USD', idempotencyKey: key() };
      invoices.push((await post(`/v0/customers/${customerId}/wallet/topUps`, body)).invoiceId);
    },
    payByCard: async (on) => {
      const session = await openSession(on);
      if (session) await post(`/v0/paymentSessions/${session}/complete`, { paymentMethod: 'pm_ok' });
      else await post(`/v2/invoices/${on}/paymentSessions`);
    },
    transferPart: (on) => transfer(on, '0.37'),
    transferMore: (on, amount) => transfer(on, decimal(amount).plus(50).toFixed(2)),
    expire: async (on) => {
      const session = await openSession(on);
      if (session) await post(`/v0/paymentSessions/${session}/expire`);
    },
    refund: async (on) => {
      const made = await post(`/v2/invoices/${on}/refunds`);
      if (made) refunds.push({ invoiceId: on, id: made.id });
    },
    voidRefund: async () => {
      const last = refunds.at(-1);
      if (last) await post(`/v2/invoices/${last.invoiceId}/refunds/${last.id}/void`, { reason: 'A mistake' });
    },
    cancel: (on) => post(`/v2/invoices/${on}/cancel`),
    writeOff: (on) => post(`/v2/invoices/${on}/writeOff`),
    doDueWork: () => env.runDueWork(),
  };
  return async ({ action, at, cents }: Step): Promise<void> => {
    const on = invoices.at(at % Math.max(1, invoices.length));
    const needsNone = action === 'bill' || action === 'topUp' || action === 'doDueWork';
    if (on !== undefined || needsNone) await run[action](on ?? '', decimal(cents).div(100).toFixed(2));
  };
}

async function newWorld() {
  const merchant = await env.merchant();
  const customer = await shopOf(merchant).customer({ taxRates: 19 });
  return { merchant, customer, take: worldOf(merchant, customer.id) };
}

/** The customer's debt on its invoices, by the invoices and by the ledger. */
async function owed(merchant: Merchant, customerId: string): Promise<[string, string]> {
  return env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
    const amounts = (rows: { amount: Decimal }[]) => plain(sum(rows.map(({ amount }) => amount)));
    const unpaid = await tx.rows<{ amount: Decimal }>(sql`
      select case when invoice_number is null then -paid_amount else unpaid_amount end as amount
        from invoice where customer_id = ${customerId} and status in ('ISSUED', 'PAYMENT_FAILED')`);
    const receivable = await tx.rows<{ amount: Decimal }>(sql`
      select amount from ledger_entry where customer_id = ${customerId} and account = 'receivable'`);
    return [amounts(unpaid), amounts(receivable)];
  });
}

it('balance after any order of issuing, paying, topping up, refunding, voiding, cancelling and writing off', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
      const { merchant, customer, take } = await newWorld();
      for (const each of steps) await take(each);
      await expectBooksToBalance(env, merchant);
      const [unpaid, receivable] = await owed(merchant, customer.id);
      expect(receivable).toBe(unpaid);
    }),
    cases(4, 15),
  );
});

it('balance where all of it comes at once', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
      const { merchant, take } = await newWorld();
      await take({ action: 'topUp', at: 0, cents: 9_000 });
      await take({ action: 'payByCard', at: 0, cents: 1 });
      for (const cents of [2_000, 7_000]) await take({ action: 'bill', at: 0, cents });
      await Promise.all(steps.map(take));
      await expectBooksToBalance(env, merchant);
    }),
    cases(3, 10),
  );
});
