import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { IS_LINE_OF, STATUS_OF_LINES } from '../invoice/grouped.sql.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { type BilledItem, itemsOf, type StoredCredit, type StoredLine } from './billed.ts';
import { NET_OF_USE } from './billing-credits.sql.ts';
import type { UncalculatedInvoice } from './due.ts';

/** The subscription of the bill, and the invoice that is not counted: the one in calculation. */
export type BilledFor = Pick<InvoiceRow, 'merchantId' | 'id' | 'subscriptionId'>;

/** Of whose bill something is asked. */
export interface BilledQuestion {
  readonly invoice: BilledFor;
  /** Only of time after this. */
  readonly since: Instant;
  /** Only the bills before this place; null: all. */
  readonly before: PlaceInBilling | null;
}

/** Rows of the answers to some questions, each with the place of its question. */
type Placed<Row> = Row & { readonly place: number };

/** The rows of each of some questions, in the order of the questions. */
function apart<Row>(questions: number, rows: readonly Placed<Row>[]): Row[][] {
  const answers = Array.from({ length: questions }, (): Row[] => []);
  for (const { place, ...row } of rows) answers[place - 1]?.push(row as Row);
  return answers;
}

/**
 * The lines that the other invoices of a subscription bill of time after an instant, in the order of billing: fees,
 * usage and corrections, and all that is billed once. Credits are read with `selectCredits`.
 * @param alsoOf invoices of which all lines of that time are selected, however long before it their periods ended
 */
export async function selectBilledLines(
  tx: Tx,
  invoice: BilledFor,
  since: Instant,
  before: PlaceInBilling | null = null,
  alsoOf: readonly string[] = [],
): Promise<StoredLine[]> {
  const [lines] = await selectBilledLinesOf(tx, [{ invoice, since, before }], alsoOf);
  return lines as StoredLine[];
}

/**
 * The same of some subscriptions of one merchant: an answer for each question, in their order. Invoices are looked up
 * for each question, and then their lines: `offset 0` keeps that order. A planner that believes the tables to be almost
 * empty would join all lines of the merchant with all questions.
 */
export async function selectBilledLinesOf(
  tx: Tx,
  asked: readonly BilledQuestion[],
  alsoOf: readonly string[] = [],
): Promise<StoredLine[][]> {
  if (asked.length === 0) return [];
  const rows = await tx.rows<Placed<StoredLine>>(sql`
    select q.place::int, l.invoice_id, i.period_end as invoice_end, ${STATUS_OF_LINES} as status, l.price_id, l.fee_id, l.type,
           l.display_name, l.quantity, l.unit_price,
           case when l.type = 'billing_credit' then ${NET_OF_USE} else l.total_price end as net,
           l.total_tax as tax, l.tax_rate,
           i.currency, l.period_start, l.period_end, l.group_values as group, l.tiers, l.workings,
           exists (select from credit_note n
                    where n.merchant_id = i.merchant_id and n.invoice_id = l.invoice_id and n.kind in ('refund', 'reissue')
                      and n.status = 'ISSUED') as is_refunded
      from unnest(${asked.map(({ invoice }) => invoice.subscriptionId)}::text[],
                  ${asked.map(({ invoice }) => invoice.id)}::text[],
                  ${asked.map(({ since }) => since)}::timestamptz[],
                  ${asked.map(({ before }) => before?.seq ?? null)}::bigint[])
             with ordinality as q (subscription_id, id, since, before_seq, place)
     cross join lateral (
       select merchant_id, id, kind, status, currency, period_end, grouped_into_id, reissue_of_id from invoice
        where merchant_id = ${tx.merchantId} and subscription_id = q.subscription_id and id <> q.id
          and status in ('DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF', 'CANCELLED')
          and (rebilled_from is null or rebilled_from > q.before_seq)
       offset 0) i
     cross join lateral (select * from invoice_line l where ${IS_LINE_OF} offset 0) l
     where (i.kind <> 'subscription' or i.period_end >= q.since or l.period_start = l.period_end
            or i.reissue_of_id is not null -- recalculated, it may bear corrections of later periods
            or coalesce(i.grouped_into_id, i.id) = any (${[...alsoOf]}::text[]))
       and (l.period_end > q.since or l.period_start = l.period_end)
       and (l.price_id is not null or l.type in ('commitment', 'coupon', 'billing_credit')) and l.type <> 'credit'
       and (q.before_seq is null or l.seq < q.before_seq)
     order by q.place, l.seq`);
  return apart(asked.length, rows);
}

type CreditRow = StoredCredit & { readonly id: string };

/** The credits of lines of a subscription for time after an instant. */
export async function selectCredits(
  tx: Tx,
  invoice: BilledFor,
  since: Instant,
  before: PlaceInBilling | null = null,
): Promise<CreditRow[]> {
  const [credits] = await selectCreditsOf(tx, [{ invoice, since, before }]);
  return credits as CreditRow[];
}

/** The same of some subscriptions of one merchant: an answer for each question, in their order. */
export async function selectCreditsOf(tx: Tx, asked: readonly BilledQuestion[]): Promise<CreditRow[][]> {
  if (asked.length === 0) return [];
  const rows = await tx.rows<Placed<CreditRow>>(sql`
    select q.place::int, c.id, c.invoice_id, c.price_id, c.charged_from,
           c.charged_to, c.unused_from, c.unused_to, c.amount as net,
           c.tax_amount as tax, c.correction, c.is_note
      from unnest(${asked.map(({ invoice }) => invoice.subscriptionId)}::text[],
                  ${asked.map(({ since }) => since)}::timestamptz[],
                  ${asked.map(({ before }) => before?.seq ?? null)}::bigint[],
                  ${asked.map(({ before }) => before?.creditSeq ?? null)}::bigint[])
             with ordinality as q (subscription_id, since, before_seq, before_credit, place)
      join unused_credit c on c.merchant_id = ${tx.merchantId} and c.subscription_id = q.subscription_id
     where c.charged_to > q.since
       and (q.before_seq is null or c.line_seq < q.before_seq)
       and (q.before_credit is null or c.seq <= q.before_credit)
     order by q.place, c.seq`);
  return apart(asked.length, rows);
}

