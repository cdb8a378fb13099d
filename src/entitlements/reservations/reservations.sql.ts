import { pageOfRows, sql, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import type { ReservationStatus } from './reservation-states.ts';

/** Balance that is held for usage whose amount is not known yet (api.md, Entitlements). */
export interface ReservationRow {
  readonly merchantId: string;
  readonly id: string;
  readonly entitlementId: string;
  readonly amount: Decimal;
  readonly status: ReservationStatus;
  /** The used amount; null unless it is settled. */
  readonly settledAmount: Decimal | null;
  /** The usage event that settling wrote; null where nothing was used. */
  readonly eventId: string | null;
  readonly expiresAt: Instant;
  readonly clockId: string | null;
  readonly createdAt: Instant;
}

type Owner = Pick<EntitlementRow, 'merchantId' | 'id'>;

/** Reserves an amount; a background job expires it. The caller holds the entitlement's lock. */
export const insertReservation = (
  tx: Tx,
  reservation: { id: string; entitlement: EntitlementRow; amount: Decimal; expiresAt: Instant },
  now: Instant,
): Promise<ReservationRow> =>
  tx.one<ReservationRow>(sql`
    insert into entitlement_reservation (merchant_id, id, entitlement_id, amount, status, expires_at, clock_id,
                                         next_action_at, created_at, updated_at)
    values (${reservation.entitlement.merchantId}, ${reservation.id}, ${reservation.entitlement.id},
            ${reservation.amount}, 'held', ${reservation.expiresAt}, ${reservation.entitlement.clockId},
            ${reservation.expiresAt}, ${now}, ${now})
    returning *`);

/** The reservation of this id, if it is one of the entitlement's. */
export const selectReservation = (tx: Tx, of: Owner, id: string): Promise<ReservationRow | undefined> =>
  tx.maybe<ReservationRow>(sql`
    select * from entitlement_reservation
     where merchant_id = ${of.merchantId} and id = ${id} and entitlement_id = ${of.id}`);

/** The same, locked; after the entitlement itself. */
export const lockReservation = (tx: Tx, of: Owner, id: string): Promise<ReservationRow | undefined> =>
  tx.maybe<ReservationRow>(sql`
    select * from entitlement_reservation
     where merchant_id = ${of.merchantId} and id = ${id} and entitlement_id = ${of.id} for update`);

/** Newest first. */
export const selectReservations = (tx: Tx, of: Owner, page: PageRequest) =>
  pageOfRows<ReservationRow>(
    tx,
    {
      kind: 'reservation',
      select: sql`*`,
      from: sql`entitlement_reservation`,
      exists: sql`merchant_id = ${of.merchantId} and entitlement_id = ${of.id}`,
    },
    page,
  );

/** Ends one that is held. @throws where it is not, because its caller has not looked under its lock. */
export const updateReservationEnd = (
  tx: Tx,
  { merchantId, id }: Pick<ReservationRow, 'merchantId' | 'id'>,
  end: { status: 'released' | 'expired' } | { status: 'settled'; settledAmount: Decimal; eventId: string | null },
  now: Instant,
): Promise<ReservationRow> => {
  const { settledAmount, eventId } = end.status === 'settled' ? end : { settledAmount: null, eventId: null };
  return tx.one<ReservationRow>(sql`
    update entitlement_reservation
       set status = ${end.status}, settled_amount = ${settledAmount}, event_id = ${eventId}, next_action_at = null,
         updated_at = ${now}
     where merchant_id = ${merchantId} and id = ${id} and status = 'held' returning *`);
};

/** Expires reservations of an entitlement before their background job. */
export const markReservationsExpired = (tx: Tx, { merchantId, id }: Owner, now: Instant): Promise<number> =>
  tx.run(sql`
    update entitlement_reservation set status = 'expired', next_action_at = null, updated_at = ${now}
     where merchant_id = ${merchantId} and entitlement_id = ${id} and status = 'held' and expires_at <= ${now}`);
