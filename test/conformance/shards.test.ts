import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { sealKeys } from '../../src/metering/keys/generations.sql.ts';
import { tendKeys } from '../../src/metering/keys/generations.ts';
import { KEY_LIMITS } from '../../src/metering/keys/generations-plan.ts';
import { type Client, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { operations } from '../support/operations.ts';
import { allDeclarations, type RouteDeclaration } from '../support/routes.ts';
import { migrateSharded, noteStatements, type Sent, SHARDS, sharded, shardsTouched, WHOLE } from '../support/shards.ts';
import { START, shopOf } from '../support/shop.ts';
import { openWorld, type World } from '../support/world.ts';

/**
 * Would it run on a cluster that is spread by merchant? Here every table of merchants is split by the hash of the
 * merchant, so PostgreSQL itself refuses a key without it, and the whole API has to work on that.
 */
const TEMPLATE = `sharded_${process.pid}`;
const PUBLIC = 'public' as const;

let env: TestEnvironment;
let owner: pg.Client;
let world: World;
let statements: ReturnType<typeof noteStatements>;
const declarations = await allDeclarations();

beforeAll(async () => {
  const url = inject('postgresUrl');
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  try {
    await server.query(`create database ${TEMPLATE}`);
    await migrateSharded(url.replace(/\/postgres(?=\?|$)/, `/${TEMPLATE}`));
    env = await openTestEnvironment({ template: TEMPLATE });
    await server.query(`drop database ${TEMPLATE}`);
  } finally {
    await server.end();
  }
  owner = new pg.Client({ connectionString: env.url });
  await owner.connect();
  statements = noteStatements();
  world = await openWorld(env);
}, 120_000);
afterAll(async () => {
  statements?.stop();
  await owner?.end();
  await env?.close();
});

const guarded = declarations
  .filter(({ access }) => !(PUBLIC in access))
  .map((declaration) => ({ declaration, name: declaration.operationId }));
const usual = ({ replies }: RouteDeclaration): number => (replies[201] ? 201 : Number(Object.keys(replies)[0]));
const clientOf = ({ access }: RouteDeclaration): Client =>
  'operator' in access && access.operator ? env.platform : world.merchant;

describe('a schema that is split by merchant', () => {
  it('has no table of merchants that is whole, but for those that every server must have', async () => {
    const { rows } = await owner.query(`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('merchant_id', 'merchant_number')
       where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition
         and not exists (select from pg_partitioned_table p where p.partrelid = c.oid and p.partstrat = 'h')`);
    expect(rows.map(({ name }) => name).toSorted()).toEqual(['event', ...Object.keys(WHOLE)].toSorted());
    const { rows: months } = await owner.query(`
      select i.inhrelid::regclass as name from pg_inherits i left join pg_partitioned_table p on p.partrelid = i.inhrelid
       where i.inhparent = 'event'::regclass and p.partstrat is distinct from 'h'`);
    expect(months).toEqual([]);
  });

  it('is refused by PostgreSQL where a unique key lacks the merchant', async () => {
    const table = sharded(`create table thing (\n  merchant_id text not null,\n  id text primary key\n);`);
    await expect(owner.query(table)).rejects.toThrow(/unique constraint on partitioned table must include/);
  });
});

describe('on it', () => {
  it('keys of events are sealed, sifted and merged, each part for itself, and are found there', async () => {
    const merchants = await Promise.all(Array.from({ length: 6 }, () => env.merchant()));
    const eventOf = (idempotencyKey: string) => ({ type: 'call', source: 's', subject: 'x', idempotencyKey });
    const send = () =>
      Promise.all(
        merchants.map(async (merchant) => {
          const { body } = await merchant.post('/v0/events', ['a', 'b', 'c', 'd'].slice(0, rounds).map(eventOf));
          return body.data.map(({ id }: { id: string }) => id);
        }),
      );
    let rounds = 0;
    const answers: string[][][] = [];
    for (rounds = 1; rounds <= 4; rounds += 1) {
      answers.push(await send());
      expect(await env.database.transaction('nobody', (tx) => sealKeys(tx, 0))).toBe(true);
      if (rounds < 4) await tendKeys(env.database, { ...KEY_LIMITS, generations: 1, bytesOfSlice: 20_000 });
    }
    for (const [place, first] of (answers[3] as string[][]).entries())
      expect(answers.map((each) => each[place])).toEqual([1, 2, 3, 4].map((known) => first.slice(0, known)));
    rounds = 4;
    expect(await send()).toEqual(answers[3]);
    const contradiction = { ...eventOf('a'), type: 'other' };
    expect((await merchants[0]?.post('/v0/events', [contradiction, eventOf('a')]))?.status).toBe(409);

    const { rows } = await owner.query(`
      select g.name, count(distinct t)::int as parts, g.key_count is null as "isNew"
        from event_key_generation g cross join event_key_tables(g.name) t group by g.name order by length(g.name), g.name`);
    expect(rows.map(({ parts, isNew }) => [parts, isNew])).toEqual([
      [SHARDS, false],
      [SHARDS, true],
    ]);
    const { rows: lying } = await owner.query(
      `select distinct tableoid::regclass::text as name from ${rows[0].name} order by 1`,
    );
    expect(lying.length).toBeGreaterThan(1);
  });

  it.each(guarded)('$name works', async ({ declaration }) => {
    const { method, path, operationId } = declaration;
    for (const scenario of operations[operationId] ?? []) {
      const { params = {}, query, body } = await scenario(world);
      const place = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
      const url = query === undefined ? place : `${place}?${new URLSearchParams(query)}`;
      const client = clientOf(declaration);
      const answer = method === 'GET' ? await client.get(url) : await client[method.toLowerCase() as 'post'](url, body);
      expect(answer.status, answer.text).toBe(usual(declaration));
    }
  });

  it('merchants lie apart, and each is billed what it used', async () => {
    for (let units = 1; units <= 6; units += 1) {
      const shop = shopOf(await env.merchant());
      const metric = await shop.metric();
      const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
      const clock = await shop.clock(START);
      const subscription = await shop.subscribe(plan, { clock });
      for (const day of ['01-05', '01-31', '02-01']) await shop.use(subscription.id, `2026-${day}T00:00:00Z`, units);
      await shop.advance(clock, '2026-02-01T00:00:00Z');
      expect((await shop.invoices(subscription)).map(({ status, grandTotal }) => `${status} ${grandTotal}`)).toEqual([
        `ISSUED ${2 * units}.00`,
        `ACTIVE ${units}.00`,
      ]);
    }
    await env.runDueWork();
    const { rows } = await owner.query('select distinct tableoid::regclass::text as name from event');
    expect(new Set(rows.map(({ name }) => name.slice(-1))).size).toBeGreaterThan(1);
  });

  it('forgets the old idempotency keys and no others', async () => {
    const ages = Array.from({ length: 20 }, (_, place) => [`org_${place}`, place % 2 === 0 ? '48 hours' : '1 hour']);
    await owner.query('delete from idempotency_key');
    for (const [merchantId, age] of ages)
      await owner.query(
        `insert into idempotency_key (merchant_id, route, key, fingerprint, created_at) values ($1, 'r', 'k', '', now() - $2::interval)`,
        [merchantId, age],
      );
    await owner.query(`select forget_idempotency_keys(now() - interval '24 hours', 1000)`);
    const { rows } = await owner.query('select merchant_id from idempotency_key');
    const young = ages.filter(([, age]) => age === '1 hour').map(([merchantId]) => merchantId);
    expect(rows.map(({ merchant_id }) => merchant_id).toSorted()).toEqual(young.toSorted());
  });

  it('a statement for one merchant looks into one part of each table', async () => {
    const ofOne = [...statements.sent.values()].filter(({ begin }) =>
      /reckoner_app;[\s\S]*'reckoner.merchants', '\w+'/.test(begin),
    );
    expect(ofOne.length).toBeGreaterThan(100);
    const spread: string[] = [];
    for (const sent of ofOne) {
      const touched = await touchedBy(sent);
      const wide = [...touched].filter(([, shards]) => shards.size > 1).map(([table]) => table);
      if (wide.length > 0) spread.push(`${wide.join()}: ${sent.text.replaceAll(/\s+/g, ' ').trim()}`);
    }
    expect(spread).toEqual([]);
  });

  it('one for all merchants looks into all parts, as this test would see', async () => {
    const touched = await touchedBy({
      text: 'select * from customer',
      values: [],
      begin: 'begin; set local role reckoner_operator',
    });
    expect(touched.get('customer')?.size).toBe(SHARDS);
  });
});

const touchedBy = (sent: Sent) => shardsTouched(owner, sent);
