import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** LATEST is a level: the last reported value continues until another one comes (domain.md §5, decision 0050). */
let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
});
afterAll(() => env.close());

type Fields = Record<string, unknown>;
const SEATS = { aggregation: 'LATEST', name: 'Seats', unit: 'seat' };

interface Story {
  merchant: Merchant;
  shop: Shop;
  metric: Resource;
  price: Resource;
  plan: Resource;
  clock: Resource;
}

/** A merchant of its own with seats at 10.00 each. */
async function openStory(plan: Fields = {}, price: Fields = {}, metric: Fields = {}): Promise<Story> {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const seats = await shop.metric({ ...SEATS, ...metric });
  const own = await shop.usagePrice({ billableMetricId: seats.id, properties: { unitPrice: '10' }, ...price });
  const made = await shop.plan([own], plan);
  return { merchant, shop, metric: seats, price: own, plan: made, clock: await shop.clock(START) };
}

const shown = ({ lines }: Resource): string[] =>
  lines.map((line: Resource) => {
    const group = line.group && Object.keys(line.group).length > 0 ? ` ${Object.values(line.group).join()}` : '';
    return `${line.type} ${line.periodStart.slice(5, 10)}/${line.periodEnd.slice(5, 10)}${group}: ${line.quantity} = ${line.totalPrice}`;
  });
const bills = async (shop: Shop, subscription: Resource) => (await shop.invoices(subscription)).map(shown);
const totals = async (shop: Shop, subscription: Resource) =>
  (await shop.invoices(subscription)).map(({ status, grandTotal }) => `${status} ${grandTotal}`);
const meter = ({ shop, metric }: Story, from: string, to: string, query = '') =>
  shop.read(`/v0/billableMetrics/${metric.id}/meter?from=${from}&to=${to}${query}`);
const change = (shop: Shop, subscription: Resource, body: object) =>
  shop.create(`/v0/subscriptions/${subscription.id}/changes`, body);

