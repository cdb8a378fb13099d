import {
  allOf,
  assignments,
  insertion,
  type PageRequest,
  pageOfRows,
  sql,
  type Tx,
  withJsonb,
} from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { COMMITMENT_COLUMNS } from '../difference/commitments.sql.ts';
import type { Commitment } from '../terms/commitment.ts';

export const insertCommitment = (tx: Tx, commitment: Commitment): Promise<unknown> =>
  tx.run(
    sql`${insertion('commitment', withJsonb(commitment, 'segments', 'appliesTo', 'invoiceAt', 'rollover', 'overrides'), COMMITMENT_COLUMNS)}`,
  );

/** A commitment; locked: until the transaction ends nobody changes it. */
export const selectCommitment = (tx: Tx, id: string, lock = false): Promise<Commitment | undefined> =>
  tx.maybe<Commitment>(sql`
    select ${COMMITMENT_COLUMNS} from commitment
     where merchant_id = ${tx.merchantId} and id = ${id}${lock ? sql` for no key update` : sql``}`);

/** The commitments of an order. */
export const selectCommitmentsOfOrder = (tx: Tx, orderId: string): Promise<{ id: string }[]> =>
  tx.rows<{ id: string }>(sql`
    select id from commitment where merchant_id = ${tx.merchantId} and order_id = ${orderId} order by seq`);

export const updateCommitment = (
  tx: Tx,
  id: string,
  changes: Partial<Pick<Commitment, 'name' | 'priority' | 'onEnd' | 'endedAt' | 'endReason'>>,
  now: Instant,
): Promise<Commitment> =>
  tx.one<Commitment>(sql`
    update commitment set ${assignments({ ...changes, updatedAt: now })}
     where merchant_id = ${tx.merchantId} and id = ${id} returning ${COMMITMENT_COLUMNS}`);

/** Newest first; of one merchant, or (null, for operators) of all. */
export const selectCommitmentPage = (
  tx: Tx,
  merchantId: string | null,
  of: {
    readonly customerId?: string | undefined;
    readonly subscriptionId?: string | undefined;
    readonly orderId?: string | undefined;
  },
  page: PageRequest,
) =>
  pageOfRows<Commitment>(
    tx,
    {
      kind: 'commitment',
      select: COMMITMENT_COLUMNS,
      from: sql`commitment`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        of.customerId !== undefined && sql`customer_id = ${of.customerId}`,
        of.subscriptionId !== undefined && sql`subscription_id = ${of.subscriptionId}`,
        of.orderId !== undefined && sql`order_id = ${of.orderId}`,
      ]),
    },
    page,
  );
