import {
  allOf,
  assignments,
  type Changed,
  changedRows,
  columns,
  keptTotal,
  type PageRequest,
  pageOfRows,
  rowsAs,
  type Sql,
  sql,
  type Tx,
} from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { DeclineReason } from '../provider/provider.ts';
import type { TestCard } from '../provider/test-cards.ts';
import type { EntityType, PaymentSession } from './session.ts';
import type { SessionStatus } from './session-states.ts';

/** The statuses in which a session excludes another one. */
const OPEN = sql`status in ('pending', 'processing', 'failed')`;

/** What the sessions that changed are for: their invoices or subscriptions, for the lists of these. */
export const changedSessions = (of: 'invoice_id' | 'subscription_id', changed: Changed): Sql =>
  changedRows('payment_session', of, changed);

const NEW_FIELDS = [
  'merchantId',
  'id',
  'mode',
  'entityType',
  'entityId',
  'entityLabel',
  'invoiceId',
  'customerId',
  'subscriptionId',
  'amount',
  'currency',
  'status',
  'savePaymentMethod',
  'becomesDefault',
  'provider',
  'successRedirectUrl',
  'failureRedirectUrl',
  'metadata',
  'clockId',
  'expiresAt',
  'nextActionAt',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof PaymentSession)[];

export const insertSessions = async (tx: Tx, rows: readonly PaymentSession[]): Promise<number> =>
  tx.run(sql`
    insert into payment_session (${columns(NEW_FIELDS)})
    select ${columns(NEW_FIELDS)} from ${await rowsAs(tx, 'payment_session', NEW_FIELDS, rows)}`);

export const selectSession = (tx: Tx, id: string): Promise<PaymentSession | undefined> =>
  tx.maybe<PaymentSession>(sql`select * from payment_session where merchant_id = ${tx.merchantId} and id = ${id}`);

/** Locks a session, so a payment and an expiry wait for each other. */
export const lockSession = (tx: Tx, id: string): Promise<PaymentSession | undefined> =>
  tx.maybe<PaymentSession>(
    sql`select * from payment_session where merchant_id = ${tx.merchantId} and id = ${id} for update`,
  );

/** Locks some sessions, in the order of their ids. @returns them in the order of their creation */
export const lockSessions = (tx: Tx, ids: readonly string[]): Promise<PaymentSession[]> =>
  tx.rows<PaymentSession>(sql`
    with locked as materialized (
      select * from payment_session
       where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[]) order by id for update)
    select * from locked order by seq`);

/** The session of an entity, or of an invoice, that can still be paid: the indexes allow one of each. */
export const selectOpenSession = (tx: Tx, id: string): Promise<PaymentSession | undefined> =>
  tx.maybe<PaymentSession>(sql`
    with open as materialized (
      select * from payment_session
       where merchant_id = ${tx.merchantId} and (entity_id = ${id} or invoice_id = ${id}) and ${OPEN})
    select * from open order by seq desc limit 1`);

/** The open sessions of many entities at once, of one merchant or more; at most one each. */
export const selectOpenSessions = (
  tx: Tx,
  entities: readonly { readonly merchantId: string; readonly entityId: string }[],
): Promise<PaymentSession[]> =>
  tx.rows<PaymentSession>(sql`
    select * from payment_session
     where merchant_id = any (${[...new Set(entities.map(({ merchantId }) => merchantId))]})
       and entity_id = any (${entities.map(({ entityId }) => entityId)}) and ${OPEN}`);

/** Locks the open sessions of an entity or an invoice, in the order of creation. */
export const lockOpenSessions = (tx: Tx, entityIds: readonly string[]): Promise<PaymentSession[]> =>
  tx.rows<PaymentSession>(sql`
    select * from payment_session
     where merchant_id = ${tx.merchantId} and (entity_id = any (${entityIds}) or invoice_id = any (${entityIds}))
       and ${OPEN}
     order by seq for update`);

export interface SessionMove {
  from: SessionStatus;
  to: SessionStatus;
  failureReason?: DeclineReason | null;
  attempts?: number;
  paymentMethodId?: string | null;
  providerReference?: string;
  /** The test card that waits, and when its outcome is there. */
  pending?: { readonly card: TestCard; readonly until: Instant };
}

/** Moves a session that its caller has locked. @throws where it is not in the status that the caller decided on. */
export const updateSessionStatus = (
  tx: Tx,
  session: PaymentSession,
  move: SessionMove,
  now: Instant,
): Promise<PaymentSession> =>
  tx.one<PaymentSession>(sql`
    update payment_session
       set ${assignments({
         status: move.to,
         failureReason: move.failureReason,
         attempts: move.attempts,
         paymentMethodId: move.paymentMethodId,
         providerReference: move.providerReference,
         completedAt: move.to === 'completed' ? now : undefined,
         pendingCard: move.pending?.card ?? null,
         nextActionAt: move.to === 'failed' ? session.expiresAt : (move.pending?.until ?? null),
         updatedAt: now,
       })}
     where merchant_id = ${session.merchantId} and id = ${session.id} and status = ${move.from}
    returning *`);

/**
 * Ends some sessions of one merchant that the caller has locked.
 * @returns them in their order
 * @throws where one is not in the status that the caller decided on
 */
export async function updateToOver(
  tx: Tx,
  sessions: readonly PaymentSession[],
  status: 'expired' | 'cancelled',
  now: Instant,
): Promise<PaymentSession[]> {
  const [first] = sessions;
  if (!first) return [];
  const rows = await tx.rows<PaymentSession>(sql`
    update payment_session s
       set status = ${status}, pending_card = null, next_action_at = null, updated_at = ${now}
      from unnest(${sessions.map(({ id }) => id)}::text[], ${sessions.map(({ status }) => status)}::text[])
                    as u (id, was)
     where s.merchant_id = ${first.merchantId} and s.id = u.id and s.status = u.was
    returning s.*`);
  const expired = new Map(rows.map((row) => [row.id, row]));
  return sessions.map(({ id }) => {
    const row = expired.get(id);
    if (!row) throw new Error(`Payment session ${id} moved on while it was locked.`);
    return row;
  });
}

/** Numbers the next attempt to pay a session, whose lock the caller holds. */
export const countAttempt = (tx: Tx, { merchantId, id }: PaymentSession): Promise<number> =>
  tx.value<number>(sql`
    update payment_session set attempts = attempts + 1 where merchant_id = ${merchantId} and id = ${id}
    returning attempts`);

export interface SessionFilter {
  subscriptionId?: string;
  customerId?: string;
  status?: SessionStatus;
  entityType?: EntityType;
}

/** Newest first; `merchantId` null for an operator's list over all merchants. */
export const selectSessions = (
  tx: Tx,
  merchantId: string | null,
  filter: SessionFilter,
  page: PageRequest,
): Promise<{ rows: PaymentSession[]; total: number }> =>
  pageOfRows<PaymentSession>(
    tx,
    {
      kind: 'paymentSession',
      select: sql`*`,
      from: sql`payment_session`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        filter.subscriptionId !== undefined && sql`subscription_id = ${filter.subscriptionId}`,
        filter.customerId !== undefined && sql`customer_id = ${filter.customerId}`,
        filter.status !== undefined && sql`status = ${filter.status}`,
        filter.entityType !== undefined && sql`entity_type = ${filter.entityType}`,
      ]),
    },
    page,
    keptTotal(tx, 'payment_session', merchantId, filter, ['status', 'entityType']),
  );
