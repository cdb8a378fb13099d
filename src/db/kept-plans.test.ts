import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase } from '../../test/support/environment.ts';
import { newId } from '../kernel/ids.ts';
import { Database, sql, type TransactionOptions, type Tx } from './index.ts';

let url: string;
let drop: () => Promise<void>;
let database: Database;
beforeAll(async () => {
  ({ url, drop } = await cloneDatabase());
  database = new Database({ url, connections: 1 });
});
afterAll(async () => {
  await database.close();
  await drop();
});

async function asOwner(statement: string): Promise<void> {
  const owner = new pg.Client(url);
  await owner.connect();
  await owner.query(statement);
  await owner.end();
}

const merchantId = newId('organization');
const columns = sql`id, name`;
const feesOf = (tx: Tx) => tx.rows(sql`select * from fee where merchant_id = ${tx.merchantId}`);
const someOf = (tx: Tx) => tx.rows(sql`select ${columns} from fee where merchant_id = ${tx.merchantId}`);
const changing = (tx: Tx) => tx.rows(sql`select id from fee where ${sql`merchant_id = ${tx.merchantId}`}`);

/** The texts of the plans that the connection keeps, after some work. */
const keptAfter = (work: (tx: Tx) => Promise<unknown>, options?: TransactionOptions) =>
  database.transaction(
    { merchants: [merchantId] },
    async (tx) => {
      await work(tx);
      const kept = await tx.rows<{ name: string; statement: string }>(
        sql.raw(`select name, statement from pg_prepared_statements where name like 'fixed%' order by 1`),
      );
      return kept.map(({ name, statement }) => `${name.replace(/\d+/, 'n')}: ${statement}`);
    },
    options,
  );

const ALL = 'select * from fee where merchant_id = $1';

describe('the plans of a connection', () => {
  it('are kept where a transaction says so, of statements whose text is always the same', async () => {
    expect(await keptAfter(feesOf)).toEqual([]);
    expect(await keptAfter(feesOf, { byKeys: true })).toEqual([]);
    expect(await keptAfter(changing, { keepsPlans: true })).toEqual([]);
    expect(await keptAfter(feesOf, { keepsPlans: true })).toEqual([`fixed_n_0: ${ALL}`]);
    expect(await keptAfter(feesOf, { keepsPlans: true })).toHaveLength(1);
    const named = await keptAfter(someOf, { keepsPlans: true });
    expect(named).toContain('fixed_n_0: select id, name from fee where merchant_id = $1');
  });

  it('show each merchant its own rows', async () => {
    const [one, other] = [newId('organization'), newId('organization')];
    for (const id of [one, other])
      await asOwner(`insert into organization (merchant_id, id, type, name, created_at, updated_at)
                     values ('${id}', '${id}', 'merchant', 'Merchant', now(), now())`);
    const seen = (id: string) =>
      database.transaction({ merchants: [id] }, (tx) => tx.rows(sql`select id from organization`), {
        keepsPlans: true,
      });
    for (const id of [one, other, one]) expect(await seen(id)).toEqual([{ id }]);
  });

  it('are made again after a table has got another column', async () => {
    await asOwner('alter table fee add column another text');
    expect(await keptAfter(feesOf, { keepsPlans: true })).toContain(`fixed_n_1: ${ALL}`);
  });

  it('find rows by keys, however small the table was', async () => {
    const plan = await database.transaction(
      { merchants: [merchantId] },
      async (tx) => {
        await feesOf(tx);
        const { name } = await tx.one<{ name: string }>(
          sql`select name from pg_prepared_statements where statement = ${ALL} and name like 'fixed%' limit 1`,
        );
        return tx.rows(sql.raw(`explain execute ${name}('x')`));
      },
      { keepsPlans: true },
    );
    expect(JSON.stringify(plan)).toContain('Index');
    expect(JSON.stringify(plan)).not.toContain('Seq Scan');
  });
});
