import { checkReference, type Tx } from '../db/index.ts';
import { invalid, notFound, ok, type Result } from '../kernel/result.ts';
import type { CustomerBlocker } from './blockers.ts';
import { lockCustomerShared, selectChildren, selectPayers } from './customers.sql.ts';
import { customerNames } from './party.ts';

/** The payers of some customers, by their ids; those who pay themselves are left out (commercial.md §8). */
export const findPayers = async (tx: Tx, ids: Iterable<string>): Promise<ReadonlyMap<string, string>> =>
  new Map((await selectPayers(tx, [...new Set(ids)])).map(({ id, payerId }) => [id, payerId]));

/** Who pays for a customer now: its payer, else it itself. */
export const findPayer = async (tx: Tx, customerId: string): Promise<string> =>
  (await findPayers(tx, [customerId])).get(customerId) ?? customerId;

/** Of so many customers for which one pays all are looked at. */
const MOST_CHILDREN = 1000;

/** Some customers, and those for which they pay. */
export async function withChildren(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const children = await selectChildren(tx, ids, MOST_CHILDREN);
  return [...new Set([...ids, ...children.map(({ id }) => id)])];
}

/** The names of the customers for which one pays, by their ids, the oldest first. */
export async function findChildren(tx: Tx, payerId: string, most: number): Promise<ReadonlyMap<string, string>> {
  const ids = (await selectChildren(tx, [payerId], most)).map(({ id }) => id);
  const names = new Map((await customerNames(tx, ids)).map(({ id, name }) => [id, name ?? '']));
  return new Map(ids.map((id) => [id, names.get(id) ?? '']));
}

/**
 * Can a customer pay for another one? It is of the same merchant, and there are no chains. The caller has locked both,
 * so two that name each other at once are told.
 * @param id the one for which it pays; null: a new one
 */
export async function checkPayer(tx: Tx, payerId: string, id: string | null): Promise<Result<unknown>> {
  const refused = (message: string) => invalid([{ field: 'payerId', message }]);
  if (payerId === id) return refused('must be another customer');
  const owned = await checkReference(tx, 'customer', payerId, 'payerId');
  if (!owned.ok) return owned;
  const payer = await lockCustomerShared(tx, payerId); // a deletion waits for us
  if (!payer) return notFound('customer', 'payerId');
  if (payer.payerId !== null) return refused(`must pay itself: ${payer.payerId} pays for it`);
  const [child] = id === null ? [] : await selectChildren(tx, [id], 1);
  return child ? refused(`must be null, because this customer pays for ${child.id}`) : ok(undefined);
}

const MOST_NAMED = 10;

/** A customer that pays for others is not deleted. */
export const childrenOfPayer: CustomerBlocker = async (tx, customerId) => {
  const items = await selectChildren(tx, [customerId], MOST_NAMED);
  return items.length === 0 ? null : { type: 'customers', count: items.length, items };
};
