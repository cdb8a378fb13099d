import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * An event, its customer, the name that moves on, and the bill, in every possible order (reliability I-12; §4, Event
 * ingestion, rules 2 to 4; domain.md §3 and §4). The order decides the owner and the bill, by §4. In every order the
 * event counts once, and for one customer.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let metric: Resource;
let plan: Resource;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  metric = await shop.metric();
  plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
});
afterAll(() => env.close());

const STEPS = {
  event: 'an event of January for the name comes in',
  customer: 'a customer with the name is created',
  subscription: 'the customer subscribes',
  close: 'January is closed and billed',
  rename: 'the customer gets another name',
  heir: 'another customer with the name is created, and subscribes from January on',
} as const;
type Step = keyof typeof STEPS;

/** The required order of some steps; all others may come in any order. */
const AFTER: Readonly<Partial<Record<Step, readonly Step[]>>> = {
  subscription: ['customer'],
  close: ['subscription'],
  rename: ['customer'],
  heir: ['rename'],
};

/** Every possible order of these steps. */
function ordersOf(steps: readonly Step[], after = AFTER): Step[][] {
  const orders = (done: Step[]): Step[][] => {
    const left = steps.filter((step) => !done.includes(step));
    if (left.length === 0) return [done];
    return left
      .filter((step) => (after[step] ?? []).every((before) => done.includes(before)))
      .flatMap((step) => orders([...done, step]));
  };
  return orders([]);
}

const before = (order: readonly Step[], one: Step, other: Step): boolean => order.indexOf(one) < order.indexOf(other);
/** The later of two steps. */
const later = (order: readonly Step[], one: Step, other: Step): Step => (before(order, one, other) ? other : one);

interface Outcome {
  /** The owner of the event. */
  readonly owner: 'customer' | 'heir' | 'nobody';
  /** Is it on the invoice of January? If not, it came too late for it. */
  readonly isBilled: boolean;
}

/** The same by paper and pencil. */
function onPaper(order: readonly Step[]): Outcome {
  if (before(order, 'event', 'rename')) return { owner: 'customer', isBilled: before(order, 'event', 'close') };
  if (!order.includes('heir')) return { owner: 'nobody', isBilled: false };
  return { owner: 'heir', isBilled: before(order, 'event', later(order, 'close', 'heir')) };
}

let stories = 0;

/** Takes the steps in this order, and reads the fate of the event. */
async function play(order: readonly Step[], to: (people: Record<string, Resource>) => object) {
  stories += 1;
  const name = `name-${stories}`;
  const clock = await shop.clock(START);
  const people: Record<string, Resource> = {};
  const subscriptions: Record<string, Resource> = {};
  const sent = {
    type: 'call',
    source: 'orders',
    idempotencyKey: name,
    timestamp: '2026-01-10T00:00:00Z',
    data: { units: '2.5' },
  };
  let event: Resource;
  const report = async () => merchant.post('/v0/events', { ...sent, ...to({ ...people, name }) });
  const steps: Record<Step, () => Promise<unknown>> = {
    event: async () => {
      const { status, body } = await report();
      expect(status).toBe(202);
      event = body;
    },
    customer: async () => {
      people.customer = await shop.customer({ externalId: name });
    },
    subscription: async () => {
      subscriptions.customer = await shop.subscribe(plan, { clock, customer: people.customer });
    },
    close: () => shop.advance(clock, '2026-02-01T00:00:00Z'),
    rename: () => shop.change(`/v0/customers/${people.customer.id}`, { externalId: `${name}-old` }),
    heir: async () => {
      people.heir = await shop.customer({ externalId: name });
      subscriptions.heir = await shop.subscribe(plan, { clock, customer: people.heir, startedAt: START });
      await shop.advance(clock, 'PT1S'); // the jobs that are due at once have run
    },
  };
  for (const step of order) await steps[step]();
  const again = await report();
  expect([again.status, again.body.id]).toEqual([202, event.id]); // and counts no second time, below

  const read = await shop.read(`/v0/events/${event.id}`);
  const used = async (person: Resource) =>
    person &&
    (
      await shop.read(
        `/v0/billableMetrics/${metric.id}/meter?subject=${person.id}&from=${START}&to=2026-02-01T00:00:00Z`,
      )
    ).totalValue;
  const january = async (subscription: Resource) => subscription && (await shop.invoices(subscription))[0].subtotal;
  return {
    subject: read.subject,
    reason: read.outcome.reason,
    people,
    used: { customer: await used(people.customer), heir: await used(people.heir) },
    billed: { customer: await january(subscriptions.customer), heir: await january(subscriptions.heir) },
  };
}

const named = (orders: readonly Step[][]) => orders.map((order) => ({ order, what: order.join(', ') }));
const all = Object.keys(STEPS) as Step[];
const withoutHeir = all.filter((step) => step !== 'heir');

/** The result of the story for any owner. */
function expected(order: readonly Step[], { owner, isBilled }: Outcome) {
  const has = (who: string, amount: unknown, none: unknown) => (owner === who ? amount : none);
  const hasHeir = order.includes('heir');
  return {
    used: { customer: has('customer', 2.5, 0), heir: hasHeir ? has('heir', 2.5, 0) : undefined },
    billed: {
      customer: has('customer', isBilled ? '2.50' : '0.00', '0.00'),
      heir: hasHeir ? has('heir', isBilled ? '2.50' : '0.00', '0.00') : undefined,
    },
    reason: owner === 'nobody' ? 'UNKNOWN_SUBJECT' : isBilled ? undefined : 'PERIOD_CLOSED',
  };
}

describe('an event for a name', () => {
  it.each(named([...ordersOf(withoutHeir), ...ordersOf(all)]))('$what', async ({ order }) => {
    const outcome = onPaper(order);
    const { subject, people, ...found } = await play(order, ({ name }) => ({ externalSubject: name }));
    expect(found).toEqual(expected(order, outcome));
    expect(subject).toBe(people[outcome.owner]?.id);
  });
});

describe('an event for the customer itself', () => {
  const after = { ...AFTER, event: ['customer'] } as const;

  it.each(named(ordersOf(withoutHeir, after)))('is its own, whatever its name is: $what', async ({ order }) => {
    const outcome = { owner: 'customer', isBilled: before(order, 'event', 'close') } as const;
    const { subject, people, ...found } = await play(order, ({ customer, name }) => ({
      subject: customer.id,
      externalSubject: name,
    }));
    expect(found).toEqual(expected(order, outcome));
    expect(subject).toBe(people.customer.id);
  });
});

it('these are all orders there are', () => {
  const counts = [ordersOf(withoutHeir), ordersOf(all)].map((orders) => [
    orders.length,
    new Set(orders.map(String)).size,
  ]);
  expect(counts).toEqual([
    [15, 15],
    [36, 36],
  ]);
  const outcomes = ordersOf(all).map((order) => JSON.stringify(onPaper(order)));
  expect([...new Set(outcomes)].toSorted()).toEqual([
    '{"owner":"customer","isBilled":false}',
    '{"owner":"customer","isBilled":true}',
    '{"owner":"heir","isBilled":false}',
    '{"owner":"heir","isBilled":true}',
  ]);
});
