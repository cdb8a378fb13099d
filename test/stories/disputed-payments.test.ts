import fc from 'fast-check';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rebuildRevenue } from '../../src/analytics/index.ts';
import { sql } from '../../src/db/index.ts';
import { decimal } from '../../src/kernel/decimal.ts';
import { FakeProvider } from '../../src/payments/testing/fake-provider.ts';
import { walletOf } from '../support/bills.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type CardsOutside, cardsOutside } from '../support/cards-outside.ts';
import { cases } from '../support/cases.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import type { Resource } from '../support/shop.ts';

/** Money of a payment leaves once: by a refund, a dispute or the provider's dashboard (domain.md §4, Refund). */
let env: TestEnvironment;
let provider: FakeProvider;
let cards: CardsOutside;
beforeAll(async () => {
  provider = new FakeProvider();
  env = await openTestEnvironment({ paymentProviders: [provider] });
});
beforeEach(async () => {
  cards = await cardsOutside(env, provider);
});
afterEach(() => expectBooksToBalance(env, cards.merchant));
afterAll(() => env.close());

type Status = 'inquiry' | 'open' | 'won' | 'lost';

/** An invoice over 10.00 that is paid by card, and the acts of others on its payment. */
async function paid() {
  const told = provider.notices.length;
  const customer = await cards.customerWith();
  const invoice = await cards.issue(customer);
  await cards.shop.act(`/v2/invoices/${invoice.id}/pay`);
  const [row] = await env.database.transaction({ merchants: [cards.merchant.id] }, (tx) =>
    tx.rows<{ providerReference: string }>(sql`select provider_reference from payment_receipt
      where merchant_id = ${cards.merchant.id} and invoice_id = ${invoice.id}`),
  );
  const chargeReference = row?.providerReference as string;
  const path = `/v2/invoices/${invoice.id}/refunds`;
  return {
    customer,
    dispute: (status: Status, amount: string, reference?: string): string =>
      provider.dispute(
        { chargeReference, status, amount: decimal(amount), currency: 'USD', reason: 'fraudulent' },
        reference,
      ),
    atDashboard: (amount: string) =>
      provider.refundAtDashboard({ chargeReference, amount: decimal(amount), currency: 'USD' }),
    notices: () => provider.notices.slice(told),
    tell: async (notices = provider.notices.slice(told)) => {
      await cards.tell(notices);
      await env.runDueWork();
    },
    refund: () => cards.merchant.post(path),
    voidOf: ({ body }: { body: Resource }) => cards.merchant.post(`${path}/${body.id}/void`, { reason: 'A mistake' }),
    payment: async () => (await cards.payments(invoice))[0] as Resource,
    /** The refunds of this payment at the provider, also at its dashboard. */
    sent: () =>
      provider.refunds
        .filter((each) => each.chargeReference === chargeReference)
        .map(({ amount }) => amount.toFixed(2)),
  };
}

const DISPUTED = { status: 409, body: { code: 'PAYMENT_DISPUTED' } };

describe('a refund', () => {
  it('of a disputed payment is refused until the dispute is won', async () => {
    const it = await paid();
    const reference = it.dispute('open', '10');
    await it.tell();
    expect(await it.refund()).toMatchObject(DISPUTED);
    const { id } = await it.payment();
    const decided = await cards.merchant.post(`/v0/payments/${id}/dispute`, { outcome: 'won' });
    expect(decided.status, 'only its own bank decides a dispute at a provider').toBe(409);
    it.dispute('won', '10', reference);
    await it.tell();
    expect(await it.refund()).toMatchObject({ status: 201, body: { total: '10.00' } });
    expect(it.sent()).toEqual(['10.00']);
  });

  it.each<{ what: string; lost?: string; outside?: string; sent: string[]; returnStatus: string }>([
    { what: 'all by a dispute', lost: '10', sent: [], returnStatus: 'none' },
    { what: 'a part by a dispute', lost: '4', sent: ['6.00'], returnStatus: 'returned' },
    { what: 'a part at the dashboard', outside: '4', sent: ['4.00', '6.00'], returnStatus: 'returned' },
    { what: 'parts by both', lost: '3', outside: '4', sent: ['4.00', '3.00'], returnStatus: 'returned' },
  ])('sends what is left: $what was taken', async ({ lost, outside, sent, returnStatus }) => {
    const it = await paid();
    if (lost !== undefined) it.dispute('lost', lost);
    if (outside !== undefined) it.atDashboard(outside);
    await it.tell();
    const first = await it.refund();
    expect(first).toMatchObject({ status: 201, body: { total: '10.00' } });
    expect(it.sent()).toEqual(sent);
    expect(await it.payment()).toMatchObject({ returnStatus });
    expect(await cards.exceptions()).toEqual([]);
    await it.voidOf(first);
    expect(await it.refund()).toMatchObject({ status: 201, body: { total: '10.00' } });
    expect(it.sent()).toEqual(sent);
    expect(await walletOf(cards.shop, { customerId: it.customer.id })).toBe('0.00');
  });

  /** The provider refuses our key, so the refund waits; meanwhile the payer's bank acts. */
  it.each<{ what: string; end: Status; amount: string; sent: string[]; returnStatus: string }>([
    { what: 'won', end: 'won', amount: '10', sent: ['10.00'], returnStatus: 'returned' },
    { what: 'lost', end: 'lost', amount: '10', sent: [], returnStatus: 'stopped' },
    { what: 'lost in part', end: 'lost', amount: '4', sent: ['6.00'], returnStatus: 'returned' },
  ])('that waits to be sent waits for the dispute, which is $what', async ({ end, amount, sent, returnStatus }) => {
    const it = await paid();
    provider.fault('refund', 'refused');
    const first = await it.refund();
    await env.database.transaction({ merchants: [cards.merchant.id] }, (tx) =>
      tx.run(sql`update merchant_integration set status = 'active', status_reason = null
                  where merchant_id = ${cards.merchant.id}`),
    );
    const reference = it.dispute('open', amount);
    await it.tell();
    env.setNow('2026-01-01T12:00:00Z');
    await env.runDueWork();
    expect([it.sent(), (await it.payment()).returnStatus]).toEqual([[], 'requested']);
    it.dispute(end, amount, reference);
    await it.tell();
    expect([it.sent(), (await it.payment()).returnStatus]).toEqual([sent, returnStatus]);
    expect(await cards.exceptions()).toEqual([]);
    await it.voidOf(first);
    expect(await walletOf(cards.shop, { customerId: it.customer.id })).toBe('0.00');
  });
});

