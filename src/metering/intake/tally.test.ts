import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase } from '../../../test/support/environment.ts';
import { Database, sql, type Tx } from '../../db/index.ts';
import { orThrow } from '../../kernel/result.ts';
import { selectEvents } from '../stored/events.sql.ts';
import { acceptEvents } from './intake.ts';
import { countEvents, tallyEvents } from './tally.sql.ts';
import { eventTallyChore } from './tally.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  drop = clone.drop;
  database = new Database({ url: clone.url, connections: 4 });
});
afterAll(async () => {
  await database.close();
  await drop();
});

const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');
const newMerchant = () => `org_${randomBytes(8).toString('hex')}`;

async function accept(tx: Tx, types: readonly string[]): Promise<void> {
  const events = types.map((type) => ({
    merchantId: tx.merchantId,
    type,
    source: 'test',
    subject: null,
    externalSubject: 'acme',
    externalId: null,
    at: NOW.toString(),
    isTimeSent: true,
    idempotencyKey: randomBytes(8).toString('hex'),
    data: '{}',
  }));
  orThrow(await acceptEvents(tx, events, NOW));
}

const send = (merchantId: string, types: readonly string[]) =>
  database.transaction({ merchants: [merchantId] }, (tx) => accept(tx, types));

const totals = (merchantId: string) =>
  database.transaction({ merchants: [merchantId] }, async (tx) => [
    await countEvents(tx, merchantId, undefined),
    await countEvents(tx, merchantId, 'call'),
    await countEvents(tx, merchantId, 'never'),
  ]);

/** The tally of the merchant, without later events. */
const counted = (merchantId: string) =>
  database.transaction({ merchants: [merchantId] }, async (tx) => {
    const { sum } = await tx.one<{ sum: number }>(
      sql`select coalesce(sum(event_count), 0)::int as sum from event_tally where merchant_id = ${merchantId}`,
    );
    return sum;
  });

/** The first time notes up to where it can count, the second does. */
const tally = async () => {
  await eventTallyChore.run(database, NOW);
  await eventTallyChore.run(database, NOW);
};

describe('the number of events', () => {
  it('is exact before they are counted, when they are, and when more have come', async () => {
    const merchantId = newMerchant();
    const shown = [await totals(merchantId)];
    await send(merchantId, ['call', 'call', 'other']);
    shown.push(await totals(merchantId));
    await tally();
    shown.push(await totals(merchantId));
    await send(merchantId, ['call', 'more']);
    shown.push(await totals(merchantId));
    expect(await counted(merchantId)).toBe(3);
    await tally();
    shown.push(await totals(merchantId));
    expect(await counted(merchantId)).toBe(5);
    expect(shown).toEqual([
      [0, 0, 0],
      [3, 2, 0],
      [3, 2, 0],
      [5, 3, 0],
      [5, 3, 0],
    ]);
  });

  it('is of one merchant, or of all for an operator', async () => {
    const [one, other] = [newMerchant(), newMerchant()];
    const all = () => database.transaction('every merchant, reading', (tx) => countEvents(tx, null, undefined));
    const before = await all();
    await send(one, ['call']);
    await tally();
    await send(other, ['call', 'call']);
    expect([(await totals(one))[0], (await totals(other))[0], (await all()) - before]).toEqual([1, 2, 3]);
  });

  it('holds an event that was numbered before it was counted up to, and committed after', async () => {
    const merchantId = newMerchant();
    await send(merchantId, ['call']);
    await database.transaction({ merchants: [merchantId] }, async (tx) => {
      await accept(tx, ['call']);
      await send(merchantId, ['call']); // numbered later, committed earlier
      await tally();
      await tally();
      expect(await totals(merchantId)).toEqual([2, 2, 0]);
    });
    expect(await totals(merchantId)).toEqual([3, 3, 0]);
    await tally();
    expect([await counted(merchantId), await totals(merchantId)]).toEqual([3, [3, 3, 0]]);
  });

  it('is counted once by several who count at the same time, in small steps', async () => {
    const merchantId = newMerchant();
    await send(merchantId, Array(20).fill('call'));
    await tally();
    await send(merchantId, Array(50).fill('call'));
    const step = () => database.transaction('nobody', (tx) => tallyEvents(tx, 7));
    for (let rounds = 0; rounds < 12; rounds += 1) {
      await Promise.all([step(), step(), step()]);
      expect(await totals(merchantId)).toEqual([70, 70, 0]);
    }
    expect(await counted(merchantId)).toBe(70);
  });

  it('is the total of a list of all events or of a type', async () => {
    const merchantId = newMerchant();
    await send(merchantId, ['call', 'other', 'call']);
    await tally();
    await send(merchantId, ['call']);
    const list = (filter: { type?: string; externalId?: string }, offset = 0) =>
      database.transaction({ merchants: [merchantId] }, async (tx) => {
        const found = await selectEvents(tx, { merchantId, ...filter }, undefined, [], { limit: 1, offset });
        return [found.rows.length, found.total];
      });
    expect(await Promise.all([list({}), list({ type: 'call' }), list({}, 4), list({ externalId: 'x' })])).toEqual([
      [1, 4],
      [1, 3],
      [0, 4],
      [0, 0],
    ]);
  });
});
