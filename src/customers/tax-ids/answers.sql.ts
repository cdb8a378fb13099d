import { type Database, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { KeptAnswer, VatNumber } from './register.ts';

/** The kept answer about a number, if it came after `since`. */
export const selectAnswer = (tx: Tx, { prefix, number }: VatNumber, since: Instant): Promise<KeptAnswer | undefined> =>
  tx.maybe<KeptAnswer>(sql`
    select outcome, name, address, answered_at from tax_id_answer
     where merchant_id = ${tx.merchantId} and prefix = ${prefix} and number = ${number} and answered_at > ${since}`);

/** A new answer about a number replaces an earlier one. */
export const upsertAnswer = (
  tx: Tx,
  { prefix, number }: VatNumber,
  { outcome, name, address, answeredAt }: KeptAnswer,
): Promise<number> =>
  tx.run(sql`
    insert into tax_id_answer (merchant_id, prefix, number, outcome, name, address, answered_at)
    values (${tx.merchantId}, ${prefix}, ${number}, ${outcome}, ${name}, ${address}, ${answeredAt})
    on conflict (merchant_id, prefix, number) do update
       set outcome = excluded.outcome, name = excluded.name, address = excluded.address,
           answered_at = excluded.answered_at`);

/** Deletes answers of all merchants, so many at most. @returns their number */
export const deleteOldAnswers = async (database: Database, answeredBefore: Instant, most: number): Promise<number> =>
  Number(
    (
      await database.transaction('nobody', (tx) =>
        tx.one<{ count: bigint }>(sql`select forget_tax_id_answers(${answeredBefore}, ${most}) as count`),
      )
    ).count,
  );
