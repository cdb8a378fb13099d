import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CutWire, layWire } from '../../test/support/cut-wire.ts';
import { type Edge, type EdgeCaller, openEdge, thingRoutes } from '../../test/support/edge.ts';
import { cloneDatabase } from '../../test/support/environment.ts';
import { Database, migrationFiles } from '../db/index.ts';
import { healthRoutes, Metrics } from './index.ts';

/** An edge. A test can take its database away. */
let edge: Edge;
let wire: CutWire;
let merchant: EdgeCaller;
let during: () => Promise<void> = async () => undefined;
let isDiskFull = false;
let seconds = 0;
const cleanup: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const clone = await cloneDatabase();
  wire = await layWire(clone.url);
  const database = new Database({
    url: wire.url,
    isDiskFull: () => isDiskFull,
    onConnectionError: () => undefined,
  });
  const metrics = new Metrics({ database, countParked: async () => [], clock: () => (seconds += 1_000) });
  const health = healthRoutes({ database, migrations: await migrationFiles(), metrics, showsMetrics: true });
  edge = await openEdge([...health, ...thingRoutes(() => during())], { url: clone.url, database });
  merchant = edge.caller();
  cleanup.push(
    () => edge.close(),
    async () => metrics.close(),
    () => wire.close(),
    () => clone.drop(),
  );
});
afterAll(async () => {
  for (const step of cleanup) await step();
});

/** The first call that reaches the database opens the way; the others then pass. */
async function mend(): Promise<void> {
  await wire.mend();
  while ((await merchant.call('GET', '/readyz')).status !== 200) await sleep(10);
}

const create = (headers: Record<string, string> = {}) =>
  merchant.call('POST', '/v0/things', { body: { name: 'thing' }, headers });

describe('while the database is away', () => {
  it('requests are a 503 that says when to come again, and work again once it is back', async () => {
    expect((await create()).status).toBe(201);
    await wire.cut();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const answer = await create();
      expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable', code: 'DATABASE_UNAVAILABLE' } });
      expect(answer.headers['retry-after']).toBe('1');
      expect(answer.text).not.toMatch(/postgres|socket|ECONN|\.s\.PGSQL/i);
    }
    await mend();
    expect((await create()).status).toBe(201);
  });

  it('what had begun is undone, and a retry with its key does it once', async () => {
    during = async () => {
      during = async () => undefined;
      await wire.cut();
    };
    const headers = { 'idempotency-key': 'cut in the middle' };
    expect((await create(headers)).status).toBe(503);
    await mend();
    const first = await create(headers);
    const again = await create(headers);
    expect([first.status, again.text]).toEqual([201, first.text]);
  });

  it('the process is healthy but not ready', async () => {
    await wire.cut();
    expect(await merchant.call('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    const answer = await merchant.call('GET', '/readyz');
    expect(answer).toMatchObject({ status: 503, body: { status: 'unavailable', missing: ['database'] } });
    expect(answer.headers['retry-after']).toBe('1');
    expect((await merchant.call('GET', '/metrics')).status).toBe(200);
    await mend();
    expect(await merchant.call('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('an idempotency key is not spent by a request that could not begin', async () => {
    await wire.cut();
    expect((await create({ 'idempotency-key': 'not begun' })).status).toBe(503);
    await mend();
    expect((await create({ 'idempotency-key': 'not begun' })).status).toBe(201);
  });
});

describe('while the disk of the database is full', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    isDiskFull = false;
  });

  const FULL = { status: 503, body: { error: 'unavailable', code: 'DATABASE_FULL' } };
  const NOT_READY = { status: 503, body: { status: 'unavailable', missing: ['disk space'] } };

  it('a refused write has its own error, and readiness shows it for a while', async () => {
    during = async () => {
      during = async () => undefined;
      throw Object.assign(new Error('could not extend file "base/5/2619"'), { code: '53100' });
    };
    const answer = await create();
    expect(answer).toMatchObject(FULL);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.text).not.toContain('base/5');
    expect(await merchant.call('GET', '/readyz')).toMatchObject(NOT_READY);
    expect((await create()).status).toBe(201);
    const later = performance.now() + 10_000;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    expect((await merchant.call('GET', '/readyz')).status).toBe(200);
  });

  it('a server that has ended because of it has its own error', async () => {
    await wire.cut();
    isDiskFull = true;
    expect(await create()).toMatchObject(FULL);
    expect(await merchant.call('GET', '/readyz')).toMatchObject(NOT_READY);
    isDiskFull = false;
    expect(await create()).toMatchObject({ status: 503, body: { code: 'DATABASE_UNAVAILABLE' } });
    const later = performance.now() + 10_000;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    await wire.mend();
  });
});