describe('seats that are reported once', () => {
  it('are billed each month of a year, and changed from the month on in which they change', async () => {
    const { shop, plan, clock } = await openStory();
    const subscription = await shop.subscribe(plan, { clock });
    await shop.use(subscription.id, '2026-01-02T00:00:00Z', 10);
    await shop.use(subscription.id, '2026-06-30T23:59:59.999999Z', 12);
    await shop.use(subscription.id, '2026-10-01T00:00:00Z', 0);
    for (const _ of ['spring', 'summer', 'autumn', 'winter']) await shop.advance(clock, 'P3M');
    const found = (await shop.invoices(subscription)).map(({ grandTotal }) => grandTotal);
    expect(found).toEqual([...Array(5).fill('100.00'), ...Array(4).fill('120.00'), ...Array(4).fill('0.00')]);
  });

  it('are the same figure on the invoice, in the meter, in a cost and in an entitlement', async () => {
    const merchant = await env.merchant();
    const shop = shopOf(merchant);
    const metric = await shop.metric(SEATS);
    const feature = await shop.create('/v0/features', {
      key: 'seats',
      name: 'Seats',
      type: 'metered',
      productId: metric.productId,
    });
    const entitlementTemplate = {
      type: 'metered',
      isSoftLimit: false,
      issueAfterReset: 20,
      usagePeriod: { interval: 'P1M' },
    };
    const price = await shop.usagePrice({
      billableMetricId: metric.id,
      feature: { featureId: feature.id, entitlementTemplate },
    });
    const { name: _name, aggregation, eventType, valueProperty, unit, productId } = metric;
    const cost = await shop.create('/v0/costs', {
      ...{ type: 'metered', name: 'Seats', unitCost: 2, currency: 'USD' },
      ...{ aggregation, eventType, valueProperty, unit, productId },
    });
    const clock = await shop.clock(START);
    const customer = await shop.customer();
    await shop.use(customer.id, '2025-12-20T00:00:00Z', 10); // before it starts
    const subscription = await shop.subscribe(await shop.plan([price]), { clock, customer });
    await shop.advance(clock, '2026-03-15T00:00:00Z');

    const march = 'from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z';
    const invoices = await shop.invoices(subscription);
    const { totalValue } = await shop.read(`/v0/billableMetrics/${metric.id}/meter?${march}&subject=${customer.id}`);
    const { totalQuantity, totalCost } = await shop.read(`/v0/costs/${cost.id}/summary?${march}`);
    const report = await shop.read(`/v0/costs/report?${march}&groupBy=customer&windowSize=MONTH`);
    const { data } = await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`);
    expect({
      invoices: invoices.map(({ lines }) => lines[0].quantity),
      totalValue,
      cost: `${totalQuantity} ${totalCost}`,
      report: report.groups.map(({ key, totalCost: of }: Resource) => `${key === customer.id} ${of}`),
      timeSeries: report.timeSeries.map(({ groups }: Resource) => Object.values(groups)),
      entitlement: `${data[0].usageInPeriod} ${data[0].balance}`,
    }).toEqual({
      invoices: [10, 10, 10],
      totalValue: 10,
      cost: '10 20.00',
      report: ['true 20.00'],
      timeSeries: [['20.00']],
      entitlement: '10 10',
    });
  });

  it('count from the end of a trial on, in which they were set, and say where they are billed', async () => {
    const { shop, plan, clock } = await openStory({ trialPeriod: 'P14D' });
    const subscription = await shop.subscribe(plan, { clock });
    const { id } = await shop.use(subscription.id, '2026-01-02T00:00:00Z', 8);
    await shop.advance(clock, '2026-02-20T00:00:00Z');
    const [first] = await shop.invoices(subscription);
    expect(first).toMatchObject({ periodStart: '2026-01-15T00:00:00Z', grandTotal: '80.00' });
    const { outcome } = await shop.read(`/v0/events/${id}`);
    expect(outcome).toMatchObject({ billing: [{ invoiceId: first.id, lineItemId: first.lines[0].id }] });
    expect(outcome).not.toHaveProperty('reason');
  });

  it('of a period that runs are in its live totals, the upcoming invoice and a simulation', async () => {
    const { shop, plan, clock } = await openStory();
    const customer = await shop.customer();
    const subscription = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-02T00:00:00Z', 10);
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    const upcoming = await shop.read(`/v0/subscriptions/${subscription.id}/upcomingInvoice`);
    const simulated = await shop.act(`/v0/plans/${plan.id}/simulate`, {
      ...{ customerId: customer.id, from: '2026-05-01T00:00:00Z', to: '2026-06-01T00:00:00Z' },
    });
    const open = (await shop.invoices(subscription))[1];
    expect([open.status, open.grandTotal, upcoming.grandTotal, simulated.grandTotal]).toEqual([
      ...['ACTIVE', '100.00', '100.00', '100.00'],
    ]);
  });

  it('go on for a subscription that was made long after, and end with the one that ended', async () => {
    const { shop, plan, clock } = await openStory();
    const customer = await shop.customer();
    const first = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-02T00:00:00Z', 10);
    await shop.advance(clock, '2026-01-16T12:00:00Z');
    await shop.act(`/v0/subscriptions/${first.id}/termination`, { reason: 'moves' });
    await shop.advance(clock, '2026-05-01T00:00:00Z');
    const again = await shop.subscribe(plan, { clock: { ...clock, currentTime: '2026-05-01T00:00:00Z' }, customer });
    await shop.advance(clock, '2026-06-01T00:00:00Z');
    expect(await totals(shop, first)).toEqual(['ISSUED 50.00']); // half of January
    expect(await totals(shop, again)).toEqual(['ISSUED 100.00', 'ACTIVE 100.00']);
  });
});

describe('which event gives the level', () => {
  it.each([
    { what: 'by its own time, whenever it came', events: [['01-20', 5], ['01-10', 3]], january: 5, february: 5 }, // biome-ignore format: a table
    { what: 'of one time the one that was accepted last', events: [['01-10', 5], ['01-10', 3]], january: 3, february: 3 }, // biome-ignore format: a table
    { what: 'not one without a value', events: [['01-10', 5], ['01-20', 'none']], january: 5, february: 5 }, // biome-ignore format: a table
    { what: 'not one at the end of the period', events: [['01-10', 5], ['02-01', 3]], january: 5, february: 3 }, // biome-ignore format: a table
    { what: 'of a level below 0 nothing is billed', events: [['01-10', 5], ['01-20', -3]], january: -3, february: -3 }, // biome-ignore format: a table
  ])('$what', async ({ events, january, february }) => {
    const { shop, plan, clock } = await openStory();
    const subscription = await shop.subscribe(plan, { clock });
    for (const [day, units] of events) await shop.use(subscription.id, `2026-${day}T00:00:00Z`, units as number);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const lines = (await shop.invoices(subscription)).map((invoice) => invoice.lines[0]);
    const billed = (level: number) => Math.max(0, level);
    expect(lines.slice(0, 2).map(({ quantity }) => quantity)).toEqual([billed(january), billed(february)]);
  });

  it('counts from eventFrom of its meter on', async () => {
    const { shop, plan, clock } = await openStory({}, {}, { eventFrom: '2026-01-10T00:00:00Z' });
    const subscription = await shop.subscribe(plan, { clock });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 7);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    await shop.use(subscription.id, '2026-02-10T00:00:00Z', 4);
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect(await totals(shop, subscription)).toEqual(['PAID 0.00', 'ISSUED 40.00', 'ISSUED 40.00', 'ACTIVE 40.00']);
  });

  it('of what was sent to a subscription is that one’s alone; of what was sent to the customer it is the oldest one’s', async () => {
    const { shop, plan, clock } = await openStory();
    const customer = await shop.customer();
    const older = await shop.subscribe(plan, { clock, customer, endingAt: '2026-03-01T00:00:00Z' });
    const younger = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-02T00:00:00Z', 10);
    await shop.use(younger.id, '2026-01-01T00:00:00Z', 3);
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect(await totals(shop, older)).toEqual(['ISSUED 100.00', 'ISSUED 100.00']);
    // From March on the customer's level is that of the younger one, which was set later than its own.
    expect(await totals(shop, younger)).toEqual(['ISSUED 30.00', 'ISSUED 30.00', 'ISSUED 100.00', 'ACTIVE 100.00']);
  });

  it('counts once its customer is known', async () => {
    const { shop, plan, clock } = await openStory();
    await shop.use('', '2025-11-02T00:00:00Z', 6, { subject: undefined, externalSubject: 'acme' });
    const customer = await shop.customer();
    const subscription = await shop.subscribe(plan, { clock, customer });
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    await shop.change(`/v0/customers/${customer.id}`, { externalId: 'acme' });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect(await bills(shop, subscription)).toEqual([
      ['charge 01-01/02-01: 0 = 0.00'],
      ['charge 02-01/03-01: 6 = 60.00', 'late_usage 01-01/02-01: 6 = 60.00'],
      ['charge 03-01/04-01: 6 = 60.00'],
    ]);
  });
});

describe('a level that comes late', () => {
  it('changes every closed period after it, up to the next event', async () => {
    const { shop, plan, clock } = await openStory();
    const subscription = await shop.subscribe(plan, { clock });
    await shop.use(subscription.id, '2026-01-02T00:00:00Z', 10);
    await shop.use(subscription.id, '2026-03-15T00:00:00Z', 20);
    await shop.advance(clock, '2026-04-15T00:00:00Z');
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 7);
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 99); // the 20th is later
    await shop.advance(clock, '2026-05-01T00:00:00Z');
    expect((await bills(shop, subscription)).slice(0, 4)).toEqual([
      ['charge 01-01/02-01: 10 = 100.00'],
      ['charge 02-01/03-01: 10 = 100.00'],
      ['charge 03-01/04-01: 20 = 200.00'],
      ['charge 04-01/05-01: 20 = 200.00', 'late_usage 01-01/02-01: -3 = -30.00', 'late_usage 02-01/03-01: -3 = -30.00'],
    ]);
  });
});

describe('parts of a period', () => {
  it('have each their own level after a change of plan, for their share of the time', async () => {
    const { shop, metric, plan, clock } = await openStory();
    const dear = await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice: '30' } });
    const business = await shop.plan([dear]);
    const subscription = await shop.subscribe(plan, { clock });
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 8);
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    await shop.use(subscription.id, '2026-02-20T00:00:00Z', 9);
    await change(shop, subscription, { planId: business.id });
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect((await bills(shop, subscription)).slice(0, 3)).toEqual([
      ['charge 01-01/02-01: 8 = 80.00'],
      ['charge 02-01/02-15: 8 = 40.00', 'charge 02-15/03-01: 9 = 135.00'], // 14 of 28 days each
      ['charge 03-01/04-01: 9 = 270.00'],
    ]);
  });

  it('are billed so far where closeNow cut them, and at the end by the level of then', async () => {
    const { shop, plan, clock } = await openStory();
    const subscription = await shop.subscribe(plan, { clock });
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 8);
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    const [, open] = await shop.invoices(subscription);
    await shop.act(`/v2/invoices/${open.id}/closeNow`);
    await shop.use(subscription.id, '2026-02-16T00:00:00Z', 10);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect((await bills(shop, subscription)).slice(0, 3)).toEqual([
      ['charge 01-01/02-01: 8 = 80.00'],
      ['charge 02-01/02-15: 8 = 40.00'],
      ['charge 02-15/03-01: 10 = 60.00'], // 10 at the end of February: 100.00, less 40.00 billed so far
    ]);
  });
});

describe('groups', () => {
  const regions = { groupBy: { region: '$.region' } };
  const use = (shop: Shop, subject: Resource, at: string, region: string | undefined, units: number) =>
    shop.use(subject.id, at, units, { data: { units, ...(region && { region }) } });

  it('that were ever reported continue, each alone', async () => {
    const properties = {
      dimensions: ['region'],
      cells: [{ match: { region: 'eu' }, unitPrice: '10' }, { match: { region: 'us' }, unitPrice: '5' }], // biome-ignore format: a table
      default: '1',
    };
    const story = await openStory({}, { model: 'matrix', properties }, regions);
    const { shop, plan, clock } = story;
    const subscription = await shop.subscribe(plan, { clock });
    await use(shop, subscription, '2026-01-05T00:00:00Z', 'eu', 3);
    await use(shop, subscription, '2026-01-06T00:00:00Z', 'us', 4);
    await use(shop, subscription, '2026-01-07T00:00:00Z', undefined, 2);
    await use(shop, subscription, '2026-02-10T00:00:00Z', 'us', 0);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect((await bills(shop, subscription)).slice(0, 2)).toEqual([
      ['charge 01-01/02-01 eu: 3 = 30.00', 'charge 01-01/02-01 us: 4 = 20.00', 'charge 01-01/02-01: 2 = 2.00'],
      ['charge 02-01/03-01 eu: 3 = 30.00', 'charge 02-01/03-01: 2 = 2.00'],
    ]);
    const { groupedValues, groupCount, totalValue } = await meter(
      story,
      '2026-02-01T00:00:00Z',
      '2026-03-01T00:00:00Z',
      '&groupBy=region',
    );
    expect({ groupedValues, groupCount, totalValue }).toEqual({
      groupedValues: [
        { groupBy: { region: 'eu' }, value: 3, eventCount: 0 },
        { groupBy: { region: null }, value: 2, eventCount: 0 },
        { groupBy: { region: 'us' }, value: 0, eventCount: 1 },
      ],
      groupCount: 3,
      totalValue: 0, // for all together it is the value of the last event
    });
  });

  it('are filtered before the last event is taken', async () => {
    const { shop, plan, clock } = await openStory({}, { groupFilters: { region: ['eu', 'uk'] } }, regions);
    const subscription = await shop.subscribe(plan, { clock });
    await use(shop, subscription, '2026-01-05T00:00:00Z', 'eu', 3);
    await use(shop, subscription, '2026-01-06T00:00:00Z', 'us', 4);
    await use(shop, subscription, '2026-02-05T00:00:00Z', 'uk', 5);
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect(await totals(shop, subscription)).toEqual(['ISSUED 30.00', 'ISSUED 50.00', 'ISSUED 50.00', 'ACTIVE 50.00']);
  });
});

it('is explained by the hours in which it was set, each up to the next one, and comes out the same again', async () => {
  const { shop, plan, clock } = await openStory();
  const subscription = await shop.subscribe(plan, { clock });
  await shop.use(subscription.id, '2026-01-20T09:30:00Z', 8);
  await shop.use(subscription.id, '2026-02-10T12:00:00Z', 5);
  await shop.use(subscription.id, '2026-02-10T12:30:00Z', 9);
  await shop.advance(clock, '2026-03-01T00:00:00Z');
  const [, february] = await shop.invoices(subscription);
  const { lines, recalculation } = await shop.read(`/v2/invoices/${february.id}/explain`);
  expect(lines[0].usageByHour).toEqual([
    { from: '2026-02-01T00:00:00Z', to: '2026-02-10T12:00:00Z', value: 8, eventCount: 0 },
    { from: '2026-02-10T12:00:00Z', to: '2026-03-01T00:00:00Z', value: 9, eventCount: 2 },
  ]);
  expect(recalculation).toEqual({ grandTotal: '90.00', isSame: true });
});

describe('windows of a level', () => {
  it('are all there once there is one, aligned and clipped; those before it are left out', async () => {
    const story = await openStory();
    const { shop, merchant } = story;
    const customer = await shop.customer();
    await shop.use(customer.id, '2026-01-03T10:00:00Z', 4);
    await shop.use(customer.id, '2026-01-05T09:00:00Z', 6);
    const { windowedValues } = await meter(story, '2026-01-02T12:00:00Z', '2026-01-06T06:00:00Z', '&windowSize=DAY');
    expect(windowedValues.map((each: Resource) => `${each.windowStart} ${each.windowEnd} ${each.value}`)).toEqual([
      '2026-01-03T00:00:00Z 2026-01-04T00:00:00Z 4',
      '2026-01-04T00:00:00Z 2026-01-05T00:00:00Z 4',
      '2026-01-05T00:00:00Z 2026-01-06T00:00:00Z 6',
      '2026-01-06T00:00:00Z 2026-01-06T06:00:00Z 6',
    ]);
    const later = await meter(story, '2026-06-15T12:34:56Z', '2026-06-15T12:37:00Z', '&windowSize=MINUTE');
    expect(later.windowedValues.map(({ windowStart, value }: Resource) => `${windowStart} ${value}`)).toEqual([
      '2026-06-15T12:34:56Z 6',
      '2026-06-15T12:35:00Z 6',
      '2026-06-15T12:36:00Z 6',
    ]);
    const year = '?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z&windowSize=MINUTE';
    const refused = await merchant.get(`/v0/billableMetrics/${story.metric.id}/meter${year}`);
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [
        {
          field: 'windowSize',
          message:
            'MINUTE gives 525,600 windows; at most 10,000 are allowed in an answer: choose larger windows or a shorter time',
        },
      ],
    ]);
  });
});
