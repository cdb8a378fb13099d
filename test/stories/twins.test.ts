import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf, freePort, type Member, startMember } from '../crash/processes.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** Fifty senders of one key at once, by HTTP and over two servers on one database (reliability I-03, I-04, I-07). */
const TWINS = 50;
const ROUNDS = 4;

let env: TestEnvironment;
let folder: string;
let addresses: string[];
const servers: Member[] = [];
beforeAll(async () => {
  env = await openTestEnvironment();
  folder = mkdtempSync(join(tmpdir(), 'reckoner-twins-'));
  const ports = [await freePort(), await freePort()];
  addresses = ports.map(addressOf);
  const keys = { platformKey: env.platform.key, masterKey: env.masterKey };
  const shared = { roles: 'ingest', databaseUrl: env.url, ...keys, folder };
  servers.push(...ports.map((port) => startMember({ ...shared, port })));
  await Promise.all(servers.map((server) => server.ready()));
}, 120_000);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await env?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Sent {
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

/** Sends all requests at once, to each server in turn; answers in the order of the requests. */
async function sendAll(merchant: Merchant, all: readonly Sent[]): Promise<{ status: number; body: Resource }[]> {
  const send = async ({ body, headers }: Sent, place: number) => {
    const answer = await fetch(`${addresses[place % addresses.length]}/v0/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${merchant.key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Resource };
  };
  return Promise.all(all.map(send));
}

const TIME = '2026-01-10T00:00:00Z';
const own = (idempotencyKey: string, units = 1, more: object = {}) => ({
  type: 'call',
  source: '/twins',
  externalSubject: `of-${idempotencyKey}`,
  idempotencyKey,
  timestamp: TIME,
  data: { units },
  ...more,
});

async function openShop(): Promise<{
  merchant: Merchant;
  shop: Shop;
  used: () => Promise<number>;
  count: () => Promise<number>;
}> {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const metric = await shop.metric();
  const path = `/v0/billableMetrics/${metric.id}/meter?from=2000-01-01T00:00:00Z&to=2199-01-01T00:00:00Z`;
  return {
    merchant,
    shop,
    used: async () => (await shop.read(path)).totalValue,
    count: async () => (await shop.read('/v0/events')).pagination.total,
  };
}

const times = <T>(count: number, make: (place: number) => T): T[] =>
  Array.from({ length: count }, (_, place) => make(place));

describe(`${TWINS} twins at once`, () => {
  it.each<{ form: string; sent: (key: string, place: number) => Sent; eventsEach?: number }>([
    { form: 'single events', sent: (key) => ({ body: own(key) }) },
    {
      form: 'single events whose key is in the header',
      sent: (key) => ({ body: own(key, 1, { idempotencyKey: undefined }), headers: { 'idempotency-key': key } }),
    },
    {
      form: 'events that leave the time to the server',
      sent: (key) => ({ body: own(key, 1, { timestamp: undefined }) }),
    },
    {
      form: 'arrays, every other one the other way round',
      sent: (key, place) => {
        const batch = times(10, (part) => own(`${key}-${part}`));
        return { body: place % 2 ? batch : batch.toReversed() };
      },
      eventsEach: 10,
    },
    {
      form: 'CloudEvents in two modes',
      sent: (id, place) => {
        const attributes = { specversion: '1.0', id, source: '/twins', type: 'call', externalsubject: 'x', time: TIME };
        const headers = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce-${name}`, value]));
        return place % 4 < 2
          ? { body: { units: 1 }, headers }
          : {
              body: { ...attributes, data: { units: 1 } },
              headers: { 'content-type': 'application/cloudevents+json' },
            };
      },
    },
  ])('of one content are one event, and all are told the same: $form', async ({ sent, eventsEach = 1 }) => {
    const { merchant, used, count } = await openShop();
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await sendAll(
        merchant,
        times(TWINS, (place) => sent(`key-${round}`, place)),
      );
      expect(answers.map(({ status }) => status)).toEqual(times(TWINS, () => 202));
      const told = answers.map(({ body }) => (body.object === 'list' ? body.data : [body]));
      const inOrder = told.map((events) => events.map((event: Resource) => JSON.stringify(event)).toSorted());
      expect(new Set(inOrder.map(String)).size).toBe(1);
      expect(await used()).toBe((round + 1) * eventsEach);
    }
    expect(await count()).toBe(ROUNDS * eventsEach);
  });

  it.each([
    { contents: 2, what: 'two contents' },
    { contents: TWINS, what: 'as many contents' },
  ])('of $what: one content wins, and all others are told so', async ({ contents }) => {
    const { merchant, shop, used, count } = await openShop();
    let total = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = `key-${round}`;
      const unitsOf = (place: number) => 1 + (contents === TWINS ? place : Math.floor(place / 2) % contents);
      const answers = await sendAll(
        merchant,
        times(TWINS, (place) => ({ body: own(key, unitsOf(place)) })),
      );
      const winners = answers.flatMap(({ status }, place) => (status === 202 ? [place] : []));
      const won = unitsOf(winners[0] as number);
      expect(winners).toEqual(times(TWINS, (place) => place).filter((place) => unitsOf(place) === won));
      const [first] = winners.map((place) => answers[place]?.body);
      expect(winners.map((place) => answers[place]?.body)).toEqual(winners.map(() => first));
      for (const { status, body } of answers.filter(({ status }) => status !== 202))
        expect([status, body.code, body.details.conflicts]).toEqual([
          409,
          'IDEMPOTENCY_KEY_REUSED',
          [{ index: 0, idempotencyKey: key }],
        ]);
      expect((await shop.read(`/v0/events/${first.id}`)).data).toEqual({ units: won });
      total += won;
      expect([await used(), await count()]).toEqual([total, round + 1]);
    }
  });

  it('of arrays that contradict each other in one event: each is there whole or not at all', async () => {
    const { merchant, used, count } = await openShop();
    const arrays = times(TWINS, (place) => [
      own(`own-${place}-a`),
      own('shared', 1 + (Math.floor(place / 2) % 5)),
      own(`own-${place}-b`),
    ]);
    const answers = await sendAll(
      merchant,
      arrays.map((body) => ({ body })),
    );
    const accepted = answers.flatMap(({ status }, place) => (status === 202 ? [place] : []));
    expect(
      answers.filter(({ status }) => status !== 202).map(({ status, body }) => [status, body.details.conflicts]),
    ).toEqual(times(TWINS - accepted.length, () => [409, [{ index: 1, idempotencyKey: 'shared' }]]));
    const shared = new Set(accepted.map((place) => arrays[place]?.[1]?.data.units));
    expect([accepted.length, shared.size]).toEqual([TWINS / 5, 1]);
    expect(new Set(accepted.map((place) => answers[place]?.body.data[1].id)).size).toBe(1);
    expect(await count()).toBe(2 * accepted.length + 1);
    expect(await used()).toBe(2 * accepted.length + ([...shared][0] as number));
  });

  it('in two namespaces are an event in each, and neither sees the other', async () => {
    const shops = [await openShop(), await openShop()];
    const answers = await Promise.all(
      shops.map(({ merchant }, place) =>
        sendAll(
          merchant,
          times(TWINS, () => ({ body: own('key', 1 + place) })),
        ),
      ),
    );
    for (const [place, { merchant, used, count }] of shops.entries()) {
      const told = answers[place]?.map(({ status, body }) => `${status} ${body.namespace} ${body.id}`);
      expect(new Set(told)).toEqual(new Set([`202 ${merchant.id} ${answers[place]?.[0]?.body.id}`]));
      expect([await used(), await count()]).toEqual([1 + place, 1]);
    }
    expect(answers[0]?.[0]?.body.id).not.toBe(answers[1]?.[0]?.body.id);
  });
});
