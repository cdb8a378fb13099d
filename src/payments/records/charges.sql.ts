import { assignments, currentLife, recordset, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { DeclineReason, ProviderName } from '../provider/provider.ts';
import { CHARGES_ON_THEIR_WAY, type ChargeStatus } from './charge-states.ts';

/**
 * The origin of a charge: automatic (the first charge of an invoice, its retries), requested by hand now, or with the
 * subscription that it pays for.
 */
export type ChargeOrigin = 'automatic' | 'by_hand' | 'at_once';

/**
 * Why a charge did not work. `no_payment_method`: there was no card to charge any more; `card_of_another_account`: the
 * card is stored in another account than the one that is connected; `provider_not_connected`: no account worked for a
 * day; `charge_differs`: the provider had another charge under its key, which goes back; `paid_on_page`: the customer
 * was faster, and nothing was charged; `charged_before`: after a restore the provider had a charge of another amount.
 */
export type ChargeDecline =
  | DeclineReason
  | 'no_payment_method'
  | 'card_of_another_account'
  | 'provider_not_connected'
  | 'charge_differs'
  | 'paid_on_page'
  | 'charged_before';

/** A charge of a stored card: the intent, and then what came of it. */
export interface Charge {
  merchantId: string;
  /** `<invoice>:<attempt>`, which is the provider's key: one key, one charge. */
  id: string;
  invoiceId: string;
  customerId: string;
  origin: ChargeOrigin;
  /** Null: nothing is stored that could be charged. */
  paymentMethodId: string | null;
  provider: ProviderName;
  providerToken: string | null;
  amount: Decimal;
  currency: string;
  status: ChargeStatus;
  declineReason: ChargeDecline | null;
  providerReference: string | null;
  /** When a provider outside was first asked for it, and how often its outcome was looked up since. */
  sentAt: Instant | null;
  lookUps: number;
  clockId: string | null;
  nextActionAt: Instant | null;
  createdAt: Instant;
  finishedAt: Instant | null;
}

/** A charge whose outcome is known, and the record of the money (`pay_…`); null where it was declined. */
export interface FinishedCharge {
  readonly charge: Charge;
  readonly receiptId: string | null;
}

/** The fields of a new charge; the others follow. */
export type NewCharge = Pick<
  Charge,
  | 'merchantId'
  | 'invoiceId'
  | 'customerId'
  | 'origin'
  | 'paymentMethodId'
  | 'provider'
  | 'providerToken'
  | 'amount'
  | 'currency'
  | 'clockId'
>;

/** No life of the database uses a key of another one. */
const ATTEMPTS_OF_A_LIFE = 1000;

/** The next attempts at some invoices of a merchant, whose locks the caller holds; due at once. */
export async function insertCharges(tx: Tx, charges: readonly NewCharge[], now: Instant): Promise<Charge[]> {
  const life = await currentLife(tx);
  return tx.rows<Charge>(sql`
    insert into payment_charge
      (merchant_id, id, invoice_id, customer_id, origin, payment_method_id, provider, provider_token, amount, currency,
       status, clock_id, next_action_at, created_at)
    select ${tx.merchantId}::text, c.invoice_id || ':' || (1 + ${ATTEMPTS_OF_A_LIFE * (life.number - 1)} + (
             select count(*) from payment_charge before
              where before.merchant_id = ${tx.merchantId} and before.invoice_id = c.invoice_id)),
           c.invoice_id, c.customer_id, c.origin, c.payment_method_id, c.provider, c.provider_token, c.amount,
           c.currency,
           'intended', c.clock_id, ${now}::timestamptz, ${now}::timestamptz
      from jsonb_populate_recordset(null::payment_charge, ${recordset(charges)}) c
    returning *`);
}

export const selectCharge = (tx: Tx, id: string): Promise<Charge | undefined> =>
  tx.maybe<Charge>(sql`select * from payment_charge where merchant_id = ${tx.merchantId} and id = ${id}`);

/** Locks a charge: of two that finish it, the second one finds it finished. */
export const lockCharge = (tx: Tx, id: string): Promise<Charge | undefined> =>
  tx.maybe<Charge>(sql`select * from payment_charge where merchant_id = ${tx.merchantId} and id = ${id} for update`);

/** Stores the outcome of a locked charge. @throws if it is finished. */
export const updateChargeFinished = (
  tx: Tx,
  { merchantId, id }: Charge,
  outcome: Pick<Charge, 'status' | 'declineReason' | 'providerReference'>,
  now: Instant,
): Promise<Charge> =>
  tx.one<Charge>(sql`
    update payment_charge set ${assignments({ ...outcome, nextActionAt: null, finishedAt: now })}
     where merchant_id = ${merchantId} and id = ${id} and status = any (${[...CHARGES_ON_THEIR_WAY]})
    returning *`);

/**
 * Stores the known facts of a charge without an outcome, and the time of its next look-up. @throws if it is finished.
 */
export const updateWaitingCharge = (
  tx: Tx,
  { merchantId, id }: Charge,
  change: Partial<Pick<Charge, 'status' | 'sentAt' | 'lookUps' | 'nextActionAt' | 'providerReference'>>,
): Promise<Charge> =>
  tx.one<Charge>(sql`
    update payment_charge set ${assignments(change)}
     where merchant_id = ${merchantId} and id = ${id} and status = any (${[...CHARGES_ON_THEIR_WAY]})
    returning *`);
