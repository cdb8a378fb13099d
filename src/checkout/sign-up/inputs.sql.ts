import { type Database, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { CheckoutInput } from './input.ts';

/** Stores what was typed; the same form sent again replaces it. */
export const upsertInput = (
  tx: Tx,
  { merchantId, linkId, form, typed, reason, register, createdAt }: CheckoutInput,
): Promise<number> =>
  tx.run(sql`
    insert into checkout_input (merchant_id, link_id, form, typed, reason, register, created_at)
    values (${merchantId}, ${linkId}, ${form}, ${JSON.stringify(typed)}::jsonb, ${reason}, ${register}, ${createdAt})
    on conflict (merchant_id, link_id, form) do update
      set typed = excluded.typed, reason = excluded.reason, register = excluded.register`);

export const selectInput = (tx: Tx, linkId: string, form: string): Promise<CheckoutInput | undefined> =>
  tx.maybe<CheckoutInput>(sql`
    select merchant_id, link_id, form, typed, reason, register, created_at from checkout_input
     where merchant_id = ${tx.merchantId} and link_id = ${linkId} and form = ${form}`);

/** Deletes inputs of all merchants, so many at most. @returns their number */
export const forgetInputs = async (database: Database, createdBefore: Instant, most: number): Promise<number> =>
  Number(
    (
      await database.transaction('nobody', (tx) =>
        tx.one<{ count: bigint }>(sql`select forget_checkout_inputs(${createdBefore}, ${most}) as count`),
      )
    ).count,
  );
