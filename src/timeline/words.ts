import { kindWords } from '../kernel/ids.ts';
import type { Entry } from './entry.ts';

type Titled = Pick<Entry, 'kind' | 'what' | 'label' | 'count' | 'amount' | 'userId'>;

/** What happened, by its word: `*` stands for the label. */
const TITLES: Readonly<Record<string, string>> = {
  'invoice.issued': 'Invoice * issued',
  'invoice.paid': 'Invoice * paid',
  'invoice.payment_failed': 'Charge for invoice * failed',
  'invoice.overdue': 'Invoice * overdue',
  'invoice.cancelled': 'Invoice * cancelled',
  'invoice.written_off': 'Invoice * written off',
  'invoice.refunded': 'Invoice * refunded',
  'invoice.refund_voided': 'Refund of invoice * voided',
  'invoice.payment_reversed': 'Payment of invoice * reversed',
  'invoice.pushed': 'Invoice * approved for outside systems',
  'creditNote.issued': 'Credit note * issued',
  'creditNote.voided': 'Credit note * voided',
  'payment.received': 'Payment received: *',
  'payment.returned': 'Payment returned: *',
  'payment.reversed': 'Payment reversed: *',
  'payment_session.completed': 'Payment session completed',
  'payment_session.expired': 'Payment session expired',
  'wallet.top_up': 'Wallet topped up',
  'wallet.applied': 'Wallet used for an invoice',
  'wallet.credit': 'Credit added to the wallet',
  'wallet.payment': 'Payment added to the wallet',
  'wallet.payment_reversed': 'Reversed payment taken out of the wallet',
  'wallet.receipt_applied': 'Money received before added to the wallet',
  'wallet.refund': 'Refund added to the wallet',
  'wallet.refund_voided': 'Refund taken out of the wallet again',
  'wallet.invoice_cancelled': 'Money of a cancelled invoice returned to the wallet',
  'subscription.created': 'Subscription * created',
  'subscription.activated': 'Subscription * activated',
  'subscription.paused': 'Subscription * paused',
  'subscription.resumed': 'Subscription * resumed',
  'subscription.terminated': 'Subscription * ended',
  'subscription.renewal_reminder': 'Subscription * renews soon',
  'subscription.plan_changed': 'Plan changed to *',
  'subscription.quantities_changed': 'Quantities of plan * changed',
  'subscription.prices_changed': 'Negotiated prices of plan * changed',
  'subscription.end_scheduled': 'End of the subscription planned for *',
  'subscription.end_withdrawn': 'Planned end of the subscription withdrawn',
  'grant.created': 'Grant of * added',
  'grant.voided': 'Grant of * voided',
  'entitlement.balance_low': 'Balance of * is low',
  'entitlement.exhausted': 'Balance of * is used up',
  'entitlement.reset': 'Entitlement to * reset',
  'alert.triggered': 'Alert * triggered',
  'webhook.delivered': 'Webhook * delivered',
  'webhook.failed': 'Webhook * not delivered',
};

const inWords = (what: string): string => {
  const words = what.replaceAll(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** What happened, in a few words for a person. */
export function titleOf({ kind, what, label, count, amount, userId }: Titled): string {
  if (kind === 'usage') return `${count} ${count === 1 ? 'event' : 'events'} of ${label}`;
  if (kind === 'mail') return `Email "${kindWords(label ?? '')}" ${what.slice('mail.'.length)}`;
  if (kind === 'change' && !what.includes('.'))
    return `Change by ${userId === null ? 'the customer' : 'a user'}: ${kindWords(what)}`;
  if (what === 'payment_session.completed' && amount === null) return 'Payment method stored';
  return (TITLES[what] ?? inWords(what))
    .replace('*', () => (kind === 'payment' ? inWords(label ?? '').toLowerCase() : (label ?? '')))
    .replace('  ', ' ')
    .trimEnd();
}

/** Whose change it is. Null: nobody's in particular. */
export const actorOf = ({ kind, what, userId }: Titled): 'user' | 'customer' | null => {
  if (kind !== 'change' || what.includes('.')) return null;
  return userId === null ? 'customer' : 'user';
};
