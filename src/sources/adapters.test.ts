import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signedHeaders, stripeHeaders } from '../../test/support/sources.ts';
import { decimal, plain } from '../kernel/decimal.ts';
import { formatInstant } from '../kernel/time.ts';
import type { Reading } from './adapter.ts';
import { adapters } from './adapters.ts';
import type { SourceType } from './source.ts';
import { majorUnits } from './stripe.ts';

type Fields = Record<string, unknown>;

/** The reading, with the amount and the time as texts. */
function told(reading: Reading) {
  if (reading.kind !== 'revenue') return reading;
  const { amount, occurredAt, ...others } = reading.revenue;
  return { ...others, amount: plain(amount), occurredAt: formatInstant(occurredAt) };
}
const read = (type: SourceType, body: Fields, isProduction = false) => told(adapters[type].read(body, isProduction));

/** An event as Stripe writes it, with the fields that our adapter reads. */
const stripeEvent = (type: string, object: Fields, more: Fields = {}): Fields => ({
  id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
  object: 'event',
  api_version: '2024-06-20',
  created: 1767268800,
  livemode: false,
  pending_webhooks: 1,
  type,
  data: { object, ...more },
});
const CHARGE: Fields = {
  id: 'ch_3MmlLrLkdIwHu7ix0snN0B15',
  object: 'charge',
  amount: 1099,
  amount_captured: 1099,
  amount_refunded: 0,
  captured: true,
  currency: 'usd',
  customer: 'cus_NffrFeUfNV2Hib',
  metadata: { region: 'eu' },
  payment_intent: 'pi_3MmlLrLkdIwHu7ix0uke3Ezy',
};
const INTENT: Fields = {
  id: 'pi_3MmlLrLkdIwHu7ix0uke3Ezy',
  object: 'payment_intent',
  amount: 1099,
  amount_received: 1000,
  currency: 'eur',
  customer: { id: 'cus_expanded', object: 'customer' },
  metadata: {},
};
const INVOICE: Fields = {
  id: 'in_1MtHbELkdIwHu7ixl4OzzPMv',
  object: 'invoice',
  amount_paid: 4200,
  currency: 'usd',
  customer: 'cus_NeZwdNtLEOXuvB',
  metadata: null,
};

