import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { openToyWorld, schedule } from '../../test/support/toy-work.ts';
import { sql } from '../db/index.ts';
import { createServer } from '../http/index.ts';
import type { DueKind } from '../jobs/index.ts';
import { clockErrors, clockRoutes } from './index.ts';

let env: TestEnvironment;
let merchant: Merchant;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  env.setNow('2026-03-01T12:00:00Z');
});
afterAll(() => env.close());

const create = async (body: object = { currentTime: '2026-01-31T00:00:00Z' }) =>
  (await merchant.post('/v0/testClocks', body)).body;

describe('POST /v0/testClocks', () => {
  it('creates a clock that shows the time it was given', async () => {
    const body = { name: 'January', description: 'end of month', currentTime: '2026-01-31T02:00:00+02:00' };
    expect(await merchant.post('/v0/testClocks', body)).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^tc_[0-9A-Za-z]{16}$/),
        object: 'testClock',
        merchantId: merchant.id,
        name: 'January',
        description: 'end of month',
        currentTime: '2026-01-31T00:00:00Z',
        advancingTo: null,
        createdAt: '2026-03-01T12:00:00Z',
        updatedAt: '2026-03-01T12:00:00Z',
        deletedAt: null,
      },
    });
  });

  it('shows wall time when it is given none, and needs no body', async () => {
    expect(await merchant.post('/v0/testClocks')).toMatchObject({
      status: 201,
      body: { name: null, description: null, currentTime: '2026-03-01T12:00:00Z' },
    });
  });

  it('takes null for an optional field as absent', async () => {
    expect(await merchant.post('/v0/testClocks', { currentTime: null, name: null })).toMatchObject({
      status: 201,
      body: { name: null, currentTime: '2026-03-01T12:00:00Z' },
    });
  });

  it.each([
    { body: { currentTime: '2026-01-31' }, field: 'currentTime' },
    { body: { currentTime: '1999-12-31T00:00:00Z' }, field: 'currentTime' },
    { body: { name: '' }, field: 'name' },
    { body: { advanceBy: 'P1M' }, field: 'advanceBy' },
    { body: { id: 'tc_0000000000000000' }, field: 'id' },
  ])('refuses $body', async ({ body, field }) => {
    expect(await merchant.post('/v0/testClocks', body)).toMatchObject({
      status: 400,
      body: { error: 'validation_error', errors: [{ field }] },
    });
  });

  it('asks an operator whose it is to be', async () => {
    expect((await env.platform.post('/v0/testClocks', {})).body.errors[0].field).toBe('merchantId');
    expect(await env.platform.post('/v0/testClocks', { merchantId: merchant.id })).toMatchObject({ status: 201 });
  });
});

