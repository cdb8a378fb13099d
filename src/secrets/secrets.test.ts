import pg from 'pg';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loginUrl, type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Shop, shopOf } from '../../test/support/shop.ts';
import { auditDatabase, openEnvironment } from '../app.ts';
import { Database, type Scope, type Tx } from '../db/index.ts';
import { generateApiKey } from '../identity/index.ts';
import { newId } from '../kernel/ids.ts';
import { generateMasterKey, MasterKeyRefused, nameOfMasterKey, placeOf, sealerOf } from '../kernel/sealing.ts';
import { admitMasterKeys, type MasterKeys, missingKeyChore, rotateMasterKey } from './index.ts';

const NOW = Temporal.Instant.from('2026-01-01T00:00:00Z');
const SECRETS = 6;

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let database: Database;
let client: pg.Client;
let fresh: string;
beforeEach(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  database = new Database({ url: loginUrl(env.url), connections: 2 });
  client = new pg.Client({ connectionString: env.url });
  await client.connect();
  fresh = generateMasterKey();
  await storeSecrets();
});
afterEach(async () => {
  await client.end();
  await database.close();
  await env.close();
});

const WEBHOOK_SECRET = 'what signs the webhooks of the source';

/** Six secrets, of every kind. */
async function storeSecrets(): Promise<void> {
  const metric = await shop.metric();
  const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
  await shop.create('/v0/sources', {
    ...{ name: 'App', planId: plan.id, type: 'generic_revenue' },
    config: { projectId: 'project', webhookSecret: WEBHOOK_SECRET },
    metadata: { billableMetricMapping: { revenue: metric.id } },
  });
  const endpoint = await shop.create('/v0/webhookEndpoints', { url: 'http://127.0.0.1:9/' });
  await shop.act(`/v0/webhookEndpoints/${endpoint.id}/rotateSecret`);
  const gone = await shop.create('/v0/webhookEndpoints', { url: 'http://127.0.0.1:9/gone' });
  await merchant.delete(`/v0/webhookEndpoints/${gone.id}`);
  await shop.replace('/v0/merchantIntegrations', {
    provider: 'bookkeeping',
    config: { apiKey: 'key', credentials: { token: 'token' }, nested: { password: 'word' } },
  });
}

interface Stored {
  readonly place: string;
  readonly sealed: string;
}

/** Every sealed text, with the place that it opens in. */
async function stored(): Promise<Stored[]> {
  const { rows } = await client.query<Stored>(`
    select id as place, webhook_secret as sealed from source where webhook_secret is not null
    union all select id, secret from webhook_endpoint where secret <> ''
    union all select id, previous_secret from webhook_endpoint where previous_secret is not null
    union all select id || ' ' || t.key, t.value from merchant_integration cross join jsonb_each_text(secrets) t
    order by 1, 2`);
  return rows;
}

/** Every secret in plain, in the order of the texts; null if these keys cannot open it. */
async function plain(...keys: [string, ...string[]]): Promise<(string | null)[]> {
  const sealer = sealerOf(...keys);
  return (await stored()).map(({ place, sealed }) => sealer.open(sealed, place)).toSorted();
}

const recorded = async () =>
  (await client.query<{ name: string }>('select name from master_key order by name')).rows.map(({ name }) => name);

/** Another process on the same database, until its work is done. */
async function withProcess<T>(masterKey: MasterKeys, work: (url: string) => T): Promise<T> {
  const environment = await openEnvironment({
    environment: 'sandbox',
    databaseUrl: loginUrl(env.url),
    ownerDatabaseUrl: env.url,
    publicUrl: 'http://localhost:4401',
    platformKey: generateApiKey('sandbox'),
    masterKey,
    logger: pino({ level: 'silent' }),
  });
  try {
    return work(env.url);
  } finally {
    await environment.close();
  }
}

