import { effectiveNowOf } from '../../clocks/index.ts';
import { childrenOfPayer } from '../../customers/index.ts';
import {
  allOf,
  type Changed,
  type CountedRange,
  isChanged,
  keptRange,
  keptTotal,
  type PageRequest,
  type Placed,
  partsOfPage,
  type RangedList,
  type RangeTotal,
  type Sql,
  sql,
  type Tx,
} from '../../db/index.ts';
import { changedSessions } from '../../payments/index.ts';
import { isOfSubscription } from '../invoice/grouped.sql.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { type InvoiceStatus, invoiceStatuses } from '../invoice/states.ts';
import type { InvoiceFilters, Range } from './invoice-filters.ts';

const INVOICES = { kind: 'invoice', from: sql`invoice` } as const;

/** So many invoices are sorted in a few milliseconds. */
const FEW = 20_000;

/** Money is asked for it (the partial index `invoice_unpaid` has the same words). */
export const isUnpaid = sql`status in ('ISSUED', 'PAYMENT_FAILED') and unpaid_amount > 0 and not lives_by_session`;

/** The UTC day of `dueAt` is over, by the invoice's own effective now (domain.md §4); never null. */
export const isPastDue = (now: InvoiceFilters['now']): Sql => sql`
  (due_at is not null
   and due_at < case when clock_id is null then ${now.toZonedDateTimeISO('UTC').startOfDay().toInstant()}::timestamptz
                     else date_trunc('day', ${effectiveNowOf('invoice', now)}, 'UTC') end)`;

const isOverdue = (now: InvoiceFilters['now']): Sql => sql`(${isUnpaid} and ${isPastDue(now)})`;

/** An invoice shows the address of its open payment session. */
const changedInvoices = (changed: Changed): Sql =>
  isChanged('invoice', changed, [{ column: 'id', changed: changedSessions('invoice_id', changed) }]);

/** Those that somebody pays for others, also together with others. */
const isPaidBy = (payerId: string): Sql => sql`
  (payer_id = ${payerId}
   or kind = 'grouped' and customer_id = ${payerId}
   or issued_at is null and customer_id in (${childrenOfPayer(sql`invoice.merchant_id`, sql`${payerId}`)}))`;

const conditionsOf = (merchantId: string | null, filters: InvoiceFilters): Sql => {
  const { status, subscriptionId, customerId, payerId, invoiceNumber, issued, due, amount, unpaid, overdue } = filters;
  return allOf([
    merchantId !== null && sql`merchant_id = ${merchantId}`,
    status !== undefined && sql`status = ${status}`,
    subscriptionId !== undefined &&
      isOfSubscription(
        merchantId === null ? sql`owner_of(${subscriptionId})` : sql`${merchantId}`,
        subscriptionId,
        sql`invoice`,
      ),
    customerId !== undefined && sql`customer_id = ${customerId}`,
    payerId !== undefined && isPaidBy(payerId),
    invoiceNumber !== undefined && sql`invoice_number = ${invoiceNumber}`,
    issued.from !== null && sql`issued_at >= ${issued.from}`,
    issued.to !== null && sql`issued_at < ${issued.to}`,
    due.from !== null && sql`due_at >= ${due.from}`,
    due.to !== null && sql`due_at < ${due.to}`,
    // The stored amount of an open period is not its present amount.
    (amount.from !== null || amount.to !== null) && sql`status not in ('ACTIVE', 'CLOSING')`,
    // The key finds in an index what the amount itself then decides (migrations/0002_db.sql).
    amount.from !== null && sql`grand_total_key >= range_key(${amount.from}) and grand_total >= ${amount.from}`,
    amount.to !== null && sql`grand_total_key <= range_key(${amount.to}) and grand_total <= ${amount.to}`,
    unpaid === true && isUnpaid,
    unpaid === false && sql`not (${isUnpaid})`,
    overdue === true && isOverdue(filters.now),
    overdue === false && sql`not ${isOverdue(filters.now)}`,
    filters.updatedFrom !== null && changedInvoices({ merchantId, from: filters.updatedFrom }),
    filters.isReady && sql`next_action_at <= ${effectiveNowOf('invoice', filters.now)}`,
  ]);
};

