import type { Blocker } from '../catalog/index.ts';
import type { Tx } from '../db/index.ts';
import type { TSchema } from '../http/index.ts';
import type { ApprovalKind, EnvironmentName } from '../identity/index.ts';
import type { Decimal } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import type { Order, OrderKey } from './order.ts';

/**
 * Hears what happens to an order, in the transaction that does it, with the order as it is now. The order's row is
 * locked.
 */
export interface OrderListener {
  /** Every required approval is given; of a pushed order, for its amended content. */
  readonly approved?: (tx: Tx, order: Order, now: Instant) => Promise<void>;
  /** An approved order is a draft again. Nothing of it was pushed. */
  readonly reopened?: (tx: Tx, order: Order, now: Instant) => Promise<void>;
  /** `cancelledAt` is set, perhaps to a future instant: time before it stays owed, time after it is not. */
  readonly cancelled?: (tx: Tx, order: Order, now: Instant) => Promise<void>;
  /** The content of the order has changed, in any status; after `reopened` where both happen. */
  readonly changed?: (tx: Tx, order: Order, now: Instant) => Promise<void>;
}

/** The questions of orders to earlier domains; `wiring.ts` passes them. */
export interface OrderDependencies {
  readonly environment: EnvironmentName;
  /** The schema of one billing schedule in an order's reply. */
  readonly scheduleReply: TSchema;
  /** Billing schedules of some orders as they are answered, oldest first, by the order's id. */
  readonly schedulesOf: (
    tx: Tx,
    merchantIds: readonly string[],
    orderIds: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly unknown[]>>;
  /** The schedules for the content of an order: with their intervals, without times of writing, always in one order. */
  readonly contentOfSchedules: (
    tx: Tx,
    merchantIds: readonly string[],
    orderIds: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly unknown[]>>;
  /** The orders of these of which something was pushed. */
  readonly hasPushed: (
    tx: Tx,
    merchantIds: readonly string[],
    orderIds: readonly string[],
  ) => Promise<ReadonlySet<string>>;
  /** What the schedules of an order come to; null: they have no intervals. */
  readonly totalOfSchedules: (tx: Tx, order: Order) => Promise<Decimal | null>;
  /** Requests the required approvals of an order's content, or one if none is required. @param by a user's id */
  readonly requestApprovals: (
    tx: Tx,
    order: OrderKey,
    content: { readonly content: unknown; readonly dataSnapshotHash: string },
    by: string,
    now: Instant,
  ) => Promise<void>;
  /** Cancels every pending approval of the order. @param by the user who changed it */
  readonly cancelApprovals: (tx: Tx, order: OrderKey, by: string, now: Instant) => Promise<void>;
  /** The kinds of which the order has an approved approval for this content. */
  readonly approvedKinds: (tx: Tx, order: OrderKey, dataSnapshotHash: string) => Promise<ReadonlySet<ApprovalKind>>;
  /** The contents of the order that were approved, the last one first. */
  readonly approvedContents: (tx: Tx, order: OrderKey) => Promise<readonly unknown[]>;
  /** The holders of an order or one of its lines. */
  readonly holdersOf: (tx: Tx, kind: 'order' | 'orderLineItem', id: string) => Promise<readonly Blocker[]>;
  readonly listeners: readonly OrderListener[];
}