describe('GET /v0/testClocks', () => {
  it('lists the merchant its own clocks, newest first, without the deleted ones', async () => {
    const own = await env.merchant();
    const ids: string[] = [];
    for (const name of ['first', 'second', 'third']) ids.push((await own.post('/v0/testClocks', { name })).body.id);
    await own.delete(`/v0/testClocks/${ids[1]}`);
    const { status, body } = await own.get('/v0/testClocks');
    expect(status).toBe(200);
    expect(body.data.map((clock: { id: string }) => clock.id)).toEqual([ids[2], ids[0]]);
    expect(body.pagination).toEqual({ limit: 10, offset: 0, total: 2, nextAfter: null });
    expect((await env.platform.get(`/v0/testClocks?merchantId=${own.id}&limit=1`)).body.pagination.total).toBe(2);
    expect((await env.platform.get('/v0/testClocks')).body.pagination.total).toBeGreaterThan(2);
  });

  it('shows one', async () => {
    const clock = await create();
    expect(await merchant.get(`/v0/testClocks/${clock.id}`)).toMatchObject({ status: 200, body: clock });
  });

  it.each(['tc_0000000000000000', 'tc_short', 'nonsense'])('answers 404 for %s', async (id) => {
    expect(await merchant.get(`/v0/testClocks/${id}`)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });
});

describe('PATCH /v0/testClocks/{id}', () => {
  // Proves 4.other.clock.
  it('advances to a time, and by a duration', async () => {
    const { id } = await create();
    expect(await merchant.patch(`/v0/testClocks/${id}`, { currentTime: '2026-02-10T00:00:00Z' })).toMatchObject({
      status: 200,
      body: { id, currentTime: '2026-02-10T00:00:00Z', advancingTo: null },
    });
    expect(await merchant.patch(`/v0/testClocks/${id}`, { advanceBy: 'P1Y' })).toMatchObject({
      status: 200,
      body: { currentTime: '2027-02-10T00:00:00Z', advancingTo: null },
    });
  });

  it.each([
    {},
    { currentTime: '2026-02-10T00:00:00Z', advanceBy: 'P1M' },
    { currentTime: 'tomorrow' },
    { advanceBy: 'a while' },
    { currentTime: null },
    { merchantId: 'org_1', advanceBy: 'P1M' },
  ])('refuses %j', async (body) => {
    const { id } = await create();
    expect(await merchant.patch(`/v0/testClocks/${id}`, body)).toMatchObject({
      status: 400,
      body: { error: 'validation_error' },
    });
    expect((await merchant.get(`/v0/testClocks/${id}`)).body.currentTime).toBe('2026-01-31T00:00:00Z');
  });

  // Proves 3.testClock.forward.
  it.each([{ currentTime: '2026-01-30T23:59:59Z' }, { currentTime: '2026-01-31T00:00:00Z' }, { advanceBy: 'PT0S' }])(
    'refuses %j as not forward',
    async (body) => {
      const { id } = await create();
      expect(await merchant.patch(`/v0/testClocks/${id}`, body)).toMatchObject({
        status: 400,
        body: { error: 'bad_request', code: 'CLOCK_BACKWARDS' },
      });
    },
  );

  it('renames without moving', async () => {
    const { id } = await create({ name: 'old', description: 'kept', currentTime: '2026-01-31T00:00:00Z' });
    expect(await merchant.patch(`/v0/testClocks/${id}`, { name: null })).toMatchObject({
      status: 200,
      body: { name: null, description: 'kept', currentTime: '2026-01-31T00:00:00Z' },
    });
  });

  it('is written to the audit log with what was before and after', async () => {
    const { id } = await create();
    await merchant.patch(`/v0/testClocks/${id}`, { advanceBy: 'P1D' });
    const [entry] = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows<{ before: { currentTime: string }; after: { advancingTo: string } }>(
        sql`select before, after from audit_entry where resource_id = ${id} and operation = 'advanceTestClock'`,
      ),
    );
    expect(entry).toMatchObject({
      before: { currentTime: '2026-01-31T00:00:00Z', advancingTo: null },
      after: { advancingTo: '2026-02-01T00:00:00Z' },
    });
  });

  /** A clock that a process has left on its way. */
  const advancing = async () => {
    const { id } = await create();
    await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.run(sql`update test_clock set advancing_to = '2026-03-01T00:00:00Z' where id = ${id}`),
    );
    return id;
  };

  it('is refused while the clock is on its way to somewhere else', async () => {
    const id = await advancing();
    expect(await merchant.patch(`/v0/testClocks/${id}`, { advanceBy: 'P1D' })).toMatchObject({
      status: 409,
      body: { error: 'conflict', code: 'CLOCK_ADVANCING', details: { advancingTo: '2026-03-01T00:00:00Z' } },
    });
    await env.runDueWork();
    expect((await merchant.get(`/v0/testClocks/${id}`)).body).toMatchObject({
      currentTime: '2026-03-01T00:00:00Z',
      advancingTo: null,
    });
  });

  it.each([{ currentTime: '2026-01-31T00:00:00Z' }, { currentTime: '2026-01-30T00:00:00Z' }, { advanceBy: 'PT0S' }])(
    'stops an advance with %j, after which the clock may be sent anywhere',
    async (body) => {
      const id = await advancing();
      expect(await merchant.patch(`/v0/testClocks/${id}`, { ...body, name: 'stopped' })).toMatchObject({
        status: 200,
        body: { name: 'stopped', currentTime: '2026-01-31T00:00:00Z', advancingTo: null },
      });
      await env.runDueWork();
      expect((await merchant.get(`/v0/testClocks/${id}`)).body.currentTime).toBe('2026-01-31T00:00:00Z');
      expect((await merchant.patch(`/v0/testClocks/${id}`, body)).body.code).toBe('CLOCK_BACKWARDS');
      expect((await merchant.patch(`/v0/testClocks/${id}`, { advanceBy: 'P1D' })).status).toBe(200);
    },
  );

  it('ends with the clock where that is deleted', async () => {
    const id = await advancing();
    expect(await merchant.delete(`/v0/testClocks/${id}`)).toMatchObject({
      status: 200,
      body: { currentTime: '2026-01-31T00:00:00Z', advancingTo: null, deletedAt: '2026-03-01T12:00:00Z' },
    });
    expect(await env.runDueWork()).toBe(0);
  });

  it('lets one of several advances at once through, or each in its turn, never one within another', async () => {
    const { id } = await create();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => merchant.patch(`/v0/testClocks/${id}`, { advanceBy: 'P1D' })),
    );
    const through = answers.filter(({ status }) => status === 200).length;
    expect(answers.every(({ status, body }) => status === 200 || body.code === 'CLOCK_ADVANCING')).toBe(true);
    expect(through).toBeGreaterThan(0);
    const { currentTime } = (await merchant.get(`/v0/testClocks/${id}`)).body;
    expect(currentTime).toBe(
      Temporal.Instant.from('2026-01-31T00:00:00Z')
        .add({ hours: 24 * through })
        .toString(),
    );
  });
});

