import { assignments, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ProviderName } from '../provider/provider.ts';

/** A payment that a provider took and that matches no invoice. */
export interface UnmatchedPayment {
  readonly merchantId: string;
  readonly id: string;
  readonly invoiceId: string | null;
  readonly sessionId: string | null;
  readonly chargeId: string | null;
  readonly provider: ProviderName;
  readonly reference: string;
  readonly amount: Decimal;
  readonly currency: string;
  /** `too_late`: its subject accepts no money any more. `differs`: another amount or currency than requested. */
  readonly reason: 'too_late' | 'differs';
  readonly receivedAt: Instant;
  readonly returnStatus: 'requested' | 'returned' | 'manual';
  readonly returnStartedAt: Instant | null;
  readonly returnLookUps: number;
}

export type NewUnmatchedPayment = Omit<
  UnmatchedPayment,
  'id' | 'receivedAt' | 'returnStatus' | 'returnStartedAt' | 'returnLookUps'
>;

const COLUMNS = sql`merchant_id, id, invoice_id, session_id,
  charge_id, provider, provider_reference as reference, amount, currency, reason,
  received_at, return_status, return_started_at,
  return_look_ups`;

/** One reference of a provider is stored once; a receipt with it took the money for its purpose. */
export const insertUnmatchedPayment = (
  tx: Tx,
  payment: NewUnmatchedPayment & { readonly id: string },
  returned: { readonly status: UnmatchedPayment['returnStatus']; readonly at: Instant | null },
  now: Instant,
): Promise<UnmatchedPayment | undefined> =>
  tx.maybe<UnmatchedPayment>(sql`
    insert into stray_payment (merchant_id, id, invoice_id, session_id, charge_id, provider, provider_reference, amount,
                               currency, reason, received_at, return_status, next_action_at)
    select ${payment.merchantId}::text, ${payment.id}::text, ${payment.invoiceId}::text, ${payment.sessionId}::text,
           ${payment.chargeId}::text, ${payment.provider}::text, ${payment.reference}::text, ${payment.amount}::numeric,
           ${payment.currency}::text, ${payment.reason}::text, ${now}::timestamptz, ${returned.status}::text,
           ${returned.at}::timestamptz
     where not exists (select from payment_receipt
                        where merchant_id = ${payment.merchantId} and provider = ${payment.provider}
                          and provider_reference = ${payment.reference})
    on conflict do nothing
    returning ${COLUMNS}`);

/** An unmatched payment, locked. */
export const lockUnmatchedPayment = (tx: Tx, id: string): Promise<UnmatchedPayment> =>
  tx.one<UnmatchedPayment>(
    sql`select ${COLUMNS} from stray_payment where merchant_id = ${tx.merchantId} and id = ${id} for update`,
  );

/** The same, where there may be none. */
export const lockUnmatchedPaymentIfAny = (tx: Tx, id: string): Promise<UnmatchedPayment | undefined> =>
  tx.maybe<UnmatchedPayment>(
    sql`select ${COLUMNS} from stray_payment where merchant_id = ${tx.merchantId} and id = ${id} for update`,
  );

/** Stores the status of its return; only until it is returned. */
export const updateUnmatchedReturn = (
  tx: Tx,
  { merchantId, id }: UnmatchedPayment,
  change: Record<string, unknown>,
): Promise<number> =>
  tx.run(sql`
    update stray_payment set ${assignments(change)}
     where merchant_id = ${merchantId} and id = ${id} and return_status <> 'returned'`);

export const hasUnmatchedPayment = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.maybe(sql`select 1 from stray_payment where merchant_id = ${tx.merchantId} and id = ${id}`)) !== undefined;
