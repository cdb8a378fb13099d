import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cases } from '../../../test/support/cases.ts';
import { cloneDatabase } from '../../../test/support/environment.ts';
import { Database, type Tx } from '../../db/index.ts';
import { plain } from '../../kernel/decimal.ts';
import { orThrow } from '../../kernel/result.ts';
import { acceptEvents } from '../intake/intake.ts';
import { linkExternalSubject } from '../intake/subjects.ts';
import type { Aggregation } from '../meter/meter.ts';
import type { UsageScope } from '../meter/usage-request.ts';
import { registerMeter } from '../stored/rollups.ts';
import { measureEach, rawUsage } from './usage.ts';

/** Two processes on one database. Each remembers its own readings. */
let processes: Database[];
let url: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  ({ drop, url } = clone);
  processes = [1, 2].map(() => new Database({ url, connections: 2 }));
});
afterAll(async () => {
  for (const database of processes) await database.close();
  await drop();
});

const HOUR = Temporal.Instant.from('2026-02-01T10:00:00Z');
const minute = (minutes: number) => HOUR.add({ minutes });
const AGGREGATIONS: readonly Aggregation[] = ['SUM', 'COUNT', 'AVG', 'MIN', 'MAX'];
const meterOf = (aggregation: Aggregation) => ({
  ...{ eventType: 'call', aggregation, valueProperty: '$.v' },
  ...{ groupBy: null, eventFrom: null },
});

/** A merchant with the customer `cus_acme`. Its events have the subject `acme`, or name the customer itself. */
async function newMerchant(): Promise<string> {
  const merchantId = `org_${randomBytes(8).toString('hex')}`;
  await within(0, merchantId, async (tx) => {
    await linkExternalSubject(tx, { merchantId, externalId: 'acme', customerId: 'cus_acme' }, HOUR);
    for (const aggregation of ['SUM', 'COUNT'] as const) await registerMeter(tx, meterOf(aggregation));
  });
  return merchantId;
}

const within = <T>(index: number, merchantId: string, work: (tx: Tx) => Promise<T>) =>
  (processes[index] as Database).transaction({ merchants: [merchantId] }, work);

/** Forty events, a second apart: too many for repeated readings. */
const accept = async (tx: Tx, from: number, value: number, subject: string | null = null) =>
  orThrow(
    await acceptEvents(
      tx,
      Array.from({ length: 40 }, (_, second) => ({
        ...{
          merchantId: tx.merchantId,
          type: 'call',
          source: 'test',
          subject,
          externalSubject: subject === null ? 'acme' : null,
        },
        ...{ externalId: null, at: minute(from).add({ seconds: second }).toString(), isTimeSent: true },
        ...{ idempotencyKey: randomBytes(8).toString('hex'), data: JSON.stringify({ v: value + second }) },
      })),
      HOUR,
    ),
  );

const scopesOf = (merchantId: string, from: number, to: number): UsageScope[] =>
  AGGREGATIONS.map((aggregation) => ({
    ...{ merchantId, meter: meterOf(aggregation), from: minute(from), to: minute(to) },
    sources: [{ subject: 'cus_acme', from: minute(from), to: minute(to) }],
  }));

/** The stored figures and the figures from the events, in one snapshot except for commits in between. */
async function both(tx: Tx, scopes: readonly UsageScope[]): Promise<[string[], string[]]> {
  const kept = await measureEach(tx, scopes);
  const raw = [];
  for (const scope of scopes) raw.push(...(await rawUsage.measure(tx, scope, [{}])).flat());
  const shown = (figures: typeof kept) => figures.map(({ value, eventCount }) => `${plain(value)} of ${eventCount}`);
  return [shown(kept), shown(raw)];
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('accept', 'ask', 'ask', 'ask having accepted', 'roll back'),
    process: fc.nat({ max: 1 }),
    at: fc.constantFrom(-30, 5, 16, 17, 18, 45, 70, 100),
    from: fc.constantFrom(0, 17, -20),
    to: fc.constantFrom(18, 40, 60, 90, 160),
    value: fc.nat({ max: 50 }),
    subject: fc.constantFrom(null, 'cus_acme'),
  }),
  { minLength: 4, maxLength: 10 },
);

it('a remembered figure equals that of the events, after any events, rollbacks and questions in between', () =>
  fc.assert(
    fc.asyncProperty(steps, async (life) => {
      const merchantId = await newMerchant();
      for (const { kind, process, at, from, to, value, subject } of life) {
        const work = async (tx: Tx) => {
          if (kind !== 'ask') await accept(tx, at, value, subject);
          const [kept, raw] = kind === 'accept' ? [] : await both(tx, scopesOf(merchantId, from, to));
          expect(kept).toEqual(raw);
          if (kind === 'roll back') throw new RangeError('rolled back');
        };
        await within(process, merchantId, work).catch((error: unknown) => {
          if (!(error instanceof RangeError)) throw error;
        });
      }
    }),
    cases(4, 15),
  ));

it('of an hour that was read before, no event is read again until it has another one', async () => {
  const merchantId = await newMerchant();
  const ask = () => within(0, merchantId, async (tx) => (await both(tx, scopesOf(merchantId, 17, 400)))[0]);
  await within(0, merchantId, (tx) => accept(tx, 5, 1));
  await within(0, merchantId, (tx) => accept(tx, 20, 2));
  const before = await ask();
  expect(before).toEqual(['860 of 40', '40 of 40', '21.5 of 40', '2 of 40', '41 of 40']);
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query('set session_replication_role = replica');
  await owner.query('delete from event where merchant_id = $1', [merchantId]);
  await owner.end();
  expect(await ask()).toEqual(before);
  await within(0, merchantId, (tx) => accept(tx, 50, 7));
  expect(await ask()).not.toEqual(before);
});
