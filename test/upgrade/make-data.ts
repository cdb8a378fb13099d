import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { it } from 'vitest';
import { live } from '../lives/drive.ts';
import { generate } from '../lives/generate.ts';
import type { Life } from '../lives/life.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';

/**
 * Makes the stored data of a version, in a checkout of it (README.md). `DATA` is the file, `COUNT` the number of random
 * lives, `SEED` their first seed; only the first one brings the demo and the kept lives. Half of the lives have ended,
 * and the subscriptions of the others go on.
 */
const { DATA = '', COUNT = '70', SEED = '1' } = process.env;
const IS_FIRST = SEED === '1';
const NOW = '2026-11-21T15:04:05Z';
const KEPT = join(import.meta.dirname, '../lives/kept');
const SIDE_BY_SIDE = 6;
const LAYERS = [{ layer: 1 }, { layer: 2 }, { layer: 3 }, { layer: 3, isGranted: true }] as const;

/** An environment whose merchants end no subscription, so that a life leaves them open. */
const withoutEnds = (env: TestEnvironment): TestEnvironment => ({
  ...env,
  merchant: async (role) => {
    const merchant: Merchant = await env.merchant(role);
    const post: Merchant['post'] = (path, ...words) =>
      path.endsWith('/termination')
        ? Promise.resolve({ status: 409, body: {}, headers: {}, text: '', bytes: Buffer.of() })
        : merchant.post(path, ...words);
    return { ...merchant, post };
  },
});

async function makeLives(env: TestEnvironment): Promise<void> {
  const kept = readdirSync(KEPT).map((file): Life => JSON.parse(readFileSync(join(KEPT, file), 'utf8')));
  const random = Array.from({ length: Number(COUNT) }, (_, place) =>
    generate(
      Number(SEED) + Math.floor(place / LAYERS.length),
      LAYERS[place % LAYERS.length] as (typeof LAYERS)[number],
    ),
  );
  const left = [...(IS_FIRST ? kept : []), ...random].map((life, place) => ({ life, isOpen: place % 2 === 1 }));
  const next = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift())
      await live(one.isOpen ? withoutEnds(env) : env, one.life);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, next));
}

/** A line for each migration, sequence and row; rows by table, without partitions: their parents have their rows. */
async function dump(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const ours = `relnamespace = 'public'::regnamespace and not relispartition`;
  const { rows: found } = await client.query(
    `select relname from pg_class where ${ours} and relkind in ('r', 'p') and relname not like 'kysely_%' order by 1`,
  );
  const lines: string[] = [];
  for (const { relname } of found) {
    const { rows } = await client.query(`select row_to_json(t)::text as row from "${relname}" t order by 1`);
    lines.push(...rows.map(({ row }) => `row ${relname} ${row}`));
  }
  const { rows: migrations } = await client.query('select name from kysely_migration order by name');
  const { rows: sequences } = await client.query(
    `select sequencename as name, last_value::text as value from pg_sequences
      where schemaname = 'public' and last_value is not null`,
  );
  await client.end();
  return [
    ...migrations.map(({ name }) => `migration ${name}`),
    ...lines,
    ...sequences.map(({ name, value }) => `sequence ${name} ${value}`),
  ];
}

it('makes the data', { timeout: 3_600_000 }, async () => {
  const env = await openTestEnvironment();
  env.setNow(NOW);
  if (IS_FIRST) await (await env.openDemo?.())?.fill((_, work) => work(), new AbortController().signal);
  await makeLives(env);
  const lines = [`now ${NOW}`, `masterKey ${env.masterKey}`, ...(await dump(env.url))];
  writeFileSync(DATA, gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
  await env.close();
});
