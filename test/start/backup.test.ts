import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Resource, shopOf } from '../support/shop.ts';
import { preparedData } from './prepared.ts';
import { credentials, kill, project, READY, startReckoner, temporaryFolder, trial, variables } from './support.ts';

/**
 * A backup is made under ten writers and an invoice run; the database is put back to a second of it, and to its end
 * after a kill.
 */
const SUBSCRIPTIONS = 60;
const DAY_MILLISECONDS = 86_400_000;

async function run(words: readonly string[], settings: Record<string, string>) {
  const ran = trial(process.execPath, [join(project, 'bin', 'reckoner.js'), ...words], {
    cwd: project,
    env: variables(settings),
  });
  return { code: await ran.ended(), said: ran.output() };
}

interface Acknowledged {
  readonly key: string;
  readonly at: number;
}

it('is restored to any second, and to its end', { timeout: 300_000 }, async () => {
  const settings = {
    ...{ DATA_DIR: await preparedData(), BACKUP_DIR: join(temporaryFolder(), 'backups') },
    ...{ RECKONER_ENVIRONMENT: 'sandbox', RECKONER_DEMO: 'true' },
  };
  const call = async (path: string, body?: unknown) => {
    const { baseUrl, merchantKey } = credentials(settings.DATA_DIR).sandbox as { baseUrl: string; merchantKey: string };
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { authorization: `Bearer ${merchantKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const read = JSON.parse(text) as { pagination: { total: number }; data: never[] };
    return { status: response.status, body: read, text };
  };
  const shop = shopOf({ get: call, post: call } as never);
  /** Sells by the day, each with a day that is nearly over: an invoice is due in a moment. */
  const sell = async () => {
    const plan = await shop.plan([await shop.feePrice({ billingCadence: 'P1D' })], { billingCadence: 'P1D' });
    for (let sold = 0; sold < SUBSCRIPTIONS && !stops; sold += 1) {
      const startedAt = new Date(Date.now() - DAY_MILLISECONDS + 10_000).toISOString();
      await shop.subscribe(plan, { customer: await shop.customer(), startedAt });
    }
  };
  /** The numbers of issued invoices by their id. */
  const numbersNow = async () => {
    const numbers = new Map<string, string>();
    for (let offset = 0; ; offset += 100) {
      const { data } = await shop.read(`/v2/invoices?status=ISSUED&limit=100&offset=${offset}`);
      for (const { id, invoiceNumber } of data as Resource[]) numbers.set(id, invoiceNumber);
      if (data.length < 100) return numbers;
    }
  };
  const acknowledged: Acknowledged[] = [];
  let stops = false;
  const write = async (writer: number) => {
    for (let number = 0; !stops; number += 1) {
      const key = `${writer}-${number}`;
      const event = {
        type: 'backup.tried',
        source: 'drill',
        externalSubject: 'nordlys',
        idempotencyKey: key,
        data: {},
      };
      const { status } = await call('/v0/events', event).catch(() => ({ status: 0 }));
      if (status === 202) acknowledged.push({ key, at: Date.now() });
      else if (status === 0) return;
      await sleep(20);
    }
  };
  const keysNow = async () => {
    const keys: string[] = [];
    for (let offset = 0; ; offset += 100) {
      const { body } = await call(`/v0/events?type=backup.tried&limit=100&offset=${offset}`);
      keys.push(...(body.data as { idempotencyKey: string }[]).map(({ idempotencyKey }) => idempotencyKey));
      if (body.data.length < 100) return new Set(keys);
    }
  };

  const program = startReckoner(settings);
  await program.until(/Demo complete/);
  const writers = Array.from({ length: 10 }, (_, writer) => write(writer));
  const made = await run(['backup'], settings);
  expect(made.said).toMatch(/✔ backup/);
  const selling = sell().catch(() => undefined); // until the program is killed
  await expect.poll(async () => (await numbersNow()).size).toBeGreaterThan(10);
  const known = await numbersNow();
  await sleep(1_000);
  const to = Date.now();
  await sleep(1_500);
  kill(program.processId, 'SIGKILL');
  await Promise.all([...writers, selling]);
  stops = true;
  await program.ended();

  const back = await run(['restore', '--to', new Date(to).toISOString()], settings);
  expect(back.said).toMatch(/sandbox: another life of the database .*life 2/);
  expect(back.said).toMatch(/npm run restored -- --next-number org_\w+=\d+ {3}\(Halcyon Labs/);
  expect(back.code, back.said).toBe(0);
  const second = startReckoner(settings);
  await second.until(READY);
  const kept = await keysNow();
  for (const { key, at } of acknowledged)
    if (at < to - 500) expect(kept, key).toContain(key);
    else if (at > to + 500) expect(kept, key).not.toContain(key);
  expect([...(await numbersNow())]).toEqual(expect.arrayContaining([...known]));
  const busy = await run(['restored'], settings);
  expect(busy.code).toBe(1); // the program runs
  const later = ['later-1', 'later-2', 'later-3'];
  for (const idempotencyKey of later)
    await call('/v0/events', { type: 'backup.tried', source: 'drill', externalSubject: 'nordlys', idempotencyKey });
  stops = false;
  await sell();
  const open = async () => (await shop.read('/v2/invoices?status=CALCULATING&limit=1')).pagination.total;
  await expect.poll(open).toBe(0);
  const numbers = await numbersNow();
  expect(new Set(numbers.values()).size).toBe(numbers.size);
  kill(second.processId, 'SIGKILL');
  await second.ended();

  // The same copy, and the log of both lives: the end of it lies among the files of the program that was killed.
  const again = await run(['restore'], settings);
  expect(again.said).toMatch(/life 3/);
  expect(again.code, again.said).toBe(0);
  const third = startReckoner(settings);
  await third.until(READY);
  expect(await keysNow()).toEqual(new Set([...kept, ...later]));
  expect([...(await numbersNow())]).toEqual(expect.arrayContaining([...numbers]));
});

it('says what is missing', async () => {
  const data = await preparedData();
  const none = await run(['restore'], { DATA_DIR: data });
  expect(none).toMatchObject({ code: 1, said: expect.stringContaining('set BACKUP_DIR') });
  const empty = await run(['restore'], { DATA_DIR: data, BACKUP_DIR: temporaryFolder() });
  expect(empty).toMatchObject({ code: 1, said: expect.stringContaining('holds no backup') });
  const wrong = await run(['restore', '--to', 'yesterday'], { DATA_DIR: data });
  expect(wrong).toMatchObject({ code: 1, said: expect.stringContaining('"yesterday" is not a time') });
  const numbers = await run(['restored', '--next-number', 'org_1'], { DATA_DIR: data });
  expect(numbers).toMatchObject({ code: 1, said: expect.stringContaining('not a merchant and its next number') });
});
