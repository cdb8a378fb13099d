import { describe, expect, it } from 'vitest';
import { readJsonParts } from '../../http/index.ts';
import type { Result } from '../../kernel/result.ts';
import { formOf, fromHeaders } from './cloud-events.ts';
import type { IncomingEvent } from './incoming-event.ts';
import { BODY_LIMITS, readCloudEvents } from './read-batch.ts';

const defaults = {
  namespace: 'org_mine',
  now: Temporal.Instant.from('2026-03-01T00:00:00Z'),
  headerKey: undefined,
  mayNameAny: true,
};
const event = { specversion: '1.0', id: 'a', source: '/s', type: 'call', subject: 'cus_1' };
const read = async (body: unknown, headerKey?: string) =>
  readCloudEvents(await readJsonParts(JSON.stringify(body), BODY_LIMITS), { ...defaults, headerKey });
const fieldsOf = (result: Result<unknown>): string[] =>
  result.ok || result.refusal.kind !== 'validation' ? [] : result.refusal.errors.map(({ field }) => field);
const one = (result: Result<IncomingEvent[]>): IncomingEvent => {
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value[0] as IncomingEvent;
};

describe('the form of a request', () => {
  const binary = { 'ce-specversion': '1.0', 'ce-id': 'a' };
  it.each([
    { headers: { 'content-type': 'application/json' }, form: 'own' },
    { headers: { 'content-type': 'application/json', 'ce-traceparent': '00' }, form: 'own' },
    { headers: { 'content-type': 'application/json', 'ce-id': 'a' }, form: 'binary' },
    { headers: { 'content-type': 'application/json; charset=utf-8', ...binary }, form: 'binary' },
    { headers: binary, form: 'binary' },
    { headers: {}, form: 'own' },
    { headers: { 'content-type': 'application/cloudevents+json' }, form: 'structured' },
    { headers: { 'content-type': 'application/cloudevents+json; charset=UTF-8', ...binary }, form: 'structured' },
    { headers: { 'content-type': 'Application/CloudEvents+JSON;charset="utf-8"' }, form: 'structured' },
    { headers: { 'content-type': 'application/cloudevents-batch+json' }, form: 'batch' },
    { headers: { 'content-type': 'application/cloudevents+json; charset=iso-8859-1' }, form: null },
    { headers: { 'content-type': 'application/cloudevents-batch+json; x' }, form: null },
    { headers: { 'content-type': 'application/vnd.acme.usage+json', ...binary }, form: 'binary' },
    { headers: { 'content-type': 'application/vnd.acme.usage+json; charset=utf-16', ...binary }, form: null },
    { headers: { 'content-type': 'application/vnd.acme.usage+json' }, form: null },
  ])('$headers is $form', ({ headers, form }) => expect(formOf(headers)).toBe(form));
});

