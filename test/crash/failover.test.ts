import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditDatabase, type Environment, openEnvironment } from '../../src/app.ts';
import { generateApiKey } from '../../src/identity/index.ts';
import { generateMasterKey } from '../../src/kernel/sealing.ts';
import { openReplicatedPair, type ReplicatedPair } from '../support/replicated-pair.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';
import { type Asked, openCaller } from './caller.ts';

/**
 * The primary is killed under ten writers of events and an invoice run, and its standby is promoted. Both are hosts of
 * one connection string. Every acknowledged event is stored once, each subscription has its invoice once, and no
 * answer is another than a success or a 503.
 */
const WRITERS = 10;
const SUBSCRIPTIONS = 40;
const LOAD_MILLISECONDS = 3_000;
const AWAY_MILLISECONDS = 2_000;
/** Far above what is usual, which the test prints: other tests run beside it. */
const LONGEST_SILENCE_SECONDS = 30;

let pair: ReplicatedPair;
let environment: Environment;
let shop: Shop;
let asked: Asked;
beforeAll(async () => {
  pair = await openReplicatedPair('failover');
  const platformKey = generateApiKey('sandbox');
  environment = await openEnvironment({
    environment: 'sandbox',
    databaseUrl: pair.url,
    publicUrl: 'https://pay.example',
    platformKey,
    masterKey: { key: generateMasterKey() },
    logger: pino({ level: 'silent' }),
  });
  environment.startWorker();
  asked = { answers: new Map(), times: [] };
  const operator = shopOf(openCaller(environment.server, platformKey, asked));
  const merchant = await operator.create('/v0/organizations', {
    name: 'Merchant',
    type: 'merchant',
    defaultCurrency: 'USD',
  });
  const user = await operator.create('/v0/users', { organizationId: merchant.id, email: 'a@b.example', role: 'admin' });
  const { secret } = await operator.create(`/v0/users/${user.id}/apikeys`, { name: 'failover' });
  shop = shopOf(openCaller(environment.server, secret, asked));
}, 90_000);
afterAll(async () => {
  await environment?.close();
  await pair?.close();
}, 60_000);

/** Advances the clock; where the answer was a 503 before the clock began to move, again. */
async function advance(clock: Resource, to: string): Promise<void> {
  for (;;) {
    try {
      await shop.advance(clock, to);
      return;
    } catch (error) {
      if (!String(error).includes('DATABASE_UNAVAILABLE')) throw error;
    }
  }
}

it('loses nothing and does nothing twice, and answers again after the promotion', { timeout: 90_000 }, async () => {
  const plan = await shop.plan([await shop.feePrice(), await shop.usagePrice()], { defaultTaxRate: 20 });
  const clock = await shop.clock('2026-01-01T00:00:00Z');
  const subscriptions: Resource[] = [];
  for (let each = 0; each < SUBSCRIPTIONS; each += 1) subscriptions.push(await shop.subscribe(plan, { clock }));

  let isOver = false;
  const acknowledged: string[] = [];
  const write = async (writer: number) => {
    for (let each = 0; !isOver; each += 1) {
      const idempotencyKey = `${writer}-${each}`;
      const { id } = subscriptions[each % SUBSCRIPTIONS] as Resource;
      await shop.use(id, '2026-02-10T00:00:00Z', 1, { idempotencyKey });
      acknowledged.push(idempotencyKey);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  await sleep(LOAD_MILLISECONDS);
  const run = advance(clock, '2026-02-01T12:00:00Z');
  await sleep(150);
  await pair.killPrimary();
  const killed = performance.now();
  await sleep(AWAY_MILLISECONDS);
  const promoted = performance.now();
  await pair.promote();
  await run;
  await sleep(LOAD_MILLISECONDS);
  isOver = true;
  await Promise.all(writers);

  const again = asked.times.find((time) => time > promoted) ?? Number.POSITIVE_INFINITY;
  const silence = (again - promoted) / 1_000;
  console.log(
    `${acknowledged.length} events acknowledged; the primary was away for ${((promoted - killed) / 1_000).toFixed(1)} s; ` +
      `the first success came ${silence.toFixed(2)} s after the order to promote`,
  );
  expect(silence).toBeLessThan(LONGEST_SILENCE_SECONDS);
  expect([...asked.answers.keys()].toSorted()).toEqual([200, 201, 202, 503]);

  const [stored] = await pair.query<{ events: string; keys: string }>(
    'select (select count(*) from event) as events, (select count(*) from event_key) as keys',
  );
  expect(stored).toEqual({ events: String(acknowledged.length), keys: String(acknowledged.length) });
  const invoices = await pair.query<{ count: string }>(
    `select count(*) from invoice where status = 'ISSUED' group by subscription_id`,
  );
  expect(invoices).toEqual(Array.from({ length: SUBSCRIPTIONS }, () => ({ count: '1' })));
  expect((await auditDatabase(pair.url)).violations).toEqual([]);
});
