import { type Database, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Confirmed, VatNumber } from './register.ts';

/** The stored confirmation of a number, if it came after `since`. */
export const selectConfirmed = (
  tx: Tx,
  { prefix, number }: VatNumber,
  since: Instant,
): Promise<Confirmed | undefined> =>
  tx.maybe<Confirmed>(sql`
    select name, address, confirmed_at from confirmed_tax_id
     where merchant_id = ${tx.merchantId} and prefix = ${prefix} and number = ${number} and confirmed_at > ${since}`);

/** A new confirmation of a number replaces an earlier one. */
export const upsertConfirmed = (
  tx: Tx,
  { prefix, number }: VatNumber,
  { name, address, confirmedAt }: Confirmed,
): Promise<number> =>
  tx.run(sql`
    insert into confirmed_tax_id (merchant_id, prefix, number, name, address, confirmed_at)
    values (${tx.merchantId}, ${prefix}, ${number}, ${name}, ${address}, ${confirmedAt})
    on conflict (merchant_id, prefix, number) do update
       set name = excluded.name, address = excluded.address, confirmed_at = excluded.confirmed_at`);

export const deleteConfirmed = (tx: Tx, { prefix, number }: VatNumber): Promise<number> =>
  tx.run(sql`
    delete from confirmed_tax_id where merchant_id = ${tx.merchantId} and prefix = ${prefix} and number = ${number}`);

/** Deletes confirmations of all merchants, so many at most. @returns their number */
export const deleteOldConfirmed = async (database: Database, confirmedBefore: Instant, most: number): Promise<number> =>
  Number(
    (
      await database.transaction('nobody', (tx) =>
        tx.one<{ count: bigint }>(sql`select forget_confirmed_tax_ids(${confirmedBefore}, ${most}) as count`),
      )
    ).count,
  );
