import { effectiveNow } from '../../clocks/index.ts';
import { findCustomer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import { DEFAULT_LOCALE } from '../../kernel/locale.ts';
import { next } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { byProviderClient, type Connection, connectionOf, reportRefusal, writeOutcome } from '../calls/dependencies.ts';
import { isRepeatable, lookUpAt, nextLookUp } from '../calls/look-ups.ts';
import type { Card } from '../provider/provider.ts';
import {
  type CheckoutCustomer,
  type CheckoutRequest,
  type CheckoutState,
  type OpenedCheckout,
  ProviderAway,
  ProviderRefused,
  type TakenMoney,
} from '../provider/remote.ts';
import { type CheckoutEvent, checkoutStates, LIVE_CHECKOUTS } from '../records/checkout-states.ts';
import {
  type Checkout,
  insertCheckout,
  insertProviderCustomer,
  lockCheckout,
  selectCheckout,
  selectLiveCheckout,
  selectProviderCustomer,
  updateCheckout,
} from '../records/checkouts.sql.ts';
import type { EntityDescription } from '../records/handlers.ts';
import type { PaymentSession } from '../records/session.ts';
import { sessionStates } from '../records/session-states.ts';
import { countAttempt, selectSession, updateSessionStatus } from '../records/sessions.sql.ts';
import { recordUnmatchedPayment } from '../returns/unmatched.ts';
import {
  completePayment,
  decline,
  lockFound,
  type PaymentDependencies,
  refusalToComplete,
} from '../sessions/completion.ts';
import { sessionUrl } from '../sessions/sessions.ts';

interface OfSession {
  readonly merchantId: string;
  readonly id: string;
}

/**
 * The page for the payment. `refused`: this session cannot be paid; `away`: the provider does not answer;
 * `notConnected`: the merchant's account does not work.
 */
export type PageOpening =
  | { readonly kind: 'opened'; readonly url: string }
  | { readonly kind: 'refused' | 'away' | 'notConnected' };

/**
 * Opens the provider's payment page of a session, when the customer wants it: the intent is committed, the provider is
 * called, and its answer is kept. Who asks again is led to the same page.
 */
export async function openCheckout(
  dependencies: PaymentDependencies,
  of: OfSession,
  publicUrl: string,
): Promise<PageOpening> {
  const { merchantId } = of;
  const plan = await writeOutcome(dependencies.remote, merchantId, (tx, wall) =>
    intend(tx, dependencies, of, publicUrl, wall),
  );
  if (plan === 'refused' || plan === 'notConnected') return { kind: plan };
  const { checkout, connection, request } = plan;
  if (checkout.url !== null) return { kind: 'opened', url: checkout.url };
  try {
    const opened = await connection.provider.openCheckout(connection.account, request);
    const isOpen = await writeOutcome(dependencies.remote, merchantId, (tx, wall) =>
      keepOpened(tx, checkout, request, opened, wall),
    );
    return isOpen ? { kind: 'opened', url: opened.url } : { kind: 'refused' };
  } catch (error) {
    if (error instanceof ProviderAway) return { kind: 'away' };
    if (!(error instanceof ProviderRefused)) throw error;
    await writeOutcome(dependencies.remote, merchantId, (tx, wall) => forget(tx, checkout, wall));
    if (error.about === 'request') return { kind: 'refused' };
    await reportRefusal(dependencies.remote, connection, error.message);
    return { kind: 'notConnected' };
  }
}

interface Plan {
  readonly checkout: Checkout;
  readonly connection: Connection;
  readonly request: CheckoutRequest;
}

/** Commits that a page is opened. @returns why not, where the session cannot be paid at this time */
async function intend(
  tx: Tx,
  dependencies: PaymentDependencies,
  { merchantId, id }: OfSession,
  publicUrl: string,
  wall: Instant,
): Promise<Plan | 'refused' | 'notConnected'> {
  const found = await selectSession(tx, id);
  if (!found || found.provider === 'sandbox') return 'refused';
  const now = await effectiveNow(tx, found.clockId, wall);
  const session = await lockFound(tx, dependencies, found);
  if (session.status === 'completed' || refusalToComplete(session, now)) return 'refused';
  const { entityType, entityId } = session;
  const of = { merchantId, sessionId: id, entityType, entityId, asked: DEFAULT_LOCALE };
  const entity = await dependencies.handlers.describe(tx, of, now);
  if (entity?.standing?.isPayable === false) return 'refused';
  const connection = await connectionOf(tx, dependencies.remote, session.provider);
  if (!connection) return 'notConnected';
  const live = await selectLiveCheckout(tx, id);
  const checkout = live ?? (await begin(tx, session, connection, wall));
  return { checkout, connection, request: await requestOf(tx, session, checkout, entity, publicUrl, wall) };
}

async function begin(tx: Tx, session: PaymentSession, { account }: Connection, wall: Instant): Promise<Checkout> {
  const { merchantId, id: sessionId, provider, amount, currency } = session;
  const attempts = await countAttempt(tx, session);
  const checkout = { merchantId, id: `${sessionId}:${attempts}`, sessionId, provider, amount, currency };
  return insertCheckout(tx, { ...checkout, accountId: account.externalId }, lookUpAt(wall, 0), wall);
}

const HOURS_FOR_SIMULATED_TIME = 24;

async function requestOf(
  tx: Tx,
  session: PaymentSession,
  checkout: Checkout,
  entity: EntityDescription | null,
  publicUrl: string,
  wall: Instant,
): Promise<CheckoutRequest> {
  const { merchantId, customerId } = session;
  const customer = customerId === null ? null : await payerOf(tx, { merchantId, customerId }, entity);
  const known = { merchantId, provider: checkout.provider, accountId: checkout.accountId };
  const own = sessionUrl(publicUrl, session.id);
  return {
    key: checkout.id,
    mode: session.mode,
    sessionId: session.id,
    invoiceId: session.invoiceId,
    customer: customer
      ? {
          ...customer,
          reference: await selectProviderCustomer(tx, { ...known, customerId: customer.id }),
        }
      : null,
    amount: session.amount,
    currency: session.currency,
    title: entity ? [entity.title, entity.number].filter(Boolean).join(' ') : (session.entityLabel ?? 'Payment'),
    lines: entity?.bill.lines ?? [],
    saveMethod: session.savePaymentMethod,
    // The provider knows no test clock.
    expiresAt: session.clockId === null ? session.expiresAt : wall.add({ hours: HOURS_FOR_SIMULATED_TIME }),
    returnUrl: `${own}/return`,
    cancelUrl: own,
  };
}

/** The customer, or a future one: its id is promised, and the provider uses it from now on. */
async function payerOf(
  tx: Tx,
  { customerId: id }: { readonly merchantId: string; readonly customerId: string },
  entity: EntityDescription | null,
): Promise<Pick<CheckoutCustomer, 'id' | 'email' | 'name'> | null> {
  const customer = await findCustomer(tx, id);
  if (customer) return { id, email: customer.organization.email, name: customer.organization.name };
  return entity?.payer ? { id, ...entity.payer } : null;
}

/** Keeps the address of a page. @returns whether it can still be paid by: its session may have ended meanwhile */
async function keepOpened(
  tx: Tx,
  { merchantId, id, provider, accountId }: Checkout,
  request: CheckoutRequest,
  { reference, url, customerReference }: OpenedCheckout,
  wall: Instant,
): Promise<boolean> {
  const checkout = await lockCheckout(tx, id);
  if (request.customer && customerReference !== null) {
    const customerId = request.customer.id;
    await insertProviderCustomer(
      tx,
      { merchantId, provider, accountId, customerId, reference: customerReference },
      wall,
    );
  }
  if (checkout.status !== 'opening') return checkout.status === 'open' && !checkout.isClosing; // a twin was faster
  const at = checkout.isClosing ? wall : lookUpAt(wall, 0);
  await updateCheckout(tx, checkout, { status: 'open', reference, url, nextActionAt: at }, wall);
  return !checkout.isClosing;
}

/** The provider refuses to open the page: there is none. */
async function forget(tx: Tx, { id }: Checkout, wall: Instant): Promise<void> {
  const checkout = await lockCheckout(tx, id);
  if (checkout.status === 'opening')
    await updateCheckout(tx, checkout, { status: 'expired', nextActionAt: null }, wall);
}

/** Pages are looked up until they are over: no notice need ever come. One whose session is over is ended. */
export const checkoutsDue = (dependencies: PaymentDependencies): DueKind => ({
  kind: 'payment_checkout',
  step: async (tx, { merchantId, id }, now) => {
    const checkout = await lockCheckout(tx, id);
    const { reference, status, isClosing, createdAt } = checkout;
    if (reference === null) {
      // Nobody was given its address. A customer who asks again repeats the call, as long as that is possible.
      const isOver = isClosing || !isRepeatable(createdAt, now);
      const change = isOver
        ? { status: 'expired', nextActionAt: null }
        : { nextActionAt: createdAt.add({ hours: HOURS_FOR_SIMULATED_TIME }) };
      return void (await updateCheckout(tx, checkout, change, now));
    }
    const { lookUps, at } = nextLookUp(createdAt, checkout.lookUps, now);
    await updateCheckout(tx, checkout, { lookUps, nextActionAt: at }, now);
    const connection = await connectionOf(tx, dependencies.remote, checkout.provider);
    if (!connection) return;
    return byProviderClient(dependencies.remote, { merchantId, clockId: null }, async () => {
      const { provider, account } = connection;
      const ends = isClosing && status === 'open';
      const state = await unlessAway(
        ends ? provider.expireCheckout(account, reference) : provider.readCheckout(account, reference),
      );
      if (state) await recordCheckoutState(dependencies, { merchantId, id }, state);
    });
  },
});

/** Null where the provider does not answer, or will not: the next look-up asks again. */
const unlessAway = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (error instanceof ProviderAway || error instanceof ProviderRefused) return null;
    throw error;
  });

