import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findMeters } from '../../src/catalog/index.ts';
import { Database, type Sql, sql } from '../../src/db/index.ts';
import { eventBalances } from '../../src/entitlements/index.ts';
import { eventRoutes, lockIngest, meteringErrors } from '../../src/metering/index.ts';
import { admissionOf } from '../../src/metering/intake/admission.ts';
import { createIntake, type EventIntake } from '../../src/metering/intake/intake.ts';
import { type CutWire, layWire } from '../support/cut-wire.ts';
import { type Edge, type EdgeAnswer, type EdgeCaller, openEdge } from '../support/edge.ts';
import { cloneDatabase, type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';

/** A database that stores events when the test says so, like one that is too slow. */
class SlowDatabase extends Database {
  #gate = Promise.withResolvers<void>();
  /** Releases the waiting and all later calls. */
  storeAll(): void {
    this.#gate.resolve();
  }
  holdAll(): void {
    this.#gate = Promise.withResolvers<void>();
  }
  override async call<Row>(name: string, query: Sql): Promise<Row[]> {
    await this.#gate.promise;
    return super.call(name, query);
  }
}

/** An intake that tells whose events have come to it, and whose it has stored, in that order. */
class WatchedIntake implements EventIntake {
  readonly come: string[] = [];
  readonly stored: string[] = [];
  readonly #intake: EventIntake;
  constructor(intake: EventIntake) {
    this.#intake = intake;
  }
  async accept(...[events, now]: Parameters<EventIntake['accept']>): ReturnType<EventIntake['accept']> {
    const owner = events[0]?.merchantId ?? '';
    this.come.push(owner);
    const records = await this.#intake.accept(events, now);
    this.stored.push(owner);
    return records;
  }
}

let edge: Edge;
let database: SlowDatabase;
let intake: WatchedIntake;
let dropDatabase: () => Promise<void>;
beforeAll(async () => {
  const { url, drop } = await cloneDatabase();
  dropDatabase = drop;
  database = new SlowDatabase({ url });
  intake = new WatchedIntake(createIntake(database, { flush: 100 }));
  const routes = eventRoutes(
    {
      metersOf: findMeters,
      findBilling: async () => ({ billing: [], reason: null, reasons: new Map() }),
      balances: eventBalances({ findSpentBudgets: async () => [] }),
    },
    () => intake,
  );
  edge = await openEdge(routes, { url, database, errorTables: [meteringErrors] });
  await edge.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await edge.close();
  await dropDatabase();
});
beforeEach(() => database.holdAll());
afterEach(async () => {
  database.storeAll();
  await whenAllIsFree();
});

const eventsOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    type: 'call',
    source: 'test',
    externalSubject: 'acme',
    idempotencyKey: `${prefix}-${n}`,
    timestamp: '2026-01-01T00:00:00Z',
    data: {},
  }));

const send = (caller: EdgeCaller, body: unknown) =>
  caller.call('POST', '/v0/events', typeof body === 'string' ? { payload: body } : { body });

/** The number of a merchant's events with keys of this beginning. */
const stored = async (merchantId: string, prefix = ''): Promise<number> => {
  const { count } = await database.transaction({ merchants: [merchantId] }, (tx) =>
    tx.one<{ count: number }>(
      sql`select count(*)::int as count from event where starts_with(idempotency_key, ${prefix})`,
    ),
  );
  return count;
};

const load = () => admissionOf(database).load;

async function whenAllIsFree(): Promise<void> {
  while (load().requests > 0) await sleep(5);
}

/** An event in a body so large that few have room: its padding need not be stored. */
const largeBody = (prefix: string) => JSON.stringify(eventsOf(prefix, 1)) + ' '.repeat(800_000);

interface Sent {
  readonly prefix: string;
  readonly answer: EdgeAnswer;
}

/** Large bodies, more than there is room for. @returns when the first is refused: none has been stored then */
async function flood(caller: EdgeCaller): Promise<{ refused: EdgeAnswer; all: Promise<Sent[]> }> {
  const sendOne = async (n: number): Promise<Sent> => {
    const prefix = `flood-${n}`;
    return { prefix, answer: await send(caller, largeBody(prefix)) };
  };
  const first = sendOne(0);
  const bytes = largeBody('flood-0').length;
  // read, so the size of such events is known
  while (load().held !== 8 + Math.ceil(bytes / 800)) await sleep(5);
  const sent = [first, ...Array.from({ length: 29 }, (_, n) => sendOne(n + 1))];
  return { refused: (await Promise.race(sent)).answer, all: Promise.all(sent) };
}

