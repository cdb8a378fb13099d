import { isJsonObject } from '../kernel/json.ts';
import { type Adapter, known, nothing, Reader, textOf } from './adapter.ts';
import { checkAuthorization } from './signatures.ts';

const REVENUE = new Set(['INITIAL_PURCHASE', 'RENEWAL', 'NON_RENEWING_PURCHASE']);
/** A cancellation with a negative price is a refund; one without says only that nothing will renew. */
const REFUNDS = new Set(['CANCELLATION', 'REFUND']);
const REVERSALS = new Set(['REFUND_REVERSED']);

/** RevenueCat: purchases in app stores, and their refunds. */
export const revenuecatAdapter: Adapter = {
  check: checkAuthorization,
  read: ({ event }) => {
    if (!isJsonObject(event)) return { kind: 'refused', errors: [{ field: 'event', message: 'is required' }] };
    const { type, environment } = event;
    const isRefund = REFUNDS.has(String(type));
    if (!REVENUE.has(String(type)) && !REVERSALS.has(String(type)) && !isRefund)
      return nothing(`Events of type ${typeof type === 'string' ? type : 'unknown'} are no revenue.`);
    if (environment === 'SANDBOX') return nothing('The event is of the store’s sandbox.');
    const price = event.price_in_purchased_currency;
    if (price === undefined || price === null)
      return nothing('The event has no price in the currency of the purchase.');
    const reader = new Reader(event, 'event.');
    const revenue = {
      externalEventId: reader.id('id'),
      paymentReference: null,
      customerExternalId: textOf(event.app_user_id),
      amount: reader.amount('price_in_purchased_currency'),
      currency: reader.currency('currency'),
      attributes: known({
        productId: textOf(event.product_id),
        store: textOf(event.store),
        countryCode: textOf(event.country_code),
        periodType: textOf(event.period_type),
        revenuecatEventType: type,
      }),
    };
    const occurredAt = reader.epoch(isRefund ? 'event_timestamp_ms' : timeField(event), 'milliseconds');
    if (reader.errors.length === 0 && revenue.amount.isZero()) return nothing('The price is 0.');
    if (reader.errors.length === 0 && isRefund && !revenue.amount.isNegative())
      return nothing('The cancellation refunds nothing.');
    return reader.done(revenue, occurredAt);
  },
};

/** A purchase counts when it was made; an event that does not say so counts when it was sent. */
const timeField = ({ purchased_at_ms: purchasedAt }: Readonly<Record<string, unknown>>): string =>
  purchasedAt === undefined || purchasedAt === null ? 'event_timestamp_ms' : 'purchased_at_ms';