describe('stripe_revenue', () => {
  it.each([
    {
      what: 'a charge',
      event: stripeEvent('charge.succeeded', CHARGE),
      revenue: {
        externalEventId: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
        paymentReference: 'pi_3MmlLrLkdIwHu7ix0uke3Ezy',
        customerExternalId: 'cus_NffrFeUfNV2Hib',
        amount: '10.99',
        currency: 'USD',
        occurredAt: '2026-01-01T12:00:00Z',
        attributes: { region: 'eu', stripeEventType: 'charge.succeeded' },
      },
    },
    {
      what: 'a charge without a payment intent',
      event: stripeEvent('charge.succeeded', { ...CHARGE, payment_intent: null }),
      revenue: { paymentReference: CHARGE.id },
    },
    {
      what: 'a charge that names the customer itself',
      event: stripeEvent('charge.succeeded', { ...CHARGE, metadata: { customerExternalId: 'studio-1' } }),
      revenue: { customerExternalId: 'studio-1' },
    },
    {
      what: 'a charge of nobody',
      event: stripeEvent('charge.succeeded', { ...CHARGE, customer: null }),
      revenue: { customerExternalId: null, paymentReference: null },
    },
    {
      what: 'a part of a charge that was captured',
      event: stripeEvent('charge.captured', { ...CHARGE, amount_captured: 500 }),
      revenue: { amount: '5' },
    },
    {
      what: 'a payment intent, by what was received',
      event: stripeEvent('payment_intent.succeeded', INTENT),
      revenue: { amount: '10', currency: 'EUR', customerExternalId: 'cus_expanded', paymentReference: INTENT.id },
    },
    {
      what: 'an invoice',
      event: stripeEvent('invoice.paid', INVOICE),
      revenue: { amount: '42', paymentReference: INVOICE.id },
    },
    {
      what: 'an invoice that names its payment intent',
      event: stripeEvent('invoice.payment_succeeded', { ...INVOICE, payment_intent: 'pi_a', charge: 'ch_a' }),
      revenue: { paymentReference: 'pi_a' },
    },
    {
      what: 'an invoice that lists its payments',
      event: stripeEvent('invoice.paid', {
        ...INVOICE,
        payments: { data: [{ payment: { type: 'payment_intent', payment_intent: 'pi_b' } }] },
      }),
      revenue: { paymentReference: 'pi_b' },
    },
    {
      what: 'a first refund',
      event: stripeEvent('charge.refunded', { ...CHARGE, amount_refunded: 300 }),
      revenue: { amount: '-3', paymentReference: null },
    },
    {
      what: 'a further refund, by what it adds',
      event: stripeEvent(
        'charge.refunded',
        { ...CHARGE, amount_refunded: 1099 },
        { previous_attributes: { amount_refunded: 300 } },
      ),
      revenue: { amount: '-7.99' },
    },
  ])('$what', ({ event, revenue }) => expect(read('stripe_revenue', event)).toMatchObject(revenue));

  it.each([
    ['customer.created', { id: 'cus_a' }],
    ['charge.failed', CHARGE],
    ['invoice.finalized', INVOICE],
    ['charge.succeeded', { ...CHARGE, captured: false }],
    ['charge.succeeded', { ...CHARGE, amount_captured: 0, amount: 0 }],
    ['invoice.paid', { ...INVOICE, amount_paid: 0 }],
  ])('%s %j is no revenue', (type, object) =>
    expect(read('stripe_revenue', stripeEvent(type, object))).toMatchObject({ kind: 'nothing' }),
  );

  it('test mode is revenue in the sandbox only', () => {
    const event = stripeEvent('charge.succeeded', CHARGE);
    expect(read('stripe_revenue', event, true)).toMatchObject({ kind: 'nothing' });
    expect(read('stripe_revenue', { ...event, livemode: true }, true)).toMatchObject({ amount: '10.99' });
  });

  it.each([
    ['id', { ...stripeEvent('charge.succeeded', CHARGE), id: 1 }],
    ['data.object', { ...stripeEvent('charge.succeeded', CHARGE), data: null }],
    ['created', { ...stripeEvent('charge.succeeded', CHARGE), created: 'now' }],
    ['created', { ...stripeEvent('charge.succeeded', CHARGE), created: 1e15 }],
    ['data.object.currency', stripeEvent('charge.succeeded', { ...CHARGE, currency: 'coins' })],
    ['data.object.amount_captured', stripeEvent('charge.captured', { ...CHARGE, amount_captured: 10.5 })],
    ['data.object.amount_paid', stripeEvent('invoice.paid', { ...INVOICE, amount_paid: 'all' })],
    ['data.object.amount_refunded', stripeEvent('charge.refunded', { ...CHARGE, amount_refunded: {} })],
  ])('%s that is wrong is named', (field, event) =>
    expect(read('stripe_revenue', event)).toMatchObject({ kind: 'refused', errors: [{ field }] }),
  );

  it.each([
    ['USD', '10.99'],
    ['JPY', '1099'],
    ['KRW', '1099'],
    ['MGA', '1099'], // two digits in ISO 4217
    ['ISK', '10.99'], // none in ISO 4217
    ['UGX', '10.99'],
    ['KWD', '1.099'],
    ['HUF', '10.99'],
  ])('minor units of %s', (currency, amount) => expect(plain(majorUnits(decimal(1099), currency))).toBe(amount));
});

