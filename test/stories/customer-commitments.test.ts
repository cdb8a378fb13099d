import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Postpaid commitments of all subscriptions of a customer (commercial.md §4). Amounts are worked by hand: a month costs
 * 100.00, a call 1.00.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let plan: Resource;
let clock: Resource;
let first: Resource;
let second: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());
beforeEach(async () => {
  plan = await shop.plan([await shop.feePrice({ properties: { unitPrice: '100' } }), await shop.usagePrice()]);
  clock = await shop.clock(START);
  first = await shop.subscribe(plan, { clock });
  second = await shop.subscribe(plan, { clock, customer: { id: first.customerId } });
});

const merchantWith = async (settings: object): Promise<Merchant> => {
  const made = await env.merchant();
  await shopOf(made).change(`/v0/organizations/${made.id}`, { settings });
  return made;
};
const day = (date: string): string => `2026-${date}T00:00:00Z`;
/** Segments from `MM-DD amount MM-DD amount MM-DD`. */
const segmentsOf = (text: string): object[] => {
  const parts = text.split(' ');
  return parts.flatMap((date, at) =>
    at % 2 === 0 && at + 2 < parts.length
      ? [{ startDate: day(date), endDate: day(parts[at + 2] as string), amount: parts[at + 1] }]
      : [],
  );
};
const bodyOf = (segments: string, fields: object = {}) => ({
  ...{ customerId: first.customerId, name: 'Contract', currency: 'USD', type: 'postpaid' },
  segments: segmentsOf(segments),
  ...fields,
});
const commit = (segments: string, fields: object = {}): Promise<Resource> =>
  shop.create('/v0/commitments', bodyOf(segments, fields));
const read = ({ id }: Resource): Promise<Resource> => shop.read(`/v0/commitments/${id}`);
const ownInvoices = async (from: Shop, customerId: string): Promise<Resource[]> =>
  (await from.read(`/v2/invoices?customerId=${customerId}&limit=100`)).data.filter(
    ({ kind }: Resource) => kind === 'ad_hoc',
  );
/** The invoices of a commitment alone, the oldest first, with their lines. */
const asked = async (of = first.customerId): Promise<Resource[]> => {
  const all = await Promise.all((await ownInvoices(shop, of)).map(({ id }) => shop.invoice(id)));
  return all.toReversed();
};
const amounts = async (of?: string) => (await asked(of)).map(({ subtotal }) => subtotal);
const notesOf = async ({ id }: Resource): Promise<Resource[]> =>
  (await shop.read(`/v2/invoices/${id}/creditNotes`)).data;

