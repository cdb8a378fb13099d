import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Several subscriptions of a customer price a metric. The subscription that bills the customer's usage changes for the
 * past (domain.md §3, "Whose usage"), so closed periods are read again.
 */
let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
});
afterAll(() => env.close());

type Fields = Record<string, unknown>;

/** A merchant of its own with a metric at 1.00 a unit, and a customer. */
async function openStory({ metric: metricFields = {}, price = {} }: { metric?: Fields; price?: Fields } = {}) {
  const shop = shopOf(await env.merchant());
  const metric = await shop.metric(metricFields);
  const sold = (fields: Fields = {}) => shop.usagePrice({ billableMetricId: metric.id, ...price, ...fields });
  const clock = await shop.clock(START);
  return { shop, metric, sold, clock, plan: await shop.plan([await sold()]), customer: await shop.customer() };
}

const end = (shop: Shop, { id }: Resource, terminatedAt: string) =>
  shop.change(`/v0/subscriptions/${id}`, { terminatedAt });

const metricOf = (aggregation: string): Fields => ({
  aggregation,
  ...(aggregation === 'COUNT' && { valueProperty: null }),
});

/** The invoices of a subscription's periods that are billed, in the order of time. */
const closed = async (shop: Shop, subscription: Resource): Promise<Resource[]> =>
  (await shop.invoices(subscription)).filter(
    ({ status, billingCadence }) => status !== 'ACTIVE' && billingCadence !== 'P0D',
  );

/** The total of January, also while it is open. */
const live = async (shop: Shop, subscription: Resource): Promise<number> =>
  Number((await shop.invoices(subscription))[0].grandTotal);

/** The billed invoices of a subscription less their credit notes. */
async function billed(shop: Shop, subscription: Resource): Promise<number> {
  let total = 0;
  for (const invoice of await shop.invoices(subscription)) {
    if (invoice.status === 'ACTIVE') continue;
    const { data } = await shop.read(`/v2/invoices/${invoice.id}/creditNotes`);
    total += Number(invoice.grandTotal);
    for (const note of data) if (note.status === 'ISSUED') total -= Number(note.total);
  }
  return Math.round(total * 1000) / 1000;
}

describe('the older subscription is ended as of the past', () => {
  it('and the open month of the younger one bills what the older one has not', async () => {
    const { shop, clock, plan, customer } = await openStory();
    const older = await shop.subscribe(plan, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-10T00:00:00Z', 5);
    await shop.use(customer.id, '2026-01-25T00:00:00Z', 7);
    await shop.advance(clock, '2026-01-28T00:00:00Z');
    await end(shop, older, '2026-01-20T00:00:00Z');
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect([await billed(shop, older), await billed(shop, younger)]).toEqual([5, 7]);
  });

  // A year of the older one is open, so it has billed no usage yet; January and February of the younger one are closed.
  it.each<{
    aggregation: string;
    events: readonly (readonly [string, number | string])[];
    older: number;
    younger: number;
  }>([
    // 1 on the 1st of January; 10 and 100 after the end.
    {
      aggregation: 'SUM',
      events: [
        ['01-01', 1],
        ['01-10', 10],
        ['02-10', 100],
      ],
      older: 1,
      younger: 110,
    },
    {
      aggregation: 'COUNT',
      events: [
        ['01-01', 1],
        ['01-10', 10],
        ['01-11', 1],
        ['02-10', 100],
      ],
      older: 1,
      younger: 3,
    },
    // January: a and b, for 30 of its 31 days: 1.94; February: b.
    {
      aggregation: 'UNIQUE_COUNT',
      events: [
        ['01-10', 'a'],
        ['01-11', 'b'],
        ['01-12', 'a'],
        ['02-10', 'b'],
      ],
      older: 0,
      younger: 2.94,
    },
  ])('and closed months of the younger one bill what nobody has billed: $aggregation', async (story) => {
    const { aggregation, events } = story;
    const { shop, clock, plan, sold, customer } = await openStory({
      metric: metricOf(aggregation),
    });
    const yearly = await shop.plan([await sold({ billingCadence: 'P1Y' })], { billingCadence: 'P1Y' });
    const older = await shop.subscribe(yearly, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer });
    for (const [day, value] of events) await shop.use(customer.id, `2026-${day}T00:00:00Z`, value);
    await shop.advance(clock, '2026-03-05T00:00:00Z');
    expect(await billed(shop, younger)).toBe(0);
    await end(shop, older, '2026-01-02T00:00:00Z');
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect([await billed(shop, older), await billed(shop, younger)]).toEqual([story.older, story.younger]);
  });

  it('and the younger one has ended, too: it is due at once, and bills its closed periods again', async () => {
    const { shop, clock, plan, sold, customer } = await openStory();
    const yearly = await shop.plan([await sold({ billingCadence: 'P1Y' })], { billingCadence: 'P1Y' });
    const older = await shop.subscribe(yearly, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer, endingAt: '2026-03-01T00:00:00Z' });
    await shop.use(customer.id, '2026-01-10T00:00:00Z', 10);
    await shop.use(customer.id, '2026-02-10T00:00:00Z', 100);
    await shop.advance(clock, '2026-05-05T00:00:00Z'); // more than 35 days after the end of the younger one
    expect(await billed(shop, younger)).toBe(0);
    await end(shop, older, '2026-01-02T00:00:00Z');
    await shop.advance(clock, '2026-05-05T00:00:01Z');
    expect([await billed(shop, older), await billed(shop, younger)]).toEqual([0, 110]);
  });

  it('a change scheduled after the end delays no other', async () => {
    const { shop, clock, plan, sold, customer } = await openStory();
    const older = await shop.subscribe(plan, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer });
    const other = await shop.plan([await sold({ properties: { unitPrice: '2' } })]);
    await shop.create(`/v0/subscriptions/${older.id}/changes`, { planId: other.id, effective: 'periodEnd' });
    await shop.use(customer.id, '2026-01-25T00:00:00Z', 7);
    await shop.advance(clock, '2026-01-26T00:00:00Z');
    await end(shop, older, '2026-01-20T00:00:00Z');
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect([await billed(shop, older), await billed(shop, younger)]).toEqual([0, 7]);
  });
});

