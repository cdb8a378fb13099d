import type { NotificationKind } from '../customers/index.ts';

/** The subject of a mail, and the customer's setting in `notificationSettings` that turns it off. */
export const MAIL_KINDS = {
  /** An invoice is asked for. */
  invoiceIssued: 'invoiceIssued',
  /** An invoice is paid: the receipt. */
  invoicePaid: 'invoicePaid',
  /** A part of an invoice is paid. */
  paymentReceived: 'invoicePaid',
  /** A payment came back, or was a mistake: the invoice is asked for again. */
  paymentReversed: 'invoiceIssued',
  /** A stored card could not be charged: the invoice is still asked for. */
  paymentFailed: 'invoiceIssued',
  invoiceRefunded: 'invoicePaid',
  refundVoided: 'invoicePaid',
  /** A credit note over a part of an invoice. */
  invoiceCredited: 'invoiceIssued',
  invoiceCancelled: 'invoiceIssued',
  renewalReminder: 'renewalReminder',
  /** A trial ends soon. */
  trialEnding: 'renewalReminder',
} as const satisfies Readonly<Record<string, NotificationKind>>;

/**
 * Mails that the owner of an alert asks for: to the merchant itself, and to its customer. No setting turns them off.
 */
export const ALERT_MAIL_KINDS = ['alertTriggered', 'alertReached'] as const;

/** A link to the customer portal, for whoever has asked for it. No setting turns it off. */
export const PORTAL_MAIL_KIND = 'portalLink';

/** A mail that the customer can turn off. */
export type OptionalMailKind = keyof typeof MAIL_KINDS;
export type MailKind = OptionalMailKind | (typeof ALERT_MAIL_KINDS)[number] | typeof PORTAL_MAIL_KIND;