describe('what is missing to a commitment of all subscriptions', () => {
  it('is asked by an invoice of its own, when all invoices that end with the segment are there', async () => {
    const made = await commit('01-01 500 02-01 200 03-01');
    expect(made).toMatchObject({ subscriptionId: null, orderId: null, testClockId: clock.id, status: 'active' });
    await shop.use(first.id, day('01-10'), 20);
    await shop.use(second.id, day('01-20'), 30);
    await shop.advance(clock, 'P1M');
    // 2 × 100.00 and 50 calls: 500.00 − 250.00.
    const [invoice, ...others] = await asked();
    expect(others).toEqual([]);
    expect(invoice).toMatchObject({ kind: 'ad_hoc', status: 'ISSUED', subscriptionId: null, subtotal: '250.00' });
    expect(invoice?.lines).toMatchObject([
      {
        ...{ type: 'true_up', commitmentId: made.id, invoiceDisplayName: 'Contract: true-up', totalPrice: '250.00' },
        ...{ periodStart: day('01-01'), periodEnd: day('02-01') },
      },
    ]);
    const explained = await shop.read(`/v2/invoices/${invoice?.id}/explain`);
    expect(explained.lines[0].workings).toMatchObject({
      trueUp: { commitmentId: made.id, segment: 0 },
      limit: { amount: '500', reached: '250' },
    });
    expect((await read(made)).segments).toMatchObject([
      { spent: '250.00', shortfall: '250.00', invoiceId: invoice?.id },
      // The service of February has begun.
      { spent: '200.00', shortfall: '0.00', invoiceId: null },
    ]);
    await shop.advance(clock, 'P1M');
    expect(await amounts()).toEqual(['250.00']);
    expect((await read(made)).status).toBe('ended');
  });

  it('counts what longer periods owe until then, and gives back what comes late', async () => {
    const long = await shop.subscribe(
      await shop.plan([await shop.usagePrice({ billingCadence: 'P3M' })], { billingCadence: 'P3M' }),
      { clock, customer: { id: first.customerId } },
    );
    await commit('01-01 500 02-01');
    await shop.use(long.id, day('01-10'), 40);
    await shop.advance(clock, 'P1M');
    // 500.00 − 200.00 − 40 calls of a quarter that goes on.
    expect(await amounts()).toEqual(['260.00']);
    const [invoice] = await asked();
    await shop.use(first.id, day('01-20'), 10);
    await shop.use(long.id, day('01-31'), 5);
    await shop.use(long.id, day('02-02'), 7);
    await shop.advance(clock, 'P1M');
    // February bears 10 late calls, and 5 of the quarter are of January.
    expect(await notesOf(invoice as Resource)).toMatchObject([{ kind: 'partial', amount: '15.00' }]);
    await shop.use(long.id, day('01-31'), 1);
    await shop.advance(clock, 'P1M');
    const notes = await notesOf(invoice as Resource);
    expect(notes.map(({ amount }) => amount)).toEqual(['1.00', '15.00']);
    expect(await shop.invoice(invoice?.id)).toMatchObject({ unpaidAmount: '244.00' });
    expect(await amounts()).toEqual(['260.00']);
  });

  it('rises by a credit note, and puts what is paid too much into the wallet', async () => {
    const made = await commit('01-01 500 02-01');
    await shop.advance(clock, 'P1M');
    const [invoice] = await asked();
    expect(invoice?.subtotal).toBe('300.00');
    const [january] = await shop.invoices(first);
    await shop.create(`/v2/invoices/${january.id}/creditNotes`, {
      ...{ lines: [{ lineItemId: january.lines[0].id, amount: '10' }], reason: 'Fault', idempotencyKey: january.id },
    });
    await shop.advance(clock, 'P1M');
    expect(await amounts()).toEqual(['300.00', '10.00']);
    expect((await asked()).at(-1)?.lines[0]).toMatchObject({ commitmentId: made.id });
    await shop.pay((await asked())[1] as Resource);
    await shop.use(first.id, day('01-20'), 4);
    // The period of March began within `lateUsageDays`.
    await shop.advance(clock, 'P1M');
    expect(await notesOf((await asked())[1] as Resource)).toMatchObject([{ amount: '4.00' }]);
    expect((await shop.read(`/v0/customers/${first.customerId}/wallet`)).balances).toMatchObject([{ balance: '4.00' }]);
  });

  it('is over after late usage: what changes later stays as it is', async () => {
    await commit('01-01 500 02-01');
    await shop.advance(clock, 'P4M');
    await shop.use(first.id, day('01-20'), 4);
    await shop.advance(clock, 'P2M');
    const [invoice] = await asked();
    expect(await notesOf(invoice as Resource)).toEqual([]);
  });

  it('is asked once where the term has one amount', async () => {
    const made = await commit('01-01 100 02-01 500 03-01', { trueUp: 'term' });
    await shop.advance(clock, 'P1M');
    expect(await amounts()).toEqual([]);
    await shop.advance(clock, 'P1M');
    // 600.00 − 2 × 200.00.
    expect(await amounts()).toEqual(['200.00']);
    expect((await read(made)).segments.map(({ invoiceId }: Resource) => invoiceId !== null)).toEqual([false, true]);
  });

  it('leaves out what it is not for, and other clocks and currencies', async () => {
    const euro = await shop.plan([await shop.feePrice({ properties: { unitPrice: '70' } })], { currency: 'EUR' });
    await shop.subscribe(euro, { clock, customer: { id: first.customerId } });
    await shop.subscribe(plan, { clock: await shop.clock(START), customer: { id: first.customerId } });
    const other = await shop.plan([await shop.feePrice({ properties: { unitPrice: '30' } })]);
    await shop.subscribe(other, { clock, customer: { id: first.customerId } });
    await commit('01-01 500 02-01', { testClockId: clock.id, appliesTo: { planIds: [plan.id] } });
    await shop.advance(clock, 'P1M');
    expect(await amounts()).toEqual(['300.00']);
  });

  it('counts customers for which one pays, each of whom may have a commitment, too', async () => {
    const child = await shop.customer({ payerId: first.customerId });
    const paidFor = await shop.subscribe(plan, { clock, customer: child });
    await commit('01-01 500 02-01', { priority: 1 });
    const own = await commit('01-01 130 02-01', { customerId: child.id });
    await shop.use(paidFor.id, day('01-10'), 50);
    await shop.advance(clock, 'P1M');
    // The child spends 150.00, of which its own commitment needs 130.00: 500.00 − 200.00 − 20.00.
    expect(await amounts()).toEqual(['280.00']);
    expect(await amounts(child.id)).toEqual([]);
    expect((await read(own)).segments[0]).toMatchObject({ spent: '130.00', shortfall: '0.00' });
  });

  it('counts for one commitment at a time, that of a subscription or of all', async () => {
    const ofOne = { subscriptionId: second.id };
    const wide = await commit('01-01 150 02-01', { priority: 0 });
    const late = await commit('01-01 100 02-01', { ...ofOne, priority: 1 });
    await shop.use(second.id, day('01-10'), 20);
    await shop.advance(clock, 'P1M');
    // The first takes both fees as far as it needs them, the older subscription's first: 50.00 and 20 calls are left.
    const [january] = await shop.invoices(second);
    expect(january.lines.at(-1)).toMatchObject({ type: 'true_up', totalPrice: '30.00', commitmentId: late.id });
    expect((await read(wide)).segments[0]).toMatchObject({ spent: '150.00', shortfall: '0.00' });
    expect((await read(late)).segments[0]).toMatchObject({ spent: '70.00', shortfall: '30.00' });
    expect(await amounts()).toEqual([]);
  });

  it('is taxed like the customer', async () => {
    const taxed = shopOf(await merchantWith({ defaultTaxRate: 20 }));
    const of = await taxed.subscribe(await taxed.plan([await taxed.feePrice({ properties: { unitPrice: '100' } })]), {
      clock: await taxed.clock(START),
    });
    await taxed.create('/v0/commitments', bodyOf('01-01 150 02-01', { customerId: of.customerId }));
    await taxed.advance(await taxed.read(`/v0/testClocks/${of.testClockId}`), 'P1M');
    expect(await ownInvoices(taxed, of.customerId)).toMatchObject([
      { subtotal: '50.00', totalTax: '10.00', grandTotal: '60.00' },
    ]);
  });
});

