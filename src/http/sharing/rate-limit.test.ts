import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Edge, openEdge, thingRoutes } from '../../../test/support/edge.ts';
import { openTestEnvironment } from '../../../test/support/environment.ts';
import { ok } from '../../kernel/result.ts';
import { routesOf, Type } from '../index.ts';
import { type Bucket, RateLimiter, type RateLimits, takeToken } from './rate-limit.ts';

const api = routesOf('Things');

describe('a bucket', () => {
  const limit = { perSecond: 2, burst: 3 };

  it('lets a burst through, then as many as flow in', () => {
    let bucket: Bucket | undefined;
    const story = [0, 0, 0, 0, 499, 500, 500, 1000, 10_000, 10_000, 10_000, 10_000].map((at) => {
      const taken = takeToken(bucket, limit, at);
      bucket = taken.bucket;
      return taken.isAllowed;
    });
    expect(story).toEqual([true, true, true, false, false, true, false, true, true, true, true, false]);
  });

  it.each([
    { tokens: 3, remaining: 2, secondsToNext: 0, secondsToFull: 1 },
    { tokens: 1, remaining: 0, secondsToNext: 1, secondsToFull: 2 },
    { tokens: 0, remaining: 0, secondsToNext: 1, secondsToFull: 2 },
  ])('of $tokens tokens says how long to wait, in whole seconds', ({ tokens, ...said }) => {
    expect(takeToken({ tokens, at: 0 }, limit, 0)).toMatchObject(said);
  });

  it('of less than one a second makes its owner wait longer than a second', () => {
    expect(takeToken({ tokens: 0, at: 0 }, { perSecond: 0.1, burst: 1 }, 0).secondsToNext).toBe(10);
  });

  it('never lets more through than burst + rate × time, and what it says to wait for is enough', () => {
    const limits = fc.record({ perSecond: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 100 }) });
    const steps = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(limits, steps, (limit, waits) => {
        let bucket: Bucket | undefined;
        let at = 0;
        let through = 0;
        for (const wait of waits) {
          at += wait;
          const taken = takeToken(bucket, limit, at);
          bucket = taken.bucket;
          if (taken.isAllowed) through += 1;
          else expect(takeToken(bucket, limit, at + taken.secondsToNext * 1000).isAllowed).toBe(true);
          expect(through).toBeLessThanOrEqual(limit.burst + (at / 1000) * limit.perSecond + 1e-6);
        }
      }),
    );
  });
});

const events = api.post('/v0/events', 'createEvent', {
  summary: 'Counted apart',
  access: { role: 'member', merchant: 'caller' },
  rateLimit: 'events',
  replies: { 200: Type.Object({ ok: Type.Boolean() }) },
  handler: async () => ok({ ok: true }),
});

describe('an organization', () => {
  let edge: Edge;
  afterEach(() => edge.close());
  let clock = 1;
  const open = async (limitsOf: (id: string) => Promise<RateLimits | null>) => {
    clock = 1;
    edge = await openEdge([...thingRoutes(), events], {
      rateLimiter: new RateLimiter({ limitsOf, clock: () => clock }),
    });
    return edge.caller();
  };

  it('has no limit until one is set, which then takes effect within five seconds', async () => {
    let limits: RateLimits | null = null;
    const merchant = await open(async () => limits);
    const call = () => merchant.call('GET', '/v0/things/x');
    const { headers } = await call();
    expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    limits = { general: { perSecond: 1, burst: 1 } };
    clock = 5002;
    expect((await call()).headers.ratelimit).toBe('"general";r=0;t=1');
    expect((await call()).status).toBe(429);
  });

  it('gets its limit with each answer, and the time to wait once it is reached', async () => {
    const merchant = await open(async () => ({ general: { perSecond: 1, burst: 3 } }));
    const call = () => merchant.call('GET', '/v0/things/x');
    const answers = [await call(), await call(), await call(), await call()];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 429]);
    expect(answers.map(({ headers }) => headers.ratelimit)).toEqual([
      '"general";r=2;t=1',
      '"general";r=1;t=2',
      '"general";r=0;t=3',
      '"general";r=0;t=3',
    ]);
    expect(new Set(answers.map(({ headers }) => headers['ratelimit-policy']))).toEqual(new Set(['"general";q=3;w=3']));
    expect(answers[3]).toMatchObject({
      body: { error: 'too_many_requests', code: 'RATE_LIMITED' },
      headers: { 'retry-after': '1' },
    });
    clock = 1001;
    expect((await call()).status).toBe(404);
  });

  it('shares its limit among its users, and with no other organization', async () => {
    const merchant = await open(async () => ({ general: { perSecond: 1, burst: 1 } }));
    const colleague = edge.caller('viewer', merchant.organizationId);
    const stranger = edge.caller();
    expect((await merchant.call('GET', '/v0/things/x')).status).toBe(404);
    expect((await colleague.call('GET', '/v0/things/x')).status).toBe(429);
    expect((await stranger.call('GET', '/v0/things/x')).status).toBe(404);
  });

  it('has its events counted apart', async () => {
    const merchant = await open(async () => ({
      general: { perSecond: 1, burst: 1 },
      events: { perSecond: 1, burst: 2 },
    }));
    expect((await merchant.call('GET', '/v0/things/x')).status).toBe(404);
    const event = () => merchant.call('POST', '/v0/events');
    const answers = [await event(), await event(), await event()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[0]?.headers['ratelimit-policy']).toBe('"events";q=2;w=2');
  });
});

it('comes from the settings of the organization', async () => {
  const env = await openTestEnvironment();
  try {
    const merchant = await env.merchant();
    const rateLimits = { general: { perSecond: 1, burst: 1 } };
    expect((await env.platform.patch(`/v0/organizations/${merchant.id}`, { settings: { rateLimits } })).status).toBe(
      200,
    );
    expect((await merchant.get('/v0/testClocks')).headers['ratelimit-policy']).toBe('"general";q=1;w=1');
  } finally {
    await env.close();
  }
});
