import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { readPdf } from '../../src/documents/testing/read-pdf.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { visit } from '../support/portal.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Invoices of periods that are joined for who pays them (commercial.md §8). Amounts are worked by hand. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset' });
  env.setNow(START);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  await shop.change(`/v0/organizations/${merchant.id}`, {
    taxId: 'DE 123 456 789',
    address: { line1: 'Torstraße 140', city: 'Berlin', zipCode: '10119', country: 'DE' },
  });
});
afterAll(() => env.close());

const GROUPED = { invoiceGrouping: 'customer' };
const TAXED = { defaultTaxRate: 20 };
let keys = 0;
const key = () => {
  keys += 1;
  return `grouped-${keys}`;
};
/** The invoices of a customer, the oldest first. */
const invoicesOf = async ({ id }: Resource): Promise<Resource[]> =>
  (await shop.read(`/v2/invoices?customerId=${id}&limit=100`)).data.toReversed();
const groupsOf = async (customer: Resource) => (await invoicesOf(customer)).filter(({ kind }) => kind === 'grouped');
const linesOf = async ({ id }: Resource): Promise<Resource[]> =>
  (await shop.read(`/v2/invoices/${id}/lineItems`)).lineItems;
const pay = ({ id }: Resource, amount: string) =>
  shop.create(`/v2/invoices/${id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: key() });
const walletOf = async ({ id }: Resource): Promise<string> =>
  (await shop.read(`/v0/customers/${id}/wallet`)).balances[0]?.balance ?? '0';
const fee = (unitPrice: string, more: object = {}) => shop.feePrice({ properties: { unitPrice }, ...more });

/** A customer with a subscription for each of some plans, at the end of January. */
async function january(plans: readonly Resource[], customerFields: object = GROUPED, fields: object = {}) {
  const clock = await shop.clock(START);
  const customer = await shop.customer({ ...customerFields });
  const subscriptions: Resource[] = [];
  for (const plan of plans) subscriptions.push(await begun(plan, { clock, customer, ...fields }));
  await shop.advance(clock, '2026-02-01T00:00:00Z');
  return { clock, customer, subscriptions };
}
/** A subscription whose first payment is made. */
async function begun(plan: Resource, fields: Parameters<Shop['subscribe']>[1]): Promise<Resource> {
  const subscription = await shop.subscribe(plan, fields);
  const [upfront] = (await shop.invoices(subscription)).filter(({ kind }: Resource) => kind === 'upfront');
  if (upfront) await pay(upfront, upfront.grandTotal);
  return subscription;
}
/** The audit finds nothing, and every invoice comes out again. */
const expectSound = async () => {
  expect((await auditDatabase(env.url)).violations).toEqual([]);
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
};

describe('invoices of one customer that close at one instant', () => {
  it('stand on one document with a section for each subscription, which has no invoice of its own any more', async () => {
    const plan = await shop.plan([await fee('10')], TAXED);
    const clock = await shop.clock(START);
    const customer = await shop.customer(GROUPED);
    const one = await shop.subscribe(plan, { clock, customer, name: 'Team' });
    const two = await shop.subscribe(plan, { clock, customer, name: 'Lab' });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [invoice, ...others] = await groupsOf(customer);
    expect(others).toEqual([]);
    expect(invoice).toMatchObject({
      ...{ kind: 'grouped', status: 'ISSUED', customerId: customer.id, subscriptionId: null, groupedIntoId: null },
      ...{ subtotal: '20.00', totalTax: '4.00', grandTotal: '24.00', itemCount: 2, sequenceNumber: 0 },
      ...{ periodStart: START, periodEnd: '2026-02-01T00:00:00Z', billingCadence: 'P1M' },
      sections: [
        { subscriptionId: one.id, customerId: customer.id, name: 'Team', subtotal: '10.00' },
        { subscriptionId: two.id, customerId: customer.id, name: 'Lab', subtotal: '10.00' },
      ],
    });
    const lines = await linesOf(invoice as Resource);
    expect(lines.map(({ subscriptionId, customerId }) => [subscriptionId, customerId])).toEqual([
      [one.id, customer.id],
      [two.id, customer.id],
    ]);
    const found = (await shop.invoices(two)).filter(({ status }: Resource) => status !== 'ACTIVE');
    expect(found.map(({ id }: Resource) => id)).toContain(invoice?.id); // found by its lines
    const member = found.find(({ kind }: Resource) => kind === 'subscription');
    expect(member).toMatchObject({
      ...{ status: 'CANCELLED', groupedIntoId: invoice?.id, invoiceNumber: null, sections: [] },
      ...{ itemCount: 0, grandTotal: '0.00', nextActionAt: null },
    });
    expect(await linesOf(member as Resource)).toEqual([]);
    const explained = await shop.read(`/v2/invoices/${invoice?.id}/explain`);
    expect(explained.recalculation).toEqual({ grandTotal: '24.00', isSame: true });
    expect(explained.lines.map((line: Resource) => line.subscriptionId)).toEqual([one.id, two.id]);
    const items = (await shop.read(`/v2/invoices/lineItems?subscriptionId=${two.id}&status=invoiced`)).data;
    expect(items.map(({ subscriptionId }: Resource) => subscriptionId)).toEqual([two.id]);
  });

  it('are taxed over the whole document: 3 × 0.10 at 8 % is 0.024, and no cent more', async () => {
    const plan = await shop.plan([await fee('0.1')], { defaultTaxRate: 8 });
    const { customer } = await january([plan, plan, plan]);
    expect(await groupsOf(customer)).toMatchObject([{ subtotal: '0.30', totalTax: '0.02', grandTotal: '0.32' }]);
    const { customer: apart } = await january([plan, plan, plan], {});
    const alone = (await invoicesOf(apart)).filter(({ status }) => status === 'ISSUED');
    expect(alone.map(({ totalTax }) => totalTax)).toEqual(['0.01', '0.01', '0.01']); // 0.008 each
  });

  it('are joined for who pays: each section says whose it is, and revenue is that of its customer', async () => {
    const clock = await shop.clock(START);
    const parent = await shop.customer(GROUPED);
    const child = await shop.customer({ payerId: parent.id });
    const plan = await shop.plan([await fee('10')], TAXED);
    const other = await shop.plan([await fee('30')], TAXED);
    await shop.subscribe(plan, { clock, customer: parent, name: 'Own' });
    await shop.subscribe(other, { clock, customer: child, name: 'Theirs' });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [invoice] = await groupsOf(parent);
    expect(invoice).toMatchObject({
      ...{ customerId: parent.id, payerId: null, grandTotal: '48.00' },
      sections: [
        { customerId: parent.id, name: 'Own', subtotal: '10.00' },
        { customerId: child.id, name: `Theirs (${child.organization.name})`, subtotal: '30.00' },
      ],
    });
    const { data } = await shop.read(`/v2/invoices?payerId=${parent.id}&status=ISSUED`);
    expect(data.map(({ id }: Resource) => id)).toEqual([invoice.id]);
    const revenueOf = async ({ id }: Resource) =>
      (await shop.read(`/v0/revenue?startTime=2026-01-01T00:00:00Z&endTime=2026-03-01T00:00:00Z&customerId=${id}`))
        .invoices.issued.amount;
    expect([await revenueOf(parent), await revenueOf(child)]).toEqual(['10.00', '30.00']);
    const portalOf = async (customer: Resource) =>
      (await (await visit(env, shop, customer)).open(`/portal/invoices/${invoice?.id}`)).words;
    const [ofParent, ofChild] = [await portalOf(parent), await portalOf(child)];
    expect(ofParent).toContain('Own');
    expect(ofParent).toContain('$30.00');
    expect(ofChild).toContain('Flat fee');
    expect(ofChild).not.toContain('$'); // its own lines, without money
    await pay(invoice as Resource, '48.00');
    expect(await shop.invoice(invoice?.id)).toMatchObject({ status: 'PAID', unpaidAmount: '0.00' });
  });

  it('stay apart by their terms, and one that is alone stays its own', async () => {
    const clock = await shop.clock(START);
    const customer = await shop.customer(GROUPED);
    const plan = await shop.plan([await fee('10')], TAXED);
    await shop.subscribe(plan, { clock, customer, paymentTermDays: 14, bankTransferOnly: true });
    await shop.subscribe(plan, { clock, customer });
    await shop.subscribe(plan, { clock, customer });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const issued = (await invoicesOf(customer)).filter(({ status }) => status === 'ISSUED');
    expect(
      issued.map(({ kind, grandTotal, paymentTermDays }) => [kind, grandTotal, paymentTermDays]).toSorted(),
    ).toEqual([
      ['grouped', '24.00', 0],
      ['subscription', '12.00', 14],
    ]);
  });

  it('are not joined where nobody asked for it', async () => {
    const plan = await shop.plan([await fee('10')], TAXED);
    const { customer } = await january([plan, plan], {});
    expect((await invoicesOf(customer)).filter(({ status }) => status === 'ISSUED')).toMatchObject([
      { kind: 'subscription', grandTotal: '12.00', sections: [], groupedIntoId: null },
      { kind: 'subscription', grandTotal: '12.00' },
    ]);
  });

  it('hold nobody up that waits for an approval or failed: they go alone', async () => {
    const plan = await shop.plan([await fee('10')], TAXED);
    const broken = await fee('10');
    const failing = await shop.plan([broken], TAXED);
    const owner = new pg.Client({ connectionString: env.url });
    owner.on('error', () => undefined); // the database is dropped under it where the test fails early
    await owner.connect();
    const setPrice = (unitPrice: string) =>
      owner.query('update price set properties = $1 where id = $2', [JSON.stringify({ unitPrice }), broken.id]);
    const clock = await shop.clock(START);
    const customer = await shop.customer(GROUPED);
    await shop.subscribe(plan, { clock, customer });
    await shop.subscribe(plan, { clock, customer });
    const drafted = await shop.subscribe(plan, { clock, customer, autoApprove: false });
    const failed = await shop.subscribe(failing, { clock, customer });
    await setPrice('not a price'); // no caller can do this
    await shop.advance(clock, '2026-02-01T06:00:00Z'); // five attempts take four hours
    const stateOf = async (subscription: Resource) =>
      (await shop.invoices(subscription)).find(({ kind }: Resource) => kind === 'subscription');
    expect(await stateOf(drafted)).toMatchObject({ status: 'DRAFT', groupedIntoId: null });
    expect(await stateOf(failed)).toMatchObject({ status: 'FAILED' });
    expect(await groupsOf(customer)).toMatchObject([{ grandTotal: '24.00', itemCount: 2 }]);
    await setPrice('10');
    await owner.end();
    await shop.act(`/v2/invoices/${(await stateOf(failed))?.id}/recalculate`);
    await shop.act(`/v2/invoices/${(await stateOf(drafted))?.id}/approve`);
    await shop.advance(clock, '2026-02-01T06:10:00Z');
    expect(await stateOf(failed)).toMatchObject({ kind: 'subscription', status: 'ISSUED', grandTotal: '12.00' });
    expect(await stateOf(drafted)).toMatchObject({ kind: 'subscription', status: 'ISSUED', grandTotal: '12.00' });
    await expectSound();
  });
});

describe('two workers at once', () => {
  it('make one grouped invoice of the drafts of all children, and lose none', async () => {
    const parent = await shop.customer(GROUPED);
    const plan = await shop.plan([await fee('10')], TAXED);
    for (let child = 0; child < 6; child += 1)
      await shop.subscribe(plan, { customer: await shop.customer({ payerId: parent.id }), startedAt: START });
    env.setNow('2026-02-01T00:00:00Z');
    await Promise.all([env.runDueWork(), env.runDueWork(), env.runDueWork()]);
    env.setNow('2026-02-01T00:02:00Z'); // a draft that met another worker looks again after a minute
    await Promise.all([env.runDueWork(), env.runDueWork()]);
    env.setNow('2026-02-01T00:04:00Z');
    await env.runDueWork();
    expect(await groupsOf(parent)).toMatchObject([{ status: 'ISSUED', grandTotal: '72.00', itemCount: 6 }]);
    await expectSound();
  });
});

describe('a grouped invoice', () => {
  it('is refunded as a whole, and asked nothing of again', async () => {
    const plan = await shop.plan([await fee('10'), await shop.usagePrice()], TAXED);
    const { clock, customer, subscriptions } = await january([plan, plan]);
    const [invoice] = (await groupsOf(customer)) as [Resource];
    await pay(invoice, '24.00');
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'Closed' });
    expect(refund).toMatchObject({ amount: '20.00', taxAmount: '4.00', total: '24.00' });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const [, next] = (await groupsOf(customer)) as [Resource, Resource];
    expect(next).toMatchObject({ grandTotal: '24.00', sections: [{ subtotal: '10.00' }, { subtotal: '10.00' }] });
    await shop.act(`/v2/invoices/${invoice.id}/refunds/${refund.id}/void`, { reason: 'A mistake' });
    expect(subscriptions).toHaveLength(2);
    await expectSound();
  });

  it('is credited by its lines: each of two alike, and the end of one gives what the note left of it', async () => {
    // 310.00 in advance for January, of which each day is 10.00; taxed 20 %
    const plan = await shop.plan([await fee('310', { paymentTerm: 'in_advance' })], TAXED);
    const { clock, customer, subscriptions } = await january([plan, plan]); // it bills February, of 28 days
    const [one, two] = subscriptions as [Resource, Resource];
    const [invoice] = (await groupsOf(customer)) as [Resource];
    expect(invoice).toMatchObject({ subtotal: '620.00', totalTax: '124.00', grandTotal: '744.00' });
    const line = (await linesOf(invoice)).find(({ subscriptionId }) => subscriptionId === two.id) as Resource;
    const note = await shop.create(`/v2/invoices/${invoice.id}/creditNotes`, {
      ...{ lines: [{ lineItemId: line.id, amount: '30' }], reason: 'The export was down', idempotencyKey: key() },
    });
    expect(note).toMatchObject({ amount: '30.00', taxAmount: '6.00', total: '36.00' });
    expect(await shop.invoice(invoice.id)).toMatchObject({ unpaidAmount: '708.00' });
    const end = (subscription: Resource) =>
      shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over', credit: 'wallet' });
    await shop.advance(clock, '2026-02-15T00:00:00Z'); // half of February is left
    await end(one);
    // 310.00 × 14 ÷ 28 is 155.00, and 31.00 of tax, off what is unpaid
    expect(await shop.invoice(invoice.id)).toMatchObject({ unpaidAmount: '522.00' });
    await end(two);
    // 280.00 was left of the line: half of it is 140.00, and 28.00 of tax
    expect(await shop.invoice(invoice.id)).toMatchObject({ unpaidAmount: '354.00' });
    await expectSound();
  });

  it('has late usage of a section on the next one, in the same section', async () => {
    const plan = await shop.plan([await shop.usagePrice()], TAXED);
    const clock = await shop.clock(START);
    const customer = await shop.customer(GROUPED);
    const [one, two] = [
      await shop.subscribe(plan, { clock, customer, name: 'One' }),
      await shop.subscribe(plan, { clock, customer, name: 'Two' }),
    ];
    await shop.use(one.id, '2026-01-10T00:00:00Z', 5);
    await shop.use(two.id, '2026-01-10T00:00:00Z', 7);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [first] = (await groupsOf(customer)) as [Resource];
    expect(first).toMatchObject({ subtotal: '12.00', sections: [{ subtotal: '5.00' }, { subtotal: '7.00' }] });
    await shop.use(two.id, '2026-01-20T00:00:00Z', 3);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const [, second] = (await groupsOf(customer)) as [Resource, Resource];
    expect(second).toMatchObject({
      ...{ subtotal: '3.00', totalTax: '0.60', grandTotal: '3.60' },
      sections: [{ subtotal: '0.00' }, { name: 'Two', subtotal: '3.00' }],
    });
    const late = (await linesOf(second)).find(({ type }) => type === 'late_usage');
    expect(late).toMatchObject({ subscriptionId: two.id, quantity: 3, totalPrice: '3.00' });
    await expectSound();
  });

  it('lets the credits of one section pay another', async () => {
    // 280.00 for February in advance, of which each day is 10.00. Half of it is credited: 140.00, and the smaller plan
    // costs 14.00 for that half. In March it costs 28.00 in advance, so 112.00 of the credit are left for others.
    const dear = await shop.plan([await fee('280', { paymentTerm: 'in_advance' })], TAXED);
    const small = await shop.plan([await fee('28', { paymentTerm: 'in_advance' })], TAXED);
    const usage = await shop.plan([await shop.usagePrice()], TAXED);
    const { clock, customer, subscriptions } = await january([dear, usage]);
    const [one, two] = subscriptions as [Resource, Resource];
    for (const invoice of (await invoicesOf(customer)).filter(({ status }) => status === 'ISSUED'))
      await pay(invoice, invoice.unpaidAmount);
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    await shop.create(`/v0/subscriptions/${one.id}/changes`, { planId: small.id });
    await shop.use(two.id, '2026-02-20T00:00:00Z', 500);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const invoice = (await groupsOf(customer)).at(-1) as Resource;
    // 14.00 + 28.00 - 140.00 = -98.00 in its own section, and 500.00 in the other: 402.00, and 80.40 of tax
    expect(invoice).toMatchObject({
      ...{ subtotal: '402.00', totalTax: '80.40', grandTotal: '482.40' },
      sections: [{ subtotal: '-98.00' }, { subtotal: '500.00' }],
    });
    expect(await walletOf(customer)).toBe('0'); // nothing was left over
    await expectSound();
  });

  it('gives back a fee that a change took and that is paid, also where the subscription ends before the next one', async () => {
    const quarterly = await shop.plan([await fee('260.77', { paymentTerm: 'in_advance', billingCadence: 'P3M' })]);
    const small = await shop.plan([await fee('6.88', { paymentTerm: 'in_advance' })]);
    const clock = await shop.clock(START);
    const customer = await shop.customer(GROUPED);
    const subscription = await begun(quarterly, { clock, customer, bankTransferOnly: true });
    await shop.advance(clock, '2026-04-24T00:00:00Z');
    // The periods of a month and of three months end together: April's quarter stands on their grouped invoice.
    const [group] = await groupsOf(customer);
    await pay(group as Resource, '260.77');
    const change = { planId: small.id, effective: 'periodEnd', proration: 'second', credit: 'invoice' };
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, change);
    await shop.advance(clock, '2026-05-29T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'x', credit: 'invoice' });
    await shop.advance(clock, '2026-06-02T00:00:00Z');
    // 61 of 91 days of the quarter are 174.80, and 3 of 31 days of May are 0.67, which is off the unpaid invoice.
    expect(await walletOf(customer)).toBe('174.80');
  });

  it('is cancelled as a whole; it is neither billed again nor replaced', async () => {
    const plan = await shop.plan([await fee('10')], TAXED);
    const { clock, customer } = await january([plan, plan]);
    const [invoice] = (await groupsOf(customer)) as [Resource];
    const path = `/v2/invoices/${invoice.id}`;
    const rebilled = await merchant.post(`${path}/cancel`, { rebill: true });
    expect([rebilled.status, rebilled.body.error?.code ?? rebilled.body.code]).toEqual([409, 'REBILL_NOT_POSSIBLE']);
    const replaced = await merchant.post(`${path}/reissue`, { reason: 'A wrong address', recalculate: false });
    expect([replaced.status, replaced.body.error?.code ?? replaced.body.code]).toEqual([409, 'INVALID_TRANSITION']);
    await shop.act(`${path}/cancel`, { reason: 'A mistake' });
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'CANCELLED', grandTotal: '24.00' });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect((await groupsOf(customer)).at(-1)).toMatchObject({ grandTotal: '24.00' }); // February alone
    await expectSound();
  });

  it('says its sections and their subtotals on paper, on the page of the customer, and in the portal', async () => {
    const plan = await shop.plan([await fee('10'), await fee('2.5')], TAXED);
    const clock = await shop.clock(START);
    const customer = await shop.customer({ ...GROUPED, locale: 'de' });
    await shop.subscribe(plan, { clock, customer, name: 'Team Nord' });
    await shop.subscribe(plan, { clock, customer, name: 'Team Süd' });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [invoice] = (await groupsOf(customer)) as [Resource];
    const { bytes, status, text: said } = await merchant.get(`/v2/invoices/${invoice.id}/pdf`);
    expect(status, said.slice(0, 300)).toBe(200);
    const text = readPdf(bytes)
      .pages.join('\n')
      .replace(/[\u00a0\u202f]/g, ' ');
    for (const name of ['Team Nord', 'Team Süd']) expect(text).toMatch(new RegExp(`: ${name}\\s+12,50`));
    const page = (await env.client().get(`/pay/invoices/${invoice.id}`)).text;
    expect(page).toContain(': Team Nord');
    expect(page.match(/12,50/g)?.length).toBeGreaterThanOrEqual(2);
  });
});
