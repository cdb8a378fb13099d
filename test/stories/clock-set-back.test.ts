import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acceptClock, auditDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** A machine whose clock goes back while it works, and one whose clock was ahead (decision 0254). */
const NOW = '2026-02-10T09:00:00Z';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let plan: Resource;
beforeEach(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  env.setNow(NOW);
  plan = await shop.plan([await shop.feePrice()]);
});
afterEach(() => env.close());

/** Sells what has a month behind it at an instant, so that an invoice of it is due. */
const bill = (at: string): Promise<Resource> => {
  const startedAt = Temporal.Instant.from(at).toZonedDateTimeISO('UTC').subtract({ months: 1 }).toInstant();
  return shop.subscribe(plan, { startedAt: startedAt.toString() });
};
/** An invoice by hand that waits for its approval. */
const draft = async (): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: (await shop.customer()).id,
    currency: 'USD',
    lines: [{ displayName: 'Work', quantity: '1', unitPrice: '10.00' }],
  });

/** The days of the numbers, in their order. */
const days = async (): Promise<string[]> =>
  (await shop.read('/v2/invoices?limit=100')).data
    .filter(({ invoiceNumber }: Resource) => invoiceNumber !== null)
    .toSorted((a: Resource, b: Resource) => a.invoiceNumber.localeCompare(b.invoiceNumber))
    .map(({ issuedAt }: Resource) => issuedAt.slice(0, 10));

const approve = (invoice: Resource) => merchant.post(`/v2/invoices/${invoice.id}/approve`, {});

describe('where the clock of the machine was set back', () => {
  it.each([
    { by: 'two hours', back: '2026-02-10T07:00:00Z', isHeld: false },
    { by: 'a day', back: '2026-02-09T09:00:00Z', isHeld: true },
    { by: '40 days', back: '2026-01-02T09:00:00Z', isHeld: true },
  ])('by $by, no number has a day before that of the one before it', async ({ back, isHeld }) => {
    await bill(NOW);
    await env.runDueWork();
    expect(await days()).toEqual(['2026-02-10']);
    env.setNow(back);
    const late = await bill(back);
    await env.runDueWork();
    expect(await days()).toHaveLength(isHeld ? 1 : 2);
    env.setNow('2026-02-10T12:00:00Z');
    await env.runDueWork();
    expect(new Set(await days())).toEqual(new Set(['2026-02-10']));
    expect((await days()).length).toBeGreaterThanOrEqual(2);
    const statuses = (await shop.invoices(late)).map(({ status }) => status);
    expect(
      statuses.every((status) => status === 'ISSUED' || status === 'ACTIVE'),
      statuses.join(),
    ).toBe(true);
    expect((await auditDatabase(env.url)).violations).toEqual([]);
  });

  it('a request that would draw a number is told so, and can be sent again', async () => {
    const [first, second] = [await draft(), await draft()];
    expect(await approve(first)).toMatchObject({ status: 200, body: { status: 'ISSUED' } });
    env.setNow('2026-02-08T09:00:00Z');
    expect(await approve(second)).toMatchObject({ status: 503, body: { error: 'unavailable', code: 'CLOCK_BEHIND' } });
    env.setNow('2026-02-10T08:00:00Z');
    expect(await approve(second)).toMatchObject({ status: 200, body: { status: 'ISSUED' } });
  });

  it('a clock that was ahead is taken as right by a command', async () => {
    const wall = Temporal.Now.instant();
    const [first, second] = [await draft(), await draft()];
    env.setNow(wall.add({ hours: 72 }).toString());
    expect((await approve(first)).status).toBe(200);
    env.setNow(wall.toString());
    expect((await approve(second)).status).toBe(503);
    expect(await acceptClock(env.url)).toBe(1);
    expect(await acceptClock(env.url)).toBe(0);
    expect((await approve(second)).status).toBe(200);
  });

  it('a test clock has days of its own', async () => {
    await bill(NOW);
    await env.runDueWork();
    const clock = await shop.clock('2025-01-01T00:00:00Z');
    await shop.subscribe(plan, { clock });
    await shop.advance(clock, 'P1M');
    expect(await days()).toEqual(['2026-02-10', '2025-02-01']);
  });
});