describe('reports of revenue', () => {
  const report = () => cards.shop.read('/v0/revenue?startTime=2026-01-01T00:00:00Z&endTime=2026-02-01T00:00:00Z');
  const none = { count: 0, amount: '0.00' };
  const all = { count: 1, amount: '10.00' };

  it('say what open disputes hold back and what lost ones took, also after a rebuild', async () => {
    const it = await paid();
    const reference = it.dispute('inquiry', '10');
    await it.tell();
    expect(await report()).toMatchObject({ netRevenue: '10.00', disputes: { open: none, lost: none } });
    it.dispute('open', '10', reference);
    await it.tell();
    expect(await report()).toMatchObject({ disputes: { open: all, lost: none } });
    it.dispute('lost', '10', reference);
    await it.tell();
    const other = it.dispute('open', '4');
    await it.tell();
    it.dispute('won', '4', other);
    await it.tell();
    const before = await report();
    expect(before).toMatchObject({
      ...{ netRevenue: '10.00', payments: { completedAmount: '10.00' }, disputes: { open: none, lost: all } },
      currencyBreakdown: [{ currency: 'USD', disputes: { open: none, lost: all } }],
    });
    const owner = new pg.Client({ connectionString: env.url });
    await owner.connect();
    await owner.query(`delete from revenue_fact where kind = 'dispute' and merchant_id = $1`, [cards.merchant.id]);
    await owner.end();
    expect(await rebuildRevenue(env.database)).toMatchObject({ facts: 1 });
    expect(await report()).toEqual(before);
  });
});

const event = fc.record({
  act: fc.constantFrom('refund', 'refund', 'void', 'open', 'won', 'lost', 'dashboard', 'tell', 'refused', 'work'),
  cents: fc.integer({ min: 1, max: 1000 }),
  seed: fc.nat({ max: 99 }),
});

/* At the dashboard a person refunds no more than is left. The provider itself refuses nothing: Reckoner must. */
it('no order of refunds, voids, disputes and notices sends a payment back twice', { timeout: 300_000 }, async () => {
  let time = Temporal.Instant.from('2026-01-01T00:00:00Z'); // it goes on from one order to the next
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 4, maxLength: 14 }), async (events) => {
      cards = await cardsOutside(env, provider);
      const it = await paid();
      const cents = (text: string) => Math.round(Number(text) * 100);
      const sent = () => it.sent().reduce((total, each) => total + cents(each), 0);
      let refund: { body: Resource } | null = null;
      let dispute: { reference: string; amount: string; cents: number; status: Status } | null = null;
      for (const { act, cents: some, seed } of events) {
        if (act === 'refund') {
          const made = await it.refund();
          if (made.status === 201) refund = made;
        } else if (act === 'void' && refund) await it.voidOf(refund);
        else if (act === 'open' && dispute === null && sent() === 0) {
          const amount = (some / 100).toFixed(2);
          dispute = { reference: it.dispute('open', amount), amount, cents: some, status: 'open' };
        } else if ((act === 'won' || act === 'lost') && dispute?.status === 'open') {
          dispute.status = act;
          it.dispute(act, dispute.amount, dispute.reference);
        } else if (act === 'dashboard' && !dispute && sent() + some <= 1000) it.atDashboard((some / 100).toFixed(2));
        else if (act === 'refused') provider.fault('refund', 'refused');
        else if (act === 'work') {
          time = time.add({ hours: 1 });
          env.setNow(time.toString());
          await env.runDueWork();
        }
        if (act === 'tell' || act === 'open' || act === 'dashboard') {
          const notices = it.notices();
          await it.tell([...notices.slice(seed % (notices.length + 1)), ...notices.toReversed()]);
        }
        await env.database.transaction({ merchants: [cards.merchant.id] }, (tx) =>
          tx.run(sql`update merchant_integration set status = 'active', status_reason = null
                      where merchant_id = ${cards.merchant.id}`),
        );
        const taken = dispute?.status === 'lost' ? dispute.cents : 0;
        expect(sent() + taken).toBeLessThanOrEqual(1000);
      }
      await it.tell();
      await expectBooksToBalance(env, cards.merchant);
      expect(await walletOf(cards.shop, { customerId: it.customer.id })).toBe('0.00');
    }),
    cases(6, 40),
  );
});
