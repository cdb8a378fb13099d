import { effectiveNow } from '../clocks/index.ts';
import type { Tx } from '../db/index.ts';
import type { DueKind } from '../jobs/index.ts';
import { newId } from '../kernel/ids.ts';
import { fail, notFound, ok, type Result } from '../kernel/result.ts';
import { next } from '../kernel/state-table.ts';
import type { Instant } from '../kernel/time.ts';
import type { PaymentHandlers } from './handlers.ts';
import { storeMethod } from './methods.ts';
import type { Card, ChargeOutcome, PaymentProvider } from './provider.ts';
import { insertReceipt } from './receipts.sql.ts';
import { sessionStates } from './session-states.ts';
import { lockSession, moveSession, type PaymentSession, selectSession } from './sessions.sql.ts';
import { announce, expireSession, isOver } from './sessions.ts';
import { enterTestCard, type TestCard } from './test-cards.ts';

/** What moving a session takes beside the database. */
export interface PaymentParts {
  readonly handlers: PaymentHandlers;
  readonly provider: PaymentProvider;
}

/** The session locked, and effective now for it, after the locks that come before its own: its clock's, then upstream's. */
async function lockForChange(
  tx: Tx,
  { handlers }: PaymentParts,
  merchantId: string,
  id: string,
  now: Instant,
): Promise<{ session: PaymentSession; at: Instant } | undefined> {
  const found = await selectSession(tx, merchantId, id);
  if (!found) return undefined;
  const at = await effectiveNow(tx, merchantId, found.clock_id, now);
  await handlers.lock?.(tx, { merchantId, entityType: found.entity_type, entityId: found.entity_id });
  const session = await lockSession(tx, merchantId, id);
  return session && { session, at };
}

/**
 * Pays a session with a test card, as the hosted page does (api.md, complete). The first answer stands: completing it
 * again answers the same and does nothing. A declined card leaves it `failed`, and another card may be tried until it
 * expires. `now` is wall time.
 * @returns PAYMENT_SESSION_EXPIRED where it has run out; INVALID_TRANSITION where it was cancelled; what upstream refuses.
 */
export async function completeSession(
  tx: Tx,
  parts: PaymentParts,
  { merchantId, id, card }: { merchantId: string; id: string; card: TestCard },
  now: Instant,
): Promise<Result<PaymentSession>> {
  const locked = await lockForChange(tx, parts, merchantId, id, now);
  if (!locked) return notFound('payment session');
  const { session, at } = locked;
  const to = next(sessionStates, session.status, 'complete');
  if (!to.ok) return to;
  if (session.status === 'completed') return ok(session);
  if (isOver(session, at)) return fail('PAYMENT_SESSION_EXPIRED', { expiresAt: session.expires_at.toString() });

  const attempts = session.attempts + 1;
  const key = `${id}:${attempts}`;
  const entered = enterTestCard(card, key, at);
  const request = { merchantId, key, token: entered.token, amount: session.amount, currency: session.currency };
  const outcome =
    session.mode === 'payment'
      ? await parts.provider.charge(tx, request, at)
      : await parts.provider.verify(tx, request, at);
  const numbered = { ...session, attempts };
  return outcome.accepted
    ? settle(tx, parts, numbered, entered, outcome, at)
    : ok(await decline(tx, parts, numbered, outcome, at));
}

type Accepted = Extract<ChargeOutcome, { accepted: true }>;
type Declined = Extract<ChargeOutcome, { accepted: false }>;

/** The money came: the method is kept, the session ends, the receipt is written, and upstream is told, all or nothing. */
async function settle(
  tx: Tx,
  { handlers, provider }: PaymentParts,
  session: PaymentSession,
  card: Card,
  { reference }: Accepted,
  now: Instant,
): Promise<Result<PaymentSession>> {
  const { merchant_id: merchantId, customer_id: customerId, status, attempts, invoice_id: invoiceId } = session;
  const paymentMethodId =
    session.save_payment_method && customerId !== null
      ? await storeMethod(tx, { merchantId, customerId, card, provider: provider.name }, now)
      : null;
  if (session.mode === 'setup' && paymentMethodId === null) return notFound('customer'); // deleted meanwhile
  const move = { from: status, to: 'completed' as const, failureReason: null, attempts, paymentMethodId };
  const completed = await moveSession(tx, session, { ...move, providerReference: reference }, now);
  await announce(tx, 'payment_session.completed.v0', completed, now);
  if (invoiceId === null) return ok(completed);
  const receiptId = newId('payment');
  await insertReceipt(tx, {
    merchant_id: merchantId,
    id: receiptId,
    invoice_id: invoiceId,
    session_id: session.id,
    payment_method_id: paymentMethodId,
    amount: session.amount,
    currency: session.currency,
    method: 'card',
    provider: provider.name,
    provider_reference: reference,
    received_at: now,
    clock_id: session.clock_id,
  });
  const event = { merchantId, session: completed, receiptId, amount: session.amount, currency: session.currency };
  const told = await handlers.completed(tx, { ...event, methodKind: 'card', paymentMethodId }, now);
  return told.ok ? ok(completed) : told;
}

async function decline(
  tx: Tx,
  { handlers }: PaymentParts,
  session: PaymentSession,
  { reason, reference }: Declined,
  now: Instant,
): Promise<PaymentSession> {
  const { status, attempts, merchant_id: merchantId } = session;
  const move = { from: status, to: 'failed' as const, failureReason: reason, attempts, providerReference: reference };
  const declined = await moveSession(tx, session, move, now);
  if (session.mode === 'payment') await handlers.declined(tx, { merchantId, session: declined, reason }, now);
  return declined;
}

/**
 * Ends a session before its time, by POST …/expire; again is the same as once. `now` is wall time.
 * @returns INVALID_TRANSITION where it was completed or cancelled, or its payment is on its way.
 */
export async function endSession(
  tx: Tx,
  parts: PaymentParts,
  { merchantId, id }: { merchantId: string; id: string },
  now: Instant,
): Promise<Result<PaymentSession>> {
  const locked = await lockForChange(tx, parts, merchantId, id, now);
  if (!locked) return notFound('payment session');
  const { session, at } = locked;
  const to = next(sessionStates, session.status, 'expire');
  if (!to.ok) return to;
  if (session.status === 'expired') return ok(session);
  return ok(await expireAndTell(tx, parts, session, at));
}

/** Sessions expire by due work, each on its own clock. */
export const sessionsDue = (parts: PaymentParts): DueKind => ({
  kind: 'payment_session',
  step: async (tx, { merchantId, id }, now) => {
    const session = await lockSession(tx, merchantId, id);
    if (!session) throw new Error(`Payment session ${id} is due and not there.`);
    await expireAndTell(tx, parts, session, now);
  },
});

async function expireAndTell(
  tx: Tx,
  { handlers }: PaymentParts,
  session: PaymentSession,
  now: Instant,
): Promise<PaymentSession> {
  const expired = await expireSession(tx, session, now);
  if (expired.mode === 'payment')
    await handlers.expired(tx, { merchantId: expired.merchant_id, session: expired }, now);
  return expired;
}
