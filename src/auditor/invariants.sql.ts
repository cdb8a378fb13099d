import { type Sql, sql } from '../db/index.ts';

/** Something that always holds, and the rows for which it does not. */
export interface Invariant {
  /** A word to find it by. */
  readonly name: string;
  /** The invariant as a sentence. */
  readonly meaning: string;
  /** The violating rows: `merchant_id`, `id`, and the fault as `detail`. */
  readonly broken: Sql;
}

/** Statuses in which an invoice has been calculated: its lines and totals stand. */
const CALCULATED = sql`('DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF', 'CANCELLED')`;

/** The balance of an account for an invoice `i`: above 0 if debits outweigh. */
const bookedOf = (account: string): Sql => sql`
  (select coalesce(sum(e.amount), 0)
     from ledger_transaction t
     join ledger_entry e on e.merchant_id = t.merchant_id and e.transaction_id = t.id
    where t.merchant_id = i.merchant_id and t.invoice_id = i.id and e.account = ${account})`;

/** Does an event id begin with the month of the event `e`? The rest of the id is enciphered. */
const isNamedBy = (id: Sql): Sql => sql`starts_with(${id}, 'evt_' || to_char(e.at at time zone 'UTC', 'YYYYMM'))`;

/** Are the events of this month, which the id names, in files of the archive? */
const isInArchive = (merchantId: Sql, id: Sql): Sql => sql`
  exists (select from event_archive a
           where a.merchant_id = ${merchantId} and a.state = 'away'
             and starts_with(${id}, 'evt_' || to_char(a.month, 'YYYYMM')))`;

/** Lists whose totals are kept: the table, what divides its rows, and which rows count. */
const COUNTED_LISTS: Readonly<Record<string, readonly [facets: Sql, counts?: Sql]>> = {
  invoice: [sql`status`],
  customer: [sql``, sql`deleted_at is null`],
  organization: [sql`type`],
  subscription: [sql`status, plan_id`],
  payment_session: [sql`status, entity_type`],
  payment_link: [sql``],
  mail: [sql`status, kind`],
  audit_entry: [sql``],
  external_reference: [sql`entity_type, provider`],
  sales_order: [sql`case when cancelled_at is null then approval_status else 'cancelled' end, type`],
  billing_schedule: [sql`status`],
  approval: [sql`decision, kind`],
  source_event: [sql`source_id, status`],
};

const rowsOfLists: Sql = sql.join(
  Object.entries(COUNTED_LISTS).map(
    ([list, [facets, counts = sql`true`]]) => sql`
      select merchant_id, ${list}::text as list, array[${facets}]::text[] as facet, count(*) as count
        from ${sql.table(list)} where ${counts} group by 1, 3`,
  ),
  sql` union all `,
);

