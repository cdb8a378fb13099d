import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloneDatabase } from '../../test/support/environment.ts';
import { Database, sql } from './index.ts';

let database: Database;
let url: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ url, drop } = await cloneDatabase());
  database = new Database({ url, connections: 1 });
});
afterAll(async () => {
  await database.close();
  await drop();
});

it('a statement that is read in pieces and fails gives its connection back', async () => {
  const failing = (last: number) =>
    database.transaction('nobody', (tx) =>
      tx.manyRows(sql`select 1 / (${last} - n) as value from generate_series(1, 5000) n`),
    );
  await expect(failing(1)).rejects.toThrow('division by zero');
  await expect(failing(4_000)).rejects.toThrow('division by zero'); // after some pieces
  const rows = await database.transaction('nobody', (tx) => tx.manyRows(sql`select generate_series(1, 1500) as n`));
  expect(rows).toHaveLength(1500);
}, 5_000);

it('a transaction runs again when what it lacked was got, and not otherwise', async () => {
  const known = new Set<string>();
  const mended: Database = new Database({
    url,
    mend: async (error) => {
      const isOurs = (error as { code?: string }).code === '22012';
      if (isOurs) known.add('got');
      return isOurs;
    },
  });
  try {
    const work = (divisor: () => number) =>
      mended.transaction('nobody', (tx) => tx.one<{ value: number }>(sql`select 6 / ${divisor()}::int as value`));
    expect(await work(() => (known.has('got') ? 2 : 0))).toEqual({ value: 3 });
    await expect(mended.transaction('nobody', (tx) => tx.run(sql`select nothing`))).rejects.toThrow('nothing');
  } finally {
    await mended.close();
  }
});
