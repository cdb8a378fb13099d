import type { Alert, AlertTrigger } from '../alerts/index.ts';
import { findFeatures, findMetric } from '../catalog/index.ts';
import { customerParty, findMailboxes } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { findEntitlement } from '../entitlements/index.ts';
import { canonicalJson } from '../http/index.ts';
import { findMerchant } from '../identity/index.ts';
import { DEFAULT_LOCALE } from '../kernel/locale.ts';
import { formatInstant } from '../kernel/time.ts';
import { type AlertFacts, customerAlertMail, merchantAlertMail, PROGRAM } from './compose-alert.ts';
import { accountOf, name, writerOf } from './correspondents.ts';
import type { NewMail } from './mails.sql.ts';

type Written = Omit<NewMail, 'id' | 'status' | 'nextActionAt' | 'createdAt'>;

/** What the figure of an alert is of. */
async function measureOf(tx: Tx, { merchantId, billableMetricId, entitlementId }: Alert) {
  const entitlement = entitlementId === null ? undefined : await findEntitlement(tx, entitlementId);
  const metricIds = entitlement?.billableMetricIds ?? (billableMetricId === null ? [] : [billableMetricId]);
  const units = new Map<string, AlertFacts['unit']>();
  let metricName: string | null = null;
  for (const id of metricIds) {
    const metric = await findMetric(tx, id);
    const unit = metric?.displayUnit ?? metric?.unit ?? null;
    units.set(canonicalJson(unit), unit);
    if (id === billableMetricId) metricName = metric?.name ?? null;
  }
  const [unit = null] = units.size === 1 ? units.values() : [];
  const [feature] = entitlement ? await findFeatures(tx, [merchantId], [entitlement.featureId]) : [];
  return { metricName, featureName: feature?.name ?? null, unit };
}

/**
 * The mails about a triggered alert: to the merchant's billing addresses, and to the customer where the alert says
 * so. Whoever has no address gets none.
 */
export async function writeAlertMails(
  tx: Tx,
  publicUrl: string,
  alert: Alert,
  trigger: AlertTrigger,
  currency: string | null,
): Promise<Written[]> {
  const { merchantId, customerId } = alert;
  const seller = await findMerchant(tx);
  const { name: buyerName, locale = DEFAULT_LOCALE } = await customerParty(tx, customerId);
  const { threshold, percent, whole } = alert;
  const facts: AlertFacts = {
    ...{ locale, seller: writerOf(seller), buyerName, customerId, alertId: alert.id, alertName: alert.name },
    ...(await measureOf(tx, alert)),
    ...{ type: alert.type, currency, threshold, percent, whole },
    ...{ value: trigger.value, periodStart: trigger.periodStart, periodEnd: trigger.periodEnd },
    blocksAccess: alert.blocksAccess,
    account: accountOf(seller, publicUrl),
  };
  const shared = {
    merchantId,
    aboutId: alert.id,
    occasion: formatInstant(trigger.periodStart),
    customerId,
    attachments: [],
  };
  const toMerchant = {
    ...shared,
    kind: 'alertTriggered' as const,
    recipients: seller.billingEmails,
    senderName: PROGRAM,
    replyTo: null,
    content: merchantAlertMail(facts),
  };
  const mailbox = alert.notifiesCustomer ? (await findMailboxes(tx, [customerId])).get(customerId) : undefined;
  const toCustomer = {
    ...shared,
    kind: 'alertReached' as const,
    recipients: mailbox?.emails ?? [],
    senderName: name(seller.name),
    replyTo: facts.seller.email ?? null,
    content: customerAlertMail(facts),
  };
  return [toMerchant, toCustomer].filter(({ recipients }) => recipients.length > 0);
}