/** What the other invoices of a subscription bill of time after an instant. */
export const selectBilledItems = async (tx: Tx, invoice: BilledFor, since: Instant): Promise<BilledItem[]> =>
  itemsOf(await selectBilledLines(tx, invoice, since), await selectCredits(tx, invoice, since));

/** An invoice without a calculation, or (`isRebilled`) one that is cancelled and billed again by others. */
export type PlaceInTime = UncalculatedInvoice & { readonly isRebilled: boolean };

/**
 * The other invoices of a subscription that have no lines yet, or whose lines count for nothing.
 * @param beforeSeq as it was then: those whose lines are not older than this one; of a replaced invoice the first ones.
 *   An upfront invoice has its lines as it is made, so a younger one was not there.
 */
export async function selectUncalculated(
  tx: Tx,
  invoice: BilledFor,
  beforeSeq: bigint | null = null,
): Promise<PlaceInTime[]> {
  const [others] = await selectUncalculatedOf(tx, [{ invoice, beforeSeq }]);
  return others as PlaceInTime[];
}

const isRebilled = sql`coalesce(i.rebilled_from <= q.before_seq, i.rebilled_from is not null)`;

/** The same of some subscriptions of one merchant: an answer for each question, in their order. */
export async function selectUncalculatedOf(
  tx: Tx,
  asked: readonly { readonly invoice: BilledFor; readonly beforeSeq: bigint | null }[],
): Promise<PlaceInTime[][]> {
  if (asked.length === 0) return [];
  const rows = await tx.rows<Placed<PlaceInTime>>(sql`
    select q.place::int, i.id, i.kind, i.billing_cadence, i.billing_anchor, i.period_number, i.period_start,
      i.period_end, ${isRebilled} as is_rebilled
      from unnest(${asked.map(({ invoice }) => invoice.subscriptionId)}::text[],
                  ${asked.map(({ invoice }) => invoice.id)}::text[],
                  ${asked.map(({ beforeSeq }) => beforeSeq)}::bigint[])
             with ordinality as q (subscription_id, id, before_seq, place)
      join invoice i on i.merchant_id = ${tx.merchantId} and i.subscription_id = q.subscription_id and i.id <> q.id
     where i.kind in ('subscription', 'upfront')
       and (i.reissued_as_id is null
            and (i.status in ('ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING', 'FAILED') or ${isRebilled})
            or i.reissue_of_id is null
            and (i.kind = 'subscription' or i.seq < (select own.seq from invoice own
                                                      where own.merchant_id = i.merchant_id and own.id = q.id))
            and exists (select from invoice_line l where ${IS_LINE_OF} and l.seq > q.before_seq))
     order by q.place, i.seq`);
  return apart(asked.length, rows);
}

/** The place of an invoice in the order of billing of its subscription. */
export interface PlaceInBilling {
  /** Lines before it were billed before. */
  readonly seq: bigint;
  /** Of an invoice without lines: credits after this one were given after it. */
  readonly creditSeq?: bigint;
}

/** The place of what is done now without lines: after all lines and credits of its subscription, and its alone. */
export const selectPlace = (
  tx: Tx,
  { merchantId, subscriptionId }: Pick<BilledFor, 'merchantId' | 'subscriptionId'>,
): Promise<Required<PlaceInBilling>> =>
  tx.one<Required<PlaceInBilling>>(sql`
    select nextval('invoice_line_seq_seq') as seq,
           (select coalesce(max(seq), 0) from unused_credit
             where merchant_id = ${merchantId} and subscription_id = ${subscriptionId}) as credit_seq`);

/** The place in the order of billing of the first line of an invoice; null while it has none. */
export const selectFirstSeq = (tx: Tx, { merchantId, id }: BilledFor): Promise<bigint | null> =>
  tx.value<bigint | null>(sql`
    select min(l.seq) as seq from invoice i join invoice_line l on ${IS_LINE_OF}
     where i.merchant_id = ${merchantId} and i.id = ${id}`);

/**
 * The last instant of which the calculated invoices of a subscription bill something: of their own periods the end, of
 * fees in advance the start. Null: they bill nothing.
 */
export const selectLastService = (tx: Tx, subscriptionId: string): Promise<Instant | null> =>
  tx.value<Instant | null>(sql`
    select greatest(max(l.period_start),
                    max(i.period_end) filter (where i.kind = 'subscription') - interval '1 microsecond') as at
      from invoice i
      left join invoice_line l on ${IS_LINE_OF}
       and l.price_id is not null and l.type <> 'credit'
     where i.merchant_id = ${tx.merchantId} and i.subscription_id = ${subscriptionId}
       and ${STATUS_OF_LINES} in ('DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF')`);

/** Is an invoice issued whose period ended at an instant? It has billed what begins then. */
export const selectIsBilledAt = (tx: Tx, subscriptionId: string, at: Instant): Promise<boolean> =>
  tx.value<boolean>(sql`
    select exists (select from invoice i
                    where i.merchant_id = ${tx.merchantId} and i.subscription_id = ${subscriptionId}
                      and i.kind = 'subscription' and i.period_end = ${at}
                      and ${STATUS_OF_LINES} in ('ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF'))`);
