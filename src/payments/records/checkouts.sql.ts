import { assignments, insertion, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ProviderName } from '../provider/provider.ts';
import type { CheckoutStatus } from './checkout-states.ts';

/** A payment page at a provider, by which a session is paid. */
export interface Checkout {
  readonly merchantId: string;
  /** `<session>:<attempt>`, which is the provider's key. */
  readonly id: string;
  readonly sessionId: string;
  readonly provider: ProviderName;
  readonly accountId: string;
  readonly amount: Decimal;
  readonly currency: string;
  readonly status: CheckoutStatus;
  /** Null until the provider has answered. */
  readonly reference: string | null;
  readonly url: string | null;
  /** Its session is over: the provider is to end it. */
  readonly isClosing: boolean;
  readonly lookUps: number;
  readonly createdAt: Instant;
}

const COLUMNS = sql`merchant_id, id, session_id, provider, account_id,
  amount, currency, status, reference, url, is_closing, look_ups, created_at`;

export const insertCheckout = (
  tx: Tx,
  checkout: Pick<Checkout, 'merchantId' | 'id' | 'sessionId' | 'provider' | 'accountId' | 'amount' | 'currency'>,
  nextActionAt: Instant,
  now: Instant,
): Promise<Checkout> =>
  tx.one<Checkout>(sql`
    insert into payment_checkout (merchant_id, id, session_id, provider, account_id, amount, currency, status,
                                  next_action_at, created_at, updated_at)
    values (${checkout.merchantId}, ${checkout.id}, ${checkout.sessionId}, ${checkout.provider}, ${checkout.accountId},
            ${checkout.amount}, ${checkout.currency}, 'opening', ${nextActionAt}, ${now}, ${now})
    returning ${COLUMNS}`);

/** The page by which a session can be paid now; the index allows one. */
export const selectLiveCheckout = (tx: Tx, sessionId: string): Promise<Checkout | undefined> =>
  tx.maybe<Checkout>(sql`
    select ${COLUMNS} from payment_checkout
     where merchant_id = ${tx.merchantId} and session_id = ${sessionId}
       and status in ('opening', 'open', 'processing')`);

/** The pages by which an invoice can be paid now. */
export const selectLiveCheckoutsOf = (
  tx: Tx,
  { merchantId, invoiceId }: { merchantId: string; invoiceId: string },
): Promise<Checkout[]> =>
  tx.rows<Checkout>(sql`
    select ${COLUMNS} from payment_checkout
     where merchant_id = ${merchantId} and status in ('opening', 'open', 'processing')
       and session_id in (select id from payment_session
                           where merchant_id = ${merchantId} and invoice_id = ${invoiceId})`);

export const selectCheckout = (tx: Tx, id: string): Promise<Checkout | undefined> =>
  tx.maybe<Checkout>(sql`select ${COLUMNS} from payment_checkout where merchant_id = ${tx.merchantId} and id = ${id}`);

/** Of two who learn of one outcome the second waits here, and finds it. */
export const lockCheckout = (tx: Tx, id: string): Promise<Checkout> =>
  tx.one<Checkout>(
    sql`select ${COLUMNS} from payment_checkout where merchant_id = ${tx.merchantId} and id = ${id} for update`,
  );

export const selectCheckoutByReference = (
  tx: Tx,
  of: { merchantId: string; provider: string; reference: string },
): Promise<Checkout | undefined> =>
  tx.maybe<Checkout>(sql`
    select ${COLUMNS} from payment_checkout
     where merchant_id = ${of.merchantId} and provider = ${of.provider} and reference = ${of.reference}`);

export const updateCheckout = (
  tx: Tx,
  { merchantId, id }: Pick<Checkout, 'merchantId' | 'id'>,
  change: Record<string, unknown>,
  now: Instant,
): Promise<Checkout> =>
  tx.one<Checkout>(sql`
    update payment_checkout set ${assignments({ ...change, updatedAt: now })}
     where merchant_id = ${merchantId} and id = ${id}
    returning ${COLUMNS}`);

/**
 * The session is over, so its page at the provider is to end: it is due since it was made, so that is asked for at
 * once.
 */
export const markCheckoutsClosing = (tx: Tx, sessionId: string): Promise<number> =>
  tx.run(sql`
    update payment_checkout set is_closing = true, next_action_at = created_at
     where merchant_id = ${tx.merchantId} and session_id = ${sessionId}
       and status in ('opening', 'open', 'processing')`);

export const selectProviderCustomer = async (
  tx: Tx,
  of: { merchantId: string; provider: string; accountId: string; customerId: string },
): Promise<string | null> =>
  (
    await tx.maybe<{ reference: string }>(sql`
      select reference from provider_customer
       where merchant_id = ${of.merchantId} and provider = ${of.provider} and account_id = ${of.accountId}
         and customer_id = ${of.customerId}`)
  )?.reference ?? null;

export const insertProviderCustomer = (
  tx: Tx,
  of: { merchantId: string; provider: string; accountId: string; customerId: string; reference: string },
  now: Instant,
): Promise<number> => tx.run(sql`${insertion('provider_customer', { ...of, createdAt: now })} on conflict do nothing`);