describe('an early end of a commitment of all subscriptions', () => {
  const endedWith = async (onEnd: string) => {
    const made = await commit('01-01 1000 04-11', { onEnd });
    await shop.use(first.id, day('01-10'), 20);
    await shop.advance(clock, 'P20D');
    await shop.use(first.id, day('01-15'), 5);
    return shop.act(`/v0/commitments/${made.id}/end`, {});
  };

  it('asks all that is owed, at once', async () => {
    expect(await endedWith('owed')).toMatchObject({ status: 'ended', endedAt: day('01-21') });
    // 1,000.00 − 200.00 − 25 calls.
    expect(await amounts()).toEqual(['775.00']);
  });

  it('asks the part that is over, and later what came late is given back', async () => {
    await endedWith('prorated');
    // 20 of 100 days are 200.00, and 225.00 are spent.
    expect(await amounts()).toEqual([]);
    const other = await commit('01-01 2000 04-11', { onEnd: 'prorated', priority: 1, name: 'Other' });
    await shop.act(`/v0/commitments/${other.id}/end`, {});
    // 400.00 − 25.00, which the first one does not need.
    expect(await amounts()).toEqual(['375.00']);
    await shop.use(first.id, day('01-20'), 30);
    await shop.advance(clock, 'P11D');
    expect(await notesOf((await asked())[0] as Resource)).toMatchObject([{ amount: '30.00' }]);
  });

  it('asks nothing, if it is waived', async () => {
    const ended = await endedWith('waived');
    await shop.advance(clock, 'P3M');
    expect(await amounts()).toEqual([]);
    const again = await merchant.post(`/v0/commitments/${ended.id}/end`, {});
    expect([again.status, again.body.code]).toEqual([409, 'INVALID_TRANSITION']);
  });

  it('does not come with the end of a subscription', async () => {
    const made = await commit('01-01 500 03-01');
    await shop.advance(clock, 'P1M');
    await shop.change(`/v0/subscriptions/${first.id}`, { terminatedAt: day('02-01') });
    await shop.change(`/v0/subscriptions/${second.id}`, { terminatedAt: day('02-01') });
    expect([(await read(made)).status, await amounts()]).toEqual(['active', []]);
    await shop.advance(clock, 'P1M');
    expect(await amounts()).toEqual(['300.00']);
  });
});

