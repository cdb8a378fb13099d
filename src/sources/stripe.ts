import { isCurrency } from '../kernel/currency.ts';
import type { Decimal } from '../kernel/decimal.ts';
import { isJsonObject } from '../kernel/json.ts';
import { type Adapter, type Fields, known, nothing, Reader, type Reading, textOf } from './adapter.ts';
import { checkStripeWebhook } from './signatures.ts';

/**
 * Stripe's own digits of minor units, where they are not two. They differ from ISO 4217: MGA has none, ISK and UGX have
 * two although they have no smaller unit.
 */
const ZERO_DECIMAL = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const THREE_DECIMAL = new Set('BHD JOD KWD OMR TND'.split(' '));

/** An amount of Stripe in major units. */
export function majorUnits(minorUnits: Decimal, currency: string): Decimal {
  if (ZERO_DECIMAL.has(currency)) return minorUnits;
  return minorUnits.div(THREE_DECIMAL.has(currency) ? 1000 : 100);
}

/** The amounts in each kind of revenue event. */
interface Kind {
  /** The field of the object that holds the amount. */
  readonly amount: string;
  /** The payment, which several kinds may report. */
  readonly payment: (object: Fields) => string | null;
}

const idOf = (value: unknown): string | null => (isJsonObject(value) ? textOf(value.id) : textOf(value));

/** An invoice names its payment itself, or (since 2025) in the list of its payments. */
function paymentOfInvoice(invoice: Fields): string | null {
  const { data } = isJsonObject(invoice.payments) ? invoice.payments : {};
  const first: unknown = Array.isArray(data) ? data[0] : undefined;
  const payment = isJsonObject(first) && isJsonObject(first.payment) ? first.payment : {};
  return (
    idOf(invoice.payment_intent) ??
    idOf(payment.payment_intent) ??
    idOf(invoice.charge) ??
    idOf(payment.charge) ??
    idOf(invoice.id)
  );
}

const ofCharge = (charge: Fields) => idOf(charge.payment_intent) ?? idOf(charge.id);

const REVENUE: ReadonlyMap<unknown, Kind> = new Map([
  ['charge.succeeded', { amount: 'amount', payment: ofCharge }],
  ['charge.captured', { amount: 'amount_captured', payment: ofCharge }],
  ['payment_intent.succeeded', { amount: 'amount_received', payment: (object: Fields) => idOf(object.id) }],
  ['invoice.paid', { amount: 'amount_paid', payment: paymentOfInvoice }],
  ['invoice.payment_succeeded', { amount: 'amount_paid', payment: paymentOfInvoice }],
]);

/** Stripe: payments, and their refunds. */
export const stripeAdapter: Adapter = {
  check: checkStripeWebhook,
  read: (body, isProduction) => {
    const event = new Reader(body);
    const externalEventId = event.id('id');
    const { type, data } = body;
    const kind = REVENUE.get(type);
    const isRefund = type === 'charge.refunded';
    if (externalEventId !== '' && !kind && !isRefund)
      return nothing(`Events of type ${typeof type === 'string' ? type : 'unknown'} are no revenue.`);
    if (isProduction && body.livemode === false) return nothing('The event is of Stripe’s test mode.');
    const object = isJsonObject(data) && isJsonObject(data.object) ? data.object : null;
    if (object === null) event.errors.push({ field: 'data.object', message: 'is required' });
    if (object === null || externalEventId === '') return { kind: 'refused', errors: event.errors };
    if (type === 'charge.succeeded' && object.captured === false)
      return nothing('The charge is authorized and not captured.');
    const previous = isJsonObject(data) && isJsonObject(data.previous_attributes) ? data.previous_attributes : {};
    return readObject({ body, object, externalEventId, kind, previous });
  },
};

interface Told {
  readonly body: Fields;
  readonly object: Fields;
  readonly externalEventId: string;
  /** Absent for a refund. */
  readonly kind: Kind | undefined;
  readonly previous: Fields;
}

function readObject({ body, object, externalEventId, kind, previous }: Told): Reading {
  const reader = new Reader(object, 'data.object.');
  const currency = reader.currency('currency');
  const amount = kind ? reader.minorUnits(amountField(kind, object)) : refunded(reader, previous);
  const time = new Reader(body);
  const occurredAt = time.epoch('created', 'seconds');
  reader.errors.push(...time.errors);
  if (reader.errors.length === 0 && amount.isZero()) return nothing('The amount is 0.');
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const customerExternalId = textOf(metadata.customerExternalId) ?? idOf(object.customer);
  return reader.done(
    {
      externalEventId,
      // An event that names no customer leaves the payment to one that does, such as its invoice.
      paymentReference: customerExternalId === null ? null : (kind?.payment(object) ?? null),
      customerExternalId,
      amount: isCurrency(currency) ? majorUnits(amount, currency) : amount,
      currency,
      attributes: known({ ...metadata, stripeEventType: body.type }),
    },
    occurredAt,
  );
}

/** Older events of charges and payments have only `amount`. */
const amountField = ({ amount }: Kind, object: Fields): string =>
  object[amount] === undefined && object.amount !== undefined ? 'amount' : amount;

/** A charge has the sum of all its refunds; this event's part is the difference to the previous sum. */
function refunded(reader: Reader, previous: Fields): Decimal {
  const total = reader.minorUnits('amount_refunded');
  const before = new Reader({ amount_refunded: previous.amount_refunded ?? 0 }, 'data.previous_attributes.');
  const difference = before.minorUnits('amount_refunded').minus(total);
  reader.errors.push(...before.errors);
  return difference;
}
