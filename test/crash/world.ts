import { setTimeout as sleep } from 'node:timers/promises';
import { parseExactJson } from '../../src/db/index.ts';
import { decimal, plain } from '../../src/kernel/decimal.ts';
import type { Meter } from '../../src/metering/meter/meter.ts';
import type { UsageCut, UsageScope } from '../../src/metering/meter/usage-request.ts';
import { type NaiveEvent, naiveUsage } from '../../src/metering/testing/oracle.ts';
import type { Client } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';
import type { Cluster } from './cluster.ts';
import { GROUP_BY, LATER_METRICS, type LoadMetric, METRICS, MOVING, nameOf } from './workload.ts';

/** A merchant of the load: its meters, and its present customers. */
export interface CrashMerchant {
  readonly apiKey: string;
  readonly client: Client;
  readonly shop: Shop;
  readonly metrics: { readonly id: string; readonly metric: LoadMetric }[];
  /** The customer to whom events are addressed directly. */
  readonly direct: Resource;
  /** By the place of their name. */
  readonly named: Resource[];
  /** First the customer that has the moving name, then the one that gets it. */
  readonly movers: Resource[];
  /** When the first of them began to lose the name, in milliseconds. */
  movedAt: number;
  /**
   * The subscription of the customer that is addressed directly, by the count of calls; it ends in the middle of the
   * load.
   */
  readonly subscription: Resource;
}

export async function openMerchant({ client, platformKey }: Cluster, place: number): Promise<CrashMerchant> {
  const operator = shopOf(client(platformKey));
  const organization = await operator.create('/v0/organizations', {
    name: `Merchant ${place}`,
    type: 'merchant',
    defaultCurrency: 'USD',
  });
  const email = `merchant-${place}@example.com`;
  const user = await operator.create('/v0/users', { organizationId: organization.id, email, role: 'admin' });
  const { secret: apiKey } = await operator.create(`/v0/users/${user.id}/apikeys`, { name: 'load' });
  const own = client(apiKey);
  const shop = shopOf(own);
  const metrics = [];
  for (const metric of METRICS) metrics.push(await makeMetric(shop, metric));
  const direct = await shop.customer();
  const counted = metrics.find(({ metric }) => metric.aggregation === 'COUNT');
  const plan = await shop.plan([await shop.usagePrice({ billableMetricId: counted?.id })]);
  const startedAt = Temporal.Now.instant().subtract({ hours: 48 }).toString();
  return {
    apiKey,
    client: own,
    shop,
    metrics,
    direct,
    named: [],
    movers: [await shop.customer({ externalId: MOVING })],
    movedAt: Number.POSITIVE_INFINITY,
    subscription: await shop.subscribe(plan, { customer: direct, startedAt }),
  };
}

async function makeMetric(shop: Shop, metric: LoadMetric): Promise<CrashMerchant['metrics'][number]> {
  const { id } = await shop.metric({ ...metric, groupBy: GROUP_BY });
  return { id, metric };
}

/** Makes the customer of the next name, for whom events have been waiting. */
export async function addCustomer({ shop, named }: CrashMerchant): Promise<void> {
  named.push(await shop.customer({ externalId: nameOf(named.length) }));
}

/** Makes one more metric with earlier events; none if all are made. */
export async function addLaterMetric(merchant: CrashMerchant): Promise<void> {
  const metric = LATER_METRICS[merchant.metrics.length - METRICS.length];
  if (metric !== undefined) merchant.metrics.push(await makeMetric(merchant.shop, metric));
}

/** Ends the subscription. A worker closes its only period then, while its events come in. */
export const endSubscription = ({ shop, subscription }: CrashMerchant): Promise<Resource> =>
  shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'The load goes on without it' });

/** Takes the name that moves from its customer and gives it to a new one. */
export async function moveName(merchant: CrashMerchant): Promise<void> {
  const { shop, movers } = merchant;
  merchant.movedAt = Date.now();
  await shop.change(`/v0/customers/${movers[0].id}`, { externalId: `${MOVING}-away` });
  movers.push(await shop.customer({ externalId: MOVING }));
}

