import {
  assignments,
  type Changed,
  changedRows,
  column,
  columns,
  insertion,
  rowsAs,
  type Sql,
  sql,
  type Tx,
  withJsonb,
} from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { next } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { type BilledUsage, groupKey } from './billed-usage.ts';
import type { ChangedInvoice } from './changed-invoice.ts';
import type { InvoiceChanges, InvoiceRow, NewInvoice, NewPeriod } from './invoice.ts';
import type { IssuedLine, LineRow } from './invoice-line.ts';
import { type InvoiceStatus, type InvoiceTrigger, invoiceStates } from './states.ts';

/** Locks the invoice, so that two callers at one invoice wait for each other. */
export const lockInvoice = (tx: Tx, id: string): Promise<InvoiceRow | undefined> =>
  tx.maybe<InvoiceRow>(sql`select * from invoice where merchant_id = ${tx.merchantId} and id = ${id} for update`);

/** Locks some invoices as `lockInvoice` does, in the order of their ids. @returns them by their ids */
export const lockInvoicesById = async (tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, InvoiceRow>> => {
  const rows = await tx.rows<InvoiceRow>(sql`
    select * from invoice
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[]) order by id for update`);
  return new Map(rows.map((row) => [row.id, row]));
};

/**
 * Locks some invoices, in the order of their ids; not against rows that only refer to them. The order of the answer is
 * that of their creation.
 */
export const lockInvoices = (tx: Tx, ids: readonly string[]): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    with locked as materialized (
      select * from invoice
       where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[]) order by id for no key update)
    select * from locked order by seq`);

/**
 * Locks all invoices of some subscriptions, in the order of their ids: for who holds their billing and may change any
 * of them. Whoever has one of these meanwhile waits for no lock that comes before it.
 */
export const lockInvoicesOf = (tx: Tx, subscriptionIds: readonly string[]): Promise<number> =>
  tx.run(sql`
    select from invoice
     where merchant_id = ${tx.merchantId} and subscription_id = any (${[...subscriptionIds]}::text[])
       order by id for update`);

/** The invoice as it is now, for reading: a decision on it locks it instead. */
export const selectInvoice = (tx: Tx, id: string): Promise<InvoiceRow | undefined> =>
  tx.maybe<InvoiceRow>(sql`select * from invoice where merchant_id = ${tx.merchantId} and id = ${id}`);

/** Some invoices as they are now, by their ids. */
export const selectInvoices = async (tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, InvoiceRow>> => {
  const rows = await tx.rows<InvoiceRow>(
    sql`select * from invoice where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`,
  );
  return new Map(rows.map((row) => [row.id, row]));
};

/**
 * Locks some invoices where nobody has any of them, in the order of their ids: for who holds the locks of records that
 * others take after the invoices.
 * @throws 55P03 where somebody has one
 */
export const lockInvoicesNow = (tx: Tx, ids: readonly string[]): Promise<number> =>
  tx.run(sql`
    select from invoice where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])
     order by id for update nowait`);

/** The invoice that was made under an idempotency key. */
export const selectInvoiceByKey = (tx: Tx, key: string): Promise<InvoiceRow | undefined> =>
  tx.maybe<InvoiceRow>(sql`select * from invoice where merchant_id = ${tx.merchantId} and idempotency_key = ${key}`);

/** The invoice that was made for something. */
export const selectInvoiceOf = (
  tx: Tx,
  purpose: { readonly type: string; readonly id: string },
): Promise<InvoiceRow | undefined> =>
  tx.maybe<InvoiceRow>(sql`
    select * from invoice
     where merchant_id = ${tx.merchantId} and purpose_id = ${purpose.id} and purpose_type = ${purpose.type}
     order by seq desc limit 1`);

const withJson = (changes: Partial<InvoiceRow>): Record<string, unknown> =>
  withJsonb(changes, 'terms', 'taxes', 'seller', 'buyer', 'metadata', 'oneOff', 'outsideTax', 'sections');

/** Changes an invoice without moving it. */
export const updateInvoice = (
  tx: Tx,
  invoice: InvoiceRow,
  changes: InvoiceChanges,
  now: Instant,
): Promise<InvoiceRow> =>
  tx.one<InvoiceRow>(sql`
    update invoice set ${assignments({ ...withJson(changes), updatedAt: now })}
     where merchant_id = ${invoice.merchantId} and id = ${invoice.id} and status = ${invoice.status}
    returning *`);

/**
 * Moves an invoice along the table of states. The update says `where status`, so that of two callers one finds no row.
 * @throws where the table refuses: whoever asks on behalf of a caller checks first (`next`) and answers the refusal.
 */
export async function updateInvoiceStatus(
  tx: Tx,
  invoice: InvoiceRow,
  trigger: InvoiceTrigger,
  changes: InvoiceChanges,
  now: Instant,
): Promise<InvoiceRow> {
  const to = next(invoiceStates, invoice.status, trigger);
  if (!to.ok) throw new Error(`Invoice ${invoice.id} is ${invoice.status}; ${trigger} does not apply.`);
  return tx.one<InvoiceRow>(sql`
    update invoice set ${assignments({ status: to.value, ...withJson(changes), updatedAt: now })}
     where merchant_id = ${invoice.merchantId} and id = ${invoice.id} and status = ${invoice.status}
    returning *`);
}

/**
 * Stores what has become of some invoices of one merchant, which the caller has locked: one statement for those that
 * change in the same columns. Rows are found by their keys alone: the status is compared in a way for which no index is
 * used, because that would lead over all invoices of a status for each of them.
 * @throws where one of them is not in the status that its caller decided on.
 */
export async function updateInvoices(tx: Tx, invoices: readonly ChangedInvoice[]): Promise<void> {
  const alike = Map.groupBy(invoices, ({ before, changes }) => [before.status, ...Object.keys(changes)].join());
  for (const group of alike.values()) {
    const [{ before, changes }] = group as [ChangedInvoice];
    const names = ['status', ...Object.keys(changes), 'updatedAt'];
    const rows = group.map(({ after }) => after);
    const stored = await tx.run(sql`
      update invoice i
         set ${sql.join(names.map((name) => sql`${column(name)} = r.${column(name)}`))}
        from ${await rowsAs(tx, 'invoice', ['id', ...names], rows)}
       where i.merchant_id = ${before.merchantId} and i.id = r.id and i.status is not distinct from ${before.status}`);
    if (stored !== group.length) throw new Error(`Only ${stored} of ${group.length} invoices are ${before.status}.`);
  }
}

/** Adds an invoice that has no period. */
export const insertInvoice = (tx: Tx, invoice: NewInvoice, now: Instant): Promise<InvoiceRow> =>
  tx.one<InvoiceRow>(
    sql`${insertion('invoice', { ...withJson(invoice), createdAt: now, updatedAt: now })} returning *`,
  );

/**
 * Opens invoices of periods. Their ids are made of what they are for (decision 0250). One that exists already is left
 * as it is: the unique index `invoice_period` on merchant, subscription, cadence and start makes a second attempt do
 * nothing.
 */
export async function insertPeriods(tx: Tx, invoices: readonly NewPeriod[], now: Instant): Promise<void> {
  const [first] = invoices;
  if (!first) return;
  const names = Object.keys(first);
  await tx.run(sql`
    with period as (select * from ${await rowsAs(tx, 'invoice', names, invoices)}),
         key as materialized (select event_id_key() as key)
    insert into invoice (id, ${columns(names)}, created_at, updated_at)
    select period_invoice_id(key, subscription_id, billing_cadence, period_start), ${columns(names)}, ${now}, ${now}
      from period, key
    on conflict (merchant_id, subscription_id, billing_cadence, period_start)
      where kind = 'subscription' and reissued_as_id is null do nothing`);
}

/** The invoices of some subscriptions in some states, in the order of their creation, locked. */
export async function lockInvoicesIn(
  tx: Tx,
  subscriptionIds: readonly string[],
  statuses: readonly InvoiceStatus[],
): Promise<InvoiceRow[]> {
  const locked = await tx.rows<InvoiceRow & { readonly seq: bigint }>(sql`
    select * from invoice
     where merchant_id = ${tx.merchantId} and subscription_id = any (${[...subscriptionIds]}::text[])
       and status = any (${statuses})
     order by id for update`);
  return locked.toSorted((one, other) => (one.seq < other.seq ? -1 : 1)); // locks are taken in another order
}

/** Sets whether periods without a calculation will wait for an approval. */
export const updateAutoApprove = (
  tx: Tx,
  { merchantId, ids, autoApprove }: { merchantId: string; ids: readonly string[]; autoApprove: boolean },
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    update invoice set auto_approve = ${autoApprove}, updated_at = ${now}
     where merchant_id = ${merchantId} and id = any (${[...ids]}::text[])`);

