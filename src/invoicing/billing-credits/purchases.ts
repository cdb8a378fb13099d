import { effectiveNow } from '../../clocks/index.ts';
import { findCustomer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { findCreated, fingerprint } from '../../http/index.ts';
import { type Decimal, decimal, decimalOf, ONE, plain, ZERO } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { failAsConflict, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import {
  addDuration,
  earliest,
  formatInstant,
  type Instant,
  instantOf,
  instantOrNull,
  isAfter,
} from '../../kernel/time.ts';
import { DEFAULT_SESSION_MINUTES, type PaymentSession, payableSessionOf } from '../../payments/index.ts';
import type { OneOffLine } from '../calculation/one-off-lines.ts';
import { clockForCustomer } from '../invoice/customer-clock.ts';
import type { InvoicingDependencies, PurposeHandler } from '../invoice/dependencies.ts';
import type { BoughtCredit, InvoiceRow } from '../invoice/invoice.ts';
import { selectInvoiceByKey } from '../invoice/invoices.sql.ts';
import { makeOneOffInvoice } from '../issue/make-one-off.ts';
import { selectCreditsOfInvoice, updateVoidedAt } from './billing-credits.sql.ts';
import { makeBillingCredit } from './make.ts';
import { openUses } from './open-uses.ts';
import type { BillingCreditPurchaseBody } from './purchase-schemas.ts';
import { insertWatch } from './watch.sql.ts';

/** The type of the purpose of an invoice that buys a billing credit. */
export const BUYS_CREDIT = 'billing_credit';

/** The name of a bought credit; documents say it in their own language. */
const NAME = 'Billing credit';

/** A purchase, and the session by which it can be paid now. */
export interface CreditPurchase {
  readonly invoice: InvoiceRow;
  readonly session: PaymentSession | null;
}

/** What is sold, as its invoice keeps it. */
export const creditLine = (amount: Decimal, price: Decimal, currency: string): OneOffLine => ({
  displayName: `${NAME} (${formatMoney(amount, currency)} ${currency})`,
  quantity: ONE,
  unitPrice: price,
  type: 'credit_purchase',
});

/**
 * Makes the invoice by which a customer buys a billing credit, with a session to pay it (commercial.md §3). The credit
 * is made in the transaction that marks the invoice PAID. A price of 0 makes it at once. The same key again is the same
 * purchase, as of a grant.
 * @returns IDEMPOTENCY_KEY_REUSED for another amount or price under the key, NO_PAYMENT_PROVIDER where the merchant
 *   takes no cards
 */
export async function buyBillingCredit(
  dependencies: InvoicingDependencies,
  tx: Tx,
  customerId: string,
  body: BillingCreditPurchaseBody,
  wall: Instant,
): Promise<Result<CreditPurchase>> {
  const key = `billing credit purchase of ${customerId}: ${body.idempotencyKey}`;
  const { currency, redirectUrls } = body;
  const [amount, price] = [decimalOf(body.amount), decimalOf(body.price ?? body.amount)];
  const bought = { amount: plain(amount), price: plain(price), currency };
  const idempotency = { key, fingerprint: fingerprint('billing credit purchase', bought) };
  const known = await findCreated(tx, idempotency, { kind: 'invoice', find: selectInvoiceByKey });
  if (!known.ok) return known;
  if (known.value) {
    const now = await effectiveNow(tx, known.value.clockId, wall);
    return ok({ invoice: known.value, session: await payableSessionOf(tx, known.value.id, now) });
  }
  const customer = await findCustomer(tx, customerId, { keep: true }); // a deletion waits for us
  if (!customer) return notFound('customer');
  const clock = await clockForCustomer(dependencies, tx, customerId, body.testClockId);
  if (!clock.ok) return clock;
  const now = await effectiveNow(tx, clock.value, wall);
  const expiresAt = instantOrNull(body.expiresAt);
  if (expiresAt !== null && !isAfter(expiresAt, now)) return invalidField('expiresAt', 'must be in the future');
  const usual = now.add({ minutes: DEFAULT_SESSION_MINUTES });
  return makeOneOffInvoice(
    dependencies,
    tx,
    {
      merchantId: tx.merchantId,
      customerId,
      subscriptionId: null,
      planId: null,
      clockId: clock.value,
      kind: 'ad_hoc',
      currency,
      lines: [creditLine(amount, price, currency)],
      buys: {
        source: 'purchase',
        amount: bought.amount,
        price: bought.price,
        expiresAt: expiresAt && formatInstant(expiresAt),
        expiresAfter: null,
      },
      paymentTermDays: 0,
      livesBySession: true,
      purpose: { type: BUYS_CREDIT },
      autoApprove: true,
      session: { ...(redirectUrls && { redirectUrls }), expiresAt: expiresAt ? earliest(expiresAt, usual) : usual },
      idempotency,
    },
    now,
  );
}

/**
 * Makes the credit that a paid invoice bought, once, unless its purchase is credited. Paid again after its payment was
 * reversed, it makes another one.
 */
export async function makeBought(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<string | null> {
  const buys = invoice.oneOff?.buys;
  if (!buys) throw new Error(`Invoice ${invoice.id} buys no billing credit.`);
  const isThere = (await selectCreditsOfInvoice(tx, invoice.id)).some(({ isUndone }) => !isUndone);
  if (isThere || invoice.status !== 'PAID' || invoice.creditedAmount.gt(0)) return null;
  const expiresAt = expiryOf(buys, now);
  const made = await makeBillingCredit(
    tx,
    {
      customerId: invoice.customerId,
      invoiceId: invoice.id,
      name: NAME,
      amount: decimal(buys.amount),
      price: decimal(buys.price),
      currency: invoice.currency,
      category: 'paid',
      // paid by a late session, it is over already
      effectiveAt: expiresAt === null ? now : earliest(now, expiresAt.subtract({ microseconds: 1 })),
      expiresAt,
      source: buys.source,
      testClockId: invoice.clockId,
    },
    now,
  );
  return made.id;
}

const expiryOf = ({ expiresAt, expiresAfter }: BoughtCredit, now: Instant): Instant | null =>
  expiresAt !== null
    ? instantOf(expiresAt)
    : expiresAfter === null
      ? null
      : addDuration(now, Temporal.Duration.from(expiresAfter));

/**
 * What hangs on an invoice that buys a credit: the credit is there while the invoice is paid and not credited.
 * @param dependencies of invoicing, which has this among its purposes
 */
export const creditPurchases = (dependencies: () => InvoicingDependencies): PurposeHandler => {
  const undo = (tx: Tx, invoice: InvoiceRow, now: Instant) => undoBought(dependencies(), tx, invoice, now);
  return {
    async settling(tx, { customerId, currency, clockId }, now) {
      await insertWatch(tx, { customerId, currency, testClockId: clockId }, now);
    },
    async paid(tx, invoice, now) {
      const billingCreditId = await makeBought(tx, invoice, now);
      return billingCreditId === null ? {} : { billingCreditId };
    },
    reversed: undo,
    givenBack: undo,
    async standsAgain(tx, invoice, now) {
      await makeBought(tx, invoice, now);
    },
  };
};

/** Voids what an invoice made. @returns WALLET_SPENT where some of it is used, open use included */
export async function undoBought(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { id, customerId }: Pick<InvoiceRow, 'id' | 'customerId'>,
  now: Instant,
): Promise<Result<undefined>> {
  const made = (await selectCreditsOfInvoice(tx, id, true)).filter(({ isUndone }) => !isUndone);
  if (made.length === 0) return ok(undefined);
  const openOf = await openUses(dependencies, tx, [customerId], now);
  for (const { id: billingCreditId, amount, used, held } of made) {
    const spent = used.plus(held).plus(openOf(billingCreditId));
    if (spent.gt(ZERO))
      return failAsConflict(
        'WALLET_SPENT',
        { billingCreditId, amount: plain(amount), used: plain(spent) },
        'Some of the billing credit that this invoice made is used.',
      );
  }
  for (const credit of made) await updateVoidedAt(tx, credit.id, now, now, true);
  return ok(undefined);
}