/** Reads from the provider how the live page of a session stands, and writes that down. */
export async function readSession(dependencies: PaymentDependencies, { merchantId, id }: OfSession): Promise<void> {
  const { remote } = dependencies;
  const found = await remote.database.transaction({ merchants: [merchantId] }, async (tx) => {
    const checkout = await selectLiveCheckout(tx, id);
    const connection = checkout && (await connectionOf(tx, remote, checkout.provider));
    return checkout && connection ? { checkout, connection } : null;
  });
  if (!found || found.checkout.reference === null) return;
  const { provider, account } = found.connection;
  const state = await unlessAway(provider.readCheckout(account, found.checkout.reference));
  if (state) await recordCheckoutState(dependencies, { merchantId, id: found.checkout.id }, state);
}

const EVENTS: Readonly<Record<CheckoutState['status'], CheckoutEvent>> = {
  open: 'open',
  processing: 'process',
  paid: 'pay',
  stored: 'store',
  failed: 'fail',
  expired: 'expire',
};

/** Stores the provider's answer about a page, in any order and number. */
export const recordCheckoutState = (
  dependencies: PaymentDependencies,
  { merchantId, id }: OfSession,
  state: CheckoutState,
): Promise<void> =>
  writeOutcome(dependencies.remote, merchantId, async (tx, wall) => {
    const known = await selectCheckout(tx, id);
    const found = known && (await selectSession(tx, known.sessionId));
    if (!found) throw new Error(`Payment page ${id} does not exist.`);
    const now = await effectiveNow(tx, found.clockId, wall);
    const session = await lockFound(tx, dependencies, found);
    const checkout = await lockCheckout(tx, id);
    const moved = next(checkoutStates, checkout.status, EVENTS[state.status]);
    if (!moved.ok) return; // it is known already, or a later state is
    const isLive = LIVE_CHECKOUTS.includes(moved.value);
    await updateCheckout(tx, checkout, { status: moved.value, ...(!isLive && { nextActionAt: null }) }, wall);
    await applyState(tx, dependencies, { session, checkout }, state, now, wall);
  });