/** As RevenueCat writes a webhook. */
const purchase = (fields: Fields): Fields => ({
  api_version: '1.0',
  event: {
    id: '12345678-1234-1234-1234-123456789012',
    type: 'INITIAL_PURCHASE',
    app_id: '1234567890',
    app_user_id: 'studio-1',
    aliases: ['$RCAnonymousID:8069238d6049ce87cc529853916d624c'],
    country_code: 'DE',
    currency: 'EUR',
    environment: 'PRODUCTION',
    event_timestamp_ms: 1767268900679,
    period_type: 'NORMAL',
    price: 8.14,
    price_in_purchased_currency: 7.99,
    product_id: 'com.subscription.weekly',
    purchased_at_ms: 1767268800000,
    store: 'APP_STORE',
    subscriber_attributes: { $email: { updated_at_ms: 1662955084635, value: 'first@example.com' } },
    takehome_percentage: 0.7,
    ...fields,
  },
});

describe('revenuecat_revenue', () => {
  it.each(['INITIAL_PURCHASE', 'RENEWAL', 'NON_RENEWING_PURCHASE', 'REFUND_REVERSED'])('%s', (type) =>
    expect(read('revenuecat_revenue', purchase({ type }))).toEqual({
      externalEventId: '12345678-1234-1234-1234-123456789012',
      paymentReference: null,
      customerExternalId: 'studio-1',
      amount: '7.99',
      currency: 'EUR',
      occurredAt: '2026-01-01T12:00:00Z',
      attributes: {
        productId: 'com.subscription.weekly',
        store: 'APP_STORE',
        countryCode: 'DE',
        periodType: 'NORMAL',
        revenuecatEventType: type,
      },
    }),
  );

  it('a refund counts against the revenue, at its own time', () => {
    const event = purchase({
      type: 'CANCELLATION',
      cancel_reason: 'CUSTOMER_SUPPORT',
      price_in_purchased_currency: -7.99,
    });
    expect(read('revenuecat_revenue', event)).toMatchObject({
      amount: '-7.99',
      occurredAt: '2026-01-01T12:01:40.679Z',
    });
  });

  it.each([
    { what: 'a test', fields: { type: 'TEST' } },
    { what: 'an expiration', fields: { type: 'EXPIRATION' } },
    { what: 'a change of product', fields: { type: 'PRODUCT_CHANGE' } },
    { what: 'a purchase in the sandbox of a store', fields: { environment: 'SANDBOX' } },
    { what: 'a trial', fields: { period_type: 'TRIAL', price_in_purchased_currency: 0 } },
    { what: 'a purchase without a price', fields: { price_in_purchased_currency: null } },
    { what: 'a cancellation that refunds nothing', fields: { type: 'CANCELLATION' } },
  ])('$what is no revenue', ({ fields }) =>
    expect(read('revenuecat_revenue', purchase(fields))).toMatchObject({ kind: 'nothing' }),
  );

  it.each([
    ['event', { api_version: '1.0' }],
    ['event.id', purchase({ id: '' })],
    ['event.currency', purchase({ currency: null })],
    ['event.price_in_purchased_currency', purchase({ price_in_purchased_currency: 'free' })],
    ['event.purchased_at_ms', purchase({ purchased_at_ms: '2026' })],
  ])('%s that is wrong is named', (field, body) =>
    expect(read('revenuecat_revenue', body)).toMatchObject({ kind: 'refused', errors: [{ field }] }),
  );
});

describe('a body of any shape', () => {
  it.each(['stripe_revenue', 'revenuecat_revenue', 'generic_revenue'] as const)(
    'is read by %s without a fault',
    (type) => {
      const shaped = fc.oneof(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.jsonValue().map((event) => ({ event })),
        fc.jsonValue().map((object) => stripeEvent('invoice.paid', object as Fields)),
        fc
          .dictionary(fc.constantFrom('id', 'type', 'currency', 'app_user_id', 'purchased_at_ms'), fc.jsonValue())
          .map(purchase),
        fc
          .dictionary(fc.constantFrom('id', 'amount_refunded', 'currency', 'customer', 'metadata'), fc.jsonValue())
          .map((fields) => stripeEvent('charge.refunded', { ...CHARGE, ...fields })),
      );
      fc.assert(
        fc.property(shaped, fc.boolean(), (body, isProduction) => {
          const reading = adapters[type].read(body, isProduction);
          if (reading.kind === 'refused') expect(reading.errors.length).toBeGreaterThan(0);
          if (reading.kind === 'revenue') expect(reading.revenue.externalEventId).not.toBe('');
        }),
        { numRuns: 500 },
      );
    },
  );
});

