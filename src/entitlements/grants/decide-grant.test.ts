import { expect, it } from 'vitest';
import { decimal, jsonNumber, plain } from '../../kernel/decimal.ts';
import { decideGrant } from './decide-grant.ts';

const NOW = Temporal.Instant.from('2026-01-01T00:00:00Z');
const fieldsOf = (input: object): string[] => {
  const decided = decideGrant({ amount: jsonNumber(decimal(1)), ...input }, NOW);
  if (decided.ok || decided.refusal.kind !== 'validation') return [];
  return decided.refusal.errors.map(({ field }) => field);
};

it('fills in what was left out: from now on, for ever, everything rolls over', () => {
  const decided = decideGrant({ amount: jsonNumber(decimal('1.5')) }, NOW);
  if (!decided.ok) throw new Error('refused');
  const { amount, resetMaxRollover, resetMinRollover, ...rest } = decided.value;
  expect([amount, resetMaxRollover, resetMinRollover].map(plain)).toEqual(['1.5', '999999999999', '0']);
  expect(rest).toEqual({ priority: 0, effectiveAt: NOW, expiresAt: null, recurrencePeriod: null });
});

it.each([
  { when: 'right after now', input: { expiresAt: '2026-01-01T00:00:00.000001Z' }, failing: [] },
  { when: 'now', input: { expiresAt: '2026-01-01T00:00:00Z' }, failing: ['expiresAt'] },
  {
    when: 'past, after a past effect',
    input: { effectiveAt: '2025-01-01T00:00:00Z', expiresAt: '2025-06-01T00:00:00Z' },
    failing: [],
  },
  {
    when: 'at its effect, in another offset',
    input: { effectiveAt: '2026-02-01T00:00:00Z', expiresAt: '2026-02-01T01:00:00+01:00' },
    failing: ['expiresAt'],
  },
])('expires $when: $failing', ({ input, failing }) => expect(fieldsOf(input)).toEqual(failing));

it.each([
  ['P1D', []],
  ['P2W', []],
  ['P1M', []],
  ['P1Y', []],
  ['P0D', ['recurrencePeriod']],
  ['P1M1D', ['recurrencePeriod']],
  ['PT24H', ['recurrencePeriod']],
  ['1M', ['recurrencePeriod']],
])('recurs after %s: %j', (recurrencePeriod, failing) => expect(fieldsOf({ recurrencePeriod })).toEqual(failing));

it('names every failing field', () => {
  const input = { expiresAt: '2026-01-01T00:00:00Z', recurrencePeriod: '', resetMinRollover: 2, resetMaxRollover: 1 };
  expect(fieldsOf(input)).toEqual(['expiresAt', 'resetMinRollover', 'recurrencePeriod']);
});
