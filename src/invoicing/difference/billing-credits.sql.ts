import { withPayers } from '../../customers/index.ts';
import { sql, type Tx } from '../../db/index.ts';
import type { UsedCredit, UseOfCharge } from '../terms/billing-credit.ts';

export const CREDIT_COLUMNS = sql`b.merchant_id, b.id, b.customer_id, b.subscription_id, b.invoice_id, b.name, b.amount,
  b.currency, b.category, b.priority, b.effective_at, b.expires_at, b.voided_at, b.applies_to, b.source,
  b.idempotency_key, b.test_clock_id, b.metadata, b.created_at, b.updated_at, b.price, b.commitment_id, b.segment,
  b.rolled_from, b.released, b.is_undone, b.order_id`;

/** What line `l` of a credit pays: below 0, or above for one that gives back. Credit notes over it gave back, too. */
export const NET_OF_USE = sql`
  (l.total_price - coalesce((
     select sum(r.amount) from credit_note n
       join credit_note_line r on r.merchant_id = n.merchant_id and r.credit_note_id = n.id
      where n.merchant_id = l.merchant_id and n.invoice_id = l.invoice_id and n.status = 'ISSUED'
        and r.applies_to_line_id = l.id), 0))`;

/** Invoice `i` counts for nothing, because a credit note is over all of it. */
export const IS_REFUNDED = sql`
  exists (select from credit_note n
           where n.merchant_id = i.merchant_id and n.invoice_id = i.id and n.kind in ('refund', 'reissue')
              and n.status = 'ISSUED')`;

const ISSUED = sql`('ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF')`;

/**
 * What lines took of credit `b`: on issued invoices, and on those that were calculated and may still be on their way to
 * DRAFT. Cancelled and refunded invoices took nothing. A credit pays at most what it has: of an invoice that stands
 * again more may be `missing`, which is a debt (`../paying/debts-of-credits.ts`).
 */
export const creditUses = (without: readonly string[] = []) => sql`
  select least(t.used, m.most) as used, least(t.held, m.most - least(t.used, m.most)) as held,
         greatest(t.used + t.held - m.most, 0) as missing
    from (select case when b.is_undone then 0 else b.amount - coalesce(b.released, 0) end as most) m
   cross join (
     select coalesce(-sum(${NET_OF_USE}) filter (where i.status in ${ISSUED}), 0) as used,
            coalesce(-sum(l.total_price) filter (where i.status not in ${ISSUED}), 0) as held
       from invoice_line l
       join invoice i on i.merchant_id = l.merchant_id and i.id = l.invoice_id
      where l.merchant_id = b.merchant_id and l.billing_credit_id = b.id
        and i.status not in ('CANCELLED', 'FAILED') and i.id <> all (${[...without]}::text[])
        and not ${IS_REFUNDED}) t`;

/** Locks the credits of some customers in the order of their ids, against everything else that takes of them. */
export const lockCredits = (tx: Tx, customerIds: readonly string[]): Promise<{ id: string }[]> =>
  tx.rows<{ id: string }>(sql`
    select id from billing_credit
     where merchant_id = ${tx.merchantId} and customer_id = any (${[...customerIds]}::text[])
     order by id for no key update`);

/** A credit that a customer may use. */
export type CreditFor = UsedCredit & { readonly forCustomerId: string };

/**
 * The credits that some customers of the merchant may use: of each its own, then those of who pays for it, in the order
 * in which they burn: the lowest priority, the earliest expiry, promotional before paid, the oldest. One that is undone
 * pays nothing any more, also of service before.
 * @param without invoices whose lines are not counted: the ones in calculation
 * @param lock against everything else that takes of them until the transaction ends
 */