describe('a CloudEvent', () => {
  it('is read into our fields', async () => {
    const { at, ...rest } = one(
      await read({
        ...event,
        time: '2026-01-01T02:00:00.123456789+02:00',
        externalsubject: 'acme',
        externalid: 'row-1',
        namespace: 'org_mine',
        datacontenttype: 'application/vnd.usage+json; charset=utf-8',
        dataschema: 'https://example.com/schema',
        data: { units: 1 },
        traceparent: '00-ab-cd-01',
        sampled: 3,
      }),
    );
    expect({ at, ...rest }).toEqual({
      at: '2026-01-01T00:00:00.123456Z',
      isTimeSent: true,
      merchantId: 'org_mine',
      type: 'call',
      source: '/s',
      subject: 'cus_1',
      externalSubject: 'acme',
      externalId: 'row-1',
      idempotencyKey: 'a',
      keySource: '/s',
      data: '{"units":1}',
    });
  });

  it('gets server time and empty data where it has none; an attribute that is null was not sent', async () => {
    expect(
      one(await read({ ...event, time: null, externalid: null, data: null, datacontenttype: null })),
    ).toMatchObject({
      at: defaults.now.toString(),
      isTimeSent: false,
      externalId: null,
      data: '{}',
    });
  });

  it('takes no key from the Idempotency-Key header', async () =>
    expect(one(await read(event, 'of-header')).idempotencyKey).toBe('a'));

  it.each([
    { name: 'no specversion', more: { specversion: undefined }, field: 'specversion' },
    { name: 'another specversion', more: { specversion: '0.3' }, field: 'specversion' },
    { name: 'a number as specversion', more: { specversion: 1 }, field: 'specversion' },
    { name: 'no id', more: { id: undefined }, field: 'id' },
    { name: 'null as id', more: { id: null }, field: 'id' },
    { name: 'an empty id', more: { id: '' }, field: 'id' },
    { name: 'an id of 256 characters', more: { id: 'x'.repeat(256) }, field: 'id' },
    { name: 'a number as id', more: { id: 7 }, field: 'id' },
    { name: 'no source', more: { source: undefined }, field: 'source' },
    { name: 'no type', more: { type: undefined }, field: 'type' },
    { name: 'nobody whom it is addressed to', more: { subject: undefined }, field: 'subject' },
    { name: 'a time without an offset', more: { time: '2026-01-01T00:00:00' }, field: 'time' },
    { name: 'an externalsubject with a dot', more: { externalsubject: 'a.b' }, field: 'externalsubject' },
    { name: 'an externalid with a space', more: { externalid: 'a b' }, field: 'externalid' },
    { name: 'a namespace that is no organization', more: { namespace: 'mine' }, field: 'namespace' },
    { name: 'bytes', more: { data_base64: 'AQID' }, field: 'data_base64' },
    { name: 'data of XML', more: { datacontenttype: 'application/xml', data: '<a/>' }, field: 'datacontenttype' },
    { name: 'text as data', more: { data: '{"units":1}' }, field: 'data' },
    { name: 'a list as data', more: { data: [1] }, field: 'data' },
    { name: 'NUL in data', more: { data: { a: '\0' } }, field: 'data.a' },
    { name: 'a field in our own spelling', more: { externalSubject: 'acme' }, field: 'externalSubject' },
    { name: 'a key in our own spelling', more: { idempotencyKey: 'k' }, field: 'idempotencyKey' },
  ])('with $name is refused at $field', async ({ more, field }) =>
    expect(fieldsOf(await read({ ...event, ...more }))[0]).toBe(field),
  );

  it('without data may say any datacontenttype', async () =>
    expect((await read({ ...event, datacontenttype: 'application/xml' })).ok).toBe(true));

  it.each([{ body: 7 }, { body: null }, { body: 'text' }])('is not $body', async ({ body }) =>
    expect(fieldsOf(await read(body))).toEqual(['body']),
  );

  it('in a batch is named by its place', async () =>
    expect(fieldsOf(await read([event, { ...event, id: undefined, time: 'today' }, 7]))).toEqual([
      '1.id',
      '1.time',
      '2',
    ]));
});

describe('an attribute in a header', () => {
  const idOf = (value: string) => {
    const read = fromHeaders({ 'ce-id': value }, {});
    return read.ok ? read.value.id : null;
  };

  it.each([
    { value: 'plain-1', id: 'plain-1' },
    { value: 'Euro%20%E2%82%AC%20%F0%9F%98%80', id: 'Euro € 😀' },
    { value: '%e2%82%ac', id: '€' },
    { value: '%41%2d', id: 'A-' },
    { value: '100%25', id: '100%' },
    { value: '%2525', id: '%25' },
    { value: 'a b', id: 'a b' },
    { value: '"a \\"b\\" \\\\ %E2%82%AC"', id: 'a "b" \\ €' },
    { value: '""', id: '' },
    { value: 'a"b', id: 'a"b' },
    { value: '%C0%A0', id: null },
    { value: '%ED%A0%80', id: null },
    { value: '%FF', id: null },
    { value: '50%', id: null },
    { value: '%4', id: null },
    { value: '%zz', id: null },
    { value: 'Zürich', id: null },
    { value: 'a\tb', id: null },
  ])('$value is $id', ({ value, id }) => expect(idOf(value)).toBe(id));

  it('belongs to the event, as the body is its data and other headers are not', () => {
    const data = { units: 1 };
    const headers = { 'ce-id': 'a', 'ce-x1': '2', 'ce-no-attribute': '3', 'x-ce-id': '4', 'content-type': 'x/json' };
    expect(fromHeaders(headers, data)).toEqual({ ok: true, value: { id: 'a', x1: '2', data } });
  });

  it.each(['ce-data', 'ce-datacontenttype'])('is refused at %s, which has another place', (header) =>
    expect(fieldsOf(fromHeaders({ 'ce-id': 'a', [header]: 'x' }, {}))).toEqual([header]),
  );
});
