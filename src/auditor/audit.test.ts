import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { newOrder, orderLine } from '../../test/support/orders.ts';
import { planOfTwoVersions } from '../../test/support/plan-migrations.ts';
import { approveOrder, intervalBody, newSchedule, putIntervals } from '../../test/support/schedules.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';
import { newSource, newSourceEvent } from '../../test/support/world.ts';
import { audit } from './audit.ts';
import { selectBroken } from './broken.sql.ts';
import type { BrokenRow, Check } from './check.ts';
import { type Invariant, invariants } from './invariants.sql.ts';
import { rollUps } from './rollups.ts';

let env: TestEnvironment;
let client: pg.Client;
let invoice: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  await shop.create('/v0/webhookEndpoints', { url: 'http://127.0.0.1:9/' });
  ({ invoice } = await shop.paid());
  await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'Tried' });
  const migrated = await planOfTwoVersions(shop, 1);
  await shop.create(`/v0/plans/${migrated.plan.id}/migrations`, { fromVersion: 1, toVersion: 2 });
  const product = await shop.product();
  const metric = await shop.metric({ productId: product.id });
  const feature = await shop.create('/v0/features', {
    key: 'units',
    name: 'Units',
    productId: product.id,
    type: 'metered',
  });
  const customer = await shop.customer();
  const entitlement = await shop.create('/v1/entitlements', {
    customerId: customer.id,
    featureId: feature.id,
    template: { type: 'metered', billableMetricIds: [metric.id] },
  });
  const grants = `/v1/entitlements/${entitlement.id}/grants`;
  const purchase = await shop.create(`${grants}/purchase`, { amount: 100, price: '5.00', idempotencyKey: 'bought' });
  await shop.pay(await shop.invoice(purchase.invoiceId));
  const reservation = await shop.create(`/v1/entitlements/${entitlement.id}/reservations`, {
    amount: 2,
    expiresAt: '2100-01-01T00:00:00Z',
  });
  await shop.act(`/v1/entitlements/${entitlement.id}/reservations/${reservation.id}/settle`, { amount: 1 });
  const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
  await shop.create('/v0/alerts', { type: 'balance', entitlementId: entitlement.id, threshold: '1000000' });
  await env.runDueWork();
  await newSourceEvent(shop, await newSource(shop, { plan, metric }, 'automatic'));
  await newOrder(shop, customer, { lineItems: [orderLine({ termEndDate: '2026-07-01T00:00:00Z' })] });
  await billByOrder(shop, customer);
  await meterEverything(merchant, product.id);
  client = new pg.Client({ connectionString: env.url });
  await client.connect();
  await client.query('set session_replication_role = replica'); // no trigger prevents the damage
});
afterAll(async () => {
  await client.end();
  await env.close();
});

/** An order with one invoice. */
async function billByOrder(shop: Shop, customer: Resource): Promise<void> {
  const clock = await shop.clock('2026-01-01T00:00:00Z');
  const order = await newOrder(shop, customer, { testClockId: clock.id });
  const schedule = await newSchedule(shop, order, { periodPreset: 'single' });
  const interval = intervalBody({ orderLineItemId: order.lineItems[0].id, billingCadence: 'one_off' });
  await putIntervals(shop, schedule, [interval]);
  await approveOrder(env, order);
  await shop.advance(clock, '2026-01-02T00:00:00Z');
}

/** Metrics of each kind of roll-up, and their events of two months and two hours. */
async function meterEverything(merchant: Merchant, productId: string): Promise<void> {
  const metric = { productId, name: 'Metric', description: 'Metric', unit: 'unit', eventType: 'metered' };
  for (const own of [
    { aggregation: 'COUNT' },
    { aggregation: 'SUM', valueProperty: '$.units' },
    { aggregation: 'MAX', valueProperty: '$.units', groupBy: { region: '$.region' } },
    { aggregation: 'LATEST', valueProperty: '$.units' },
    { aggregation: 'UNIQUE_COUNT', valueProperty: '$.user' },
  ])
    await shopOf(merchant).create('/v0/billableMetrics', { ...metric, ...own });
  const times = ['2026-01-31T23:59:59Z', '2026-02-01T00:00:00Z', '2026-02-01T00:30:00Z', '2026-02-01T01:00:00Z'];
  for (const [index, timestamp] of times.entries()) {
    const data = { units: `${index}.5`, region: index % 2 ? 'eu' : null, user: `u${index % 3}` };
    expect(
      (
        await merchant.post('/v0/events', {
          type: 'metered',
          source: 'test',
          externalSubject: 'anybody',
          timestamp,
          data,
        })
      ).status,
    ).toBe(202);
  }
}

