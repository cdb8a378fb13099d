import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloneDatabase } from '../../test/support/environment.ts';
import { Database, sql } from '../db/index.ts';
import { generateApiKey, hashApiKey } from './keys.ts';
import { ensurePlatform } from './platform.ts';

const [KEY, OTHER_KEY] = [generateApiKey('sandbox'), generateApiKey('sandbox')];

let database: Database;
let drop: () => Promise<void>;
let url: string;
beforeAll(async () => {
  const clone = await cloneDatabase();
  drop = clone.drop;
  url = clone.url;
  database = new Database({ url: clone.url });
});
afterAll(async () => {
  await database.close();
  await drop();
});

const now = Temporal.Instant.from('2026-01-01T00:00:00Z');
const counts = () =>
  database.transaction('every merchant, reading', (tx) =>
    tx.one<{ organizations: number; users: number; keys: number }>(sql`
      select (select count(*)::int from organization) as organizations, (select count(*)::int from app_user) as users,
             (select count(*)::int from api_key) as keys`),
  );

it('makes one platform, one operator and one key, however often and however many starts do it at once', async () => {
  await Promise.all(Array.from({ length: 8 }, () => ensurePlatform(database, KEY, now, 'sandbox')));
  await ensurePlatform(database, KEY, now, 'sandbox');
  expect(await counts()).toEqual({ organizations: 1, users: 1, keys: 1 });
});

const find = (key: string) =>
  database.transaction('nobody', (tx) =>
    tx.rows<{ organizationType: string; role: string }>(
      sql`select * from find_api_keys(array[${hashApiKey(key)}::bytea], ${now})`,
    ),
  );
const OPERATOR = [expect.objectContaining({ organizationType: 'platform', role: 'admin' })];

it('takes another key in place of the one before it, and that one again', async () => {
  await ensurePlatform(database, OTHER_KEY, now, 'sandbox');
  expect(await counts()).toEqual({ organizations: 1, users: 1, keys: 2 });
  expect([await find(KEY), await find(OTHER_KEY)]).toEqual([[], OPERATOR]);
  await ensurePlatform(database, KEY, now, 'sandbox');
  expect([await find(KEY), await find(OTHER_KEY)]).toEqual([OPERATOR, []]);
});

it('leaves a key revoked that somebody has revoked', async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("update api_key set revoked_at = now() where setting = 'current'");
  await client.end();
  await ensurePlatform(database, KEY, now, 'sandbox');
  expect(await find(KEY)).toEqual([]);
});

it('refuses a database of the other environment', async () => {
  await expect(ensurePlatform(database, 'rk_live_one', now, 'production')).rejects.toThrow(
    'This database belongs to sandbox, not to production.',
  );
  expect(await counts()).toEqual({ organizations: 1, users: 1, keys: 2 });
});