describe('what the older one had billed already goes back, when the younger one takes it over', () => {
  it.each<{
    aggregation: string;
    events: readonly (readonly [string, number | string])[];
    before: number;
    after: number[];
  }>([
    // Both months of the older one: 1 on the 10th and 100 on the 25th of January, 7 in February.
    {
      aggregation: 'SUM',
      events: [
        ['01-10', 1],
        ['01-25', 100],
        ['02-02', 7],
      ],
      before: 101,
      after: [1, 107],
    },
    {
      aggregation: 'COUNT',
      events: [
        ['01-10', 1],
        ['01-25', 100],
        ['01-26', 100],
        ['02-02', 7],
      ],
      before: 3,
      after: [1, 3],
    },
    // a and b, then b and c: 3 in the whole of January. 2 for 19 of 31 days; 2 for 12 of 31 days, and d in February.
    {
      aggregation: 'UNIQUE_COUNT',
      events: [
        ['01-10', 'a'],
        ['01-11', 'b'],
        ['01-25', 'b'],
        ['01-26', 'c'],
        ['02-02', 'd'],
      ],
      before: 3,
      after: [1.23, 0.77 + 1],
    },
    // The greatest of January is 40, of the 25th. 10 for 19 of 31 days: 6.13; 40 for 12 of 31: 15.48; 5 in February.
    {
      aggregation: 'MAX',
      events: [
        ['01-10', 10],
        ['01-25', 40],
        ['02-02', 5],
      ],
      before: 40,
      after: [6.13, 15.48 + 5],
    },
    // The level: the same, and in February it is 5.
    {
      aggregation: 'LATEST',
      events: [
        ['01-10', 10],
        ['01-25', 40],
        ['02-02', 5],
      ],
      before: 40,
      after: [6.13, 15.48 + 5],
    },
  ])('$aggregation, ended on the 3rd of February as of the 20th of January', async ({ before, after, ...story }) => {
    const { aggregation, events } = story;
    const { shop, clock, plan, customer } = await openStory({ metric: metricOf(aggregation) });
    const older = await shop.subscribe(plan, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer });
    for (const [day, value] of events) await shop.use(customer.id, `2026-${day}T00:00:00Z`, value);
    await shop.advance(clock, '2026-02-03T00:00:00Z');
    expect(Number((await shop.invoices(older))[0].grandTotal)).toBe(before);
    await end(shop, older, '2026-01-20T00:00:00Z');
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const [january, february] = await closed(shop, younger);
    expect(january.grandTotal).toBe('0.00');
    expect([await billed(shop, older), Number(february.grandTotal)]).toEqual(after);
    await shop.advance(clock, '2026-05-01T00:00:00Z'); // without a further effect
    const level = aggregation === 'LATEST' ? 5 : 0; // in March and April
    expect([await billed(shop, older), await billed(shop, younger)]).toEqual([after[0], (after[1] ?? 0) + 2 * level]);
  });

  it('weeks of the older one, and the open month of the younger one', async () => {
    const { shop, clock, plan, sold, customer } = await openStory();
    const weekly = await shop.plan([await sold({ billingCadence: 'P1W' })], { billingCadence: 'P1W' });
    const older = await shop.subscribe(weekly, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-05T00:00:00Z', 100);
    await shop.use(customer.id, '2026-01-12T00:00:00Z', 10);
    await shop.advance(clock, '2026-01-20T00:00:00Z');
    expect(await billed(shop, older)).toBe(110);
    await end(shop, older, '2026-01-04T00:00:00Z');
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect([await billed(shop, older), await billed(shop, younger)]).toEqual([0, 110]);
  });

  it('to one that has ended as well: what it has billed stays with it', async () => {
    const { shop, clock, plan, customer } = await openStory();
    const older = await shop.subscribe(plan, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-25T00:00:00Z', 100);
    await shop.advance(clock, '2026-02-03T00:00:00Z');
    await end(shop, older, '2026-01-20T00:00:00Z'); // the younger one takes the 100 over
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    expect([await billed(shop, older), await billed(shop, younger)]).toEqual([0, 100]);
    // none is active on the 25th: the oldest that has billed it keeps it
    await end(shop, younger, '2026-01-20T00:00:00Z');
    await shop.advance(clock, '2026-03-03T00:00:00Z');
    expect([await billed(shop, older), await billed(shop, younger)]).toEqual([100, 0]);
  });

  it('not without a successor, and late usage of it is also billed', async () => {
    const { shop, clock, plan, customer } = await openStory();
    const only = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-25T00:00:00Z', 100);
    await shop.advance(clock, '2026-02-03T00:00:00Z');
    await end(shop, only, '2026-01-20T00:00:00Z');
    await shop.use(customer.id, '2026-01-26T00:00:00Z', 7);
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect(await billed(shop, only)).toBe(107);
  });
});

describe('a start as of the past', () => {
  it('takes over what an ended one had billed after its end, and nothing of one that is active', async () => {
    const { shop, clock, plan, customer } = await openStory();
    const ended = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-22T00:00:00Z', 3);
    await shop.use(customer.id, '2026-01-28T00:00:00Z', 100);
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    await end(shop, ended, '2026-01-20T00:00:00Z');
    expect(await billed(shop, ended)).toBe(103); // no subscription takes it over
    const [second, third] = [
      await shop.subscribe(plan, { clock, customer, startedAt: '2026-01-25T00:00:00Z' }),
      await shop.subscribe(plan, { clock, customer, startedAt: '2026-01-21T00:00:00Z' }), // it is the youngest one
    ];
    await shop.advance(clock, '2026-03-25T00:00:00Z');
    expect(await billed(shop, ended)).toBe(0);
    expect([await billed(shop, second), await billed(shop, third)]).toEqual([100, 3]);
  });
});

it('of a subscription that was looked at early, what comes late is still billed at its time', async () => {
  const { shop, clock, plan, customer } = await openStory();
  const older = await shop.subscribe(plan, { clock, customer });
  const younger = await shop.subscribe(plan, { clock, customer, endingAt: '2026-02-01T00:00:00Z' });
  await shop.use(customer.id, '2026-01-25T00:00:00Z', 100);
  await shop.advance(clock, '2026-02-03T00:00:00Z');
  await end(shop, older, '2026-01-20T00:00:00Z');
  await shop.advance(clock, '2026-02-04T00:00:00Z');
  expect([await billed(shop, older), await billed(shop, younger)]).toEqual([0, 100]);
  await shop.use(customer.id, '2026-01-26T00:00:00Z', 7);
  await shop.use(customer.id, '2026-01-05T00:00:00Z', 2);
  await shop.advance(clock, '2026-03-10T00:00:00Z'); // 35 days after both ends
  expect([await billed(shop, older), await billed(shop, younger)]).toEqual([2, 107]);
});

describe('the older one is paid late, and counts from its start', () => {
  it('a week of the younger one that it had billed goes back', async () => {
    const { shop, clock, sold, customer } = await openStory();
    const monthly = await shop.plan([
      await sold(),
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '30' } }),
    ]);
    const weekly = await shop.plan([await sold({ billingCadence: 'P1W' })], { billingCadence: 'P1W' });
    const older = await shop.subscribe(monthly, { clock, customer, sessionExpiryMinutes: 60 * 24 * 20 });
    const younger = await shop.subscribe(weekly, { clock, customer });
    await shop.use(customer.id, '2026-01-08T00:00:00Z', 100);
    await shop.use(customer.id, '2026-01-05T00:00:00Z', 11);
    await shop.advance(clock, '2026-01-16T00:00:00Z');
    expect(await billed(shop, younger)).toBe(111);
    const [upfront] = await shop.invoices(older);
    await shop.pay(upfront);
    await end(shop, younger, '2026-01-16T00:00:00Z'); // a subscription without further usage credits at its end
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect(await billed(shop, younger)).toBe(0);
    expect(await billed(shop, older)).toBe(111 + 3 * 30);
  });
});

