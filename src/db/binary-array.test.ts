import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { BinaryArray, type ElementType } from './binary-array.ts';
import { sql } from './sql.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

/** What PostgreSQL reads of an array, each element as text. */
async function read<Item>(
  type: ElementType,
  items: readonly Item[],
  add: (array: BinaryArray, item: Item) => void,
): Promise<(string | null)[]> {
  const array = new BinaryArray(type);
  for (const item of items) add(array, item);
  const elements = sql`${array.finished()}::${sql.raw(type)}[]`;
  const { found } = await env.database.transaction('nobody', (tx) =>
    tx.one<{ found: (string | null)[] }>(
      sql`select coalesce(array_agg(e::text order by place), '{}') as found
            from unnest(${elements}) with ordinality n (e, place)`,
    ),
  );
  return found;
}

const texts = (items: readonly (string | null)[], type: ElementType = 'text') =>
  read(type, items, (array, text) => array.addText(text));
const instants = (items: readonly string[]) => read('timestamptz', items, (array, text) => array.addInstant(text));

describe('an array in binary', () => {
  it('may be empty', async () => expect(await texts([])).toEqual([]));

  it('holds texts of any length and characters, and nulls', async () => {
    const text = fc.oneof(
      fc.constant(null),
      fc.string({ unit: 'binary' }).filter((each) => each.isWellFormed() && !each.includes('\0')),
      fc.constantFrom('', '{', '"', '\\', 'NULL', 'é'.repeat(31), '€'.repeat(2_000), 'a'.repeat(32), 'a'.repeat(5_000)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 50 }), async (items) => {
        expect(await texts(items)).toEqual(items);
      }),
      { numRuns: 30 },
    );
  });

  it('holds JSON', async () =>
    expect(await texts(['{"a":"\\"é€\\\\"}', '[]', '1.50'], 'jsonb')).toEqual(['{"a": "\\"é€\\\\"}', '[]', '1.50']));

  it('holds whole numbers', async () => {
    const integers = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)];
    expect(await read('int4', integers, (array, each) => array.addInteger(each))).toEqual(integers.map(String));
    const large = [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)];
    expect(await read('int8', large, (array, each) => array.addBigint(each))).toEqual(large.map(String));
  });

  it('holds names by their hexadecimal digits', async () =>
    expect(await read('uuid', ['0123456789abcdef0123456789abcdef'], (array, each) => array.addUuid(each))).toEqual([
      '01234567-89ab-cdef-0123-456789abcdef',
    ]));

  it('holds instants to the microsecond', async () => {
    const expected = [
      ['2000-01-01T00:00:00Z', '2000-01-01 00:00:00+00'],
      ['1999-12-31T23:59:59.999999Z', '1999-12-31 23:59:59.999999+00'],
      ['2024-02-29T12:30:00.1Z', '2024-02-29 12:30:00.1+00'],
      ['2026-03-01T00:00:00.000001Z', '2026-03-01 00:00:00.000001+00'],
      ['2199-12-31T23:59:59.999999Z', '2199-12-31 23:59:59.999999+00'],
    ] as const;
    expect(await instants(expected.map(([sent]) => sent))).toEqual(expected.map(([, stored]) => stored));
    const microseconds = fc.bigInt({ min: 946_684_800_000_000n, max: 7_258_118_399_999_999n });
    await fc.assert(
      fc.asyncProperty(fc.array(microseconds, { maxLength: 50 }), async (all) => {
        const sent = all.map((each) => Temporal.Instant.fromEpochNanoseconds(each * 1_000n).toString());
        const stored = await instants(sent);
        expect(stored.map((text) => Temporal.Instant.from(`${text?.replace(' ', 'T')}:00`).toString())).toEqual(sent);
      }),
      { numRuns: 30 },
    );
  });
});
