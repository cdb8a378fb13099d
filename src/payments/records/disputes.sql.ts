import { sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ProviderDisputeFact, ProviderRefundFact } from '../provider/remote.ts';

/** A payment at a provider, whether it paid something or is unmatched. */
export interface TakenPayment {
  readonly id: string;
  readonly isUnmatched: boolean;
  readonly invoiceId: string | null;
  readonly clockId: string | null;
}

/** The payment of a provider's charge; its reference is unique among receipts, and among unmatched payments. */
export const selectTaken = (
  tx: Tx,
  of: { merchantId: string; provider: string; reference: string },
): Promise<TakenPayment | undefined> =>
  tx.maybe<TakenPayment>(sql`
    select id, false as is_unmatched, invoice_id, clock_id from payment_receipt
     where merchant_id = ${of.merchantId} and provider = ${of.provider} and provider_reference = ${of.reference}
    union all
    select id, true, invoice_id, clock_id from stray_payment
     where merchant_id = ${of.merchantId} and provider = ${of.provider} and provider_reference = ${of.reference}
     limit 1`);

export interface Dispute {
  readonly merchantId: string;
  /** `<provider>:<reference>` */
  readonly id: string;
  readonly paymentId: string;
  readonly chargeReference: string;
  readonly amount: Decimal;
  readonly currency: string;
  readonly reason: string;
  readonly status: ProviderDisputeFact['status'];
  readonly withheld: Decimal;
  readonly bookings: number;
  readonly clockId: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const DISPUTE = sql`merchant_id, id, payment_id, charge_reference, amount, currency, reason, status, withheld, bookings,
  clock_id, created_at, updated_at`;

/**
 * A dispute is first an inquiry, that nothing was booked for. Of two at once the second waits, and finds the first.
 * @param opens when it opens by itself, on which clock; null: by a notice
 */
export const insertDispute = (
  tx: Tx,
  of: { merchantId: string; id: string; provider: string; paymentId: string; fact: ProviderDisputeFact },
  now: Instant,
  opens: { readonly at: Instant; readonly clockId: string | null } | null = null,
): Promise<number> =>
  tx.run(sql`
    insert into payment_dispute (merchant_id, id, provider, charge_reference, payment_id, amount, currency, reason,
                                 status, withheld, bookings, next_action_at, clock_id, created_at, updated_at)
    values (${of.merchantId}, ${of.id}, ${of.provider}, ${of.fact.chargeReference}, ${of.paymentId}, ${of.fact.amount},
            ${of.fact.currency}, ${of.fact.reason}, 'inquiry', 0, 0, ${opens?.at ?? null}, ${opens?.clockId ?? null},
            ${now}, ${now})
    on conflict do nothing`);

/** The latest dispute that a provider has about a payment: of a receipt, or of the receipt of a payment link. */
export const selectDisputeOf = (
  tx: Tx,
  { merchantId, provider, paymentId }: { merchantId: string; provider: string; paymentId: string },
): Promise<Dispute | undefined> =>
  tx.maybe<Dispute>(sql`
    select ${DISPUTE} from payment_dispute
     where merchant_id = ${merchantId} and provider = ${provider}
       and (payment_id = ${paymentId} or payment_id in (
             select r.id from payment_receipt r
               join payment_link l on l.merchant_id = r.merchant_id and l.session_id = r.session_id
              where l.merchant_id = ${merchantId} and l.id = ${paymentId}))
     order by seq desc limit 1`);

export const lockDispute = (tx: Tx, id: string): Promise<Dispute> =>
  tx.one<Dispute>(
    sql`select ${DISPUTE} from payment_dispute where merchant_id = ${tx.merchantId} and id = ${id} for update`,
  );

export const updateDispute = (
  tx: Tx,
  { merchantId, id }: Dispute,
  to: Pick<Dispute, 'amount' | 'status' | 'withheld' | 'bookings'>,
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    update payment_dispute
       set amount = ${to.amount}, status = ${to.status}, withheld = ${to.withheld}, bookings = ${to.bookings},
         next_action_at = null, updated_at = ${now}
     where merchant_id = ${merchantId} and id = ${id}`);

/** A refund that was made at the provider. */
export interface OutsideRefund {
  readonly merchantId: string;
  readonly id: string;
  readonly status: ProviderRefundFact['status'];
  readonly bookedAs: 'return' | 'credit_note' | 'adjustment' | null;
}

export const insertOutsideRefund = (
  tx: Tx,
  of: { merchantId: string; id: string; provider: string; paymentId: string; fact: ProviderRefundFact },
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    insert into outside_refund (merchant_id, id, provider, payment_id, amount, currency, status, created_at)
    values (${of.merchantId}, ${of.id}, ${of.provider}, ${of.paymentId}, ${of.fact.amount}, ${of.fact.currency},
            'pending', ${now})
    on conflict do nothing`);

export const lockOutsideRefund = (tx: Tx, id: string): Promise<OutsideRefund> =>
  tx.one<OutsideRefund>(sql`
    select merchant_id, id, status, booked_as from outside_refund
     where merchant_id = ${tx.merchantId} and id = ${id} for update`);

export const updateOutsideRefund = (
  tx: Tx,
  { merchantId, id }: OutsideRefund,
  to: Pick<OutsideRefund, 'status' | 'bookedAs'>,
): Promise<number> =>
  tx.run(sql`
    update outside_refund set status = ${to.status}, booked_as = ${to.bookedAs}
     where merchant_id = ${merchantId} and id = ${id}`);
