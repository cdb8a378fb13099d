import { effectiveNowOf } from '../../clocks/index.ts';
import { allOf, assignments, jsonb, pageOfRows, type Sql, sql, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import { Decimal, plain } from '../../kernel/decimal.ts';
import { next } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import type { TakenUnits } from './billed-usage.ts';
import { type InvoiceStatus, type InvoiceTrigger, invoiceStates } from './states.ts';
import type { LineWorkings } from './workings.ts';

export type InvoiceKind = 'subscription' | 'upfront' | 'ad_hoc' | 'order';

/** A party of an invoice as it was at issue. */
export interface PartyRecord {
  name: string;
  legalName?: string;
  taxId?: string;
  address?: Record<string, string>;
  emails?: string[];
  phone?: string;
}

/** Tax of one rate, as decimal strings. */
export interface TaxRecord {
  rate: string;
  base: string;
  amount: string;
}

export interface InvoiceRow {
  merchant_id: string;
  id: string;
  kind: InvoiceKind;
  status: InvoiceStatus;
  customer_id: string;
  subscription_id: string | null;
  clock_id: string | null;
  currency: string;
  billing_cadence: string;
  billing_anchor: Instant;
  period_number: number;
  period_start: Instant;
  period_end: Instant;
  /** Where the period began of which it is the rest, because `closeNow` ended the part before it; null: it begins its period. */
  continues_from: Instant | null;
  grace_period_end: Instant;
  sequence_number: number;
  auto_approve: boolean;
  payment_term_days: number;
  terms: FrozenTerms | null;
  subtotal: Decimal;
  total_tax: Decimal;
  grand_total: Decimal;
  paid_amount: Decimal;
  unpaid_amount: Decimal;
  wallet_applied: Decimal;
  /** What credit notes took off what was unpaid; counts as paid. */
  credited_amount: Decimal;
  item_count: number;
  taxes: TaxRecord[];
  snapshot_hash: string | null;
  invoice_number: string | null;
  seller: PartyRecord | null;
  buyer: PartyRecord | null;
  issued_at: Instant | null;
  due_at: Instant | null;
  paid_at: Instant | null;
  overdue_at: Instant | null;
  failure_reason: string | null;
  failure_detail: string | null;
  calculation_attempts: number;
  /** The order of acceptance up to which usage was read; null until then. */
  usage_mark: bigint | null;
  payment_in_flight: boolean;
  /** How many automatic charges were declined: which retry comes next. */
  failed_attempts: number;
  pays_online: boolean;
  document_failure: string | null;
  metadata: Record<string, unknown>;
  /** Row 18 of domain.md §4: it ends with its payment session, and has no number until it is paid. */
  lives_by_session: boolean;
  /** Who of `InvoicingParts.purposes` hears what becomes of it. */
  purpose_type: string | null;
  purpose_id: string | null;
  /** What an invoice without a period is calculated from; null for those of periods. */
  one_off: OneOffRecord | null;
  idempotency_key: string | null;
  idempotency_print: Buffer | null;
  /** What a change of the plan has charged in advance on it, beside what its period tells (domain.md §3, Plan change). */
  advances: AdvanceRecord[];
  next_action_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
}

/** In-advance charges of the period of a series that holds an instant, such as begin then or later. */
export interface AdvanceRecord {
  readonly cadence: string;
  /** RFC 3339. */
  readonly from: string;
}

/** What a one-off invoice is made of, with decimals as text: the same at every calculation. */
export interface OneOffRecord {
  /** The plan whose tax rates count (domain.md §4, Tax). */
  planId: string | null;
  lines: {
    displayName: string;
    quantity: string;
    unitPrice: string;
    itemId: string | null;
    taxRate: string | null;
    type: string;
  }[];
}

/** What transition 4 freezes: the calculation after it reads nothing that could change meanwhile (domain.md §4). */
export interface FrozenTerms {
  taxBehavior: 'exclusive' | 'inclusive';
  /** Percent, as decimal text, by price id; of a one-off invoice by the position of the line. */
  taxRates: Record<string, string>;
  /** §2 Subscription: nothing on it is taxed, which is not the same as a rate of 0 %. */
  taxExempt?: boolean;
  /** Of a subscription's invoice: the adjustments that it was calculated with, in the order in which they apply. */
  adjustments?: readonly FrozenAdjustment[];
  /** Of a subscription's invoice: the rate, in percent, of lines that are written by hand. */
  manualTaxRate?: string;
  /** What earlier invoices could not give back of late usage, and this one bears. */
  lateCarried?: readonly CarriedRest[];
  /** What this one could not give back of late usage, for a later one; known with the calculation. */
  lateRests?: readonly LateRest[];
}

/** What is still to be given back of late usage of a price, in the period of an invoice. */
export interface LateRest {
  readonly ofInvoiceId: string;
  readonly priceId: string;
  /** Below 0, as decimal text; before tax, or with it where prices include it. */
  readonly amount: string;
}

/** A rest, and the invoice that left it. */
export interface CarriedRest extends LateRest {
  readonly fromInvoiceId: string;
}

/** An adjustment as it was taken for a calculation. */
export interface FrozenAdjustment {
  readonly id: string;
  /** A fraction, as decimal text. */
  readonly percentageDiscount: string;
  readonly description: string;
}

/** Locks the invoice, so that two callers at one invoice wait for each other. */
export const lockInvoice = (tx: Tx, merchantId: string, id: string): Promise<InvoiceRow | undefined> =>
  tx.maybe<InvoiceRow>(sql`select * from invoice where merchant_id = ${merchantId} and id = ${id} for update`);

/** Whose an invoice is; that never changes. */
export const customerOfInvoice = async (tx: Tx, merchantId: string, id: string): Promise<string> =>
  (
    await tx.one<{ customer_id: string }>(
      sql`select customer_id from invoice where merchant_id = ${merchantId} and id = ${id}`,
    )
  ).customer_id;

/** The invoice as it is now, for reading: whoever decides on it locks it instead. */
export const findInvoice = (tx: Tx, merchantId: string, id: string): Promise<InvoiceRow | undefined> =>
  tx.maybe<InvoiceRow>(sql`select * from invoice where merchant_id = ${merchantId} and id = ${id}`);

/**
 * Locks the invoice where nobody has it: for who holds the lock of something that others take after the invoice.
 * @throws 55P03 where somebody has it.
 */
export const lockInvoiceNow = (tx: Tx, merchantId: string, id: string): Promise<InvoiceRow | undefined> =>
  tx.maybe<InvoiceRow>(sql`select * from invoice where merchant_id = ${merchantId} and id = ${id} for update nowait`);

/** The invoice that was made under an idempotency key. */
export const findInvoiceByKey = (tx: Tx, merchantId: string, key: string): Promise<InvoiceRow | undefined> =>
  tx.maybe<InvoiceRow>(sql`select * from invoice where merchant_id = ${merchantId} and idempotency_key = ${key}`);

/** The invoice that was made for something. */
export const findInvoiceOf = (
  tx: Tx,
  merchantId: string,
  purpose: { readonly type: string; readonly id: string },
): Promise<InvoiceRow | undefined> =>
  tx.maybe<InvoiceRow>(sql`
    select * from invoice
     where merchant_id = ${merchantId} and purpose_id = ${purpose.id} and purpose_type = ${purpose.type}
     order by seq desc limit 1`);

/** A twin with the same key waits here until this transaction ends, and then finds what it made. */
export const lockInvoiceKey = (tx: Tx, merchantId: string, key: string): Promise<number> =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`invoice:${merchantId}:${key}`}, 0))`);

/** The columns that a change may set beside the status. */
export type InvoiceChanges = Partial<
  Omit<InvoiceRow, 'merchant_id' | 'id' | 'status' | 'updated_at' | 'unpaid_amount'>
>;

const JSON_COLUMNS = new Set(['terms', 'taxes', 'seller', 'buyer', 'metadata', 'one_off', 'advances']);

const columns = (changes: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [
      name,
      JSON_COLUMNS.has(name) && value !== null ? jsonb(value) : value,
    ]),
  );

/** Changes an invoice without moving it. */
export const changeInvoice = (
  tx: Tx,
  invoice: InvoiceRow,
  changes: InvoiceChanges,
  now: Instant,
): Promise<InvoiceRow> =>
  tx.one<InvoiceRow>(sql`
    update invoice set ${assignments({ ...columns(changes), updated_at: now })}
     where merchant_id = ${invoice.merchant_id} and id = ${invoice.id} and status = ${invoice.status}
    returning *`);

/**
 * Moves an invoice along the table of states. The update says `where status`, so that of two callers one finds no row.
 * @throws where the table refuses: whoever asks on behalf of a caller checks first (`next`) and answers the refusal.
 */
export async function moveInvoice(
  tx: Tx,
  invoice: InvoiceRow,
  trigger: InvoiceTrigger,
  changes: InvoiceChanges,
  now: Instant,
): Promise<InvoiceRow> {
  const to = next(invoiceStates, invoice.status, trigger);
  if (!to.ok) throw new Error(`Invoice ${invoice.id} is ${invoice.status}; ${trigger} does not apply.`);
  return tx.one<InvoiceRow>(sql`
    update invoice set ${assignments({ status: to.value, ...columns(changes), updated_at: now })}
     where merchant_id = ${invoice.merchant_id} and id = ${invoice.id} and status = ${invoice.status}
    returning *`);
}

/** What a new invoice is made of; the rest has defaults. */
export type NewInvoice = Pick<
  InvoiceRow,
  | 'merchant_id'
  | 'id'
  | 'kind'
  | 'status'
  | 'customer_id'
  | 'subscription_id'
  | 'clock_id'
  | 'currency'
  | 'billing_cadence'
  | 'billing_anchor'
  | 'period_number'
  | 'period_start'
  | 'period_end'
  | 'grace_period_end'
  | 'sequence_number'
  | 'auto_approve'
  | 'payment_term_days'
  | 'next_action_at'
> &
  Partial<
    Pick<
      InvoiceRow,
      | 'metadata'
      | 'lives_by_session'
      | 'purpose_type'
      | 'purpose_id'
      | 'one_off'
      | 'idempotency_key'
      | 'idempotency_print'
      | 'advances'
      | 'continues_from'
    >
  >;

/** Adds an invoice that has no period. */
export const insertInvoice = (tx: Tx, invoice: NewInvoice, now: Instant): Promise<InvoiceRow> =>
  tx.one<InvoiceRow>(sql`${insertion(invoice, now)} returning *`);

/** Opens the invoice of a period; one that exists already is left as it is (unique index `invoice_period`). */
export const insertPeriod = (tx: Tx, invoice: NewInvoice, now: Instant): Promise<number> =>
  tx.run(sql`${insertion(invoice, now)}
    on conflict (merchant_id, subscription_id, billing_cadence, period_start) where kind = 'subscription' do nothing`);

const insertion = (invoice: NewInvoice, now: Instant): Sql => {
  const entries = Object.entries({ ...columns(invoice), created_at: now, updated_at: now });
  return sql`insert into invoice (${sql.join(entries.map(([name]) => sql.ref(name)))})
    values (${sql.join(entries.map(([, value]) => sql`${value}`))})`;
};

/** The invoices of a subscription in some states, in the order of their creation, locked. */
export const lockInvoicesIn = (
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  statuses: readonly InvoiceStatus[],
): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select * from invoice
     where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and status = any (${statuses})
     order by seq for update`);