describe('a rotation of the master key', () => {
  it('seals every secret under the new key, and says how many; again, it finds nothing to do', async () => {
    const before = await plain(env.masterKey);
    expect(before).toHaveLength(SECRETS);
    expect(before).not.toContain(null);
    const done = await rotateMasterKey(database, fresh, [env.masterKey], NOW);
    expect(done).toEqual({ resealed: SECRETS, unopened: [], stillNeeded: [] });
    expect(await plain(fresh)).toEqual(before);
    expect(new Set(await plain(env.masterKey))).toEqual(new Set([null]));
    expect(await recorded()).toEqual([nameOfMasterKey(fresh)]);
    const again = await rotateMasterKey(database, fresh, [env.masterKey], NOW);
    expect(again).toEqual({ resealed: 0, unopened: [], stillNeeded: [] });
  });

  it('leaves the rows as they were, save for their secrets', async () => {
    const rows = async () =>
      (
        await client.query(`select to_jsonb(s) - 'webhook_secret' as row from source s
          union all select to_jsonb(e) - 'secret' - 'previous_secret' from webhook_endpoint e
          union all select to_jsonb(i) - 'secrets' from merchant_integration i
          order by 1`)
      ).rows;
    const before = await rows();
    await rotateMasterKey(database, fresh, [env.masterKey], NOW);
    expect(await rows()).toEqual(before);
  });

  it('goes through as many secrets of as many merchants as there are', async () => {
    const sealer = sealerOf(env.masterKey);
    for (let n = 0; n < 250; n += 1) {
      const id = newId('merchantIntegration');
      const secrets = { token: sealer.seal(`"secret ${n}"`, placeOf(id, 'token')) };
      await client.query(
        `insert into merchant_integration
           (merchant_id, id, provider, status, config, secrets, metadata, connected_at, created_at, updated_at)
         values ($1, $2, $3, 'active', '{}', $4, '{}', now(), now(), now())`,
        [n % 3 === 0 ? merchant.id : newId('organization'), id, `provider ${n}`, JSON.stringify(secrets)],
      );
    }
    const before = await plain(env.masterKey);
    const done = await rotateMasterKey(database, fresh, [env.masterKey], NOW);
    expect(done).toMatchObject({ resealed: SECRETS + 250, unopened: [] });
    expect(await plain(fresh)).toEqual(before);
  });

  it('can be killed before each of its transactions: what there is opens with both keys, and the next run ends it', async () => {
    const before = await plain(env.masterKey);
    let isDone = false;
    let resealed = 0;
    for (let lives = 0; !isDone; lives += 1) {
      const mortal = mortalDatabase(lives);
      isDone = await rotateMasterKey(mortal, fresh, [env.masterKey], NOW).then(
        (done) => {
          resealed = done.resealed;
          return true;
        },
        () => false,
      );
      expect(await plain(fresh, env.masterKey)).toEqual(before);
      expect(lives).toBeLessThan(50);
    }
    expect(resealed).toBeLessThan(SECRETS);
    expect(await plain(fresh)).toEqual(before);
    expect(await recorded()).toEqual([nameOfMasterKey(fresh)]);
  });

  /** A database that fails after so many transactions. */
  function mortalDatabase(lives: number): Database {
    let left = lives;
    const transaction = <T>(scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('killed')) : database.transaction(scope, work);
    };
    return { transaction } as Database;
  }

  it('waits for a secret that is being changed, and keeps the change', async () => {
    const [{ id } = { id: '' }] = (await client.query<{ id: string }>('select id from source')).rows;
    const changed = sealerOf(fresh, env.masterKey).seal('the changed secret', placeOf(id));
    await client.query('begin');
    await client.query('update source set webhook_secret = $1 where id = $2', [changed, id]);
    const rotating = rotateMasterKey(database, fresh, [env.masterKey], NOW);
    await expect(Promise.race([rotating, client.query('select pg_sleep(0.3)').then(() => 'it waits')])).resolves.toBe(
      'it waits',
    );
    await client.query('commit');
    expect(await rotating).toMatchObject({ resealed: SECRETS - 1, unopened: [] });
    expect(await plain(fresh)).toContain('the changed secret');
  });

  it('leaves what it cannot open, names it, and remembers that its key is needed', async () => {
    const other = generateMasterKey();
    await client.query('update source set webhook_secret = $1', [sealerOf(other).seal('x', 'elsewhere')]);
    await client.query('insert into master_key (name, proof, created_at) values ($1, $2, now())', [
      nameOfMasterKey(other),
      '',
    ]);
    const [{ sealed, place } = { sealed: '', place: '' }] = (await stored()).filter((each) =>
      each.place.startsWith('src'),
    );
    const done = await rotateMasterKey(database, fresh, [env.masterKey], NOW);
    expect(done).toEqual({
      resealed: SECRETS - 1,
      unopened: [{ merchantId: merchant.id, id: place, where: 'source.webhook_secret' }],
      stillNeeded: [nameOfMasterKey(other)],
    });
    expect((await stored()).map((each) => each.sealed)).toContain(sealed);
    expect(await recorded()).toEqual([nameOfMasterKey(fresh), nameOfMasterKey(other)].toSorted());
  });

  it('happens beside processes that have both keys, and seal under the new one', async () => {
    await withProcess({ key: fresh, previous: env.masterKey }, () => undefined);
    expect(await recorded()).toEqual([nameOfMasterKey(fresh), nameOfMasterKey(env.masterKey)].toSorted());
    await expect(admitMasterKeys(database, { key: env.masterKey }, NOW)).rejects.toThrow(MasterKeyRefused);
    await rotateMasterKey(database, fresh, [env.masterKey], NOW);
    await expect(admitMasterKeys(database, { key: fresh }, NOW)).resolves.toMatchObject({ lost: [] });
    await expect(admitMasterKeys(database, { key: fresh, previous: env.masterKey }, NOW)).resolves.toMatchObject({});
  });
});

