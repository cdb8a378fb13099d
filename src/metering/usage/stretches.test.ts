import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cases } from '../../../test/support/cases.ts';
import { cloneDatabase } from '../../../test/support/environment.ts';
import { Database } from '../../db/index.ts';
import { plain } from '../../kernel/decimal.ts';
import { orThrow } from '../../kernel/result.ts';
import { acceptEvents } from '../intake/intake.ts';
import type { Meter } from '../meter/meter.ts';
import { registerMeter } from '../stored/rollups.ts';
import { measureStretches } from './stretches.ts';
import { rawUsage } from './usage.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  drop = clone.drop;
  database = new Database({ url: clone.url, connections: 2 });
});
afterAll(async () => {
  await database.close();
  await drop();
});

const START = Temporal.Instant.from('2026-02-01T00:00:00Z');
const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');
/** Minutes, half of them whole hours, so that bounds divide hours and fall on their edges. */
const minute = fc.oneof(
  fc.integer({ min: 0, max: 40 }).map((hours) => hours * 60),
  fc.integer({ min: 0, max: 2_400 }),
);
const at = (minutes: number) => START.add({ minutes });

it('stretches that adjoin have the figures that each has by itself, with roll-ups and without', () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        aggregation: fc.constantFrom('SUM' as const, 'COUNT' as const, 'AVG' as const, 'UNIQUE_COUNT' as const),
        events: fc.array(
          fc.tuple(minute, fc.constantFrom('cus_1', 'sub_1', 'cus_2'), fc.integer({ min: -5, max: 9 })),
          {
            maxLength: 25,
          },
        ),
        bounds: fc.uniqueArray(minute, { minLength: 2, maxLength: 14 }),
        eventFrom: fc.option(minute),
        own: fc.tuple(minute, minute),
        isRegistered: fc.boolean(),
      }),
      async ({ aggregation, events, bounds, eventFrom, own, isRegistered }) => {
        const merchantId = `org_${randomBytes(8).toString('hex')}`;
        const meter: Meter = {
          eventType: 'call',
          aggregation,
          valueProperty: '$.v',
          groupBy: null,
          eventFrom: eventFrom === null ? null : at(eventFrom),
        };
        const [first, last] = [Math.min(...bounds), Math.max(...bounds)];
        const sources = [
          { subject: 'cus_1', from: at(first), to: at(last) },
          { subject: 'sub_1', from: at(Math.min(...own)), to: at(Math.max(...own)) },
        ];
        await database.transaction({ merchants: [merchantId] }, async (tx) => {
          if (isRegistered) await registerMeter(tx, meter);
          const incoming = events.map(([minutes, subject, v], index) => ({
            merchantId,
            type: 'call',
            source: 'test',
            subject,
            externalSubject: null,
            externalId: null,
            at: at(minutes).toString(),
            isTimeSent: true,
            idempotencyKey: `k${index}`,
            data: JSON.stringify({ v }),
          }));
          orThrow(await acceptEvents(tx, incoming, NOW));
          const instants = bounds.toSorted((a, b) => a - b).map(at);
          const scope = { merchantId, meter, sources };
          const figures = await measureStretches(tx, scope, instants);
          const alone: string[] = [];
          for (const [index, to] of instants.slice(1).entries()) {
            const question = { ...scope, from: instants[index] as Temporal.Instant, to };
            const [[row] = []] = await rawUsage.measure(tx, question, [{}]);
            alone.push(`${plain(row?.value as never)} of ${row?.eventCount}`);
          }
          expect(figures.map(({ value, eventCount }) => `${plain(value)} of ${eventCount}`)).toEqual(alone);
        });
      },
    ),
    cases(6, 25),
  ));
