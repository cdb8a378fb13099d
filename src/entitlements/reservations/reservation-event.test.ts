import { describe, expect, it } from 'vitest';
import { decimal } from '../../kernel/decimal.ts';
import { usageEvent } from './reservation-event.ts';

const now = Temporal.Instant.from('2026-03-01T12:00:00.5Z');
const ofSubscription = { subscriptionId: 'sub_a', customerId: 'cus_a' };
const tokens = { aggregation: 'SUM', eventType: 'llm', valueProperty: '$.tokens' } as const;
const settled = (amount: string) => ({ id: 'rsv_a', amount: decimal(amount) });

describe('the event of a settled reservation', () => {
  it('is of the metric’s type, under the reservation’s key, and says the amount where the metric reads it', () => {
    expect(usageEvent(ofSubscription, tokens, settled('12.5'), now)).toEqual({
      type: 'llm',
      source: 'reckoner/reservations',
      subject: 'sub_a',
      timestamp: '2026-03-01T12:00:00.5Z',
      idempotencyKey: 'rsv_a',
      data: { tokens: '12.5' },
    });
  });

  it('is of the customer where the entitlement is of no subscription', () => {
    expect(usageEvent({ ...ofSubscription, subscriptionId: null }, tokens, settled('1'), now)?.subject).toBe('cus_a');
  });

  it.each([
    { path: '$.usage.tokens.out', amount: '1', data: { usage: { tokens: { out: '1' } } } },
    { path: '$.tokens', amount: '0.00000001', data: { tokens: '0.00000001' } },
    { path: '$.tokens', amount: '99999999999999999999999999999999999999', data: { tokens: '9'.repeat(38) } },
    { path: null, amount: '1', data: {} },
  ])('holds $amount at $path', ({ path, amount, data }) => {
    expect(usageEvent(ofSubscription, { ...tokens, valueProperty: path }, settled(amount), now)?.data).toEqual(data);
  });

  it('is none where nothing was used', () => {
    expect(usageEvent(ofSubscription, tokens, settled('0'), now)).toBeNull();
  });
});
