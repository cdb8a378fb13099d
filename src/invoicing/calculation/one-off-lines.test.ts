import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minorDigits } from '../../kernel/currency.ts';
import { decimal, plain, sum } from '../../kernel/decimal.ts';
import { isIssuedAtOnce, type NewOneOffInvoice } from '../issue/make-one-off.ts';
import { calculateOneOff, recordOneOff } from './one-off-lines.ts';

const at = Temporal.Instant.from('2026-01-01T10:00:00Z');

/** `quantity × price @ rate` of each line; a line for the wallet has `wallet` instead of a rate. */
function calculated(currency: string, texts: readonly string[]) {
  const parts = texts.map((text) => text.split(/ [×@] /) as [string, string, string]);
  const { lines } = recordOneOff({
    planId: null,
    lines: parts.map(([quantity, price, rate]) => ({
      displayName: 'Line',
      quantity: decimal(quantity),
      unitPrice: decimal(price),
      type: rate === 'wallet' ? 'wallet_top_up' : 'manual',
    })),
  });
  const taxRates = Object.fromEntries(parts.map(([, , rate], index) => [String(index), rate]));
  return calculateOneOff({ currency, lines, taxRates, at });
}

const shown = (result: ReturnType<typeof calculated>) =>
  result.ok
    ? {
        lines: result.value.lines.map(
          (line) => `${plain(line.totalPrice)} + ${plain(line.totalTax)} = ${plain(line.totalAmount)}`,
        ),
        total: `${plain(result.value.subtotal)} + ${plain(result.value.totalTax)} = ${plain(result.value.grandTotal)}`,
        taxes: result.value.taxes.map(({ rate, base, amount }) => `${rate} % of ${base} = ${amount}`),
      }
    : result.refusal;

describe('what the lines of a one-off invoice come to', () => {
  it.each([
    {
      what: 'each line is rounded once, tax is on top',
      currency: 'USD',
      given: ['3 × 0.335 @ 20', '1.5 × 100 @ 20'], // 1.005
      lines: ['1.01 + 0.2 = 1.21', '150 + 30 = 180'],
      total: '151.01 + 30.2 = 181.21',
      taxes: ['20 % of 151.01 = 30.2'],
    },
    {
      what: 'the tax of a rate is rounded once and shared out: 3 × 0.008 is 0.02',
      currency: 'USD',
      given: ['1 × 0.10 @ 8', '1 × 0.10 @ 8', '1 × 0.10 @ 8'],
      lines: ['0.1 + 0.01 = 0.11', '0.1 + 0.01 = 0.11', '0.1 + 0 = 0.1'],
      total: '0.3 + 0.02 = 0.32',
      taxes: ['8 % of 0.3 = 0.02'],
    },
    {
      what: 'a currency without minor units',
      currency: 'JPY',
      given: ['2.5 × 333 @ 10', '1 × 0.4 @ 10'], // 832.5, 0.4
      lines: ['833 + 83 = 916', '0 + 0 = 0'],
      total: '833 + 83 = 916',
      taxes: ['10 % of 833 = 83'],
    },
    {
      what: 'a currency of three digits',
      currency: 'KWD',
      given: ['3 × 0.3705 @ 5'], // 1.1115
      lines: ['1.112 + 0.056 = 1.168'],
      total: '1.112 + 0.056 = 1.168',
      taxes: ['5 % of 1.112 = 0.056'],
    },
    {
      what: 'a negative line lowers the base of its rate',
      currency: 'EUR',
      given: ['1 × 100 @ 20', '1 × -35 @ 20'],
      lines: ['100 + 20 = 120', '-35 + -7 = -42'],
      total: '65 + 13 = 78',
      taxes: ['20 % of 65 = 13'],
    },
    {
      what: 'lines may come to exactly 0',
      currency: 'EUR',
      given: ['1 × 100 @ 20', '2 × -50 @ 20'],
      lines: ['100 + 20 = 120', '-100 + -20 = -120'],
      total: '0 + 0 = 0',
      taxes: ['20 % of 0 = 0'],
    },
    {
      what: 'what goes into the wallet bears no tax, not even one of 0 %',
      currency: 'EUR',
      given: ['1 × 10 @ 20', '1 × 50 @ wallet'],
      lines: ['10 + 2 = 12', '50 + 0 = 50'],
      total: '60 + 2 = 62',
      taxes: ['20 % of 10 = 2'],
    },
  ])('$what', ({ currency, given, lines, total, taxes }) => {
    expect(shown(calculated(currency, given))).toEqual({ lines, total, taxes });
  });

  it.each([
    { what: 'a credit alone', given: ['1 × -0.01 @ 0'] },
    { what: 'a credit whose tax is more than the tax of the charge', given: ['1 × 100 @ 0', '1 × -99 @ 20'] },
  ])('below 0 is refused, and nothing is cut: $what', ({ given }) => {
    expect(shown(calculated('USD', given))).toMatchObject({ kind: 'validation', errors: [{ field: 'lines' }] });
  });

  it('keeps all digits of quantity and price, and dates a line as its invoice', () => {
    const result = calculated('USD', ['1.123456789012345678 × 0.000000000123456789 @ 0']);
    expect(result.ok && result.value.lines[0]).toMatchObject({
      eventType: 'fee',
      lineItemType: 'charge',
      type: 'manual',
      quantity: decimal('1.123456789012345678'),
      unitPrice: decimal('0.000000000123456789'),
      periodStart: at,
      periodEnd: at,
    });
  });

  it('always sums, to the minor unit, and is never below 0', () => {
    const line = fc.tuple(
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
      fc.constantFrom('0', '7', '8.875', '20'),
    );
    const invoice = fc.tuple(fc.array(line, { minLength: 1, maxLength: 20 }), fc.constantFrom('JPY', 'USD', 'KWD'));
    fc.assert(
      fc.property(invoice, ([rows, currency]) => {
        const result = calculated(
          currency,
          rows.map(([quantity, price, rate]) => `${quantity}.5 × ${price} @ ${rate}`),
        );
        if (!result.ok) return;
        const { lines, subtotal, totalTax, grandTotal } = result.value;
        expect(plain(sum(lines.map((each) => each.totalPrice)))).toBe(plain(subtotal));
        expect(plain(sum(lines.map((each) => each.totalTax)))).toBe(plain(totalTax));
        expect(plain(subtotal.plus(totalTax))).toBe(plain(grandTotal));
        expect(grandTotal.gte(0)).toBe(true);
        expect(grandTotal.decimalPlaces()).toBeLessThanOrEqual(minorDigits(currency));
      }),
    );
  });
});

describe('waiting for an approval', () => {
  it.each<[kind: NewOneOffInvoice['kind'], livesBySession: boolean, autoApprove: boolean, kinds: string[], at: string]>(
    [
      ['ad_hoc', false, false, [], 'draft'],
      ['ad_hoc', false, true, [], 'issued'],
      ['ad_hoc', false, true, ['financial_review'], 'draft'],
      ['ad_hoc', true, false, ['financial_review'], 'issued'], // a purchase never waits
      ['upfront', true, true, [], 'issued'],
      ['upfront', true, true, ['financial_review'], 'draft'], // the subscription awaits approval
      ['order', false, true, ['data_review'], 'draft'],
    ],
  )(
    '%s, lives by its session: %s, autoApprove: %s, required: %j: %s',
    (kind, livesBySession, autoApprove, kinds, at) => {
      expect(isIssuedAtOnce({ kind, livesBySession, autoApprove }, kinds)).toBe(at === 'issued');
    },
  );
});