/** Takes back a period that never began, or that lies after a past end; nothing of it was ever billed. */
export const deleteUnbilledInvoice = (tx: Tx, invoice: InvoiceRow): Promise<number> =>
  tx.run(sql`
    delete from invoice
     where merchant_id = ${invoice.merchantId} and id = ${invoice.id} and status in ('ACTIVE', 'CLOSING')`);

const LINE_FIELDS = [
  'merchantId',
  'invoiceId',
  'id',
  'position',
  'eventType',
  'lineItemType',
  'type',
  'priceId',
  'billableMetricId',
  'feeId',
  'itemId',
  'displayName',
  'metricName',
  'metricUnit',
  'metricDescription',
  'quantity',
  'unitPrice',
  'totalPrice',
  'discountPrice',
  'taxRate',
  'totalTax',
  'totalAmount',
  'periodStart',
  'periodEnd',
  'groupValues',
  'tiers',
  'workings',
  'appliesToLineId',
  'sourceKey',
] as const satisfies readonly (keyof LineRow)[];

/**
 * Replaces the lines of some invoices of one merchant that are being calculated. The database refuses it once they are
 * issued.
 */
export async function replaceLines(
  tx: Tx,
  invoices: readonly { readonly invoice: InvoiceRow; readonly lines: readonly LineRow[] }[],
): Promise<void> {
  const before = invoices.filter(({ invoice }) => invoice.itemCount > 0).map(({ invoice }) => invoice.id);
  if (before.length > 0)
    await tx.run(
      sql`delete from invoice_line where merchant_id = ${tx.merchantId} and invoice_id = any (${before}::text[])`,
    );
  await insertLines(
    tx,
    invoices.flatMap(({ lines }) => lines),
  );
}

