import { CloudEvent, CONSTANTS, emitterFor, HTTP, httpTransport, type Message, Mode } from 'cloudevents';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../support/cases.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Shop, shopOf } from '../support/shop.ts';
import { batchOf, eventOf, messageOf } from './cloud-events.ts';

/** CloudEvents 1.0 over real HTTP, as producers send them: the client is the official package. */
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

/**
 * Sends a message of the package by hand: the package's own transport returns no status, and takes no event without
 * data.
 */
async function send(merchant: Merchant, { headers, body }: Message) {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  const answer = await fetch(`${address}/v0/events`, {
    method: 'POST',
    headers: { ...Object.fromEntries(texts), authorization: `Bearer ${merchant.key}` },
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

const json = (event: object, type: string = CONSTANTS.MIME_CE_JSON): Message => ({
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
    const { status, body } = await send(merchant, messageOf(eventOf('full'), mode));
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
    const { status, body } = await send(merchant, messageOf(eventOf('nodata'), mode));
    expect(status).toBe(202);
    expect(await shop.read(`/v0/events/${body.id}`)).toMatchObject({ data: {}, reason: 'NO_VALUE' });
  });

  it('with a subject is addressed to it, and externalsubject is only recorded', async () => {
    const { merchant, shop } = await openStory();
    const { body } = await send(merchant, messageOf(eventOf('addressed'), mode));
    expect(body.externalSubject).toBe('acme');
    expect(await shop.read(`/v0/events/${body.id}`)).toMatchObject({ reason: 'UNKNOWN_SUBJECT' });
  });

  it.each([
    { name: 'bytes', binary: 415, structured: 400, field: 'data_base64' },
    { name: 'xml', binary: 415, structured: 400, field: 'datacontenttype' },
  ] as const)('whose data is $name is refused: usage is read from JSON', async ({ name, field, ...statuses }) => {
    const { merchant } = await openStory();
    const { status, body } = await send(merchant, messageOf(eventOf(name), mode));
    expect(status).toBe(statuses[mode]);
    if (mode === 'structured') expect(body.errors[0].field).toBe(field);
  });

  it('is the same as in the other modes, and counts once in all of them', async () => {
    const { merchant, shop, metric, customer } = await openStory();
    const first = await send(merchant, messageOf(eventOf('full'), mode));
    const others = [
      await send(merchant, messageOf(eventOf('full'), 'structured')),
      await send(merchant, messageOf(eventOf('full'), 'binary')),
    ];
    const batch = await send(merchant, batchOf([eventOf('full'), eventOf('decimal')]));
    expect(others.map(({ status, body }) => [status, body.id])).toEqual([
      [202, first.body.id],
      [202, first.body.id],
    ]);
    expect([batch.status, batch.body.object, batch.body.data[0].id]).toEqual([202, 'list', first.body.id]);
    expect(await used(shop, metric.id, customer.id)).toBe(5.1); // with the batch's second
  });
});

it('of a JSON type with a name of its own is one event in both modes', async () => {
  const { merchant } = await openStory();
  const type = 'application/vnd.acme.usage+json';
  const { data, ...attributes } = minimal;
  const first = await send(merchant, json({ ...minimal, datacontenttype: type }));
  const headers = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, String(value)]);
  const binary = await send(merchant, {
    headers: { ...Object.fromEntries(headers), 'content-type': type },
    body: JSON.stringify(data),
  });
  expect([first.status, binary.status, binary.body.id]).toEqual([202, 202, first.body.id]);
  expect((await send(merchant, { headers: { 'content-type': type }, body: '{"type":"call"}' })).status).toBe(415);
});

it('takes JSON text as data where the body is it, and refuses it where the data is a text', async () => {
  const { merchant } = await openStory();
  expect((await send(merchant, messageOf(eventOf('text'), 'binary'))).status).toBe(202);
  const structured = await send(merchant, messageOf(eventOf('text'), 'structured'));
  expect([structured.status, structured.body.errors[0].field]).toEqual([400, 'data']);
});

