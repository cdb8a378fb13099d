import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { preparedData } from './prepared.ts';
import { credentials, kill, project, READY, startReckoner, temporaryFolder, trial, variables } from './support.ts';

/** A backup is made under load; the database is put back to a second of it, and to its end after a kill. */
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
    return {
      status: response.status,
      body: (await response.json()) as { pagination: { total: number }; data: never[] },
    };
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
  await sleep(1_500);
  const to = Date.now();
  await sleep(1_500);
  kill(program.processId, 'SIGKILL');
  await Promise.all(writers);
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
  const busy = await run(['restored'], settings);
  expect(busy.code).toBe(1); // the program runs
  const later = ['later-1', 'later-2', 'later-3'];
  for (const idempotencyKey of later)
    await call('/v0/events', { type: 'backup.tried', source: 'drill', externalSubject: 'nordlys', idempotencyKey });
  kill(second.processId, 'SIGKILL');
  await second.ended();

  // The same copy, and the log of both lives: the end of it lies among the files of the program that was killed.
  const again = await run(['restore'], settings);
  expect(again.said).toMatch(/life 3/);
  expect(again.code, again.said).toBe(0);
  const third = startReckoner(settings);
  await third.until(READY);
  expect(await keysNow()).toEqual(new Set([...kept, ...later]));
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
