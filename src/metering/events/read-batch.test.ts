import { describe, expect, it } from 'vitest';
import { readJsonParts } from '../../http/index.ts';
import type { FieldError, Result } from '../../kernel/result.ts';
import type { IncomingEvent } from './incoming-event.ts';
import { BODY_LIMITS, readBatch } from './read-batch.ts';

const defaults = {
  namespace: 'org_mine',
  now: Temporal.Instant.from('2026-03-01T00:00:00Z'),
  headerKey: undefined,
  mayNameAny: true,
};
const event = { type: 'call', source: 'https://api.example', subject: 'cus_1' };
const readText = async (text: string, headerKey?: string) =>
  readBatch(await readJsonParts(text, BODY_LIMITS), { ...defaults, headerKey });
const read = (body: unknown, headerKey?: string) => readText(JSON.stringify(body), headerKey);

const errorsOf = (result: Result<IncomingEvent[]>): FieldError[] =>
  result.ok || result.refusal.kind !== 'validation' ? [] : result.refusal.errors;
const fieldsOf = (result: Result<IncomingEvent[]>): string[] => errorsOf(result).map(({ field }) => field);
const one = (result: Result<IncomingEvent[]>): IncomingEvent => {
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value[0] as IncomingEvent;
};

describe('an event', () => {
  it.each([
    { name: 'no type', more: { type: undefined }, field: 'type' },
    { name: 'an empty type', more: { type: '' }, field: 'type' },
    { name: 'a type of 256 characters', more: { type: 'x'.repeat(256) }, field: 'type' },
    { name: 'a number as type', more: { type: 3 }, field: 'type' },
    { name: 'no source', more: { source: undefined }, field: 'source' },
    { name: 'neither subject nor externalSubject', more: { subject: undefined }, field: 'subject' },
    { name: 'a null subject', more: { subject: null }, field: 'subject' },
    { name: 'an empty subject', more: { subject: '' }, field: 'subject' },
    { name: 'a subject of 256 characters', more: { subject: 'x'.repeat(256) }, field: 'subject' },
    { name: 'an empty externalSubject', more: { externalSubject: '' }, field: 'externalSubject' },
    {
      name: 'an externalSubject of 256 characters',
      more: { externalSubject: 'x'.repeat(256) },
      field: 'externalSubject',
    },
    { name: 'an externalSubject with a dot', more: { externalSubject: 'a.b' }, field: 'externalSubject' },
    { name: 'an externalSubject with a line end', more: { externalSubject: 'a\n' }, field: 'externalSubject' },
    { name: 'an externalId with a space', more: { externalId: 'a b' }, field: 'externalId' },
    { name: 'an externalId of 256 characters', more: { externalId: 'x'.repeat(256) }, field: 'externalId' },
    { name: 'an empty idempotencyKey', more: { idempotencyKey: '' }, field: 'idempotencyKey' },
    { name: 'an idempotencyKey of 256 characters', more: { idempotencyKey: 'x'.repeat(256) }, field: 'idempotencyKey' },
    { name: 'a namespace that is no organization', more: { namespace: 'mine' }, field: 'namespace' },
    { name: 'a bare date', more: { timestamp: '2026-01-01' }, field: 'timestamp' },
    { name: 'a time without an offset', more: { timestamp: '2026-01-01T00:00:00' }, field: 'timestamp' },
    { name: 'a time before 2000', more: { timestamp: '1999-12-31T23:59:59.999999Z' }, field: 'timestamp' },
    { name: 'a time in 2200', more: { timestamp: '2200-01-01T00:00:00Z' }, field: 'timestamp' },
    { name: 'a list as data', more: { data: [] }, field: 'data' },
    { name: 'text as data', more: { data: 'x' }, field: 'data' },
    { name: 'a field that does not exist', more: { specversion: '1.0' }, field: 'specversion' },
    { name: 'NUL in a field', more: { source: 'a\0' }, field: 'source' },
    { name: 'a lone surrogate in a field', more: { type: 'a\ud800' }, field: 'type' },
    { name: 'NUL deep in data', more: { data: { a: [{ b: 'x\0' }] } }, field: 'data.a.0.b' },
    { name: 'NUL in a key of data', more: { data: { 'a\0': 1 } }, field: 'data' },
    { name: 'a lone surrogate in data', more: { data: { a: '\udc00' } }, field: 'data.a' },
    { name: 'data of more than 32 KiB', more: { data: { a: 'x'.repeat(32 * 1024) } }, field: 'data' },
    {
      name: 'more than 1,000 keys',
      more: { data: Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [n, 1])) },
      field: 'data',
    },
  ])('with $name is refused at $field', async ({ more, field }) => {
    expect(fieldsOf(await read({ ...event, ...more }))).toEqual([field]);
  });

  it.each([
    { number: '1'.repeat(38), taken: true },
    { number: '1'.repeat(39), taken: false },
    { number: `0.${'1'.repeat(38)}`, taken: true },
    { number: `1.${'1'.repeat(38)}`, taken: false },
    { number: '1e38', taken: true },
    { number: '1e39', taken: false },
    { number: '1e-38', taken: true },
    { number: '1e-39', taken: false },
    { number: '1e400', taken: false },
    { number: '-0.0', taken: true },
  ])('with the number $number is taken: $taken', async ({ number, taken }) => {
    const body = `{"type":"t","source":"s","subject":"x","data":{"a":{"v":${number}}}}`;
    expect(fieldsOf(await readText(body))).toEqual(taken ? [] : ['data.a.v']);
  });

  it.each([{ body: 12 }, { body: 'text' }, { body: true }, { body: null }])('is not $body', async ({ body }) => {
    expect(errorsOf(await read(body))).toEqual([{ field: 'body', message: 'must be an object' }]);
  });

  it('is not a number with many digits either', async () =>
    expect(fieldsOf(await readText(`[${'1'.repeat(30)}]`))).toEqual(['0']));

  it('whose data is a number with many digits is refused', async () =>
    expect(fieldsOf(await readText(`{"type":"t","source":"s","subject":"x","data":${'1'.repeat(30)}}`))).toEqual([
      'data',
    ]));

  it('gets what it leaves out', async () => {
    expect(one(await read(event))).toMatchObject({
      merchantId: 'org_mine',
      at: defaults.now.toString(),
      isTimeSent: false,
      data: '{}',
      externalSubject: null,
      externalId: null,
      idempotencyKey: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
    });
  });

  it('keeps its time cut to the microsecond, in UTC', async () => {
    const { at, isTimeSent } = one(await read({ ...event, timestamp: '2026-01-01T02:00:00.123456999+02:00' }));
    expect({ at, isTimeSent }).toEqual({ at: '2026-01-01T00:00:00.123456Z', isTimeSent: true });
  });

  it.each([
    { key: undefined, header: 'from-header', used: 'from-header' },
    { key: 'own', header: 'from-header', used: 'own' },
  ])('with the key $key and the header $header has $used', async ({ key, header, used }) =>
    expect(one(await read({ ...event, idempotencyKey: key }, header)).idempotencyKey).toBe(used),
  );

  it.each(['', 'ä', 'x'.repeat(256)])('is refused with the header %j', async (header) =>
    expect(fieldsOf(await read(event, header))).toEqual(['Idempotency-Key']),
  );

  it('with a key of its own does not look at the header', async () =>
    expect((await read({ ...event, idempotencyKey: 'own' }, 'ä')).ok).toBe(true));
});

describe('an array', () => {
  it('names every failing field by its place', async () => {
    const body = [event, { ...event, type: 3, timestamp: 'today' }, 7, { source: 's', data: { a: '\0' } }];
    expect(fieldsOf(await read(body))).toEqual(['1.type', '1.timestamp', '2', '3.type', '3.subject', '3.data.a']);
  });

  it('names the first 1,000 and counts the rest', async () => {
    const result = await read(Array.from({ length: 1200 }, () => ({ ...event, type: 3 })));
    expect(errorsOf(result).length).toBe(1000);
    expect(result).toMatchObject({ ok: false, refusal: { total: 1200 } });
  });

  it('holds 10,000 events and not one more', async () => {
    expect((await read(Array.from({ length: 10_000 }, () => event))).ok).toBe(true);
    expect(errorsOf(await read(Array.from({ length: 10_001 }, () => event)))).toMatchObject([
      { field: 'body', message: 'must have at most 10,000 events', code: 'TOO_MANY_EVENTS' },
    ]);
  });

  it('takes no notice of the header', async () => {
    const result = await read([event, event], 'one-for-both');
    expect(result.ok && new Set(result.value.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  });

  it('may be empty', async () => expect(await read([])).toEqual({ ok: true, value: [] }));
});
