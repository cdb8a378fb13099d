import { sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { InvoiceRow } from './invoices.sql.ts';

/** Issued invoices of periods, a page of them, after the one that the last page ended with. */
export const issuedOfPeriods = (tx: Tx, after: Pick<InvoiceRow, 'merchant_id' | 'id'>, limit: number) =>
  tx.rows<InvoiceRow>(sql`
    select * from invoice
     where kind = 'subscription' and issued_at is not null and usage_mark is not null
       and (merchant_id, id) > (${after.merchant_id}, ${after.id})
     order by merchant_id, id limit ${limit}`);

/** Did some event of a time, accepted up to a mark, wait until somebody was known whose it is? */
export const hasWaited = async (
  tx: Tx,
  merchantId: string,
  subjects: readonly string[],
  { start, end, mark }: { readonly start: Instant; readonly end: Instant; readonly mark: bigint },
): Promise<boolean> => {
  const { waited } = await tx.one<{ waited: boolean }>(sql`
    select exists (
      select from event_subject s join event e on e.merchant_id = s.merchant_id and e.subject_id = s.id
       where s.merchant_id = ${merchantId} and s.addressee = any (${[...subjects]}::text[]) and s.kind = 'external'
         and s.linked_at is not null and s.linked_at >= e.accepted_at
         and e.at >= ${start} and e.at < ${end} and e.seq <= ${mark}) as waited`);
  return waited;
};