/** Statements that break an invariant by hand, and undo it. `INVOICE` is a paid invoice of a period. */
const BREAKS: Readonly<Record<string, readonly [broken: string, undone: string]>> = {
  'grouped-invoices-have-their-sections': [
    `update invoice set kind = 'grouped', sections = '[{"subscriptionId": "sub_none", "subtotal": "1"}]' where id = 'INVOICE'`,
    `update invoice set kind = 'subscription', sections = '[]' where id = 'INVOICE'`,
  ],
  'order-lines-add-up': [
    'update order_line_item set total_price = total_price + 0.01',
    'update order_line_item set total_price = total_price - 0.01',
  ],
  'order-lines-within-terms': [
    `update sales_order set term_end_date = term_end_date - interval '9 months'`,
    `update sales_order set term_end_date = term_end_date + interval '9 months'`,
  ],
  'pending-orders-add-up': [
    `update sales_order set approval_status = 'pending', named_total = 1 where approval_status = 'draft'`,
    `update sales_order set approval_status = 'draft', named_total = null where approval_status = 'pending'`,
  ],
  'outside-tax-is-recorded': [
    `update invoice set terms = terms || '{"outside": {"answer": {"reference": "taxcalc_broken"}}}' where id = 'INVOICE'`,
    `update invoice set terms = terms - 'outside' where id = 'INVOICE'`,
  ],
  'migrations-count-their-outcomes': [
    `update plan_migration set done = 0, failed = 1`,
    `update plan_migration set done = 1, failed = 0`,
  ],
  'recorded-tax-is-billed': [
    `insert into tax_record (merchant_id, id, invoice_id, kind, provider, currency, net, tax, status, reference, recorded_tax, done_at, created_at) select merchant_id, 'tax_broken', id, 'invoice', 'stripe_tax', 'USD', 1, 2, 'done', 'tax_1', 1, now(), now() from invoice where id = 'INVOICE'`,
    `delete from tax_record where id = 'tax_broken'`,
  ],
  'reached-alerts-went-off': [
    `update alert_trigger set period_start = period_start - interval '1 day'`,
    `update alert_trigger set period_start = period_start + interval '1 day'`,
  ],
  'alerts-watch-their-customer': [
    `update alert set customer_id = 'x' || customer_id where type = 'balance'`,
    `update alert set customer_id = substr(customer_id, 2) where type = 'balance'`,
  ],
  'alerts-are-looked-at': [
    'update alert set next_action_at = null where clock_id is null',
    'update alert set next_action_at = now() where clock_id is null',
  ],
  'pending-approvals-can-be-decided': [
    `insert into approval (merchant_id, id, resource_type, resource_id, kind, decision, requester, data_snapshot_hash, content, created_at, updated_at) select merchant_id, 'apr_broken', 'invoice', id, 'data_review', 'pending', 'usr_x', '', '{}', now(), now() from invoice where id = 'INVOICE'`,
    `delete from approval where id = 'apr_broken'`,
  ],
  'approved-orders-were-approved': [
    `insert into sales_order (merchant_id, id, customer_id, tax_exempt, currency, approval_status, term_start_date, term_end_date, default_payment_term_days, metadata, created_at, updated_at) select merchant_id, 'ord_broken', customer_id, false, currency, 'approved', now(), now() + interval '1 year', 0, '{}', now(), now() from invoice where id = 'INVOICE'`,
    `alter table sales_order disable trigger guard_delete; delete from sales_order where id = 'ord_broken'; alter table sales_order enable trigger guard_delete`,
  ],
  'lines-sum-to-totals': [
    `update invoice_line set total_price = total_price + 0.01, total_amount = total_amount + 0.01 where invoice_id = 'INVOICE'`,
    `update invoice_line set total_price = total_price - 0.01, total_amount = total_amount - 0.01 where invoice_id = 'INVOICE'`,
  ],
  'paid-means-paid-in-full': [
    `update invoice set status = 'ISSUED' where id = 'INVOICE'`,
    `update invoice set status = 'PAID' where id = 'INVOICE'`,
  ],
  'numbers-without-gaps': [
    `update merchant_counter set value = value + 1 where kind = 'invoice'`,
    `update merchant_counter set value = value - 1 where kind = 'invoice'`,
  ],
  'paid-is-what-pays': [
    `update payment_receipt set overpaid = overpaid + 1 where invoice_id = 'INVOICE'`,
    `update payment_receipt set overpaid = overpaid - 1 where invoice_id = 'INVOICE'`,
  ],
  'receipts-wait-in-the-books': [
    `insert into customer_receipt (merchant_id, id, customer_id, amount, currency, method, received_at, idempotency_key, idempotency_print, created_at) select merchant_id, 'rcp_broken', customer_id, 1, currency, 'cash', now(), 'broken', '', now() from invoice where id = 'INVOICE'`,
    `delete from customer_receipt where id = 'rcp_broken'`,
  ],
  'reversed-money-is-collected': [
    `insert into payment_debt (merchant_id, payment_id, customer_id, currency, amount, source_number, created_at) select merchant_id, 'pay_broken', customer_id, currency, 1, 'INV-1', now() from invoice where id = 'INVOICE'`,
    `delete from payment_debt where payment_id = 'pay_broken'`,
  ],
  'credit-notes-without-gaps': [
    `update merchant_counter set value = value + 1 where kind = 'credit_note'`,
    `update merchant_counter set value = value - 1 where kind = 'credit_note'`,
  ],
  'drafts-have-no-number': [
    `update invoice set status = 'FAILED' where id = 'INVOICE'`,
    `update invoice set status = 'PAID' where id = 'INVOICE'`,
  ],
  'periods-tile': [
    `update invoice set period_end = period_end + interval '1 second', grace_period_end = grace_period_end + interval '1 second' where id = 'INVOICE'`,
    `update invoice set period_end = period_end - interval '1 second', grace_period_end = grace_period_end - interval '1 second' where id = 'INVOICE'`,
  ],
  'refunds-within-payments': [
    'update credit_note set amount = amount + 1, total = total + 1',
    'update credit_note set amount = amount - 1, total = total - 1',
  ],
  'credits-within-lines': [
    `insert into unused_credit (merchant_id, id, subscription_id, invoice_id, price_id, charged_from, charged_to, unused_from, unused_to, display_name, amount, tax_amount, tax_rate, noted_amount, noted_tax, created_at) select l.merchant_id, 'uc_broken', i.subscription_id, i.id, l.price_id, l.period_start, l.period_end, l.period_start, l.period_end, '', l.total_price + 1, 0, 0, 0, 0, now() from invoice_line l join invoice i on i.id = l.invoice_id where i.id = 'INVOICE' limit 1`,
    `delete from unused_credit where id = 'uc_broken'`,
  ],
  'refunds-of-what-is-left': [
    `insert into unused_credit (merchant_id, id, subscription_id, invoice_id, price_id, charged_from, charged_to, unused_from, unused_to, display_name, amount, tax_amount, tax_rate, noted_amount, noted_tax, created_at) select l.merchant_id, 'uc_refunded', i.subscription_id, i.id, l.price_id, l.period_start, l.period_end, l.period_start, l.period_end, '', l.total_price, 0, 0, 0, 0, now() from invoice_line l join invoice i on i.id = l.invoice_id where i.id = 'INVOICE' limit 1`,
    `delete from unused_credit where id = 'uc_refunded'`,
  ],
  'fees-billed-once': [
    `update credit_note set kind = 'cancellation' where invoice_id = 'INVOICE'; insert into invoice_line (merchant_id, invoice_id, id, position, event_type, line_item_type, type, price_id, fee_id, display_name, metric_name, metric_unit, metric_description, quantity, unit_price, total_price, discount_price, tax_rate, total_tax, total_amount, period_start, period_end) select merchant_id, id, 'line_twice_' || n, 100 + n, 'fee', 'charge', 'charge', 'price_twice', 'fee_twice', '', '', '', '', 1, 1, 1, 0, 0, 0, 1, period_start + n * interval '1 hour', period_end from invoice, generate_series(1, 2) n where id = 'INVOICE'`,
    `delete from invoice_line where price_id = 'price_twice'; update credit_note set kind = 'refund' where invoice_id = 'INVOICE'`,
  ],
  'bought-credits-are-paid': [
    `insert into billing_credit (merchant_id, id, customer_id, invoice_id, name, amount, currency, category, priority, effective_at, applies_to, source, metadata, created_at, updated_at, price, earned) select merchant_id, 'bcr_broken', customer_id, id, '', 1, 'USD', 'paid', 0, now(), '{}', 'purchase', '{}', now(), now(), 1, 0 from invoice where id = 'INVOICE'; update invoice set one_off = '{"buys": {}}' where id = 'INVOICE'`,
    `delete from billing_credit where id = 'bcr_broken'; update invoice set one_off = null where id = 'INVOICE'`,
  ],
  'credits-pay-what-they-have': [
    `insert into billing_credit (merchant_id, id, customer_id, name, amount, currency, category, priority, effective_at, applies_to, source, metadata, created_at, updated_at, released) select merchant_id, 'bcr_broken', customer_id, '', 1, 'USD', 'promotional', 0, now(), '{}', 'manual', '{}', now(), now(), 2 from invoice where id = 'INVOICE'`,
    `delete from billing_credit where id = 'bcr_broken'`,
  ],
  'credits-are-earned': [
    `insert into billing_credit (merchant_id, id, customer_id, invoice_id, name, amount, currency, category, priority, effective_at, applies_to, source, metadata, created_at, updated_at, price, earned) select merchant_id, 'bcr_broken', customer_id, id, '', 1, 'USD', 'paid', 0, now(), '{}', 'purchase', '{}', now(), now(), 1, 1 from invoice where id = 'INVOICE'`,
    `delete from billing_credit where id = 'bcr_broken'`,
  ],
  'schedules-invoice-what-they-say': [
    'update schedule_invoice set amount = amount + 1',
    'update schedule_invoice set amount = amount - 1',
  ],
  'completed-schedules-bill-their-lines': [
    'update order_line_item set total_price = total_price + 1',
    'update order_line_item set total_price = total_price - 1',
  ],
  'events-have-deliveries': [
    `create table kept_delivery as select * from webhook_delivery; delete from webhook_delivery; update webhook_endpoint set wants_since = wants_since - interval '1 hour'`,
    `insert into webhook_delivery select * from kept_delivery; drop table kept_delivery; update webhook_endpoint set wants_since = wants_since + interval '1 hour'`,
  ],
  'attempts-decide-deliveries': [
    `update webhook_delivery set status = 'delivered', next_attempt_at = null`,
    `update webhook_delivery set status = 'pending', next_attempt_at = '-infinity'`,
  ],
  'deliveries-have-both-ends': [
    `insert into webhook_attempt (merchant_id, id, event_id, endpoint_id, number, status, created_at) select merchant_id, 'wat_broken', 'wev_broken', 'whe_broken', 1, 'failed', now() from invoice where id = 'INVOICE'`,
    `delete from webhook_attempt where id = 'wat_broken'`,
  ],
  'cancelled-orders-have-no-active-schedules': [
    `update sales_order set cancelled_at = now(); update billing_schedule set status = 'active'`,
    `update sales_order set cancelled_at = null; update billing_schedule set status = 'completed'`,
  ],
  'active-subscriptions-have-an-open-invoice': [
    `update invoice set status = 'CLOSING' where status = 'ACTIVE'`,
    `update invoice set status = 'ACTIVE' where status = 'CLOSING'`,
  ],
  'payments-are-of-sessions': [
    `update payment_receipt set amount = amount + 1 where invoice_id = 'INVOICE'`,
    `update payment_receipt set amount = amount - 1 where invoice_id = 'INVOICE'`,
  ],
  'due-work-can-be-done': [
    `update invoice set next_action_at = '2100-01-01Z' where id = 'INVOICE'`,
    `update invoice set next_action_at = null where id = 'INVOICE'`,
  ],
  'purchases-grant-once': [
    'update grant_purchase set amount = amount + 1',
    'update grant_purchase set amount = amount - 1',
  ],
  'reservations-settle-by-events': [
    `update entitlement_reservation set event_id = 'x' || event_id`,
    'update entitlement_reservation set event_id = substr(event_id, 2)',
  ],
  'source-events-are-usage-once': [
    `update source_event set usage_event_ids = array['x' || usage_event_ids[1]]`,
    'update source_event set usage_event_ids = array[substr(usage_event_ids[1], 2)]',
  ],
  'plan-entitlements-live-with-it': [
    `update entitlement set is_from_plan = true, subscription_id = (select subscription_id from invoice where id = 'INVOICE');
     update subscription set status = 'terminated', terminated_at = started_at`,
    `update entitlement set is_from_plan = false, subscription_id = null; update subscription set status = 'active', terminated_at = null`,
  ],
  'archived-events-have-keys': [
    `insert into event_archive (merchant_id, month, first_seq, last_seq, event_count, types, first_accepted_at, object_key,
       state, state_at, kept_until, hash, bytes)
     select merchant_id, '2020-01-01', 1, 5, 5, '{"call": 5}', now(), 'lost', 'away', now(), now(), sha256(''), 1
       from invoice limit 1`,
    `delete from event_archive where object_key = 'lost'`,
  ],
  'events-have-keys': ['update event_key set seq = seq + 1000000', 'update event_key set seq = seq - 1000000'],
  'books-balance': [
    'update ledger_entry set amount = amount * 2 where position = (select min(position) from ledger_entry)',
    'update ledger_entry set amount = amount / 2 where position = (select min(position) from ledger_entry)',
  ],
  'wallets-are-their-entries': [
    `insert into wallet (merchant_id, customer_id, currency, balance) select merchant_id, customer_id, 'XXX', 1 from invoice where id = 'INVOICE'`,
    `delete from wallet where currency = 'XXX'`,
  ],
  'receivables-are-unpaid': [
    `update ledger_transaction set invoice_id = null where key = 'issue:INVOICE'`,
    `update ledger_transaction set invoice_id = 'INVOICE' where invoice_id is null`,
  ],
  'top-ups-due-are-open': [
    `update ledger_entry set account = 'top_ups_due'
      where account = 'receivable' and transaction_id = (select id from ledger_transaction where key = 'issue:INVOICE')`,
    `update ledger_entry set account = 'receivable' where account = 'top_ups_due'`,
  ],
  'wallet-applied-is-booked': [
    `update invoice set wallet_applied = 1 where id = 'INVOICE'`,
    `update invoice set wallet_applied = 0 where id = 'INVOICE'`,
  ],
  'cash-is-what-came': [
    `update ledger_transaction set invoice_id = null where reason = 'payment' and invoice_id = 'INVOICE'`,
    `update ledger_transaction set invoice_id = 'INVOICE' where invoice_id is null`,
  ],
  'refunds-payable-are-asked': [
    `update ledger_transaction set invoice_id = null where reason = 'refund'`,
    `update ledger_transaction set invoice_id = 'INVOICE' where invoice_id is null`,
  ],
  'charges-have-receipts': [
    `insert into payment_charge (merchant_id, id, invoice_id, customer_id, origin, provider, amount, currency, status,
                                 created_at, finished_at)
     select merchant_id, 'broken', id, customer_id, 'automatic', 'sandbox', 1, currency, 'accepted', now(), now()
       from invoice where id = 'INVOICE'`,
    `delete from payment_charge where id = 'broken'`,
  ],
  'charges-on-their-way-hold-their-invoice': [
    `insert into payment_charge (merchant_id, id, invoice_id, customer_id, origin, provider, amount, currency, status,
                                 created_at, next_action_at)
     select merchant_id, 'broken', id, customer_id, 'automatic', 'sandbox', 1, currency, 'intended', now(), now()
       from invoice where id = 'INVOICE'`,
    `delete from payment_charge where id = 'broken'`,
  ],
  'money-of-a-provider-is-taken-once': [
    `with taken as (
       update payment_receipt set provider = 'stripe' where invoice_id = 'INVOICE' returning *)
     insert into stray_payment (merchant_id, id, provider, provider_reference, amount, currency, reason, received_at,
                                return_status, returned_at)
     select merchant_id, 'broken', provider, provider_reference, amount, currency, 'too_late', now(), 'returned', now()
       from taken`,
    `with gone as (delete from stray_payment where id = 'broken')
     update payment_receipt set provider = 'sandbox' where invoice_id = 'INVOICE'`,
  ],
  'stray-money-is-owed-back': [
    `insert into stray_payment (merchant_id, id, provider, provider_reference, amount, currency, reason, received_at, next_action_at)
     select merchant_id, 'broken', 'stripe', 'ch_broken', 1, 'USD', 'too_late', now(), now() from invoice where id = 'INVOICE'`,
    `delete from stray_payment where id = 'broken'`,
  ],
  'disputes-are-booked': [
    `insert into payment_dispute (merchant_id, id, provider, charge_reference, payment_id, amount, currency, reason,
                                  status, withheld, bookings, created_at, updated_at)
     select merchant_id, 'broken', 'stripe', 'ch_broken', 'pay_broken', 1, 'USD', 'fraudulent', 'open', 1, 1, now(), now()
       from invoice where id = 'INVOICE'`,
    `delete from payment_dispute where id = 'broken'`,
  ],
  'customers-are-found': [
    `update customer set consumer_name = consumer_name || 'x'`,
    `update customer set consumer_name = left(consumer_name, -1)`,
  ],
  'list-counts-are-true': [
    `update list_count_change set change = change + 1 where list = 'invoice'`,
    `update list_count_change set change = change - 1 where list = 'invoice'`,
  ],
  'list-ranges-are-true': [
    `insert into list_range select merchant_id, 'invoice', 'issued_at', 1, '{BROKEN}', 1, 1, 1, 1 from invoice where id = 'INVOICE'`,
    `delete from list_range where facet = '{BROKEN}'`,
  ],
  'timelines-have-facts': [
    `update timeline_fact set what = 'invoice.lost' where what = 'invoice.issued' and invoice_id = 'INVOICE'`,
    `update timeline_fact set what = 'invoice.issued' where what = 'invoice.lost'`,
  ],
  'revenue-facts-are-true': [
    `update revenue_fact set amount = amount + 1 where id = 'INVOICE'`,
    `update revenue_fact set amount = amount - 1 where id = 'INVOICE'`,
  ],
  'revenue-sums-are-their-facts': [
    `update revenue_change set count = count + 1 where kind = 'invoice'`,
    `update revenue_change set count = count - 1 where kind = 'invoice'`,
  ],
  'revenue-is-booked': [
    `update ledger_transaction set invoice_id = null where key = 'issue:INVOICE'`,
    `update ledger_transaction set invoice_id = 'INVOICE' where invoice_id is null`,
  ],
};

