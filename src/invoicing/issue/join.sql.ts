import { childrenOfPayer } from '../../customers/index.ts';
import { columns, insertion, rowsAs, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoiceRow, NewInvoice } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { lockBillingOfInvoicesNow } from '../usage/billing-lock.sql.ts';

/** What the invoices have in common that one payer has joined, beside the terms of their subscriptions. */
export type JoinedAt = Pick<InvoiceRow, 'currency' | 'clockId' | 'periodEnd' | 'gracePeriodEnd'>;

/** Locks the joining of what some customers pay, in the order of their ids: of two workers the last one sees all. */
export const lockJoining = (tx: Tx, payerIds: readonly string[]): Promise<number> =>
  tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended('joining:' || ${tx.merchantId}::text || ':' || id, 0))
      from unnest(${payerIds.toSorted()}::text[]) as id`);

/** Of a customer and those for which it pays. */
const paidBy = (tx: Tx, payerId: string) => sql`
  (customer_id = ${payerId} or customer_id in (${childrenOfPayer(sql`${tx.merchantId}`, sql`${payerId}`)}))`;

const closesAt = ({ currency, clockId, periodEnd, gracePeriodEnd }: JoinedAt) => sql`
  kind = 'subscription' and currency = ${currency} and clock_id is not distinct from ${clockId}
  and period_end = ${periodEnd} and grace_period_end = ${gracePeriodEnd}`;

/** Is an invoice that ends at the same instant still to be calculated? One that failed is not waited for. */
export const selectIsAwaited = (tx: Tx, payerId: string, at: JoinedAt): Promise<boolean> =>
  tx.value<boolean>(sql`
    select exists (select from invoice
                    where merchant_id = ${tx.merchantId} and ${paidBy(tx, payerId)} and ${closesAt(at)}
                      and status in ('ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING')) as found`);

/**
 * Locks the drafts that are issued by themselves and end at the same instant, with the billing of their subscriptions.
 * Nobody is waited for: who has one of them may wait for the joining.
 * @returns them in the order of their creation; null where somebody else has one
 */
export async function lockJoinable(tx: Tx, payerId: string, at: JoinedAt): Promise<InvoiceRow[] | null> {
  const drafts = sql`
    merchant_id = ${tx.merchantId} and ${paidBy(tx, payerId)} and ${closesAt(at)} and status = 'DRAFT'
    and next_action_at is not null`;
  const found = await tx.rows<{ id: string }>(sql`select id from invoice where ${drafts}`);
  const ids = found.map(({ id }) => id);
  if ((await lockBillingOfInvoicesNow(tx, ids)).size < ids.length) return null;
  const locked = await tx.rows<InvoiceRow>(sql`
    with locked as materialized (
      select * from invoice where ${drafts} order by id for no key update skip locked)
    select * from locked order by seq`);
  return locked.length < ids.length ? null : locked;
}

/**
 * Opens a grouped invoice. Its id is made of what it is for (docs/decisions/0250), so of one customer, instant and
 * terms there is one: whoever comes later goes alone.
 * @returns undefined where there is one already
 */
export async function insertGrouped(
  tx: Tx,
  key: readonly string[],
  invoice: Omit<NewInvoice, 'id'>,
  now: Instant,
): Promise<InvoiceRow | undefined> {
  const { id } = await tx.one<{ id: string }>(sql`
    select period_invoice_id(event_id_key(), ${key.join(' ')}, 'grouped', ${invoice.periodEnd}) as id`);
  return tx.maybe<InvoiceRow>(sql`
    ${insertion('invoice', { ...withJsonb(invoice, 'terms'), id, createdAt: now, updatedAt: now })}
    on conflict (merchant_id, id) do nothing returning *`);
}

/** A line on its way to a grouped invoice, with its place and its amounts there. */
export type MovedLine = LineRow & { readonly memberId: string; readonly subscriptionId: string };

const AMOUNTS = ['quantity', 'unitPrice', 'totalPrice', 'totalTax', 'totalAmount', 'workings'] as const;

/** Lines of invoices that are not issued move to a grouped one. They keep their ids and their place in billing. */
export async function updateMovedLines(tx: Tx, toId: string, lines: readonly MovedLine[]): Promise<void> {
  if (lines.length === 0) return;
  const names = ['id', 'memberId', 'subscriptionId', 'position', ...AMOUNTS];
  await tx.run(sql`
    update invoice_line l
       set invoice_id = ${toId}, member_id = r.member_id, subscription_id = r.subscription_id, position = r.position,
           (${columns(AMOUNTS)}) = (select ${sql.join(AMOUNTS.map((name) => sql`r.${columns([name])}`))})
      from ${await rowsAs(tx, 'invoice_line', names, lines)}
     where l.merchant_id = ${tx.merchantId} and l.invoice_id = r.member_id and l.id = r.id`);
}
