import { effectiveNow } from '../../clocks/index.ts';
import { currentLife, isInDoubt, type Tx } from '../../db/index.ts';
import type { FollowUp } from '../../jobs/index.ts';
import { next } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { askCharge } from '../calls/ask.ts';
import {
  byProviderClient,
  type Call,
  type Connection,
  connectionOf,
  reportRefusal,
  writeOutcome,
} from '../calls/dependencies.ts';
import { isForPeople as needsPeople, nextLookUp } from '../calls/look-ups.ts';
import { endPages } from '../checkouts/end-pages.ts';
import type { RemoteCharge } from '../provider/remote.ts';
import { keepReceipt } from '../records/charge-receipt.ts';
import { CHARGES_ON_THEIR_WAY, chargeStates } from '../records/charge-states.ts';
import {
  type Charge,
  type ChargeDecline,
  lockCharge,
  selectCharge,
  updateChargeFinished,
  updateWaitingCharge,
} from '../records/charges.sql.ts';
import { selectMethod } from '../records/methods.sql.ts';
import { recordUnmatchedPayment } from '../returns/unmatched.ts';
import type { PaymentDependencies } from '../sessions/completion.ts';

/** The step of a charge by a provider outside our database; its call is made beside due work. */
export async function callForCharge(
  tx: Tx,
  dependencies: PaymentDependencies,
  charge: Charge,
  now: Instant,
): Promise<FollowUp | undefined> {
  const { merchantId, clockId } = charge;
  const call = await prepareCharge(tx, dependencies, charge, now);
  return call && byProviderClient(dependencies.remote, { merchantId, clockId }, call);
}

/**
 * Commits that the provider is asked, and when the outcome is looked up. Where the process is killed before the call,
 * or before its outcome is written, the next step looks it up.
 * @returns the call, which follows the commit and writes its outcome in a transaction of its own
 */
export async function prepareCharge(
  tx: Tx,
  dependencies: PaymentDependencies,
  charge: Charge,
  now: Instant,
): Promise<Call | undefined> {
  const { merchantId, id, invoiceId } = charge;
  const isFirst = charge.status === 'intended';
  const connection = await connectionOf(tx, dependencies.remote, charge.provider);
  if (isFirst) {
    const refused = connection ? await isOfAnotherAccount(tx, charge, connection) : await isGivenUp(tx, charge, now);
    if (refused) {
      const reason = connection ? 'card_of_another_account' : 'provider_not_connected';
      await dependencies.handlers.lockNow?.(tx, [{ merchantId, entityType: 'invoice', entityId: invoiceId }]);
      await decline(tx, dependencies, charge, { reason, reference: null }, now);
    }
    if (refused || !connection) return;
  }
  const since = charge.sentAt ?? now;
  const { lookUps, at } = nextLookUp(since, isFirst ? 0 : charge.lookUps, now);
  const moved = next(chargeStates, charge.status, needsPeople(lookUps) ? 'giveUp' : 'send');
  if (!moved.ok) throw new Error(`Charge ${id} is ${charge.status} and due.`);
  const change = { sentAt: since, lookUps, nextActionAt: at };
  const {
    amount,
    currency,
    providerToken: token,
  } = await updateWaitingCharge(tx, charge, { ...change, status: moved.value });
  if (!connection) return;
  const inDoubt = isInDoubt(await currentLife(tx), dependencies.remote.now()); // a life is on the wall clock
  const request = { key: id, token: token as string, amount, currency, invoiceId, isInDoubt: inDoubt };
  return async () => {
    const of = { merchantId, id };
    // Nothing is charged while the customer can still pay on a page of the provider.
    const withdraw = () => withdrawCharge(dependencies, of);
    const pages = isFirst ? await endPages(dependencies, connection, { merchantId, invoiceId, withdraw }) : 'ended';
    if (pages === 'paid') return;
    if (pages === 'unknown') return recallCharge(dependencies, of);
    const answer = await askCharge(connection, { request, isFirst, since }, now);
    if (answer?.status === 'account refused') {
      await reportRefusal(dependencies.remote, connection, answer.reason);
      if (isFirst) await recallCharge(dependencies, of);
    } else if (answer) await recordChargeAnswer(dependencies, of, answer, inDoubt);
  };
}

/** Is the card stored in another account than the connected one? Then it cannot be charged. */
async function isOfAnotherAccount(tx: Tx, charge: Charge, { account }: Connection): Promise<boolean> {
  const { paymentMethodId: methodId } = charge;
  const method = methodId === null ? undefined : await selectMethod(tx, methodId);
  return typeof method?.accountId === 'string' && method.accountId !== account.externalId;
}

/**
 * No account works. That is not the customer's fault, so the charge waits, and is tried when a look-up would come.
 * @returns whether it has waited for a day
 */
