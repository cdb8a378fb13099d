import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asOwner } from '../../test/support/edge.ts';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

it.each(['/healthz', '/readyz'])('%s needs no key', async (path) => {
  expect(await env.client().get(path)).toMatchObject({ status: 200, body: { status: 'ok' } });
});

it('/readyz names the migrations that the database does not have', async () => {
  await asOwner(env.url, `update kysely_migration set name = 'renamed' where name = '0010_clocks'`);
  expect(await env.client().get('/readyz')).toMatchObject({
    status: 503,
    body: { status: 'unavailable', missing: ['migration 0010_clocks'] },
  });
  await asOwner(env.url, `update kysely_migration set name = '0010_clocks' where name = 'renamed'`);
  expect((await env.client().get('/readyz')).status).toBe(200);
});

it('/readyz is content with a database that is newer than the program', async () => {
  await asOwner(env.url, `insert into kysely_migration values ('9999_future', now()::text)`);
  expect((await env.client().get('/readyz')).status).toBe(200);
});

describe('/metrics', () => {
  const metrics = async () => (await env.client().get('/metrics')).text;
  const sampleOf = (text: string, sample: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${sample} `))
        ?.split(' ')[1],
    );

  it('is Prometheus text', async () => {
    const { status, headers, text } = await env.client().get('/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    for (const line of text.split('\n').filter((each) => each !== ''))
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z_]+="[^"]*",?)*\})? \S+)$/);
  });

  it('counts requests by route, method and status, and how long they took', async () => {
    const merchant = await env.merchant();
    const sample = '{method="GET",route="/v0/testClocks/:id",status="404"}';
    const before = sampleOf(await metrics(), `reckoner_http_requests_total${sample}`) || 0;
    await merchant.get('/v0/testClocks/tc_0000000000000000');
    await merchant.get('/v0/testClocks/tc_0000000000000001');
    const text = await metrics();
    expect(sampleOf(text, `reckoner_http_requests_total${sample}`)).toBe(before + 2);
    expect(sampleOf(text, `reckoner_http_request_duration_seconds_count${sample}`)).toBe(before + 2);
  });

  it('counts unknown paths as one route, so that no caller can invent labels', async () => {
    await env.platform.get('/v0/made-up-1');
    await env.platform.get('/v0/made-up-2');
    const text = await metrics();
    expect(text).not.toContain('made-up');
    expect(
      sampleOf(text, 'reckoner_http_requests_total{method="GET",route="none",status="404"}'),
    ).toBeGreaterThanOrEqual(2);
  });

  it('has the pool, the event loop, memory and parked work, and names no merchant', async () => {
    const merchant = await env.merchant();
    await merchant.get('/v0/testClocks');
    await asOwner(
      env.url,
      `insert into due_failure (merchant_id, kind, id, due_at, attempts, error, parked_at)
       values ('${merchant.id}', 'invoice', 'inv_1', now(), 5, 'Error', now()), ('${merchant.id}', 'invoice', 'inv_2', now(), 1, 'Error', null)`,
    );
    const text = await metrics();
    for (const name of [
      'reckoner_database_connections',
      'nodejs_eventloop_delay_seconds',
      'process_memory_bytes',
      'process_cpu_seconds_total',
    ])
      expect(text).toContain(`\n${name}{`.replace('total{', 'total '));
    expect(sampleOf(text, 'reckoner_due_parked{kind="invoice"}')).toBe(1);
    expect(text).not.toContain(merchant.id);
    expect(text).not.toContain('org_');
  });
});