describe('when more events come than are stored', () => {
  it('what there is no room for is refused with the time to come again, and stored only when it does', async () => {
    const large = edge.caller();
    const { refused, all } = await flood(large);
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'too_many_requests', code: 'INGEST_QUEUE_FULL' },
      headers: { 'retry-after': '1' },
    });
    database.storeAll();
    const answers = await all;
    const counts = await Promise.all(
      answers.map(async ({ prefix, answer: { status } }) => ({
        status,
        stored: await stored(large.organizationId, `${prefix}-`),
      })),
    );
    const accepted = counts.filter(({ status }) => status === 202);
    expect(accepted.length).toBeGreaterThan(0);
    expect(accepted.every((each) => each.stored === 1)).toBe(true);
    expect(counts.filter(({ status }) => status === 429).every((each) => each.stored === 0)).toBe(true);
    expect(new Set(counts.map(({ status }) => status))).toEqual(new Set([202, 429]));

    await whenAllIsFree();
    const again = answers.find(({ answer }) => answer.status === 429)?.prefix as string;
    expect((await send(large, eventsOf(again, 100))).status).toBe(202);
    expect(await stored(large.organizationId, `${again}-`)).toBe(100);
  });

  it('another merchant is let in all the same', async () => {
    const [large, small] = [edge.caller(), edge.caller()];
    const { all } = await flood(large);
    const its = send(small, eventsOf('small', 1));
    expect((await send(large, largeBody('more'))).status).toBe(429);
    database.storeAll();
    expect((await its).status).toBe(202);
    await all;
    expect(await stored(small.organizationId)).toBe(1);
  });

  it('another merchant’s event does not wait until all that came before it is stored', async () => {
    const [large, small] = [edge.caller(), edge.caller()];
    const isOfThese = (merchantId: string) => [large, small].some((each) => each.organizationId === merchantId);
    const come = () => intake.come.filter(isOfThese).length;
    const sent = Array.from({ length: 100 }, (_, n) => send(large, eventsOf(`turn-${n}`, 10)));
    while (come() < sent.length) await sleep(5);
    const its = send(small, eventsOf('small', 1));
    while (come() <= sent.length) await sleep(5);
    database.storeAll();
    await Promise.all([...sent, its]);
    const order = intake.stored.filter(isOfThese);
    expect(order).toHaveLength(101);
    expect(order.indexOf(small.organizationId)).toBeLessThan(order.length / 2);
  });
});

/** A connection for raw writes of a test. */
function dial(): { socket: Socket; answers: () => string[] } {
  const { port } = edge.server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => socket.destroy());
  return { socket, answers: () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1] as string) };
}

const headOf = (caller: EdgeCaller, bytes: number) =>
  `POST /v0/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${caller.key}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`;

describe('a request for whose body there is no room', () => {
  it('is refused before the body comes, and its connection can be used again', async () => {
    const large = edge.caller();
    const { all } = await flood(large);
    const { socket, answers } = dial();
    const body = Buffer.from(largeBody('unread'));
    socket.write(headOf(large, body.length));
    while (answers().length < 1) await sleep(5);
    expect(answers()).toEqual(['429']);
    database.storeAll();
    await all;
    await whenAllIsFree();
    socket.write(body); // of the refused one: its further bytes are dropped
    const second = JSON.stringify(eventsOf('second', 1));
    socket.write(headOf(large, second.length) + second);
    while (answers().length < 2) await sleep(5);
    expect(answers()).toEqual(['429', '202']);
    socket.destroy();
    expect([await stored(large.organizationId, 'unread-'), await stored(large.organizationId, 'second-')]).toEqual([
      0, 1,
    ]);
  });

  it('is refused as too large where it is', async () => {
    const large = edge.caller();
    const { all } = await flood(large);
    const { socket, answers } = dial();
    socket.write(headOf(edge.caller(), 9 * 1024 * 1024));
    while (answers().length < 1) await sleep(5);
    expect(answers()).toEqual(['413']);
    socket.destroy();
    database.storeAll();
    await all;
  });
});

