import type { Alert, AlertTrigger } from '../alerts/index.ts';
import { findMetric } from '../catalog/index.ts';
import { customerParty, findMailboxes } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { findOrganization } from '../identity/index.ts';
import { DEFAULT_LOCALE } from '../kernel/locale.ts';
import { formatInstant } from '../kernel/time.ts';
import { type AlertFacts, alertMail, name } from './compose.ts';
import type { NewMail } from './mails.sql.ts';

type Written = Omit<NewMail, 'id' | 'status' | 'nextActionAt' | 'createdAt'>;

/**
 * The mails about a triggered alert: to the merchant's billing addresses, and to the customer where the alert says
 * so. Whoever has no address gets none.
 */
export async function writeAlertMails(tx: Tx, alert: Alert, trigger: AlertTrigger): Promise<Written[]> {
  const { merchantId, customerId } = alert;
  const seller = await findOrganization(tx, merchantId);
  if (!seller) throw new Error(`Merchant ${merchantId} has no organization.`);
  const { name: buyerName, locale = DEFAULT_LOCALE } = await customerParty(tx, customerId);
  const metricId = alert.billableMetricId;
  const metric = metricId === null ? undefined : await findMetric(tx, metricId);
  const facts: AlertFacts = {
    locale,
    ...{ sellerName: seller.name, buyerName, alertName: alert.name, metricName: metric?.name ?? null },
    ...{ type: alert.type, threshold: alert.threshold, percent: alert.percent, whole: alert.whole },
    ...{ value: trigger.value, periodStart: trigger.periodStart, periodEnd: trigger.periodEnd },
    blocksAccess: alert.blocksAccess,
  };
  const [contact = null] = seller.billingEmails;
  const shared = {
    merchantId,
    aboutId: alert.id,
    occasion: formatInstant(trigger.periodStart),
    customerId,
    senderName: name(seller.name),
    attachments: [],
  };
  const toMerchant = {
    ...shared,
    kind: 'alertTriggered' as const,
    recipients: seller.billingEmails,
    replyTo: null,
    content: alertMail(facts, 'merchant'),
  };
  const mailbox = alert.notifiesCustomer ? (await findMailboxes(tx, [customerId])).get(customerId) : undefined;
  const toCustomer = {
    ...shared,
    kind: 'alertReached' as const,
    recipients: mailbox?.emails ?? [],
    replyTo: contact,
    content: alertMail(facts, 'customer'),
  };
  return [toMerchant, toCustomer].filter(({ recipients }) => recipients.length > 0);
}
