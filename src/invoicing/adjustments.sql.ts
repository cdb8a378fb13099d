import { sql, type Tx } from '../db/index.ts';

/** An invoice that has issued under an adjustment: it was among those taken for its calculation. */
export const issuedUnderAdjustment = async (
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  adjustmentId: string,
): Promise<string | undefined> => {
  const row = await tx.maybe<{ id: string }>(sql`
    select id from invoice
     where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and issued_at is not null
       and terms -> 'adjustments' @> ${JSON.stringify([{ id: adjustmentId }])}::jsonb
     order by seq limit 1`);
  return row?.id;
};
