import { findMetric, type Metric } from '../../catalog/index.ts';
import type { Tx } from '../../db/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { next } from '../../kernel/state-table.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { acceptInTransaction } from '../../metering/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { type EntitlementKey, hasEnded, lockWithNow } from '../entitlement/lock.ts';
import { loadInput, templateAt } from '../inputs/inputs.ts';
import { publishBalanceEvents } from '../notices/notices.ts';
import { balanceOfLoaded } from '../reading/balances.ts';
import { isCountedOnce, type ReservedUsage, usageEvent } from './reservation-event.ts';
import { type ReservationEvent, type ReservationStatus, reservationStates } from './reservation-states.ts';
import {
  insertReservation,
  lockReservation,
  markReservationsExpired,
  type ReservationRow,
  updateReservationEnd,
} from './reservations.sql.ts';

/**
 * Holds an amount of the balance until it is settled, released or over (domain.md §5). The entitlement's lock makes
 * callers take turns, so that what is left is held once. `wall` is wall time.
 * @returns ENTITLEMENT_NOT_METERED, ENTITLEMENT_ENDED, RESERVATION_UNAVAILABLE where it is not of one SUM or COUNT
 *   metric, INSUFFICIENT_BALANCE where less is available and the limit is not soft.
 */
export async function reserve(
  tx: Tx,
  key: EntitlementKey,
  { amount, expiresAt }: { amount: Decimal; expiresAt: Instant },
  wall: Instant,
): Promise<Result<ReservationRow>> {
  const locked = await lockWithNow(tx, key, wall);
  if (!locked.ok) return locked;
  const { entitlement, now } = locked.value;
  const usage = await reservableUsage(tx, entitlement);
  if (!usage.ok) return usage;
  if (hasEnded(entitlement, now)) return fail('ENTITLEMENT_ENDED');
  if (!isAfter(expiresAt, now)) return invalidField('expiresAt', 'must be in the future');
  if (isCountedOnce(usage.value) && !amount.eq(1)) return invalidField('amount', ONE_EVENT);
  // Expired reservations end here, under the lock: a late settlement must not use units that somebody else gets now.
  await markReservationsExpired(tx, entitlement, now);
  if (!(await isAvailable(tx, entitlement, amount, now))) return fail('INSUFFICIENT_BALANCE');
  return ok(await insertReservation(tx, { id: newId('reservation'), entitlement, amount, expiresAt }, now));
}

const ONE_EVENT = 'must be 1, because the metric counts events and settling writes one';

/** May so much be used? A soft limit lets everything pass, once the entitlement has begun. */
async function isAvailable(tx: Tx, entitlement: EntitlementRow, amount: Decimal, now: Instant): Promise<boolean> {
  if (isAfter(entitlement.activeFrom, now)) return false;
  const loaded = await loadInput(tx, { entitlement, at: now });
  const template = templateAt(loaded.terms, now);
  if (template.type === 'metered' && template.isSoftLimit) return true;
  const { available } = await balanceOfLoaded(tx, loaded, { at: null }, now);
  return !amount.gt(available);
}

/** The usage event of a settlement: the entitlement's metric, if it has one with additive amounts. */
async function reservableUsage(tx: Tx, entitlement: EntitlementRow): Promise<Result<ReservedUsage>> {
  if (entitlement.featureType !== 'metered') return fail('ENTITLEMENT_NOT_METERED');
  const [metricId, ...others] = entitlement.billableMetricIds;
  const metric = metricId && others.length === 0 && (await findMetric(tx, metricId));
  return (metric && usageOf(metric)) || fail('RESERVATION_UNAVAILABLE');
}

function usageOf({ aggregation, eventType, valueProperty }: Metric): Result<ReservedUsage> | null {
  if (eventType === null || (aggregation !== 'SUM' && aggregation !== 'COUNT')) return null;
  return ok({ aggregation, eventType, valueProperty });
}

/** Locks a reservation after its entitlement, to end it, with its present status. */
async function lockForEnd(
  tx: Tx,
  key: EntitlementKey,
  id: string,
  event: ReservationEvent,
  wall: Instant,
): Promise<Result<{ entitlement: EntitlementRow; reservation: ReservationRow; isEnded: boolean; now: Instant }>> {
  const locked = await lockWithNow(tx, key, wall);
  if (!locked.ok) return locked;
  const { entitlement, now } = locked.value;
  const reservation = await lockReservation(tx, entitlement, id);
  if (!reservation) return notFound('reservation');
  const to = next(reservationStates, statusAt(reservation, now), event);
  return to.ok ? ok({ entitlement, reservation, isEnded: reservation.status === to.value, now }) : to;
}

/** The status at a moment: a reservation expires at its time, also before its background job. */
export const statusAt = ({ status, expiresAt }: ReservationRow, now: Instant): ReservationStatus =>
  status === 'held' && !isAfter(expiresAt, now) ? 'expired' : status;

/**
 * Ends a reservation with what was really used, which becomes a usage event under the reservation's id as its key.
 * Settled again, whatever the amount, it answers as the first time. `wall` is wall time.
 * @param amount by default what was reserved; of 0 no event is written
 * @returns INVALID_TRANSITION where it was released or has expired; RESERVATION_UNAVAILABLE where the metric is no
 *   longer one that a reservation can report to; IDEMPOTENCY_KEY_REUSED where somebody has sent another event under its
 *   key.
 */
export async function settleReservation(
  tx: Tx,
  key: EntitlementKey,
  id: string,
  amount: Decimal | null,
  wall: Instant,
): Promise<Result<ReservationRow>> {
  const found = await lockForEnd(tx, key, id, 'settle', wall);
  if (!found.ok) return found;
  const { entitlement, reservation, isEnded, now } = found.value;
  if (isEnded) return ok(reservation);
  const usage = await reservableUsage(tx, entitlement);
  if (!usage.ok) return usage;
  const settledAmount = amount ?? reservation.amount;
  if (isCountedOnce(usage.value) && !settledAmount.eq(1) && !settledAmount.isZero())
    return invalidField('amount', `${ONE_EVENT}, or 0`);
  const event = usageEvent(entitlement, usage.value, { id, amount: settledAmount }, now);
  const accepted = event === null ? ok(null) : await acceptInTransaction(tx, event, wall);
  if (!accepted.ok) return accepted;
  const eventId = accepted.value?.id ?? null;
  const settled = await updateReservationEnd(tx, reservation, { status: 'settled', settledAmount, eventId }, now);
  if (eventId !== null) await publishBalanceEvents(tx, entitlement, now);
  return ok(settled);
}

/**
 * Releases a reservation; idempotent. `wall` is wall time.
 * @returns INVALID_TRANSITION if it was settled or has expired
 */
export async function releaseReservation(
  tx: Tx,
  key: EntitlementKey,
  id: string,
  wall: Instant,
): Promise<Result<ReservationRow>> {
  const found = await lockForEnd(tx, key, id, 'release', wall);
  if (!found.ok) return found;
  const { reservation, isEnded, now } = found.value;
  return ok(isEnded ? reservation : await updateReservationEnd(tx, reservation, { status: 'released' }, now));
}

/**
 * Reservations expire by a background job. It takes no lock of the entitlement, because balances ignore an expired
 * reservation; the runner holds the row.
 */
export const reservationDueKind: DueKind = {
  kind: 'entitlement_reservation',
  step: async (tx, { merchantId, id }, now) => {
    await updateReservationEnd(tx, { merchantId, id }, { status: 'expired' }, now);
  },
};
