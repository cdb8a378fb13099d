import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Shop, shopOf } from '../support/shop.ts';
import { type Message, messageOf, recorded } from './cloud-events.ts';

/** CloudEvents 1.0 over real HTTP, as producers send them: the messages are those of the official package. */
let env: TestEnvironment;
let address: string;
beforeAll(async () => {
  env = await openTestEnvironment();
  address = await env.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => env.close());

async function openStory() {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const metric = await shop.metric();
  const customer = await shop.customer({ externalId: 'acme' });
  return { merchant, shop, metric, customer };
}

async function send(merchant: Merchant, { headers, body }: Message, more: Record<string, string> = {}) {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  const answer = await fetch(`${address}/v0/events`, {
    method: 'POST',
    headers: { ...Object.fromEntries(texts), authorization: `Bearer ${merchant.key}`, ...more },
    ...(body !== undefined && { body: body as string }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  return { status: answer.status, body: (await answer.json()) as any };
}

const used = async (shop: Shop, metricId: string, subject: string) =>
  (
    await shop.read(
      `/v0/billableMetrics/${metricId}/meter?subject=${subject}&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z`,
    )
  ).totalValue;

const json = (event: object, type = 'application/cloudevents+json'): Message => ({
  headers: { 'content-type': type },
  body: JSON.stringify(event),
});
const minimal = {
  specversion: '1.0',
  id: 'a',
  source: '/s',
  type: 'call',
  externalsubject: 'acme',
  data: { units: 1 },
};

describe.each(['binary', 'structured'] as const)('an event of the package in %s mode', (mode) => {
  it('is accepted in our fields, and its other attributes do no harm', async () => {
    const { merchant, shop, metric, customer } = await openStory();
    const { status, body } = await send(merchant, messageOf(recorded, 'full', mode));
    expect({ status, body }).toEqual({
      status: 202,
      body: {
        id: expect.stringMatching(/^evt_/),
        object: 'event',
        type: 'call',
        source: 'https://meter.example/eu?zone=1',
        subject: customer.id,
        externalSubject: 'acme',
        namespace: merchant.id,
        timestamp: '2026-01-10T10:00:00.123Z',
        idempotencyKey: 'full',
        externalId: 'row-1',
      },
    });
    expect((await shop.read(`/v0/events/${body.id}`)).data).toEqual({ units: 5, note: 'Zürich "10" %' });
    expect(await used(shop, metric.id, customer.id)).toBe(5);
  });

  it('without data is an event without a value', async () => {
    const { merchant, shop } = await openStory();
    const { status, body } = await send(merchant, messageOf(recorded, 'nodata', mode));
    expect(status).toBe(202);
    expect(await shop.read(`/v0/events/${body.id}`)).toMatchObject({ data: {}, reason: 'NO_VALUE' });
  });

  it('with a subject is addressed to it, and externalsubject is only recorded', async () => {
    const { merchant, shop } = await openStory();
    const { body } = await send(merchant, messageOf(recorded, 'addressed', mode));
    expect(body.externalSubject).toBe('acme');
    expect(await shop.read(`/v0/events/${body.id}`)).toMatchObject({ reason: 'UNKNOWN_SUBJECT' });
  });

  it.each([
    { name: 'bytes', binary: 415, structured: 400, field: 'data_base64' },
    { name: 'xml', binary: 415, structured: 400, field: 'datacontenttype' },
  ])('whose data is $name is refused: usage is read from JSON', async ({ name, field, ...statuses }) => {
    const { merchant } = await openStory();
    const { status, body } = await send(merchant, messageOf(recorded, name, mode));
    expect(status).toBe(statuses[mode]);
    if (mode === 'structured') expect(body.errors[0].field).toBe(field);
  });

  it('is the same as in the other modes, and counts once in all of them', async () => {
    const { merchant, shop, metric, customer } = await openStory();
    const first = await send(merchant, messageOf(recorded, 'full', mode));
    const others = [
      await send(merchant, messageOf(recorded, 'full', 'structured')),
      await send(merchant, messageOf(recorded, 'full', 'binary')),
    ];
    const batch = await send(merchant, messageOf(recorded, 'full', 'batch'));
    expect(others.map(({ status, body }) => [status, body.id])).toEqual([
      [202, first.body.id],
      [202, first.body.id],
    ]);
    expect([batch.status, batch.body.object, batch.body.data[0].id]).toEqual([202, 'list', first.body.id]);
    expect(await used(shop, metric.id, customer.id)).toBe(5.1); // with the batch's second
  });
});

it('takes JSON text as data where the body is it, and refuses it where the data is a text', async () => {
  const { merchant } = await openStory();
  expect((await send(merchant, messageOf(recorded, 'text', 'binary'))).status).toBe(202);
  const structured = await send(merchant, messageOf(recorded, 'text', 'structured'));
  expect([structured.status, structured.body.errors[0].field]).toEqual([400, 'data']);
});

describe('events are the same', () => {
  it.each([
    { what: 'id and source', with: {}, status: 202, same: true },
    { what: 'id and source, with other tracing', with: { traceparent: '00-ff' }, status: 202, same: true },
    { what: 'id, of another source', with: { source: '/other' }, status: 202, same: false },
    { what: 'source, with another id', with: { id: 'b' }, status: 202, same: false },
    { what: 'id and source, with other data', with: { data: { units: 2 } }, status: 409, same: false },
    { what: 'id and source, with another type', with: { type: 'other' }, status: 409, same: false },
  ])('by the same $what: $status, $same', async ({ with: changes, status, same }) => {
    const { merchant } = await openStory();
    const first = await send(merchant, json(minimal));
    const second = await send(merchant, json({ ...minimal, ...changes }));
    expect([first.status, second.status]).toEqual([202, status]);
    expect(second.body.id === first.body.id).toBe(same);
  });

  it('never as one in our own form that has the id as its key', async () => {
    const { merchant } = await openStory();
    const ours = { type: 'call', source: '/s', externalSubject: 'acme', data: { units: 1 }, idempotencyKey: 'a' };
    const own = await merchant.post('/v0/events', ours);
    const cloud = await send(merchant, json(minimal));
    expect([own.status, cloud.status, own.body.id === cloud.body.id]).toEqual([202, 202, false]);
  });

  it('in each namespace on its own, which an operator may name', async () => {
    const { merchant } = await openStory();
    const own = await send(merchant, json(minimal));
    const named = await send(merchant, json({ ...minimal, namespace: merchant.id }));
    expect([named.status, named.body.id]).toEqual([202, own.body.id]);
    const other = await env.merchant();
    expect((await send(other, json({ ...minimal, namespace: merchant.id }))).status).toBe(403);
    const { key } = env.platform;
    const byOperator = await send({ ...merchant, key }, json({ ...minimal, namespace: merchant.id }));
    expect([byOperator.status, byOperator.body.id]).toEqual([202, own.body.id]);
  });
});

describe('a batch', () => {
  const batch = (events: readonly object[]) => json(events, 'application/cloudevents-batch+json');

  it('is answered in order, and counts an event once that is in it twice', async () => {
    const { merchant, shop, metric, customer } = await openStory();
    const time = '2026-01-10T00:00:00Z';
    const events = ['a', 'b', 'a'].map((id) => ({ ...minimal, id, time }));
    const { status, body } = await send(merchant, batch(events));
    expect([status, body.data.map(({ idempotencyKey }: { idempotencyKey: string }) => idempotencyKey)]).toEqual([
      202,
      ['a', 'b', 'a'],
    ]);
    expect(await used(shop, metric.id, customer.id)).toBe(2);
  });

  it('is refused whole, with the place of what is wrong', async () => {
    const { merchant, shop } = await openStory();
    const { status, body } = await send(merchant, batch([minimal, { ...minimal, id: undefined, time: 'today' }]));
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, ['1.id', '1.time']]);
    expect((await shop.read('/v0/events')).pagination.total).toBe(0);
  });

  it('is refused whole for one conflict, which is named', async () => {
    const { merchant, shop } = await openStory();
    await send(merchant, json(minimal));
    const { status, body } = await send(
      merchant,
      batch([
        { ...minimal, id: 'b' },
        { ...minimal, data: { units: 9 } },
      ]),
    );
    expect([status, body.details.conflicts]).toEqual([409, [{ index: 1, idempotencyKey: 'a' }]]);
    expect((await shop.read('/v0/events')).pagination.total).toBe(1);
  });

  it('may be empty', async () => {
    const { merchant } = await openStory();
    expect(await send(merchant, batch([]))).toMatchObject({ status: 202, body: { object: 'list', data: [] } });
  });

  it('has a content type of its own', async () => {
    const { merchant } = await openStory();
    expect((await send(merchant, json([minimal]))).status).toBe(400);
    expect((await send(merchant, batch(minimal as never))).status).toBe(400);
  });
});

describe('binary mode', () => {
  const headers = { 'content-type': 'application/json', 'ce-specversion': '1.0', 'ce-source': '/s', 'ce-type': 'call' };

  it('reads what is percent-encoded', async () => {
    const { merchant } = await openStory();
    const { status, body } = await send(merchant, {
      headers: { ...headers, 'ce-id': '%E2%82%AC%201', 'ce-externalsubject': 'acme' },
      body: '{"units":0.1}',
    });
    expect([status, body.idempotencyKey]).toEqual([202, '€ 1']);
  });

  it.each([
    { what: 'no ce-id', more: { 'ce-externalsubject': 'acme' }, field: 'id' },
    { what: 'bytes that are no UTF-8', more: { 'ce-id': '%C0%A0', 'ce-externalsubject': 'acme' }, field: 'id' },
    { what: 'nobody whom it is addressed to', more: { 'ce-id': 'a' }, field: 'subject' },
    { what: 'a list as data', more: { 'ce-id': 'a', 'ce-subject': 'x' }, field: 'data', body: '[1]' },
  ])('with $what is refused at $field', async ({ more, field, body: data = '{}' }) => {
    const { merchant } = await openStory();
    const { status, body } = await send(merchant, { headers: { ...headers, ...more }, body: data });
    expect([status, body.errors[0].field]).toEqual([400, field]);
  });
});

it.each([
  'application/cloudevents+xml',
  'application/cloudevents+avro',
  'application/cloudevents+json; charset=iso-8859-1',
  'text/plain',
])('%s is a 415', async (type) => {
  const { merchant } = await openStory();
  expect((await send(merchant, json(minimal, type))).status).toBe(415);
});

it('keeps numbers as they were written', async () => {
  const { merchant, shop } = await openStory();
  const body = `{"specversion":"1.0","id":"n","source":"/s","type":"call","subject":"x","data":{"units":9007199254740993}}`;
  const sent = await send(merchant, { headers: { 'content-type': 'application/cloudevents+json' }, body });
  const { text } = await merchant.get(`/v0/events/${sent.body.id}`);
  expect(text).toContain('"units":9007199254740993');
  expect(await shop.read(`/v0/events/${sent.body.id}`)).toBeTruthy();
});
