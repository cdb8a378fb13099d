import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './environment.ts';

// biome-ignore lint/suspicious/noExplicitAny: resources of every kind, as answered
export type Resource = any;
type Fields = Record<string, unknown>;

/** The time limit of a clock's advance, and the pause between two checks. */
const MOST_MILLISECONDS = 120_000;
const PAUSE_MILLISECONDS = 50;

/** The catalog and customers of a merchant, made over HTTP, with useful defaults. */
export interface Shop {
  /** POST that must answer 201. */
  create(path: string, body?: unknown): Promise<Resource>;
  /** POST that must answer 200. */
  act(path: string, body?: unknown): Promise<Resource>;
  /** PATCH that must answer 200. */
  change(path: string, body: unknown): Promise<Resource>;
  /** PUT that must answer 200. */
  replace(path: string, body: unknown): Promise<Resource>;
  /** GET that must answer 200. */
  read(path: string): Promise<Resource>;

  product(fields?: Fields): Promise<Resource>;
  /** A SUM of `$.units` of events of type `call`, in the shop's own product. */
  metric(fields?: Fields): Promise<Resource>;
  /** Of a metric (by default a new one): 1.00 a unit, in arrears. */
  usagePrice(fields?: Fields): Promise<Resource>;
  /** Of a new fee: 10.00 a month, in arrears. */
  feePrice(fields?: Fields): Promise<Resource>;
  /** In USD, monthly, without tax. */
  plan(prices: readonly Resource[], fields?: Fields): Promise<Resource>;
  customer(fields?: Fields): Promise<Resource>;
  clock(currentTime: string): Promise<Resource>;
  /** Of a new customer by default; from the clock's time on by default. */
  subscribe(
    plan: Resource,
    fields: Fields & { clock?: Resource; customer?: Resource; startedAt?: string },
  ): Promise<Resource>;

  /** Reports usage: `units` at a time, of a customer or a subscription. */
  use(subject: string, timestamp: string, units: number | string, fields?: Fields): Promise<Resource>;
  /** Moves a test clock to an instant or by a duration, and waits until all that was due on the way is done. */
  advance(clock: Resource, to: string): Promise<Resource>;
  /** The invoices of a subscription, oldest first, with their lines. */
  invoices(subscription: Resource): Promise<Resource[]>;
  invoice(id: string): Promise<Resource>;
  /** A subscription to a fee of 10.00 with 20 % tax after a month, and its ISSUED invoice over 12.00. */
  issued(fields?: Fields): Promise<{ clock: Resource; subscription: Resource; invoice: Resource }>;
  /** Pays an invoice by its open session with a test card. */
  pay(invoice: Resource, card?: string): Promise<Resource>;
  /** `issued`, paid. */
  paid(fields?: Fields): Promise<{ clock: Resource; subscription: Resource; invoice: Resource }>;
}

/** The 1st of January 2026: where clocks of tests start unless they say otherwise. */
export const START = '2026-01-01T00:00:00Z';

