import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { visit } from '../support/portal.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The last invoice of a plan that has ended, if nothing is on it (domain.md §4, row 11). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const advance = { paymentTerm: 'in_advance' };
const byTransfer = { autoCharge: false, bankTransferOnly: true };

async function subscribed({ fields = {}, prices, start = START }: Story) {
  const clock = await shop.clock(start);
  const plan = await shop.plan(await prices(), { defaultTaxRate: 20 });
  const subscription = await shop.subscribe(plan, { clock, ...byTransfer, ...fields });
  return { clock, subscription };
}
interface Story {
  readonly prices: () => Promise<Resource[]>;
  readonly fields?: object;
  readonly start?: string;
}
const fee = async () => [await shop.feePrice(advance)];
const leave = (subscription: Resource, fields: object = {}) =>
  shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved', ...fields });

/** The period invoices, oldest first, in short. */
const periods = async (subscription: Resource) =>
  (await shop.invoices(subscription))
    .filter(({ kind }) => kind === 'subscription')
    .map(({ periodEnd, status, invoiceNumber, lines, sequenceNumber }) => ({
      periodEnd: periodEnd.slice(0, 10),
      ...{ status, sequenceNumber, lines: lines.length },
      isNumbered: invoiceNumber !== null,
    }));
const EMPTY = { status: 'CANCELLED', lines: 0, isNumbered: false };

describe('an ended plan without anything to bill', () => {
  it.each<{
    how: string;
    story: Story;
    end?: (clock: Resource, subscription: Resource) => Promise<unknown>;
    at: string;
  }>([
    {
      how: 'by an end that was set at the start',
      story: { prices: fee, fields: { endingAt: '2026-01-15T00:00:00Z' } },
      at: '2026-01-15',
    },
    {
      how: 'by a termination',
      story: { prices: fee },
      end: async (clock, subscription) => {
        await shop.advance(clock, '2026-01-20T12:00:00Z');
        await leave(subscription, { credit: 'wallet' });
      },
      at: '2026-01-20',
    },
    {
      how: 'while a person approves each invoice',
      story: { prices: fee, fields: { autoApprove: false, endingAt: '2026-01-15T00:00:00Z' } },
      at: '2026-01-15',
    },
    {
      how: 'that began on the 31st of January',
      story: { prices: fee, start: '2026-01-31T00:00:00Z', fields: { endingAt: '2026-02-28T00:00:00Z' } },
      at: '2026-02-28',
    },
  ])('has no invoice of nothing: $how', async ({ story, end, at }) => {
    const { clock, subscription } = await subscribed(story);
    await end?.(clock, subscription);
    await shop.advance(clock, 'P2M');
    expect(await periods(subscription)).toEqual([{ periodEnd: at, sequenceNumber: 1, ...EMPTY }]);
  });

  it('tells nobody of an invoice: no number, document, mail or webhook of an issue', async () => {
    const { clock, subscription } = await subscribed({ prices: fee, fields: { endingAt: '2026-01-15T00:00:00Z' } });
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    const invoices = await shop.invoices(subscription);
    const [upfront, empty] = ['upfront', 'subscription'].map((kind) => invoices.find((each) => each.kind === kind));
    expect(empty).toMatchObject({
      ...{
        status: 'CANCELLED',
        invoiceNumber: null,
        grandTotal: '0.00',
        dueAt: null,
        paidAt: null,
        nextActionAt: null,
      },
      documentWithheldReason: 'not_issued',
    });
    expect((await merchant.get(`/v2/invoices/${empty.id}/document.pdf`)).status).toBe(404);
    const mails = await shop.read(`/v0/mails?customerId=${subscription.customerId}&limit=100`);
    expect(mails.data.filter(({ invoiceId }: Resource) => invoiceId === empty.id)).toEqual([]);
    const events = await shop.read('/v0/webhookEvents?limit=100');
    const own = events.data.filter(({ data }: Resource) => data.invoiceId === empty.id);
    expect(own.map(({ type }: Resource) => type)).toEqual(['invoice.cancelled.v0']);

    const { first, ...reader } = await visit(env, shop, { id: subscription.customerId });
    const list = await reader.open('/portal/invoices');
    expect(list.status).toBe(200);
    expect(list.text).toContain(upfront.invoiceNumber);
    expect(`${first.text} ${list.text}`).not.toContain(empty.id);

    const next = await shop.issued();
    const numberOf = ({ invoiceNumber }: Resource) => Number(invoiceNumber.replace(/^\D+/, ''));
    expect(numberOf(next.invoice)).toBe(numberOf(upfront) + 1);
    for (const action of ['approve', 'recalculate', 'cancel'])
      expect((await merchant.post(`/v2/invoices/${empty.id}/${action}`)).body.code).toBe('INVALID_TRANSITION');
  });
});

it('an ended plan with something to bill has its last invoice', async () => {
  const prices = async () => [...(await fee()), await shop.usagePrice()];
  const { clock, subscription } = await subscribed({ prices, fields: { endingAt: '2026-01-15T00:00:00Z' } });
  await shop.advance(clock, 'P2M');
  expect(await periods(subscription)).toEqual([
    { periodEnd: '2026-01-15', sequenceNumber: 1, status: 'PAID', lines: 1, isNumbered: true },
  ]);
});

const once = async () => [await shop.feePrice({ ...advance, billingCadence: 'P0D' })];
it('a plan that goes on has an invoice for each period, also without a line', async () => {
  const { clock, subscription } = await subscribed({ prices: once });
  await shop.advance(clock, '2026-03-10T00:00:00Z');
  await leave(subscription);
  await shop.advance(clock, 'P1M');
  expect(await periods(subscription)).toMatchObject([
    ...['2026-02-01', '2026-03-01'].map((periodEnd) => ({ periodEnd, status: 'PAID', lines: 0, isNumbered: true })),
    { periodEnd: '2026-03-10', sequenceNumber: 3, ...EMPTY },
  ]);
});
