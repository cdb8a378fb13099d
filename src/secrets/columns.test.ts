import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloneDatabase } from '../../test/support/environment.ts';
import { SEALED_COLUMNS } from './columns.ts';

let client: pg.Client;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  drop = clone.drop;
  client = new pg.Client({ connectionString: clone.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await drop();
});

const SECRET_NAME = 'secret|password|passphrase|credential|private|sealed|token|api_?key|signing';

/** Columns with names that suggest a secret, and the reason why they have none. */
const HARMLESS: Readonly<Record<string, string>> = {
  'payment_method.provider_token': 'names a card at the provider, where it is of no use without the secret key',
  'payment_charge.provider_token': 'the same',
  'sandbox_provider_record.token': 'names a test card of the sandbox',
  'usage_shipment.token': 'names a batch of events on its way to ClickHouse',
  'webhook_endpoint.previous_secret_until': 'a time',
};

async function columnsThatSoundSecret(): Promise<string[]> {
  const { rows } = await client.query<{ place: string }>(
    `select c.relname || '.' || a.attname as place
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and (a.attname ~ $1 or col_description(c.oid, a.attnum) ~* 'sealed')
      order by 1`,
    [SECRET_NAME],
  );
  return rows.map(({ place }) => place);
}

it('the table of sealed columns has every column whose name sounds like a secret', async () => {
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(await columnsThatSoundSecret()).toEqual([...listed, ...Object.keys(HARMLESS)].toSorted());
});

it('a new column with such a name is noticed', async () => {
  await client.query('alter table customer add column api_secret text');
  expect(await columnsThatSoundSecret()).toContain('customer.api_secret');
  await client.query('alter table customer drop column api_secret');
});
