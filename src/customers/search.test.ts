import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cases } from '../../test/support/cases.ts';
import { cloneDatabase } from '../../test/support/environment.ts';
import { Database, sql, type Tx } from '../db/index.ts';
import { selectCustomers } from './customers.sql.ts';

let database: Database;
let owner: pg.Client;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  drop = clone.drop;
  database = new Database({ url: clone.url, connections: 3 });
  owner = new pg.Client({ connectionString: clone.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.close();
  await drop();
});

const within = <T>(merchantId: string, work: (tx: Tx) => Promise<T>) =>
  database.transaction({ merchants: [merchantId] }, work);

interface Named {
  readonly name: string;
  readonly emails: readonly string[];
}

const insertConsumer = (tx: Tx, id: string, { name, emails }: Named) =>
  tx.run(sql`
    insert into organization (merchant_id, id, type, name, email, billing_emails, found_by_email, created_at, updated_at)
    values (${tx.merchantId}, ${id}, 'consumer', ${name}, ${emails[0] ?? null}, ${emails.slice(1)}::text[], false, now(), now())`);
const insertCustomer = (tx: Tx, id: string, consumerId: string) =>
  tx.run(sql`
    insert into customer (merchant_id, id, consumer_id, created_at, updated_at)
    values (${tx.merchantId}, ${id}, ${consumerId}, now(), now())`);
const rename = (tx: Tx, id: string, { name, emails }: Named) =>
  tx.run(sql`
    update organization set name = ${name}, billing_emails = ${emails}::text[]
     where merchant_id = ${tx.merchantId} and id = ${id}`);

const text = (min: number, max: number) =>
  fc
    .array(fc.constantFrom('a', 'A', 'b', 'ä', 'Ä', 'ß', 'İ', '%', '_', '\\', ' ', "'", '😀'), {
      minLength: min,
      maxLength: max,
    })
    .map((letters) => letters.join(''));
const named = fc.record({ name: text(1, 12), emails: fc.array(text(1, 6), { maxLength: 3 }) });
const search = fc.record({ name: fc.option(text(3, 4)), email: fc.option(text(3, 4)) });

/** A part in any case; no character has a special meaning. */
const like = (part: string) => `%${part.replace(/[\\%_]/g, '\\$&')}%`;

let merchants = 0;
it('customers are found by every part of their names and addresses, in any case, whatever is renamed or deleted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(named, { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(fc.nat({ max: 11 }), fc.option(named)), { maxLength: 4 }),
      fc.array(search, { minLength: 4, maxLength: 8 }),
      async (all, changes, searches) => {
        merchants += 1;
        const merchantId = `org_search_${merchants}`;
        await within(merchantId, async (tx) => {
          for (const [n, each] of all.entries()) {
            await insertConsumer(tx, `con_${merchants}_${n}`, each);
            await insertCustomer(tx, `cus_${merchants}_${n}`, `con_${merchants}_${n}`);
          }
          for (const [n, change] of changes)
            if (change) await rename(tx, `con_${merchants}_${n}`, change);
            else await tx.run(sql`update customer set deleted_at = now() where id = ${`cus_${merchants}_${n}`}`);
          for (const { name, email } of searches) {
            if (name === null && email === null) continue;
            const filter = { merchantId, ...(name !== null && { name }), ...(email !== null && { email }) };
            const expected = await tx.rows<{ id: string }>(sql`
              select c.id from customer c join organization o on o.merchant_id = c.merchant_id and o.id = c.consumer_id
               where c.merchant_id = ${merchantId} and c.deleted_at is null
                 and (${name}::text is null or o.name ilike ${like(name ?? '')})
                 and (${email}::text is null or exists (
                       select from unnest(array[o.email] || o.billing_emails) box where box ilike ${like(email ?? '')}))
               order by c.seq desc`);
            const { data, total } = await selectCustomers(tx, filter, { limit: 2, offset: 1 });
            expect(total, JSON.stringify(filter)).toBe(expected.length);
            expect(data.map(({ id }) => id)).toEqual(expected.slice(1, 3).map(({ id }) => id));
          }
        });
      },
    ),
    cases(6, 25),
  );
});

it('a customer has the name that its consumer is given at the same moment', async () => {
  const merchantId = 'org_race';
  await within(merchantId, (tx) => insertConsumer(tx, 'con_race', { name: 'before', emails: [] }));
  let inserting: Promise<unknown> = Promise.resolve();
  await within(merchantId, async (tx) => {
    await rename(tx, 'con_race', { name: 'After', emails: ['One@After.example'] });
    inserting = within(merchantId, (other) => insertCustomer(other, 'cus_race', 'con_race'));
    await expect
      .poll(async () => (await owner.query(`select from pg_locks where not granted`)).rowCount)
      .toBeGreaterThan(0);
  });
  await inserting;
  const found = (filter: { name?: string; email?: string }) =>
    within(
      merchantId,
      async (tx) => (await selectCustomers(tx, { merchantId, ...filter }, { limit: 5, offset: 0 })).total,
    );
  expect([
    await found({ name: 'after' }),
    await found({ email: 'one@after' }),
    await found({ name: 'before' }),
  ]).toEqual([1, 1, 0]);
});

it('a merchant finds none of the customers of another', async () => {
  await within('org_theirs', async (tx) => {
    await insertConsumer(tx, 'con_theirs', { name: 'Theirs', emails: [] });
    await insertCustomer(tx, 'cus_theirs', 'con_theirs');
  });
  const asked = within('org_mine', (tx) =>
    selectCustomers(tx, { merchantId: 'org_theirs', name: 'theirs' }, { limit: 5, offset: 0 }),
  );
  expect((await asked).total).toBe(0);
  const read = database.transaction('every merchant, reading', (tx) =>
    selectCustomers(tx, { merchantId: 'org_theirs', name: 'theirs' }, { limit: 5, offset: 0 }),
  );
  expect((await read).total).toBe(1);
});
