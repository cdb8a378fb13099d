import { sql, type Tx } from '../../db/index.ts';

/**
 * How many lines the next steps of some invoices hold, about: those that an invoice has, the usage that is stored for
 * it, and the lines of the period before; where there was none, the cells of its plan's prices. A step that does not
 * look at lines weighs 1. The conditions stand within the sub-queries: a join looks at its own when a row was found.
 */
export async function selectWeights(tx: Tx, ids: readonly string[]): Promise<number[]> {
  const rows = await tx.rows<{ id: string; weight: number }>(
    sql`
    select i.id,
           case when i.status in ('CLOSING', 'CLOSED', 'CALCULATING', 'DRAFT')
                then greatest(1, i.item_count, before.lines, usage.rows,
                              case when i.status = 'CLOSING' and before.lines is null
                                   then matrix_cells(i.merchant_id, i.subscription_id) end)
                else 1 end::int as weight
      from invoice i
      left join lateral (
        select p.item_count as lines from invoice p
         where i.status in ('CLOSING', 'CLOSED', 'CALCULATING')
           and p.merchant_id = i.merchant_id and p.subscription_id = i.subscription_id and p.kind = 'subscription'
           and p.billing_cadence = i.billing_cadence and p.period_start < i.period_start
         order by p.period_start desc limit 1) before on true
      left join lateral (
        select count(*) as rows from invoice_usage u
         where i.status in ('CLOSED', 'CALCULATING') and u.merchant_id = i.merchant_id and u.invoice_id = i.id) usage
        on true
     where i.merchant_id = ${tx.merchantId} and i.id = any (${[...ids]}::text[])`,
    'invoice_weights',
  );
  const weights = new Map(rows.map(({ id, weight }) => [id, weight]));
  return ids.map((id) => weights.get(id) ?? 1);
}
