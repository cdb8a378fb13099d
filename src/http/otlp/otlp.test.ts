import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { openToyWorld, schedule } from '../../../test/support/toy-work.ts';
import { METRICS } from '../metrics/table.ts';
import { Telemetry, type TelemetryOptions } from './index.ts';

type Attribute = { key: string; value: { stringValue?: string; intValue?: string } };
type SentSpan = Record<
  'traceId' | 'spanId' | 'parentSpanId' | 'name' | 'startTimeUnixNano' | 'endTimeUnixNano',
  string
> & {
  kind: number;
  attributes: Attribute[];
  status: { code?: number };
};
type SentMetric = { name: string; unit: string; description: string } & Record<string, { dataPoints: unknown[] }>;

interface OtlpReceiver {
  readonly url: string;
  readonly bodies: string[];
  readonly headers: IncomingHttpHeaders[];
  spans(): SentSpan[];
  metrics(): SentMetric[];
}

/** Takes what is sent over OTLP. @param answer answers each call; by default 200 */
async function openOtlpReceiver(
  answer: (response: ServerResponse) => void = (response) => response.writeHead(200).end('{}'),
): Promise<OtlpReceiver> {
  const calls: { path: string; body: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      calls.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString(), headers: request.headers });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const sent = (path: string) => calls.filter((call) => call.path === path).map(({ body }) => JSON.parse(body));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp`,
    get bodies() {
      return calls.map(({ body }) => body);
    },
    get headers() {
      return calls.map(({ headers }) => headers);
    },
    spans: () => sent('/otlp/v1/traces').flatMap((body) => body.resourceSpans[0].scopeSpans[0].spans),
    metrics: () => sent('/otlp/v1/metrics').flatMap((body) => body.resourceMetrics[0].scopeMetrics[0].metrics),
  };
}

const settings = (endpoint: string, more: { share?: number; headers?: Record<string, string> } = {}) => ({
  ...{ endpoint, headers: {}, serviceName: 'billing', share: 1, version: '1.2.3', everyMilliseconds: 10, ...more },
});

async function open(endpoint: string, more?: Parameters<typeof settings>[1]): Promise<TestEnvironment> {
  const env = await openTestEnvironment({ telemetry: settings(endpoint, more) });
  onTestFinished(() => env.close());
  return env;
}

/** An exporter of its own, which sends only when it is told to: at its end. */
function openTelemetry(endpoint: string, more: Partial<TelemetryOptions> = {}): Telemetry {
  return new Telemetry({
    ...{ endpoint, headers: {}, resource: {}, labels: {}, share: 1, chance: () => 0.5, everyMilliseconds: 3_600_000 },
    wallNanoseconds: () => 1_000_000_000n,
    onTrouble: () => undefined,
    ...more,
  });
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const traceparent = `00-${TRACE}-${PARENT}-01`;
const valuesOf = ({ attributes }: { attributes: Attribute[] }) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));
const NOBODY_LISTENS = 'http://127.0.0.1:4';

describe('a request', () => {
  it('with a traceparent gives a span of that trace, and its transactions belong to it', async () => {
    const receiver = await openOtlpReceiver();
    const env = await open(receiver.url, { headers: { 'api-key': 'of-the-receiver' } });
    const merchant = await env.merchant();
    await env.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = env.server.server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/v0/products`, {
      method: 'POST',
      body: JSON.stringify({ name: 'A product with a secret name' }),
      headers: { traceparent, authorization: `Bearer ${merchant.key}`, 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(201);
    await expect.poll(() => receiver.spans().find(({ name }) => name === 'POST /v0/products')).toBeDefined();
    const spans = receiver.spans().filter(({ traceId }) => traceId === TRACE);
    const request = spans.find(({ kind }) => kind === 2);
    expect(request).toMatchObject({ name: 'POST /v0/products', parentSpanId: PARENT, status: {} });
    expect(valuesOf(request as SentSpan)).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v0/products',
      'http.response.status_code': 201,
      'reckoner.request_id': answer.headers.get('x-request-id'),
    });
    const transactions = spans.filter(({ name }) => name === 'transaction');
    expect(transactions.length).toBeGreaterThan(0);
    for (const each of transactions) {
      expect(each.parentSpanId).toBe(request?.spanId);
      expect(valuesOf(each)).toEqual({ 'db.system.name': 'postgresql', 'reckoner.outcome': 'committed' });
      expect(BigInt(each.endTimeUnixNano)).toBeGreaterThan(BigInt(each.startTimeUnixNano));
    }
    const everything = receiver.bodies.join();
    for (const secret of [merchant.key, merchant.id, 'A product with', 'Test merchant'])
      expect(everything).not.toContain(secret);
    expect(everything).toContain('"deployment.environment.name","value":{"stringValue":"sandbox"}');
    expect(receiver.headers[0]).toMatchObject({ 'api-key': 'of-the-receiver', 'content-type': 'application/json' });
  });

  it('without one begins a trace; one of an unknown path has no route', async () => {
    const receiver = await openOtlpReceiver();
    const env = await open(receiver.url);
    await env.platform.get('/v0/made-up', { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` });
    await expect.poll(() => receiver.spans().find(({ name }) => name === 'GET none')).toBeDefined();
    const span = receiver.spans().find(({ name }) => name === 'GET none');
    expect(span?.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    expect(span?.parentSpanId).toBeUndefined();
  });

  it('gives no span where its caller, or the share, says so', async () => {
    const receiver = await openOtlpReceiver();
    const env = await open(receiver.url, { share: 0 });
    await env.platform.get('/v0/me');
    await env.platform.get('/v0/me', { traceparent: traceparent.replace(/01$/, '00') });
    await env.platform.get('/v0/me', { traceparent });
    await expect.poll(() => receiver.spans().filter(({ name }) => name === 'GET /v0/me').length).toBe(1);
    expect(receiver.spans().filter(({ traceId }) => traceId !== TRACE)).toEqual([]);
  });
});

describe('the steps of a background job', () => {
  it('in one transaction give one span, and a look that finds nothing gives none', async () => {
    const receiver = await openOtlpReceiver();
    const telemetry = openTelemetry(receiver.url);
    const world = await openToyWorld('2026-01-01T00:00:00Z');
    onTestFinished(() => world.close());
    await world.add('toy', 'toy_1', '2025-12-31T00:00:00Z');
    const toy = {
      kind: 'toy',
      step: async (tx: Parameters<typeof schedule>[0], { id }: { id: string }) => {
        await schedule(tx, 'toy', id, null);
        telemetry.transaction({ name: 'transaction', outcome: 'committed', seconds: 0.25 });
        return undefined;
      },
    };
    await world.runner([toy], { within: telemetry.within, observe: telemetry.step }).runOnce();
    await telemetry.within(async () =>
      telemetry.transaction({ name: 'transaction', outcome: 'committed', seconds: 0.25 }),
    );
    telemetry.transaction({ name: 'transaction', outcome: 'committed', seconds: 0.25 });
    await telemetry.close();
    const [step, transaction, ...others] = receiver.spans();
    expect(others).toEqual([]);
    expect(step).toMatchObject({ name: 'step toy', status: {} });
    expect(valuesOf(step as SentSpan)).toEqual({
      'reckoner.kind': 'toy',
      'reckoner.outcome': 'done',
      'reckoner.records': 1,
    });
    expect(transaction).toMatchObject({
      ...{ traceId: step?.traceId, parentSpanId: step?.spanId },
      ...{ startTimeUnixNano: '750000000', endTimeUnixNano: '1000000000' },
    });
  });
});

it('metrics arrive with the names, the units and the meaning of the table', async () => {
  const receiver = await openOtlpReceiver();
  const env = await open(receiver.url);
  await env.platform.get('/v0/me');
  const find = (wanted: string) => receiver.metrics().findLast(({ name }) => name === wanted);
  await expect.poll(() => find('reckoner_http_request_duration_seconds')).toBeDefined();
  const table: Readonly<Record<string, { help: string; unit: string }>> = METRICS;
  for (const { name, description, unit } of receiver.metrics())
    expect({ name, help: table[name]?.help, unit: table[name]?.unit }).toEqual({ name, help: description, unit });
  const environment = { key: 'environment', value: { stringValue: 'sandbox' } };
  expect(find('reckoner_database_away')).toMatchObject({
    gauge: { dataPoints: [{ asDouble: 0, attributes: [environment] }] },
  });
  expect(find('process_cpu_seconds_total')?.sum).toMatchObject({ aggregationTemporality: 2, isMonotonic: true });
  expect(find('reckoner_http_request_duration_seconds')?.histogram).toMatchObject({
    aggregationTemporality: 2,
    dataPoints: [{ count: '1', bucketCounts: expect.arrayContaining(['1', '0']), explicitBounds: expect.any(Array) }],
  });
});

describe('a receiver', () => {
  it.each([
    { what: 'that nobody has started', url: async () => NOBODY_LISTENS },
    { what: 'that never answers', url: async () => (await openOtlpReceiver(() => undefined)).url },
    { what: 'that fails', url: async () => (await openOtlpReceiver((r) => r.writeHead(500).end())).url },
  ])('$what changes no answer', async ({ url }) => {
    const env = await open(await url());
    const merchant = await env.merchant();
    for (const name of ['one', 'two']) {
      expect((await merchant.post('/v0/products', { name }, { traceparent })).status).toBe(201);
      expect((await merchant.get('/v0/products')).status).toBe(200);
    }
    expect((await env.client().get('/metrics')).text).toContain('\nreckoner_otlp_dropped_spans_total 0\n');
  });

  it('that comes back gets the spans that waited, and the log hears of it once each', async () => {
    let isUp = false;
    const receiver = await openOtlpReceiver((response) => response.writeHead(isUp ? 200 : 503).end());
    const troubles: (string | null)[] = [];
    const telemetry = openTelemetry(receiver.url, {
      everyMilliseconds: 5,
      onTrouble: (error) => troubles.push(error?.message ?? null),
    });
    await telemetry.within(async () => telemetry.step({ kind: 'toy', outcome: 'failed', records: 1, seconds: 1 }));
    await expect.poll(() => receiver.bodies.length).toBeGreaterThan(2);
    isUp = true;
    await expect.poll(() => troubles).toEqual(['The OTLP receiver answered 503.', null]);
    await telemetry.close();
    expect(receiver.spans().at(-1)).toMatchObject({ name: 'step toy', status: { code: 2 } });
    expect(telemetry.droppedSpans()).toBe(0);
  });

  it('that refuses spans loses these alone', async () => {
    const receiver = await openOtlpReceiver((response) => response.writeHead(400).end());
    const telemetry = openTelemetry(receiver.url);
    await telemetry.within(async () => telemetry.step({ kind: 'toy', outcome: 'done', records: 1, seconds: 1 }));
    await telemetry.close();
    expect([receiver.spans().length, telemetry.droppedSpans()]).toEqual([1, 1]);
  });

  it('that is away fills the queue; further spans are dropped and counted, and the stop gives up the others', async () => {
    const telemetry = openTelemetry(NOBODY_LISTENS);
    const step = async () => telemetry.step({ kind: 'toy', outcome: 'done', records: 1, seconds: 1 });
    for (let spans = 0; spans < 8_200; spans += 1) await telemetry.within(step);
    expect(telemetry.droppedSpans()).toBe(8);
    await telemetry.close();
    expect(telemetry.droppedSpans()).toBe(8_200);
  });
});
