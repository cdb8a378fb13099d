import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import type { DueKind, StepResult } from '../../jobs/index.ts';
import { ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { type Failure, fail, notFound, ok, type Result } from '../../kernel/result.ts';
import { next } from '../../kernel/state-table.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import type { RemoteDependencies } from '../calls/dependencies.ts';
import type { Card, ChargeOutcome, DeclineReason, PaymentProvider } from '../provider/provider.ts';
import { enterTestCard, outcomeAt, type TestCard, testCards } from '../provider/test-cards.ts';
import type { PaymentHandlers } from '../records/handlers.ts';
import { makeDefault, storeMethod } from '../records/methods.ts';
import { insertReceipt } from '../records/receipts.sql.ts';
import { scheduleDispute } from '../records/schedule-dispute.ts';
import type { PaymentSession } from '../records/session.ts';
import { sessionStates } from '../records/session-states.ts';
import { lockSession, lockSessions, selectSession, updateSessionStatus } from '../records/sessions.sql.ts';
import { announce, expireAll, isOver } from './sessions.ts';

/** The dependencies of moving a session beside the database. */
export interface PaymentDependencies {
  readonly handlers: PaymentHandlers;
  /** The provider with its books in our database. */
  readonly provider: PaymentProvider;
  /** Those outside. */
  readonly remote: RemoteDependencies;
}

/** A session as it is found, and effective now for it. Its clock is held first: its row comes before the session's. */
async function findForChange(
  tx: Tx,
  id: string,
  now: Instant,
): Promise<{ session: PaymentSession; at: Instant } | undefined> {
  const session = await selectSession(tx, id);
  return session && { session, at: await effectiveNow(tx, session.clockId, now) };
}

/** The same session, locked after what upstream locks of its own. */
export async function lockFound(
  tx: Tx,
  { handlers }: PaymentDependencies,
  found: PaymentSession,
): Promise<PaymentSession> {
  const { merchantId, id, entityType, entityId } = found;
  await handlers.lock?.(tx, { merchantId, sessionId: id, entityType, entityId });
  const session = await lockSession(tx, id);
  if (!session) throw new Error(`Payment session ${id} was deleted, which nothing does.`);
  return session;
}

/**
 * Pays a session with a test card, as the hosted page does (api.md, complete). The first answer stands: completing it
 * again answers the same and does nothing. A declined card leaves it `failed`, and another card may be tried until it
 * expires. `now` is wall time.
 * @returns PAYMENT_SESSION_EXPIRED where it has run out; INVALID_TRANSITION where it was cancelled; what upstream
 *   refuses.
 */
export async function completeSession(
  tx: Tx,
  dependencies: PaymentDependencies,
  { id, card }: { merchantId: string; id: string; card: TestCard },
  now: Instant,
): Promise<Result<PaymentSession>> {
  const found = await findForChange(tx, id, now);
  if (!found) return notFound('payment session');
  const { at } = found;
  // Asked before anything is locked too: at this moment due work may be about to expire it, and waiting for that is
  // idle.
  const refused = refusalToComplete(found.session, at);
  if (refused) return refused;
  const session = await lockFound(tx, dependencies, found.session);
  const refusedNow = refusalToComplete(session, at);
  if (refusedNow) return refusedNow;
  if (session.status === 'completed') return ok(session);
  if (session.provider !== 'sandbox') return fail('PAID_AT_PROVIDER', { provider: session.provider });
  if (session.pendingCard !== null) return useCard(tx, dependencies, session, confirmed(session.pendingCard, card), at);
  const numbered = { ...session, attempts: session.attempts + 1 };
  const until = outcomeAt(card, at);
  return until === null
    ? useCard(tx, dependencies, numbered, { card }, at)
    : ok(await wait(tx, dependencies, numbered, { card, until }, at));
}

/** A card as it is used: with an outcome of its own where the customer has refused to confirm. */
interface UsedCard {
  readonly card: TestCard;
  readonly refusal?: DeclineReason;
}

/** The customer confirms with the same card, or refuses with any other. */
const confirmed = (pending: TestCard, sent: TestCard): UsedCard =>
  sent === pending ? { card: pending } : { card: pending, refusal: 'authentication_required' };

const waitsForCustomer = ({ pendingCard: card }: PaymentSession): boolean =>
  card !== null && testCards[card].waits === 'confirms';

/** Asks the sandbox's provider under the number of this attempt, and does what follows. */
async function useCard(
  tx: Tx,
  dependencies: PaymentDependencies,
  session: PaymentSession,
  { card, refusal }: UsedCard,
  at: Instant,
): Promise<Result<PaymentSession>> {
  const { merchantId, id, attempts, amount, currency } = session;
  const key = `${id}:${attempts}`;
  if (refusal !== undefined)
    return ok(
      await decline(tx, dependencies, session, { accepted: false, reason: refusal, reference: `sandbox_${key}` }, at),
    );
  const entered = enterTestCard(card, key, at);
  const request = { merchantId, key, token: entered.token, amount, currency };
  const outcome =
    session.mode === 'payment'
      ? await dependencies.provider.charge(tx, request, at)
      : await dependencies.provider.verify(tx, request, at);
  return outcome.accepted
    ? completePayment(tx, dependencies, session, { card: entered, storedCard: entered }, outcome, at)
    : ok(await decline(tx, dependencies, session, outcome, at));
}

/** The outcome comes later: until then nothing else pays. */
async function wait(
  tx: Tx,
  { handlers }: PaymentDependencies,
  session: PaymentSession,
  pending: { readonly card: TestCard; readonly until: Instant },
  at: Instant,
): Promise<PaymentSession> {
  const { status: from, attempts, merchantId } = session;
  const waiting = await updateSessionStatus(
    tx,
    session,
    { from, to: 'processing', failureReason: null, attempts, pending },
    at,
  );
  if (session.mode === 'payment') await handlers.processing?.(tx, { merchantId, session: waiting }, at);
  return waiting;
}

/** Why a session cannot be completed at this instant; null where it can, or has been. */
export function refusalToComplete(session: PaymentSession, at: Instant): Failure | null {
  const to = next(sessionStates, session.status, 'complete');
  if (!to.ok) return to;
  // Only the provider can complete it now, save where it waits for the customer.
  if (session.status === 'processing' && !waitsForCustomer(session)) return fail('PAYMENT_IN_PROGRESS');
  return session.status !== 'completed' && session.status !== 'processing' && isOver(session, at)
    ? fail('PAYMENT_SESSION_EXPIRED', { expiresAt: formatInstant(session.expiresAt) })
    : null;
}

/** The card that paid, as it may be shown, and the card that is kept for later charges. */
interface TakenCard {
  readonly card: Pick<Card, 'brand' | 'last4'> | null;
  readonly storedCard: Card | null;
  /** The merchant's account at the provider that keeps it; absent in the sandbox. */
  readonly accountId?: string;
}

type Accepted = Extract<ChargeOutcome, { accepted: true }>;
type Declined = Extract<ChargeOutcome, { accepted: false }>;

/**
 * A payment has arrived: the method is stored, the session ends, the receipt is written, and the handlers are called,
 * all or nothing.
 */
export async function completePayment(
  tx: Tx,
  { handlers }: PaymentDependencies,
  session: PaymentSession,
  { card, storedCard, accountId }: TakenCard,
  { reference }: Accepted,
  now: Instant,
): Promise<Result<PaymentSession>> {
  const { merchantId, customerId, status, attempts, invoiceId, provider } = session;
  const prepared = await handlers.prepare?.(tx, session, now);
  if (prepared?.ok === false) return prepared;
  const paymentMethodId =
    session.savePaymentMethod && customerId !== null && storedCard !== null
      ? await storeMethod(tx, { merchantId, customerId, card: storedCard, provider, accountId: accountId ?? null }, now)
      : null;
  if (session.mode === 'setup' && paymentMethodId === null) return notFound('customer'); // deleted meanwhile
  if (session.becomesDefault && customerId !== null && paymentMethodId !== null)
    await makeDefault(tx, { merchantId, customerId }, paymentMethodId);
  const move = { from: status, to: 'completed' as const, failureReason: null, attempts, paymentMethodId };
  const completed = await updateSessionStatus(tx, session, { ...move, providerReference: reference }, now);
  await announce(tx, 'payment_session.completed.v0', completed, now);
  if (session.mode === 'setup') {
    await handlers.cardStored?.(tx, completed, now);
    return ok(completed);
  }
  const receiptId = newId('payment');
  const receipt = await insertReceipt(tx, {
    merchantId,
    id: receiptId,
    invoiceId,
    sessionId: session.id,
    chargeId: null,
    paymentMethodId,
    amount: session.amount,
    overpaid: ZERO,
    currency: session.currency,
    method: 'card',
    provider,
    providerReference: reference,
    cardBrand: card?.brand ?? null,
    cardLast4: card?.last4 ?? null,
    reference: null,
    idempotencyKey: null,
    idempotencyPrint: null,
    receivedAt: now,
    createdAt: now,
    clockId: session.clockId,
  });
  await scheduleDispute(tx, receipt, now);
  const wasProcessing = status === 'processing';
  const event = {
    merchantId,
    session: completed,
    receiptId,
    amount: session.amount,
    currency: session.currency,
    wasProcessing,
  };
  const told = await handlers.completed(tx, { ...event, methodKind: 'card', paymentMethodId }, now);
  return told.ok ? ok(completed) : told;
}

/** The card was declined: another may be tried until the session expires. */
export async function decline(
  tx: Tx,
  { handlers }: PaymentDependencies,
  session: PaymentSession,
  { reason, reference }: Declined,
  now: Instant,
): Promise<PaymentSession> {
  const { status, attempts, merchantId } = session;
  const move = { from: status, to: 'failed' as const, failureReason: reason, attempts, providerReference: reference };
  const declined = await updateSessionStatus(tx, session, move, now);
  const wasProcessing = status === 'processing';
  if (session.mode === 'payment')
    await handlers.declined(tx, { merchantId, session: declined, reason, wasProcessing }, now);
  return declined;
}

/**
 * Ends a session before its time, by POST …/expire; again is the same as once. `now` is wall time.
 * @returns INVALID_TRANSITION where it was completed or cancelled, or its payment is on its way.
 */
export async function endSession(
  tx: Tx,
  dependencies: PaymentDependencies,
  { id }: { merchantId: string; id: string },
  now: Instant,
): Promise<Result<PaymentSession>> {
  const found = await findForChange(tx, id, now);
  if (!found) return notFound('payment session');
  const session = await lockFound(tx, dependencies, found.session);
  const to = next(sessionStates, session.status, 'expire');
  if (!to.ok) return to;
  if (session.status === 'expired') return ok(session);
  const [expired] = await expireAndTell(tx, dependencies, [session], found.at);
  return ok(expired as PaymentSession);
}

/** Sessions of one merchant in one transaction. */
const MOST_SESSIONS = 200;

/** Sessions expire by due work, each on its own clock; test cards that wait have their outcome by it, too. */
export const sessionsDue = (dependencies: PaymentDependencies): DueKind => ({
  kind: 'payment_session',
  list: { most: MOST_SESSIONS, steps: (tx, records, now) => stepSessions(tx, dependencies, records, now) },
  step: async (tx, record, now) => {
    await stepSessions(tx, dependencies, [record], now);
  },
});

/** The next steps of some sessions of one merchant: those that have run out expire as a list. */
async function stepSessions(
  tx: Tx,
  dependencies: PaymentDependencies,
  records: readonly { readonly merchantId: string; readonly id: string }[],
  now: Instant,
): Promise<StepResult[]> {
  const [first] = records;
  if (!first) return [];
  const { merchantId } = first;
  const ids = records.map(({ id }) => id);
  const sessions = await lockSessions(tx, ids);
  if (sessions.length < ids.length) throw new Error(`A payment session from ${first.id} on is due and not there.`);
  const entities = sessions.filter(isToldOf).map(({ id: sessionId, entityType, entityId }) => ({
    merchantId,
    sessionId,
    entityType,
    entityId,
  }));
  await dependencies.handlers.lockNow?.(tx, entities);
  for (const session of sessions)
    if (session.pendingCard !== null) await endWait(tx, dependencies, session, session.pendingCard, now);
  await expireAndTell(
    tx,
    dependencies,
    sessions.filter(({ pendingCard: card }) => card === null),
    now,
  );
  return records.map(() => ({ isLater: false }));
}

/** The bank has answered, or the customer has not confirmed in time. What upstream refuses was not charged. */
async function endWait(
  tx: Tx,
  dependencies: PaymentDependencies,
  session: PaymentSession,
  card: TestCard,
  now: Instant,
): Promise<void> {
  const used: UsedCard = waitsForCustomer(session) ? { card, refusal: 'authentication_required' } : { card };
  const paid = await tx.savepoint(
    () => useCard(tx, dependencies, session, used, now),
    (result) => result.ok,
  );
  if (!paid.ok) await useCard(tx, dependencies, session, { card, refusal: 'processing_error' }, now);
}

/** Do the handlers hear of its end? Nobody waits for a card that is stored for later. */
const isToldOf = ({ mode, entityType }: PaymentSession): boolean => mode === 'payment' || entityType === 'subscription';

async function expireAndTell(
  tx: Tx,
  { handlers }: PaymentDependencies,
  sessions: readonly PaymentSession[],
  now: Instant,
): Promise<PaymentSession[]> {
  const expired = await expireAll(tx, sessions, now);
  await handlers.expired(tx, expired.filter(isToldOf), now);
  return expired;
}
