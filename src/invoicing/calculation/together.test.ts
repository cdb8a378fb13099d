import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueCharges, invoiceAt } from '../../../test/support/owed.ts';
import { type Decimal, decimal, plain, sum } from '../../kernel/decimal.ts';
import type { FrozenCredit } from '../invoice/frozen-terms.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import { calculate, calculateTogether } from './calculate.ts';
import type { CalculationInput } from './calculation.ts';
import { usesOf } from './credit-use-lines.ts';

/** Invoices that are one document (docs/decisions/0246). */
const START = Temporal.Instant.from('2026-01-01T00:00:00Z');
const RATE = decimal('20');

const feeOf = (id: string, cents: number): BilledPrice => ({
  ...{ id, invoiceDisplayName: id, billingCadence: null, taxRate: null, groupFilters: null, metric: null },
  pricing: { model: 'standard', properties: { unitPrice: plain(decimal(cents).div(100)) } },
  ...{ paymentTerm: 'in_arrears', fee: { id, name: id, description: '', itemId: null }, quantity: decimal('1') },
  ...{ minimumAmount: null, maximumAmount: null },
});

const creditOf = (left: Decimal): FrozenCredit => ({
  ...{ id: 'credit', name: 'Credit', from: START.toString(), until: null, left: plain(left) },
  ...{ priceIds: null, paysMinimum: false },
});

/** The invoice of a month of fees. */
function inputOf(name: string, fees: readonly number[], left: Decimal): CalculationInput {
  const prices = fees.map((cents, place) => feeOf(`${name} ${place}`, cents));
  const bounds = { anchor: START, startedAt: START, endsAt: null };
  const terms = { ...{ planId: 'plan', planCadence: 'P1M', minimumAmount: null, planTaxRate: null }, prices, bounds };
  return {
    ...{ currency: 'USD', charges: dueCharges(terms, invoiceAt(terms, 'P1M', START)), usage: [] },
    ...{ taxBehavior: 'inclusive', taxRates: new Map(prices.map(({ id }) => [id, RATE])) },
    billingCredits: { held: [creditOf(left)], spent: {} },
  };
}

const takenBy = (lines: Parameters<typeof usesOf>[0]): Decimal => usesOf(lines).get('credit') ?? decimal('0');

/** The invoices of some subscriptions, each with what those before it left of a credit. */
function inputsOf(fees: readonly (readonly number[])[], credit: Decimal): CalculationInput[] {
  let left = credit;
  return fees.map((each, place) => {
    const input = inputOf(`s${place}`, each, left);
    left = left.minus(takenBy(calculate(input).lines));
    return input;
  });
}

describe('invoices that are one document', () => {
  it('take no more of a credit than it has, though their tax is rounded together', () => {
    const fees = fc.array(fc.array(fc.integer({ min: 1, max: 50_000 }), { minLength: 1, maxLength: 4 }), {
      ...{ minLength: 2, maxLength: 3 },
    });
    fc.assert(
      fc.property(fees, fc.integer({ min: 1, max: 100_000 }), (each, cents) => {
        const credit = decimal(cents).div(100);
        const calculations = calculateTogether(inputsOf(each, credit));
        const taken = sum(calculations.map(({ lines }) => takenBy(lines)));
        expect(taken.lte(credit), `${plain(taken)} of ${plain(credit)}`).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