/** Around the events of a run, in no more hours than an answer may have. */
const FROM = Temporal.Now.instant()
  .round({ smallestUnit: 'hour' })
  .subtract({ hours: 100 * 24 });
const TO = FROM.add({ hours: 200 * 24 });

const cuts = {
  all: {},
  groups: { groups: ['region'] },
  windows: { window: 'HOUR' },
} satisfies Record<string, UsageCut>;

/** The figures of a metric, as texts: in all, by group and by hour. */
export type Figures = Record<keyof typeof cuts, readonly string[]>;

const textOf = (value: unknown): string => plain(decimal(value as never));

/** Asked over HTTP, for all or for one customer. */
export async function toldFigures({ client }: CrashMerchant, metricId: string, subject?: string): Promise<Figures> {
  const query = new URLSearchParams({
    from: `${FROM}`,
    to: `${TO}`,
    groupBy: 'region',
    windowSize: 'HOUR',
    ...(subject && { subject }),
  });
  const { status, text } = await client.get(`/v0/billableMetrics/${metricId}/meter?${query}`);
  if (status !== 200) throw new Error(`The meter answered ${status}: ${text}`);
  const told = parseExactJson(text) as {
    totalValue: unknown;
    groupedValues: { groupBy: object; value: unknown }[];
    windowedValues: { windowStart: string; value: unknown }[];
  };
  return {
    all: [`{"group":{}} ${textOf(told.totalValue)}`],
    groups: told.groupedValues
      .map(({ groupBy, value }) => `${JSON.stringify({ group: groupBy })} ${textOf(value)}`)
      .toSorted(),
    windows: told.windowedValues
      .map(({ windowStart, value }) => `${JSON.stringify({ group: {}, window: windowStart })} ${textOf(value)}`)
      .toSorted(),
  };
}

/** Counted one by one from these events. */
export function naiveFigures(
  { aggregation, eventType, valueProperty }: LoadMetric,
  events: readonly NaiveEvent[],
): Figures {
  const meter: Meter = { aggregation, eventType, valueProperty, groupBy: GROUP_BY, eventFrom: null };
  const scope: UsageScope = { merchantId: 'any', meter, sources: null, from: FROM, to: TO };
  const counted = (cut: UsageCut) =>
    naiveUsage(events, scope, cut)
      .map((text) => text.replace(/ of \d+$/, ''))
      .toSorted();
  return { all: counted(cuts.all), groups: counted(cuts.groups), windows: counted(cuts.windows) };
}

/** The keys of all events of a customer, by the list of events. */
export async function keysOf({ client }: CrashMerchant, subject: string): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const { body } = await client.get(`/v0/events?subject=${subject}&limit=100&offset=${keys.length}`);
    keys.push(...body.data.map(({ idempotencyKey }: { idempotencyKey: string }) => idempotencyKey));
    if (body.data.length < 100) return keys;
  }
}

const PATIENCE_MILLISECONDS = 60_000;

/** The invoice of the ended subscription, once the workers have finished it. */
export async function finalInvoice({ shop, subscription }: CrashMerchant): Promise<Resource> {
  const giveUp = performance.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    const invoices = await shop.invoices(subscription);
    if (invoices.length === 1 && ['ISSUED', 'PAID'].includes(invoices[0].status)) return invoices[0];
    if (performance.now() > giveUp) throw new Error(`Its invoices are ${invoices.map(({ status }) => status)}.`);
    await sleep(100);
  }
}

/** The number of the customer's calls on this invoice, by the outcome of each call. */
export async function callsOn(
  { client, direct }: CrashMerchant,
  invoice: Resource,
): Promise<{ billed: number; late: number }> {
  const found = { billed: 0, late: 0 };
  for (let offset = 0; ; offset += 100) {
    const { body } = await client.get(`/v0/events?subject=${direct.id}&type=call&limit=100&offset=${offset}`);
    for (const { id } of body.data) {
      const { outcome } = (await client.get(`/v0/events/${id}`)).body;
      const place = outcome.billing.find(({ invoiceId }: Resource) => invoiceId === invoice.id);
      if (place?.lineItemId) found.billed += 1;
      else if (place?.reason === 'PERIOD_CLOSED') found.late += 1;
    }
    if (body.data.length < 100) return found;
  }
}