describe('a figure that is for a time counts in the time in which the usage is the subscription’s own', () => {
  // The older one ends on the 20th: it has 19 of 31 days, the younger one 12. A unit is 31.00 a month, 1.00 a day.
  it.each<{
    what: string;
    aggregation: string;
    more?: object;
    events: readonly (readonly [string, number | string])[];
    sums: number[];
  }>([
    {
      what: 'a level that is set by both',
      aggregation: 'LATEST',
      events: [
        ['01-05', 10],
        ['01-25', 30],
      ],
      sums: [10 * 19, 30 * 12],
    },
    { what: 'a level that goes on', aggregation: 'LATEST', events: [['01-05', 10]], sums: [10 * 19, 10 * 12] },
    {
      what: 'the greatest value',
      aggregation: 'MAX',
      events: [
        ['01-05', 10],
        ['01-25', 4],
      ],
      sums: [10 * 19, 4 * 12],
    },
    {
      what: 'different values',
      aggregation: 'UNIQUE_COUNT',
      events: [
        ['01-05', 'a'],
        ['01-06', 'b'],
        ['01-25', 'b'],
        ['01-26', 'c'],
        ['01-27', 'd'],
      ],
      sums: [2 * 19, 3 * 12],
    },
    {
      // Of its 19 days the 18th from below (17.1), and of 12 days the 11th (10.8): each the second highest.
      what: 'a percentile of each one’s own days',
      aggregation: 'PERCENTILE',
      more: { percentile: '90', sampleWindow: 'P1D' },
      events: [
        ['01-05', 10],
        ['01-06', 20],
        ['01-25', 4],
        ['01-26', 8],
      ],
      sums: [10 * 19, 4 * 12],
    },
  ])('$aggregation, $what', async ({ aggregation, more, events, sums }) => {
    const { shop, clock, plan, customer } = await openStory({
      metric: { aggregation, ...more },
      price: { properties: { unitPrice: '31' } },
    });
    const older = await shop.subscribe(plan, { clock, customer, endingAt: '2026-01-20T00:00:00Z' });
    const younger = await shop.subscribe(plan, { clock, customer });
    for (const [day, value] of events) await shop.use(customer.id, `2026-${day}T00:00:00Z`, value);
    await shop.advance(clock, '2026-01-31T00:00:00Z');
    expect([await live(shop, older), await live(shop, younger)]).toEqual(sums); // the older one’s is issued
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [january] = await shop.invoices(younger);
    expect([await billed(shop, older), Number(january.grandTotal)]).toEqual(sums); // as billed
  });

  it('and what names the subscription itself counts for all of the period', async () => {
    const { shop, clock, plan, customer } = await openStory({
      metric: { aggregation: 'MAX' },
      price: { properties: { unitPrice: '31' } },
    });
    const older = await shop.subscribe(plan, { clock, customer, endingAt: '2026-01-20T00:00:00Z' });
    const younger = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-05T00:00:00Z', 10);
    await shop.use(younger.id, '2026-01-06T00:00:00Z', 7);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [january] = await shop.invoices(younger);
    expect([await billed(shop, older), Number(january.grandTotal)]).toEqual([10 * 19, 7 * 31]);
  });
});

it('is not billed by a subscription of another clock or one that waits for its payment', async () => {
  const { shop, clock, plan, sold, customer } = await openStory();
  const asking = await shop.plan([await sold(), await shop.feePrice({ paymentTerm: 'in_advance' })]);
  const waiting = await shop.subscribe(asking, { clock, customer, sessionExpiryMinutes: 60 * 24 * 7 });
  const elsewhere = await shop.subscribe(plan, { clock: await shop.clock(START), customer });
  const younger = await shop.subscribe(plan, { clock, customer });
  await shop.use(customer.id, '2026-01-25T00:00:00Z', 7);
  await shop.advance(clock, '2026-02-01T00:00:00Z');
  expect((await shop.read(`/v0/subscriptions/${waiting.id}`)).status).toBe('terminated'); // no payment within a week
  expect(await billed(shop, younger)).toBe(7);
  expect(await live(shop, elsewhere)).toBe(7); // its January is open
});
