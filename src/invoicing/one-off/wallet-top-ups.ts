import { findCustomer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { findCreated, fingerprint } from '../../http/index.ts';
import { decimalOf, ONE } from '../../kernel/decimal.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { type PaymentSession, payableSessionOf } from '../../payments/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { selectInvoiceByKey } from '../invoice/invoices.sql.ts';
import { makeOneOffInvoice } from '../issue/make-one-off.ts';
import type { WalletTopUpCreateBody } from './wallet-schemas.ts';

/** A top-up, and the session by which it can be paid now. */
export interface TopUp {
  readonly invoice: InvoiceRow;
  readonly session: PaymentSession | null;
  readonly isNew: boolean;
}

/**
 * Makes the invoice by which a customer puts money into the wallet: it bears no tax, lives by its session, and fills
 * the wallet in the transaction that marks it PAID (domain.md §4, Wallet). A customer is on no test clock, so `now` is
 * wall time.
 * @returns IDEMPOTENCY_KEY_REUSED for another top-up under the key, NO_PAYMENT_PROVIDER where the merchant takes no
 *   cards
 */
export async function topUpWallet(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { merchantId, customerId }: { merchantId: string; customerId: string },
  body: WalletTopUpCreateBody,
  now: Instant,
): Promise<Result<TopUp>> {
  const key = `wallet top-up of ${customerId}: ${body.idempotencyKey}`;
  const idempotency = { key, fingerprint: fingerprint('wallet top-up', body) };
  const known = await findCreated(tx, idempotency, { kind: 'invoice', find: selectInvoiceByKey });
  if (!known.ok) return known;
  if (known.value) {
    const session = await payableSessionOf(tx, known.value.id, now);
    return ok({ invoice: known.value, session, isNew: false });
  }
  const { currency, redirectUrls } = body;
  const amount = decimalOf(body.amount);
  const customer = await findCustomer(tx, customerId, { keep: true }); // a deletion waits for us
  if (!customer) return notFound('customer');
  const made = await makeOneOffInvoice(
    dependencies,
    tx,
    {
      merchantId,
      customerId,
      subscriptionId: null,
      planId: null,
      clockId: null,
      kind: 'ad_hoc',
      currency,
      lines: [{ displayName: 'Wallet top-up', quantity: ONE, unitPrice: amount, type: 'wallet_top_up' }],
      paymentTermDays: 0,
      livesBySession: true,
      purpose: null,
      autoApprove: true,
      session: redirectUrls ? { redirectUrls } : {},
      idempotency,
    },
    now,
  );
  return made.ok ? ok({ ...made.value, isNew: true }) : made;
}
