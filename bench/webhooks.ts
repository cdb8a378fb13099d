import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Database, sql, type Tx } from '../src/db/index.ts';
import { publishAll } from '../src/webhooks/index.ts';
import { median, numbersOf } from './support/arguments.ts';
import { processorSeconds, type Stack, type Target, withStack } from './support/stack.ts';

/**
 * How fast webhooks leave, how long the first attempt takes to come, and what one hanging receiver costs the others.
 */

const { rate, seconds, rounds, endpoints, events } = numbersOf({
  rate: 200,
  seconds: 10,
  rounds: 5,
  endpoints: 20,
  events: 1_000,
});

const TYPE = 'customer.created.v0';
/** Transactions a second. */
const TICKS = 50;
const EVENTS_AT_ONCE = 100;
const POLL_MILLISECONDS = 50;
const FIRST_ATTEMPT_LIMIT = 1_000;
const HANGING_LIMIT = 1.2;
const RATE_LIMIT = 1_000;

/** When a delivery came in first, by event and endpoint. */
const arrivals = new Map<string, number>();
const hanging = new Set<ServerResponse>();
let customers = 0;

const receiver = createServer((request, response) => {
  const { 'webhook-id': eventId, 'webhook-endpoint-id': endpointId } = request.headers;
  const key = `${eventId} ${endpointId}`;
  if (!arrivals.has(key)) arrivals.set(key, performance.now());
  request.resume();
  if (request.url !== '/hangs') return void request.on('end', () => response.writeHead(204).end());
  hanging.add(response);
  response.on('close', () => hanging.delete(response));
});
await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

await withStack(async (stack) => {
  for (const measure of [measureRate, measureDelays]) {
    const url = await stack.database();
    const database = new Database({ url });
    await stack.serving(url, (target) => measure(stack, target, database), 'with worker');
    await database.close();
  }
});
receiver.closeAllConnections();
receiver.close();

/**
 * Many events for many endpoints at once: how many deliveries a second, from the first event on to the last arrival.
 */
async function measureRate(stack: Stack, target: Target, database: Database): Promise<void> {
  const endpointIds = await Promise.all(Array.from({ length: endpoints }, () => newEndpoint(target, target.key, '/')));
  const spent = () => processorSeconds(target.processId) + processorSeconds(stack.postgresId);
  await publish(database, target.merchantId, EVENTS_AT_ONCE); // warm
  await allDelivered(database, target.merchantId);
  const [began, before] = [performance.now(), spent()];
  const told: string[] = [];
  for (let published = 0; published < events; published += EVENTS_AT_ONCE)
    told.push(...(await publish(database, target.merchantId, EVENTS_AT_ONCE)));
  await allDelivered(database, target.merchantId);
  const cost = ((spent() - before) / (told.length * endpoints)) * 1e6;
  const last = Math.max(
    ...told.flatMap((eventId) => endpointIds.map((id) => arrivals.get(`${eventId} ${id}`) ?? Number.NaN)),
  );
  const found = (told.length * endpoints) / ((last - began) / 1_000);
  console.log(`  ${told.length} events for ${endpoints} endpoints   ${cost.toFixed(0)} µs of processor a delivery`);
  verdict('deliveries a second', found.toFixed(0), `≥ ${RATE_LIMIT}`, found >= RATE_LIMIT);
}

