import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../db/index.ts';
import type { FieldError, Result } from '../kernel/result.ts';
import type { IncomingEvent } from './incoming-event.ts';
import { readBatch } from './read-batch.ts';

const defaults = { namespace: 'org_mine', now: Temporal.Instant.from('2026-03-01T00:00:00Z'), headerKey: undefined };
const event = { type: 'call', source: 'https://api.example', subject: 'cus_1' };
const read = (body: unknown, headerKey?: string) =>
  readBatch(parseExactJson(JSON.stringify(body)), { ...defaults, headerKey });

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
  ])('with $name is refused at $field', ({ more, field }) => {
    expect(fieldsOf(read({ ...event, ...more }))).toEqual([field]);
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
  ])('with the number $number is taken: $taken', ({ number, taken }) => {
    const body = parseExactJson(`{"type":"t","source":"s","subject":"x","data":{"a":{"v":${number}}}}`);
    expect(fieldsOf(readBatch(body, defaults))).toEqual(taken ? [] : ['data.a.v']);
  });

  it.each([{ body: 12 }, { body: 'text' }, { body: true }, { body: null }])('is not $body', ({ body }) => {
    expect(errorsOf(readBatch(body, defaults))).toEqual([{ field: '', message: 'must be an object' }]);
  });

  it('is not a number with many digits either', () =>
    expect(fieldsOf(readBatch(parseExactJson(`[${'1'.repeat(30)}]`), defaults))).toEqual(['0']));

  it('whose data is a number with many digits is refused', () =>
    expect(
      fieldsOf(readBatch(parseExactJson(`{"type":"t","source":"s","subject":"x","data":${'1'.repeat(30)}}`), defaults)),
    ).toEqual(['data']));

  it('gets what it leaves out', () => {
    expect(one(read(event))).toMatchObject({
      merchantId: 'org_mine',
      at: defaults.now.toString(),
      isTimeSent: false,
      data: '{}',
      externalSubject: null,
      externalId: null,
      idempotencyKey: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
    });
  });

  it('keeps its time cut to the microsecond, in UTC', () => {
    const { at, isTimeSent } = one(read({ ...event, timestamp: '2026-01-01T02:00:00.123456999+02:00' }));
    expect({ at, isTimeSent }).toEqual({ at: '2026-01-01T00:00:00.123456Z', isTimeSent: true });
  });

  it.each([
    { key: undefined, header: 'from-header', used: 'from-header' },
    { key: 'own', header: 'from-header', used: 'own' },
  ])('with the key $key and the header $header has $used', ({ key, header, used }) =>
    expect(one(read({ ...event, idempotencyKey: key }, header)).idempotencyKey).toBe(used),
  );

  it.each(['', 'ä', 'x'.repeat(256)])('is refused with the header %j', (header) =>
    expect(fieldsOf(read(event, header))).toEqual(['Idempotency-Key']),
  );

  it('with a key of its own does not look at the header', () =>
    expect(read({ ...event, idempotencyKey: 'own' }, 'ä').ok).toBe(true));
});

describe('an array', () => {
  it('names every failing field by its place', () => {
    const body = [event, { ...event, type: 3, timestamp: 'today' }, 7, { source: 's', data: { a: '\0' } }];
    expect(fieldsOf(read(body))).toEqual(['1.type', '1.timestamp', '2', '3.type', '3.subject', '3.data.a']);
  });

  it('names the first 1,000 and counts the rest', () => {
    const result = read(Array.from({ length: 1200 }, () => ({ ...event, type: 3 })));
    expect(errorsOf(result).length).toBe(1000);
    expect(result).toMatchObject({ ok: false, refusal: { total: 1200 } });
  });

  it('holds 10,000 events and not one more', () => {
    expect(read(Array.from({ length: 10_000 }, () => event)).ok).toBe(true);
    expect(errorsOf(read(Array.from({ length: 10_001 }, () => event)))).toMatchObject([
      { field: '', message: 'must hold at most 10000 events' },
    ]);
  });

  it('takes no notice of the header', () => {
    const result = read([event, event], 'one-for-both');
    expect(result.ok && new Set(result.value.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  });

  it('may be empty', () => expect(read([])).toEqual({ ok: true, value: [] }));
});
