import { decimal, decimalOrNull, ZERO } from '../kernel/decimal.ts';
import type { FieldError } from '../kernel/result.ts';
import { type AlertRule, type AlertType, isFalling } from './alert.ts';
import type { AlertBody, AlertUpdateBody } from './schemas.ts';

/** The figure of each type. */
const TARGETS = {
  balance: ['entitlementId'],
  invoice_total: ['subscriptionId'],
  usage: ['customerId', 'billableMetricId'],
  billing_credits: ['customerId', 'currency'],
} as const satisfies Readonly<Record<AlertType, readonly (keyof AlertBody)[]>>;

const ALL_TARGETS = ['entitlementId', 'subscriptionId', 'customerId', 'billableMetricId', 'currency'] as const;

/** The faults in the target of a body: each type needs its own ids, and allows no others. */
export function targetFaults(body: AlertBody): FieldError[] {
  const own: readonly string[] = TARGETS[body.type];
  const faults = ALL_TARGETS.flatMap((field): FieldError[] => {
    if (own.includes(field) && body[field] === undefined)
      return [{ field, message: `is required for an alert of type ${body.type}` }];
    if (!own.includes(field) && body[field] !== undefined)
      return [{ field, message: `is not for an alert of type ${body.type}` }];
    return [];
  });
  if (body.period !== undefined && body.type !== 'usage')
    faults.push({ field: 'period', message: `is not for an alert of type ${body.type}` });
  return faults;
}

/** The rule of an alert: the body's fields over the earlier ones. */
export function ruleOf(body: AlertUpdateBody, before: AlertRule): AlertRule {
  const [threshold, percent, whole] = [
    decimalOrNull(body.threshold),
    decimalOrNull(body.percent),
    decimalOrNull(body.limit),
  ];
  if (threshold !== null) return { type: before.type, threshold, percent, whole };
  if (percent !== null) return { type: before.type, threshold, percent, whole: whole ?? before.whole };
  return { ...before, whole: whole ?? before.whole };
}

const HUNDRED = decimal(100);

/** The faults in a rule: it needs exactly one of `threshold` and `percent`, and a percentage needs its whole. */
export function ruleFaults(body: AlertUpdateBody, { type, threshold, percent, whole }: AlertRule): FieldError[] {
  if (body.threshold !== undefined && body.percent !== undefined)
    return [{ field: 'percent', message: 'must not be sent together with threshold' }];
  if (threshold !== null) {
    const faults: FieldError[] = [];
    if (whole !== null) faults.push({ field: 'limit', message: 'is for percent, not for threshold' });
    if (!isFalling(type) && threshold.eq(ZERO))
      faults.push({ field: 'threshold', message: `must be above 0 for an alert of type ${type}` });
    return faults;
  }
  if (percent === null) return [{ field: 'threshold', message: 'is required, or percent in its place' }];
  if (!isFalling(type))
    return whole === null
      ? [{ field: 'limit', message: `is required with percent: an alert of type ${type} has no limit of its own` }]
      : [];
  const faults: FieldError[] = [];
  if (whole !== null) faults.push({ field: 'limit', message: 'is not for a balance: percent is of what was granted' });
  if (percent.gt(HUNDRED)) faults.push({ field: 'percent', message: 'must be at most 100 for a balance' });
  return faults;
}

/** A balance of 0 already ends access; of credits the subscription says whether it does. */
export const blockingFaults = (type: AlertType, blocksAccess: boolean): FieldError[] =>
  blocksAccess && isFalling(type)
    ? [
        {
          field: 'blocksAccess',
          message:
            type === 'balance'
              ? 'is not allowed for a balance: a balance of 0 already ends access'
              : 'is not allowed for billing credits: creditsRequired of a subscription ends access',
        },
      ]
    : [];
