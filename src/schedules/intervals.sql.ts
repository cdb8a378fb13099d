import { type PageRequest, pageOfRows, recordset, sql, type Tx } from '../db/index.ts';
import { decimal, plain } from '../kernel/decimal.ts';
import { type InstantText, instantOf } from '../kernel/time.ts';
import type { IntervalRow } from './schedule.ts';

const COLUMNS = sql`merchant_id, id, schedule_id,
  order_line_item_id, item_id, price_id, description,
  unit_price, base_quantity, quantity_transitions,
  billing_cadence, billing_mode, bill_date,
  start_date, end_date, usage_filter, metadata, created_at,
  updated_at`;

interface Stored extends Omit<IntervalRow, 'quantityTransitions'> {
  readonly quantityTransitions: readonly { readonly effectiveDate: InstantText; readonly quantity: string }[];
}

const toRow = ({ quantityTransitions, ...row }: Stored): IntervalRow => ({
  ...row,
  quantityTransitions: quantityTransitions.map(({ effectiveDate, quantity }) => ({
    effectiveDate: instantOf(effectiveDate),
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

/** In the order in which they were sent. */
export const selectIntervalPage = async (tx: Tx, scheduleId: string, page: PageRequest) => {
  const { rows, total } = await pageOfRows<Stored>(
    tx,
    {
      kind: 'scheduleInterval',
      select: COLUMNS,
      from: sql`schedule_interval`,
      exists: sql`merchant_id = ${tx.merchantId} and schedule_id = ${scheduleId}`,
      order: { keys: [{ by: sql`seq`, type: 'bigint' }], direction: 'asc' },
    },
    page,
  );
  return { rows: rows.map(toRow), total };
};

export const deleteIntervals = (tx: Tx, ids: readonly string[]) =>
  tx.run(sql`delete from schedule_interval where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`);

/** All by one statement; they are numbered in their order. */
export const insertIntervals = async (tx: Tx, intervals: readonly IntervalRow[]): Promise<void> => {
  if (intervals.length === 0) return;
  const rows = intervals.map((interval, place) => ({
    place,
    merchantId: interval.merchantId,
    id: interval.id,
    scheduleId: interval.scheduleId,
    orderLineItemId: interval.orderLineItemId,
    itemId: interval.itemId,
    priceId: interval.priceId,
    description: interval.description,
    unitPrice: interval.unitPrice && plain(interval.unitPrice),
    baseQuantity: plain(interval.baseQuantity),
    quantityTransitions: interval.quantityTransitions.map(({ effectiveDate, quantity }) => ({
      effectiveDate: effectiveDate.toString(),
      quantity: plain(quantity),
    })),
    billingCadence: interval.billingCadence,
    billingMode: interval.billingMode,
    billDate: interval.billDate?.toString() ?? null,
    startDate: interval.startDate.toString(),
    endDate: interval.endDate?.toString() ?? null,
    usageFilter: interval.usageFilter,
    metadata: interval.metadata,
    createdAt: interval.createdAt.toString(),
    updatedAt: interval.updatedAt.toString(),
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
export const selectHoldersOfLine = (tx: Tx, orderLineItemId: string, most: number) =>
  tx.rows<{ id: string; count: number }>(sql`
    select id, count(*) over ()::int as count from schedule_interval
     where merchant_id = ${tx.merchantId} and order_line_item_id = ${orderLineItemId} order by seq limit ${most}`);