/** The rows that break one invariant. */
const brokenRowsOf = ({ broken }: Invariant) =>
  env.database.transaction('every merchant, reading', (tx) => selectBroken(tx, broken));

/** The roll-ups that are not their events. */
async function untrueRollups(): Promise<BrokenRow[]> {
  const check: Check<unknown> = rollUps;
  const found: BrokenRow[] = [];
  let after: unknown = null;
  do {
    const from = after;
    const slice = await env.database.transaction('every merchant, reading', (tx) => check.next(tx, from));
    found.push(...slice.broken);
    after = slice.after;
  } while (after !== null);
  return found;
}

/** Statements that falsify a roll-up, and undo it. */
const FALSE_ROLLUPS: readonly { what: string; broken: string; undone: string }[] = [
  {
    what: 'a total',
    broken: 'update usage_rollup set total = total + 1 where total is not null',
    undone: 'update usage_rollup set total = total - 1 where total is not null',
  },
  {
    what: 'a count',
    broken: 'update usage_rollup set event_count = event_count + 1',
    undone: 'update usage_rollup set event_count = event_count - 1',
  },
  {
    what: 'a least value',
    broken: 'update usage_rollup set least_value = least_value - 1',
    undone: 'update usage_rollup set least_value = least_value + 1',
  },
  {
    what: 'a greatest value',
    broken: 'update usage_rollup set greatest_value = greatest_value + 1',
    undone: 'update usage_rollup set greatest_value = greatest_value - 1',
  },
  {
    what: 'the time of the first event of an hour',
    broken: `update usage_rollup set first_at = first_at + interval '1 microsecond'`,
    undone: `update usage_rollup set first_at = first_at - interval '1 microsecond'`,
  },
  {
    what: 'the time of the last event of an hour',
    broken: `update usage_rollup set last_at = last_at - interval '1 microsecond'`,
    undone: `update usage_rollup set last_at = last_at + interval '1 microsecond'`,
  },
  {
    what: 'a latest value',
    broken: 'update usage_rollup set latest_value = latest_value + 1',
    undone: 'update usage_rollup set latest_value = latest_value - 1',
  },
  {
    what: 'the time of a latest value',
    broken: `update usage_rollup set latest_at = latest_at + interval '1 microsecond'`,
    undone: `update usage_rollup set latest_at = latest_at - interval '1 microsecond'`,
  },
  {
    what: 'an hour',
    broken: `update usage_rollup set hour = hour + interval '1000 years'`,
    undone: `update usage_rollup set hour = hour - interval '1000 years'`,
  },
  {
    what: 'a group',
    broken: `update usage_rollup set group_values = array['us'] where group_values = array['eu']`,
    undone: `update usage_rollup set group_values = array['eu'] where group_values = array['us']`,
  },
  {
    what: 'a roll-up that is gone',
    broken: 'create table gone as select * from usage_rollup; delete from usage_rollup',
    undone: 'insert into usage_rollup select * from gone; drop table gone',
  },
  {
    what: 'one too many',
    broken: `insert into usage_rollup select merchant_id, definition_id, subject_id, hour, group_hash, 99, group_values, 1
       from usage_rollup`,
    undone: 'delete from usage_rollup where lane = 99',
  },
  {
    what: 'a different value that is gone',
    broken: 'create table gone as select * from usage_value; delete from usage_value',
    undone: 'insert into usage_value select * from gone; drop table gone',
  },
  {
    what: 'a different value that no event has',
    broken: `insert into usage_value select merchant_id, definition_id, subject_id, hour, group_hash,
               text_hash('nobody'), group_values from usage_value on conflict do nothing`,
    undone: `delete from usage_value where value_hash = text_hash('nobody')`,
  },
];

