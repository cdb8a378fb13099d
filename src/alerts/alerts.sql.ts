import { allOf, jsonb, pageOfRows, sql, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Alert, AlertTrigger, AlertType } from './alert.ts';

const COLUMNS = sql`merchant_id, id, type, name, customer_id,
  entitlement_id, subscription_id, billable_metric_id,
  period, currency, threshold, percent, whole, blocks_access, notifies_customer, metadata,
  clock_id, period_start, period_end, invoice_id,
  is_reached, looked_at, next_action_at, created_at,
  updated_at`;

export const insertAlert = (tx: Tx, alert: Alert): Promise<Alert> =>
  tx.one<Alert>(sql`
    insert into alert (merchant_id, id, type, name, customer_id, entitlement_id, subscription_id, billable_metric_id,
                       period, currency, threshold, percent, whole, blocks_access, notifies_customer, metadata, clock_id,
                       is_reached, looked_at, next_action_at, created_at, updated_at)
    values (${alert.merchantId}, ${alert.id}, ${alert.type}, ${alert.name}, ${alert.customerId}, ${alert.entitlementId},
            ${alert.subscriptionId}, ${alert.billableMetricId}, ${alert.period}, ${alert.currency}, ${alert.threshold}, ${alert.percent},
            ${alert.whole}, ${alert.blocksAccess}, ${alert.notifiesCustomer}, ${jsonb(alert.metadata)},
            ${alert.clockId}, ${alert.isReached}, ${alert.lookedAt}, ${alert.nextActionAt}, ${alert.createdAt},
            ${alert.updatedAt})
    returning ${COLUMNS}`);

export const selectAlert = (tx: Tx, id: string): Promise<Alert | undefined> =>
  tx.maybe<Alert>(sql`select ${COLUMNS} from alert where merchant_id = ${tx.merchantId} and id = ${id}`);

export const selectAlertsById = (tx: Tx, ids: readonly string[]): Promise<Alert[]> =>
  tx.rows<Alert>(sql`
    select ${COLUMNS} from alert where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[]) order by id`);

/** Locks an alert, so that concurrent evaluations of it wait for each other. Its clock is locked before. */
export const lockAlert = (tx: Tx, id: string): Promise<Alert | undefined> =>
  tx.maybe<Alert>(sql`
    select ${COLUMNS} from alert where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

export interface AlertFilter {
  readonly type?: AlertType | undefined;
  readonly customerId?: string | undefined;
  readonly entitlementId?: string | undefined;
  readonly subscriptionId?: string | undefined;
  readonly billableMetricId?: string | undefined;
}

/** Newest first; of one merchant, or (null, for operators) of all. */
export const selectAlertPage = (tx: Tx, merchantId: string | null, filter: AlertFilter, page: PageRequest) =>
  pageOfRows<Alert>(
    tx,
    {
      kind: 'alert',
      select: COLUMNS,
      from: sql`alert`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        filter.type !== undefined && sql`type = ${filter.type}`,
        filter.customerId !== undefined && sql`customer_id = ${filter.customerId}`,
        filter.entitlementId !== undefined && sql`entitlement_id = ${filter.entitlementId}`,
        filter.subscriptionId !== undefined && sql`subscription_id = ${filter.subscriptionId}`,
        filter.billableMetricId !== undefined && sql`billable_metric_id = ${filter.billableMetricId}`,
      ]),
    },
    page,
  );

/** Stores the fields of an alert that its owner sets. */
export const updateAlert = (tx: Tx, alert: Alert): Promise<Alert> =>
  tx.one<Alert>(sql`
    update alert
       set name = ${alert.name}, threshold = ${alert.threshold}, percent = ${alert.percent}, whole = ${alert.whole},
           blocks_access = ${alert.blocksAccess}, notifies_customer = ${alert.notifiesCustomer},
           metadata = ${jsonb(alert.metadata)}, next_action_at = ${alert.nextActionAt}, updated_at = ${alert.updatedAt}
     where merchant_id = ${alert.merchantId} and id = ${alert.id}
    returning ${COLUMNS}`);

/** The result of an evaluation. */
export type EvaluationChanges = Pick<
  Alert,
  'clockId' | 'periodStart' | 'periodEnd' | 'invoiceId' | 'isReached' | 'lookedAt' | 'nextActionAt'
>;

export const updateEvaluation = (
  tx: Tx,
  { merchantId, id }: Pick<Alert, 'merchantId' | 'id'>,
  evaluation: EvaluationChanges,
): Promise<Alert> =>
  tx.one<Alert>(sql`
    update alert
       set clock_id = ${evaluation.clockId}, period_start = ${evaluation.periodStart},
           period_end = ${evaluation.periodEnd}, invoice_id = ${evaluation.invoiceId},
           is_reached = ${evaluation.isReached}, looked_at = ${evaluation.lookedAt},
           next_action_at = ${evaluation.nextActionAt}
     where merchant_id = ${merchantId} and id = ${id}
    returning ${COLUMNS}`);

export const deleteAlertRow = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.run(sql`delete from alert where merchant_id = ${tx.merchantId} and id = ${id}`)) === 1;

const TRIGGER_COLUMNS = sql`merchant_id, alert_id, period_start,
  period_end, threshold, percent, whole, value, webhook_event_id,
  triggered_at`;

/** Was it triggered in this period? The alert is locked, so no other process writes a trigger at the same time. */
export const hasTriggered = async (
  tx: Tx,
  { merchantId, id }: Pick<Alert, 'merchantId' | 'id'>,
  periodStart: Instant,
): Promise<boolean> =>
  (await tx.maybe(sql`
    select 1 from alert_trigger
     where merchant_id = ${merchantId} and alert_id = ${id} and period_start = ${periodStart}`)) !== undefined;

export const insertTrigger = (tx: Tx, trigger: AlertTrigger): Promise<number> =>
  tx.run(sql`
    insert into alert_trigger (merchant_id, alert_id, period_start, period_end, threshold, percent, whole, value,
                               webhook_event_id, triggered_at)
    values (${trigger.merchantId}, ${trigger.alertId}, ${trigger.periodStart}, ${trigger.periodEnd},
            ${trigger.threshold}, ${trigger.percent}, ${trigger.whole}, ${trigger.value}, ${trigger.webhookEventId},
            ${trigger.triggeredAt})`);

/** Newest first. */
export const selectTriggerPage = (tx: Tx, alertId: string, page: PageRequest) =>
  pageOfRows<AlertTrigger>(
    tx,
    {
      kind: 'webhookEvent',
      select: TRIGGER_COLUMNS,
      from: sql`alert_trigger`,
      id: sql`webhook_event_id`,
      exists: sql`merchant_id = ${tx.merchantId} and alert_id = ${alertId}`,
    },
    page,
  );

/** The last trigger of each of some alerts. An alert without a trigger is left out. */
export async function selectLastTriggered(
  tx: Tx,
  alerts: readonly Pick<Alert, 'merchantId' | 'id'>[],
): Promise<ReadonlyMap<string, Instant>> {
  const rows = await tx.rows<{ id: string; at: Instant }>(sql`
    select alert_id as id, max(triggered_at) as at from alert_trigger
     where merchant_id = any (${[...new Set(alerts.map(({ merchantId }) => merchantId))]}::text[])
       and alert_id = any (${alerts.map(({ id }) => id)}::text[])
     group by alert_id`);
  return new Map(rows.map(({ id, at }) => [id, at]));
}
