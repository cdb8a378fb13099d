import { revenueSummary } from '../analytics/index.ts';
import { findFirstAdvance } from '../clocks/index.ts';
import { type CountedList, keptByStatus, type Tx } from '../db/index.ts';
import type { EnvironmentName } from '../identity/index.ts';
import { findFirstPaid, findFirstPriced, findUnpaidSums } from '../invoicing/index.ts';
import { countParkedOfMerchant } from '../jobs/index.ts';
import type { Decimal } from '../kernel/decimal.ts';
import { formatMoney } from '../kernel/money.ts';
import { ok, orThrow, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import { countEventsByDay, type EventsOfDay, findFirstAccepted } from '../metering/index.ts';
import { countEndingSubscriptions } from '../subscriptions/index.ts';
import { findEndpointHealth } from '../webhooks/index.ts';
import { toChecklist } from './checklist.ts';
import type { OverviewReply } from './schemas.ts';

const MONTHS = 12;
const DAYS = 30;

/** GET /v0/overview: each figure comes from the source of the list that shows its records (docs/decisions/0241). */
export async function overview(tx: Tx, environment: EnvironmentName, now: Instant): Promise<Result<OverviewReply>> {
  const sums = await findUnpaidSums(tx, now);
  const counts = await keptByStatus(tx, ['invoice', 'mail', 'subscription']);
  const countOf = (list: CountedList, status: string): number =>
    counts.find((each) => each.list === list && each.status === status)?.count ?? 0;
  const parked = await countParkedOfMerchant(tx);
  const endpoints = await findEndpointHealth(tx);
  const days = lastDays(now);
  return ok({
    object: 'overview',
    merchantId: tx.merchantId,
    at: formatInstant(now),
    unpaid: toSums(sums, (sum) => [sum.unpaidCount, sum.unpaid]),
    overdue: toSums(sums, (sum) => [sum.overdueCount, sum.overdue]),
    failedPayments: toSums(sums, (sum) => [sum.failedCount, sum.failed]),
    invoices: { failed: countOf('invoice', 'FAILED'), draft: countOf('invoice', 'DRAFT') },
    parkedJobs: parked.map(({ kind, parked: count }) => ({ kind, count })),
    webhookEndpoints: { failing: endpoints.failing, disabled: endpoints.disabled },
    mails: { held: countOf('mail', 'held'), failed: countOf('mail', 'failed') },
    subscriptions: {
      active: countOf('subscription', 'active'),
      pendingPayment: countOf('subscription', 'pending_payment'),
      ending: await countEndingSubscriptions(tx),
    },
    revenue: await revenueByMonth(tx, now),
    events: withAllDays(days, await countEventsByDay(tx, days.from, days.until)),
    checklist: toChecklist(environment, {
      eventReceived: await findFirstAccepted(tx),
      eventPriced: await findFirstPriced(tx),
      clockAdvanced: environment === 'sandbox' ? await findFirstAdvance(tx) : null,
      invoicePaid: await findFirstPaid(tx),
      webhookDelivered: endpoints.firstDeliveredAt,
    }),
  });
}

type Sum = Awaited<ReturnType<typeof findUnpaidSums>>[number];

/** The currencies of a figure with at least one invoice. */
const toSums = (sums: readonly Sum[], of: (sum: Sum) => readonly [count: number, amount: Decimal]) =>
  sums.flatMap((sum) => {
    const [count, amount] = of(sum);
    return count === 0 ? [] : [{ currency: sum.currency, count, amount: formatMoney(amount, sum.currency) }];
  });

/** The net revenue of the last months, as GET /v0/revenue reports it. */
async function revenueByMonth(tx: Tx, now: Instant): Promise<OverviewReply['revenue']> {
  const month = now.toZonedDateTimeISO('UTC').with({ day: 1 }).startOfDay();
  const { currencyBreakdown } = orThrow(
    await revenueSummary(tx, {
      startTime: formatInstant(month.subtract({ months: MONTHS - 1 }).toInstant()),
      endTime: formatInstant(month.add({ months: 1 }).toInstant()),
      bucketWidth: 'month',
    }),
  );
  return currencyBreakdown.map(({ currency, trend }) => ({
    currency,
    months: trend.map(({ timestamp, netRevenue }) => ({ month: timestamp, netRevenue })),
  }));
}

interface Days {
  readonly from: Instant;
  readonly until: Instant;
  readonly names: readonly string[];
}

/** The last days, with today. */
function lastDays(now: Instant): Days {
  const until = now.toZonedDateTimeISO('UTC').startOfDay().add({ days: 1 });
  const from = until.subtract({ days: DAYS });
  const names = Array.from({ length: DAYS }, (_, n) => from.add({ days: n }).toPlainDate().toString());
  return { from: from.toInstant(), until: until.toInstant(), names };
}

function withAllDays({ names }: Days, found: readonly EventsOfDay[]): OverviewReply['events'] {
  const counts = new Map(found.map(({ day, count }) => [day, count]));
  return names.map((day) => ({ day, count: counts.get(day) ?? 0 }));
}
