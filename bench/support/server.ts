import { createServer } from 'node:net';
import Fastify from 'fastify';
import pino from 'pino';
import { openEnvironment } from '../../src/app.ts';
import { type Database, sql } from '../../src/db/index.ts';
import { createServer as createHttpServer, routesOf, Type } from '../../src/http/index.ts';
import { Authenticator, generateApiKey } from '../../src/identity/index.ts';
import { hashApiKey, keyDisplay } from '../../src/identity/keys.ts';
import { newId } from '../../src/kernel/ids.ts';
import { ok } from '../../src/kernel/result.ts';
import { generateMasterKey } from '../../src/kernel/sealing.ts';
import { registerMeter } from '../../src/metering/index.ts';
import { keepHeapSmall } from '../../src/start/heap.ts';
import { watchTurns } from './holds.ts';

const api = routesOf('Limit');

/**
 * A server under load, as a process of its own: `bare` is a Fastify POST with a schema that stores nothing, anything
 * else is the URL of the database of a whole environment, with two merchants and a metric each. Says its port, the key
 * and id of the one and the key of the other. With `any slots` nothing bounds how many requests of a merchant are in
 * work; with `with worker` it runs due work and chores; with `api`, `ingest` or `worker` it has that role alone. Told
 * anything, it says the most processor time that one turn of its event loop took since it was told last, in
 * milliseconds.
 */
const [what = 'bare', how] = process.argv.slice(2);
const role = (['api', 'ingest', 'worker'] as const).find((name) => name === how);
const MANY = 1e9;
const port = await freePort();
keepHeapSmall(); // as the program does
process.once('message', () => {
  const longestTurn = watchTurns();
  process.on('message', () => process.send?.(longestTurn()));
  process.send?.(0);
});

if (what === 'bare') {
  const text = { type: 'string', minLength: 1, maxLength: 255 };
  const properties = {
    type: text,
    source: text,
    externalSubject: text,
    idempotencyKey: text,
    timestamp: text,
    data: { type: 'object' },
  };
  const app = Fastify();
  app.post(
    '/v0/events',
    {
      schema: {
        body: { type: 'object', required: ['type', 'source'], properties, additionalProperties: false },
        response: { 202: { type: 'object', properties: { id: text, ...properties } } },
      },
    },
    async (request, reply) => reply.code(202).send({ id: 'evt_1', ...(request.body as object) }),
  );
  await app.listen({ host: '127.0.0.1', port });
  process.send?.({ port, key: 'none', merchantId: '', otherKey: 'none' });
} else {
  const environment = await openEnvironment({
    environment: 'sandbox',
    databaseUrl: what,
    publicUrl: `http://127.0.0.1:${port}`,
    platformKey: generateApiKey('sandbox'),
    masterKey: { key: process.env.BENCH_MASTER_KEY ?? generateMasterKey() },
    logger: pino({ level: 'silent' }),
    ...(role && { roles: [role] }),
    ...(how === 'any slots' && {
      slotLimits: { ofMerchant: MANY, ofAll: MANY, waiting: MANY, waitMilliseconds: MANY },
    }),
  });
  if (how === 'with worker' || role === 'worker') environment.startWorker();
  const { key, merchantId } = await makeMerchant();
  const { key: otherKey } = await makeMerchant();
  await environment.server.listen({ host: '127.0.0.1', port });
  const limitPort = await freePort();
  await serveLimit(environment.database, limitPort);
  process.send?.({ port, limitPort, key, merchantId, otherKey });

  /** The least that a read costs: the same edge and the same keys before `select 1`. */
  async function serveLimit(database: Database, at: number) {
    const authenticator = new Authenticator({ database, now: () => Temporal.Now.instant() });
    const one = api.get('/v0/one', 'getOne', {
      summary: 'Select 1',
      access: { role: 'viewer', merchant: 'caller' },
      replies: { 200: Type.Object({ one: Type.Number() }) },
      free: async () => ok((await database.call<{ one: number }>('one', sql`select 1 as one`))[0]),
    });
    const limit = await createHttpServer({
      database,
      routes: [one],
      errorTables: [],
      authenticate: (token, address) => authenticator.authenticate(token, address),
      audit: async () => undefined,
      now: () => Temporal.Now.instant(),
      logger: pino({ level: 'silent' }),
      baseUrl: `http://127.0.0.1:${at}`,
      environment: 'sandbox',
    });
    await limit.listen({ host: '127.0.0.1', port: at });
  }

  async function makeMerchant() {
    const [id, user, made] = [newId('organization'), newId('user'), generateApiKey('sandbox')];
    const { prefix, last4 } = keyDisplay(made);
    await environment.database.transaction({ merchants: [id] }, async (tx) => {
      await tx.run(sql`insert into organization (merchant_id, id, type, name, default_currency, created_at, updated_at)
        values (${id}, ${id}, 'merchant', 'Load', 'USD', now(), now())`);
      await tx.run(sql`insert into app_user (merchant_id, id, organization_id, email, role, created_at, updated_at)
        values (${id}, ${user}, ${id}, 'load@example.com', 'admin', now(), now())`);
      await tx.run(sql`insert into api_key (merchant_id, id, user_id, name, hash, prefix, last4, created_at)
        values (${id}, ${newId('apiKey')}, ${user}, 'load', ${hashApiKey(made)}, ${prefix}, ${last4}, now())`);
      await registerMeter(tx, {
        eventType: 'call',
        aggregation: 'SUM',
        valueProperty: '$.tokens',
        groupBy: null,
      });
    });
    return { key: made, merchantId: id };
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port: found } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return found;
}