/** Adds lines to invoices that are not issued yet. */
export async function insertLines(tx: Tx, rows: readonly LineRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(sql`
    insert into invoice_line (${columns(LINE_FIELDS)})
    select ${columns(LINE_FIELDS)} from ${await rowsAs(tx, 'invoice_line', LINE_FIELDS, rows)}`);
}

/** A window of an invoice's lines, in their order on the document. */
export const selectLines = (tx: Tx, invoiceId: string, after = -1, limit = 100_000): Promise<LineRow[]> =>
  tx.rows<LineRow>(sql`
    select * from invoice_line
     where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId} and position > ${after}
     order by position limit ${limit}`);

/** Stores the usage for the prices of some closing periods of one merchant (transition 3). */
export async function insertBilledUsage(
  tx: Tx,
  invoices: readonly { readonly invoice: InvoiceRow; readonly usage: readonly BilledUsage[] }[],
): Promise<void> {
  const rows = invoices.flatMap(({ invoice, usage }) =>
    usage.map((row) => ({
      merchantId: tx.merchantId,
      invoiceId: invoice.id,
      priceId: row.priceId,
      groupKey: groupKey(row.groupValues),
      groupValues: row.groupValues,
      quantity: row.quantity,
      eventCount: row.eventCount,
      granted: row.granted,
      ofEach: row.ofEach ?? null,
      ofEachAtList: row.ofEachAtList ?? null,
      shareNumerator: row.share?.numerator ?? null,
      shareDenominator: row.share?.denominator ?? null,
    })),
  );
  const [first] = rows;
  if (!first) return;
  const names = Object.keys(first);
  await tx.run(sql`
    insert into invoice_usage (${columns(names)})
    select ${columns(names)} from ${await rowsAs(tx, 'invoice_usage', names, rows)}`);
}

