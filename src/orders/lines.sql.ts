import { jsonb, pageOfRows, recordset, sql, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { plain } from '../kernel/decimal.ts';
import type { OrderLine } from './order.ts';

const COLUMNS = sql`merchant_id, id, order_id, item_id, description, quantity,
  list_unit_price, discount_unit_amount, unit_price,
  total_price, term_start_date, term_end_date, metadata,
  created_at, updated_at`;

/** All lines by one statement; they are numbered in their order. */
export const insertOrderLines = async (tx: Tx, lines: readonly OrderLine[]): Promise<void> => {
  if (lines.length === 0) return;
  const rows = lines.map((line, place) => ({
    place,
    merchantId: line.merchantId,
    id: line.id,
    orderId: line.orderId,
    itemId: line.itemId,
    description: line.description,
    quantity: plain(line.quantity),
    listUnitPrice: plain(line.listUnitPrice),
    discountUnitAmount: plain(line.discountUnitAmount),
    unitPrice: plain(line.unitPrice),
    totalPrice: plain(line.totalPrice),
    termStartDate: line.termStartDate?.toString() ?? null,
    termEndDate: line.termEndDate?.toString() ?? null,
    metadata: line.metadata,
    createdAt: line.createdAt.toString(),
    updatedAt: line.updatedAt.toString(),
  }));
  await tx.run(sql`
    insert into order_line_item (merchant_id, id, order_id, item_id, description, quantity, list_unit_price,
                                 discount_unit_amount, unit_price, total_price, term_start_date, term_end_date,
                                 metadata, created_at, updated_at)
    select merchant_id, id, order_id, item_id, description, quantity, list_unit_price, discount_unit_amount, unit_price,
           total_price, term_start_date, term_end_date, metadata, created_at, updated_at
      from jsonb_to_recordset(${recordset(rows)})
        as line (place int, merchant_id text, id text, order_id text, item_id text, description text, quantity numeric,
                 list_unit_price numeric, discount_unit_amount numeric, unit_price numeric, total_price numeric,
                 term_start_date timestamptz, term_end_date timestamptz, metadata jsonb, created_at timestamptz,
                 updated_at timestamptz)
     order by place`);
};

/** The lines of some orders, oldest first. */
export const selectOrderLines = (tx: Tx, merchantIds: readonly string[], orderIds: readonly string[]) =>
  tx.rows<OrderLine>(sql`
    select ${COLUMNS} from order_line_item
     where merchant_id = any (${[...merchantIds]}::text[]) and order_id = any (${[...orderIds]}::text[])
     order by seq`);

export const selectOrderLine = (tx: Tx, orderId: string, id: string) =>
  tx.maybe<OrderLine>(sql`
    select ${COLUMNS} from order_line_item
     where merchant_id = ${tx.merchantId} and order_id = ${orderId} and id = ${id}`);

export const selectOrderLinePage = (tx: Tx, orderId: string, page: PageRequest) =>
  pageOfRows<OrderLine>(
    tx,
    {
      kind: 'orderLineItem',
      select: COLUMNS,
      from: sql`order_line_item`,
      exists: sql`merchant_id = ${tx.merchantId} and order_id = ${orderId}`,
    },
    page,
  );

export const updateOrderLine = (tx: Tx, line: OrderLine): Promise<OrderLine> =>
  tx.one<OrderLine>(sql`
    update order_line_item
       set item_id = ${line.itemId}, description = ${line.description}, quantity = ${line.quantity},
           list_unit_price = ${line.listUnitPrice}, discount_unit_amount = ${line.discountUnitAmount},
           unit_price = ${line.unitPrice}, total_price = ${line.totalPrice}, term_start_date = ${line.termStartDate},
           term_end_date = ${line.termEndDate}, metadata = ${jsonb(line.metadata)}, updated_at = ${line.updatedAt}
     where merchant_id = ${line.merchantId} and id = ${line.id}
    returning ${COLUMNS}`);

export const deleteOrderLineRow = (tx: Tx, { merchantId, id }: Pick<OrderLine, 'merchantId' | 'id'>) =>
  tx.run(sql`delete from order_line_item where merchant_id = ${merchantId} and id = ${id}`);

/** The lines that sell an item, as many as are named, and how many there are. */
export const selectLinesOfItem = (tx: Tx, itemId: string, most: number) =>
  tx.rows<{ id: string; orderId: string; count: number }>(sql`
    select id, order_id, count(*) over ()::int as count from order_line_item
     where merchant_id = ${tx.merchantId} and item_id = ${itemId} order by seq limit ${most}`);
