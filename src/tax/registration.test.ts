import { describe, expect, it } from 'vitest';
import { holdsOn, registrationProblems, type TaxRegistration } from './registration.ts';

const germany: TaxRegistration = {
  country: 'DE',
  taxId: 'DE136695976',
  scheme: 'standard',
  from: '2025-01-01',
  to: null,
};
const fieldsOf = async (...registrations: TaxRegistration[]) =>
  (await registrationProblems(registrations, 'list')).map(({ field }) => field);

describe('registrations for tax', () => {
  it('hold from their first day until before the last', () => {
    const ended = { from: '2025-01-01', to: '2025-07-01' };
    expect(['2024-12-31', '2025-01-01', '2025-06-30', '2025-07-01'].map((day) => holdsOn(ended, day))).toEqual([
      ...[false, true, true, false],
    ]);
    expect(holdsOn(germany, '2199-12-31')).toBe(true);
  });

  it.each<{ what: string; given: TaxRegistration[]; fields: string[] }>([
    { what: 'one', given: [germany], fields: [] },
    {
      what: 'a country and the one-stop shop there',
      given: [germany, { ...germany, scheme: 'oss' }],
      fields: [],
    },
    {
      what: 'one after the other',
      given: [
        { ...germany, to: '2025-07-01' },
        { ...germany, from: '2025-07-01' },
      ],
      fields: [],
    },
    { what: 'a country twice', given: [germany, germany], fields: ['list.1.country'] },
    {
      what: 'a country twice for some days',
      given: [
        { ...germany, to: '2025-07-02' },
        { ...germany, from: '2025-07-01' },
      ],
      fields: ['list.1.country'],
    },
    {
      what: 'two one-stop shops',
      given: [
        { ...germany, scheme: 'oss' },
        { ...germany, scheme: 'oss', country: 'FR', taxId: 'FR40303265045' },
      ],
      fields: ['list.1.country'],
    },
    { what: 'a country without a known rate', given: [{ ...germany, country: 'US' }], fields: ['list.0.country'] },
    { what: 'no country', given: [{ ...germany, country: 'XX' }], fields: ['list.0.country'] },
    {
      what: 'the one-stop shop outside the European Union',
      given: [{ ...germany, country: 'GB', scheme: 'oss' }],
      fields: ['list.0.country'],
    },
    { what: 'an id of another country', given: [{ ...germany, country: 'FR' }], fields: ['list.0.taxId'] },
    { what: 'an id with wrong check digits', given: [{ ...germany, taxId: 'DE136695975' }], fields: ['list.0.taxId'] },
    { what: 'a day that is none', given: [{ ...germany, from: '2025-02-30' }], fields: ['list.0.from'] },
    {
      what: 'an end that is no day',
      given: [{ ...germany, to: '2025-13-01' }],
      fields: ['list.0.to'],
    },
    { what: 'an end before the start', given: [{ ...germany, to: '2025-01-01' }], fields: ['list.0.to'] },
  ])('$what: $fields', async ({ given, fields }) => {
    expect(await fieldsOf(...given)).toEqual(fields);
  });
});