export async function selectCreditsFor(
  tx: Tx,
  customerIds: readonly string[],
  { without, lock }: { readonly without: readonly string[]; readonly lock: boolean },
): Promise<CreditFor[]> {
  const { merchantId } = tx;
  const found = await tx.rows<{ forCustomerId: string; customerId: string }>(sql`
    select o.customer_id as for_customer_id, b.customer_id
      from (${withPayers(sql`${merchantId}`, customerIds)}) o
      join billing_credit b on b.merchant_id = ${merchantId} and b.customer_id = o.payer_id
     order by b.id ${lock ? sql`for no key update of b` : sql``}`);
  if (found.length === 0) return [];
  const credits = await tx.rows<UsedCredit>(sql`
    select ${CREDIT_COLUMNS}, u.used, u.held from billing_credit b cross join lateral (${creditUses(without)}) u
     where b.merchant_id = ${merchantId} and b.customer_id = any (${found.map((each) => each.customerId)}::text[])
       and not b.is_undone
     order by b.priority, b.expires_at nulls last, b.category = 'paid', b.seq`);
  const ofOwners = Map.groupBy(credits, ({ customerId }) => customerId);
  const ownersOf = Map.groupBy(found, ({ forCustomerId }) => forCustomerId);
  return customerIds.flatMap((forCustomerId) => {
    const owners = (ownersOf.get(forCustomerId) ?? []).map(({ customerId }) => customerId);
    const ownFirst = [...new Set([forCustomerId, ...owners])];
    return ownFirst.flatMap((id) => (ofOwners.get(id) ?? []).map((credit) => ({ ...credit, forCustomerId })));
  });
}

/**
 * The lines by which credits pay charges of some invoices, the last ones first.
 * @param without invoices whose lines are not counted: the ones in calculation
 */
export const selectUsesOfCharges = (
  tx: Tx,
  invoiceIds: readonly string[],
  without: readonly string[] = [],
): Promise<UseOfCharge[]> =>
  tx.rows<UseOfCharge>(sql`
    select l.invoice_id, coalesce(l.subscription_id, i.subscription_id) as subscription_id, l.id as line_id,
           l.billing_credit_id, l.price_id, l.display_name, l.period_start, l.period_end, l.tax_rate,
           coalesce(i.terms->>'taxBehavior', 'exclusive') as tax_behavior, -${NET_OF_USE} as paid,
           coalesce((
             select sum(o.total_price) from invoice_line o
               join invoice i on i.merchant_id = o.merchant_id and i.id = o.invoice_id
              where o.merchant_id = l.merchant_id and o.billing_credit_id = l.billing_credit_id
                and (l.subscription_id is null or coalesce(o.subscription_id, i.subscription_id) = l.subscription_id)
                and i.status <> 'CANCELLED'
                and i.id <> all (${[...without]}::text[]) and not ${IS_REFUNDED}
                and o.workings->'use'->>'onInvoiceId' = l.invoice_id
                and o.price_id is not distinct from l.price_id
                and o.period_start = l.period_start and o.period_end = l.period_end), 0) as returned,
           coalesce((
             select sum(o.total_price) from invoice_line o
              where o.merchant_id = l.merchant_id and o.invoice_id = l.invoice_id
                and o.subscription_id is not distinct from l.subscription_id
                and o.type not in ('credit', 'billing_credit', 'true_up') and o.workings->'coupon'->>'period' is null
                and o.price_id is not distinct from l.price_id
                and o.period_start = l.period_start and o.period_end = l.period_end), 0)
           - coalesce((
             select sum(c.amount) from unused_credit c
              where c.merchant_id = l.merchant_id and c.invoice_id = l.invoice_id
                and (l.subscription_id is null or c.subscription_id = l.subscription_id)
                and c.price_id is not distinct from l.price_id
                and c.charged_from = l.period_start and c.charged_to = l.period_end), 0) as owed
      from invoice_line l
      join invoice i on i.merchant_id = l.merchant_id and i.id = l.invoice_id
     where l.merchant_id = ${tx.merchantId} and l.invoice_id = any (${[...invoiceIds]}::text[])
       and l.type = 'billing_credit' and l.workings->'use'->>'onInvoiceId' is null
       and l.workings->'use'->>'commitmentId' is null
     order by l.invoice_id, l.position desc`);
