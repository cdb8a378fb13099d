import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ArchivedEvent, fromParquet, hashOf, toParquet } from './parquet.ts';

/** A file of the archive has each event exactly as it is stored. */

const text = fc.string({ unit: 'grapheme' });
const event: fc.Arbitrary<ArchivedEvent> = fc.record({
  seq: fc.bigInt(0n, 2n ** 63n - 1n),
  at: fc.bigInt(946_684_800_000_000n, 7_258_118_399_999_999n),
  acceptedAt: fc.bigInt(946_684_800_000_000n, 7_258_118_399_999_999n),
  subjectId: fc.bigInt(0n, 2n ** 63n - 1n),
  type: text,
  source: text,
  idempotencyKey: text,
  data: fc.json(),
  externalSubject: fc.option(text),
  externalId: fc.option(text),
});

it('is the same when it is read back, to the last digit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 40 }), async (events) => {
      const read = await fromParquet(await toParquet(events));
      expect(read).toEqual(events);
      expect(await hashOf(read)).toEqual(await hashOf(events));
    }),
    { numRuns: 50 },
  );
});

it('of many events has several groups of rows, and numbers with all their digits', async () => {
  const events = Array.from(
    { length: 60_001 },
    (_, n): ArchivedEvent => ({
      ...{
        seq: BigInt(n) + 2n ** 53n + 1n,
        at: 1_767_225_600_000_001n + BigInt(n),
        acceptedAt: 1_767_225_600_123_456n,
      },
      ...{ subjectId: BigInt(n % 7), type: n % 2 === 0 ? 'call' : 'höher', source: 's', idempotencyKey: `k${n}` },
      data: `{"units": ${n}.10000000000000000000000000000000000001}`,
      ...{ externalSubject: n % 3 === 0 ? null : '', externalId: null },
    }),
  );
  const read = await fromParquet(await toParquet(events));
  expect(read).toHaveLength(events.length);
  expect(read[60_000]).toEqual(events[60_000]);
  expect(await hashOf(read)).toEqual(await hashOf(events));
});

it('has another hash where one column of one event is another one', async () => {
  const [one] = fc.sample(event, 1) as [ArchivedEvent];
  const others = [
    { ...one, at: one.at + 1n },
    { ...one, externalId: `${one.externalId ?? ''}x` },
    { ...one, data: '0' },
  ];
  const hashes = await Promise.all([one, ...others].map(async (each) => (await hashOf([each])).toString('hex')));
  expect(new Set(hashes).size).toBe(4);
});

it('cut short is no file', async () => {
  const [one] = fc.sample(event, 1) as [ArchivedEvent];
  await expect(fromParquet((await toParquet([one])).subarray(0, -9))).rejects.toThrow();
});