async function isGivenUp(tx: Tx, charge: Charge, now: Instant): Promise<boolean> {
  const { lookUps, at } = nextLookUp(charge.createdAt, charge.lookUps, now);
  if (needsPeople(lookUps)) return true;
  await updateWaitingCharge(tx, charge, { lookUps, nextActionAt: at });
  return false;
}

/** The call had no effect, so the next try is the first. When it comes stays. */
const recallCharge = (dependencies: PaymentDependencies, { merchantId, id }: OfCharge): Promise<void> =>
  writeOutcome(dependencies.remote, merchantId, async (tx) => {
    const charge = await lockCharge(tx, id);
    const moved = charge && next(chargeStates, charge.status, 'recall');
    if (moved?.ok) await updateWaitingCharge(tx, charge as Charge, { status: moved.value, sentAt: null });
  });

/** The customer has paid on the provider's page, or the bank is asked there: the card is not charged. */
const withdrawCharge = (dependencies: PaymentDependencies, { merchantId, id }: OfCharge): Promise<void> =>
  writeOutcome(dependencies.remote, merchantId, async (tx, wall) => {
    const found = (await selectCharge(tx, id)) as Charge;
    const now = await effectiveNow(tx, found.clockId, wall);
    await dependencies.handlers.lock?.(tx, { merchantId, entityType: 'invoice', entityId: found.invoiceId });
    const charge = (await lockCharge(tx, id)) as Charge;
    if (charge.status === 'sent')
      await decline(tx, dependencies, charge, { reason: 'paid_on_page', reference: null }, now);
  });

interface OfCharge {
  readonly merchantId: string;
  readonly id: string;
}

/** Stores the provider's answer about a charge, in any order and number. */
export const recordChargeAnswer = (
  dependencies: PaymentDependencies,
  { merchantId, id }: { merchantId: string; id: string },
  answer: RemoteCharge,
  inDoubt = false,
): Promise<void> =>
  writeOutcome(dependencies.remote, merchantId, async (tx, wall) => {
    const found = await selectCharge(tx, id);
    if (!found) return; // of another program that uses this account
    const now = await effectiveNow(tx, found.clockId, wall);
    await dependencies.handlers.lock?.(tx, { merchantId, entityType: 'invoice', entityId: found.invoiceId });
    const charge = await lockCharge(tx, id);
    if (!charge) throw new Error(`Charge ${id} was deleted, which nothing does.`);
    if (CHARGES_ON_THEIR_WAY.includes(charge.status))
      await applyAnswer(tx, dependencies, charge, answer, { now, wall, inDoubt });
    else if (charge.status === 'declined' && answer.status === 'accepted')
      await recordUnmatchedOf(tx, charge, answer, 'too_late', wall);
  });

async function applyAnswer(
  tx: Tx,
  dependencies: PaymentDependencies,
  charge: Charge,
  answer: RemoteCharge,
  { now, wall, inDoubt }: { readonly now: Instant; readonly wall: Instant; readonly inDoubt: boolean },
): Promise<void> {
  if (answer.status === 'pending') {
    await updateWaitingCharge(tx, charge, { status: 'pending', providerReference: answer.reference });
    return;
  }
  if (answer.status === 'declined') return decline(tx, dependencies, charge, answer, now);
  const { reference } = answer;
  if (!answer.amount.eq(charge.amount) || answer.currency !== charge.currency) {
    await recordUnmatchedOf(tx, charge, answer, 'differs', wall, inDoubt);
    if (inDoubt) return decline(tx, dependencies, charge, { reason: 'charged_before', reference }, now);
    return decline(tx, dependencies, charge, { reason: 'charge_differs', reference }, now);
  }
  const outcome = { status: 'accepted', declineReason: null, providerReference: reference } as const;
  const finished = await updateChargeFinished(tx, charge, outcome, now);
  const receiptId = await keepReceipt(tx, finished, now);
  await dependencies.handlers.charged(tx, { charge: finished, receiptId }, now);
}

async function decline(
  tx: Tx,
  { handlers }: PaymentDependencies,
  charge: Charge,
  { reason, reference }: { readonly reason: ChargeDecline; readonly reference: string | null },
  now: Instant,
): Promise<void> {
  const outcome = { status: 'declined', declineReason: reason, providerReference: reference } as const;
  await handlers.charged(tx, { charge: await updateChargeFinished(tx, charge, outcome, now), receiptId: null }, now);
}

const recordUnmatchedOf = (
  tx: Tx,
  { merchantId, id: chargeId, invoiceId, provider }: Charge,
  { reference, amount, currency }: Extract<RemoteCharge, { status: 'accepted' }>,
  reason: 'too_late' | 'differs',
  wall: Instant,
  isForPeople = false,
): Promise<void> =>
  recordUnmatchedPayment(
    tx,
    { merchantId, invoiceId, sessionId: null, chargeId, provider, reference, amount, currency, reason },
    wall,
    isForPeople,
  );
