import type { Tx } from '../db/index.ts';
import { findInvoice } from '../invoicing/index.ts';
import { jsonNumber, plain } from '../kernel/decimal.ts';
import { type Instant, isAfter } from '../kernel/time.ts';
import { publish } from '../webhooks/index.ts';
import type { Alert, AlertTrigger } from './alert.ts';
import { hasTriggered, insertTrigger, updateEvaluation } from './alerts.sql.ts';
import { decideEvaluation, nextEvaluation, type Reading, toldValue } from './decide.ts';
import type { AlertDependencies } from './dependencies.ts';
import { readEnded, readPresent, whenReached } from './figures.ts';

/** An invoice that is being calculated has its total by then. */
const SOON = { seconds: 2 };

/**
 * Evaluates a locked alert: reads its figure, triggers the alert if the figure has reached the threshold for the first
 * time in this period, and stores the time of the next evaluation.
 * @param now effective now of the alert
 */
export async function evaluateAlert(
  dependencies: AlertDependencies,
  tx: Tx,
  alert: Alert,
  now: Instant,
  by: 'step' | 'event' = 'step',
): Promise<Alert> {
  const ended = await readEnded(dependencies, tx, alert, now);
  if (ended === 'coming') {
    // a step follows
    if (by === 'event' && alert.nextActionAt !== null && !isAfter(alert.nextActionAt, now)) return alert;
    return updateEvaluation(tx, alert, { ...alert, lookedAt: now, nextActionAt: now.add(SOON) });
  }
  const { reading, clockId } = await readPresent(dependencies, tx, alert, now);
  const { reached, present, isReached } = decideEvaluation(alert, ended, reading);
  for (const each of reached) await triggerAlert(dependencies, tx, alert, each, now);
  return updateEvaluation(tx, alert, {
    clockId,
    periodStart: present?.period.start ?? null,
    periodEnd: present?.period.end ?? null,
    invoiceId: present?.invoiceId ?? null,
    isReached,
    lookedAt: now,
    nextActionAt: nextEvaluation(
      present,
      clockId !== null,
      now,
      present && (await whenReached(tx, alert, present, now)),
    ),
  });
}

/** Triggers an alert, once in a period. The webhook, the row of the trigger, and the mail commit together. */
async function triggerAlert(
  dependencies: AlertDependencies,
  tx: Tx,
  alert: Alert,
  reading: Reading,
  now: Instant,
): Promise<void> {
  const { period, invoiceId } = reading;
  if (await hasTriggered(tx, alert, period.start)) return;
  const value = toldValue(reading);
  const { merchantId, id: alertId, threshold, percent, whole, type, name } = alert;
  const invoice = type === 'invoice_total' && invoiceId !== null ? await findInvoice(tx, invoiceId) : null;
  const currency = alert.currency ?? invoice?.currency ?? null;
  const data = {
    alertId,
    ...{ type, name, value: plain(value), currency },
    ...{ threshold: threshold && plain(threshold), percent: percent && jsonNumber(percent) },
    customerId: alert.customerId,
    entitlementId: alert.entitlementId,
    subscriptionId: alert.subscriptionId,
    billableMetricId: alert.billableMetricId,
    periodStart: period.start.toString(),
  };
  const webhookEventId = await publish(tx, { merchantId, type: 'alert.triggered.v0', data }, now);
  const trigger: AlertTrigger = {
    ...{ merchantId, alertId, periodStart: period.start, periodEnd: period.end },
    ...{ threshold, percent, whole, value, webhookEventId, triggeredAt: now },
  };
  await insertTrigger(tx, trigger);
  await dependencies.write(tx, alert, trigger, currency, now);
}
