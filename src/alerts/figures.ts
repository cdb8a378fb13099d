import { findMetric } from '../catalog/index.ts';
import type { Tx } from '../db/index.ts';
import { findWatchedBalances, findWhenUsed } from '../entitlements/index.ts';
import {
  findCredits,
  findPeriodTotal,
  findPeriodTotals,
  findRunningPeriod,
  findUsagePeriod,
} from '../invoicing/index.ts';
import { ZERO } from '../kernel/decimal.ts';
import { earliest, type Instant, isAfter, isBefore, microsecondsBetween, type Period } from '../kernel/time.ts';
import {
  whenReached as firstReached,
  isOverTime,
  type LevelFrom,
  levelsIn,
  type Meter,
  measureEach,
  subjectsOfEach,
  type UsageScope,
  unitOfTime,
} from '../metering/index.ts';
import type { Alert } from './alert.ts';
import { type Reading, untilReached } from './decide.ts';
import type { AlertDependencies } from './dependencies.ts';
import { calendarPeriod } from './periods.ts';

/** A figure as it stands, and the test clock by which its period goes. */
export interface Present {
  readonly reading: Reading | null;
  readonly clockId: string | null;
}

/**
 * The figure of an alert in its present period.
 * @param now effective now of the alert
 */
export async function readPresent(
  dependencies: AlertDependencies,
  tx: Tx,
  alert: Alert,
  now: Instant,
): Promise<Present> {
  const { clockId } = alert;
  switch (alert.type) {
    case 'balance':
      return { clockId, reading: await readBalance(tx, alert, null, now) };
    case 'invoice_total':
      return { clockId, reading: await readTotal(dependencies, tx, alert) };
    case 'usage':
      return readUsage(dependencies, tx, alert, now);
    case 'billing_credits':
      return { clockId, reading: await readCredits(dependencies, tx, alert, now) };
  }
}

/**
 * The figure of the period that was watched last, as of its end, where that has come; null: it has not, or there is no
 * figure. `coming`: its invoice is being calculated.
 */
export async function readEnded(
  dependencies: AlertDependencies,
  tx: Tx,
  alert: Alert,
  now: Instant,
): Promise<Reading | 'coming' | null> {
  const { periodStart: start, periodEnd: end, invoiceId } = alert;
  if (start === null || end === null || isAfter(end, now)) return null;
  const period = { start, end };
  switch (alert.type) {
    case 'balance':
      return readBalance(tx, alert, end.subtract({ microseconds: 1 }), now);
    case 'invoice_total': {
      if (invoiceId === null) return null;
      const total = await findPeriodTotal(dependencies.invoicing, tx, invoiceId);
      return total === 'coming' ? total : total && { period, invoiceId, value: total, used: ZERO };
    }
    case 'usage':
      return { period, invoiceId, ...(await measure(tx, alert, period, now)) };
    case 'billing_credits':
      return null; // its period has no end
  }
}

async function readBalance(tx: Tx, alert: Alert, at: Instant | null, now: Instant): Promise<Reading | null> {
  const [reading] = await readBalances(tx, [{ alert, at, now }]);
  return reading ?? null;
}

/** The balances of some alerts of one merchant, in their order. */
async function readBalances(
  tx: Tx,
  asked: readonly (KnownAlert & { readonly at: Instant | null })[],
): Promise<(Reading | null)[]> {
  const [first] = asked;
  if (!first) return [];
  const found = await findWatchedBalances(
    tx,
    asked.map(({ alert, at, now }) => ({ entitlementId: alert.entitlementId as string, at, now })),
  );
  return found.map(
    (each) =>
      each && {
        ...{ period: each.period, invoiceId: null, value: each.balance, used: each.used },
        isOverTime: each.isOverTime,
      },
  );
}

async function readTotal({ invoicing }: AlertDependencies, tx: Tx, alert: Alert): Promise<Reading | null> {
  const { subscriptionId } = alert;
  const period = await findRunningPeriod(invoicing.source, tx, subscriptionId as string);
  const value = period && (await findPeriodTotal(invoicing, tx, period.invoiceId));
  return value && value !== 'coming' ? { period, invoiceId: period.invoiceId, value, used: ZERO } : null;
}

/** Its period is the time since the last credit began: another one may be used up anew. */
async function readCredits(
  { invoicing }: AlertDependencies,
  tx: Tx,
  { customerId, currency, clockId }: Alert,
  now: Instant,
): Promise<Reading | null> {
  const found = await findCredits(invoicing, tx, { customerId, currency: currency as string, clockId }, now);
  if (!found) return null;
  const { available, granted, since } = found;
  return { period: { start: since, end: null }, invoiceId: null, value: available, used: granted.minus(available) };
}

/** If nobody bills the usage, a billing period is a calendar month. */
async function readUsage({ invoicing }: AlertDependencies, tx: Tx, alert: Alert, now: Instant): Promise<Present> {
  const { customerId, billableMetricId, period } = alert;
  const of = { customerId, metricId: billableMetricId as string };
  const running = period === 'billing' ? await findUsagePeriod(invoicing.source, tx, of) : null;
  const clockId = running === null ? alert.clockId : running.clockId;
  const watched = running ?? calendarPeriod(period === 'billing' || period === null ? 'month' : period, now);
  const figure = await measure(tx, alert, watched, now);
  const reading = { period: watched, invoiceId: running?.invoiceId ?? null, ...figure };
  return { clockId, reading };
}