describe('DELETE /v0/testClocks/{id}', () => {
  it('answers the deleted clock, which is then gone', async () => {
    const { id } = await create();
    expect(await merchant.delete(`/v0/testClocks/${id}`)).toMatchObject({
      status: 200,
      body: { id, deletedAt: '2026-03-01T12:00:00Z', currentTime: '2026-01-31T00:00:00Z' },
    });
    expect(await merchant.get(`/v0/testClocks/${id}`)).toMatchObject({ status: 404 });
    expect(await merchant.delete(`/v0/testClocks/${id}`)).toMatchObject({ status: 404 });
    expect(await merchant.patch(`/v0/testClocks/${id}`, { advanceBy: 'P1D' })).toMatchObject({ status: 404 });
  });
});

describe('another merchant, and a viewer', () => {
  it.each(['GET', 'PATCH', 'DELETE'] as const)('%s of a clock that is not theirs is a 403', async (method) => {
    const { id } = await create();
    const stranger = await env.merchant();
    const path = `/v0/testClocks/${id}`;
    const call = {
      GET: () => stranger.get(path),
      PATCH: () => stranger.patch(path, { advanceBy: 'P1D' }),
      DELETE: () => stranger.delete(path),
    }[method];
    expect(await call()).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    });
  });

  it('may look but not touch as a viewer', async () => {
    const { id } = await create();
    const viewer = await env.userOf(merchant, 'viewer');
    expect(await viewer.get(`/v0/testClocks/${id}`)).toMatchObject({ status: 200 });
    expect(await viewer.post('/v0/testClocks', {})).toMatchObject({ status: 403 });
    expect(await viewer.patch(`/v0/testClocks/${id}`, { advanceBy: 'P1D' })).toMatchObject({ status: 403 });
    expect(await viewer.delete(`/v0/testClocks/${id}`)).toMatchObject({ status: 403 });
  });
});