describe('the room of a caller who goes away', () => {
  it('is free again where the body has not come whole', async () => {
    const { socket } = dial();
    socket.write(`${headOf(edge.caller(), 1_000_000)}[`);
    while (load().requests < 1) await sleep(5);
    expect(load().held).toBeGreaterThan(1_000);
    socket.destroy();
    await whenAllIsFree();
    expect(load()).toEqual({ held: 0, requests: 0, oldest: null });
  });

  it('is not taken where there was none until then', async () => {
    const large = edge.caller();
    const { all } = await flood(large);
    const { socket } = dial();
    socket.write(headOf(large, 1_000_000));
    const next = dial(); // a later request of another merchant, so the first has been seen
    next.socket.write(`${headOf(edge.caller(), 2)}{}`);
    while (next.answers().length < 1) await sleep(5);
    next.socket.destroy();
    socket.destroy();
    database.storeAll();
    await all;
    await whenAllIsFree();
    await sleep(300); // the next look for room
    expect(load()).toEqual({ held: 0, requests: 0, oldest: null });
  });

  it('is free when its events have been stored, and not before', async () => {
    const caller = edge.caller();
    const { socket } = dial();
    const body = JSON.stringify(eventsOf('left', 100));
    socket.write(headOf(caller, body.length) + body);
    while (load().held !== 108) await sleep(5); // the body has been read
    const closed = new Promise((resolve) => edge.server.server.once('connection', resolve));
    socket.destroy();
    const { socket: next } = dial();
    await closed; // a later connection is there, so the end of the first one has been seen
    await sleep(20);
    expect(load().requests).toBe(1);
    next.destroy();
    database.storeAll();
    await whenAllIsFree();
    expect(await stored(caller.organizationId)).toBe(100);
  });

  it.each([
    { what: 'is no JSON', body: '{', status: '400' },
    { what: 'is not valid', body: '{"type":""}', status: '400' },
  ])('is free again where the body $what', async ({ body, status }) => {
    const { socket, answers } = dial();
    socket.write(headOf(edge.caller(), body.length) + body);
    while (answers().length < 1) await sleep(5);
    expect(answers()).toEqual([status]);
    await whenAllIsFree();
    socket.destroy();
  });
});

describe('while the database is away', () => {
  let env: TestEnvironment;
  let wire: CutWire;
  let merchant: Merchant;
  beforeAll(async () => {
    env = await openTestEnvironment({
      through: async (url) => {
        wire = await layWire(url);
        return wire.url;
      },
    });
    merchant = await env.merchant();
  });
  afterAll(async () => {
    await env.close();
    await wire.close();
  });

  const isReady = async () => (await env.client().get('/readyz')).status === 200;
  const sample = async (name: string) =>
    Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)`, 'm').exec((await env.client().get('/metrics')).text)?.[1]);

  it('events are refused with that error, no acknowledged one is lost, and work continues afterwards', async () => {
    const acknowledged: string[] = [];
    const unanswered: string[] = [];
    const refusals = new Set<string>();
    const sendOne = async (key: string) => {
      const { status, body, headers } = await merchant.post('/v0/events', eventsOf(key, 2));
      (status === 202 ? acknowledged : unanswered).push(key);
      if (status !== 202) refusals.add(`${status} ${body.code} ${headers['retry-after']}`);
    };
    const sending = Promise.all(
      Array.from({ length: 8 }, async (_, sender) => {
        for (let n = 0; n < 20; n += 1) await sendOne(`${sender}.${n}`);
      }),
    );
    while (acknowledged.length < 20) await sleep(2);
    await wire.cut();
    await sending;
    expect(unanswered.length).toBeGreaterThan(0);
    expect([...refusals]).toEqual(['503 DATABASE_UNAVAILABLE 1']);
    expect(await isReady()).toBe(false);
    expect(await sample('reckoner_database_away')).toBe(1);

    await wire.mend();
    while (!(await isReady())) await sleep(20);
    expect(await sample('reckoner_database_away')).toBe(0);
    for (const key of [...unanswered, ...acknowledged])
      expect((await merchant.post('/v0/events', eventsOf(key, 2))).status).toBe(202);
    const { events, keys } = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.one<{ events: number; keys: number }>(
        sql`select count(*)::int as events, count(distinct idempotency_key)::int as keys from event`,
      ),
    );
    expect({ events, keys }).toEqual({ events: 320, keys: 320 });
  });

  it('what waits is shown, and for how long', async () => {
    const { waiting } = await env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
      await lockIngest(tx, 'exclusive');
      const sent = merchant.post('/v0/events', eventsOf('waiting', 1));
      while ((await sample('reckoner_ingest_requests')) !== 1) await sleep(5);
      expect(await sample('reckoner_ingest_held_events')).toBeGreaterThan(0);
      expect(await sample('reckoner_ingest_oldest_seconds')).toBeGreaterThan(0);
      return { waiting: sent };
    });
    expect((await waiting).status).toBe(202);
    expect(await sample('reckoner_ingest_oldest_seconds')).toBe(0);
  });

  it('readiness answers even if the database takes a question and does not answer', async () => {
    wire.hold();
    const asked = merchant.get('/v0/me').then(() => 'asked');
    const told = env
      .client()
      .get('/metrics')
      .then(({ status }) => status);
    expect(await Promise.race([asked, told])).toBe(200);
    wire.release();
    await asked;
    while (!(await isReady())) await sleep(20);
  });
});
