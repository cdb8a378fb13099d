import { type Sql, sql } from '../db/index.ts';

/** The merchant of a list; null is an operator's list over all of them. */
export const ofMerchant = (merchantId: string | null): Sql | undefined =>
  merchantId === null ? undefined : sql`merchant_id = ${merchantId}`;

/** Equality with a filter that was given. */
export const equals = (column: string, value: unknown): Sql | undefined =>
  value === undefined ? undefined : sql`${sql.ref(column)} = ${value}`;

/** A row that is still there, for reading. */
export const UNLOCKED: Sql = sql``;
/** Locks the row against changes and new uses. */
export const FOR_UPDATE: Sql = sql`for update`;
/** Keeps the row from being deleted until the end of the transaction; many may hold it so at once. */
export const FOR_KEY_SHARE: Sql = sql`for key share`;
