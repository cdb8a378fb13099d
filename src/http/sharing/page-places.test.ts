import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Edge, openEdge, thingRoutes } from '../../../test/support/edge.ts';
import { cloneDatabase } from '../../../test/support/environment.ts';
import { Database } from '../../db/index.ts';
import { ok } from '../../kernel/result.ts';
import { Reply, type Route, routesOf } from '../index.ts';
import { PagePlaces } from './page-places.ts';

const api = routesOf('Pages');

const LIMITS = { ofMerchant: 1, ofAll: 2, waiting: 1, waitMilliseconds: 60_000 };
const never = new AbortController().signal;

let edge: Edge | undefined;
afterEach(async () => {
  await edge?.close();
  edge = undefined;
});

describe('pages without a key', () => {
  it.each([
    { asked: '203.0.113.1', later: '203.0.113.1', wait: 1 },
    { asked: '203.0.113.1', later: '203.0.113.2', wait: null },
    { asked: '2001:db8::1', later: '2001:db8::ffff', wait: 1 },
    { asked: '2001:db8::1', later: '2001:db8:0:1::1', wait: null },
    { asked: '127.0.0.1', later: '127.0.0.1', wait: null },
    { asked: '127.0.0.1', later: '127.0.0.1', isBehindProxy: true, wait: 1 },
  ])('300 from $asked at once: $later waits $wait s', ({ asked, later, wait, isBehindProxy = false }) => {
    let at = 0;
    const places = new PagePlaces({ database: null as never, isBehindProxy, clock: () => at });
    for (let page = 0; page < 300; page += 1) expect(places.count(asked)).toBeNull();
    expect(places.count(later)).toBe(wait);
    at = 1_000;
    for (let page = 0; page < 10; page += 1) expect(places.count(later)).toBeNull();
  });

  it('wait in the line of the merchant of the page, and leave the pages of others alone', async () => {
    edge = await openEdge();
    const places = new PagePlaces({ database: edge.database, limits: LIMITS });
    const [a, b] = await thingsOf(edge, 2);
    const [c] = await thingsOf(edge, 1);
    const calls = vi.spyOn(edge.database, 'call');
    const order: string[] = [];
    const take = async (id: string) => {
      const slot = await places.take(id, '203.0.113.1', never);
      order.push(id);
      return slot;
    };
    const [ofA, ofB, ofC] = [take(a), take(b), take(c)];
    const [slot] = await Promise.all([ofA, ofC]);
    expect(await places.take(b, '203.0.113.1', never), 'one waits already').toBeNull();
    expect(order.toSorted()).toEqual([a, c].toSorted());
    slot?.end();
    await ofB;
    expect(order.at(-1)).toBe(b);
    const questions = calls.mock.calls.filter(([name]) => name === 'owners_of');
    expect(questions, 'questions for the merchants of three pages').toHaveLength(1);
  });

  it('are refused with a page where too many wait, and the API goes on', async () => {
    const { url, drop } = await cloneDatabase();
    const database = new Database({ url, onConnectionError: () => undefined });
    const gates: (() => void)[] = [];
    const pagePlaces = new PagePlaces({ database, limits: LIMITS });
    edge = await openEdge([...thingRoutes(), slowPage(gates)], { url, database, pagePlaces });
    const caller = edge.caller();
    const [a] = await thingsOf(edge, 1, caller);
    const { server } = edge;
    const open = async () =>
      (await server.inject({ url: `/pay/things/${a}`, headers: { accept: 'text/html' } })).statusCode;
    const pages = [open(), open(), open()];
    await vi.waitFor(() => expect(gates.length).toBe(1));
    expect(await Promise.race(pages)).toBe(429);
    expect(await thingsOf(edge, 1, caller)).toHaveLength(1);
    gates.shift()?.();
    await vi.waitFor(() => expect(gates.length).toBe(1));
    gates.shift()?.();
    expect((await Promise.all(pages)).toSorted()).toEqual([200, 200, 429]);
    await edge.close();
    edge = undefined;
    await drop();
  });
});

/** A page that is answered when the test says so. */
const slowPage = (gates: (() => void)[]): Route =>
  api.get('/pay/things/:id', 'showThing', {
    summary: 'A page that is answered when it is told to',
    access: { public: true },
    hidden: true,
    errorPage: (status) => ({ text: `<p>${status}</p>`, headers: { 'content-type': 'text/html' } }),
    replies: { 200: { contentType: 'text/html', description: 'A page.' } },
    free: async () => {
      await new Promise<void>((open) => gates.push(open));
      return ok(new Reply(200, '<p>A thing.</p>', { 'content-type': 'text/html' }));
    },
  });

/** The ids of new things of one merchant. */
const thingsOf = async (of: Edge, count: number, caller = of.caller()): Promise<[string, string]> => {
  const made = Array.from({ length: count }, () => caller.call('POST', '/v0/things', { body: { name: 'a' } }));
  return (await Promise.all(made)).map(({ body }) => body.id) as [string, string];
};
