import { effectiveNowForReading } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import {
  DecimalNumber,
  type FieldWords,
  Id,
  Nullable,
  NumberOut,
  OneOf,
  type Route,
  routesOf,
  type Static,
  Strict,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { decimalOf, decimalOrNull, jsonNumber } from '../../kernel/decimal.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, instantOf } from '../../kernel/time.ts';
import { selectEntitlement } from '../entitlement/entitlements.sql.ts';
import { RESERVATION_STATUSES } from './reservation-states.ts';
import { type ReservationRow, selectReservation, selectReservations } from './reservations.sql.ts';
import { releaseReservation, reserve, settleReservation, statusAt } from './reservations.ts';

const api = routesOf('Entitlements');
const ofEntitlement = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'entitlement' } }) as const;

const RESERVATION_FIELDS: FieldWords = {
  amount: ['The number of reserved units.', 70],
  status: '`held`: it lowers the balance. `settled`, `released` and `expired`: it no longer does.',
  settledAmount: ['The units that were really used. Null: it is not settled.', 65],
  expiresAt: 'When the reservation ends by itself.',
};

export const ReservationReply = Type.Object(
  {
    id: Id('reservation'),
    object: Type.Literal('reservation'),
    entitlementId: Id('entitlement'),
    amount: NumberOut,
    status: OneOf(RESERVATION_STATUSES),
    settledAmount: Nullable(NumberOut),
    expiresAt: Timestamp,
    createdAt: Timestamp,
  },
  {
    $id: 'Reservation',
    description: 'Units that are set aside for usage that has begun.',
    'x-fields': RESERVATION_FIELDS,
  },
);

const toReservationReply = (row: ReservationRow, now: Instant): Static<typeof ReservationReply> => ({
  id: row.id,
  object: 'reservation',
  entitlementId: row.entitlementId,
  amount: jsonNumber(row.amount),
  status: statusAt(row, now),
  settledAmount: row.settledAmount === null ? null : jsonNumber(row.settledAmount),
  expiresAt: formatInstant(row.expiresAt),
  createdAt: formatInstant(row.createdAt),
});

/** A freshly written reservation is as stored. */
const written = (result: Result<ReservationRow>) =>
  result.ok ? ok(toReservationReply(result.value, result.value.createdAt)) : result;

/** The operations on reservations (api.md, Entitlements): hold, settle, release, list, read. */
export const reservationRoutes: readonly Route[] = [
  api.post('/v1/entitlements/:id/reservations', 'createReservation', {
    summary: 'Create a reservation',
    description:
      'For usage whose amount is known only afterwards. It lowers the balance until it is settled, released or ' +
      'expired. Only for entitlements with one SUM or COUNT metric. 409 `INSUFFICIENT_BALANCE` where less is ' +
      'available, unless the limit is soft.',
    access: ofEntitlement('member'),
    body: Strict(
      { amount: DecimalNumber({ exclusiveMinimum: '0' }), expiresAt: Timestamp },
      {
        $id: 'ReservationCreate',
        'x-fields': { ...RESERVATION_FIELDS, amount: 'The number of units, above 0. Of a COUNT metric 1.' },
        examples: [{ amount: 70, expiresAt: '2030-01-01T00:00:00Z' }],
      },
    ),
    replies: { 201: ReservationReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, now }) =>
      written(
        await reserve(
          tx,
          { merchantId, entitlementId: params.id },
          { amount: decimalOf(body.amount), expiresAt: instantOf(body.expiresAt) },
          now,
        ),
      ),
  }),
  api.list('/v1/entitlements/:id/reservations', 'listReservations', {
    summary: 'List reservations of an entitlement',
    description: 'Newest first, in every status.',
    access: ofEntitlement('viewer'),
    of: ReservationReply,
    list: async ({ tx, params, page, now }) => {
      const found = await entitlementNow(tx, params.id, now);
      if (!found.ok) return found;
      const { rows, total } = await selectReservations(tx, found.value.entitlement, page);
      return ok({ rows: rows.map((row) => toReservationReply(row, found.value.now)), total });
    },
  }),
  api.get('/v1/entitlements/:id/reservations/:reservationId', 'getReservation', {
    summary: 'Retrieve a reservation',
    description: 'Answers one reservation. An unknown id is a 404.',
    access: ofEntitlement('viewer'),
    replies: { 200: ReservationReply },
    handler: async ({ tx, params, now }) => {
      const found = await entitlementNow(tx, params.id, now);
      if (!found.ok) return found;
      const row = await selectReservation(tx, found.value.entitlement, params.reservationId);
      return row ? ok(toReservationReply(row, found.value.now)) : notFound('reservation');
    },
  }),
  api.post('/v1/entitlements/:id/reservations/:reservationId/settle', 'settleReservation', {
    summary: 'Settle a reservation',
    description:
      'Writes a usage event with the amount, under the id of the reservation as its `idempotencyKey`; for 0 it ' +
      'writes none. A second call answers the first result. 409 once it was released or has expired.',
    access: ofEntitlement('member'),
    body: Strict(
      { amount: Type.Optional(DecimalNumber({ minimum: '0' })) },
      {
        $id: 'ReservationSettlement',
        'x-fields': { amount: 'The units that were really used. Default: the reserved amount. 0 writes no event.' },
        examples: [{ amount: 65 }],
      },
    ),
    replies: { 200: ReservationReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, now }) =>
      written(
        await settleReservation(
          tx,
          { merchantId, entitlementId: params.id },
          params.reservationId,
          decimalOrNull(body.amount),
          now,
        ),
      ),
  }),
  api.post('/v1/entitlements/:id/reservations/:reservationId/release', 'releaseReservation', {
    summary: 'Release a reservation',
    description:
      'The balance has the units again. A second call answers the same. 409 once it was settled or has expired.',
    access: ofEntitlement('member'),
    replies: { 200: ReservationReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, now }) =>
      written(await releaseReservation(tx, { merchantId, entitlementId: params.id }, params.reservationId, now)),
  }),
];

/** An entitlement, and effective now for a request that only reads it. */
async function entitlementNow(tx: Tx, id: string, wall: Instant) {
  const entitlement = await selectEntitlement(tx, id);
  if (!entitlement) return notFound('entitlement');
  return ok({ entitlement, now: await effectiveNowForReading(tx, entitlement.clockId, wall) });
}