/** As migrations/0002_db.sql has it. */
const RANGED: RangedList = {
  list: 'invoice',
  facet: sql`array[status]`,
  measures: ['issued_at', 'due_at', 'grand_total'],
};

/** The amount of a stored open period is unknown. */
const isOpen = (status: InvoiceStatus): boolean => status === 'ACTIVE' || status === 'CLOSING';

/** The ranges that are given, and how many invoices of the status lie in each. */
function rangesOf(tx: Tx, merchantId: string | null, { issued, due, amount, status }: InvoiceFilters) {
  const statuses = status === undefined ? undefined : [status];
  const ranges: { range: CountedRange; statuses: readonly InvoiceStatus[] | undefined }[] = [];
  const add = (measure: string, kind: CountedRange['kind'], { from, to }: Range<unknown>, those = statuses) => {
    if (from === null && to === null) return;
    const range = { measure, kind, from: from === null ? null : sql`${from}`, to: to === null ? null : sql`${to}` };
    ranges.push({ range, statuses: those });
  };
  add('issued_at', 'time', issued);
  add('due_at', 'time', due);
  add(
    'grand_total',
    'number',
    amount,
    (statuses ?? invoiceStatuses).filter((each) => !isOpen(each)),
  );
  return ranges.map(
    ({ range, statuses }) =>
      () =>
        keptRange(tx, RANGED, merchantId, range, [statuses]),
  );
}

/**
 * A page of invoices, newest first. Which ones it shows is read from an index alone, where the conditions allow it;
 * only the rows of the page are read whole, however far the offset lies. Where a range holds few invoices, those are
 * read and sorted; where it holds many, the list is read in its order, from the newest of them.
 */
export async function selectInvoicePage(
  tx: Tx,
  merchantId: string | null,
  filters: InvoiceFilters,
  page: PageRequest,
): Promise<{ rows: InvoiceRow[]; total: number }> {
  const { issued: _, due: __, amount: ___, now: ____, isReady, updatedFrom, ...others } = filters;
  const found: RangeTotal[] = [];
  for (const count of rangesOf(tx, merchantId, filters)) found.push(await count());
  const most = Math.min(...found.map(({ rows }) => rows));
  const { place, behind, order, most: limit, rowsOf } = await partsOfPage(tx, INVOICES, page);
  if (most === 0) return { rows: [], total: 0 };
  const kept = keptTotal(
    tx,
    'invoice',
    merchantId,
    { ...others, isReady: isReady || undefined, updatedFrom: updatedFrom ?? undefined },
    ['status'],
  );
  if (kept && found.length === 1 && page.offset >= most) return { rows: [], total: most };
  const where = allOf([
    conditionsOf(merchantId, filters),
    ...found.map(({ top }) => top !== null && sql`seq <= ${top}`),
  ]);
  const those = sql`select merchant_id, seq from invoice where ${allOf([where, behind])}`;
  const shown =
    Math.min(...found.map(({ reach }) => reach)) <= FEW
      ? sql`select * from (${those} offset 0) few order by ${order} limit ${limit} offset ${page.offset}`
      : sql`${those} order by ${order} limit ${limit} offset ${page.offset}`;
  const read = await tx.rows<InvoiceRow & Placed>(sql`
    select invoice.*, ${place} from (${shown}) shown join invoice using (merchant_id, seq) order by ${order}`);
  const rows = await rowsOf<InvoiceRow>(read);
  if (page.after === undefined && page.offset === 0 && read.length < limit) return { rows, total: rows.length };
  if (kept && found.length === 0) return { rows, total: await kept() };
  if (kept && found.length === 1) return { rows, total: most };
  const counted = await tx.one<{ many: number }>(sql`select count(*)::int as many from invoice where ${where}`);
  return { rows, total: counted.many };
}
