import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { type Database, Presence } from '../../src/db/index.ts';
import { lostClaimChore } from '../../src/jobs/index.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { publishAll } from '../../src/webhooks/index.ts';
import { claiming } from '../support/claiming-worker.ts';
import { loginUrl, openTestEnvironment } from '../support/environment.ts';
import { withKeptCode } from '../support/kept-code.ts';
import { openReceiver } from '../support/receiver.ts';
import { openToyWorld, type ToyWorld } from '../support/toy-work.ts';

/**
 * Time stands still in these tests, so no claim ever ends by itself: what is taken up, is taken up because its process
 * is gone (decision 0195).
 */
const program = fileURLToPath(new URL('../support/claiming-worker.ts', import.meta.url));
const NOW = '2026-03-01T00:00:00Z';
const LONGEST = { timeout: 30_000, interval: 50 };

const startWorker = (url: string, work: 'toys' | 'webhooks'): ChildProcess => {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const worker = spawn(process.execPath, [program, url, NOW, work], { stdio: [...stdio], env: withKeptCode() });
  onTestFinished(() => void worker.kill('SIGKILL'));
  return worker;
};

async function kill(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  await ended;
}

/** The looks of another process, one after the other. */
function looks(database: Database, now: Instant, own: () => number | null = () => null) {
  const chore = lostClaimChore(own);
  return () => chore.run(database, now);
}

async function openWorld(): Promise<ToyWorld> {
  const world = await openToyWorld(NOW);
  onTestFinished(() => world.close());
  await world.add('toy', 'a', NOW);
  return world;
}

it('a killed process leaves its background jobs to another one', async () => {
  const world = await openWorld();
  const worker = startWorker(loginUrl(world.url), 'toys');
  await once(worker.stdout as NonNullable<typeof worker.stdout>, 'data');
  const look = looks(world.database, world.now());
  const another = world.runner([claiming(async () => undefined)]);
  for (let times = 0; times < 3; times += 1) await look();
  await another.runOnce();
  expect(await world.diary()).toEqual(['a']); // the process lives

  await kill(worker);
  const diary = async () => {
    await look();
    await another.runOnce();
    return world.diary();
  };
  await expect.poll(diary, LONGEST).toEqual(['a', 'a']);
});

it('a killed process leaves its webhooks to another one', async () => {
  const env = await openTestEnvironment();
  onTestFinished(() => env.close());
  env.setNow(NOW);
  const merchant = await env.merchant();
  let isHanging = true;
  const receiver = await openReceiver((response) => isHanging || response.writeHead(204).end());
  onTestFinished(() => receiver.close());
  await merchant.post('/v0/webhookEndpoints', { url: receiver.url, eventTypes: ['customer.created.v0'] });
  const event = { merchantId: merchant.id, type: 'customer.created.v0', data: { customerId: 'cus_1' } } as const;
  await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    publishAll(tx, [event], Temporal.Instant.from(NOW)),
  );
  const worker = startWorker(loginUrl(env.url), 'webhooks');
  await expect.poll(() => receiver.received.length, LONGEST).toBe(1);
  await kill(worker);
  isHanging = false;
  const look = looks(env.database, Temporal.Instant.from(NOW));
  const delivered = async () => {
    await look();
    return env.deliverWebhooks();
  };
  await expect.poll(delivered, LONGEST).toBe(1);
  const [first, second] = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect([receiver.received.length, first]).toEqual([2, second]);
});

it('a process has its claims until two checks in a row miss its lock, and never takes them from itself', async () => {
  const world = await openWorld();
  const presence = new Presence(loginUrl(world.url), () => undefined);
  await presence.start();
  const number = presence.number;
  expect(number).not.toBeNull();
  await world.runner([claiming(async () => undefined)], { worker: () => number }).runOnce();
  const runner = world.runner([claiming(async () => undefined)]);
  const look = looks(world.database, world.now());
  const own = looks(world.database, world.now(), () => presence.ownNumber);
  const looked = async (each: () => Promise<void>) => {
    await each();
    await runner.runOnce();
    return (await world.diary()).length;
  };
  await presence.close();
  expect(presence.number).toBeNull();
  expect(await looked(own)).toBe(1);
  expect(await looked(own)).toBe(1);
  expect(await looked(look)).toBe(1);
  expect(await looked(look)).toBe(2);
});
