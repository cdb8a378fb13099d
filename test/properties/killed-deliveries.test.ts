import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { createSender, publishAll, type WebhookTransport } from '../../src/webhooks/index.ts';
import { loginUrl, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { immortal, Life, MortalDatabase, type Place } from '../support/mortal-database.ts';
import { openTables, type Tables } from '../support/tables.ts';

/**
 * Workers are killed during deliveries: every event is delivered or exhausted at every endpoint, and none is lost
 * (reliability I-55, I-56). A receiver may get a delivery twice if a killed worker could not record it.
 */
let env: TestEnvironment;
let tables: Tables;
let database: MortalDatabase;
const life = new Life();
beforeAll(async () => {
  env = await openTestEnvironment();
  tables = await openTables(env.url);
  database = new MortalDatabase({ url: loginUrl(env.url) }, life);
});
afterAll(async () => {
  await database.close();
  await tables.close();
  await env.close();
});

const START = Temporal.Instant.from('2026-03-01T00:00:00Z');
const EVENTS = 12;
const KINDS = ['good', 'flaky', 'bad'] as const;

/** The end of a killed process' backend releases its locks. */
const buried = () =>
  expect
    .poll(() => tables.query('select from pg_stat_activity where pid = $1', [life.leftBehind]), {
      interval: 1,
      timeout: 10_000,
    })
    .toEqual([]);

const deaths = fc.array(
  fc.record({
    place: fc.constantFrom<Place>('statement', 'commit', 'committed'),
    statement: fc.nat({ max: 4 }),
    minutes: fc.integer({ min: 2, max: 90 }),
  }),
  { maxLength: 6 },
);

it('nothing is lost, wherever workers are killed', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(deaths, fc.array(fc.boolean(), { minLength: 5, maxLength: 40 }), async (killed, luck) => {
      const merchant = await env.merchant();
      env.setNow(START.toString());
      const endpoints: Record<string, string> = {};
      for (const kind of KINDS) {
        const body = { url: `http://127.0.0.1:9/${kind}`, eventTypes: ['customer.created.v0'] };
        endpoints[kind] = (await merchant.post('/v0/webhookEndpoints', body)).body.id;
      }
      const events = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
        publishAll(
          tx,
          Array.from({ length: EVENTS }, (_, n) => ({
            merchantId: merchant.id,
            type: 'customer.created.v0',
            data: { customerId: `cus_${n}` },
          })),
          START,
        ),
      );
      const taken = new Map<string, number>();
      let asked = 0;
      const transport: WebhookTransport = {
        sealer: { seal: (text) => text, open: () => 'whsec_c2VjcmV0' },
        guard: { allowsLoopback: true },
        inbox: null,
        post: async ({ url }, _, headers) => {
          const kind = url.pathname.slice(1);
          const isGood = kind === 'good' || (kind === 'flaky' && luck[asked++ % luck.length] === true);
          const key = `${kind} ${headers['webhook-id']}`;
          if (isGood) taken.set(key, (taken.get(key) ?? 0) + 1);
          return { kind: 'answered', status: isGood ? 200 : 500, retryAfter: null, reply: '' };
        },
      };
      let now = START;
      const work = async () => {
        const sender = createSender({
          database,
          transport,
          now: () => now,
          chance: () => 0.5,
          stopwatch: () => 0,
          onTrouble: () => undefined,
        });
        await Promise.allSettled([sender.runOnce()]);
      };
      for (const { place, statement, minutes } of killed) {
        life.begin((at, nth) => at === place && (place !== 'statement' || nth === statement));
        await work();
        const { isOver } = life;
        life.begin(immortal);
        if (isOver) await buried();
        now = now.add({ minutes });
      }
      for (let turn = 0; turn < 14; turn += 1) {
        await work();
        now = now.add({ hours: 25 });
      }
      const rows = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
        tx.rows<{ eventId: string; endpointId: string; status: string }>(
          sql`select event_id, endpoint_id, status from webhook_delivery where merchant_id = ${merchant.id}`,
        ),
      );
      const statusOf = (kind: string, event: string) =>
        rows.find((row) => row.eventId === event && row.endpointId === endpoints[kind])?.status;
      for (const event of events) {
        expect(statusOf('good', event)).toBe('delivered');
        expect(taken.get(`good ${event}`)).toBeGreaterThan(0);
        expect(statusOf('bad', event)).toBe('exhausted');
        const flaky = statusOf('flaky', event);
        expect(['delivered', 'exhausted']).toContain(flaky);
        if (flaky === 'delivered') expect(taken.get(`flaky ${event}`)).toBeGreaterThan(0);
      }
    }),
    { numRuns: 12 },
  );
  expect(life.deaths).toBeGreaterThan(5);
});
