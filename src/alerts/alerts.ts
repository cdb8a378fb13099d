import { findMetric } from '../catalog/index.ts';
import { effectiveNowForReading } from '../clocks/index.ts';
import { findCustomer } from '../customers/index.ts';
import { checkReference, type Tx } from '../db/index.ts';
import { findEntitlement } from '../entitlements/index.ts';
import type { PageRequest } from '../http/index.ts';
import { findUsagePeriod } from '../invoicing/index.ts';
import { jsonNumber, plain } from '../kernel/decimal.ts';
import { newId } from '../kernel/ids.ts';
import { fail, invalid, notFound, ok, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import type { Alert, AlertRule, AlertTrigger } from './alert.ts';
import {
  type AlertFilter,
  deleteAlertRow,
  insertAlert,
  lockAlert,
  selectAlert,
  selectAlertPage,
  selectLastTriggered,
  selectTriggerPage,
  updateAlert,
} from './alerts.sql.ts';
import { blockingFaults, ruleFaults, ruleOf, targetFaults } from './body.ts';
import { isReached, toldValue } from './decide.ts';
import type { AlertDependencies } from './dependencies.ts';
import { readPresent } from './figures.ts';
import type { AlertBody, AlertUpdateBody } from './schemas.ts';

type Target = Pick<Alert, 'customerId' | 'clockId'>;

/** The rule of an alert, as it is answered. */
const toRuleReply = ({ threshold, percent, whole }: Omit<AlertRule, 'type'>) => ({
  threshold: threshold && plain(threshold),
  percent: percent && jsonNumber(percent),
  limit: whole && plain(whole),
});

/** Some alerts as they are answered, each with its figure as it stands. */
async function toAlertReplies(dependencies: AlertDependencies, tx: Tx, alerts: readonly Alert[], wall: Instant) {
  const last = await selectLastTriggered(tx, alerts);
  const replies = [];
  for (const alert of alerts) {
    const own = tx.of(alert.merchantId);
    const now = await effectiveNowForReading(own, alert.clockId, wall);
    const { reading, clockId } = await readPresent(dependencies, own, alert, now);
    const triggeredAt = last.get(alert.id);
    replies.push({
      id: alert.id,
      object: 'alert' as const,
      merchantId: alert.merchantId,
      type: alert.type,
      name: alert.name,
      customerId: alert.customerId,
      entitlementId: alert.entitlementId,
      subscriptionId: alert.subscriptionId,
      billableMetricId: alert.billableMetricId,
      period: alert.period,
      currency: alert.currency,
      ...toRuleReply(alert),
      blocksAccess: alert.blocksAccess,
      notifyCustomer: alert.notifiesCustomer,
      currentValue: reading && plain(toldValue(reading)),
      isReached: reading !== null && isReached(alert, reading),
      periodStart: reading && formatInstant(reading.period.start),
      periodEnd: reading?.period.end ? formatInstant(reading.period.end) : null,
      lastTriggeredAt: triggeredAt ? formatInstant(triggeredAt) : null,
      testClockId: clockId,
      metadata: alert.metadata,
      createdAt: formatInstant(alert.createdAt),
      updatedAt: formatInstant(alert.updatedAt),
    });
  }
  return replies;
}

async function toAlertReply(dependencies: AlertDependencies, tx: Tx, alert: Alert, wall: Instant) {
  const [reply] = await toAlertReplies(dependencies, tx, [alert], wall);
  return ok(reply);
}

/** Creates an alert and evaluates it at once, so it is triggered if its figure has reached the threshold already. */
export async function createAlert(
  dependencies: AlertDependencies,
  tx: Tx,
  body: AlertBody,
  wall: Instant,
): Promise<Result<unknown>> {
  const rule = ruleOf(body, { type: body.type, threshold: null, percent: null, whole: null });
  const blocksAccess = body.blocksAccess ?? false;
  const faults = [...targetFaults(body), ...ruleFaults(body, rule), ...blockingFaults(body.type, blocksAccess)];
  if (faults.length > 0) return invalid(faults);
  const target = await findTarget(dependencies, tx, body);
  if (!target.ok) return target;
  const { customerId, clockId } = target.value;
  const now = await effectiveNowForReading(tx, clockId, wall);
  const alert = await insertAlert(tx, {
    ...rule,
    merchantId: tx.merchantId,
    id: newId('alert'),
    name: body.name ?? null,
    customerId,
    entitlementId: body.entitlementId ?? null,
    subscriptionId: body.subscriptionId ?? null,
    billableMetricId: body.billableMetricId ?? null,
    period: body.type === 'usage' ? (body.period ?? 'billing') : null,
    currency: body.currency ?? null,
    blocksAccess,
    notifiesCustomer: body.notifyCustomer ?? false,
    metadata: body.metadata ?? {},
    clockId,
    periodStart: null,
    periodEnd: null,
    invoiceId: null,
    isReached: false,
    lookedAt: now,
    nextActionAt: now,
    createdAt: now,
    updatedAt: now,
  });
  return toAlertReply(dependencies, tx, alert, wall);
}

/** The customer whose figure is watched, and the clock of its time. 404 and 403 name the field. */
async function findTarget({ invoicing }: AlertDependencies, tx: Tx, body: AlertBody): Promise<Result<Target>> {
  if (body.type === 'balance') {
    const id = body.entitlementId as string;
    const owned = await checkReference(tx, 'entitlement', id, 'entitlementId');
    if (!owned.ok) return owned;
    const entitlement = await findEntitlement(tx, id);
    if (!entitlement) return notFound('entitlement', 'entitlementId');
    if (entitlement.featureType !== 'metered') return fail('ENTITLEMENT_NOT_METERED');
    return ok({ customerId: entitlement.customerId, clockId: entitlement.clockId });
  }
  if (body.type === 'invoice_total') {
    const id = body.subscriptionId as string;
    const owned = await checkReference(tx, 'subscription', id, 'subscriptionId');
    if (!owned.ok) return owned;
    const { customerId, clockId } = await invoicing.source.terms(tx, id);
    return ok({ customerId, clockId });
  }
  const customerId = body.customerId as string;
  const customer = await checkReference(tx, 'customer', customerId, 'customerId');
  if (!customer.ok) return customer;
  if (!(await findCustomer(tx, customerId))) return notFound('customer', 'customerId');
  if (body.type === 'billing_credits')
    return ok({ customerId, clockId: await invoicing.source.clockOf(tx, customerId) });
  const metricId = body.billableMetricId as string;
  const metric = await checkReference(tx, 'billable metric', metricId, 'billableMetricId');
  if (!metric.ok) return metric;
  if (!(await findMetric(tx, metricId))) return notFound('billable metric', 'billableMetricId');
  const running = await findUsagePeriod(invoicing.source, tx, { customerId, metricId });
  return ok({ customerId, clockId: running?.clockId ?? null });
}

/**
 * Changes the fields of the body, and starts an evaluation. An alert that was triggered in a period is not triggered
 * again in it.
 */
export async function changeAlert(
  dependencies: AlertDependencies,
  tx: Tx,
  id: string,
  body: AlertUpdateBody,
  wall: Instant,
): Promise<Result<unknown>> {
  const before = await lockAlert(tx, id);
  if (!before) return notFound('alert');
  const rule = ruleOf(body, before);
  const blocksAccess = body.blocksAccess ?? before.blocksAccess;
  const faults = [...ruleFaults(body, rule), ...blockingFaults(before.type, blocksAccess)];
  if (faults.length > 0) return invalid(faults);
  const now = await effectiveNowForReading(tx, before.clockId, wall);
  const alert = await updateAlert(tx, {
    ...before,
    ...rule,
    name: body.name === undefined ? before.name : body.name,
    blocksAccess,
    notifiesCustomer: body.notifyCustomer ?? before.notifiesCustomer,
    metadata: body.metadata ?? before.metadata,
    nextActionAt: now,
    updatedAt: now,
  });
  return toAlertReply(dependencies, tx, alert, wall);
}

/** One alert; 404. */
export async function getAlert(
  dependencies: AlertDependencies,
  tx: Tx,
  id: string,
  wall: Instant,
): Promise<Result<unknown>> {
  const alert = await selectAlert(tx, id);
  return alert ? toAlertReply(dependencies, tx, alert, wall) : notFound('alert');
}

/** Alerts of one merchant, or (null, for operators) of all, newest first. */
export async function listAlerts(
  dependencies: AlertDependencies,
  tx: Tx,
  merchantId: string | null,
  filter: AlertFilter,
  page: PageRequest,
  wall: Instant,
) {
  const { rows, total } = await selectAlertPage(tx, merchantId, filter, page);
  return { data: await toAlertReplies(dependencies, tx, rows, wall), total };
}

/** Deletes an alert with its triggers. */
export const deleteAlert = async (tx: Tx, id: string): Promise<Result<undefined>> =>
  (await deleteAlertRow(tx, id)) ? ok(undefined) : notFound('alert');

const toTriggerReply = (trigger: AlertTrigger) => ({
  object: 'alertTrigger' as const,
  alertId: trigger.alertId,
  periodStart: formatInstant(trigger.periodStart),
  periodEnd: trigger.periodEnd && formatInstant(trigger.periodEnd),
  ...toRuleReply(trigger),
  value: plain(trigger.value),
  webhookEventId: trigger.webhookEventId,
  triggeredAt: formatInstant(trigger.triggeredAt),
});

/** The triggers of an alert, newest first; 404. */
export async function listTriggers(
  tx: Tx,
  id: string,
  page: PageRequest,
): Promise<Result<{ data: ReturnType<typeof toTriggerReply>[]; total: number }>> {
  if (!(await selectAlert(tx, id))) return notFound('alert');
  const { rows, total } = await selectTriggerPage(tx, id, page);
  return ok({ data: rows.map(toTriggerReply), total });
}
