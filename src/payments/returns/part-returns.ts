import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import { Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { next } from '../../kernel/state-table.ts';
import { HOURS_PER_DAY, type Instant } from '../../kernel/time.ts';
import { post } from '../../ledger/index.ts';
import { askRefund } from '../calls/ask.ts';
import {
  byProviderClient,
  connectionOf,
  type RemoteDependencies,
  reportRefusal,
  writeOutcome,
} from '../calls/dependencies.ts';
import { nextLookUp } from '../calls/look-ups.ts';
import type { RemoteRefund } from '../provider/remote.ts';
import { lockReceiptsOf, selectReceipt, selectTakenOf } from '../records/receipts.sql.ts';
import { type ReturnStatus, returnStates, type TakenOfPayment } from '../records/return-states.ts';
import type { PaymentDependencies } from '../sessions/completion.ts';
import { type LeftOfPayment, leftOfGone, leftOfPayment } from './left-of-payment.ts';
import {
  insertPartReturn,
  lockPartReturn,
  lockPartReturnsOf,
  type PartReturn,
  selectPartReturn,
  selectPartReturns,
  updatePartReturn,
} from './part-returns.sql.ts';

const isGoing = ({ status }: PartReturn): boolean => status !== 'stopped';

/** The amount of some parts that goes back, or has. */
const sumOfParts = (parts: readonly PartReturn[]): Decimal => sum(parts.filter(isGoing).map(({ amount }) => amount));

/** The parts of payments that go back, by payment. */
export const partsOfPayments = async (tx: Tx, paymentIds: readonly string[]) =>
  Map.groupBy(await selectPartReturns(tx, paymentIds), ({ paymentId }) => paymentId);

/**
 * Asks for a part of the money of an invoice to go back as it came, the last payment first: through its provider, by a
 * background job; recorded money is marked for the merchant.
 * @returns how much of `most` goes back. What others had taken of the payments covers the remainder without money.
 */
export async function requestPartReturn(
  tx: Tx,
  { merchantId, invoiceId, refundId }: { merchantId: string; invoiceId: string; refundId: string },
  most: Decimal,
  now: Instant,
): Promise<LeftOfPayment> {
  let returned = ZERO;
  const taken: TakenOfPayment[] = [];
  const receipts = (await lockReceiptsOf(tx, invoiceId)).toSorted((a, b) =>
    Temporal.Instant.compare(b.createdAt, a.createdAt),
  );
  const partsOf = await partsOfPayments(
    tx,
    receipts.map(({ id }) => id),
  );
  for (const receipt of receipts) {
    const others = await selectTakenOf(tx, receipt);
    const canGo = next(returnStates, receipt.returnStatus, 'request').ok;
    const left = canGo ? leftOfPayment(receipt, others) : leftOfGone(receipt, others);
    taken.push(left);
    const free = left.returned.minus(sumOfParts(partsOf.get(receipt.id) ?? []));
    const amount = Decimal.min(free, most.minus(returned));
    if (amount.lte(0)) continue;
    returned = returned.plus(amount);
    const { id: paymentId, provider, currency, clockId } = receipt;
    await insertPartReturn(tx, {
      ...{ merchantId, id: newId('payment'), paymentId, invoiceId, refundId, amount, currency, provider, clockId },
      status: provider === null ? 'manual' : 'requested',
      ...{ startedAt: null, lookUps: 0, returnedAt: null, reference: null },
      nextActionAt: provider === null ? null : now,
      createdAt: now,
    });
  }
  return {
    returned,
    disputed: sum(taken.map(({ disputed }) => disputed)),
    outside: sum(taken.map(({ outside }) => outside)),
  };
}

/** The same as `stopReturn`, for the parts that a credit note has asked for. */
export async function stopPartReturns(tx: Tx, refundId: string): Promise<{ stopped: Decimal; left: Decimal }> {
  let [stopped, left] = [ZERO, ZERO];
  for (const part of await lockPartReturnsOf(tx, refundId)) {
    const canStop = next(returnStates, part.status, 'stop').ok && part.startedAt === null;
    if (canStop) {
      await move(tx, part, 'stopped', {});
      stopped = stopped.plus(part.amount);
    } else if (isGoing(part)) left = left.plus(part.amount);
  }
  return { stopped, left };
}

const move = (tx: Tx, part: PartReturn, status: Exclude<ReturnStatus, 'none'>, more: Partial<PartReturn>) =>
  updatePartReturn(tx, part, { status, nextActionAt: null, ...more });

/** The part has left. */
async function sayReturned(tx: Tx, part: PartReturn, reference: string | null, at: Instant, now: Instant) {
  const { merchantId, id, invoiceId, currency, amount } = part;
  await move(tx, part, 'returned', { startedAt: part.startedAt ?? at, returnedAt: at, reference });
  const entries = [
    { account: 'refunds_payable', customerId: null, amount },
    { account: 'cash', customerId: null, amount: amount.negated() },
  ] as const;
  await post(tx, { merchantId, key: `return:${id}`, reason: 'money_returned', invoiceId, currency, entries }, now);
}

/** The merchant has sent the parts of a payment back by hand. @returns whether there were any */
export async function partsReturnedByHand(
  tx: Tx,
  paymentId: string,
  { at, reference }: { readonly at: Instant; readonly reference: string | null },
  now: Instant,
): Promise<boolean> {
  const manual = (await selectPartReturns(tx, [paymentId])).filter(({ status }) => status === 'manual');
  for (const { id } of manual) {
    const part = await lockPartReturn(tx, id);
    if (part?.status === 'manual') await sayReturned(tx, part, reference, at, now);
  }
  return manual.length > 0;
}

/**
 * Sends parts back in two steps, as whole payments: the intent is committed before the provider is called, under the
 * key of the part. While the payer's bank disputes the payment nothing is sent.
 */
export const partReturnsDue = ({ provider, remote }: Pick<PaymentDependencies, 'provider' | 'remote'>): DueKind => ({
  kind: 'part_return',
  step: async (tx, { merchantId, id }, now) => {
    const part = await lockPartReturn(tx, id);
    if (part?.status !== 'requested') return;
    const receipt = await selectReceipt(tx, part.paymentId);
    const isFirst = part.startedAt === null;
    const taken = await selectTakenOf(tx, receipt);
    if (isFirst && taken.isDisputed)
      return void (await updatePartReturn(tx, part, { nextActionAt: now.add({ hours: HOURS_PER_DAY }) }));
    const amount = isFirst ? await reduced(tx, part, leftOfPayment(receipt, taken), now) : part.amount;
    if (amount.isZero()) return;
    const since = part.startedAt ?? now;
    const { currency } = part;
    const request = { key: `return:${id}`, chargeReference: receipt.providerReference as string, amount, currency };
    if (receipt.provider === 'sandbox') {
      if (isFirst) return void (await updatePartReturn(tx, part, { startedAt: now }));
      const { reference } = await provider.refund(tx, { merchantId, ...request }, now);
      await sayReturned(tx, part, reference, now, now);
      return;
    }
    const connection = await connectionOf(tx, remote, receipt.provider as NonNullable<PartReturn['provider']>);
    const { lookUps, at } = nextLookUp(since, part.lookUps, now);
    await updatePartReturn(tx, part, { startedAt: connection ? since : part.startedAt, lookUps, nextActionAt: at });
    if (!connection) return;
    return byProviderClient(remote, { merchantId, clockId: part.clockId }, async () => {
      const refund = await askRefund(connection, { request, isFirst, since }, now);
      if (refund?.status === 'account refused') await reportRefusal(remote, connection, refund.reason);
      else if (refund) await recordPartReturnAnswer(remote, { merchantId, id }, refund);
    });
  },
});

/** Others took more of the payment meanwhile: only what is left of it goes back. @returns how much */
async function reduced(tx: Tx, part: PartReturn, left: LeftOfPayment, now: Instant): Promise<Decimal> {
  const others = (await selectPartReturns(tx, [part.paymentId])).filter(({ id }) => id !== part.id);
  const free = Decimal.max(ZERO, left.returned.minus(sumOfParts(others)));
  const less = part.amount.minus(Decimal.min(part.amount, free));
  if (less.isZero()) return part.amount;
  const disputed = Decimal.min(less, left.disputed);
  const entries = [
    { account: 'refunds_payable', customerId: null, amount: less },
    { account: 'disputes', customerId: null, amount: disputed.negated() },
    { account: 'returned_outside', customerId: null, amount: disputed.minus(less) },
  ] as const;
  const { merchantId, refundId, invoiceId, currency } = part;
  const key = `partial:${refundId}:${newId('ledgerTransaction')}`; // its void undoes both
  await post(tx, { merchantId, key, reason: 'refund', invoiceId, currency, entries }, now);
  if (free.isZero()) await move(tx, part, 'stopped', {});
  else await updatePartReturn(tx, part, { amount: free });
  return free;
}

/** Stores the provider's answer about a part; idempotent. */
export const recordPartReturnAnswer = (
  remote: RemoteDependencies,
  { merchantId, id }: { merchantId: string; id: string },
  refund: Pick<RemoteRefund, 'status' | 'reference'>,
): Promise<void> =>
  writeOutcome(remote, merchantId, async (tx, wall) => {
    const found = await selectPartReturn(tx, id);
    const now = await effectiveNow(tx, found?.clockId ?? null, wall);
    const part = await lockPartReturn(tx, id);
    if (part?.status !== 'requested' || refund.status === 'pending') return;
    if (refund.status === 'failed') await move(tx, part, 'manual', { startedAt: null });
    else await sayReturned(tx, part, refund.reference, now, now);
  });
