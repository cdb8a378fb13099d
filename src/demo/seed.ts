import { setTimeout as sleep } from 'node:timers/promises';
import { formatInstant, type Instant, instantOf, isBefore } from '../kernel/time.ts';
import { makeAlerts } from './alerts.ts';
import { makeCatalog, type Plans } from './catalog.ts';
import { type Client, clientOf, type Injector, type Resource } from './client.ts';
import { makeCommitments, makeTerms, makeTopUpAndPause } from './commercial.ts';
import { CUSTOMERS, type DemoCustomer } from './customers.ts';
import { makeOrder } from './order.ts';
import { unmatchedEvents, usageOf } from './usage.ts';

/** Runs a piece of the seeding under a label with its result: a start prints it at the end. */
export type SeedingStep = <T>(label: string, work: () => Promise<T>) => Promise<T>;

/** A demo merchant that has its key, and whose three months of business are still to be made. */
export interface OpenedDemo {
  readonly merchantId: string;
  readonly merchantKey: string;
  /** The user who owns the merchant. */
  readonly ownerId: string;
  /** An externalId whose customer's open invoice grows with each event. */
  readonly sampleExternalId: string;
  /**
   * Makes the three months. It may run while others use the program, and stops soon once `signal` is aborted; another
   * start takes it up. @returns what there is, as a sentence.
   */
  fill(step: SeedingStep, signal: AbortSignal): Promise<string>;
}

/** The target of the demo: a sandbox's server, and an operator's key. */
export interface DemoPlace {
  readonly server: Injector;
  readonly platformKey: string;
  /** The address of the sandbox's own webhook inbox. */
  readonly inboxUrl: string;
}

const NAME = 'Halcyon Labs';
const SAMPLE = 'nordlys';
const HISTORY_DAYS = 92;
const COLOR = '#0f5f73';
/** One shade off, which nobody sees: it marks an unfinished demo, and a person who tries that is refused nothing. */
const UNFINISHED = '#0f5f74';
/** Idempotency keys are kept for a week; after that a demo that is not whole stays as it is. */
const RESUMABLE_DAYS = 6;
const BATCH = 2_000;
const STEP_DAYS = 10;
const STEPS_IN_A_MONTH = 3;
const MONTHS = 3;
const POLL_MILLISECONDS = 100;

/**
 * Opens a demo merchant through the public operations alone, so it is nothing that a user could not have made. Every
 * creation goes under a fixed idempotency key and every time counts from the merchant's own creation: a seeding that
 * was cut short is taken up by the next one. @param now wall time. @returns null where the demo is there already.
 */
export async function openDemo(place: DemoPlace, now: Instant): Promise<OpenedDemo | null> {
  const operator = clientOf(place.server, place.platformKey);
  const found = await operator.get(`/v0/organizations?type=merchant&name=${encodeURIComponent(NAME)}`);
  const known = found.data.find((each: Resource) => each.name === NAME);
  if (known && !isResumable(known, now)) return null;
  const merchant = known ?? (await operator.once('merchant', '/v0/organizations', MERCHANT));
  const user = await operator.once('user', '/v0/users', {
    organizationId: merchant.id,
    email: 'owner@halcyon.example',
    firstName: 'Dana',
    lastName: 'Okafor',
    role: 'admin',
  });
  const key = await operator.once('key', `/v0/users/${user.id}/apikeys`, { name: 'Demo' });
  const until = instantOf(merchant.createdAt).round({ smallestUnit: 'minute', roundingMode: 'floor' });
  return {
    merchantId: merchant.id,
    merchantKey: key.secret,
    ownerId: user.id,
    sampleExternalId: SAMPLE,
    fill: async (step, signal) => {
      const client = clientOf(place.server, key.secret, signal);
      await tellStory(client, until, step, place.inboxUrl);
      await client.patch(`/v0/organizations/${merchant.id}`, { settings: { branding: { ...BRANDING, color: COLOR } } });
      return summarize(client);
    },
  };
}

const BRANDING = { color: UNFINISHED, footer: 'Halcyon Labs, Inc. · Thank you for your business.' };