interface StoredUsage extends Omit<BilledUsage, 'share' | 'taken' | 'ofEach' | 'ofEachAtList'> {
  ofEach: Decimal | null;
  ofEachAtList: Decimal | null;
  shareNumerator: bigint | null;
  shareDenominator: bigint | null;
}

export const selectBilledUsage = async (tx: Tx, { id }: InvoiceRow): Promise<readonly BilledUsage[]> =>
  (await selectBilledUsageOfInvoices(tx, [id])).get(id) ?? [];

/** The metered usage of some invoices of a merchant, by invoice. */
export async function selectBilledUsageOfInvoices(
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly BilledUsage[]>> {
  const rows = await tx.rows<StoredUsage & { invoiceId: string }>(sql`
    select invoice_id, price_id, group_values, quantity, event_count, granted, of_each, of_each_at_list,
           share_numerator, share_denominator
      from invoice_usage
     where merchant_id = ${tx.merchantId} and invoice_id = any (${[...invoiceIds]}::text[])
     order by invoice_id, price_id, group_key`);
  const byInvoice = Map.groupBy(rows, ({ invoiceId: id }) => id);
  return new Map([...byInvoice].map(([id, those]) => [id, those.map(billedUsage)]));
}

const billedUsage = ({
  invoiceId: _,
  shareNumerator: numerator,
  shareDenominator: denominator,
  ofEach,
  ofEachAtList,
  ...row
}: StoredUsage & { invoiceId: string }): BilledUsage => ({
  ...row,
  ...(ofEach && { ofEach }),
  ...(ofEachAtList && { ofEachAtList }),
  ...(numerator !== null && denominator !== null && { share: { numerator, denominator } }),
});

/** The lines of some invoices, each in its order on the document. */
export async function selectIssuedLines(
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly IssuedLine[]>> {
  const lines = await tx.rows<IssuedLine>(sql`
    select invoice_id, id, display_name, event_type, type, quantity, unit_price, total_price, tax_rate, total_tax,
           total_amount, period_start, period_end
      from invoice_line
     where merchant_id = ${tx.merchantId} and invoice_id = any (${[...invoiceIds]}::text[])
     order by invoice_id, position`);
  return Map.groupBy(lines, ({ invoiceId }) => invoiceId);
}

/**
 * The first of the next numbers of a counter without gaps: its row stays locked until the transaction ends, and a
 * rollback takes the numbers back (reliability I-29). Thrown (SQLSTATE `CLOCK_BEHIND`) on a day before that of a number
 * drawn already (decision 0254).
 * @param clockId the test clock of the documents: its days are its own
 */
export async function drawNumbers(
  tx: Tx,
  counter: Counter,
  many: number,
  clockId: string | null,
  now: Instant,
): Promise<bigint> {
  const dated = clockId === null ? now : null;
  const { first } = await tx.one<{ first: bigint }>(
    sql`select draw_numbers(${tx.merchantId}, ${counter}, ${many}, ${dated}::timestamptz) as first`,
  );
  return first;
}

/** What has numbers without gaps, of a merchant each. */
export type Counter = 'invoice' | 'credit_note';

/** The last numbers of the invoices and of the credit notes of each merchant that has one; 0: none is issued. */
export const selectLastNumbers = (tx: Tx): Promise<{ merchantId: string; invoice: bigint; creditNote: bigint }[]> =>
  tx.rows(sql`
    select i.merchant_id, coalesce(c.value, 0) as invoice, coalesce(n.value, 0) as credit_note
      from (select distinct merchant_id from invoice) i
      left join merchant_counter c on c.merchant_id = i.merchant_id and c.kind = 'invoice'
      left join merchant_counter n on n.merchant_id = i.merchant_id and n.kind = 'credit_note'
     order by i.merchant_id`);

/** The next document gets this number at least. A counter never goes back. */
export const updateNextNumber = (tx: Tx, counter: Counter, next: bigint): Promise<number> =>
  tx.run(sql`
    insert into merchant_counter as c (merchant_id, kind, value, skipped)
    values (${tx.merchantId}, ${counter}, ${next - 1n}::bigint, ${next - 1n}::bigint)
    on conflict (merchant_id, kind)
    do update set value = greatest(c.value, excluded.value),
                  skipped = c.skipped + greatest(excluded.value - c.value, 0)`);

/** Invoices of a customer that are neither paid nor cancelled: they block its deletion. */
export const selectOpenInvoicesOfCustomer = (tx: Tx, customerId: string) =>
  tx.rows<{ id: string; invoiceNumber: string | null }>(sql`
    select id, invoice_number from invoice
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId}
       and status not in ('PAID', 'CANCELLED', 'WRITTEN_OFF')
     order by seq`);

/**
 * The invoices of periods of some subscriptions of one merchant that are still to be calculated, by subscription; those
 * of each in the order of their creation. One that failed is not waited for.
 */
export async function selectWaiting(
  tx: Tx,
  subscriptionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly InvoiceRow[]>> {
  const rows = await tx.rows<InvoiceRow & { subscriptionId: string }>(sql`
    select * from invoice
     where merchant_id = ${tx.merchantId} and subscription_id = any (${[...subscriptionIds]}::text[])
       and kind = 'subscription' and status in ('ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING')
     order by seq`);
  return Map.groupBy(rows, ({ subscriptionId }) => subscriptionId);
}

/** The subscriptions of some customers that have open periods. */
export const selectOpenSubscriptions = (tx: Tx, customerIds: readonly string[]): Promise<string[]> =>
  tx.values<string>(sql`
    select distinct subscription_id from invoice
     where merchant_id = ${tx.merchantId} and customer_id = any (${[...customerIds]}::text[])
       and kind = 'subscription' and status in ('ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING')`);

/**
 * The invoices of a merchant, among some, that have to wait for others which are still to be calculated: for parts of
 * the same period before them (`closeNow`), and those that ask a commitment for all that end by their own end. One that
 * failed is not waited for.
 * @returns by invoice the end of the last grace that it waits for
 */
export async function selectGraceBefore(
  tx: Tx,
  invoiceIds: readonly string[],
  askingIds: readonly string[],
): Promise<ReadonlyMap<string, Instant>> {
  const rows = await tx.rows<{ id: string; graceEnd: Instant }>(sql`
    select i.id, max(p.grace_period_end) as grace_end
      from invoice i
      join invoice p on p.merchant_id = i.merchant_id and p.subscription_id = i.subscription_id
       and p.kind = 'subscription' and p.status in ('ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING')
       and (p.billing_cadence = i.billing_cadence and p.billing_anchor = i.billing_anchor
            and p.period_number = i.period_number and p.period_start < i.period_start
            or i.id = any (${[...askingIds]}::text[]) and p.billing_cadence <> i.billing_cadence
            and p.period_end <= i.period_end)
     where i.merchant_id = ${tx.merchantId} and i.id = any (${[...invoiceIds]}::text[])
     group by i.id`);
  return new Map(rows.map(({ id, graceEnd }) => [id, graceEnd]));
}

/** The last invoice of a series. */
export const selectLastOfSeries = (
  tx: Tx,
  { merchantId, subscriptionId }: { readonly merchantId: string; readonly subscriptionId: string },
  cadence: string,
  anchor: Instant,
): Promise<Pick<InvoiceRow, 'periodEnd' | 'sequenceNumber'> | undefined> =>
  tx.maybe<Pick<InvoiceRow, 'periodEnd' | 'sequenceNumber'>>(sql`
    select period_end, sequence_number from invoice
     where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and kind = 'subscription'
       and billing_cadence = ${cadence} and billing_anchor = ${anchor}
     order by period_start desc limit 1`);

/** The subscriptions whose upfront invoice changed, for their list. */
export const changedUpfront = (changed: Changed): Sql =>
  sql`${changedRows('invoice', 'purpose_id', changed)} and kind = 'upfront' and purpose_id is not null`;