/** Whether periods that are not calculated yet wait for an approval then. */
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
     where merchant_id = ${invoice.merchant_id} and id = ${invoice.id} and status in ('ACTIVE', 'CLOSING')`);

export interface LineRow {
  merchant_id: string;
  invoice_id: string;
  id: string;
  position: number;
  event_type: 'usage' | 'fee' | 'discount';
  line_item_type: 'charge' | 'refund';
  /** What kind of line it is, finer than `event_type`: charge, minimum, maximum, … */
  type: string;
  price_id: string | null;
  billable_metric_id: string | null;
  fee_id: string | null;
  item_id: string | null;
  display_name: string;
  metric_name: string;
  metric_unit: string;
  metric_description: string;
  quantity: Decimal;
  unit_price: Decimal;
  total_price: Decimal;
  discount_price: Decimal;
  tax_rate: Decimal;
  total_tax: Decimal;
  total_amount: Decimal;
  period_start: Instant;
  period_end: Instant;
  group_values: Record<string, string | null> | null;
  tiers: TierRecord[] | null;
  /** How the amount came about; null where quantity × unit price tells, and for lines from before it was kept. */
  workings: LineWorkings | null;
  applies_to_line_id: string | null;
}

/** One tier's part of a line, as decimal strings. */
export interface TierRecord {
  above: string;
  upTo: string | null;
  quantity: string;
  unitPrice: string;
  flatPrice: string;
  amount: string;
}

const LINE_COLUMNS = [
  'merchant_id',
  'invoice_id',
  'id',
  'position',
  'event_type',
  'line_item_type',
  'type',
  'price_id',
  'billable_metric_id',
  'fee_id',
  'item_id',
  'display_name',
  'metric_name',
  'metric_unit',
  'metric_description',
  'quantity',
  'unit_price',
  'total_price',
  'discount_price',
  'tax_rate',
  'total_tax',
  'total_amount',
  'period_start',
  'period_end',
  'group_values',
  'tiers',
  'workings',
  'applies_to_line_id',
] as const satisfies readonly (keyof LineRow)[];

/** Replaces the lines of an invoice that is being calculated. The database refuses it once the invoice is issued. */
export async function replaceLines(tx: Tx, invoice: InvoiceRow, lines: readonly LineRow[]): Promise<void> {
  if (invoice.item_count > 0)
    await tx.run(
      sql`delete from invoice_line where merchant_id = ${invoice.merchant_id} and invoice_id = ${invoice.id}`,
    );
  if (lines.length === 0) return;
  const rows = lines.map((line) => Object.fromEntries(LINE_COLUMNS.map((name) => [name, jsonValue(line[name])])));
  await tx.run(sql`
    insert into invoice_line (${sql.join(LINE_COLUMNS.map((name) => sql.ref(name)))})
    select ${sql.join(LINE_COLUMNS.map((name) => sql.ref(name)))}
      from jsonb_populate_recordset(null::invoice_line, ${JSON.stringify(rows)}::jsonb)`);
}

/** Decimals and instants as JSON text; PostgreSQL reads them as what the column is. */
const jsonValue = (value: unknown): unknown => {
  if (value === null || typeof value !== 'object') return value;
  if (Decimal.isDecimal(value)) return plain(value);
  return value instanceof Temporal.Instant ? value.toString() : value;
};

/** A window of an invoice's lines, in their order on the document. */
export const linesOf = (
  tx: Tx,
  merchantId: string,
  invoiceId: string,
  after = -1,
  limit = 100_000,
): Promise<LineRow[]> =>
  tx.rows<LineRow>(sql`
    select * from invoice_line
     where merchant_id = ${merchantId} and invoice_id = ${invoiceId} and position > ${after}
     order by position limit ${limit}`);

export interface BilledUsage {
  price_id: string;
  group_values: Record<string, string | null>;
  quantity: Decimal;
  event_count: number;
  /** Units of the quantity that grants covered; on the one row of a price without groups. */
  granted: Decimal;
  /** Which they are, as it is read and before it is stored. */
  taken?: readonly TakenUnits[];
}

/** Canonical JSON of group values, empty where there are none. */
export const groupKey = (group: Readonly<Record<string, string | null>>): string =>
  Object.keys(group).length === 0 ? '' : JSON.stringify(Object.entries(group).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Stores what was metered for the prices of a closing period (transition 3). */
export async function saveBilledUsage(tx: Tx, invoice: InvoiceRow, usage: readonly BilledUsage[]): Promise<void> {
  if (usage.length === 0) return;
  const rows = usage.map((row) => ({
    merchant_id: invoice.merchant_id,
    invoice_id: invoice.id,
    price_id: row.price_id,
    group_key: groupKey(row.group_values),
    group_values: row.group_values,
    quantity: row.quantity.toFixed(),
    event_count: row.event_count,
    granted: row.granted.toFixed(),
  }));
  await tx.run(sql`
    insert into invoice_usage select * from jsonb_populate_recordset(null::invoice_usage, ${JSON.stringify(rows)}::jsonb)`);
}

export const billedUsageOf = (tx: Tx, invoice: InvoiceRow): Promise<BilledUsage[]> =>
  tx.rows<BilledUsage>(sql`
    select price_id, group_values, quantity, event_count, granted from invoice_usage
     where merchant_id = ${invoice.merchant_id} and invoice_id = ${invoice.id} order by price_id, group_key`);

/**
 * The next number of a gapless series: the counter's row stays locked until the transaction ends, and a rollback takes the
 * number back (reliability I-29).
 */
export async function drawNumber(tx: Tx, merchantId: string, series: 'invoice' | 'credit_note'): Promise<bigint> {
  const { value } = await tx.one<{ value: bigint }>(sql`select draw_number(${merchantId}, ${series}) as value`);
  return value;
}

/** Invoices of a customer that are neither settled nor dropped: they block its deletion. */
export const openInvoicesOfCustomer = (tx: Tx, merchantId: string, customerId: string) =>
  tx.rows<{ id: string; invoice_number: string | null }>(sql`
    select id, invoice_number from invoice
     where merchant_id = ${merchantId} and customer_id = ${customerId} and status not in ('PAID', 'CANCELLED', 'WRITTEN_OFF')
     order by seq`);

export interface InvoiceFilters {
  readonly status?: InvoiceStatus | undefined;
  readonly subscriptionId?: string | undefined;
  readonly customerId?: string | undefined;
  /** Only those whose next step is due, each by its own effective now. */
  readonly readyAt?: Instant | undefined;
}

export const listInvoices = (tx: Tx, merchantId: string | null, filters: InvoiceFilters, page: PageRequest) =>
  pageOfRows<InvoiceRow>(
    tx,
    {
      select: sql`*`,
      from: sql`invoice`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        filters.status !== undefined && sql`status = ${filters.status}`,
        filters.subscriptionId !== undefined && sql`subscription_id = ${filters.subscriptionId}`,
        filters.customerId !== undefined && sql`customer_id = ${filters.customerId}`,
        filters.readyAt !== undefined && sql`next_action_at <= ${effectiveNowOf('invoice', filters.readyAt)}`,
      ]),
      order: sql`seq desc`,
    },
    page,
  );