/** Events by the clock, of two merchants: with a receiver that never answers beside the others, and without. */
async function measureDelays(_stack: Stack, target: Target, database: Database): Promise<void> {
  const { key, otherKey, merchantId } = target;
  const { organization: other } = await ask(target, otherKey, 'GET', '/v0/me');
  const own = [await newEndpoint(target, key, '/'), await newEndpoint(target, key, '/')];
  const watched = new Map([
    [merchantId, own],
    [other.id, [await newEndpoint(target, otherKey, '/')]],
  ]);
  const hangs = await newEndpoint(target, key, '/hangs');
  const say = (status: string) => ask(target, key, 'PATCH', `/v0/webhookEndpoints/${hangs}`, { status });
  await say('disabled');
  await drive(database, watched); // warm
  const found: { without: number; beside: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const without = await drive(database, watched);
    await say('enabled');
    const beside = await drive(database, watched);
    const held = hanging.size;
    await say('disabled');
    for (const response of hanging) response.destroy();
    await allDelivered(database, merchantId);
    found.push({ without, beside });
    console.log(`  p99 ${without.toFixed(0)} ms   beside ${held} hanging attempts ${beside.toFixed(0)} ms`);
  }
  const first = median(found.map(({ without }) => without));
  const ratio = median(found.map(({ without, beside }) => beside / without));
  verdict(
    `p99 until the first attempt, ${rate} events/s, ms`,
    first.toFixed(0),
    `≤ ${FIRST_ATTEMPT_LIMIT}`,
    first <= FIRST_ATTEMPT_LIMIT,
  );
  verdict(
    'the same beside a hanging receiver ÷ without',
    ratio.toFixed(2),
    `≤ ${HANGING_LIMIT}`,
    ratio <= HANGING_LIMIT,
  );
}

function verdict(label: string, found: string, wanted: string, isWithin: boolean): void {
  console.log(`  ${label.padEnd(46)} ${found.padStart(7)}   wanted ${wanted.padEnd(7)} ${isWithin ? 'yes' : 'NO'}`);
}

// biome-ignore lint/suspicious/noExplicitAny: resources of several kinds
async function ask({ port }: Target, key: string, method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function newEndpoint(target: Target, key: string, path: string): Promise<string> {
  const { id } = await ask(target, key, 'POST', '/v0/webhookEndpoints', {
    url: `${receiverUrl}${path}`,
    eventTypes: [TYPE],
  });
  return id;
}

function inMerchant<T>(database: Database, merchantId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.transaction({ merchants: [merchantId] }, work);
}

/** Tells events in one transaction, as another process would: nobody wakes the sender. @returns their ids */
function publish(database: Database, merchantId: string, count: number): Promise<string[]> {
  return inMerchant(database, merchantId, (tx) =>
    publishAll(
      tx,
      Array.from({ length: count }, () => {
        customers += 1;
        return { merchantId, type: TYPE, data: { customerId: `cus_${customers}` } };
      }),
      Temporal.Now.instant(),
    ),
  );
}

/** Waits until nothing is on its way any more. */
async function allDelivered(database: Database, merchantId: string): Promise<void> {
  const pending = () =>
    inMerchant(database, merchantId, (tx) =>
      tx.one<{ count: number }>(sql`
        select count(*)::int as count from webhook_delivery where merchant_id = ${merchantId} and status = 'pending'`),
    );
  while ((await pending()).count > 0) await sleep(POLL_MILLISECONDS);
}

/**
 * Events by the clock, of each merchant in turn. @returns the 99th percentile of the time from before the transaction
 * of an event until an endpoint has it, in milliseconds
 */
async function drive(database: Database, watched: ReadonlyMap<string, readonly string[]>): Promise<number> {
  const merchants = [...watched.keys()];
  const told: { eventId: string; endpointId: string; at: number }[] = [];
  const publishing: Promise<void>[] = [];
  const began = performance.now();
  for (let tick = 0; tick < seconds * TICKS; tick += 1) {
    const merchantId = merchants[tick % merchants.length] as string;
    const at = performance.now();
    publishing.push(
      publish(database, merchantId, rate / TICKS).then((ids) => {
        for (const eventId of ids)
          for (const endpointId of watched.get(merchantId) ?? []) told.push({ eventId, endpointId, at });
      }),
    );
    const wait = began + ((tick + 1) * 1_000) / TICKS - performance.now();
    if (wait > 0) await sleep(wait);
  }
  await Promise.all(publishing);
  while (told.some(({ eventId, endpointId }) => !arrivals.has(`${eventId} ${endpointId}`)))
    await sleep(POLL_MILLISECONDS);
  const delays = told
    .map(({ eventId, endpointId, at }) => (arrivals.get(`${eventId} ${endpointId}`) as number) - at)
    .toSorted((a, b) => a - b);
  return delays[Math.floor(delays.length * 0.99)] as number;
}