describe('an invoice of a true-up', () => {
  it('that is given back is not asked again, and takes credit notes', async () => {
    await commit('01-01 500 02-01');
    await shop.advance(clock, 'P1M');
    const [invoice] = await asked();
    const line = (invoice as Resource).lines[0];
    await shop.create(`/v2/invoices/${invoice?.id}/creditNotes`, {
      ...{ lines: [{ lineItemId: line.id, amount: '20' }], reason: 'Goodwill', idempotencyKey: line.id },
    });
    await shop.act(`/v2/invoices/${invoice?.id}/cancel`, {});
    await shop.advance(clock, 'P2M');
    expect(await amounts()).toEqual(['300.00']);
  });

  it('waits for its approval, and is credited after it', async () => {
    const careful = await merchantWith({ requiredApprovals: { invoice: ['financial_review'] } });
    const own = shopOf(careful);
    const calls = await own.usagePrice();
    const of = await own.subscribe(await own.plan([calls]), { clock: await own.clock(START) });
    await own.create('/v0/commitments', bodyOf('01-01 150 02-01', { customerId: of.customerId }));
    const itsClock = await own.read(`/v0/testClocks/${of.testClockId}`);
    await own.advance(itsClock, 'P1M');
    const [draft] = await ownInvoices(own, of.customerId);
    expect(draft).toMatchObject({ status: 'DRAFT', subtotal: '150.00' });
    await own.use(of.id, day('01-20'), 10);
    await own.advance(itsClock, 'P1M');
    expect((await own.invoice(draft?.id)).status).toBe('DRAFT');
    const approval = await own.create('/v0/approvals', {
      ...{ resourceType: 'invoice', resourceId: draft?.id, kind: 'financial_review' },
    });
    await shopOf(await env.userOf(careful, 'admin')).change(`/v0/approvals/${approval.id}`, { decision: 'approved' });
    await own.advance(itsClock, 'PT1H');
    // The period of February bears the late calls.
    expect(await own.invoice(draft?.id)).toMatchObject({ status: 'ISSUED', unpaidAmount: '140.00' });
  });
});

it('comes out the same from the events, and holds what the auditor asks', async () => {
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  expect((await auditDatabase(env.url)).violations).toEqual([]);
});