export function shopOf(client: Client): Shop {
  let counter = 0;
  let ownProduct: Promise<Resource> | undefined;
  const next = () => {
    counter += 1;
    return counter;
  };
  const expecting = async (
    status: number,
    what: string,
    answer: Promise<{ status: number; body: Resource; text: string }>,
  ) => {
    const { status: got, body, text } = await answer;
    if (got !== status) throw new Error(`${what} answered ${got}, not ${status}: ${text}`);
    return body;
  };
  const create = (path: string, body?: unknown) => expecting(201, `POST ${path}`, client.post(path, body));
  const act = (path: string, body?: unknown) => expecting(200, `POST ${path}`, client.post(path, body));
  const change = (path: string, body: unknown) => expecting(200, `PATCH ${path}`, client.patch(path, body));
  const replace = (path: string, body: unknown) => expecting(200, `PUT ${path}`, client.put(path, body));
  const read = (path: string) => expecting(200, `GET ${path}`, client.get(path));
  const productId = async (): Promise<string> => {
    ownProduct ??= shop.product();
    return (await ownProduct).id;
  };

  const shop: Shop = {
    create,
    act,
    change,
    replace,
    read,
    product: (fields) => create('/v0/products', { name: `Product ${next()}`, description: 'What is sold', ...fields }),
    metric: async (fields) =>
      create('/v0/billableMetrics', {
        name: 'Calls',
        description: 'Calls of the API',
        unit: 'call',
        aggregation: 'SUM',
        eventType: 'call',
        valueProperty: '$.units',
        ...(fields?.itemId === undefined && { productId: await productId() }),
        ...fields,
      }),
    usagePrice: async (fields) =>
      create('/v0/prices', {
        billableMetricId: fields?.billableMetricId ?? (await shop.metric()).id,
        invoiceDisplayName: 'Calls',
        paymentTerm: 'in_arrears',
        properties: { unitPrice: '1' },
        ...fields,
      }),
    feePrice: async (fields) =>
      create('/v0/prices', {
        feeId:
          fields?.feeId ??
          (await create('/v0/fees', { name: `Fee ${next()}`, description: 'A flat fee', productId: await productId() }))
            .id,
        invoiceDisplayName: 'Flat fee',
        paymentTerm: 'in_arrears',
        billingCadence: 'P1M',
        properties: { unitPrice: '10' },
        ...fields,
      }),
    plan: async (prices, fields) =>
      create('/v0/plans', {
        name: `Plan ${next()}`,
        productId: await productId(),
        currency: 'USD',
        prices: prices.map(({ id }) => id),
        ...fields,
      }),
    customer: (fields) => {
      const number = next();
      return create('/v0/customers', {
        consumer: {
          name: `Customer ${number}`,
          email: `customer-${number}@example.com`,
          address: { line1: '1 High Street', city: 'London', country: 'GB' },
        },
        ...fields,
      });
    },
    clock: (currentTime) => create('/v0/testClocks', { name: `Clock ${next()}`, currentTime }),
    subscribe: async (plan, { clock, customer, ...fields }) =>
      create('/v0/subscriptions', {
        name: `Subscription ${next()}`,
        planId: plan.id,
        customerId: (customer ?? (await shop.customer())).id,
        ...(clock && { testClockId: clock.id, startedAt: clock.currentTime }),
        ...fields,
      }),

    use: (subject, timestamp, units, fields) =>
      expecting(
        202,
        'POST /v0/events',
        client.post('/v0/events', { type: 'call', source: 'test', subject, timestamp, data: { units }, ...fields }),
      ),
    advance: async (clock, to) => {
      const path = `/v0/testClocks/${clock.id}`;
      const before = await read(path);
      const asked = await client.patch(path, to.startsWith('P') ? { advanceBy: to } : { currentTime: to });
      // On a busy machine the answer can be a 503 although the clock has begun to move: its outcome is read.
      const hasBegun = ({ currentTime, advancingTo }: Resource) =>
        advancingTo !== null || currentTime !== before.currentTime;
      let moved =
        asked.status === 503 ? await read(path) : await expecting(200, `PATCH ${path}`, Promise.resolve(asked));
      if (asked.status === 503 && !hasBegun(moved)) throw new Error(`PATCH ${path} answered ${asked.text}`);
      // The answer comes after some seconds at the latest; on a busy machine the clock needs longer.
      for (let waited = 0; moved.advancingTo !== null; waited += PAUSE_MILLISECONDS) {
        if (waited > MOST_MILLISECONDS) throw new Error(`The clock is still on its way to ${moved.advancingTo}.`);
        await sleep(PAUSE_MILLISECONDS);
        moved = await read(path);
      }
      return moved;
    },
    invoices: async (subscription) => {
      const invoices: Resource[] = [];
      for (let offset = 0; ; offset += 100) {
        const { data } = await read(`/v2/invoices?subscriptionId=${subscription.id}&limit=100&offset=${offset}`);
        for (const { id } of data) invoices.push(await shop.invoice(id));
        if (data.length < 100) return invoices.toReversed();
      }
    },
    invoice: async (id) => {
      const { lineItems, ...invoice } = await read(`/v2/invoices/${id}?expand=lineItems&lineItemsLimit=1000`);
      return { ...invoice, lines: lineItems.lineItems };
    },
    issued: async (fields) => {
      const clock = await shop.clock(START);
      const plan = await shop.plan([await shop.feePrice()], { defaultTaxRate: 20 });
      const subscription = await shop.subscribe(plan, { clock, ...fields });
      await shop.advance(clock, 'P1M');
      return { clock, subscription, invoice: (await shop.invoices(subscription))[0] };
    },
    pay: (invoice, card = 'pm_ok') =>
      act(`/v0/paymentSessions/${invoice.paymentUrl.split('/').at(-1)}/complete`, { paymentMethod: card }),
    paid: async (fields) => {
      const sold = await shop.issued(fields);
      await shop.pay(sold.invoice);
      return { ...sold, invoice: await shop.invoice(sold.invoice.id) };
    },
  };
  return shop;
}