it('a process that missed a rotation says which key it lacks; others say nothing', async () => {
  const missing: (readonly string[])[] = [];
  const look = (keys: MasterKeys) => missingKeyChore(keys, (names) => missing.push(names)).run(database);
  await look({ key: env.masterKey });
  await admitMasterKeys(database, { key: fresh, previous: env.masterKey }, NOW);
  await look({ key: fresh, previous: env.masterKey });
  expect(missing).toEqual([]);
  await look({ key: env.masterKey });
  expect(missing).toEqual([[nameOfMasterKey(fresh)]]);
});

describe('a start', () => {
  it('with another platform key opens every secret', async () => {
    const before = await plain(env.masterKey);
    await withProcess({ key: env.masterKey }, () => undefined);
    expect(await plain(env.masterKey)).toEqual(before);
    expect(new Set(await plain(env.platform.key))).toEqual(new Set([null]));
  });

  it('with another master key is refused, and keeps no new key', async () => {
    const kept: string[] = [];
    const started = withProcess({ key: fresh, isAlone: true, keep: () => kept.push(fresh) }, () => undefined);
    const refused = await started.catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MasterKeyRefused);
    expect(refused).toMatchObject({ keyNames: [nameOfMasterKey(env.masterKey)], secretCount: SECRETS });
    expect(String(refused)).not.toContain(env.masterKey);
    expect(kept).toEqual([]);
    expect(await recorded()).toEqual([nameOfMasterKey(env.masterKey)]);
  });

  it('with a key whose name is recorded for another key is refused', async () => {
    await client.query(`update master_key set proof = 'v1.' || name || '.AAAA'`);
    await expect(admitMasterKeys(database, { key: env.masterKey }, NOW)).rejects.toThrow(MasterKeyRefused);
    await client.query('delete from master_key');
    await admitMasterKeys(database, { key: env.masterKey }, NOW);
  });

  it('goes on without a key that is said to be lost, and asks for it no more until it is found', async () => {
    const lost = nameOfMasterKey(env.masterKey);
    const admit = (keys: MasterKeys) => admitMasterKeys(database, keys, NOW);
    expect(await admit({ key: fresh, lost: [lost] })).toMatchObject({ lost: [lost] });
    expect(await admit({ key: fresh })).toMatchObject({ lost: [] });
    const answer = await shop.change(`/v0/sources/${(await shop.read('/v0/sources')).data[0].id}`, { name: 'Again' });
    expect(answer.hasWebhookSecret).toBe(true);
    await admit({ key: fresh, previous: env.masterKey });
    await expect(admit({ key: fresh })).rejects.toThrow(MasterKeyRefused);
    await admit({ key: fresh, previous: env.masterKey });
  });

  it('of two with different new keys on an empty database, one is refused', async () => {
    const empty = await openTestEnvironment({ environment: 'sandbox' });
    const pool = new Database({ url: loginUrl(empty.url), connections: 4 });
    const owner = new pg.Client({ connectionString: empty.url });
    await owner.connect();
    await owner.query('delete from master_key');
    const starts = [generateMasterKey(), generateMasterKey()].map((key) => admitMasterKeys(pool, { key }, NOW));
    const outcomes = await Promise.allSettled(starts);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await owner.end();
    await pool.close();
    await empty.close();
  });
});

it('the auditor finds a secret that is not sealed, and one under a key that nobody recorded', async () => {
  const found = async () => {
    const { violations } = await auditDatabase(loginUrl(env.url));
    return violations.map(({ name, count, examples }) => [name, count, examples[0]?.detail]);
  };
  expect(await found()).toEqual([]);
  const { rows } = await client.query<{ webhookSecret: string }>('select webhook_secret from source');
  await client.query(`update source set webhook_secret = 'plain'`);
  const why = ['secrets-have-their-key', 1, 'source.webhook_secret is sealed under the key ""'];
  expect(await found()).toEqual([why]);
  await client.query(`update source set webhook_secret = 'v1.unknown1.AAAA'`);
  expect(await found()).toEqual([[why[0], 1, 'source.webhook_secret is sealed under the key "unknown1"']]);
  await client.query('update source set webhook_secret = $1', [rows[0]?.webhookSecret]);
});
