import { effectiveNowOf } from '../clocks/index.ts';
import { allOf, assignments, insertion, jsonb, keptTotal, pageOfRows, type Sql, sql, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { OrderRow, OrderType } from './order.ts';
import type { OrderStatus } from './states.ts';

const INSERTED = sql`merchant_id, id, customer_id, reseller_id, tax_exempt, selling_entity, currency, approval_status,
  type, term_start_date, term_end_date, close_date, named_total, default_payment_term_days, metadata,
  clock_id as test_clock_id, created_at, updated_at`;
const COLUMNS = sql`${INSERTED}, cancelled_at`;

export const insertOrder = (tx: Tx, order: OrderRow): Promise<OrderRow> =>
  tx.one<OrderRow>(sql`
    ${insertion('sales_order', { ...order, metadata: jsonb(order.metadata) }, INSERTED)}
    returning ${COLUMNS}`);

export const selectOrders = (tx: Tx, merchantIds: readonly string[], ids: readonly string[]): Promise<OrderRow[]> =>
  tx.rows<OrderRow>(sql`
    select ${COLUMNS} from sales_order
     where merchant_id = any (${[...merchantIds]}::text[]) and id = any (${[...ids]}::text[])
     order by seq`);

/**
 * Locks an order: before its schedules, which are locked before their invoices. Not against rows that only refer to it.
 */
export const lockOrderRow = (tx: Tx, id: string): Promise<OrderRow | undefined> =>
  tx.maybe<OrderRow>(sql`
    select ${COLUMNS} from sales_order where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

/** Locks the free ones of some orders, without waiting. @returns their ids */
export const lockFreeOrders = (tx: Tx, ids: readonly string[]): Promise<string[]> =>
  tx.values<string>(sql`
    select id from sales_order where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])
     order by id for no key update skip locked`);

/** The same against everything, for a deletion: new references wait. */
export const lockOrderRowForDeletion = (tx: Tx, id: string): Promise<OrderRow | undefined> =>
  tx.maybe<OrderRow>(sql`
    select ${COLUMNS} from sales_order where merchant_id = ${tx.merchantId} and id = ${id} for update`);

export interface OrderFilter {
  readonly customerId?: string | undefined;
  /** `cancelled`: those with a cancelledAt, which the statuses exclude. */
  readonly status?: OrderStatus | 'cancelled' | undefined;
  readonly type?: OrderType | undefined;
}

function standsAs(status: OrderFilter['status']): Sql | undefined {
  if (status === undefined) return undefined;
  if (status === 'cancelled') return sql`cancelled_at is not null`;
  return sql`cancelled_at is null and approval_status = ${status}`;
}

export const selectOrderPage = (tx: Tx, merchantId: string | null, filter: OrderFilter, page: PageRequest) =>
  pageOfRows<OrderRow>(
    tx,
    {
      kind: 'order',
      select: COLUMNS,
      from: sql`sales_order`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        filter.customerId !== undefined && sql`customer_id = ${filter.customerId}`,
        filter.type !== undefined && sql`type = ${filter.type}`,
        standsAs(filter.status),
      ]),
    },
    page,
    keptTotal(tx, 'sales_order', merchantId, filter, ['status', 'type']),
  );

/** The fields of an order that can change; absent fields stay unchanged. */
export type OrderChanges = {
  readonly [Field in
    | 'approvalStatus'
    | 'cancelledAt'
    | 'termStartDate'
    | 'termEndDate'
    | 'closeDate'
    | 'namedTotal'
    | 'defaultPaymentTermDays'
    | 'metadata'
    | 'resellerId'
    | 'taxExempt'
    | 'sellingEntity']?: OrderRow[Field] | undefined;
};

export const updateOrder = (
  tx: Tx,
  { merchantId, id }: Pick<OrderRow, 'merchantId' | 'id'>,
  changes: OrderChanges,
  now: Instant,
): Promise<OrderRow> =>
  tx.one<OrderRow>(sql`
    update sales_order set ${assignments({
      approvalStatus: changes.approvalStatus,
      cancelledAt: changes.cancelledAt,
      termStartDate: changes.termStartDate,
      termEndDate: changes.termEndDate,
      closeDate: changes.closeDate,
      namedTotal: changes.namedTotal,
      defaultPaymentTermDays: changes.defaultPaymentTermDays,
      metadata: changes.metadata && jsonb(changes.metadata),
      resellerId: changes.resellerId,
      taxExempt: changes.taxExempt,
      sellingEntity: changes.sellingEntity,
      updatedAt: now,
    })}
     where merchant_id = ${merchantId} and id = ${id}
    returning ${COLUMNS}`);

export const deleteOrderRow = (tx: Tx, { merchantId, id }: Pick<OrderRow, 'merchantId' | 'id'>) =>
  tx.run(sql`delete from sales_order where merchant_id = ${merchantId} and id = ${id}`);

/** Those that may still bill something: not cancelled, and not past their term by effective now. */
export const selectUnendedOrders = (
  tx: Tx,
  of: { readonly customerId: string } | { readonly clockId: string },
  now: Instant,
) =>
  tx.rows<{ id: string }>(sql`
    select id from sales_order
     where merchant_id = ${tx.merchantId} and cancelled_at is null
       and ${'customerId' in of ? sql`customer_id = ${of.customerId}` : sql`clock_id = ${of.clockId}`}
       and term_end_date > ${effectiveNowOf('sales_order', now)}
     order by seq`);
