/** The webhook events with their descriptions (domain.md §9). The page docs/webhooks.md shows the same table. */
export const EVENT_KINDS = {
  'invoice.issued.v0': 'An invoice was issued: it has its number and is due.',
  'invoice.paid.v0': 'An invoice was paid. `grantId` is the grant of a purchase.',
  'invoice.payment_failed.v0': 'The charge of a stored payment method for an invoice failed.',
  'invoice.overdue.v0': 'An invoice is past its due date and not paid.',
  'invoice.cancelled.v0': 'An invoice was cancelled.',
  'invoice.written_off.v0': 'An invoice was written off.',
  'invoice.refunded.v0': 'A paid invoice was refunded.',
  'invoice.refund_voided.v0': 'A refund was voided.',
  'invoice.credited.v0': 'A part of an invoice was credited by `creditNoteId`.',
  'invoice.credit_note_voided.v0': 'The credit note `creditNoteId` over a part of an invoice was voided.',
  'invoice.payment_reversed.v0': 'The recorded payment `paymentId` of an invoice was reversed: it is owed again.',
  'invoice.pushed.v0': 'An approval to push an invoice to external systems was given.',
  'subscription.created.v0': 'A subscription was created.',
  'subscription.activated.v0': 'A subscription became active.',
  'subscription.updated.v0': 'A subscription was changed.',
  'subscription.paused.v0': 'A subscription was paused: it has no fees and gives no access.',
  'subscription.resumed.v0': 'A paused subscription was resumed.',
  'subscription.trial_ending.v0': 'The trial of a subscription ends within three days.',
  'subscription.terminated.v0': 'A subscription ended.',
  'subscription.renewal_reminder.v0': 'A subscription renews soon.',
  'billing_credit.created.v0': 'A billing credit was made for a customer.',
  'billing_credit.low.v0': 'Few billing credits of a customer are left.',
  'billing_credit.exhausted.v0': 'No billing credits of a customer are left.',
  'billing_credit.expired.v0': 'A billing credit expired with a rest.',
  'credit_top_up.paused.v0': 'Automatic top-ups were paused, because three charges in a row were declined.',
  'grant.created.v0': 'A grant was added to an entitlement.',
  'grant.voided.v0': 'A grant was voided.',
  'entitlement.balance_low.v0': 'The balance of an entitlement fell to 20 % or less.',
  'entitlement.exhausted.v0': 'The balance of an entitlement is used up.',
  'entitlement.reset.v0': 'An entitlement was reset for its next period.',
  'payment_session.completed.v0': 'A payment session was paid.',
  'payment_session.expired.v0': 'A payment session expired.',
  'order.approved.v0': 'An order was approved.',
  'order.cancelled.v0': 'An order was cancelled.',
  'order.pushed.v0': 'An approval to push an order to external systems was given.',
  'approval.requested.v0': 'An approval was requested.',
  'approval.decided.v0': 'An approval was given, rejected or cancelled.',
  'source_event.pending.v0': 'Revenue from a source needs an approval.',
  'source_event.processed.v0': 'Revenue from a source was recorded as usage.',
  'source_event.failed.v0': 'Revenue from a source could not be recorded as usage.',
  'usage.unmatched.v0': 'Some events of the last day (UTC) are on no invoice, for the `reason` in `data`.',
  'usage.unbilled.v0': 'Some usage of a metric on the last day (UTC) is on no invoice.',
  'customer.created.v0': 'A customer was created.',
  'alert.triggered.v0': 'A balance, an invoice total or a usage reached the threshold of an alert.',
  'webhook_endpoint.failing.v0': 'Every attempt to reach a webhook endpoint has failed for a day.',
  'webhook_endpoint.disabled.v0': 'A webhook endpoint was disabled because it failed for five days, or answered 410.',
} as const satisfies Readonly<Record<string, string>>;

/** `<resource>.<what happened>.v0`. */
export type EventType = keyof typeof EVENT_KINDS;

/** Stands for every kind, also those to come. */
export const ALL_KINDS = '*';

/** The kinds, in the order of the page. */
export const EVENT_TYPES = Object.keys(EVENT_KINDS) as EventType[];

const OF_TIME: ReadonlySet<EventType> = new Set([
  ...(['invoice.issued.v0', 'invoice.paid.v0', 'invoice.payment_failed.v0', 'invoice.overdue.v0'] as const),
  ...(['invoice.written_off.v0', 'subscription.activated.v0', 'subscription.terminated.v0'] as const),
  ...(['subscription.paused.v0', 'subscription.resumed.v0', 'subscription.trial_ending.v0'] as const),
  ...(['subscription.renewal_reminder.v0', 'entitlement.balance_low.v0', 'entitlement.exhausted.v0'] as const),
  'entitlement.reset.v0',
]);

/**
 * Does such an event come as time passes, without a request? Then a restored database tells it again, and its id is
 * made of its type, its resource and its number there: a receiver knows it (decision 0250).
 */
export const isOfTime = (type: EventType): boolean => OF_TIME.has(type);
