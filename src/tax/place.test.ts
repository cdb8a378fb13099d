import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countryCodes } from '../kernel/country.ts';
import { decimal, plain, sum } from '../kernel/decimal.ts';
import { chooseTaxRate } from './choose-rate.ts';
import { decidePlace, type PlaceQuestion, type TaxIdStanding } from './place.ts';
import type { TaxRegistration } from './registration.ts';
import { taxLines } from './tax-lines.ts';
import { taxPoint } from './tax-point.ts';
import type { TaxAddress } from './territory.ts';

const registration = (country: string, more: Partial<TaxRegistration> = {}): TaxRegistration => ({
  ...{ country, taxId: `of ${country}`, scheme: 'standard', from: '2020-01-01', to: null },
  ...more,
});
const germany = registration('DE');
const oss = registration('DE', { scheme: 'oss' });

/** A sale. By default a merchant in Germany, registered there, sells to a consumer on 1 March 2026. */
interface Sale {
  readonly seller?: TaxAddress | null;
  readonly registrations?: readonly TaxRegistration[];
  readonly to: string;
  readonly zip?: string;
  readonly taxId?: TaxIdStanding;
  /** Default: the country of the address. */
  readonly taxIdCountry?: string;
  readonly taxExempt?: boolean;
  readonly day?: string;
}
const questionOf = ({ to, zip, ...sale }: Sale): PlaceQuestion => ({
  ...{
    seller: { country: 'DE' },
    registrations: [germany],
    taxId: 'none',
    taxIdCountry: to,
    taxExempt: false,
    day: '2026-03-01',
  },
  ...sale,
  customer: to === '' ? null : { country: to, ...(zip !== undefined && { zipCode: zip }) },
});
const decided = (sale: Sale): string => {
  const place = decidePlace(questionOf(sale));
  if (place === null) return 'by the own rates';
  const rate = place.rate === null ? 'own rates' : `${plain(place.rate)} %`;
  return `${place.treatment} ${place.country ?? '-'} ${rate} ${place.category} ${place.noteKey ?? '-'}`;
};

/*
 * Written by hand from Directive 2006/112/EC ("the directive" below) and from the taxes of each country, not from the
 * program. Each row has the rule that decides it.
 */
