import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Edge, type EdgeCaller, openEdge, thingRoutes } from '../../../test/support/edge.ts';
import { newId } from '../../kernel/ids.ts';
import { ok } from '../../kernel/result.ts';
import { type Route, routesOf, Type } from '../index.ts';
import { type Slot, Slots } from './slots.ts';

const api = routesOf('Things');

const never = new AbortController().signal;
const LIMITS = { ofMerchant: 2, ofAll: 3, waiting: 2, waitMilliseconds: 60_000 };

/** Runs everything that waits only for promises. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('start a merchant’s requests up to its bound, and the others in the order in which they came', async () => {
    const slots = new Slots(LIMITS);
    const started: string[] = [];
    const take = (name: string) =>
      slots.take('a', never).then((slot) => {
        started.push(name);
        return slot as Slot;
      });
    const [first, second] = await Promise.all([take('first'), take('second')]);
    const [third, fourth] = [take('third'), take('fourth')];
    await nextTurn();
    expect(started).toEqual(['first', 'second']);
    expect(slots.load).toEqual({ working: 2, waiting: 2, refused: 0 });
    (second as Slot).end();
    (second as Slot).end(); // once is enough
    await third;
    await nextTurn();
    expect(started).toEqual(['first', 'second', 'third']);
    (first as Slot).end();
    await fourth;
    expect(slots.load).toEqual({ working: 2, waiting: 0, refused: 0 });
  });

  it('refuse who comes when the line is full, at once', async () => {
    const slots = new Slots(LIMITS);
    for (let each = 0; each < LIMITS.ofMerchant + LIMITS.waiting; each += 1) void slots.take('a', never);
    expect(await slots.take('a', never)).toBeNull();
    expect(slots.load).toEqual({ working: 2, waiting: 2, refused: 1 });
    expect(await slots.take('b', never)).not.toBeNull();
  });

  it('refuse who has waited too long, and forget who has gone', async () => {
    const slots = new Slots({ ...LIMITS, waitMilliseconds: 1 });
    const [slot] = await Promise.all([slots.take('a', never), slots.take('a', never)]);
    expect(await slots.take('a', never)).toBeNull();
    const gone = new AbortController();
    const patient = new Slots(LIMITS);
    await Promise.all([patient.take('a', never), patient.take('a', never)]);
    const waiting = patient.take('a', gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(patient.take('b', gone.signal)).rejects.toThrow('gone');
    expect(patient.load).toEqual({ working: 2, waiting: 0, refused: 0 });
    expect(slots.load).toEqual({ working: 2, waiting: 0, refused: 1 });
    slot?.end();
    expect(slots.load.working).toBe(1);
  });

  it('go to the merchant whose last slot is longest ago, however many requests of another one wait', async () => {
    const slots = new Slots({ ofMerchant: 3, ofAll: 3, waiting: 100, waitMilliseconds: 60_000 });
    const started: string[] = [];
    const take = (merchant: string) =>
      slots.take(merchant, never).then((slot) => {
        started.push(merchant);
        return slot as Slot;
      });
    const noisy = Array.from({ length: 50 }, () => take('noisy'));
    const quiet = take('quiet');
    const other = take('other');
    ((await noisy[0]) as Slot).end();
    (await quiet).end();
    (await other).end();
    await noisy[3];
    await nextTurn();
    expect(started).toEqual(['noisy', 'noisy', 'noisy', 'quiet', 'other', 'noisy']);
  });

  it('are never more than their bounds, in order for each merchant, and everybody gets one in the end', async () => {
    const step = fc.record({ merchant: fc.constantFrom('a', 'b', 'c', 'd'), ends: fc.nat(3), picks: fc.nat(50) });
    const limits = fc.record({ ofMerchant: fc.integer({ min: 1, max: 4 }), ofAll: fc.integer({ min: 1, max: 6 }) });
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { minLength: 1, maxLength: 60 }), async (bounds, steps) => {
        const slots = new Slots({ ...bounds, waiting: 1_000, waitMilliseconds: 60_000 });
        const inWork: { merchant: string; number: number; slot: Slot }[] = [];
        const lastOf = new Map<string, number>();
        const holds = () => {
          expect(inWork.length).toBeLessThanOrEqual(bounds.ofAll);
          for (const { merchant } of inWork)
            expect(inWork.filter((each) => each.merchant === merchant).length).toBeLessThanOrEqual(bounds.ofMerchant);
        };
        const end = (pick: number) => inWork.splice(pick % Math.max(1, inWork.length), 1)[0]?.slot.end();
        for (const [number, { merchant, ends, picks }] of steps.entries()) {
          void slots.take(merchant, never).then((slot) => {
            expect(lastOf.get(merchant) ?? -1).toBeLessThan(number);
            lastOf.set(merchant, number);
            inWork.push({ merchant, number, slot: slot as Slot });
          });
          await nextTurn();
          holds();
          for (let each = 0; each < ends; each += 1) end(picks);
          await nextTurn();
          holds();
        }
        while (inWork.length > 0) {
          end(0);
          await nextTurn();
          holds();
        }
        expect(slots.load).toEqual({ working: 0, waiting: 0, refused: 0 });
      }),
      { numRuns: 50 },
    );
  });
});

/** A GET that answers when the test says so. */
const slowRoutes = (gates: Gate[], endsSlot: boolean): readonly Route[] => [
  api.get('/v0/slow', 'getSlow', {
    summary: 'Answers when it is told to',
    access: { role: 'viewer', merchant: 'query', by: ['thingId'] },
    query: Type.Object({ merchantId: Type.Optional(Type.String()), thingId: Type.Optional(Type.String()) }),
    replies: { 200: Type.Object({ ok: Type.Boolean() }) },
    free: async ({ endSlot }) => {
      if (endsSlot) endSlot();
      await new Promise<void>((open) => gates.push(open));
      return ok({ ok: true });
    },
  }),
  api.get('/open', 'getOpen', {
    summary: 'Without a key',
    access: { public: true },
    replies: { 200: Type.Object({ ok: Type.Boolean() }) },
    free: async () => ok({ ok: true }),
  }),
];
type Gate = () => void;

