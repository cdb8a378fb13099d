import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { isWaitedFor } from '../../../test/support/locks.ts';
import { migrateSharded } from '../../../test/support/shards.ts';
import { sql, type Tx } from '../../db/index.ts';
import { plain } from '../../kernel/decimal.ts';
import { orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { IncomingEvent } from '../events/incoming-event.ts';
import { acceptEvents, createIntake, type EventIntake } from '../intake/intake.ts';
import { lockMarksAndRead } from '../intake/lock.sql.ts';
import { linkExternalSubject, linkSubscriptionSubject } from '../intake/subjects.ts';
import { usage } from '../usage/usage.ts';
import {
  forgetLate,
  isSettled,
  lateSince,
  lateSinceOf,
  needlessLateChore,
  settleUsage,
  type TakenUsage,
  usageSnapshot,
} from './settled.ts';

const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');
const ago = (seconds: number): Instant => NOW.subtract({ seconds });
const newMerchant = () => `org_${randomBytes(8).toString('hex')}`;

let keys = 0;
const nextKey = (): string => {
  keys += 1;
  return `k${keys}`;
};

const eventAt = (merchantId: string, at: Instant, to: Partial<IncomingEvent>): IncomingEvent => ({
  merchantId,
  type: 'call',
  source: 'test',
  subject: null,
  externalSubject: null,
  externalId: null,
  at: at.toString(),
  isTimeSent: true,
  idempotencyKey: nextKey(),
  data: '{}',
  ...to,
});

/** A migrated template with tables that are split by merchant. */
async function splitTemplate(name: string): Promise<() => Promise<void>> {
  const url = inject('postgresUrl');
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  await server.query(`create database ${name}`);
  await migrateSharded(url.replace(/\/postgres(?=\?|$)/, `/${name}`));
  return async () => {
    await server.query(`drop database ${name}`);
    await server.end();
  };
}

describe.each([{ tables: 'whole tables' }, { tables: 'tables that are split by merchant' }])(
  'in $tables',
  ({ tables }) => {
    let env: TestEnvironment;
    let intake: EventIntake;
    beforeAll(async () => {
      if (tables === 'whole tables') env = await openTestEnvironment();
      else {
        const template = `settled_${process.pid}`;
        const drop = await splitTemplate(template);
        env = await openTestEnvironment({ template });
        await drop();
      }
      intake = createIntake(env.database);
    }, 60_000);
    afterAll(() => env.close());

    const inMerchant = <T>(merchantId: string, work: (tx: Tx) => Promise<T>) =>
      env.database.transaction({ merchants: [merchantId] }, work);
    const link = (merchantId: string, externalId: string, customerId: string | null) =>
      inMerchant(merchantId, (tx) => linkExternalSubject(tx, { merchantId, externalId, customerId }, NOW));
    const settle = (merchantId: string, subjects: string[], until = NOW) =>
      inMerchant(merchantId, (tx) => settleUsage(tx, { merchantId, subjects, until }, NOW));
    const settledNow = (merchantId: string, waitFor: string) => inMerchant(merchantId, (tx) => isSettled(tx, waitFor));
    const take = (merchantId: string, at = NOW): Promise<TakenUsage> =>
      inMerchant(merchantId, async (tx) => ({ at, snapshot: await usageSnapshot(tx) }));
    const isLate = async (merchantId: string, subjects: string[], taken: TakenUsage) =>
      (await inMerchant(merchantId, (tx) => lateSince(tx, subjects, [taken])))[0];
    const lateRows = (merchantId: string) =>
      inMerchant(merchantId, async (tx) => (await tx.rows(sql`select at from usage_late`)).length);

    /** The number of events before NOW that count for a customer. */
    const countOf = async (tx: Tx, subject: string): Promise<number> => {
      const span = { from: NOW.subtract({ hours: 100 }), to: NOW };
      const [row] = await usage(tx, {
        merchantId: tx.merchantId,
        meter: { eventType: 'call', aggregation: 'COUNT', valueProperty: null, groupBy: null, eventFrom: null },
        sources: [{ subject, ...span }],
        ...span,
      });
      return Number(plain((row as { value: Parameters<typeof plain>[0] }).value));
    };

    /** Accepts events in a transaction that stays open until the test ends it. */
    async function openFlush(merchantId: string, events: IncomingEvent[]): Promise<{ end: () => Promise<void> }> {
      const [accepted, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const done = inMerchant(merchantId, async (tx) => {
        orThrow(await acceptEvents(tx, events, NOW));
        accepted.resolve();
        await gate.promise;
      });
      await Promise.race([accepted.promise, done]);
      return {
        end: () => {
          gate.resolve();
          return done;
        },
      };
    }

    describe('an event after a figure was taken', () => {
      it.each([
        { name: 'for the customer, before the mark', to: { subject: 'cus_a' }, at: ago(1), late: true },
        { name: 'long before it', to: { subject: 'cus_a' }, at: ago(90_000_000), late: true },
        { name: 'at the mark', to: { subject: 'cus_a' }, at: NOW, late: false },
        { name: 'after the mark', to: { subject: 'cus_a' }, at: NOW.add({ seconds: 1 }), late: false },
        { name: 'under its externalId', to: { externalSubject: 'a' }, at: ago(1), late: true },
        { name: 'under its former externalId', to: { externalSubject: 'a-old' }, at: ago(1), late: false },
        { name: 'under a name of nobody', to: { externalSubject: 'x' }, at: ago(1), late: false },
        { name: 'for its settled subscription', to: { subject: 'sub_a' }, at: ago(1), late: true },
        { name: 'for another subscription', to: { subject: 'sub_b' }, at: ago(1), late: false },
        { name: 'for another customer', to: { subject: 'cus_b' }, at: ago(1), late: false },
        { name: 'both named', to: { subject: 'cus_b', externalSubject: 'a' }, at: ago(1), late: false },
      ])('$name: late $late', async ({ to, at, late }) => {
        const [merchantId, other] = [newMerchant(), newMerchant()];
        await link(merchantId, 'a-old', 'cus_a');
        await link(merchantId, 'a-old', 'cus_b');
        await link(merchantId, 'a', 'cus_a');
        await inMerchant(merchantId, async (tx) => {
          for (const subscriptionId of ['sub_a', 'sub_b'])
            await linkSubscriptionSubject(tx, { merchantId, subscriptionId, customerId: 'cus_a' }, NOW);
        });
        const subjects = ['sub_a', 'cus_a'];
        expect(await settledNow(merchantId, await settle(merchantId, subjects))).toBe(true);
        const taken = await take(merchantId);
        expect(await isLate(merchantId, subjects, taken)).toBe(false);
        await intake.accept([eventAt(other, at, to), eventAt(merchantId, NOW, to), eventAt(merchantId, at, to)], NOW);
        expect(await isLate(merchantId, subjects, taken)).toBe(late);
        expect(await lateRows(merchantId)).toBe(late ? 1 : 0);
        expect(await lateRows(other)).toBe(0);
        expect(await isLate(merchantId, subjects, await take(merchantId))).toBe(false);
      });

      it('is late for the figures after it alone, and not where it was there before, or is refused', async () => {
        const merchantId = newMerchant();
        const known = eventAt(merchantId, ago(50), { subject: 'cus_a' });
        await intake.accept([known], NOW);
        await settle(merchantId, ['cus_a']);
        const taken = await Promise.all([10, 20, 30].map((seconds) => take(merchantId, ago(seconds))));
        const late = () => inMerchant(merchantId, (tx) => lateSince(tx, ['cus_a'], taken));
        await intake.accept([known], NOW);
        await expect(intake.accept([{ ...known, data: '{"v":1}' }], NOW)).rejects.toThrow();
        expect([await late(), await lateRows(merchantId)]).toEqual([[false, false, false], 0]);
        await intake.accept([known, eventAt(merchantId, ago(20), { subject: 'cus_a' })], NOW);
        expect([await late(), await lateRows(merchantId)]).toEqual([[true, false, false], 1]);
      });

      it('is late by the mark of each subject of one flush', async () => {
        const merchantId = newMerchant();
        await settle(merchantId, ['cus_a'], ago(30));
        await settle(merchantId, ['cus_b'], ago(10));
        const taken = await take(merchantId, ago(30));
        const events = ['cus_a', 'cus_b', 'cus_c'].flatMap((subject) =>
          [20, 25].map((seconds) => eventAt(merchantId, ago(seconds), { subject })),
        );
        await intake.accept(events, NOW);
        expect(await lateRows(merchantId)).toBe(1);
        expect(await isLate(merchantId, ['cus_a'], taken)).toBe(false);
        expect(await isLate(merchantId, ['cus_b'], { ...taken, at: ago(10) })).toBe(true);
        expect(await isLate(merchantId, ['cus_b'], { ...taken, at: ago(24) })).toBe(true);
        expect(await isLate(merchantId, ['cus_b'], { ...taken, at: ago(25) })).toBe(false);
      });
    });

    it('a mark is never lowered, and stands on the rows that an event would have made', async () => {
      const merchant = await env.merchant();
      const consumer = { name: 'A', email: 'a@example.com', address: { country: 'DE' } };
      const { body: customer } = await merchant.post('/v0/customers', { consumer, externalId: 'a' });
      await settle(merchant.id, [customer.id, 'cus_unknown'], ago(10));
      await settle(merchant.id, ['cus_unknown', customer.id], ago(20));
      const rows = await inMerchant(merchant.id, (tx) =>
        tx.rows(sql`select kind, key, addressee, customer_id as customer, settled_until as until from event_subject`),
      );
      const until = ago(10);
      expect(rows).toHaveLength(3);
      expect(rows).toEqual(
        expect.arrayContaining([
          { kind: 'direct', key: customer.id, addressee: customer.id, customer: customer.id, until },
          { kind: 'external', key: 'a', addressee: customer.id, customer: customer.id, until },
          { kind: 'direct', key: 'cus_unknown', addressee: null, customer: null, until },
        ]),
      );
    });

    describe('an externalId that becomes a settled customer’s', () => {
      it.each([
        { name: 'with events of nobody', from: null, early: true, linked: true },
        { name: 'without any', from: null, early: false, linked: false },
        { name: 'from another customer', from: 'cus_b', early: true, linked: false },
      ])('$name: late with the link $linked, and with later events', async ({ from, early, linked }) => {
        const merchantId = newMerchant();
        if (from !== null) await link(merchantId, 'x', from);
        if (early) await intake.accept([eventAt(merchantId, ago(5), { externalSubject: 'x' })], NOW);
        await settle(merchantId, ['cus_a']);
        const taken = await take(merchantId);
        await link(merchantId, 'x', 'cus_a');
        expect(await isLate(merchantId, ['cus_a'], taken)).toBe(linked);
        const again = await take(merchantId);
        expect(await isLate(merchantId, ['cus_a'], again)).toBe(false);
        await intake.accept([eventAt(merchantId, ago(5), { externalSubject: 'x' })], NOW);
        expect(await isLate(merchantId, ['cus_a'], again)).toBe(true);
      });

      it('waits for open transactions that store its events without a customer', async () => {
        const merchantId = newMerchant();
        await intake.accept([eventAt(merchantId, ago(9), { externalSubject: 'x' })], NOW);
        await settle(merchantId, ['cus_a']);
        const taken = await take(merchantId);
        let isLinked = false;
        const { linking } = await inMerchant(merchantId, async (tx) => {
          orThrow(await acceptEvents(tx, [eventAt(merchantId, ago(5), { externalSubject: 'x' })], NOW));
          const waiting = link(merchantId, 'x', 'cus_a').then(() => {
            isLinked = true;
          });
          while (!(await isWaitedFor(tx))) expect(isLinked).toBe(false);
          return { linking: waiting };
        });
        await linking;
        expect(await inMerchant(merchantId, (tx) => countOf(tx, 'cus_a'))).toBe(2);
        expect(await isLate(merchantId, ['cus_a'], taken)).toBe(true);
      });
    });

    describe('a flush beside the mark', () => {
      it('that began before it is waited for, and is in the figure', async () => {
        const merchantId = newMerchant();
        const flush = await openFlush(merchantId, [eventAt(merchantId, ago(5), { subject: 'cus_a' })]);
        const other = newMerchant();
        const foreign = await openFlush(other, [eventAt(other, ago(5), { subject: 'cus_a' })]);
        const waitFor = await inMerchant(merchantId, async (tx) => {
          const writers = await settleUsage(tx, { merchantId, subjects: ['cus_b'], until: NOW }, NOW);
          expect(await isSettled(tx, writers)).toBe(false);
          return writers;
        });
        expect(await settledNow(merchantId, waitFor)).toBe(false);
        await flush.end();
        expect(await settledNow(merchantId, waitFor)).toBe(true);
        await foreign.end();
      });

      it('that began while it was raised is late', async () => {
        const merchantId = newMerchant();
        await intake.accept([eventAt(merchantId, NOW, { subject: 'cus_a' })], NOW);
        const { open, writers } = await inMerchant(merchantId, async (tx) => {
          const told = await settleUsage(tx, { merchantId, subjects: ['cus_a'], until: NOW }, NOW);
          const times = [ago(5), NOW.add({ seconds: 5 })];
          const opened = [];
          for (const at of times)
            opened.push(await openFlush(merchantId, [eventAt(merchantId, at, { subject: 'cus_a' })]));
          return { open: opened, writers: told };
        });
        expect(await settledNow(merchantId, writers)).toBe(true);
        const taken = await take(merchantId);
        for (const each of open) await each.end();
        expect(await lateRows(merchantId)).toBe(2);
        expect(await isLate(merchantId, ['cus_a'], taken)).toBe(true);
        await needlessLateChore.run(env.database, NOW);
        expect(await lateRows(merchantId)).toBe(1);
        expect(await isLate(merchantId, ['cus_a'], taken)).toBe(true);
      });

      it('is let go on as soon as the figure is read, and is late', async () => {
        const merchantId = newMerchant();
        const send = (seconds: number) => intake.accept([eventAt(merchantId, ago(seconds), { subject: 'cus_a' })], NOW);
        await send(9);
        const flush = await openFlush(merchantId, [eventAt(merchantId, ago(8), { subject: 'cus_a' })]);
        const taken = await inMerchant(merchantId, async (tx) => {
          const reading = lockMarksAndRead(tx, async () => ({
            at: NOW,
            snapshot: await usageSnapshot(tx),
            count: await countOf(tx, 'cus_a'),
          }));
          await flush.end(); // the reading waits for it
          const read = await reading;
          await send(7); // does not wait for the end of this transaction
          await settleUsage(tx, { merchantId, subjects: ['cus_a'], until: NOW }, NOW);
          return read;
        });
        expect(taken.count).toBe(2);
        expect(await isLate(merchantId, ['cus_a'], taken)).toBe(true);
        expect(await isLate(merchantId, ['cus_a'], { ...taken, at: ago(8) })).toBe(false);
        const anew = await take(merchantId);
        expect(await isLate(merchantId, ['cus_a'], anew)).toBe(false);
      });

      it('never changes a figure without being late', async () => {
        for (let round = 0; round < 12; round += 1) {
          const merchantId = newMerchant();
          const names = [{ subject: 'cus_a' }, { externalSubject: 'x' }, { subject: 'sub_a' }];
          const send = (n: number) =>
            intake.accept([eventAt(merchantId, ago((n * 37) % 50), names[n % 3] as Partial<IncomingEvent>)], NOW);
          const figures: { taken: TakenUsage; count: number }[] = [];
          const takeFigure = async (waitFor: string): Promise<void> => {
            const figure = await inMerchant(merchantId, async (tx) => {
              if (!(await isSettled(tx, waitFor))) return null;
              return {
                taken: { at: NOW, snapshot: await usageSnapshot(tx) },
                count: await countOf(tx, 'cus_a'),
              };
            });
            if (figure === null) return takeFigure(waitFor);
            figures.push(figure);
          };
          const events = (from: number) => Array.from({ length: 12 }, (_, n) => send(from + n));
          await Promise.all([
            ...events(0),
            settle(merchantId, ['cus_a']).then(takeFigure),
            link(merchantId, 'x', 'cus_a'),
            ...events(12),
          ]);
          await Promise.all([...events(24), settle(merchantId, ['cus_a']).then(takeFigure)]);
          const final = await inMerchant(merchantId, (tx) => countOf(tx, 'cus_a'));
          expect(figures).toHaveLength(2);
          for (const { taken, count } of figures)
            if (!(await isLate(merchantId, ['cus_a'], taken))) expect(count).toBe(final);
        }
      });
    }, 60_000);

    it('is late for several customers at once as for each by itself', async () => {
      const merchantId = newMerchant();
      const subjects = ['a', 'b', 'c', 'd'].map((name) => [`sub_${name}`, `cus_${name}`]);
      await settle(merchantId, subjects.flat());
      const taken = [await take(merchantId, ago(20)), await take(merchantId)];
      for (const [subject, seconds] of [
        ['cus_a', 30],
        ['sub_b', 10],
        ['cus_d', -5],
      ] as const)
        await intake.accept([eventAt(merchantId, ago(seconds), { subject })], NOW);
      const foreign = [{ at: NOW, snapshot: `1/${taken[0]?.snapshot.split('/')[1]}` }];
      const asked = [
        ...subjects.map((each) => ({ subjects: each, taken })),
        ...[
          { subjects: ['cus_c'], taken: [] },
          { subjects: ['cus_c'], taken: foreign },
        ],
      ];
      const answers = await inMerchant(merchantId, (tx) => lateSinceOf(tx, asked));
      const each = asked.map((one) => inMerchant(merchantId, (tx) => lateSince(tx, one.subjects, one.taken)));
      expect(answers).toEqual(await Promise.all(each));
      expect(answers.map((those) => those.includes(true))).toEqual([true, true, false, false, false, true]);
    });

    it('late usage is forgotten when it makes no figure late that is kept', async () => {
      const merchantId = newMerchant();
      await settle(merchantId, ['cus_a', 'cus_b']);
      const sendLate = (subject: string) => intake.accept([eventAt(merchantId, ago(5), { subject })], NOW);
      const first = await take(merchantId);
      await sendLate('cus_a');
      await sendLate('cus_b');
      const second = await take(merchantId);
      await sendLate('cus_a');
      const forget = (kept: TakenUsage[]) => inMerchant(merchantId, (tx) => forgetLate(tx, ['cus_a'], kept));
      const earlier = { ...first, at: ago(6) };
      await forget([first, second]);
      expect(await lateRows(merchantId)).toBe(3);
      await forget([second, earlier]);
      expect(await lateRows(merchantId)).toBe(2);
      expect(await isLate(merchantId, ['cus_a'], second)).toBe(true);
      await forget([]);
      expect(await lateRows(merchantId)).toBe(1);
      expect(await isLate(merchantId, ['cus_b'], first)).toBe(true);
    });

    it('a figure that is not kept any more is late, whatever was forgotten of what came late', async () => {
      const merchantId = newMerchant();
      await settle(merchantId, ['cus_a']);
      const taken = [await take(merchantId)];
      for (const isKept of [true, false])
        expect(await inMerchant(merchantId, (tx) => lateSince(tx, ['cus_a'], taken, sql`${isKept}::boolean`))).toEqual([
          !isKept,
        ]);
    });

    it('after a move to another server figures from before are late, and others are not for what came before', async () => {
      const merchantId = newMerchant();
      await settle(merchantId, ['cus_a']);
      const taken = await take(merchantId);
      const [, snapshot] = taken.snapshot.split('/');
      expect(await isLate(merchantId, ['cus_a'], { at: NOW, snapshot: `7000000000000000001/${snapshot}` })).toBe(true);
      await inMerchant(merchantId, (tx) =>
        tx.run(sql`insert into usage_late (merchant_id, subject_id, at, xid)
        select merchant_id, id, ${ago(5)}, '4611686018427387904' from event_subject`),
      );
      expect(await isLate(merchantId, ['cus_a'], taken)).toBe(false);
    });
  },
);
