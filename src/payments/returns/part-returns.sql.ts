import { assignments, insertion, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ProviderName } from '../provider/provider.ts';
import type { ReturnStatus } from '../records/return-states.ts';

/** A part of a payment that goes back because of a credit note over a part of its invoice. */
export interface PartReturn {
  readonly merchantId: string;
  readonly id: string;
  readonly paymentId: string;
  readonly invoiceId: string;
  /** The credit note (`crn_`). */
  readonly refundId: string;
  readonly amount: Decimal;
  readonly currency: string;
  /** Null: the merchant sends it back by hand. */
  readonly provider: ProviderName | null;
  readonly status: Exclude<ReturnStatus, 'none'>;
  readonly startedAt: Instant | null;
  readonly lookUps: number;
  readonly returnedAt: Instant | null;
  readonly reference: string | null;
  readonly clockId: string | null;
  readonly nextActionAt: Instant | null;
  readonly createdAt: Instant;
}

export const insertPartReturn = (tx: Tx, part: PartReturn): Promise<number> =>
  tx.run(insertion('payment_part_return', part));

export const selectPartReturn = (tx: Tx, id: string): Promise<PartReturn | undefined> =>
  tx.maybe<PartReturn>(sql`select * from payment_part_return where merchant_id = ${tx.merchantId} and id = ${id}`);

export const lockPartReturn = (tx: Tx, id: string): Promise<PartReturn | undefined> =>
  tx.maybe<PartReturn>(
    sql`select * from payment_part_return where merchant_id = ${tx.merchantId} and id = ${id} for update`,
  );

/** The parts of some payments, in their order. */
export const selectPartReturns = (tx: Tx, paymentIds: readonly string[]): Promise<PartReturn[]> =>
  tx.rows<PartReturn>(sql`
    select * from payment_part_return
     where merchant_id = ${tx.merchantId} and payment_id = any (${[...paymentIds]}::text[]) order by seq`);

/** The parts that a credit note asked for, locked. */
export const lockPartReturnsOf = (tx: Tx, refundId: string): Promise<PartReturn[]> =>
  tx.rows<PartReturn>(sql`
    select * from payment_part_return
     where merchant_id = ${tx.merchantId} and refund_id = ${refundId} order by id for update`);

export const updatePartReturn = (
  tx: Tx,
  { merchantId, id }: PartReturn,
  change: Partial<PartReturn>,
): Promise<number> =>
  tx.run(sql`
    update payment_part_return set ${assignments(change)}
     where merchant_id = ${merchantId} and id = ${id} and status <> 'returned'`);