const MERCHANT = {
  name: NAME,
  legalName: 'Halcyon Labs, Inc.',
  type: 'merchant',
  taxId: '84-3391027',
  address: { line1: '200 Kingfisher Way', city: 'Portland', state: 'OR', zipCode: '97201', country: 'US' },
  billingEmails: ['billing@halcyon.example'],
  phone: '+1 503 555 0142',
  defaultCurrency: 'USD',
  settings: {
    invoicePrefix: 'HAL',
    branding: BRANDING,
    // the example of ISO 13616, which is no real account
    bankTransfer: {
      holder: 'Halcyon Labs, Inc.',
      iban: 'DE89 3704 0044 0532 0130 00',
      bic: 'COBADEFFXXX',
      bank: 'Example Bank',
      note: 'The account of a demo: do not send money to it.',
    },
  },
};

function isResumable(merchant: Resource, now: Instant): boolean {
  const isWhole = merchant.settings.branding?.color !== UNFINISHED;
  return !isWhole && isBefore(now, instantOf(merchant.createdAt).add({ hours: 24 * RESUMABLE_DAYS }));
}

const daysBefore = (at: Instant, days: number): Instant =>
  at.toZonedDateTimeISO('UTC').startOfDay().subtract({ days }).toInstant();

/**
 * Three months of business that end now: usage first, then the customers, then time passes and invoices are dealt with.
 */
async function tellStory(client: Client, until: Instant, step: SeedingStep, inboxUrl: string): Promise<void> {
  const from = daysBefore(until, HISTORY_DAYS);
  await step('three months of usage events', () => sendUsage(client, from, until));
  const plans = await step('two products and three plans', () => makeCatalog(client));
  const clock = await client.once('clock', '/v0/testClocks', {
    name: 'Demo history',
    description: 'Three months that the demo has behind it',
    currentTime: formatInstant(from),
  });
  const story = { plans, clockId: clock.id, from, until };
  const subscriptions = await step('twelve customers and their subscriptions', async () =>
    subscribeAll(client, { ...story, terms: await makeTerms(client, plans) }),
  );
  await step('two commitments', () => makeCommitments(client));
  const dealtWith = new Set<string>();
  for (let month = 1, at = from; isBefore(at, until); month += 1) {
    const last = at.add({ hours: 24 * STEP_DAYS * STEPS_IN_A_MONTH });
    const end = month < MONTHS && isBefore(last, until) ? last : until;
    if (month === MONTHS)
      await client.once('inbox', '/v0/webhookEndpoints', {
        url: inboxUrl,
        description: 'The inbox of the sandbox: GET /v0/webhookInbox lists the received webhooks',
      });
    await step(`month ${month} of ${MONTHS}: usage billed, invoices paid`, async () => {
      for (let next = at; isBefore(next, end); ) {
        const further = next.add({ hours: 24 * STEP_DAYS });
        next = isBefore(further, end) ? further : end;
        await advance(client, clock.id, next);
        await dealWithInvoices(client, subscriptions, dealtWith);
      }
    });
    at = end;
  }
  await step('an order that waits for approval', () => makeOrder(client, until));
  await step('a top-up of credits, a pause and a credit note', () => makeTopUpAndPause(client, until));
  await step('three alerts, one of them a budget', () => makeAlerts(client));
}

/** @returns the customers by the ids of their subscriptions. */
async function subscribeAll(client: Client, story: Story): Promise<ReadonlyMap<string, DemoCustomer>> {
  const subscriptions = new Map<string, DemoCustomer>();
  const ids = new Map<string, string>();
  for (const customer of CUSTOMERS) {
    const payer = customer.payer !== undefined && { payerId: ids.get(customer.payer) };
    const { id } = await client.once(`customer ${customer.externalId}`, '/v0/customers', {
      ...customerBody(customer),
      ...payer,
    });
    ids.set(customer.externalId, id);
    const body = subscriptionBody(customer, { customerId: id, ...story });
    const subscription = await client.once(`subscription ${customer.externalId}`, '/v0/subscriptions', body);
    subscriptions.set(subscription.id, customer);
  }
  return subscriptions;
}

/** Everything that was used, before anybody has heard of the customers: it is linked to them when they are made. */
async function sendUsage(client: Client, from: Instant, until: Instant): Promise<void> {
  const events = CUSTOMERS.flatMap((customer, index) =>
    usageOf(customer, 20_261 + index, daysOf(customer, from, until), until),
  );
  events.push(...unmatchedEvents(until));
  for (let start = 0; start < events.length; start += BATCH)
    await client.once(`events ${start}`, '/v0/events', events.slice(start, start + BATCH));
}