describe('the place of a sale', () => {
  it.each(['97110', '97200', '97300', '97400', '97500', '97610', '97700', '97800', '98600', '98713', '98800'])(
    'to France with the postcode %s is outside the territory of VAT (Article 6)',
    (zip) => {
      expect(decidePlace(questionOf({ to: 'FR', zip }))).toMatchObject({ treatment: 'outside', category: 'O' });
    },
  );

  it('is taxed under the standard registration where a country has two', () => {
    const france = registration('FR');
    const both = [germany, registration('FR', { scheme: 'oss', taxId: 'of the shop' }), france];
    expect(decidePlace(questionOf({ to: 'FR', registrations: both }))?.registration).toEqual(france);
  });

  it('is that of the first standard registration, for a merchant without an address', () => {
    const registrations = [registration('IE', { scheme: 'oss' }), germany, registration('FR')];
    expect(decidePlace(questionOf({ seller: null, registrations, to: '' }))).toMatchObject({ country: 'DE' });
  });

  it.each<Sale & { rule: string; is: string }>([
    // At home.
    { rule: 'Article 45: a consumer at home', to: 'DE', is: 'domestic DE 19 % S -' },
    { rule: 'Article 44: a business at home', to: 'DE', taxId: 'valid', is: 'domestic DE 19 % S -' },
    {
      rule: 'Article 45: a business at home whose number is wrong',
      to: 'DE',
      taxId: 'invalid',
      is: 'domestic DE 19 % S -',
    },
    { rule: 'no address: as at home', to: '', is: 'domestic DE 19 % S -' },
    {
      rule: 'Article 93: the rate of the day, 16 % in the autumn of 2020',
      to: 'DE',
      day: '2020-10-01',
      is: 'domestic DE 16 % S -',
    },

    // Businesses in other member states.
    {
      rule: 'Articles 44, 196: a business elsewhere owes the tax',
      to: 'FR',
      taxId: 'valid',
      is: 'reverse_charge FR 0 % AE reverseCharge',
    },
    {
      rule: 'Articles 44, 196: also where the one-stop shop is used, which is for consumers',
      to: 'FR',
      taxId: 'valid',
      registrations: [germany, oss],
      is: 'reverse_charge FR 0 % AE reverseCharge',
    },
    {
      rule: 'Articles 192a, 196: a registration without an establishment changes nothing for a business',
      to: 'FR',
      taxId: 'valid',
      registrations: [germany, registration('FR')],
      is: 'reverse_charge FR 0 % AE reverseCharge',
    },
    {
      rule: 'Regulation 282/2011, Article 18(2): without a valid number it is a consumer',
      to: 'FR',
      taxId: 'invalid',
      registrations: [germany, oss],
      is: 'consumer_abroad FR 20 % S -',
    },
    {
      rule: 'the same while nobody can say whether it is valid',
      to: 'FR',
      taxId: 'unchecked',
      registrations: [germany, oss],
      is: 'consumer_abroad FR 20 % S -',
    },
    {
      rule: 'Article 59c: an unconfirmed business, no one-stop shop',
      to: 'FR',
      taxId: 'unchecked',
      is: 'domestic DE 19 % S -',
    },

    // Consumers in other member states.
    {
      rule: 'Articles 58, 369a: by the one-stop shop',
      to: 'FR',
      registrations: [germany, oss],
      is: 'consumer_abroad FR 20 % S -',
    },
    {
      rule: 'Article 58: registered there',
      to: 'AT',
      registrations: [germany, registration('AT')],
      is: 'consumer_abroad AT 20 % S -',
    },
    { rule: 'Article 59c: below 10,000 EUR the place stays at home', to: 'FR', is: 'domestic DE 19 % S -' },
    {
      rule: 'the one-stop shop ended: Article 59c',
      to: 'FR',
      registrations: [germany, { ...oss, to: '2026-03-01' }],
      is: 'domestic DE 19 % S -',
    },
    {
      rule: 'the one-stop shop begins tomorrow: Article 59c',
      to: 'FR',
      registrations: [germany, { ...oss, from: '2026-03-02' }],
      is: 'domestic DE 19 % S -',
    },
    {
      rule: 'Finland, 25.5 % since September 2024',
      to: 'FI',
      registrations: [germany, oss],
      is: 'consumer_abroad FI 25.5 % S -',
    },
    {
      rule: 'Finland the day before',
      to: 'FI',
      registrations: [germany, oss],
      day: '2024-08-31',
      is: 'consumer_abroad FI 24 % S -',
    },
    {
      rule: 'Estonia, 24 % since July 2025',
      to: 'EE',
      registrations: [germany, oss],
      is: 'consumer_abroad EE 24 % S -',
    },
    {
      rule: 'Slovakia, 23 % since January 2025',
      to: 'SK',
      registrations: [germany, oss],
      day: '2025-01-01',
      is: 'consumer_abroad SK 23 % S -',
    },
    {
      rule: 'Romania, 21 % since August 2025',
      to: 'RO',
      registrations: [germany, oss],
      day: '2025-08-01',
      is: 'consumer_abroad RO 21 % S -',
    },
    {
      rule: 'Article 7: Monaco counts as France',
      to: 'MC',
      registrations: [germany, oss],
      is: 'consumer_abroad FR 20 % S -',
    },

    // Parts of member states that the tax does not reach (Article 6).
    {
      rule: 'the Canary Islands',
      to: 'ES',
      zip: '35001',
      registrations: [germany, oss],
      is: 'outside - 0 % O outside',
    },
    { rule: 'Tenerife', to: 'ES', zip: 'ES-38001', registrations: [germany, oss], is: 'outside - 0 % O outside' },
    { rule: 'Ceuta', to: 'ES', zip: '51001', registrations: [germany, oss], is: 'outside - 0 % O outside' },
    {
      rule: 'Madrid is none of them',
      to: 'ES',
      zip: '28001',
      registrations: [germany, oss],
      is: 'consumer_abroad ES 21 % S -',
    },
    { rule: 'the Åland Islands', to: 'FI', zip: '22100', registrations: [germany, oss], is: 'outside - 0 % O outside' },
    {
      rule: 'the Åland Islands by their own code',
      to: 'AX',
      registrations: [germany, oss],
      is: 'outside - 0 % O outside',
    },
    { rule: 'Büsingen', to: 'DE', zip: '78266', is: 'outside - 0 % O outside' },
    { rule: 'Heligoland', to: 'DE', zip: 'D-27498', is: 'outside - 0 % O outside' },
    { rule: 'Livigno', to: 'IT', zip: '23041', registrations: [germany, oss], is: 'outside - 0 % O outside' },
    { rule: 'Réunion', to: 'FR', zip: '97400', registrations: [germany, oss], is: 'outside - 0 % O outside' },
    { rule: 'Réunion by its own code', to: 'RE', registrations: [germany, oss], is: 'outside - 0 % O outside' },
    {
      rule: 'Monaco by a French postal code',
      to: 'FR',
      zip: '98000',
      registrations: [germany, oss],
      is: 'consumer_abroad FR 20 % S -',
    },
    { rule: 'Mount Athos', to: 'GR', zip: '630 86', registrations: [germany, oss], is: 'outside - 0 % O outside' },
    { rule: 'also for a business', to: 'ES', zip: '35001', taxId: 'valid', is: 'outside - 0 % O outside' },

    // Outside the European Union.
    { rule: 'Article 59: a consumer outside', to: 'US', is: 'outside - 0 % O outside' },
    { rule: 'Article 44: a business outside', to: 'US', taxId: 'unchecked', is: 'outside - 0 % O outside' },
    {
      rule: 'the one-stop shop ends at the border',
      to: 'GB',
      registrations: [germany, oss],
      is: 'outside - 0 % O outside',
    },
    {
      rule: 'Northern Ireland is outside for services',
      to: 'GB',
      zip: 'BT1 5GS',
      taxId: 'valid',
      is: 'outside - 0 % O outside',
    },
    {
      rule: 'registered in the United Kingdom',
      to: 'GB',
      registrations: [germany, registration('GB')],
      is: 'consumer_abroad GB 20 % S -',
    },
    {
      rule: 'the Isle of Man counts as the United Kingdom',
      to: 'IM',
      registrations: [germany, registration('GB')],
      is: 'consumer_abroad GB 20 % S -',
    },
    {
      rule: 'registered in Switzerland',
      to: 'CH',
      registrations: [germany, registration('CH')],
      is: 'consumer_abroad CH 8.1 % S -',
    },
    {
      rule: 'Switzerland in 2023',
      to: 'CH',
      registrations: [germany, registration('CH')],
      day: '2023-12-31',
      is: 'consumer_abroad CH 7.7 % S -',
    },
    {
      rule: 'registered in Norway',
      to: 'NO',
      registrations: [germany, registration('NO')],
      is: 'consumer_abroad NO 25 % S -',
    },
    {
      rule: 'registered in Norway, and the customer is elsewhere',
      to: 'IS',
      registrations: [germany, registration('NO')],
      is: 'outside - 0 % O outside',
    },

    // Sellers elsewhere.
    {
      rule: 'a British seller at home',
      seller: { country: 'GB' },
      registrations: [registration('GB')],
      to: 'GB',
      is: 'domestic GB 20 % S -',
    },
    {
      rule: 'Article 59c is for sellers in the Union: a British one without a registration there',
      ...{ seller: { country: 'GB' }, registrations: [registration('GB')], to: 'FR' },
      is: 'not_registered FR 0 % O outside',
    },
    {
      rule: 'Articles 44, 196: a business in the Union owes the tax of a British seller',
      ...{ seller: { country: 'GB' }, registrations: [registration('GB')], to: 'FR', taxId: 'valid' as const },
      is: 'reverse_charge FR 0 % AE reverseCharge',
    },
    {
      rule: 'Articles 58, 358a: the scheme for sellers from outside',
      ...{ seller: { country: 'US' }, registrations: [registration('IE', { scheme: 'oss' })], to: 'FR' },
      is: 'consumer_abroad FR 20 % S -',
    },
    {
      rule: 'the same to consumers in the member state that takes the return',
      ...{ seller: { country: 'US' }, registrations: [registration('IE', { scheme: 'oss' })], to: 'IE' },
      is: 'consumer_abroad IE 23 % S -',
    },
    {
      rule: 'an American seller goes on at home by its own rates',
      ...{ seller: { country: 'US' }, registrations: [registration('IE', { scheme: 'oss' })], to: 'US' },
      is: 'not_registered US own rates S -',
    },
    {
      rule: 'an address is missing: home is the first registration',
      seller: null,
      to: 'DE',
      is: 'domestic DE 19 % S -',
    },
    {
      rule: 'a seller on the Canary Islands is outside of Article 59c',
      ...{ seller: { country: 'ES', zipCode: '35001' }, registrations: [registration('FR')], to: 'IT' },
      is: 'not_registered IT 0 % O outside',
    },

    // Exempt, and without a registration.
    { rule: 'exempt by contract', to: 'DE', taxExempt: true, is: 'exempt - 0 % E exempt' },
    {
      rule: 'exempt by contract, and not taxable here anyway: the place says why',
      ...{ to: 'FR', taxId: 'valid' as const, taxExempt: true },
      is: 'reverse_charge FR 0 % AE reverseCharge',
    },
    {
      rule: 'a valid number of the country of the seller names an establishment there (Article 22 of 282/2011)',
      ...{ to: 'AT', taxId: 'valid' as const, taxIdCountry: 'DE' },
      is: 'domestic DE 19 % S -',
    },
    {
      rule: 'a valid number of a third member state is one of a business',
      ...{ to: 'AT', taxId: 'valid' as const, taxIdCountry: 'FR' },
      is: 'reverse_charge AT 0 % AE reverseCharge',
    },
    {
      rule: 'a number of the country of the seller that nobody has confirmed counts for nothing',
      ...{ to: 'AT', taxId: 'unchecked' as const, taxIdCountry: 'DE' },
      is: 'domestic DE 19 % S -', // Article 59c
    },
    { rule: 'no registration at all', to: 'FR', registrations: [], is: 'by the own rates' },
    { rule: 'no registration yet', to: 'DE', day: '2019-12-31', is: 'by the own rates' },
    { rule: 'none any more', to: 'DE', registrations: [{ ...germany, to: '2026-01-01' }], is: 'by the own rates' },
  ])('$rule', ({ is, rule: _, ...sale }) => {
    expect(decided(sale)).toBe(is);
  });

  it('says which registration declares it', () => {
    const of = (sale: Sale) => decidePlace(questionOf(sale))?.registration ?? null;
    expect(of({ to: 'DE' })).toEqual(germany);
    expect(of({ to: 'FR', registrations: [germany, oss] })).toEqual(oss);
    expect(of({ to: 'FR', taxId: 'valid' })).toEqual(germany); // in its list of sales to businesses
    expect(of({ to: 'US' })).toEqual(germany); // in its return, as a sale outside of its scope
    expect(of({ to: 'US', seller: { country: 'US' } })).toBeNull();
  });

  it('says in a sentence what decided, and that an unconfirmed number counts as none', () => {
    const because = (sale: Sale) => decidePlace(questionOf(sale))?.because;
    expect(because({ to: 'FR', taxId: 'valid' })).toMatch(/Articles 44 and 196/);
    expect(because({ to: 'FR', taxId: 'unchecked' })).toMatch(/No register has confirmed .*Article 59c/);
    expect(because({ to: 'FR', taxId: 'invalid', registrations: [germany, oss] })).toMatch(/not valid.*Article 58/);
    expect(because({ to: 'ES', zip: '35001' })).toMatch(/in the Canary Islands, outside/);
  });
});

