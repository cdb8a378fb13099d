import { allOf, insertion, ownerOf, pageOfRows, sql, type Tx, withJsonb } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';

/** A webhook that the inbox took. */
export interface Receipt {
  readonly id: string;
  readonly merchantId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly happenedAt: Instant;
  readonly data: object;
  readonly headers: object;
  readonly createdAt: Instant;
}

/** Of each merchant so many are kept. */
const MOST_KEPT = 1_000;

export const selectOwner = (tx: Tx, endpointId: string): Promise<string | null> => ownerOf(tx, endpointId);

/** The oldest of the merchant make room. */
export async function insertReceipt(tx: Tx, receipt: Receipt): Promise<void> {
  await tx.run(insertion('webhook_receipt', withJsonb(receipt, 'data', 'headers')));
  await tx.run(sql`
    delete from webhook_receipt
     where merchant_id = ${receipt.merchantId}
       and (created_at, seq) <= (select created_at, seq from webhook_receipt where merchant_id = ${receipt.merchantId}
                                  order by created_at desc, seq desc offset ${MOST_KEPT} limit 1)`);
}

export interface ReceiptFilter {
  readonly merchantId: string | null;
  readonly endpointId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly type?: string | undefined;
}

export const selectReceipts = (tx: Tx, filter: ReceiptFilter, page: PageRequest) =>
  pageOfRows<Receipt>(
    tx,
    {
      kind: 'webhookReceipt',
      select: sql`id, merchant_id, endpoint_id, event_id, type,
        happened_at, data, headers, created_at`,
      from: sql`webhook_receipt`,
      where: allOf([
        filter.merchantId !== null && sql`merchant_id = ${filter.merchantId}`,
        filter.endpointId !== undefined && sql`endpoint_id = ${filter.endpointId}`,
        filter.eventId !== undefined && sql`event_id = ${filter.eventId}`,
        filter.type !== undefined && sql`type = ${filter.type}`,
      ]),
      order: {
        keys: [
          { by: sql`created_at`, type: 'timestamptz' },
          { by: sql`seq`, type: 'bigint' },
        ],
        direction: 'desc',
      },
    },
    page,
  );