const daysOf = ({ habit, day }: DemoCustomer, from: Instant, until: Instant): Instant =>
  habit === 'new' ? daysBefore(until, day) : from.add({ hours: 24 * day });

const customerBody = ({ externalId, name, email, address, taxId, vat, plan }: DemoCustomer) => ({
  externalId,
  consumer: { name, email, address },
  taxRates: vat,
  currency: plan === 'team' ? 'EUR' : 'USD',
  ...(taxId !== undefined && { taxId }),
});

interface Story {
  readonly plans: Plans;
  /** What was agreed beside the plans, by externalId. */
  readonly terms: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly clockId: string;
  readonly from: Instant;
  readonly until: Instant;
}

function subscriptionBody(
  customer: DemoCustomer,
  { customerId, plans, terms, clockId, from, until }: Story & { readonly customerId: string },
) {
  const { externalId, name, plan, habit, taxExempt } = customer;
  return {
    name: `${name}: ${plan[0]?.toUpperCase()}${plan.slice(1)}`,
    planId: plans[plan],
    customerId,
    startedAt: formatInstant(daysOf(customer, from, until)),
    ...(habit !== 'new' && { testClockId: clockId }),
    ...(taxExempt && { taxExempt }),
    ...(habit === 'transfers' && { bankTransferOnly: true, paymentTermDays: 30 }),
    ...(habit === 'waits for approval' && { autoApprove: false }),
    ...terms.get(externalId),
  };
}

/** Moves the demo's clock, and waits until it is there; a clock that is there already stays. */
async function advance(client: Client, clockId: string, to: Instant): Promise<void> {
  let clock = await client.get(`/v0/testClocks/${clockId}`);
  if (clock.advancingTo === null && isBefore(instantOf(clock.currentTime), to))
    clock = await client.patch(`/v0/testClocks/${clockId}`, { currentTime: formatInstant(to) });
  while (clock.advancingTo !== null) {
    await sleep(POLL_MILLISECONDS); // a slow machine: the answer came before the clock arrived
    clock = await client.get(`/v0/testClocks/${clockId}`);
  }
}

/** Handles the invoices that were issued since the last look. */
async function dealWithInvoices(
  client: Client,
  subscriptions: ReadonlyMap<string, DemoCustomer>,
  dealtWith: Set<string>,
): Promise<void> {
  const { data } = await client.get('/v2/invoices?status=ISSUED&limit=100');
  for (const invoice of data.toReversed()) {
    const customer = subscriptions.get(invoice.subscriptionId);
    if (customer === undefined || dealtWith.has(invoice.id)) continue;
    dealtWith.add(invoice.id);
    await dealWith(client, invoice, customer);
  }
}

async function dealWith(client: Client, invoice: Resource, { habit }: DemoCustomer): Promise<void> {
  const isFirst = invoice.sequenceNumber === 1;
  const act = (what: string, reason: string) =>
    client.once(`${what} ${invoice.id}`, `/v2/invoices/${invoice.id}/${what}`, { reason });
  switch (habit) {
    case 'transfers':
      return;
    case 'overdue':
      if (invoice.sequenceNumber >= 2) return;
      break;
    case 'written off':
      if (isFirst) await act('writeOff', 'The company has closed this branch');
      return;
    case 'cancelled':
      if (isFirst) return act('cancel', 'Agreed as a free trial month');
      break;
    default:
  }
  await pay(client, invoice);
  if (habit === 'refunded' && isFirst) await act('refunds', 'An outage of two days in the first month');
}

/** Pays as the customer does, by a session that is open now. */
async function pay(client: Client, invoice: Resource): Promise<void> {
  const session = await client.once(`session ${invoice.id}`, `/v2/invoices/${invoice.id}/paymentSessions`, {});
  await client.once(`payment ${invoice.id}`, `/v0/paymentSessions/${session.id}/complete`, { paymentMethod: 'pm_ok' });
}

async function summarize(client: Client): Promise<string> {
  const count = async (path: string): Promise<number> => (await client.get(`${path}limit=1`)).pagination.total;
  const [customers, plans, events, invoices] = await Promise.all(
    ['/v0/customers?', '/v0/plans?', '/v0/events?', '/v2/invoices?'].map(count),
  );
  return `${NAME}: ${customers} customers · ${plans} plans · ${events} usage events · ${invoices} invoices`;
}
