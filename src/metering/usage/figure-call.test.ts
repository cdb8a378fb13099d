import { expect, it } from 'vitest';
import { type FigureCall, figureCall } from './figure-call.ts';
import { KnownHours } from './known-hours.ts';

const KIBIBYTE = 1_024;

it('a call that is kept takes no memory of its own for hours of which nothing is known', async () => {
  const [from, to] = [Temporal.Instant.from('2026-02-01T10:00:00Z'), Temporal.Instant.from('2026-02-01T12:30:00Z')];
  const meter = {
    eventType: 'call',
    aggregation: 'SUM',
    valueProperty: '$.v',
    groupBy: null,
    eventFrom: null,
  } as const;
  const scope = { merchantId: 'org_1', meter, sources: [{ subject: 'cus_1', from, to }], from, to };
  const hours = new KnownHours(); // what all calls share
  const database = { constant: async <T>() => hours as T };
  const before = process.memoryUsage().arrayBuffers;
  const kept: (FigureCall | null)[] = [];
  while (kept.length < 100) kept.push(await figureCall(database, [scope]));
  const more = process.memoryUsage().arrayBuffers - before;
  expect(kept.every((call) => call?.functions.length === 1)).toBe(true);
  expect(more / kept.length).toBeLessThan(16 * KIBIBYTE);
});
