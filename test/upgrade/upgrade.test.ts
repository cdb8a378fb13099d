import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { migrationFiles } from '../../src/db/index.ts';
import { asOwner } from '../support/edge.ts';
import { loginUrl, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Restored, restore } from './restore.ts';

/** Stored data of each earlier version is upgraded to this one (README.md). */
const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.gz'));
const TIMEOUT = 1_800_000;

describe.each(files)('the data of %s', { timeout: TIMEOUT }, (file) => {
  let restored: Restored;
  let env: TestEnvironment;
  beforeAll(async () => {
    restored = await restore(join(import.meta.dirname, file));
    const { template, masterKey, now } = restored;
    env = await openTestEnvironment({ template, masterKey });
    env.setNow(now);
  }, TIMEOUT);
  afterAll(async () => {
    await env.close();
    await restored.drop();
  }, TIMEOUT);

  const rows = async (statement: string) => (await asOwner(env.url, statement)).rows;
  /** Issued invoices. */
  const issued = async (): Promise<number> =>
    (await rows('select count(*)::int from invoice where issued_at is not null'))[0].count;

  it('is migrated, with the hash of each migration', async () => {
    const hashes = (await migrationFiles()).map(({ name, hash }) => ({ name, hash }));
    expect(await rows('select name, hash from migration_hashes() order by name collate "C"')).toEqual(hashes);
    expect((await env.client().get('/readyz')).status).toBe(200);
  });

  it('holds what the auditor asks', async () => {
    expect((await auditDatabase(loginUrl(env.url))).violations).toEqual([]);
  });

  it('comes out the same from the events', async () => {
    const { checked, differing } = await recomputeDatabase(loginUrl(env.url));
    expect(differing).toEqual([]);
    expect(checked).toBeGreaterThan(300);
  });

  it('bills another month, on the wall clock and on each test clock', async () => {
    const before = await issued();
    const month = Temporal.Instant.from(restored.now)
      .add({ hours: 24 * 31 })
      .toString();
    env.setNow(month);
    await env.runDueWork();
    for (const { merchant_id: id, clock } of await rows(
      'select merchant_id, id as clock from test_clock order by merchant_id',
    )) {
      const merchant = await env.userOf({ id }, 'admin');
      const moved = await merchant.patch(`/v0/testClocks/${clock}`, { advanceBy: 'P32D' });
      expect(moved).toMatchObject({ status: 200, body: { advancingTo: null } });
    }
    expect(await issued()).toBeGreaterThan(before + 100);
    expect(await rows('select kind, id, error from due_failure')).toEqual([]);
    expect((await auditDatabase(loginUrl(env.url))).violations).toEqual([]);
    expect((await recomputeDatabase(loginUrl(env.url))).differing).toEqual([]);
  });
});