interface Both {
  readonly session: PaymentSession;
  readonly checkout: Checkout;
}

async function applyState(
  tx: Tx,
  dependencies: PaymentDependencies,
  { session, checkout }: Both,
  state: CheckoutState,
  now: Instant,
  wall: Instant,
): Promise<void> {
  if (state.status === 'paid') return takeMoney(tx, dependencies, { session, checkout }, state, now, wall);
  const event = ({ processing: 'process', stored: 'complete', failed: 'decline' } as const)[
    state.status as 'processing' | 'stored' | 'failed'
  ];
  if (event === undefined || !next(sessionStates, session.status, event).ok || session.status === 'completed') return;
  if (state.status === 'processing') {
    const moved = await updateSessionStatus(tx, session, { from: session.status, to: 'processing' }, now);
    await dependencies.handlers.processing?.(tx, { merchantId: session.merchantId, session: moved }, now);
  }
  if (state.status === 'stored') await takeCard(tx, dependencies, session, state.card, checkout, now);
  if (state.status === 'failed') {
    const { reason } = state;
    await decline(tx, dependencies, session, { accepted: false, reason, reference: checkout.reference as string }, now);
  }
}

/** A card is stored. Its customer may be gone meanwhile; then nothing is kept of it. */
async function takeCard(
  tx: Tx,
  dependencies: PaymentDependencies,
  session: PaymentSession,
  card: Card,
  { reference, accountId }: Checkout,
  now: Instant,
): Promise<void> {
  const taken = { card, storedCard: card, accountId };
  await tx.savepoint(
    () => completePayment(tx, dependencies, session, taken, { accepted: true, reference: reference as string }, now),
    ({ ok }) => ok,
  );
}

/**
 * The money came. It pays where it is what was asked, and where the session and upstream still take it; else it is
 * recorded as what pays nothing, and goes back (I-38, I-39).
 */
async function takeMoney(
  tx: Tx,
  dependencies: PaymentDependencies,
  { session, checkout }: Both,
  money: TakenMoney,
  now: Instant,
  wall: Instant,
): Promise<void> {
  const { reference, amount, currency } = money;
  const isAsked = amount.eq(session.amount) && currency === session.currency;
  const isOpen = session.status !== 'completed' && next(sessionStates, session.status, 'complete').ok;
  if (isAsked && isOpen) {
    const paid = await tx.savepoint(
      () =>
        completePayment(
          tx,
          dependencies,
          session,
          { ...money, accountId: checkout.accountId },
          { accepted: true, reference },
          now,
        ),
      ({ ok }) => ok,
    );
    if (paid.ok) return;
  }
  const { merchantId, provider } = checkout;
  const of = { merchantId, invoiceId: session.invoiceId, sessionId: session.id, chargeId: null, provider };
  await recordUnmatchedPayment(
    tx,
    { ...of, reference, amount, currency, reason: isAsked ? 'too_late' : 'differs' },
    wall,
  );
  if (isOpen && session.status === 'processing') {
    // The bank has answered, so another card may be tried.
    await decline(tx, dependencies, session, { accepted: false, reason: 'processing_error', reference }, now);
  }
}