describe('signatures', () => {
  const now = Temporal.Instant.from('2026-01-01T12:00:00Z');
  const body = '{"id":"a"}';
  const signed = (headers: Record<string, string>, text = body) => ({ bytes: Buffer.from(text), headers });
  const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  it('of Standard Webhooks is that of its own example', () => {
    const example = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const at = Temporal.Instant.fromEpochMilliseconds(1614265330_000);
    const check = (text: string) => adapters.generic_revenue.check(signed(example, text), SECRET, at);
    expect([check('{"test": 2432232314}'), check('{"test": 2432232315}')]).toEqual(['valid', 'invalid']);
  });

  it('a secret that is no base64 is its text', () => {
    const secret = 'plain words!';
    const timestamp = String(now.epochMilliseconds / 1000);
    const signature = createHmac('sha256', secret).update(`m.${timestamp}.${body}`).digest('base64');
    const headers = { 'webhook-id': 'm', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
    expect(adapters.generic_revenue.check(signed(headers), secret, now)).toBe('valid');
  });

  const wrong = `t=${now.epochMilliseconds / 1000},v1=${'0'.repeat(64)}`;
  it.each([
    { what: 'Stripe’s', headers: stripeHeaders(body, now, SECRET), verdict: 'valid' },
    { what: 'another secret’s', headers: stripeHeaders(body, now, 'whsec_other'), verdict: 'invalid' },
    { what: 'another body’s', headers: stripeHeaders('{}', now, SECRET), verdict: 'invalid' },
    {
      what: 'one of five minutes ago',
      headers: stripeHeaders(body, now.subtract({ seconds: 300 }), SECRET),
      verdict: 'valid',
    },
    { what: 'an older one', headers: stripeHeaders(body, now.subtract({ seconds: 301 }), SECRET), verdict: 'invalid' },
    { what: 'one of the future', headers: stripeHeaders(body, now.add({ seconds: 301 }), SECRET), verdict: 'invalid' },
    {
      what: 'one of two keys',
      headers: {
        'stripe-signature': `${wrong},${stripeHeaders(body, now, SECRET)['stripe-signature']?.split(',')[1]}`,
      },
      verdict: 'valid',
    },
    { what: 'a wrong one', headers: { 'stripe-signature': wrong }, verdict: 'invalid' },
    { what: 'nonsense', headers: { 'stripe-signature': 'v1' }, verdict: 'invalid' },
    { what: 'none', headers: {}, verdict: 'absent' },
    { what: 'one of Standard Webhooks', headers: signedHeaders(body, now, SECRET), verdict: 'absent' },
  ])('stripe_revenue: $what is $verdict', ({ headers, verdict }) =>
    expect(adapters.stripe_revenue.check(signed(headers as Record<string, string>), SECRET, now)).toBe(verdict),
  );

  it.each([
    { authorization: 'secret', verdict: 'valid' },
    { authorization: 'Bearer secret', verdict: 'valid' },
    { authorization: 'Secret', verdict: 'absent' },
    { authorization: 'Bearer rk_test_key', verdict: 'absent' },
    { authorization: '', verdict: 'absent' },
  ])('revenuecat_revenue: $authorization is $verdict', ({ authorization, verdict }) =>
    expect(adapters.revenuecat_revenue.check(signed({ authorization }), 'secret', now)).toBe(verdict),
  );
});
