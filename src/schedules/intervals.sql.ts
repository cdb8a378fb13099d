import { recordset, sql, type Tx } from '../db/index.ts';
import { decimal, plain } from '../kernel/decimal.ts';
import { type Instant, parseInstant } from '../kernel/time.ts';
import type { IntervalRow } from './schedule.ts';

const COLUMNS = sql`merchant_id as "merchantId", id, schedule_id as "scheduleId",
  order_line_item_id as "orderLineItemId", item_id as "itemId", price_id as "priceId", description,
  unit_price as "unitPrice", base_quantity as "baseQuantity", quantity_transitions as "quantityTransitions",
  billing_cadence as "billingCadence", billing_mode as "billingMode", bill_date as "billDate",
  start_date as "startDate", end_date as "endDate", usage_filter as "usageFilter", metadata, created_at as "createdAt",
  updated_at as "updatedAt"`;

interface Stored extends Omit<IntervalRow, 'quantityTransitions'> {
  readonly quantityTransitions: readonly { readonly effectiveDate: string; readonly quantity: string }[];
}

const toRow = ({ quantityTransitions, ...row }: Stored): IntervalRow => ({
  ...row,
  quantityTransitions: quantityTransitions.map(({ effectiveDate, quantity }) => ({
    effectiveDate: parseInstant(effectiveDate) as Instant,
    quantity: decimal(quantity),
  })),
});

/** The intervals of some schedules, in their order. */
export const selectIntervals = async (
  tx: Tx,
  merchantIds: readonly string[],
  scheduleIds: readonly string[],
): Promise<IntervalRow[]> =>
  (
    await tx.rows<Stored>(sql`
      select ${COLUMNS} from schedule_interval
       where merchant_id = any (${[...merchantIds]}::text[]) and schedule_id = any (${[...scheduleIds]}::text[])
       order by seq`)
  ).map(toRow);

export const deleteIntervals = (tx: Tx, merchantId: string, ids: readonly string[]) =>
  tx.run(sql`delete from schedule_interval where merchant_id = ${merchantId} and id = any (${[...ids]}::text[])`);

/** All by one statement; they are numbered in their order. */
export const insertIntervals = async (tx: Tx, intervals: readonly IntervalRow[]): Promise<void> => {
  if (intervals.length === 0) return;
  const rows = intervals.map((interval, place) => ({
    place,
    merchant_id: interval.merchantId,
    id: interval.id,
    schedule_id: interval.scheduleId,
    order_line_item_id: interval.orderLineItemId,
    item_id: interval.itemId,
    price_id: interval.priceId,
    description: interval.description,
    unit_price: interval.unitPrice && plain(interval.unitPrice),
    base_quantity: plain(interval.baseQuantity),
    quantity_transitions: interval.quantityTransitions.map(({ effectiveDate, quantity }) => ({
      effectiveDate: effectiveDate.toString(),
      quantity: plain(quantity),
    })),
    billing_cadence: interval.billingCadence,
    billing_mode: interval.billingMode,
    bill_date: interval.billDate?.toString() ?? null,
    start_date: interval.startDate.toString(),
    end_date: interval.endDate?.toString() ?? null,
    usage_filter: interval.usageFilter,
    metadata: interval.metadata,
    created_at: interval.createdAt.toString(),
    updated_at: interval.updatedAt.toString(),
  }));
  await tx.run(sql`
    insert into schedule_interval (merchant_id, id, schedule_id, order_line_item_id, item_id, price_id, description,
                                   unit_price, base_quantity, quantity_transitions, billing_cadence, billing_mode,
                                   bill_date, start_date, end_date, usage_filter, metadata, created_at, updated_at)
    select merchant_id, id, schedule_id, order_line_item_id, item_id, price_id, description, unit_price, base_quantity,
           quantity_transitions, billing_cadence, billing_mode, bill_date, start_date, end_date, usage_filter, metadata,
           created_at, updated_at
      from jsonb_to_recordset(${recordset(rows)})
        as i (place int, merchant_id text, id text, schedule_id text, order_line_item_id text, item_id text,
              price_id text, description text, unit_price numeric, base_quantity numeric, quantity_transitions jsonb,
              billing_cadence text, billing_mode text, bill_date timestamptz, start_date timestamptz,
              end_date timestamptz, usage_filter jsonb, metadata jsonb, created_at timestamptz, updated_at timestamptz)
     order by place`);
};

/** The intervals that bill a line of an order, as many as are named, and how many there are. */
export const selectHoldersOfLine = (tx: Tx, merchantId: string, orderLineItemId: string, most: number) =>
  tx.rows<{ id: string; count: number }>(sql`
    select id, count(*) over ()::int as count from schedule_interval
     where merchant_id = ${merchantId} and order_line_item_id = ${orderLineItemId} order by seq limit ${most}`);