describe('requests', () => {
  let edge: Edge;
  afterEach(() => edge.close());
  const open = async (endsSlot = false, limits = LIMITS) => {
    const gates: Gate[] = [];
    const slots = new Slots(limits);
    edge = await openEdge([...thingRoutes(), ...slowRoutes(gates, endsSlot)], { slots });
    return { gates, slots };
  };
  const slow = (who: EdgeCaller, query = '') => who.call('GET', `/v0/slow${query}`);
  /** Waits until so many requests have arrived. */
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await nextTurn();
  };

  it('of a merchant above its bounds are refused with Retry-After; another merchant and public pages are not held up', async () => {
    const { gates, slots } = await open();
    const [noisy, quiet] = [edge.caller(), edge.caller()];
    const many = Array.from({ length: 4 }, () => slow(noisy));
    await until(() => slots.load.waiting === 2);
    const refused = await noisy.call('POST', '/v0/things', { body: { name: 'never made' } });
    expect(refused).toMatchObject({ status: 429, body: { error: 'too_many_requests', code: 'TOO_MANY_AT_ONCE' } });
    expect(refused.headers['retry-after']).toBe('1');
    expect((await quiet.call('POST', '/v0/things', { body: { name: 'made' } })).status).toBe(201);
    expect((await edge.server.inject({ url: '/open' })).statusCode).toBe(200);
    for (let each = 0; each < 4; each += 1) {
      await until(() => gates.length > 0);
      gates.shift()?.();
    }
    expect((await Promise.all(many)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(slots.load).toEqual({ working: 0, waiting: 0, refused: 1 });
  });

  it('return their slot after any outcome', async () => {
    const { slots } = await open();
    const merchant = edge.caller();
    const bodies = [{ name: 'refuse it' }, { name: 'throw it' }, { name: 3 }, { name: 'made' }];
    const statuses: number[] = [];
    for (const body of bodies) statuses.push((await merchant.call('POST', '/v0/things', { body })).status);
    statuses.push((await merchant.call('GET', `/v0/things/${newId('product')}`)).status);
    expect(statuses).toEqual([409, 500, 400, 201, 404]);
    expect(slots.load).toEqual({ working: 0, waiting: 0, refused: 0 });
  });

  it('of an operator count for the merchant of the resource that they name, or for the platform', async () => {
    const { gates, slots } = await open();
    const named = edge.caller();
    const { body: thing } = await named.call('POST', '/v0/things', { body: { name: 'one' } });
    const asked = [slow(edge.operator, `?thingId=${thing.id}`), slow(named)];
    await until(() => gates.length === 2);
    const third = slow(edge.operator, `?thingId=${thing.id}`);
    await until(() => slots.load.waiting === 1);
    const ownList = slow(edge.operator);
    await until(() => gates.length === 3); // the platform's own began, the third waits for its merchant
    expect(slots.load).toMatchObject({ working: 3, waiting: 1 });
    while (slots.load.working > 0) {
      gates.shift()?.();
      await nextTurn();
    }
    expect((await Promise.all([...asked, third, ownList])).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('that wait for something else may give their slot back before they answer', async () => {
    const { gates, slots } = await open(true, { ...LIMITS, waiting: 20 });
    const merchant = edge.caller();
    const many = Array.from({ length: 20 }, () => slow(merchant));
    await until(() => gates.length === 20);
    expect(slots.load).toEqual({ working: 0, waiting: 0, refused: 0 });
    for (const gate of gates) gate();
    expect((await Promise.all(many)).every(({ status }) => status === 200)).toBe(true);
  });
});