/** The invariants that SQL can check (I-nn are the numbers of the list of invariants). */
export const invariants: readonly Invariant[] = [
  {
    name: 'lines-sum-to-totals',
    meaning: 'I-22: the lines of a calculated invoice sum to its subtotal, tax and grand total, to the minor unit',
    broken: sql`
      select i.merchant_id, i.id, format('%s + %s = %s, its lines %s + %s = %s', i.subtotal, i.total_tax, i.grand_total,
                                         l.net, l.tax, l.gross) as detail
        from invoice i
       cross join lateral (
         select coalesce(sum(total_price), 0) as net, coalesce(sum(total_tax), 0) as tax,
           coalesce(sum(total_amount), 0) as gross, count(*) as lines
           from invoice_line l where l.merchant_id = i.merchant_id and l.invoice_id = i.id) l
       where i.status in ${CALCULATED}
         and ((l.net, l.tax, l.gross) is distinct from (i.subtotal, i.total_tax, i.grand_total)
              or l.lines <> i.item_count)`,
  },
  {
    name: 'paid-means-paid-in-full',
    meaning: 'I-23: an invoice is PAID when, and only when, nothing is left to pay of what was issued',
    broken: sql`
      select merchant_id, id, format('%s with %s of %s paid', status, paid_amount, grand_total) as detail
        from invoice
       where (status = 'PAID' and (unpaid_amount <> 0 or paid_at is null or issued_at is null))
          or (status in ('ISSUED', 'PAYMENT_FAILED', 'WRITTEN_OFF') and unpaid_amount <= 0)`,
  },
  {
    name: 'numbers-without-gaps',
    meaning: 'I-29: the invoices of a merchant are numbered from 1 on without a gap, but for those that a restore lost',
    broken: sql`
      select c.merchant_id, c.merchant_id as id, format('%s were drawn, %s invoices have one, the highest is %s',
                                                        c.value, n.count, n.highest) as detail
        from merchant_counter c
       cross join lateral (
         select count(*) as count, coalesce(max(substring(i.invoice_number from '([0-9]+)$')::bigint), 0) as highest
           from invoice i where i.merchant_id = c.merchant_id and i.invoice_number is not null) n
       where c.kind = 'invoice'
         and (n.count <> c.value - c.skipped or n.highest > c.value or (c.skipped = 0 and n.highest <> c.value))`,
  },
  {
    name: 'credit-notes-without-gaps',
    meaning:
      'I-29: the credit notes of a merchant are numbered from 1 on without a gap, but for those that a restore lost',
    broken: sql`
      select c.merchant_id, c.merchant_id as id, format('%s were drawn, %s credit notes have one, the highest is %s',
                                                        c.value, n.count, n.highest) as detail
        from merchant_counter c
       cross join lateral (
         select count(*) as count, coalesce(max(substring(o.number from '([0-9]+)$')::bigint), 0) as highest
           from credit_note o where o.merchant_id = c.merchant_id) n
       where c.kind = 'credit_note'
         and (n.count <> c.value - c.skipped or n.highest > c.value or (c.skipped = 0 and n.highest <> c.value))`,
  },
  {
    name: 'drafts-have-no-number',
    meaning: 'I-30: nothing has a number that was not issued',
    broken: sql`
      select merchant_id, id, format('%s is %s', invoice_number, status) as detail
        from invoice where invoice_number is not null
          and (issued_at is null or status not in ('ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF', 'CANCELLED'))`,
  },
  {
    name: 'periods-tile',
    meaning:
      'I-19: the periods of a series follow each other without gap or overlap, counted one by one, until a ' +
      'change of the plan or a resumption begins it anew',
    broken: sql`
      select merchant_id, id, format('begins %s, the one before ended %s', period_start, before_end) as detail
        from (
          select merchant_id, id, subscription_id, period_start, sequence_number,
                 lag(period_end) over series as before_end, lag(sequence_number) over series as before_number
            from invoice where kind = 'subscription' and reissued_as_id is null
          window series as (partition by merchant_id, subscription_id, billing_cadence order by period_start)) i
       where not (before_end = period_start and sequence_number = before_number + 1)
         and not (before_end <= period_start and sequence_number = 1
                  and (exists (select from subscription_version v
                                where v.merchant_id = i.merchant_id and v.subscription_id = i.subscription_id
                                  and v.change_id is not null and not v.cancelled and v.holds_from = i.period_start)
                       or exists (select from subscription s cross join jsonb_array_elements(s.pauses) p
                                   where s.merchant_id = i.merchant_id and s.id = i.subscription_id
                                     and p ->> 'anchor' = 'restart' and (p ->> 'to')::timestamptz = i.period_start)))`,
  },
  {
    name: 'refunds-within-payments',
    meaning: 'I-41: the credit notes in force over an invoice are not more than its total',
    broken: sql`
      select i.merchant_id, i.id, format('%s credited of %s', n.total, i.grand_total) as detail
        from invoice i
       cross join lateral (
         select sum(o.total) as total, bool_and(o.is_within_total) as is_within_total from credit_note o
          where o.merchant_id = i.merchant_id and o.invoice_id = i.id and o.status = 'ISSUED') n
       where n.total > i.grand_total
         and (n.is_within_total
              or n.total > (select sum(l.total_amount) from invoice_line l -- the rule of version 0.1.0
                             where l.merchant_id = i.merchant_id and l.invoice_id = i.id
                               and l.type not in ('credit', 'late_usage')))`,
  },
  {
    name: 'refunds-of-what-is-left',
    meaning: 'I-41: no refund in force is of an invoice of which a credit or a correction had taken something back',
    broken: sql`
      select n.merchant_id, n.invoice_id as id, format('refunded by %s and credited before', n.number) as detail
        from credit_note n
        join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
       where n.kind = 'refund' and n.status = 'ISSUED'
         and (exists (select from unused_credit c where c.merchant_id = n.merchant_id and c.invoice_id = n.invoice_id)
              or exists (select from credit_note p where p.merchant_id = n.merchant_id and p.invoice_id = n.invoice_id
                            and p.kind = 'partial' and p.status = 'ISSUED')
              or exists (
                select from invoice_line b
                  join invoice m on m.merchant_id = i.merchant_id
                   and m.subscription_id = coalesce(b.subscription_id, i.subscription_id)
                  join invoice o on o.merchant_id = m.merchant_id and o.id = coalesce(m.grouped_into_id, m.id)
                   and o.id <> i.id and o.status <> 'CANCELLED' and o.issued_at <= n.created_at
                  join invoice_line l on l.merchant_id = o.merchant_id and l.invoice_id = o.id
                   and coalesce(l.member_id = m.id, true)
                   and l.type = 'late_usage' and l.price_id = b.price_id
                   and l.period_start < b.period_end and l.period_end > b.period_start
                 where b.merchant_id = i.merchant_id and b.invoice_id = i.id and b.type <> 'credit'
                   and b.total_amount > 0
                   and not exists (select from credit_note r where r.merchant_id = o.merchant_id
                                      and r.invoice_id = o.id and r.kind in ('refund', 'reissue')
                                      and r.status = 'ISSUED')
                 group by b.id having sum(l.total_amount) < 0))`,
  },
  {
    name: 'credits-within-lines',
    meaning: 'no credit is more than the lines that it takes back',
    broken: sql`
      select c.merchant_id, c.invoice_id as id, format('%s and %s of tax credited of %s and %s', c.net, c.tax, l.net,
                                                       l.tax) as detail
        from (select merchant_id, invoice_id, subscription_id, price_id, source_key, charged_from, charged_to,
                     correction -> 'coupon' ->> 'redemptionId' as redemption_id,
                     correction -> 'coupon' ->> 'period' as period, sum(amount) as net, sum(tax_amount) as tax
                from unused_credit
               group by 1, 2, 3, 4, 5, 6, 7, 8, 9) c
       cross join lateral (
         select coalesce(sum(l.total_price), 0) as net, coalesce(sum(l.total_tax), 0) as tax from invoice_line l
          where l.merchant_id = c.merchant_id and l.invoice_id = c.invoice_id
            and coalesce(l.subscription_id = c.subscription_id, true)
            and l.type not in ('credit', 'billing_credit')
            and case when c.redemption_id is null then
                  l.price_id is not distinct from c.price_id and l.source_key is not distinct from c.source_key
                  and l.workings -> 'coupon' -> 'period' is null -- no credit mirrors a coupon of a whole period
                  and l.period_start = c.charged_from and l.period_end = c.charged_to
                else l.workings -> 'coupon' ->> 'redemptionId' = c.redemption_id
                     and l.workings -> 'coupon' ->> 'period' = c.period end) l
       where case when c.redemption_id is null then
               not (c.net between least(l.net, 0) and greatest(l.net, 0)
                    and c.tax between least(l.tax, 0) and greatest(l.tax, 0))
             else c.net < l.net or c.tax < l.tax end`,
  },
  {
    name: 'fees-billed-once',
    meaning: 'no instant of a fee is billed twice by invoices that are in force',
    broken: sql`
      with item as (
        select l.merchant_id, coalesce(l.subscription_id, i.subscription_id) as subscription_id, l.invoice_id, l.price_id,
               l.quantity, l.period_start,
               tstzmultirange(tstzrange(l.period_start, l.period_end)) - coalesce((
                 select range_agg(tstzrange(c.unused_from, c.unused_to)) from unused_credit c
                  where c.merchant_id = l.merchant_id and c.invoice_id = l.invoice_id and c.price_id = l.price_id
                    and coalesce(c.subscription_id = l.subscription_id, true)
                    and c.charged_from = l.period_start and c.charged_to = l.period_end
                    and c.correction is null), '{}') as time
          from invoice_line l join invoice i on i.merchant_id = l.merchant_id and i.id = l.invoice_id
         where l.fee_id is not null and l.type = 'charge' and l.period_start < l.period_end
           and l.total_price > coalesce(( -- a discount or a coupon of all of it leaves nothing to credit
                 select -sum(o.total_price) from invoice_line o
                  where o.merchant_id = l.merchant_id and o.applies_to_line_id = l.id
                    and o.type in ('adjustment', 'coupon')
                    and o.workings -> 'coupon' -> 'period' is null), 0)
           and coalesce(l.subscription_id, i.subscription_id) is not null and i.status in ('DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID')
           and i.reissued_as_id is null
           and not exists (select from credit_note n where n.merchant_id = i.merchant_id and n.invoice_id = i.id
                              and n.kind = 'refund' and n.status = 'ISSUED'))
      select a.merchant_id, a.invoice_id as id, format('%s also on %s', a.price_id, b.invoice_id) as detail
        from item a join item b using (merchant_id, subscription_id, price_id, quantity)
       where (a.invoice_id, a.period_start) < (b.invoice_id, b.period_start) and a.time && b.time`,
  },
  {
    name: 'active-subscriptions-have-an-open-invoice',
    meaning: 'each active subscription whose billing has begun has an open period',
    broken: sql`
      select s.merchant_id, s.id, 'no invoice is ACTIVE' as detail
        from subscription s
       where s.status = 'active' and s.billing_opened
         and not exists (select from invoice i where i.merchant_id = s.merchant_id and i.subscription_id = s.id
                            and i.kind = 'subscription' and i.status = 'ACTIVE')`,
  },
  {
    name: 'payments-are-of-sessions',
    meaning: 'I-37: a session for a payment is completed when, and only when, its money came in once',
    broken: sql`
      select s.merchant_id, s.id, format('%s with %s receipts', s.status, r.count) as detail
        from payment_session s
       cross join lateral (
         select count(*) as count, sum(r.amount) as amount from payment_receipt r
          where r.merchant_id = s.merchant_id and r.session_id = s.id) r
       where s.mode = 'payment' and ((s.status = 'completed') <> (r.count = 1)
                                     or (r.count = 1 and r.amount <> s.amount))`,
  },
  {
    name: 'charges-have-receipts',
    meaning: 'I-40: a charge is accepted when, and only when, it has one receipt, of its amount',
    broken: sql`
      select c.merchant_id, c.id, format('%s with %s receipts', c.status, r.count) as detail
        from payment_charge c
       cross join lateral (
         select count(*) as count, sum(r.amount) as amount from payment_receipt r
          where r.merchant_id = c.merchant_id and r.charge_id = c.id) r
       where (c.status = 'accepted') <> (r.count = 1) or (r.count = 1 and r.amount <> c.amount)`,
  },
  {
    name: 'charges-on-their-way-hold-their-invoice',
    meaning: 'I-40: while a charge has no outcome it is looked up, and nothing else pays its invoice',
    broken: sql`
      select c.merchant_id, c.id, format('%s, and its invoice is %s', c.status, i.status) as detail
        from payment_charge c
        join invoice i on i.merchant_id = c.merchant_id and i.id = c.invoice_id
       where c.status not in ('accepted', 'declined') and (not i.payment_in_flight or c.next_action_at is null)`,
  },
  {
    name: 'money-of-a-provider-is-taken-once',
    meaning: 'I-37: what a provider took has paid something, or goes back; never both',
    broken: sql`
      select s.merchant_id, s.id, format('%s is the receipt %s too', s.provider_reference, r.id) as detail
        from stray_payment s
        join payment_receipt r on r.merchant_id = s.merchant_id and r.provider = s.provider
                              and r.provider_reference = s.provider_reference`,
  },
  {
    name: 'stray-money-is-owed-back',
    meaning: 'I-39: money that pays nothing is owed back until it has left',
    broken: sql`
      select s.merchant_id, s.id, format('%s is booked of %s', b.owed, s.amount) as detail
        from stray_payment s
       cross join lateral (
         select -coalesce(sum(e.amount), 0) as owed
           from ledger_transaction t
           join ledger_entry e on e.merchant_id = t.merchant_id and e.transaction_id = t.id
          where t.merchant_id = s.merchant_id and t.key in ('stray:' || s.id, 'return:' || s.id)
            and e.account = 'refunds_payable') b
       where b.owed <> case s.return_status when 'returned' then 0 else s.amount end`,
  },
  {
    name: 'disputes-are-booked',
    meaning: 'what providers hold back for disputes is booked, each dispute once',
    broken: sql`
      select d.merchant_id, d.id, format('%s is booked, %s is held back', b.held, d.withheld) as detail
        from payment_dispute d
       cross join lateral (
         select coalesce(sum(e.amount), 0) as held
           from ledger_transaction t
           join ledger_entry e on e.merchant_id = t.merchant_id and e.transaction_id = t.id
          where t.merchant_id = d.merchant_id and t.key like 'dispute:' || d.id || ':%' and e.account = 'disputes') b
       where b.held <> d.withheld`,
  },
  {
    name: 'due-work-can-be-done',
    meaning: 'an invoice that has reached its end waits for nothing',
    broken: sql`
      select merchant_id, id, format('%s, due %s', status, next_action_at) as detail
        from invoice where status in ('PAID', 'CANCELLED', 'WRITTEN_OFF') and next_action_at is not null`,
  },
  {
    name: 'purchases-grant-once',
    meaning: 'I-46: a purchase has made its grant when, and only when, its invoice was paid',
    broken: sql`
      select p.merchant_id, p.invoice_id as id, format('%s with %s grants', i.status, g.count) as detail
        from grant_purchase p
        join invoice i on i.merchant_id = p.merchant_id and i.id = p.invoice_id
       cross join lateral (
         select count(*) as count, min(g.amount) as amount from entitlement_grant g
          where g.merchant_id = p.merchant_id and g.invoice_id = p.invoice_id
            -- a reversed payment voids one: then it is made again with the next payment
            and (g.voided_at is null or not exists (
              select from payment_receipt r
               where r.merchant_id = g.merchant_id and r.invoice_id = g.invoice_id and r.reversed_at is not null))) g
       where (i.status = 'PAID') <> (g.count = 1) or g.count > 1 or g.amount <> p.amount`,
  },
  {
    name: 'reservations-settle-by-events',
    meaning: 'a settled reservation has its event, if it settled anything',
    broken: sql`
      select r.merchant_id, r.id, format('settled %s by %s', r.settled_amount, r.event_id) as detail
        from entitlement_reservation r
       where r.status = 'settled' and r.settled_amount > 0
         and not exists (select from event e
                          where e.merchant_id = r.merchant_id and e.idempotency_key = r.id
                            and ${isNamedBy(sql`r.event_id`)})
         and not ${isInArchive(sql`r.merchant_id`, sql`r.event_id`)}`,
  },
  {
    name: 'source-events-are-usage-once',
    meaning: 'a source event is processed when, and only when, there is one usage event under its key, and it names it',
    broken: sql`
      select s.merchant_id, s.id, format('%s with %s', s.status, s.usage_event_ids) as detail
        from source_event s
       where (s.status = 'processed'
              and (cardinality(s.usage_event_ids) <> 1
                   or not exists (select from event e
                                   where e.merchant_id = s.merchant_id and e.idempotency_key = s.id
                                     and ${isNamedBy(sql`s.usage_event_ids[1]`)})
                      and not ${isInArchive(sql`s.merchant_id`, sql`s.usage_event_ids[1]`)}))
          or (s.status <> 'processed' and s.usage_event_ids <> '{}')`,
  },
  {
    name: 'plan-entitlements-live-with-it',
    meaning: 'what a plan promised ends with the subscription',
    broken: sql`
      select e.merchant_id, e.id, format('ends %s, its subscription ended %s', e.active_to, s.terminated_at) as detail
        from entitlement e
        join subscription s on s.merchant_id = e.merchant_id and s.id = e.subscription_id
       where e.is_from_plan and s.status = 'terminated' and (e.active_to is null or not e.is_canceled)`,
  },
  {
    name: 'events-have-keys',
    meaning: 'I-03: every event has its key, and every key its event, here or in a file of the archive',
    broken: sql`
      select coalesce(e.merchant_id, k.merchant_id) as merchant_id, coalesce(e.seq, k.seq)::text as id,
             case when e.seq is null then 'a key without an event' else 'an event without a key' end as detail
        from event e
        full join (select coalesce(n.merchant_id, stored.merchant_number::text) as merchant_id, stored.seq, stored.day
                     from (select merchant_number, seq, day from event_key
                            union all
                           select merchant_number, seq, day from event_key_sealed) stored
                     left join merchant_number n on n.number = stored.merchant_number) k
          on k.merchant_id = e.merchant_id and k.seq = e.seq and k.day = (e.at at time zone 'UTC')::date
       where k.seq is null
          or e.seq is null and not exists (
               select from event_archive a
                where a.merchant_id = k.merchant_id and a.month = date_trunc('month', k.day)::date and a.state = 'away'
                  and k.seq >= a.first_seq and k.seq <= a.last_seq)`,
  },
  {
    name: 'archived-events-have-keys',
    meaning: 'I-03: a file of the archive has as many events as there are keys of its month and its numbers',
    broken: sql`
      select a.merchant_id, a.object_key as id, format('%s events, %s keys', a.event_count, count(k.seq)) as detail
        from event_archive a
        left join merchant_number n on n.merchant_id = a.merchant_id
        left join (select merchant_number, seq, day from event_key
                    union all
                   select merchant_number, seq, day from event_key_sealed) k
          on k.merchant_number = n.number and date_trunc('month', k.day)::date = a.month
         and k.seq >= a.first_seq and k.seq <= a.last_seq
       group by a.merchant_id, a.month, a.first_seq
      having count(k.seq) <> a.event_count`,
  },
  {
    name: 'books-balance',
    meaning: 'I-43: what is debited is credited, in every transaction and currency',
    broken: sql`
      select merchant_id, transaction_id as id, format('%s %s', sum(amount), currency) as detail
        from ledger_entry group by merchant_id, transaction_id, currency having sum(amount) <> 0`,
  },
  {
    name: 'wallets-are-their-entries',
    meaning: 'I-43: what is in a wallet is the sum of its entries',
    broken: sql`
      select w.merchant_id, w.customer_id as id, format('%s %s, its entries %s', w.balance, w.currency, e.total)
        as detail
        from wallet w
       cross join lateral (
         select -coalesce(sum(e.amount), 0) as total from ledger_entry e
          where e.merchant_id = w.merchant_id and e.customer_id = w.customer_id and e.account = 'wallet'
            and e.currency = w.currency) e
       where e.total <> w.balance`,
  },
  {
    name: 'receivables-are-unpaid',
    meaning:
      'I-45: an invoice is owed while it is numbered and open; before it is, what was paid ahead is owed to ' +
      'the customer',
    broken: sql`
      select merchant_id, id, format('%s is booked, %s should be', booked, owed) as detail
        from (
          select i.merchant_id, i.id, ${bookedOf('receivable')} as booked,
                 case when i.status not in ('ISSUED', 'PAYMENT_FAILED') then 0
                      when i.invoice_number is null then -i.paid_amount
                      else i.unpaid_amount end as owed
            from invoice i) i
       where booked <> owed`,
  },
  {
    name: 'top-ups-due-are-open',
    meaning: 'I-45: what an invoice asks for the wallet is due while it is numbered and open',
    broken: sql`
      select merchant_id, id, format('%s is booked, %s should be', booked, due) as detail
        from (
          select i.merchant_id, i.id, ${bookedOf('top_ups_due')} as booked,
                 case when i.status not in ('ISSUED', 'PAYMENT_FAILED') or i.invoice_number is null then 0
                      else (select -coalesce(sum(l.total_amount), 0) from invoice_line l
                             where l.merchant_id = i.merchant_id and l.invoice_id = i.id
                               and l.type = 'wallet_top_up') end as due
            from invoice i) i
       where booked <> due`,
  },
  {
    name: 'bought-credits-are-paid',
    meaning: 'a paid invoice that buys a billing credit has made one, and no other invoice has',
    broken: sql`
      select merchant_id, id, format('it has %s, %s should be', made, wanted) as detail
        from (
          select i.merchant_id, i.id,
                 (select count(*) from billing_credit b
                   where b.merchant_id = i.merchant_id and b.invoice_id = i.id and not b.is_undone) as made,
                 case when i.status = 'PAID' and not exists (
                        select from credit_note n
                         where n.merchant_id = i.merchant_id and n.invoice_id = i.id and n.status = 'ISSUED')
                      then 1 else 0 end as wanted
            from invoice i where i.one_off -> 'buys' is not null) i
       where made <> wanted`,
  },
  {
    name: 'credits-are-earned',
    meaning: 'what billing credits earned is booked, and is never more than was paid for them',
    broken: sql`
      select merchant_id, id, format('%s is booked, %s earned of %s', booked, earned, price) as detail
        from (
          select b.merchant_id, b.id, b.price, b.earned,
                 (select coalesce(sum(e.amount), 0) from ledger_transaction t
                    join ledger_entry e on e.merchant_id = t.merchant_id and e.transaction_id = t.id
                   where t.merchant_id = b.merchant_id and t.key like 'earned:' || b.id || ':%'
                     and e.account = 'deferred_credits') as booked
            from billing_credit b where b.price is not null or b.earned <> 0) b
       where booked <> earned or earned not between 0 and coalesce(price, 0)`,
  },
  {
    name: 'credits-pay-what-they-have',
    meaning: 'what lines take of a billing credit beyond what it has is a debt',
    broken: sql`
      select merchant_id, id, format('%s is taken of %s, and %s is owed', taken, most, owed) as detail
        from (
          select b.merchant_id, b.id,
                 case when b.is_undone then 0 else b.amount - coalesce(b.released, 0) end as most,
                 (select coalesce(-sum(l.total_price - coalesce((
                           select sum(r.amount) from credit_note n
                             join credit_note_line r on r.merchant_id = n.merchant_id and r.credit_note_id = n.id
                            where n.merchant_id = l.merchant_id and n.invoice_id = l.invoice_id
                              and n.status = 'ISSUED' and r.applies_to_line_id = l.id), 0)), 0)
                    from invoice_line l
                    join invoice i on i.merchant_id = l.merchant_id and i.id = l.invoice_id
                   where l.merchant_id = b.merchant_id and l.billing_credit_id = b.id
                     and i.status not in ('CANCELLED', 'FAILED')
                     and not exists (select from credit_note n
                                      where n.merchant_id = i.merchant_id and n.invoice_id = i.id
                                        and n.kind in ('refund', 'reissue') and n.status = 'ISSUED')) as taken,
                 (select coalesce(sum(d.amount - d.returned), 0) from payment_debt d
                   where d.merchant_id = b.merchant_id and d.billing_credit_id = b.id) as owed
            from billing_credit b) b
       where taken > most + owed`,
  },
  {
    name: 'wallet-applied-is-booked',
    meaning: 'I-43: what the wallet paid of an invoice was taken from it, and went back where it was cancelled',
    broken: sql`
      select i.merchant_id, i.id, format('%s, taken were %s', i.wallet_applied, w.taken) as detail
        from invoice i
       cross join lateral (
         select coalesce(sum(e.amount), 0) as taken
           from ledger_transaction t
           join ledger_entry e on e.merchant_id = t.merchant_id and e.transaction_id = t.id
          where t.merchant_id = i.merchant_id and t.key in ('wallet:' || i.id, 'cancel:' || i.id)
            and e.account = 'wallet') w
       where w.taken <> i.wallet_applied`,
  },
  {
    name: 'cash-is-what-came',
    meaning:
      'I-41: the cash of an invoice is what came in for it less what went back or was reversed, each payment once',
    broken: sql`
      select merchant_id, id, format('%s is booked, %s came and stayed', booked, stayed) as detail
        from (
          select i.merchant_id, i.id, ${bookedOf('cash')} as booked,
                 (select coalesce(sum(case r.return_status
                                      when 'returned' then r.overpaid + r.less_disputed + r.less_outside
                                      else r.amount end), 0)
                    from payment_receipt r
                   where r.merchant_id = i.merchant_id and r.invoice_id = i.id and r.reversed_at is null)
                 - (select coalesce(sum(p.amount), 0) from payment_part_return p
                     where p.merchant_id = i.merchant_id and p.invoice_id = i.id and p.status = 'returned') as stayed
            from invoice i) i
       where booked <> stayed`,
  },
  {
    name: 'paid-is-what-pays',
    meaning: 'I-23: an invoice is paid by payments that were not reversed, by the wallet and by credits',
    broken: sql`
      select i.merchant_id, i.id, format('%s is paid, %s pays', i.paid_amount, i.wallet_applied + i.credited_amount + r.paid)
        as detail
        from invoice i
       cross join lateral (
         select coalesce(sum(r.amount - r.overpaid), 0) as paid from payment_receipt r
          where r.merchant_id = i.merchant_id and r.invoice_id = i.id and r.reversed_at is null) r
       where i.issued_at is not null and i.paid_amount <> i.wallet_applied + i.credited_amount + r.paid`,
  },
  {
    name: 'receipts-wait-in-the-books',
    meaning: 'I-43: money of receipts that was neither applied nor returned is owed to its customer',
    broken: sql`
      select r.merchant_id, r.customer_id as id, format('%s %s is booked, %s waits', booked.waits, r.currency, r.waits)
        as detail
        from (select c.merchant_id, c.customer_id, c.currency, sum(c.amount - c.returned_amount - a.applied) as waits,
                     min(c.amount - c.returned_amount - a.applied) as least
                from customer_receipt c
               cross join lateral (
                 select coalesce(sum(a.amount), 0) as applied
                   from receipt_application a
                   left join payment_receipt p on p.merchant_id = a.merchant_id and p.id = a.payment_id
                  where a.merchant_id = c.merchant_id and a.receipt_id = c.id and p.reversed_at is null) a
               group by 1, 2, 3) r
       cross join lateral (
         select -coalesce(sum(e.amount), 0) as waits from ledger_entry e
          where e.merchant_id = r.merchant_id and e.customer_id = r.customer_id and e.account = 'unapplied'
            and e.currency = r.currency) booked
       where booked.waits <> r.waits or r.least < 0`,
  },
  {
    name: 'reversed-money-is-collected',
    meaning:
      'what reversed payments and used credits pay no longer is owed until one invoice collects it: its lines are debts',
    broken: sql`
      select d.merchant_id, d.customer_id as id, format('%s is booked, %s should be', booked.owed, d.owed) as detail
        from (select merchant_id, customer_id, currency,
                     sum(amount) filter (where invoice_id is null) as owed
                from payment_debt group by 1, 2, 3) d
       cross join lateral (
         select coalesce(sum(e.amount), 0) as owed from ledger_entry e
          where e.merchant_id = d.merchant_id and e.customer_id = d.customer_id and e.account = 'to_collect'
            and e.currency = d.currency) booked
       where booked.owed <> coalesce(d.owed, 0)
      union all
      select i.merchant_id, i.id, format('%s of %s on lines is collected', d.collected, i.collected_debt)
        from invoice i
       cross join lateral (
         select coalesce(sum(amount), 0) as collected from payment_debt
          where merchant_id = i.merchant_id and invoice_id = i.id) d
       where i.collected_debt <> 0 and i.status <> 'CANCELLED' and i.reissued_as_id is null
         and i.collected_debt <> d.collected`,
  },
  {
    name: 'refunds-payable-are-asked',
    meaning: 'I-45: what refunds owe is what was asked to go back and has not left',
    broken: sql`
      select merchant_id, id, format('%s is booked, %s should be', booked, payable) as detail
        from (
          select i.merchant_id, i.id, ${bookedOf('refunds_payable')} as booked,
                 (select -coalesce(sum(r.amount - r.overpaid - r.less_disputed - r.less_outside), 0)
                    from payment_receipt r
                   where r.merchant_id = i.merchant_id and r.invoice_id = i.id
                     and r.return_status in ('requested', 'manual'))
                 - (select coalesce(sum(p.amount), 0) from payment_part_return p
                     where p.merchant_id = i.merchant_id and p.invoice_id = i.id
                       and p.status in ('requested', 'manual')) as payable
            from invoice i) i
       where booked <> payable`,
  },
  {
    name: 'pending-approvals-can-be-decided',
    meaning:
      'a pending approval is of an order that waits for it, of a draft, or of an issued invoice that is to be pushed',
    broken: sql`
      select a.merchant_id, a.id, format('%s of %s %s', a.kind, a.resource_type, a.resource_id) as detail
        from approval a
        left join sales_order o on o.merchant_id = a.merchant_id and o.id = a.resource_id
        left join invoice i on i.merchant_id = a.merchant_id and i.id = a.resource_id
       where a.decision = 'pending'
         and coalesce(case a.resource_type
                        when 'order' then o.cancelled_at is not null or o.approval_status not in ('pending', 'approved')
                        else i.status not in ('DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF')
                             or (a.kind <> 'push' and i.status <> 'DRAFT') end, true)`,
  },
  {
    name: 'approved-orders-were-approved',
    meaning: 'an order is approved by an approval that was given and not cancelled',
    broken: sql`
      select o.merchant_id, o.id, 'no approval of it is approved' as detail
        from sales_order o
       where o.approval_status = 'approved'
         and not exists (select from approval a
                          where a.merchant_id = o.merchant_id and a.resource_id = o.id and a.decision = 'approved')`,
  },
  {
    name: 'customers-are-found',
    meaning: 'the name and the addresses by which a customer is found are those of its consumer',
    broken: sql`
      select c.merchant_id, c.id, format('is found as "%s" %s', c.consumer_name, c.consumer_emails) as detail
        from customer c join organization o on o.merchant_id = c.merchant_id and o.id = c.consumer_id
       where (c.consumer_name, c.consumer_emails) is distinct from
             (lower(o.name), lower_emails(o.email, o.billing_emails))`,
  },
  {
    name: 'list-counts-are-true',
    meaning: 'the kept count of a list, with the changes that wait, is the number of its rows',
    broken: sql`
      select merchant_id, list as id, format('%s rows too many of "%s" are counted', sum(count), facet) as detail
        from (select merchant_id, list, facet, count from list_count
              union all
              select merchant_id, list, facet, change from list_count_change
              union all
              select merchant_id, list, facet, -count from (${rowsOfLists}) rows) parts
       group by merchant_id, list, facet having sum(count) <> 0`,
  },
  {
    name: 'list-ranges-are-true',
    meaning: 'the kept count of a stretch of times or amounts is the number of its rows without the changes that wait',
    broken: sql`
      with entry as (
        select merchant_id, 'invoice' as list, measure, array[status] as facet, value, 1 as change,
          null::bigint as count, null::numeric as most
          from invoice, lateral (values ('issued_at', microseconds(issued_at)), ('due_at', microseconds(due_at)),
                                        ('grand_total', grand_total)) m (measure, value)
         where value is not null
        union all
        select merchant_id, list, measures[(n - 1) % cardinality(measures) + 1], facet, value, -sign(change), null, null
          from list_count_change join counted_list using (list), unnest(measured) with ordinality m (value, n)
         where value is not null
        union all
        select merchant_id, list, measure, facet, least, 0, count, most from list_range
      ), placed as (
        select *, count(most) over (partition by merchant_id, list, measure, facet order by value, most nulls last
                                    rows unbounded preceding) as stretch from entry
      ), stretch as (
        select merchant_id, list, measure, facet, stretch, sum(count) as count, max(most) as most
          from placed group by 1, 2, 3, 4, 5
      )
      select p.merchant_id, p.list as id, format('%s rows by %s of "%s" are counted, %s there', coalesce(s.count, 0),
                                                 p.measure, p.facet, sum(p.change)) as detail
        from placed p join stretch s using (merchant_id, list, measure, facet, stretch)
       group by p.merchant_id, p.list, p.measure, p.facet, p.stretch, s.count
      having sum(p.change) <> coalesce(s.count, 0) or coalesce(sum(p.change) filter (where p.value > s.most), 0) <> 0`,
  },
  {
    name: 'timelines-have-facts',
    meaning: 'each thing that records tell of a customer is in its timeline, once and as they tell it now',
    broken: sql`
      select s.merchant_id, s.id, format('%s of %s is there %s times', s.what, s.customer_id, count(f.id)) as detail
        from timeline_source s
        left join timeline_fact f on f.merchant_id = s.merchant_id and f.customer_id = s.customer_id and f.kind = s.kind
                                 and f.at = s.at and f.id = s.id and f.what = s.what
       group by s.merchant_id, s.id, s.what, s.customer_id
      having count(f.id) <> 1`,
  },
  {
    name: 'revenue-facts-are-true',
    meaning: 'what reports count is what invoices, credit notes and payments say',
    broken: sql`
      with source as (
        select merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id, amount, open_amount
          from revenue_source
      ), fact as (
        select merchant_id, id, kind, status, counted_at, currency, customer_id, subscription_id, amount, open_amount
          from revenue_fact
      )
      select merchant_id, id, format('%s %s of %s, %s open, is not counted', status, kind, amount, open_amount)
        as detail
        from (select * from source except select * from fact) missing
      union all
      select merchant_id, id, format('%s %s of %s, %s open, is counted', status, kind, amount, open_amount) as detail
        from (select * from fact except select * from source) surplus`,
  },
  {
    name: 'revenue-sums-are-their-facts',
    meaning: 'the kept sums of revenue, with the changes that wait, are what the facts come to',
    broken: sql`
      select merchant_id, format('%s %s %s', grain, starts_at, member) as id,
             format('%s %s %s: off by %s, %s, %s open', status, kind, currency, sum(count), sum(amount),
                    sum(open_amount)) as detail
        from (
          select f.merchant_id, g.grain, date_trunc(g.grain, f.counted_at, 'UTC') as starts_at, f.currency,
                 coalesce(case g.grain when 'month' then f.customer_id else f.plan_id end, '') as member,
                 f.kind, f.status, 1 as count, f.amount, f.open_amount
            from revenue_fact f cross join (values ('hour'), ('day'), ('month')) as g (grain)
          union all
          select c.merchant_id, g.grain, date_trunc(g.grain, c.hour, 'UTC'), c.currency,
                 case g.grain when 'month' then c.customer_id else c.plan_id end,
                 c.kind, c.status, -c.count, -c.amount, -c.open_amount
            from revenue_change c cross join (values ('hour'), ('day'), ('month')) as g (grain)
          union all
          select merchant_id, grain, starts_at, currency, member, kind, status, -count, -amount, -open_amount
            from revenue_sum) parts
       group by merchant_id, grain, starts_at, currency, member, kind, status
      having sum(count) <> 0 or sum(amount) <> 0 or sum(open_amount) <> 0`,
  },
  {
    name: 'revenue-is-booked',
    meaning: 'what reports count of an invoice, less its refunds and rebates, is the revenue that its bookings say',
    broken: sql`
      select merchant_id, id, format('%s is booked, %s is counted', -booked, counted) as detail
        from (
          select i.merchant_id, i.id, ${bookedOf('revenue')} as booked,
                 coalesce((select f.amount from revenue_fact f where f.merchant_id = i.merchant_id and f.id = i.id
                              and i.grouped_into_id is null), 0)
                 + coalesce((select sum(f.amount) -- of a grouped one by its members
                               from invoice m join revenue_fact f on f.merchant_id = m.merchant_id and f.id = m.id
                              where m.merchant_id = i.merchant_id and m.grouped_into_id = i.id), 0)
                 - coalesce((select sum(f.amount)
                               from credit_note n
                               join revenue_fact f on f.merchant_id = n.merchant_id and f.id = n.id
                              where n.merchant_id = i.merchant_id and n.invoice_id = i.id), 0)
                 - coalesce((select sum(f.amount)
                               from invoice m join credit_note n on n.merchant_id = m.merchant_id
                                and n.invoice_id = m.grouped_into_id
                               join revenue_fact f on f.merchant_id = n.merchant_id and f.id = n.id || '/' || m.id
                              where m.merchant_id = i.merchant_id and m.grouped_into_id = i.id), 0)
                 - coalesce((select sum(f.amount)
                               from ledger_transaction t
                               join revenue_fact f on f.merchant_id = t.merchant_id and f.id = t.id
                              where t.merchant_id = i.merchant_id and t.invoice_id = i.id), 0) as counted
            from invoice i) i
       where booked + counted <> 0`,
  },
  {
    name: 'grouped-invoices-have-their-sections',
    meaning: 'the lines of each subscription on a grouped invoice come to its section, and its members have none left',
    broken: sql`
      select g.merchant_id, g.id, format('%s of %s is %s', l.net, s.of ->> 'subscriptionId', s.of ->> 'subtotal') as detail
        from invoice g
       cross join lateral jsonb_array_elements(g.sections) s (of)
       cross join lateral (
         select coalesce(sum(l.total_price), 0) as net from invoice_line l
          where l.merchant_id = g.merchant_id and l.invoice_id = g.id
            and l.subscription_id = s.of ->> 'subscriptionId') l
       where g.kind = 'grouped' and l.net <> (s.of ->> 'subtotal')::numeric
      union all
      select m.merchant_id, m.id, format('its lines are on %s, and it is %s', m.grouped_into_id, m.status)
        from invoice m join invoice g on g.merchant_id = m.merchant_id and g.id = m.grouped_into_id
       where m.status <> 'CANCELLED' or m.issued_at is not null or g.kind <> 'grouped'
          or not jsonb_path_exists(g.sections, '$[*].invoiceIds[*] ? (@ == $id)', jsonb_build_object('id', m.id))
          or exists (select from invoice_line l where l.merchant_id = m.merchant_id and l.invoice_id = m.id)`,
  },
  {
    name: 'order-lines-add-up',
    meaning: 'the total of an order line is its quantity times its unit price, rounded to minor units of some size',
    broken: sql`
      select merchant_id, id, format('%s, quantity times unit price is %s', total_price, product) as detail
        from (select l.*, l.quantity * l.unit_price as product from order_line_item l) l
       where total_price not in (round(product, 0), round(product, 2), round(product, 3), round(product, 4))`,
  },
  {
    name: 'order-lines-within-terms',
    meaning: 'the term of an order line lies within the term of its order',
    broken: sql`
      select l.merchant_id, l.id, format('%s to %s, the order from %s to %s', l.term_start_date, l.term_end_date,
                                         o.term_start_date, o.term_end_date) as detail
        from order_line_item l join sales_order o on o.merchant_id = l.merchant_id and o.id = l.order_id
       where not tstzrange(o.term_start_date, o.term_end_date)
                 @> tstzrange(coalesce(l.term_start_date, o.term_start_date),
                              coalesce(l.term_end_date, o.term_end_date))`,
  },
  {
    name: 'pending-orders-add-up',
    meaning: 'a pending order of which nothing was pushed has lines, and their sum is its total',
    broken: sql`
      select o.merchant_id, o.id, format('%s named, %s lines come to %s', o.named_total, l.count, l.total) as detail
        from sales_order o
       cross join lateral (
         select count(*) as count, coalesce(sum(total_price), 0) as total from order_line_item l
          where l.merchant_id = o.merchant_id and l.order_id = o.id) l
       where o.approval_status = 'pending' and (l.count = 0 or o.named_total <> l.total)
         and not exists (
           select from billing_schedule s
             join schedule_invoice i on i.merchant_id = s.merchant_id and i.schedule_id = s.id and i.status = 'pushed'
            where s.merchant_id = o.merchant_id and s.order_id = o.id)`,
  },
  {
    name: 'schedules-invoice-what-they-say',
    meaning: 'a pushed invoice of a schedule says what its invoice charges and takes back',
    broken: sql`
      select s.merchant_id, s.id, format('%s is said, %s is invoiced', s.amount, l.net) as detail
        from schedule_invoice s
       cross join lateral (
         select coalesce(sum(l.total_price), 0) - (
                  select coalesce(sum(c.amount), 0) from unused_credit c
                   where c.merchant_id = s.merchant_id and c.target_invoice_id = s.invoice_id) as net
           from invoice_line l
          where l.merchant_id = s.merchant_id and l.invoice_id = s.invoice_id and l.type <> 'credit') l
       where s.status = 'pushed' and s.invoice_id is not null and s.amount <> l.net`,
  },
  {
    name: 'completed-schedules-bill-their-lines',
    meaning: 'what completed schedules invoiced of an order line that they share out is the total of the line',
    broken: sql`
      with billed as (
        select b.merchant_id, line.value ->> 'lineKey' as line_id, sum((line.value ->> 'subtotal')::numeric) as amount
          from billing_schedule b
          join schedule_invoice s on s.merchant_id = b.merchant_id and s.schedule_id = b.id and s.status = 'pushed'
         cross join lateral jsonb_array_elements(s.lines) line
         group by 1, 2)
      select o.merchant_id, o.id, format('%s of %s is invoiced', coalesce(billed.amount, 0), o.total_price) as detail
        from order_line_item o
        left join billed on billed.merchant_id = o.merchant_id and billed.line_id = o.id
       where exists (select from schedule_interval i
                      where i.merchant_id = o.merchant_id and i.order_line_item_id = o.id and i.base_quantity > 0)
         and not exists (
           select from schedule_interval i
             join billing_schedule b on b.merchant_id = i.merchant_id and b.id = i.schedule_id
            where i.merchant_id = o.merchant_id and i.order_line_item_id = o.id
              and (b.status <> 'completed' or b.cancelled_at is not null or b.next_action_at is not null
                   or i.base_quantity = 0 or i.quantity_transitions <> '[]'
                   or coalesce(i.unit_price, o.unit_price) <> o.unit_price))
         and coalesce(billed.amount, 0) <> o.total_price`,
  },
  {
    name: 'events-have-deliveries',
    meaning: 'I-56: each event has a delivery for each endpoint that wanted its kind, save in the minute of a change',
    broken: sql`
      select o.merchant_id, o.id, format('%s is not on its way to %s', o.type, w.id) as detail
        from webhook_endpoint w
        join outbox o on o.merchant_id = w.merchant_id and o.recorded_at > w.wants_since + interval '1 minute'
       where w.status = 'enabled' and w.event_types && array['*', o.type]
         and not exists (select from webhook_delivery d
                          where d.merchant_id = o.merchant_id and d.event_id = o.id and d.endpoint_id = w.id)`,
  },
  {
    name: 'attempts-decide-deliveries',
    meaning: 'I-56: a delivery is delivered when one of its attempts was, and no attempt is counted that was not begun',
    broken: sql`
      select d.merchant_id, d.event_id as id, format('%s after %s attempts', d.status, d.attempts) as detail
        from webhook_delivery d
        left join lateral (
          select bool_or(a.status = 'delivered') as delivered, coalesce(max(a.number), 0) as last from webhook_attempt a
           where a.merchant_id = d.merchant_id and a.event_id = d.event_id
             and a.endpoint_id = d.endpoint_id) made on true
       where (d.status = 'delivered' and made.delivered is not true) or made.last > d.attempts
          or d.slot > d.attempts`,
  },
  {
    name: 'deliveries-have-both-ends',
    meaning: 'a delivery is of an event and an endpoint of its merchant, and an attempt is at a delivery',
    broken: sql`
      select d.merchant_id, d.event_id as id, format('to %s', d.endpoint_id) as detail
        from webhook_delivery d
        left join outbox o on o.merchant_id = d.merchant_id and o.id = d.event_id
        left join webhook_endpoint w on w.merchant_id = d.merchant_id and w.id = d.endpoint_id
       where o.id is null or w.id is null
       union all
      select a.merchant_id, a.event_id, format('attempt %s at %s', a.number, a.endpoint_id)
        from webhook_attempt a
        left join webhook_delivery d
          on d.merchant_id = a.merchant_id and d.event_id = a.event_id and d.endpoint_id = a.endpoint_id
       where d.event_id is null`,
  },
  {
    name: 'reached-alerts-went-off',
    meaning: 'an alert whose figure has reached its threshold went off in this period',
    broken: sql`
      select a.merchant_id, a.id, format('it did not in the period from %s', a.period_start) as detail
        from alert a
       where a.is_reached
         and not exists (select from alert_trigger t
                          where t.merchant_id = a.merchant_id and t.alert_id = a.id
                            and t.period_start = a.period_start)`,
  },
  {
    name: 'alerts-watch-their-customer',
    meaning: 'the customer of an alert is the one of its entitlement or subscription',
    broken: sql`
      select a.merchant_id, a.id, format('it is %s', a.customer_id) as detail
        from alert a
        left join entitlement e on e.merchant_id = a.merchant_id and e.id = a.entitlement_id
        left join subscription s on s.merchant_id = a.merchant_id and s.id = a.subscription_id
       where a.type in ('balance', 'invoice_total') and coalesce(e.customer_id, s.customer_id) is distinct from a.customer_id`,
  },
  {
    name: 'alerts-are-looked-at',
    meaning: 'an alert on the wall clock has a time of its next look',
    broken: sql`
      select merchant_id, id, 'it has none' as detail from alert where clock_id is null and next_action_at is null`,
  },
  {
    name: 'cancelled-orders-have-no-active-schedules',
    meaning: 'a schedule of a cancelled order is not active',
    broken: sql`
      select b.merchant_id, b.id, format('it is %s', b.status) as detail
        from billing_schedule b join sales_order o on o.merchant_id = b.merchant_id and o.id = b.order_id
       where o.cancelled_at is not null and b.status in ('draft', 'active')`,
  },
  {
    name: 'outside-tax-is-recorded',
    meaning:
      'where a tax provider calculated an invoice, what it is to record sums to what was billed, credited and voided',
    broken: sql`
      select i.merchant_id, i.id, format('%s + %s, to be recorded %s + %s', i.subtotal, i.total_tax, r.net, r.tax)
        as detail
        from invoice i
        left join lateral (
          select sum(net) as net, sum(tax) as tax from tax_record r
           where r.merchant_id = i.merchant_id and r.invoice_id = i.id and r.kind in ('invoice', 'credits')) r on true
       where i.invoice_number is not null and i.terms #>> '{outside,answer,reference}' is not null
         and (r.net, r.tax) is distinct from (i.subtotal, i.total_tax)
       union all
      select n.merchant_id, n.id, format('%s of %s + %s is not to be recorded', n.kind, n.amount, n.tax_amount)
        from credit_note n
        join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
       where i.terms #>> '{outside,answer,reference}' is not null and n.total <> 0
         and (not exists (select from tax_record r
                           where r.merchant_id = n.merchant_id and r.credit_note_id = n.id and r.kind = 'credit_note'
                             and r.net = -n.amount and r.tax = -n.tax_amount)
              or (n.status = 'VOIDED') <>
                 exists (select from tax_record r
                          where r.merchant_id = n.merchant_id and r.credit_note_id = n.id and r.kind = 'void'
                            and r.net = n.amount and r.tax = n.tax_amount))`,
  },
  {
    name: 'recorded-tax-is-billed',
    meaning: 'the tax that a provider has recorded is the tax that was billed',
    broken: sql`
      select merchant_id, id, format('%s, recorded %s', tax, recorded_tax) as detail
        from tax_record
       where status = 'done' and recorded_tax <> tax`,
  },
  {
    name: 'migrations-count-their-outcomes',
    meaning:
      'a migration of a plan counts its subscriptions by their outcomes, and each that was changed has its change',
    broken: sql`
      select m.merchant_id, m.id, format('%s of %s done, %s failed; found %s of %s, %s', m.done, m.total, m.failed,
                                         f.done, f.total, f.failed) as detail
        from plan_migration m
       cross join lateral (
         select count(*) as total, count(*) filter (where outcome <> 'refused') as done,
                count(*) filter (where outcome = 'refused') as failed
           from plan_migration_subscription s where s.merchant_id = m.merchant_id and s.migration_id = m.id) f
       where (m.total, m.done, m.failed) <> (f.total, f.done, f.failed)
       union all
      select m.merchant_id, m.id, format('subscription %s has no such change', s.subscription_id)
        from plan_migration m
        join plan_migration_subscription s on s.merchant_id = m.merchant_id and s.migration_id = m.id
       where s.outcome <> 'refused'
         and m.is_dry is distinct from not exists (
           select from subscription_change c
            where c.merchant_id = s.merchant_id and c.id = s.change_id and c.subscription_id = s.subscription_id)`,
  },
];
