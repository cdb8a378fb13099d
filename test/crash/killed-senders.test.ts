import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql, type Tx } from '../../src/db/index.ts';
import { seededNumbers } from '../../src/demo/usage.ts';
import { publishAll } from '../../src/webhooks/index.ts';
import { loginUrl, type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { withKeptCode } from '../support/kept-code.ts';
import { openReceiver, type Received, type Receiver } from '../support/receiver.ts';

/**
 * Processes that deliver webhooks and are killed with SIGKILL in the middle, two at a time: every event ends delivered
 * or exhausted at every endpoint, none is lost, and all attempts at an event have one id (reliability I-55, I-56,
 * I-57).
 */
const program = fileURLToPath(new URL('../support/delivering-worker.ts', import.meta.url));
const START = Temporal.Instant.from('2026-03-01T00:00:00Z');
const ROUNDS = 6;
const EVENTS_A_ROUND = 20;
const KINDS = ['good', 'flaky', 'bad'] as const;
const TYPE = 'customer.created.v0';
/** More than a lease, and more than the first two waits. */
const BETWEEN_ROUNDS = { minutes: 10 };
const LONGEST_ALONE = 1_000;
/**
 * The remaining schedule, each wait at its longest; in all less than the five days after which an endpoint is disabled.
 */
const WAITS_MINUTES = [0, 12, 12, 45, 180, 420, 780, 1_020, 1_500, 1_740];

let env: TestEnvironment;
let merchant: Merchant;
let receiver: Receiver;
const endpoints: Record<string, string> = {};
let arrived: (response: ServerResponse) => void = () => undefined;
const draw = seededNumbers(7);
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  receiver = await openReceiver((response, { headers }) => {
    const id = headers['webhook-endpoint-id'];
    response.writeHead(id === endpoints.good || (id === endpoints.flaky && draw() < 0.5) ? 204 : 500);
    arrived(response);
  });
});
afterAll(async () => {
  await receiver.close();
  await env.close();
});

const inMerchant = <T>(work: (tx: Tx) => Promise<T>) => env.database.transaction({ merchants: [merchant.id] }, work);

const publish = (round: number) =>
  inMerchant((tx) =>
    publishAll(
      tx,
      Array.from({ length: EVENTS_A_ROUND }, (_, n) => ({
        merchantId: merchant.id,
        type: TYPE,
        data: { customerId: `cus_${round}x${n}` },
      })),
      START,
    ),
  );

/**
 * Two processes work until each is killed in the middle: the first as a receiver has a request and has not answered it,
 * the second right after an answer has left. @returns the signals that ended them
 */
async function killTwo(now: Temporal.Instant): Promise<unknown[]> {
  const words = [program, loginUrl(env.url), now.toString()];
  const workers = [1, 2].map(() => spawn(process.execPath, words, { env: withKeptCode() }));
  const [first, second] = workers as [ChildProcess, ChildProcess];
  const ended = Promise.all(workers.map((worker) => once(worker, 'exit')));
  const places = [1 + Math.floor(draw() * 15), 20 + Math.floor(draw() * 15)];
  let seen = 0;
  arrived = (response) => {
    seen += 1;
    if (seen === places[0]) {
      first.kill('SIGKILL');
      setTimeout(() => second.kill('SIGKILL'), LONGEST_ALONE); // the first one may have had all places of the endpoints
    }
    response.end();
    if (seen === places[1]) second.kill('SIGKILL');
  };
  const signals = (await ended).map(([, signal]) => signal);
  arrived = (response) => response.end();
  return signals;
}

interface Delivery {
  eventId: string;
  endpointId: string;
  status: string;
  attempts: number;
  numbers: number[];
  lost: number;
}

it('nothing is lost where processes are killed while they deliver', { timeout: 120_000 }, async () => {
  for (const kind of KINDS) {
    const body = { url: `${new URL(receiver.url).origin}/${kind}`, eventTypes: [TYPE] };
    endpoints[kind] = (await merchant.post('/v0/webhookEndpoints', body)).body.id;
  }
  const events: string[] = [];
  let now = START;
  for (let round = 0; round < ROUNDS; round += 1) {
    events.push(...(await publish(round)));
    expect(await killTwo(now)).toEqual(['SIGKILL', 'SIGKILL']);
    now = now.add(BETWEEN_ROUNDS);
  }
  for (const minutes of WAITS_MINUTES) {
    now = now.add({ minutes });
    env.setNow(now.toString());
    await env.deliverWebhooks();
  }
  const rows = await inMerchant((tx) =>
    tx.rows<Delivery>(sql`
      select d.event_id, d.endpoint_id, d.status, d.attempts, array_agg(a.number order by a.number) as numbers,
             count(*) filter (where a.error like 'The outcome of this%')::int as lost
        from webhook_delivery d
        join webhook_attempt a using (merchant_id, event_id, endpoint_id)
       group by d.merchant_id, d.event_id, d.endpoint_id`),
  );
  const received = Map.groupBy(receiver.received, ({ headers }) => String(headers['webhook-id']));
  expect(new Set(received.keys())).toEqual(new Set(events));
  for (const ofOne of received.values()) expect(new Set(ofOne.map(({ body }) => body)).size).toBe(1);
  expect(rows.length).toBe(events.length * KINDS.length);
  const arrivedAt = (event: string, endpoint = ''): Received[] =>
    (received.get(event) ?? []).filter(({ headers }) => headers['webhook-endpoint-id'] === endpoint);
  for (const { eventId, endpointId, status, attempts, numbers } of rows) {
    expect(numbers).toEqual(Array.from({ length: attempts }, (_, index) => index + 1));
    if (endpointId === endpoints.good) expect(status).toBe('delivered');
    if (endpointId === endpoints.bad) expect([status, attempts]).toEqual(['exhausted', 10]);
    expect(['delivered', 'exhausted']).toContain(status);
    if (status === 'delivered') expect(arrivedAt(eventId, endpointId).length).toBeGreaterThan(0);
  }
  expect(rows.reduce((sum, { lost }) => sum + lost, 0)).toBeGreaterThan(0); // some were killed on their way
});