describe('the tax point', () => {
  const at = (text: string) => Temporal.Instant.from(text);
  it.each([
    ['2025-06-01T00:00:00Z', '2025-07-01T00:00:00Z', '2025-06-30'], // the last instant of the period
    ['2025-06-15T00:00:00Z', '2025-07-15T00:00:00Z', '2025-07-14'],
    ['2025-06-15T12:00:00Z', '2025-07-01T00:00:01Z', '2025-07-01'],
    ['2025-07-01T00:00:00Z', '2025-07-01T00:00:00Z', '2025-07-01'], // no period
  ])('from %s to %s is %s', (start, end, day) => {
    expect(taxPoint(at(start), at(end))).toBe(day);
  });

  it('takes the rate after a change for a period in which it changes', () => {
    const day = taxPoint(at('2025-06-15T00:00:00Z'), at('2025-07-15T00:00:00Z'));
    expect(decided({ to: 'EE', registrations: [germany, oss], day })).toBe('consumer_abroad EE 24 % S -');
  });
});

describe('what always holds', () => {
  const country = fc.option(fc.constantFrom(...countryCodes), { nil: null });
  const address = fc.option(fc.record({ country, zipCode: fc.option(fc.string({ maxLength: 12 }), { nil: null }) }), {
    nil: null,
  });
  const day = fc
    .integer({ min: 0, max: 20_000 })
    .map((days) => Temporal.PlainDate.from('1990-01-01').add({ days }).toString());
  const question: fc.Arbitrary<PlaceQuestion> = fc.record({
    registrations: fc.array(
      fc.record({
        country: fc.constantFrom(...countryCodes),
        taxId: fc.constant('X'),
        scheme: fc.constantFrom('standard', 'oss'),
        from: day,
        to: fc.option(day, { nil: null }),
      }),
      { maxLength: 5 },
    ),
    seller: address,
    customer: address,
    taxId: fc.constantFrom<TaxIdStanding>('none', 'valid', 'invalid', 'unchecked'),
    taxIdCountry: fc.option(fc.constantFrom(...countryCodes), { nil: null }),
    taxExempt: fc.boolean(),
    day,
  });

  it('every sale has a place, and a sentence; a rate of 0 has a note, and a tax has none', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const place = decidePlace(asked);
        if (place === null) return;
        expect(place.because).toMatch(/^[A-ZÅ].*\.$/);
        expect(place.noteKey === null).toBe(place.category === 'S');
        expect(place.rate?.isZero() ?? false).toBe(place.category !== 'S');
      }),
    );
  });

  it.each(['EUR', 'JPY', 'KWD'])('lines taxed by place sum to the invoice in %s', (currency) => {
    const digits = { EUR: 2, JPY: 0, KWD: 3 }[currency] as number;
    fc.assert(
      fc.property(
        question,
        fc.array(fc.integer({ min: -100_000, max: 100_000 }), { maxLength: 20 }),
        (asked, units) => {
          const place = decidePlace(asked);
          const { rate } = chooseTaxRate({
            ...{ taxExempt: asked.taxExempt, customerTaxRates: {}, metricId: null, planId: null, priceTaxRate: null },
            ...{ metricTaxRate: null, planTaxRate: null, merchantTaxRate: decimal('7.5'), place },
          });
          const lines = units.map((unit) => ({ amount: decimal(unit).div(10 ** digits), taxRate: rate }));
          const { lines: taxed, taxes } = taxLines(lines, 'exclusive', currency);
          expect(sum(taxed.map(({ tax }) => tax)).eq(sum(taxes.map(({ amount }) => amount)))).toBe(true);
          expect(sum(taxed.map(({ gross }) => gross)).eq(sum(taxed.flatMap(({ net, tax }) => [net, tax])))).toBe(true);
          for (const { tax } of taxed) expect(tax.decimalPlaces()).toBeLessThanOrEqual(digits);
        },
      ),
    );
  });
});
