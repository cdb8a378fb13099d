import { afterAll, beforeAll, expect, it } from 'vitest';
import { billOf, walletOf } from '../support/bills.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Unused advance payments survive the cancellation of the invoice with their credit (domain.md §3 Credits, §4 rows 11
 * and 18).
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ documents: 'typeset' });
  merchant = await env.merchant();
  shop = shopOf(merchant);
  await shop.change(`/v0/organizations/${merchant.id}`, {
    legalName: 'Northwind GmbH',
    taxId: 'DE 123 456 789',
    address: { line1: 'Torstraße 140', city: 'Berlin', zipCode: '10119', country: 'DE' },
  });
});
afterAll(async () => {
  await expectBooksToBalance(env, merchant);
  await env.close();
});

/*
 * Seats of 90.00 for January are paid in advance, with 20 % tax 108.00. After half of its 31 days they cost 120.00:
 * January's invoice charges 60.00 for the second half and 120.00 for February, and takes off the 45.00 that were not
 * used: 135.00 and 27.00 tax.
 */
const HALF = '2026-01-16T12:00:00Z';

it.each([
  { what: 'an issued invoice', autoApprove: true, status: 'ISSUED' },
  { what: 'a draft', autoApprove: false, status: 'DRAFT' },
])('goes into the wallet with the cancellation of $what', async ({ autoApprove, status }) => {
  const planOf = async (unitPrice: string) =>
    shop.plan([await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice } })], { defaultTaxRate: 20 });
  const [before, after] = [await planOf('90'), await planOf('120')];
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(before, { clock, autoApprove });
  await shop.act(`/v0/paymentSessions/${subscription.payment.paymentSessionId}/complete`, { paymentMethod: 'pm_ok' });
  await shop.advance(clock, HALF);
  await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { planId: after.id });
  await shop.advance(clock, '2026-02-01T00:00:00Z');

  const january = (await shop.invoices(subscription)).find(
    ({ periodStart, kind }) => kind === 'subscription' && periodStart === START,
  );
  expect(billOf(january)).toMatchObject({ total: '135.00 + 27.00 = 162.00', status });
  expect(await walletOf(shop, subscription)).toBe('0.00');
  expect((await shop.act(`/v2/invoices/${january.id}/cancel`)).status).toBe('CANCELLED');
  expect(await walletOf(shop, subscription)).toBe('54.00'); // 45.00 and the 9.00 tax that were paid on them
  await expectNotes(subscription, january, status);
});

/*
 * The seats of February, 90.00 and 18.00 tax, are paid with January's invoice. At its very start they are changed
 * twice. The invoice of the first change, to dearer seats, takes the 108.00 off. The second change, to a year in
 * advance, removes that invoice. Only the last change counts: its charge is less by the 108.00.
 */
it('is not lost with an invoice that a second change at the start of its period removes', async () => {
  const planOf = async (unitPrice: string, billingCadence: string) =>
    shop.plan([await shop.feePrice({ paymentTerm: 'in_advance', billingCadence, properties: { unitPrice } })], {
      ...{ defaultTaxRate: 20, gracePeriod: 'PT0S', billingCadence },
    });
  const plans = [await planOf('90', 'P1M'), await planOf('120', 'P1M'), await planOf('1000', 'P1Y')];
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(plans[0], { clock });
  await shop.act(`/v0/paymentSessions/${subscription.payment.paymentSessionId}/complete`, { paymentMethod: 'pm_ok' });
  await shop.advance(clock, '2026-02-01T00:00:00Z');
  const january = (await shop.invoices(subscription)).find(
    ({ kind, status }) => kind === 'subscription' && status === 'ISSUED',
  );
  await shop.pay(january);
  for (const { id: planId } of plans.slice(1))
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { planId });
  expect((await shop.read(`/v2/invoices/${january.id}/creditNotes`)).data).toEqual([]);
  await shop.advance(clock, '2026-02-02T00:00:00Z');
  const year = (await shop.invoices(subscription)).at(-1);
  expect(year).toMatchObject({ grandTotal: '1092.00' });
});

/** The cancellation and the credits can be read, with their documents. */
async function expectNotes(subscription: Resource, cancelled: Resource, status: string) {
  const notesOf = async ({ id }: Resource) => (await shop.read(`/v2/invoices/${id}/creditNotes`)).data as Resource[];
  const upfront = (await shop.invoices(subscription)).find(({ kind }) => kind === 'upfront');
  const [part, ...others] = await notesOf(upfront);
  expect(others).toEqual([]);
  expect(part).toMatchObject({
    object: 'credit_note',
    kind: 'credit',
    number: expect.stringMatching(/^CN-\d{6}$/),
    amount: '45.00',
    taxAmount: '9.00',
    total: '54.00',
    status: 'ISSUED',
    lines: [
      {
        id: expect.stringMatching(/^li_/),
        appliesToLineId: expect.stringMatching(/^li_/),
        priceId: expect.stringMatching(/^price_/),
        displayName: expect.stringContaining(': not used'),
        quantity: '1',
        unitPrice: '45',
        amount: '45.00',
        taxAmount: '9.00',
        taxRate: 20,
        total: '54.00',
        periodStart: HALF,
        periodEnd: '2026-02-01T00:00:00Z',
      },
    ],
  });
  expect(await shop.read(`/v2/invoices/${upfront.id}/creditNotes/${part?.id}`)).toEqual(part);
  for (const [address, text] of [
    [part?.pdfUrl, '%PDF-'],
    [part?.documentXmlUrl, '<?xml'],
  ]) {
    const document = await merchant.get(new URL(address).pathname);
    expect([document.status, document.bytes.toString('latin1', 0, 5)]).toEqual([200, text]);
  }
  expect((await shop.read(`/v2/invoices/${upfront.id}/refunds`)).data).toEqual([]);
  const whole = { kind: 'cancellation', amount: '135.00', taxAmount: '27.00', total: '162.00', lines: [] };
  expect(await notesOf(cancelled)).toMatchObject(status === 'ISSUED' ? [whole] : []); // a draft had no number
  expect((await merchant.get(`/v2/invoices/${cancelled.id}/creditNotes/${part?.id}`)).status).toBe(404);
}