// Proves 2.subscription.testClockId.
it('has no test clocks in production, for any request', async () => {
  const production = await openTestEnvironment({ environment: 'production' });
  try {
    const client = await production.merchant();
    const id = 'tc_0123456789abcdef';
    for (const answer of [
      await client.get('/v0/testClocks'),
      await client.post('/v0/testClocks', { currentTime: 'nonsense' }),
      await client.get(`/v0/testClocks/${id}`),
      await client.patch(`/v0/testClocks/${id}`, { advanceBy: 'P1M' }),
      await client.delete(`/v0/testClocks/${id}`),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(Object.keys((await production.client().get('/openapi.json')).body.paths)).not.toContain('/v0/testClocks');
  } finally {
    await production.close();
  }
});

describe('with work of its own', () => {
  const caller = { userId: 'usr_1', keyId: 'key_1', role: 'admin', isOperator: false } as const;

  /** A server with clock routes alone. The steps of its toy work wait until a test releases them. */
  async function open(options: { answerWithinMilliseconds?: number; isInUse?: boolean; everyHours?: number }) {
    const world = await openToyWorld('2030-01-01T00:00:00Z');
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const kind: DueKind = {
      kind: 'toy',
      step: async (tx, { id }, now) => {
        begun.resolve();
        await gate.promise;
        await schedule(tx, 'toy', id, options.everyHours ? now.add({ hours: options.everyHours }) : null);
      },
    };
    const runner = world.runner([kind]);
    const server = await createServer({
      database: world.database,
      routes: clockRoutes({
        environment: 'sandbox',
        runner,
        blockers: async () => (options.isInUse ? [{ type: 'subscription', count: 1, items: [{ id: 'sub_1' }] }] : []),
        ...options,
      }),
      errorTables: [clockErrors],
      authenticate: async () => ({ caller: { ...caller, organizationId: world.merchantId } }),
      audit: async () => undefined,
      now: () => world.now(),
      logger: pino({ level: 'silent' }),
      baseUrl: 'http://localhost',
    });
    const call = async (method: 'GET' | 'PATCH' | 'DELETE', id: string, payload?: object) => {
      const reply = await server.inject({ method, url: `/v0/testClocks/${id}`, ...(payload && { payload }) });
      return { status: reply.statusCode, body: reply.json() };
    };
    const close = async () => {
      gate.resolve();
      await Promise.all([server.close(), runner.stop()]);
      await world.close();
    };
    return { world, runner, call, release: () => gate.resolve(), begun: begun.promise, close };
  }

  it('answers in time with advancingTo still set, goes on, and refuses a second advance meanwhile', async () => {
    const { world, runner, call, release, close } = await open({ answerWithinMilliseconds: 30 });
    try {
      const id = await world.clock('2026-01-01T00:00:00Z');
      await world.add('toy', 'slow', '2026-01-01T06:00:00Z', id);
      expect(await call('PATCH', id, { advanceBy: 'P1D' })).toMatchObject({
        status: 200,
        body: { currentTime: '2026-01-01T00:00:00Z', advancingTo: '2026-01-02T00:00:00Z' },
      });
      runner.start(); // a worker continues after the request was abandoned
      const second = call('PATCH', id, { advanceBy: 'P1D' }); // waits for the running step, not for the advance
      release();
      const { status, body } = await second;
      expect(status === 409 ? body.code : 'CLOCK_ADVANCING').toBe('CLOCK_ADVANCING');
      for (;;) {
        const { body: clock } = await call('GET', id);
        if (clock.advancingTo === null) break;
      }
      const { body: clock } = await call('GET', id);
      expect(clock.currentTime >= '2026-01-02T00:00:00Z').toBe(true);
    } finally {
      await close();
    }
  });

  it('stops an advance over centuries between two steps: the running one ends, and the waiting PATCH is answered', async () => {
    const { world, call, release, begun, close } = await open({ everyHours: 1 });
    try {
      const id = await world.clock('2026-01-01T00:00:00Z');
      await world.add('toy', 'hourly', '2026-01-01T06:00:00Z', id);
      const advance = call('PATCH', id, { currentTime: '2199-01-01T00:00:00Z' });
      await begun;
      const stop = { currentTime: '2026-01-01T00:00:00Z' };
      const stops = [call('PATCH', id, stop), call('PATCH', id, stop)];
      release();
      const [stopped, ...others] = (await Promise.all(stops)).toSorted((one, other) => one.status - other.status);
      expect(stopped).toMatchObject({ status: 200, body: { advancingTo: null } });
      expect(others).toMatchObject([{ status: 400, body: { code: 'CLOCK_BACKWARDS' } }]); // it was standing by then
      const { currentTime } = stopped?.body ?? {};
      expect(currentTime >= '2026-01-01T06:00:00Z').toBe(true);
      expect(await advance).toMatchObject({ status: 200, body: { currentTime, advancingTo: null } });
      expect((await call('GET', id)).body).toMatchObject({ currentTime, advancingTo: null });
    } finally {
      await close();
    }
  });

  it('answers a waiting PATCH at once when the process is told to stop, and another one finishes the advance', async () => {
    const { world, runner, call, release, close } = await open({});
    try {
      const id = await world.clock('2026-01-01T00:00:00Z');
      await world.add('toy', 'first', '2026-01-01T06:00:00Z', id);
      await world.add('toy', 'second', '2026-01-01T07:00:00Z', id);
      const patch = call('PATCH', id, { advanceBy: 'P1D' });
      while ((await call('GET', id)).body.advancingTo === null); // it is under way, and the PATCH waits for it
      const stopped = runner.stop();
      release();
      expect(await patch).toMatchObject({ status: 200, body: { advancingTo: '2026-01-02T00:00:00Z' } });
      await stopped;
      const other = world.runner([
        { kind: 'toy', step: (tx, record) => schedule(tx, 'toy', record.id, null).then(() => undefined) },
      ]);
      await other.runOnce();
      expect((await call('GET', id)).body).toMatchObject({ currentTime: '2026-01-02T00:00:00Z', advancingTo: null });
    } finally {
      await close();
    }
  });

  it('is not deleted while it has active subscriptions, and says which', async () => {
    const { world, call, close } = await open({ isInUse: true });
    try {
      const id = await world.clock('2026-01-01T00:00:00Z');
      expect(await call('DELETE', id)).toMatchObject({
        status: 409,
        body: {
          error: 'conflict',
          code: 'TEST_CLOCK_IN_USE',
          details: { blockers: [{ type: 'subscription', count: 1, items: [{ id: 'sub_1' }] }] },
        },
      });
      expect((await call('GET', id)).body.deletedAt).toBeNull();
    } finally {
      await close();
    }
  });
});
