import { assignments, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ProviderName } from '../provider/provider.ts';

/** Money that a provider took and that pays nothing. */
export interface StrayPayment {
  readonly merchantId: string;
  readonly id: string;
  readonly invoiceId: string | null;
  readonly sessionId: string | null;
  readonly chargeId: string | null;
  readonly provider: ProviderName;
  readonly reference: string;
  readonly amount: Decimal;
  readonly currency: string;
  /**
   * `too_late`: its subject accepts no money any more. `differs`: another amount or currency than requested. `differs`:
   * another amount or currency than was asked.
   */
  readonly reason: 'too_late' | 'differs';
  readonly receivedAt: Instant;
  readonly returnStatus: 'requested' | 'returned' | 'manual';
  readonly returnStartedAt: Instant | null;
  readonly returnLookUps: number;
}

export type NewStrayPayment = Omit<
  StrayPayment,
  'id' | 'receivedAt' | 'returnStatus' | 'returnStartedAt' | 'returnLookUps'
>;

const COLUMNS = sql`merchant_id, id, invoice_id, session_id,
  charge_id, provider, provider_reference as reference, amount, currency, reason,
  received_at, return_status, return_started_at,
  return_look_ups`;

/** One reference of a provider is stored once; a receipt with it took the money for its purpose. */
export const insertStray = (
  tx: Tx,
  stray: NewStrayPayment & { readonly id: string },
  now: Instant,
): Promise<StrayPayment | undefined> =>
  tx.maybe<StrayPayment>(sql`
    insert into stray_payment (merchant_id, id, invoice_id, session_id, charge_id, provider, provider_reference, amount,
                               currency, reason, received_at, next_action_at)
    select ${stray.merchantId}::text, ${stray.id}::text, ${stray.invoiceId}::text, ${stray.sessionId}::text,
           ${stray.chargeId}::text, ${stray.provider}::text, ${stray.reference}::text, ${stray.amount}::numeric,
           ${stray.currency}::text, ${stray.reason}::text, ${now}::timestamptz, ${now}::timestamptz
     where not exists (select from payment_receipt
                        where merchant_id = ${stray.merchantId} and provider = ${stray.provider}
                          and provider_reference = ${stray.reference})
    on conflict do nothing
    returning ${COLUMNS}`);

/** Stray money, locked. */
export const selectStray = (tx: Tx, merchantId: string, id: string): Promise<StrayPayment> =>
  tx.one<StrayPayment>(
    sql`select ${COLUMNS} from stray_payment where merchant_id = ${merchantId} and id = ${id} for update`,
  );

/** The same, where there may be none. */
export const lockStrayIfAny = (tx: Tx, merchantId: string, id: string): Promise<StrayPayment | undefined> =>
  tx.maybe<StrayPayment>(
    sql`select ${COLUMNS} from stray_payment where merchant_id = ${merchantId} and id = ${id} for update`,
  );

/** Stores the status of its return; only until it is returned. */
export const updateStrayReturn = (
  tx: Tx,
  { merchantId, id }: StrayPayment,
  change: Record<string, unknown>,
): Promise<number> =>
  tx.run(sql`
    update stray_payment set ${assignments(change)}
     where merchant_id = ${merchantId} and id = ${id} and return_status <> 'returned'`);

export const hasStray = async (tx: Tx, merchantId: string, id: string): Promise<boolean> =>
  (await tx.maybe(sql`select 1 from stray_payment where merchant_id = ${merchantId} and id = ${id}`)) !== undefined;