/**
 * Each test rolls back its damage, and checks only the damaged invariant. The last test checks all of them: a full
 * check after each test would double the time of this file.
 */
describe('the auditor', () => {
  it('finds nothing where nothing is wrong', async () => {
    expect(await audit(env.database)).toEqual([]);
  });

  it.each(FALSE_ROLLUPS)('finds in a roll-up $what', async ({ broken, undone }) => {
    const { rowCount } = await client.query(broken).then((done) => [done].flat()[0] as pg.QueryResult);
    const found = await audit(env.database);
    await client.query(undone);
    expect(rowCount).not.toBe(0);
    expect(found.map(({ name }) => name)).toEqual(['rollups-are-their-events']);
    expect(found[0]?.count).toBeGreaterThan(0);
    expect(await untrueRollups()).toEqual([]);
  });

  it.each(invariants)('finds what breaks $name', async (invariant) => {
    const { name } = invariant;
    const [broken, undone] = BREAKS[name] ?? ['nothing is known that breaks it', ''];
    await client.query(broken.replaceAll('INVOICE', invoice.id));
    const found = await audit(env.database);
    await client.query(undone.replaceAll('INVOICE', invoice.id));
    expect(found.map((violation) => violation.name)).toContain(name);
    expect(found.find((violation) => violation.name === name)?.examples[0]?.detail).not.toBe('');
    expect(await brokenRowsOf(invariant)).toEqual([]);
  });

  it('finds nothing where all is undone', async () => {
    expect(await audit(env.database)).toEqual([]);
  });
});
