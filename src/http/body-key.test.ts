import { expect, it } from 'vitest';
import type { Sql, Tx } from '../db/index.ts';
import { compile } from '../db/sql.ts';
import { bodyKey, findCreated, keyColumns } from './body-key.ts';

const sent = bodyKey('thing', { idempotencyKey: 'k', name: 'a' } as { idempotencyKey: string });

/** One row, created under `sent`, and the questions in their order. */
function keptRow() {
  const asked: string[] = [];
  const row = { id: 'thing_1', ...keyColumns(sent) };
  const tx = {
    merchantId: 'org_1',
    run: async (lock: Sql) => asked.push(`lock ${compile(lock).values[0]}`),
  } as unknown as Tx; // no database is involved
  const statements = {
    kind: 'thing',
    find: async (_tx: Tx, key: string) => {
      asked.push(`find ${_tx.merchantId} ${key}`);
      return key === row.idempotencyKey ? row : undefined;
    },
  };
  return { tx, asked, row, statements };
}

it('answers the row of the same key and content, and locks the key before it looks', async () => {
  const { tx, asked, row, statements } = keptRow();
  expect(await findCreated(tx, sent, statements)).toEqual({ ok: true, value: row });
  expect(asked).toEqual(['lock thing org_1 k', 'find org_1 k']);
});

it('refuses other content under the same key', async () => {
  const { tx, statements } = keptRow();
  const other = bodyKey('thing', { idempotencyKey: 'k', name: 'b' } as { idempotencyKey: string });
  expect(await findCreated(tx, other, statements)).toMatchObject({
    refusal: { code: 'IDEMPOTENCY_KEY_REUSED' },
  });
});

it('finds nothing under a new key, and asks nothing without a key', async () => {
  const { tx, asked, statements } = keptRow();
  const unused = bodyKey('thing', { idempotencyKey: 'new' });
  expect(await findCreated(tx, unused, statements)).toEqual({ ok: true, value: null });
  expect(asked).toHaveLength(2);
  const without = bodyKey('thing', {});
  expect(await findCreated(tx, without, statements)).toEqual({ ok: true, value: null });
  expect(asked).toHaveLength(2);
  expect(keyColumns(without)).toEqual({ idempotencyKey: null, idempotencyPrint: null });
});
