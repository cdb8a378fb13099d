import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../../test/support/shop.ts';

/** Why an event is billed or not, over HTTP. */
let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

const IN_JANUARY = '2026-01-10T00:00:00Z';
const FEBRUARY = '2026-02-01T00:00:00Z';

interface Story {
  readonly shop: Shop;
  readonly metric: Resource;
  readonly price: Resource;
  readonly plan: Resource;
  readonly clock: Resource;
  readonly customer: Resource;
  readonly explain: (event: Resource) => Promise<Resource>;
}

async function openStory(
  metricFields: Record<string, unknown> = {},
  priceFields: Record<string, unknown> = {},
  planFields: Record<string, unknown> = {},
): Promise<Story> {
  const shop = shopOf(await env.merchant());
  const metric = await shop.metric({ name: 'Calls', ...metricFields });
  const price = await shop.usagePrice({ billableMetricId: metric.id, invoiceDisplayName: 'Calls', ...priceFields });
  const plan = await shop.plan([price], planFields);
  const clock = await shop.clock(START);
  const customer = await shop.customer({ externalId: 'acme' });
  const explain = ({ id }: Resource) => shop.read(`/v0/events/${id}/explain`);
  return { shop, metric, price, plan, clock, customer, explain };
}

describe('an event that is billed', () => {
  it('is explained with its customer, metric, price, invoice and line', async () => {
    const { shop, metric, price, plan, clock, customer, explain } = await openStory({
      groupBy: { region: '$.region' },
    });
    const subscription = await shop.subscribe(plan, { clock, customer });
    const event = await shop.use(customer.id, IN_JANUARY, '2.50', { data: { units: '2.50', region: 'eu' } });
    const [invoice] = await shop.invoices(subscription);
    const explained = {
      object: 'eventExplanation',
      event: await shop.read(`/v0/events/${event.id}`),
      customer: { id: customer.id, name: customer.organization.name },
      isCounted: true,
      reason: null,
      message: 'A price bills the event.',
      metrics: [
        {
          billableMetricId: metric.id,
          name: 'Calls',
          isMatched: true,
          reason: null,
          value: '2.50',
          group: { region: 'eu' },
          prices: [
            {
              priceId: price.id,
              name: 'Calls',
              planId: plan.id,
              subscriptionId: subscription.id,
              invoiceId: invoice.id,
              invoiceStatus: 'ACTIVE',
              lineItemId: null,
              entitlementId: null,
              reason: null,
            },
          ],
        },
      ],
      costs: [],
    };
    expect(await explain(event)).toEqual(explained);
    await shop.advance(clock, FEBRUARY);
    const [issued] = await shop.invoices(subscription);
    expect((await explain(event)).metrics[0].prices).toMatchObject([
      { invoiceId: issued.id, invoiceStatus: 'ISSUED', lineItemId: issued.lines[0].id, reason: null },
    ]);
  });

  it('names the entitlement that measures it', async () => {
    const { shop, metric, clock, customer, explain } = await openStory();
    const feature = await shop.create('/v0/features', {
      key: 'calls',
      name: 'Calls',
      productId: metric.productId,
      type: 'metered',
    });
    const template = { type: 'metered', usagePeriod: { interval: 'P1M' }, billableMetricIds: [metric.id] };
    const price = await shop.usagePrice({
      billableMetricId: metric.id,
      feature: { featureId: feature.id, entitlementTemplate: template },
    });
    const subscription = await shop.subscribe(await shop.plan([price]), { clock, customer });
    const { data } = await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`);
    const { metrics } = await explain(await shop.use(customer.id, IN_JANUARY, 1));
    expect(data).toHaveLength(1);
    expect(metrics[0].prices).toMatchObject([{ priceId: price.id, entitlementId: data[0].id }]);
  });

  it('shows what costs make of it beside its metrics', async () => {
    const { shop, metric, plan, clock, customer, explain } = await openStory();
    await shop.subscribe(plan, { clock, customer });
    const costOf = (name: string, valueProperty: string) =>
      shop.create('/v0/costs', {
        ...{ type: 'metered', name, unitCost: 1, currency: 'USD', productId: metric.productId },
        ...{ eventType: 'call', aggregation: 'SUM', valueProperty },
      });
    const [counting, other] = [await costOf('Bytes', '$.bytes'), await costOf('Other', '$.other')];
    const event = await shop.use(customer.id, IN_JANUARY, 4, { data: { units: 4, bytes: 7 } });
    const { isCounted, costs } = await explain(event);
    expect(isCounted).toBe(true);
    expect(costs).toHaveLength(2);
    expect(costs).toEqual(
      expect.arrayContaining([
        { costId: counting.id, name: 'Bytes', isMatched: true, reason: null, value: '7', group: {} },
        { costId: other.id, name: 'Other', isMatched: false, reason: 'NO_VALUE', value: null, group: {} },
      ]),
    );
  });
});

type Use = (story: Story) => Promise<Resource>;
const used = (fields: Record<string, unknown> = {}, at = IN_JANUARY): Use => {
  return ({ shop, customer }) => shop.use(customer.id, at, 1, fields);
};
const subscribed = ({ shop, plan, clock, customer }: Story, startedAt = START): Promise<Resource> =>
  shop.subscribe(plan, { clock, customer, startedAt });

/** Each reason, how it comes about, and a part of its sentence. */
const REASONS: readonly {
  readonly name: string;
  readonly reason: string;
  readonly says: string | RegExp;
  readonly open?: () => Promise<Story>;
  readonly use: Use;
}[] = [
  {
    name: 'of an externalId that nobody has',
    reason: 'UNKNOWN_SUBJECT',
    says: 'No customer has the externalId nobody yet. Create a customer with it',
    use: async (story) => {
      await subscribed(story);
      return story.shop.use('', IN_JANUARY, 1, { subject: undefined, externalSubject: 'nobody' });
    },
  },
  {
    name: 'of an id that nobody has',
    reason: 'UNKNOWN_SUBJECT',
    says: 'No customer or subscription has the id cus_nobody. Send the event again',
    use: ({ shop }) => shop.use('cus_nobody', IN_JANUARY, 1),
  },
  {
    name: 'of a type without a metric',
    reason: 'UNKNOWN_TYPE',
    says: 'No metric and no cost has the eventType other.',
    use: used({ type: 'other' }),
  },
  {
    name: 'at eventFrom',
    reason: 'BEFORE_EVENT_FROM',
    says: `this event is not later: ${IN_JANUARY}`,
    open: () => openStory({ eventFrom: IN_JANUARY }),
    use: used(),
  },
  {
    name: 'without a value',
    reason: 'NO_VALUE',
    says: 'The data of the event has no value at $.units. Send the event again',
    use: used({ data: { other: 1 } }),
  },
  {
    name: 'with a value that is no number',
    reason: 'NO_VALUE',
    says: '"many" at $.units is not a value that counts. Send the event again',
    use: used({ data: { units: 'many' } }),
  },
  {
    name: 'of a customer without a subscription',
    reason: 'NO_PERIOD',
    says: 'The customer has no subscription.',
    use: used(),
  },
  {
    name: 'before the subscription',
    reason: 'NO_PERIOD',
    says: `before the first subscription of the customer, which starts at ${START}`,
    use: async (story) => {
      await subscribed(story);
      return used({}, '2025-12-31T23:59:59Z')(story);
    },
  },
  {
    name: 'after the subscription',
    reason: 'NO_PERIOD',
    says: 'The event is after the end of the customer’s subscriptions.',
    use: async (story) => {
      const { id } = await subscribed(story);
      await story.shop.advance(story.clock, 'P5D');
      await story.shop.change(`/v0/subscriptions/${id}`, { terminatedAt: '2026-01-06T00:00:00Z' });
      return used()(story);
    },
  },
  {
    name: 'in a trial',
    reason: 'NO_PERIOD',
    says: 'The event is in a trial, which ends at 2026-01-15T00:00:00Z.',
    open: () => openStory({}, {}, { trialPeriod: 'P14D' }),
    use: async (story) => {
      await subscribed(story);
      return used()(story);
    },
  },
  {
    name: 'in a period that has not begun',
    reason: 'NO_PERIOD',
    says: 'The billing period at the time of the event has not begun yet.',
    use: async (story) => {
      await subscribed(story);
      return used({}, FEBRUARY)(story);
    },
  },
  {
    name: 'of another subscription than the one that it names',
    reason: 'NO_PERIOD',
    says: 'The event is before the first subscription',
    use: async (story) => {
      await subscribed(story);
      const later = await subscribed(story, '2026-01-20T00:00:00Z');
      return story.shop.use(later.id, IN_JANUARY, 1);
    },
  },
  {
    name: 'of a metric without a price',
    reason: 'NOT_PRICED',
    says: 'has no price for Calls. Add a price for it to the plan.',
    use: async (story) => {
      await subscribed({ ...story, plan: await story.shop.plan([await story.shop.feePrice()]) });
      return used()(story);
    },
  },
  {
    name: 'that only a cost counts',
    reason: 'NOT_PRICED',
    says: 'Only costs count the event, and costs are not billed.',
    use: async (story) => {
      await subscribed(story);
      await story.shop.create('/v0/costs', {
        ...{ type: 'metered', name: 'Tokens', unitCost: 1, currency: 'USD', productId: story.metric.productId },
        ...{ eventType: 'tokens', aggregation: 'SUM', valueProperty: '$.units' },
      });
      return used({ type: 'tokens' })(story);
    },
  },
  {
    name: 'that the filters of the price exclude',
    reason: 'GROUP_FILTERED',
    says: 'The prices for Calls are for other values than {"region":"us"}.',
    open: () => openStory({ groupBy: { region: '$.region' } }, { groupFilters: { region: ['eu'] } }),
    use: async (story) => {
      await subscribed(story);
      return used({ data: { units: 1, region: 'us' } })(story);
    },
  },
  {
    name: 'that came after the close of its period',
    reason: 'PERIOD_CLOSED',
    says: 'The next invoice of the subscription bills it as late usage.',
    use: async (story) => {
      await subscribed(story);
      await story.shop.advance(story.clock, FEBRUARY);
      return used()(story);
    },
  },
  {
    name: 'whose invoice is cancelled',
    reason: 'INVOICE_CANCELLED',
    says: 'The invoice of its period is cancelled.',
    open: () => openStory({}, {}, { autoApprove: false }),
    use: async (story) => {
      const subscription = await subscribed(story);
      const event = await used()(story);
      await story.shop.advance(story.clock, FEBRUARY);
      const [draft] = await story.shop.invoices(subscription);
      await story.shop.act(`/v2/invoices/${draft.id}/cancel`);
      return event;
    },
  },
  {
    name: 'whose level a later event has replaced',
    reason: 'SUPERSEDED',
    says: 'A later event set another level',
    open: () => openStory({ aggregation: 'LATEST' }),
    use: async (story) => {
      await subscribed(story);
      const event = await used()(story);
      await used({}, '2026-01-11T00:00:00Z')(story);
      await story.shop.advance(story.clock, FEBRUARY);
      return event;
    },
  },
];

describe('an event that is not billed', () => {
  it.each(REASONS)('$name is $reason, and says what to do', async ({ reason, says, open, use }) => {
    const story = await (open ?? openStory)();
    const event = await use(story);
    const explained = await story.explain(event);
    expect(explained).toMatchObject({ isCounted: false, reason });
    expect(explained.message).toContain(says);
    expect(explained.event).toEqual(await story.shop.read(`/v0/events/${event.id}`));
    expect(explained.event.outcome.reason).toBe(reason);
    const isMatched = !['UNKNOWN_SUBJECT', 'UNKNOWN_TYPE', 'BEFORE_EVENT_FROM', 'NO_VALUE'].includes(reason);
    for (const metric of explained.metrics) expect(metric).toMatchObject({ isMatched, reason });
    expect(explained.customer === null).toBe(reason === 'UNKNOWN_SUBJECT');
  });
});

it('each metric has a reason of its own', async () => {
  const { shop, metric, plan, clock, customer, explain } = await openStory();
  const unpriced = await shop.metric({ productId: metric.productId, aggregation: 'COUNT', valueProperty: null });
  await shop.subscribe(plan, { clock, customer });
  const one = await explain(await shop.use(customer.id, IN_JANUARY, 3));
  expect(one).toMatchObject({ isCounted: true, reason: null });
  const reasons = new Map(one.metrics.map((each: Resource) => [each.billableMetricId, [each.reason, each.value]]));
  expect(reasons.get(metric.id)).toEqual([null, '3']);
  expect(reasons.get(unpriced.id)).toEqual(['NOT_PRICED', '1']);
});

/** Events of many kinds, in time and late: the explanations, the invoices and the report add up to the same. */
it('isCounted agrees with the usage on the invoice, and the reasons with the report of unbilled usage', async () => {
  const { shop, plan, clock, customer, explain } = await openStory(
    { groupBy: { region: '$.region' }, eventFrom: '2026-01-03T00:00:00Z' },
    { groupFilters: { region: ['eu', 'uk'] } },
  );
  const subscription = await shop.subscribe(plan, { clock, customer });
  const events: { event: Resource; units: number }[] = [];
  const send = async (at: string, units: number, region: string, fields: Record<string, unknown> = {}) => {
    const event = await shop.use(customer.id, at, units, { data: { units, region }, ...fields });
    events.push({ event, units });
  };
  await send('2026-01-02T00:00:00Z', 1, 'eu');
  await send('2026-01-04T00:00:00Z', 2, 'eu');
  await send('2026-01-05T00:00:00Z', 4, 'us');
  await send('2026-01-31T23:59:59.999999Z', 8, 'uk');
  await send(FEBRUARY, 16, 'uk');
  await send(IN_JANUARY, 32, 'eu', { subject: undefined, externalSubject: 'nobody' });
  await send(IN_JANUARY, 64, 'eu', { type: 'unknown' });
  await send('2025-12-30T00:00:00Z', 128, 'eu');
  await send(IN_JANUARY, 256, 'eu', { subject: subscription.id });
  await shop.advance(clock, FEBRUARY);
  await send(IN_JANUARY, 512, 'eu'); // late: billed by the next invoice
  const [january] = await shop.invoices(subscription);

  const explained: Resource[] = [];
  for (const { event, units } of events) explained.push({ units, ...(await explain(event)) });
  const billedIn = (invoiceId: string) =>
    explained
      .filter(({ metrics }) =>
        metrics.some(({ prices }: Resource) =>
          prices.some((price: Resource) => price.invoiceId === invoiceId && price.reason === null),
        ),
      )
      .reduce((total, { units }) => total + units, 0);
  expect(january.lines.map(({ quantity }: Resource) => quantity)).toEqual([billedIn(january.id)]);
  expect(billedIn(january.id)).toBe(2 + 8 + 256);

  const { groups } = await shop.read('/v0/usage/unbilled?from=2025-12-01T00:00:00Z&to=2026-03-01T00:00:00Z');
  const reported = groups.map(({ reason, eventCount }: Resource) => `${reason} ${eventCount}`).toSorted();
  const reasons = Map.groupBy(
    explained.filter(({ reason }) => reason !== null && reason !== 'PERIOD_CLOSED'),
    ({ reason }) => reason,
  );
  expect([...reasons].map(([reason, those]) => `${reason} ${those.length}`).toSorted()).toEqual(reported);
});

it('is visible to a viewer and an operator, and to no other merchant', async () => {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const { id } = await shop.use((await shop.customer()).id, IN_JANUARY, 1);
  const path = `/v0/events/${id}/explain`;
  const expected = (await merchant.get(path)).body;
  expect((await env.platform.get(path)).body).toEqual(expected);
  expect((await (await env.userOf(merchant, 'viewer')).get(path)).body).toEqual(expected);
  expect((await (await env.merchant()).get(path)).status).toBe(404);
  expect((await merchant.get('/v0/events/evt_unknown/explain')).status).toBe(404);
});
