import { describe, expect, it } from 'vitest';
import { decimal } from '../kernel/decimal.ts';
import { conditionErrors, holds, OPERATORS } from './conditions.ts';
import type { RuleCondition } from './source.ts';

const judged = {
  amount: decimal('100'),
  occurredAt: Temporal.Instant.from('2026-01-31T23:59:59.999999Z'),
  customer: { name: 'Ada & Sons', emails: ['ada@Shop.Example', 'billing@ada.example'] },
};

type Case = [RuleCondition['type'], RuleCondition['operator'], RuleCondition['value'], boolean];
const CASES: readonly Case[] = [
  ['amount', 'equals', '100.00', true],
  ['amount', 'equals', 100.01, false],
  ['amount', 'greaterThan', 100, false],
  ['amount', 'greaterThan', '99.999', true],
  ['amount', 'lessThan', 100, false],
  ['amount', 'lessThan', '100.001', true],
  ['amount', 'between', { from: 100, to: 100 }, true],
  ['amount', 'between', { from: '100.01', to: 200 }, false],
  ['amount', 'between', { from: 0, to: '99.99' }, false],
  ['date', 'equals', '2026-01-31', true],
  ['date', 'equals', '2026-02-01', false],
  ['date', 'equals', '2026-01-31T23:59:59.999999Z', true],
  ['date', 'equals', '2026-01-31T23:59:59.999998Z', false],
  ['date', 'greaterThan', '2026-01-31', false],
  ['date', 'greaterThan', '2026-01-30', true],
  ['date', 'greaterThan', '2026-02-01T00:59:59+01:00', true],
  ['date', 'lessThan', '2026-01-31', false],
  ['date', 'lessThan', '2026-02-01', true],
  ['date', 'between', { from: '2026-01-01', to: '2026-01-31' }, true],
  ['date', 'between', { from: '2026-02-01', to: '2026-02-28' }, false],
  ['date', 'between', { from: '2026-01-01', to: '2026-01-31T00:00:00Z' }, false],
  ['customerName', 'equals', 'ada & sons', true],
  ['customerName', 'equals', 'Ada', false],
  ['customerName', 'contains', ' SONS ', true],
  ['customerName', 'contains', 'daughters', false],
  ['customerEmail', 'equals', 'ADA@shop.example', true],
  ['customerEmail', 'equals', 'shop.example', false],
  ['customerEmail', 'contains', 'billing', true],
  ['customerEmail', 'domain', 'ada.example', true],
  ['customerEmail', 'domain', '@shop.example', true],
  ['customerEmail', 'domain', 'example', false],
];

describe('a condition', () => {
  it.each(CASES)('%s %s %j: %s', (type, operator, value, expected) => {
    const condition = { type, operator, value };
    expect(conditionErrors([condition])).toEqual([]);
    expect(holds([condition], judged)).toBe(expected);
  });

  it('has a case for each operator that each type takes', () => {
    const tried = new Set(CASES.map(([type, operator]) => `${type} ${operator}`));
    const all = Object.entries(OPERATORS).flatMap(([type, operators]) => operators.map((each) => `${type} ${each}`));
    expect([...tried].toSorted()).toEqual(all.toSorted());
  });

  it('on a customer does not hold where nobody knows the customer', () => {
    for (const type of ['customerName', 'customerEmail'] as const)
      expect(holds([{ type, operator: 'contains', value: 'a' }], { ...judged, customer: null })).toBe(false);
  });
});

it('a rule matches where all of its conditions hold', () => {
  const yes: RuleCondition = { type: 'amount', operator: 'equals', value: 100 };
  const no: RuleCondition = { type: 'amount', operator: 'equals', value: 99 };
  expect([holds([yes, yes], judged), holds([yes, no], judged), holds([no, yes], judged)]).toEqual([true, false, false]);
});
