import { describe, expect, it } from 'vitest';
import { stateFromJson, stateToJson } from './state-json.ts';
import { ask, entitlement, grant, term } from './testing/given.ts';

const LONG = '12345678901234567890123456789.123456789';

describe('a stored state', () => {
  const inputs = entitlement({
    terms: [term({ issue: '0.00000001', preserve: true })],
    grants: [grant('a', { amount: LONG, priority: -1 }), grant('b', { expires: '2026-01-20' })],
  });
  const [state] = ask(inputs, ['2026-01-02 0.00000001'], ['2026-02-01']).states;
  const json = state && JSON.parse(JSON.stringify(stateToJson(state)));

  it('is text through and through', () => {
    expect(json).toMatchObject({
      at: '2026-02-01T00:00:00Z',
      grants: [
        {
          id: 'a',
          balance: '12345678901234567890123456789.123456779',
          burned: '0.00000001',
          returnable: '0',
          issuedAt: null,
        },
        { balance: '0.00000001', burned: '0', returnable: '0', issuedAt: '2026-02-01T00:00:00Z' },
      ],
      overage: '0',
      pending: '0',
      used: '0',
      totals: { consumed: '0.00000001', expired: '10', voided: '0', dropped: '0.00000001' },
    });
  });

  it('is read as it was written', () => expect(stateFromJson(json)).toEqual(state));

  it.each([
    { what: 'an instant', broken: { at: 'yesterday' } },
    { what: 'a decimal', broken: { overage: 'much' } },
  ])('is refused where it is not $what', ({ broken }) =>
    expect(() => stateFromJson({ ...json, ...broken })).toThrow(RangeError),
  );
});
