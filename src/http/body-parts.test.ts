import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyError, type PartLimits, readJsonBody, readJsonParts } from './body.ts';

const limits: PartLimits = { mostParts: 10_000, mostBytes: 64 * 1024, mostValues: 2_000, mostValuesInAll: 500_000 };

const partsOf = async (text: string, more: Partial<PartLimits> = {}) => {
  const parts = await readJsonParts(text, { ...limits, ...more });
  if (parts === undefined) return;
  const indices = Array.from({ length: parts.length }, (_, index) => index);
  return {
    isArray: parts.isArray,
    values: indices.map((index) => parts.read(index)),
    problems: indices.map((index) => parts.problemOf(index)),
  };
};

/** The whole text, read from its parts. */
async function wholeOf(text: string): Promise<unknown> {
  const parts = await partsOf(text);
  return parts?.isArray ? parts.values : parts?.values[0];
}

/** Without the key that is forbidden in bodies; it has a test of its own. */
const allowed = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"__proto__":'));
const spaced = fc.tuple(allowed, fc.constantFrom(undefined, 1, '\t'), fc.constantFrom('', ' ', '\r\n\t'));

describe('a body that is read in parts', () => {
  it('is what it is when it is read at once', async () => {
    await fc.assert(
      fc.asyncProperty(spaced, async ([value, indent, blank]) => {
        const text = blank + JSON.stringify(value, null, indent) + blank;
        expect(JSON.stringify(await wholeOf(text))).toBe(JSON.stringify(readJsonBody(text)));
      }),
    );
  });

  it('is refused where it is when it is read at once', async () => {
    const broken = fc
      .tuple(fc.jsonValue(), fc.nat(), fc.constantFrom('', ',', ']', '[', '}', '{', '"', '\\', ' ', ':', '1'))
      .map(([value, at, more]) => {
        const text = JSON.stringify([value, value]);
        const index = at % (text.length + 1);
        return text.slice(0, index) + more + text.slice(more === '' ? index + 1 : index);
      });
    const readable = (read: Promise<unknown>) =>
      read.then(
        (value) => JSON.stringify(value),
        (error: unknown) => {
          expect(error).toBeInstanceOf(BodyError);
          return 'refused';
        },
      );
    await fc.assert(
      fc.asyncProperty(broken, async (text) => {
        const atOnce = readable((async () => readJsonBody(text))());
        expect(await readable(wholeOf(text))).toBe(await atOnce);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    '[',
    '[1',
    '[1,]',
    '[,1]',
    '[1,,2]',
    '[1]]',
    '[1] [2]',
    '[1],',
    '[{]}',
    '[{"a":1]',
    '[1}',
    '[",]',
    '\u00a0[]',
    '[\u00a01]',
  ])('%s is no JSON', async (text) => {
    await expect(partsOf(text)).rejects.toThrow(BodyError);
  });

  it('has no part where the array is empty, and is none where there is nothing', async () => {
    expect(await partsOf(' [ \n] ')).toEqual({ isArray: true, values: [], problems: [] });
    expect(await partsOf(' \r\n')).toBeUndefined();
  });

  it('does not look into strings for what divides it', async () => {
    expect(await wholeOf('["a,]\\"[","\\\\",{"a,b":"}"}]')).toEqual(['a,]"[', '\\', { 'a,b': '}' }]);
  });

  it.each([
    { name: 'a part that is too long', text: `[1,"${'x'.repeat(65_535)}"]`, problem: 'must be at most 64 KiB as sent' },
    {
      name: 'of two bytes for a letter',
      text: `[1,"${'é'.repeat(32_768)}"]`,
      problem: 'must be at most 64 KiB as sent',
    },
    { name: 'too many values', text: `[1,[${'1,'.repeat(2_000)}1]]`, problem: 'must hold at most 2,000 values' },
    { name: 'too many keys', text: `[1,{${'"":1,'.repeat(2_000)}"a":1}]`, problem: 'must hold at most 2,000 values' },
  ])('tells by its place: $name', async ({ text, problem }) => {
    expect((await partsOf(text))?.problems).toEqual([null, problem]);
  });

  it.each([
    { name: 'an object', text: `{"a":[${'1e1,'.repeat(2_000_000)}1]}` },
    { name: 'a string', text: `"${'x'.repeat(8_000_000)}"` },
    { name: 'keys', text: `{${'"kk":1e1,'.repeat(500_000)}"k":1}` },
  ])('is not looked through where $name alone is too long', async ({ text }) => {
    expect((await readJsonParts(text, limits))?.problemOf(0)).toBe('must be at most 64 KiB as sent');
  });

  it.each(['1e1,', '{},', '"",', '[],', '1, '])('of many %s has one more than it may have', async (part) => {
    const parts = await readJsonParts(`[${part.repeat(1_000_000)}1]`, limits);
    expect(parts?.length).toBe(10_001);
    expect((await readJsonParts(`[${part.repeat(9_999)}1]`, limits))?.length).toBe(10_000);
  });

  it('is refused with more values in all than it may have', async () => {
    const part = `[${'1,'.repeat(1_000)}1]`;
    await expect(readJsonParts(`[${`${part},`.repeat(600)}1]`, limits)).rejects.toThrow('more than 500,000 values');
  });

  it.each(['[{"__proto__":1}]', '[1,{"a":{"\\u005f_proto__" : 1}}]', '{"__proto__":1}'])(
    '%s is refused for its key',
    async (text) => {
      await expect(readJsonParts(text, limits)).rejects.toThrow('not allowed');
    },
  );

  it('is refused deeper than 32 levels, the array counted', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    await expect(readJsonParts(nested(33), limits)).rejects.toThrow('32');
    expect((await readJsonParts(nested(32), limits))?.length).toBe(1);
    await expect(readJsonParts(nested(1_000_000), limits)).rejects.toThrow('32');
  });
});
