import type { Tx } from '../../db/index.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, ok, type Result } from '../../kernel/result.ts';
import { next } from '../../kernel/state-table.ts';
import { type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import { publishAll } from '../../webhooks/index.ts';
import type { ProviderName } from '../provider/provider.ts';
import { markCheckoutsClosing } from '../records/checkouts.sql.ts';
import type { EntityType, PaymentSession } from '../records/session.ts';
import { sessionStates } from '../records/session-states.ts';
import {
  insertSessions,
  lockOpenSessions,
  lockSession,
  selectOpenSession,
  selectOpenSessions,
  selectSession,
  updateToOver,
} from '../records/sessions.sql.ts';

/** The default lifetime of a session. */
export const DEFAULT_SESSION_MINUTES = 24 * 60;

interface Opening {
  readonly merchantId: string;
  readonly entityId: string;
  readonly entityLabel?: string | null;
  readonly subscriptionId?: string | null;
  readonly currency: string;
  /** The provider of the card, by the merchant's present settings. */
  readonly provider: ProviderName;
  readonly expiresAt: Instant;
  /** The test clock that the session expires by. */
  readonly clockId?: string | null;
  /** Checked before with `checkRedirectUrl`. */
  readonly successRedirectUrl?: string | null;
  readonly failureRedirectUrl?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The payment: an amount above zero, for one invoice. */
export interface PaymentOpening extends Opening {
  readonly mode: 'payment';
  readonly entityType: Exclude<EntityType, 'customer'>;
  readonly amount: Decimal;
  /** The invoice that the money is for; by default the entity, where that is an invoice. */
  readonly invoiceId?: string;
  readonly customerId?: string | null;
  /** Keep the card for later charges; needs a customer. */
  readonly savePaymentMethod?: boolean;
}

/** A card to store without a payment; the entity is the customer. */
export interface CustomerSetupOpening extends Omit<Opening, 'subscriptionId'> {
  readonly mode: 'setup';
  readonly entityType: 'customer';
  /** The card is the one that is charged first from then on. */
  readonly becomesDefault?: boolean;
}

/** The same that a subscription waits for. */
interface SubscriptionSetupOpening extends Opening {
  readonly mode: 'setup';
  readonly entityType: 'subscription';
  readonly customerId: string;
}

export type SetupOpening = CustomerSetupOpening | SubscriptionSetupOpening;

/**
 * Opens a payment session and expires the one before it, of the same entity or the same invoice, in the same
 * transaction: at most one can be paid at a time (domain.md §4). The one before tells nobody that it expired but the
 * webhooks, because for its invoice nothing has ended. `now` is effective now for the entity. The caller holds the
 * entity's lock.
 * @returns PAYMENT_IN_PROGRESS where the provider still owes an answer about the one before.
 */
export async function openSession(
  tx: Tx,
  opening: PaymentOpening | SetupOpening,
  now: Instant,
): Promise<Result<PaymentSession>> {
  const [opened] = await openSessions(tx, [opening], now);
  return opened as Result<PaymentSession>;
}

/** The same of several of one merchant, each for an entity and an invoice of its own. @returns a result for each */
export async function openSessions(
  tx: Tx,
  openings: readonly (PaymentOpening | SetupOpening)[],
  now: Instant,
): Promise<Result<PaymentSession>[]> {
  const [first] = openings;
  if (!first) return [];
  const before = await lockOpenSessions(tx, [...new Set(openings.flatMap(entitiesOf))]);
  const results: Result<PaymentSession>[] = [];
  for (const opening of openings) {
    const entities = entitiesOf(opening);
    const own = before.filter(
      ({ entityId, invoiceId }) => entities.includes(entityId) || (invoiceId !== null && entities.includes(invoiceId)),
    );
    const isBusy = own.some(({ status }) => status === 'processing');
    if (!isBusy) await expireAll(tx, own, now);
    results.push(isBusy ? fail('PAYMENT_IN_PROGRESS') : ok(newSession(opening, now)));
  }
  const opened = results.flatMap((result) => (result.ok ? [result.value] : []));
  if (opened.length > 0) await insertSessions(tx, opened);
  return results;
}

/** The subjects of a session: of its entity, and of its invoice, at most one is open. */
const entitiesOf = (opening: PaymentOpening | SetupOpening): string[] => {
  const invoiceId = invoiceOf(opening);
  return invoiceId === null ? [opening.entityId] : [opening.entityId, invoiceId];
};

const invoiceOf = (opening: PaymentOpening | SetupOpening): string | null =>
  opening.mode === 'payment'
    ? (opening.invoiceId ?? (opening.entityType === 'invoice' ? opening.entityId : null))
    : null;

function newSession(opening: PaymentOpening | SetupOpening, now: Instant): PaymentSession {
  const { merchantId, mode, entityType, entityId, expiresAt } = opening;
  const isPayment = mode === 'payment';
  return {
    merchantId,
    id: newId('paymentSession'),
    mode,
    entityType,
    entityId,
    entityLabel: opening.entityLabel ?? null,
    invoiceId: invoiceOf(opening),
    customerId: entityType === 'customer' ? entityId : (opening.customerId ?? null),
    subscriptionId: entityType === 'customer' ? null : (opening.subscriptionId ?? null),
    amount: isPayment ? opening.amount : ZERO,
    currency: opening.currency,
    status: 'pending',
    failureReason: null,
    attempts: 0,
    savePaymentMethod: isPayment ? (opening.savePaymentMethod ?? false) : true,
    becomesDefault: opening.entityType === 'customer' && (opening.becomesDefault ?? false),
    paymentMethodId: null,
    provider: opening.provider,
    providerReference: null,
    pendingCard: null,
    successRedirectUrl: opening.successRedirectUrl ?? null,
    failureRedirectUrl: opening.failureRedirectUrl ?? null,
    metadata: { ...opening.metadata },
    clockId: opening.clockId ?? null,
    expiresAt,
    nextActionAt: expiresAt,
    completedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The session of this id; undefined where the merchant has none. */
export const findSession = (tx: Tx, id: string): Promise<PaymentSession | undefined> => selectSession(tx, id);

/** The one session by which an entity, or an invoice, can be paid now; it may have run out a moment ago (`isOver`). */
export const openSessionOf = (tx: Tx, entityId: string): Promise<PaymentSession | undefined> =>
  selectOpenSession(tx, entityId);

/** The open session of an entity, or an invoice, that has not expired; null if there is none. */
export async function payableSessionOf(tx: Tx, entityId: string, now: Instant): Promise<PaymentSession | null> {
  const session = await openSessionOf(tx, entityId);
  return session && isAfter(session.expiresAt, now) ? session : null;
}

/** The same as `openSessionOf` for many entities in one question, for lists; those without a session are left out. */
export const openSessionsOf = async (
  tx: Tx,
  entities: readonly { readonly merchantId: string; readonly entityId: string }[],
): Promise<PaymentSession[]> => (entities.length === 0 ? [] : selectOpenSessions(tx, entities));

/**
 * Expires what is open for an entity or an invoice, because its caller has ended it or was paid otherwise; so the
 * caller is not told again. One that the provider still owes an answer about stays (`paymentInFlight`).
 * @returns how many expired.
 */
export async function expireSessions(tx: Tx, entityId: string, now: Instant): Promise<number> {
  const open = await lockIdleSessions(tx, entityId);
  await expireAll(tx, open, now);
  return open.length;
}

/** The same because what they were for is cancelled; the webhook event of that says so. */
export async function cancelSessions(tx: Tx, entityId: string, now: Instant): Promise<void> {
  await endAll(tx, await lockIdleSessions(tx, entityId), 'cancel', now);
}

const lockIdleSessions = async (tx: Tx, entityId: string): Promise<PaymentSession[]> =>
  (await lockOpenSessions(tx, [entityId])).filter(({ status }) => status !== 'processing');

/** Has the session run out, by its own time? The due work that says so aloud may come a moment later. */
export const isOver = (session: Pick<PaymentSession, 'expiresAt'>, now: Instant): boolean =>
  !isBefore(now, session.expiresAt);

/** Expires one that the caller has locked. @throws where its state does not allow it. */
export async function expireSession(tx: Tx, session: PaymentSession, now: Instant): Promise<PaymentSession> {
  const [expired] = await expireAll(tx, [session], now);
  return expired as PaymentSession;
}

/** The same of some of one merchant. @returns them as they are then, in their order */
export async function expireAll(tx: Tx, sessions: readonly PaymentSession[], now: Instant): Promise<PaymentSession[]> {
  const expired = await endAll(tx, sessions, 'expire', now);
  await announceAll(tx, 'payment_session.expired.v0', expired, now);
  return expired;
}

async function endAll(
  tx: Tx,
  sessions: readonly PaymentSession[],
  by: 'expire' | 'cancel',
  now: Instant,
): Promise<PaymentSession[]> {
  for (const { id, status } of sessions)
    if (!next(sessionStates, status, by).ok) throw new Error(`Payment session ${id} is ${status}: no ${by}.`);
  const ended = await updateToOver(tx, sessions, by === 'expire' ? 'expired' : 'cancelled', now);
  for (const { id, provider } of ended) if (provider !== 'sandbox') await markCheckoutsClosing(tx, id);
  return ended;
}

/**
 * Ends one session that its opener has given up, unless the provider still owes an answer about it, or it is over.
 * @returns the session as it is then
 */
export async function endOpenSession(tx: Tx, id: string, now: Instant): Promise<PaymentSession> {
  const session = await lockSession(tx, id);
  if (!session) throw new Error(`Payment session ${id} was deleted, which nothing does.`);
  return session.status === 'pending' || session.status === 'failed' ? expireSession(tx, session, now) : session;
}

type SessionEvent = 'payment_session.completed.v0' | 'payment_session.expired.v0';

/** Tells the merchant's webhooks what became of a session. */
export const announce = (tx: Tx, type: SessionEvent, session: PaymentSession, now: Instant): Promise<void> =>
  announceAll(tx, type, [session], now);

async function announceAll(
  tx: Tx,
  type: SessionEvent,
  sessions: readonly PaymentSession[],
  now: Instant,
): Promise<void> {
  const events = sessions.map((session) => ({
    merchantId: session.merchantId,
    type,
    data: {
      paymentSessionId: session.id,
      entityType: session.entityType,
      entityId: session.entityId,
      ...(session.invoiceId !== null && { invoiceId: session.invoiceId }),
      ...(session.customerId !== null && { customerId: session.customerId }),
      ...(session.subscriptionId !== null && { subscriptionId: session.subscriptionId }),
      ...(session.paymentMethodId !== null && { paymentMethodId: session.paymentMethodId }),
    },
  }));
  await publishAll(tx, events, now);
}

/** The address of a payment page. `publicUrl` is the environment's, without a slash at the end. */
export const sessionUrl = (publicUrl: string, id: string): string => `${publicUrl}/pay/${id}`;
