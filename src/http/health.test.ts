import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asOwner } from '../../test/support/edge.ts';
import { cloneDatabase, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

it.each(['/healthz', '/readyz'])('%s needs no key', async (path) => {
  expect(await env.client().get(path)).toMatchObject({ status: 200, body: { status: 'ok' } });
});

describe('/readyz is a 503', () => {
  const readiness = () => env.client().get('/readyz');
  const other = (what: string) => `This database was made by ${what}.`;

  it.each([
    {
      what: 'a missing migration',
      done: `delete from kysely_migration where name = (select max(name) from kysely_migration) returning name`,
      missing: (name: string) => `migration ${name}`,
      undone: (name: string) => `insert into kysely_migration values ('${name}', now()::text)`,
    },
    {
      what: 'a migration with another text',
      done: `update migration_hash set hash = reverse(hash) where name = '0080_invoicing' returning name`,
      missing: (name: string) =>
        other(`another version of Reckoner: its migration ${name} differs from the file of this version`),
      undone: (name: string) => `update migration_hash set hash = reverse(hash) where name = '${name}'`,
    },
    {
      what: 'an unknown migration among them',
      done: `insert into kysely_migration values ('0100_unknown', now()::text) returning name`,
      missing: (name: string) => other(`another version of Reckoner: this version has no migration ${name}`),
      undone: (name: string) => `delete from kysely_migration where name = '${name}'`,
    },
  ])('for a database with $what', async ({ done, missing, undone }) => {
    const { rows } = await asOwner(env.url, done);
    expect(await readiness()).toMatchObject({
      status: 503,
      body: { status: 'unavailable', missing: [missing(rows[0].name)] },
    });
    await asOwner(env.url, undone(rows[0].name));
    expect((await readiness()).status).toBe(200);
  });

  it('stays 200 while an upgrade rolls, and says that the schema is newer', async () => {
    await asOwner(env.url, `insert into kysely_migration values ('9999_future', now()::text)`);
    expect(await readiness()).toMatchObject({ status: 200, body: { status: 'ok', schema: 'newer' } });
    await asOwner(env.url, `insert into migration_hash values ('9999_future', 'a', '9999_future')`);
    expect(await readiness()).toMatchObject({
      status: 503,
      body: { missing: [other('a newer version of Reckoner: this version has no migration 9999_future')] },
    });
    await asOwner(env.url, `delete from migration_hash where name = '9999_future'`);
    await asOwner(env.url, `delete from kysely_migration where name = '9999_future'`);
    expect((await readiness()).body).toEqual({ status: 'ok' });
  });
});

it('a process of an older version starts on the newer schema, and says so once', async () => {
  const database = await cloneDatabase();
  await asOwner(database.url, `insert into kysely_migration values ('9999_future', now()::text)`);
  const lines: string[] = [];
  const older = await openTestEnvironment({
    ...{ database, audited: false },
    logger: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
  });
  expect((await older.client().get('/readyz')).body).toEqual({ status: 'ok', schema: 'newer' });
  expect(older.migratedTo).toBe('9999_future');
  expect(lines.filter((line) => line.includes('migrations of a newer version'))).toHaveLength(1);
  await older.close();
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

  it('counts requests by route, method and status, and how long they took by class of status', async () => {
    const merchant = await env.merchant();
    const sample = '{method="GET",route="/v0/testClocks/:id",status="404"}';
    const before = sampleOf(await metrics(), `reckoner_http_requests_total${sample}`) || 0;
    await merchant.get('/v0/testClocks/tc_0000000000000000');
    await merchant.get('/v0/testClocks/tc_0000000000000001');
    const text = await metrics();
    expect(sampleOf(text, `reckoner_http_requests_total${sample}`)).toBe(before + 2);
    expect(sampleOf(text, `reckoner_http_request_duration_seconds_count${sample.replace('404', '4xx')}`)).toBe(
      before + 2,
    );
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

describe('a program that listens for other machines', () => {
  it('shows its metrics to nobody here, and its health to all', async () => {
    const open = await openTestEnvironment({ isLocal: false });
    expect((await open.client().get('/metrics')).status).toBe(404);
    expect((await open.client().get('/healthz')).status).toBe(200);
    expect(await open.metrics()).toContain('process_memory_bytes');
    await open.close();
  });
});