describe('the package as a client', () => {
  const options = ({ key }: Merchant) => ({ headers: { authorization: `Bearer ${key}` } });
  const emitting = (mode: Mode) => emitterFor(httpTransport(`${address}/v0/events`), { mode });
  const answerOf = (answer: unknown) => {
    const { body } = answer as { body: string };
    const read = JSON.parse(body);
    if (read.error !== undefined) throw new Error(`It was refused: ${body}`); // the transport hides it
    return read;
  };

  /** The stored event, read back over HTTP and made into an event of the package again. */
  async function readBack(shop: Shop, id: string): Promise<Record<string, unknown>> {
    const found = await shop.read(`/v0/events/${id}`);
    return new CloudEvent<unknown>({
      id: found.idempotencyKey,
      source: found.source,
      type: found.type,
      time: found.timestamp,
      data: found.data,
      namespace: found.namespace,
      ...(found.externalSubject !== undefined && { externalsubject: found.externalSubject }),
      ...(found.externalId !== undefined && { externalid: found.externalId }),
    }).toJSON();
  }

  // A header is unquoted and decoded (HTTP binding, 3.1.3.2), which the package leaves undone when it writes one.
  const unencoded = [..."abcXYZ019 !#$&'()*+,-./:;<=>?@[]^_`{|}~"];
  const plainText = fc
    .string({ unit: fc.constantFrom(...unencoded), minLength: 1, maxLength: 40 })
    .filter((text) => text.trim() === text);
  const anyText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => !text.includes('\0'));
  const name = fc.stringMatching(/^[\w-]{1,60}$/);
  const number = fc
    .oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, min: -1e30, max: 1e30 }))
    .map((n) => (Math.abs(n) < 1e-30 ? 0 : n)); // no smaller value is accepted
  const data = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,12}$/),
    fc.oneof(number, anyText, fc.boolean(), fc.constant(null), fc.array(number, { maxLength: 3 })),
    { maxKeys: 6 },
  );
  const attributes = (text: fc.Arbitrary<string>) =>
    fc.record(
      {
        id: text,
        source: fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.webPath()).filter((uri) => !/%|^$/.test(uri)),
        type: text,
        time: fc
          .date({ min: new Date('2000-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
          .map((time) => time.toISOString()),
        externalsubject: name,
        externalid: name,
        data,
      },
      { requiredKeys: ['id', 'source', 'type', 'externalsubject', 'data', 'time'] },
    );

  it.each([
    { mode: Mode.BINARY, text: plainText },
    { mode: Mode.STRUCTURED, text: anyText },
  ])(
    'gets back from us what it sent in $mode mode, whatever it was',
    async ({ mode, text }) => {
      const merchant = await env.merchant();
      const shop = shopOf(merchant);
      const emit = emitting(mode);
      let sent = 0;
      await fc.assert(
        fc.asyncProperty(attributes(text), async (chosen) => {
          sent += 1;
          const event = new CloudEvent<unknown>({ ...chosen, id: `${chosen.id}${sent}`, namespace: merchant.id });
          const { id } = answerOf(await emit(event, options(merchant)));
          expect(await readBack(shop, id)).toEqual(event.toJSON());
          expect(answerOf(await emit(event, options(merchant))).id).toBe(id);
        }),
        cases(12, 60),
      );
    },
    60_000,
  );

  it('sends a batch, each event of which is what it was', async () => {
    const merchant = await env.merchant();
    const shop = shopOf(merchant);
    const events = fc
      .sample(fc.uniqueArray(attributes(anyText), { minLength: 5, selector: ({ id }) => id }), 1)
      .flat()
      .map((chosen) => new CloudEvent<unknown>({ ...chosen, namespace: merchant.id }));
    const message = batchOf(events);
    expect(HTTP.toEvent(message)).toEqual(events);
    const { data: accepted } = answerOf(await httpTransport(`${address}/v0/events`)(message, options(merchant)));
    const found = [];
    for (const { id } of accepted) found.push(await readBack(shop, id));
    expect(found).toEqual(events.map((event) => event.toJSON()));
  });

  it('is counted once, in whatever modes it sends an event again', async () => {
    const { merchant, shop, metric, customer } = await openStory();
    const event = eventOf('decimal');
    const ids = [];
    for (const mode of [Mode.BINARY, Mode.STRUCTURED, Mode.BINARY])
      ids.push(answerOf(await emitting(mode)(event, options(merchant))).id);
    expect(new Set(ids).size).toBe(1);
    expect(await used(shop, metric.id, customer.id)).toBe(0.1);
  });

  it.each([
    { what: 'a percent sign that encodes nothing', id: '50%' },
    { what: 'an umlaut', id: 'Zürich' },
  ])('is told of $what in a header, which it does not encode', async ({ id }) => {
    const { merchant, shop } = await openStory();
    const event = eventOf('full').cloneWith({ id });
    const { status, body } = await send(merchant, messageOf(event, 'binary'));
    expect([status, body.errors[0].field]).toEqual([400, 'id']);
    expect((await shop.read('/v0/events')).pagination.total).toBe(0);
    expect((await send(merchant, messageOf(event, 'structured'))).body.idempotencyKey).toBe(id);
  });

  it('is told that several events are no structured message, of which it makes no JSON', async () => {
    const { merchant, shop } = await openStory();
    const message = HTTP.structured([eventOf('full'), eventOf('decimal')] as never);
    expect((await send(merchant, message)).status).toBe(400);
    expect((await shop.read('/v0/events')).pagination.total).toBe(0);
  });
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
  const batch = (events: readonly object[]) => json(events, CONSTANTS.MIME_CE_BATCH);

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
