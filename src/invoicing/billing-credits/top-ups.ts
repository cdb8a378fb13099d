import { effectiveNow } from '../../clocks/index.ts';
import { findCustomer, findPayers } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { type Decimal, decimalOf, plain } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { fail, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { endOfDuration, type Instant } from '../../kernel/time.ts';
import { defaultMethodOf } from '../../payments/index.ts';
import { publish } from '../../webhooks/index.ts';
import { clockForCustomer } from '../invoice/customer-clock.ts';
import type { InvoicingDependencies, PurposeHandler } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { lockInvoice, selectInvoiceOf } from '../invoice/invoices.sql.ts';
import { endWithSession } from '../issue/cancel.ts';
import { makeOneOffInvoice } from '../issue/make-one-off.ts';
import { startCharge } from '../paying/card-charge.ts';
import { countTopUps } from './billing-credits.sql.ts';
import { creditBalances } from './billing-credits.ts';
import type { CreditBalance } from './figures.ts';
import { creditLine, creditPurchases } from './purchases.ts';
import type { CreditTopUp } from './top-up.ts';
import type { CreditTopUpBody } from './top-up-schemas.ts';
import { deleteTopUpRow, insertTopUp, selectTopUp, updateTopUp } from './top-ups.sql.ts';
import { insertWatch } from './watch.sql.ts';

/** The type of the purpose of the invoices of top-ups; its id is the customer's. */
export const TOPS_UP_CREDITS = 'credit_top_up';

/** After so many declines in a row it is paused. */
const MOST_DECLINES = 3;
/** A declined one is tried again after this time, or with the next usage. */
export const AGAIN = { seconds: 10 };
const LENGTHS = {
  usual: Temporal.Duration.from('P1Y'),
  longest: Temporal.Duration.from('P100Y'),
};

/**
 * PUT /v0/customers/{id}/creditTopUp: from now on credits are bought by the stored card as soon as less than the
 * threshold is available. One that is paused is active again.
 * @returns PAYMENT_METHOD_REQUIRED where nobody has stored a card
 */
export async function setTopUp(
  dependencies: InvoicingDependencies,
  tx: Tx,
  customerId: string,
  body: CreditTopUpBody,
  wall: Instant,
): Promise<Result<CreditTopUp>> {
  const customer = await findCustomer(tx, customerId, { keep: true }); // a deletion waits for us
  if (!customer) return notFound('customer');
  const clock = await clockForCustomer(dependencies, tx, customerId, body.testClockId);
  if (!clock.ok) return clock;
  const now = await effectiveNow(tx, clock.value, wall);
  const { currency } = body;
  const [threshold, amount] = [decimalOf(body.threshold), decimalOf(body.amount)];
  const expiresAfter = body.expiresAfter ?? null;
  if (expiresAfter !== null && endOfDuration(expiresAfter, LENGTHS, now) === null)
    return invalidField('expiresAfter', 'must be an ISO 8601 duration above 0, at most P100Y');
  if (!(await cardFor(tx, customerId))) return fail('PAYMENT_METHOD_REQUIRED');
  const before = await selectTopUp(tx, customerId, true);
  const saved = await insertTopUp(tx, {
    merchantId: tx.merchantId,
    ...{ customerId, currency, threshold, amount, expiresAfter },
    maximumPerMonth: body.maximumPerMonth ?? null,
    status: 'active',
    declines: 0,
    clockId: clock.value,
    invoiceId: before ? before.invoiceId : await lockBeingPaid(tx, customerId),
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  });
  await insertWatch(tx, { customerId, currency, testClockId: clock.value }, now);
  return ok(saved);
}

/** A top-up that is being paid goes on after a DELETE, and the next one waits for it. Its end waits for us. */
async function lockBeingPaid(tx: Tx, customerId: string): Promise<string | null> {
  const newest = await selectInvoiceOf(tx, { type: TOPS_UP_CREDITS, id: customerId });
  const invoice = newest && (await lockInvoice(tx, newest.id));
  return invoice?.paymentInFlight ? invoice.id : null;
}

/** The card that pays for a customer. */
async function cardFor(tx: Tx, customerId: string) {
  const payers = await findPayers(tx, [customerId]);
  return defaultMethodOf(tx, payers.get(customerId) ?? customerId);
}

/** A customer's top-up. */
export const getTopUp = async (tx: Tx, customerId: string): Promise<Result<CreditTopUp>> => {
  const topUp = await selectTopUp(tx, customerId);
  return topUp ? ok(topUp) : notFound('credit top-up');
};

/** No more top-ups; one that is being paid still makes its credit. */
export const deleteTopUp = async (tx: Tx, customerId: string): Promise<Result<undefined>> =>
  (await deleteTopUpRow(tx, customerId)) ? ok(undefined) : notFound('credit top-up');

/**
 * Tops up where less than the threshold is available, none is being paid, and the month has room.
 * @param topUp locked
 */
export async function topUpWhereLow(
  dependencies: InvoicingDependencies,
  tx: Tx,
  topUp: CreditTopUp,
  available: Decimal,
  now: Instant,
): Promise<CreditTopUp> {
  if (!isWanted(topUp, available)) return topUp;
  if (topUp.maximumPerMonth !== null) {
    const made = await countTopUps(tx, topUp.customerId, monthOf(now).toInstant());
    if (made >= topUp.maximumPerMonth) return topUp;
  }
  const invoice = await tx.savepoint(
    () => charge(dependencies, tx, topUp, now),
    (made) => made !== null,
  );
  if (invoice === null) return declined(dependencies, tx, topUp, now);
  const begun = { ...topUp, invoiceId: invoice.id };
  await updateTopUp(tx, begun, now);
  return begun;
}

const isWanted = ({ status, invoiceId, threshold }: CreditTopUp, available: Decimal): boolean =>
  status === 'active' && invoiceId === null && available.lt(threshold);

/** The start of the month (UTC), of which `maximumPerMonth` counts the top-ups. */
const monthOf = (now: Instant) => now.toZonedDateTimeISO('UTC').with({ day: 1 }).startOfDay();

/**
 * When the next month gives room to a top-up that is wanted and was not begun; null: it waits for no month.
 * @param topUp as `topUpWhereLow` left it
 */
export const roomAt = (topUp: CreditTopUp, available: Decimal, now: Instant): Instant | null =>
  topUp.maximumPerMonth !== null && isWanted(topUp, available) ? monthOf(now).add({ months: 1 }).toInstant() : null;

/** The invoice of a top-up, whose charge has begun; null: there is no card, or the merchant takes none. */
async function charge(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { customerId, currency, amount, expiresAfter, clockId }: CreditTopUp,
  now: Instant,
): Promise<InvoiceRow | null> {
  const card = await cardFor(tx, customerId);
  if (!card) return null;
  const made = await makeOneOffInvoice(
    dependencies,
    tx,
    {
      ...{
        merchantId: tx.merchantId,
        customerId,
        subscriptionId: null,
        planId: null,
        clockId,
        kind: 'ad_hoc',
        currency,
      },
      lines: [creditLine(amount, amount, currency)],
      buys: { source: 'top_up', amount: plain(amount), price: plain(amount), expiresAt: null, expiresAfter },
      paymentTermDays: 0,
      livesBySession: true,
      purpose: { type: TOPS_UP_CREDITS, id: customerId },
      autoApprove: true,
      session: null,
    },
    now,
  );
  return made.ok ? startCharge(tx, made.value.invoice, 'at_once', card, now) : null;
}

/** Counts a decline; the last one pauses it. */
async function declined(
  dependencies: InvoicingDependencies,
  tx: Tx,
  topUp: CreditTopUp,
  now: Instant,
): Promise<CreditTopUp> {
  const { merchantId, customerId, currency, clockId } = topUp;
  const declines = topUp.declines + 1;
  const status = declines >= MOST_DECLINES ? 'paused' : topUp.status;
  const after = { ...topUp, invoiceId: null, declines, status } as const;
  await updateTopUp(tx, after, now);
  if (status === 'paused' && topUp.status !== 'paused') {
    const [balance] = await creditBalances(dependencies, tx, [{ customerId, currency, at: null }], now);
    const available = formatMoney((balance as CreditBalance).available, currency);
    const data = { merchantId, customerId, currency, declines, available };
    await publish(tx, { merchantId, type: 'credit_top_up.paused.v0', data }, now);
  } else if (status === 'active') await insertWatch(tx, { customerId, currency, testClockId: clockId }, now.add(AGAIN));
  return after;
}

/** What hangs on the invoice of a top-up: its credit, and that the next one may come. */
export const creditTopUps = (dependencies: () => InvoicingDependencies): PurposeHandler => {
  const purchases = creditPurchases(dependencies);
  const own = async (tx: Tx, { id, purposeId }: InvoiceRow) => {
    const topUp = await selectTopUp(tx, purposeId as string, true);
    return topUp?.invoiceId === id ? topUp : undefined;
  };
  return {
    ...purchases,
    async paid(tx, invoice, now) {
      const topUp = await own(tx, invoice);
      if (topUp) await updateTopUp(tx, { ...topUp, invoiceId: null, declines: 0 }, now);
      return purchases.paid(tx, invoice, now);
    },
    async cancelled(tx, invoice, _why, now) {
      const topUp = await own(tx, invoice);
      if (topUp) await updateTopUp(tx, { ...topUp, invoiceId: null }, now);
    },
    async declined(tx, invoice, now) {
      const topUp = await own(tx, invoice);
      const ended = await endWithSession(dependencies(), tx, invoice, now);
      if (topUp) await declined(dependencies(), tx, topUp, now);
      return ended;
    },
  };
};