/** All usage of the customer and of its subscriptions in a period, also usage with a later time. */
async function measure(tx: Tx, alert: Alert, { start, end }: Period, now: Instant): Promise<Figure> {
  const [figure] = await measureKnown(tx, [{ alert: { ...alert, periodStart: start, periodEnd: end }, now }]);
  return figure as Figure;
}

/** A figure without its period. */
export type Figure = Pick<Reading, 'value' | 'used' | 'isOverTime'>;

/** An alert that knows its period, and its effective now. */
export interface KnownAlert {
  readonly alert: Alert;
  readonly now: Instant;
}

/**
 * The figures of some alerts of one merchant that know their period, in their order; null where one cannot be read.
 * Balances and totals of invoices are each read together, and usage of one metric for all in one statement.
 */
export async function readKnown(
  dependencies: AlertDependencies,
  tx: Tx,
  known: readonly KnownAlert[],
): Promise<(Figure | null)[]> {
  const figures = new Map<string, Figure | null>();
  const byType = Object.groupBy(known, ({ alert }) => alert.type);
  const { usage = [], balance = [], invoice_total: totals = [], billing_credits: credits = [] } = byType;
  for (const ofOne of Map.groupBy(usage, ({ alert }) => alert.billableMetricId).values())
    for (const [index, figure] of (await measureKnown(tx, ofOne)).entries())
      figures.set((ofOne[index] as KnownAlert).alert.id, figure);
  const balances = await readBalances(
    tx,
    balance.map((each) => ({ ...each, at: null })),
  );
  for (const [index, { alert }] of balance.entries()) figures.set(alert.id, balances[index] ?? null);
  for (const { alert, now } of credits) figures.set(alert.id, await readCredits(dependencies, tx, alert, now));
  const standing = await readTotals(
    dependencies,
    tx,
    totals.map(({ alert }) => alert),
  );
  for (const [index, { alert }] of totals.entries()) figures.set(alert.id, standing[index] ?? null);
  return known.map(({ alert }) => figures.get(alert.id) ?? null);
}

/** The totals of the invoices that give some alerts of one merchant their periods, in the order of the alerts. */
async function readTotals(
  { invoicing }: AlertDependencies,
  tx: Tx,
  alerts: readonly Alert[],
): Promise<(Figure | null)[]> {
  const [first] = alerts;
  if (!first) return [];
  const invoiceIds = alerts.flatMap(({ invoiceId }) => invoiceId ?? []);
  const totalOf = await findPeriodTotals(invoicing, tx, [...new Set(invoiceIds)]);
  return alerts.map(({ invoiceId }) => {
    const value = invoiceId === null ? null : totalOf(invoiceId);
    return value && value !== 'coming' ? { value, used: ZERO } : null;
  });
}

/** The usage of one metric, of each alert in its own period. A level over time counts until now. */
async function measureKnown(tx: Tx, known: readonly KnownAlert[]): Promise<Figure[]> {
  const [first] = known;
  if (!first) return [];
  const meter = await findMetric(tx, first.alert.billableMetricId as string);
  if (!meter) return known.map(() => ({ value: ZERO, used: ZERO }));
  const subjects = await subjectsOfEach(tx, [...new Set(known.map(({ alert }) => alert.customerId))]);
  const questions = known.map(({ alert, now }): UsageScope => {
    const period = { start: alert.periodStart as Instant, end: alert.periodEnd as Instant };
    const to = isOverTime(meter) ? earliest(period.end, now) : period.end;
    return { ...scopeOf(alert, meter, subjects, { start: period.start, end: to }), wholePeriod: period };
  });
  const figures = await measureEach(tx, questions);
  return figures.map(({ value, exact }) => ({ value: exact ?? value, used: ZERO, isOverTime: isOverTime(meter) }));
}

/** The usage of the customer of an alert and of its subscriptions in some time. */
function scopeOf(
  { merchantId, customerId }: Alert,
  meter: Meter,
  subjects: ReadonlyMap<string, readonly string[]>,
  { start: from, end: to }: Period,
): UsageScope {
  const sources = (subjects.get(customerId) ?? [customerId]).map((subject) => ({ subject, from, to }));
  return { merchantId, meter, sources, from, to };
}

/** So many known changes of a level are read at once. */
const MOST_CHANGES = 100;

/**
 * When a figure over time reaches the threshold, by the events that are known, or when to look again; null: never as
 * it stands, or the figure is of events alone.
 */
export async function whenReached(tx: Tx, alert: Alert, reading: Reading, now: Instant): Promise<Instant | null> {
  const amount = reading.isOverTime ? untilReached(alert, reading) : null;
  if (amount === null) return null;
  if (alert.type === 'balance') return findWhenUsed(tx, alert.entitlementId as string, amount, now);
  const meter = await findMetric(tx, alert.billableMetricId as string);
  const { start, end } = reading.period;
  if (!meter || end === null || !isBefore(now, end)) return null;
  const subjects = await subjectsOfEach(tx, [alert.customerId]);
  const levels = await levelsIn(tx, scopeOf(alert, meter, subjects, { start: now, end }), MOST_CHANGES);
  const unit = unitOfTime(meter) ?? microsecondsBetween(start, end);
  const last = levels.length > MOST_CHANGES ? (levels.at(-1) as LevelFrom).at : end;
  const reached = firstReached([{ levels, unit }], amount);
  return reached && isBefore(reached, last) ? reached : last;
}

/** Does an alert know its period, so that only the figure has to be read? */
export const isInPeriod = ({ periodStart, periodEnd }: Alert, now: Instant): boolean =>
  periodStart !== null && !isBefore(now, periodStart) && (periodEnd === null || isBefore(now, periodEnd));
