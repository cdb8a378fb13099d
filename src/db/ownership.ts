import { type IdKind, kindOf } from '../kernel/ids.ts';
import { forbidden, notFound, ok, type Result } from '../kernel/result.ts';
import { columnOf } from './names.ts';
import { sql } from './sql.ts';
import type { Tx } from './tx.ts';

/** The merchant that owns a resource, for any caller; null without such a resource. */
export async function ownerOf(tx: Tx, id: string): Promise<string | null> {
  const { owner } = await tx.one<{ owner: string | null }>(sql`select owner_of(${id}) as owner`);
  return owner;
}

/**
 * Checks an id that a body named (api.md, Requests): an unknown one is a 404 that names the field, another merchant's a
 * 403.
 * @param what the resource as a word, e.g. `product`
 */
export async function checkReference(tx: Tx, what: string, id: string, field: string): Promise<Result<string>> {
  const owner = await ownerOf(tx, id);
  if (owner === null) return notFound(what, field);
  return owner === tx.merchantId ? ok(id) : forbidden(`The ${what} in ${field} is not this merchant's.`);
}

/** The tables of the resources that can be changed, where they have another name than their kind. */
const TABLES: Partial<Record<IdKind, string>> = {
  user: 'app_user',
  order: 'sales_order',
  grant: 'entitlement_grant',
};

/** Kinds of resources whose path can be changed, and whose row carries the state. */
const LOCKABLE: ReadonlySet<IdKind | null> = new Set<IdKind>([
  ...(['organization', 'user', 'merchantIntegration', 'product', 'feature', 'item', 'billableMetric', 'cost'] as const),
  ...(['fee', 'price', 'plan', 'externalReference', 'customer', 'webhookEndpoint', 'subscription'] as const),
  ...(['planMigration', 'entitlement', 'grant', 'order', 'orderLineItem', 'billingSchedule', 'approval'] as const),
  ...(['source', 'sourceRule', 'alert', 'testClock', 'coupon', 'billingCredit', 'commitment'] as const),
]);

/**
 * Locks resources of the merchant against every other change until the transaction ends, in the order of the list: a
 * resource before what is below it. Ids of kinds that nothing changes are left out.
 */
export async function lockResources(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const kind = kindOf(id);
    if (kind === null || !LOCKABLE.has(kind)) continue;
    const table = sql.table(TABLES[kind] ?? columnOf(kind));
    await tx.run(sql`select from ${table} where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);
  }
}
