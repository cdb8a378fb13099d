import { type Decimal, ZERO } from '../kernel/decimal.ts';
import { holdsOn, type TaxRegistration } from './registration.ts';
import { standardRate } from './standard-rates.ts';
import { type TaxAddress, type Territory, territoryOf } from './territory.ts';

/** The status of a customer's tax id: `unchecked` is neither confirmed nor refused by a register. */
export type TaxIdStanding = 'none' | 'valid' | 'invalid' | 'unchecked';

/** The facts that decide the place of a sale. */
export interface PlaceQuestion {
  readonly registrations: readonly TaxRegistration[];
  readonly seller: TaxAddress | null;
  readonly customer: TaxAddress | null;
  readonly taxId: TaxIdStanding;
  /** The country of the customer's VAT number, alpha-2; null: it has none. */
  readonly taxIdCountry: string | null;
  readonly taxExempt: boolean;
  /** The day of the tax point, `YYYY-MM-DD` in UTC. */
  readonly day: string;
}

export type TaxTreatment = 'domestic' | 'reverse_charge' | 'consumer_abroad' | 'outside' | 'exempt' | 'not_registered';

/** The place of a sale for tax, with its treatment. */
export interface PlaceOfSupply {
  readonly treatment: TaxTreatment;
  /** The country of the tax, alpha-2; null if there is none. */
  readonly country: string | null;
  /** In percent; null where the merchant's own rates decide. */
  readonly rate: Decimal | null;
  /** UNCL 5305: S is taxed, AE reverse charge, E exempt, O outside the scope of tax. */
  readonly category: 'S' | 'AE' | 'E' | 'O';
  /** The legal note on the document. */
  readonly noteKey: 'reverseCharge' | 'exempt' | 'outside' | null;
  /** The sentence that decided. */
  readonly because: string;
  /** The registration under which the sale is declared. */
  readonly registration: TaxRegistration | null;
}

/** The facts for the rules below. */
interface Facts {
  readonly customer: Territory;
  readonly home: Territory;
  readonly taxId: TaxIdStanding;
  readonly taxIdCountry: string | null;
  readonly day: string;
  /** The registration in a country on that day. */
  readonly registeredIn: (country: string | null) => TaxRegistration | null;
  readonly oneStopShop: TaxRegistration | null;
}

/**
 * The place of an electronic service, by Directive 2006/112/EC and, outside the Union, by the merchant's registrations
 * (docs/decisions/0114). Pure and total.
 * @returns null if no registration is valid on that day: the merchant's own rates decide alone
 */
export function decidePlace(question: PlaceQuestion): PlaceOfSupply | null {
  const { registrations, taxExempt, taxId, taxIdCountry, day } = question;
  const holding = registrations.filter((registration) => holdsOn(registration, day));
  if (holding.length === 0) return null;
  const registeredIn = (country: string | null) =>
    holding.find((each) => each.country === country && each.scheme === 'standard') ??
    holding.find((each) => each.country === country) ??
    null;
  const facts: Facts = {
    customer: territoryOf(question.customer ?? {}),
    home: homeOf(question.seller, holding),
    taxId,
    taxIdCountry,
    day,
    registeredIn,
    oneStopShop: holding.find(({ scheme }) => scheme === 'oss') ?? null,
  };
  const decided = decide(facts);
  const place = taxExempt && decided.category === 'S' ? EXEMPT : decided;
  // Sales without tax are declared at home, too: in returns, and in the list of sales to businesses in other member
  // states.
  return place.category === 'S' ? place : { ...place, registration: registeredIn(facts.home.country) };
}

/** The home of the merchant: its address, or without one its first registration. */
function homeOf(seller: TaxAddress | null, holding: readonly TaxRegistration[]): Territory {
  const established = territoryOf(seller ?? {});
  if (established.country !== null) return established;
  const first = holding.find(({ scheme }) => scheme === 'standard') ?? holding[0];
  return territoryOf({ country: first?.country ?? null });
}

function decide(facts: Facts): PlaceOfSupply {
  const { customer, home, registeredIn } = facts;
  if (customer.country === null)
    return atHome(facts, 'The address has no country, so the customer counts as one at home.');
  if (customer.exclusion !== null)
    return outside(
      `The address is in ${customer.exclusion}, outside the territory of VAT (Article 6 of Directive 2006/112/EC).`,
    );
  if (customer.country === home.country) return atHome(facts, 'Seller and customer are in the same country.');
  if (customer.isEu) return inUnion(facts, customer.country);
  const registration = registeredIn(customer.country);
  return registration === null
    ? outside(
        home.isEu
          ? OUTSIDE_THE_UNION
          : 'The customer is neither in the country of the seller nor in the European Union.',
      )
    : taxed(
        facts,
        'consumer_abroad',
        registration,
        customer.country,
        'The merchant is registered in the country of the customer.',
      );
}

/** A customer in a member state that is not the merchant's own. */
function inUnion(facts: Facts, country: string): PlaceOfSupply {
  const { taxId, taxIdCountry, home, registeredIn, oneStopShop } = facts;
  if (taxId === 'valid' && taxIdCountry === home.country) return atHome(facts, NUMBER_AT_HOME);
  if (taxId === 'valid')
    return {
      ...untaxed('reverse_charge', 'AE', 'reverseCharge', country),
      because:
        'A business with a valid VAT number in another country owes the tax itself (Articles 44 and 196 of Directive ' +
        '2006/112/EC).',
    };
  const consumer = CONSUMER[taxId];
  const registration = registeredIn(country);
  if (registration?.scheme === 'standard')
    return taxed(
      facts,
      'consumer_abroad',
      registration,
      country,
      `${consumer} The place is where it is ${ARTICLE_58}.`,
    );
  if (oneStopShop !== null)
    return taxed(
      facts,
      'consumer_abroad',
      oneStopShop,
      country,
      `${consumer} The place is where it is, and the one-stop shop declares the tax ${ARTICLE_58}.`,
    );
  if (home.isEu && registeredIn(home.country) !== null)
    return atHome(
      facts,
      `${consumer} Without the one-stop shop and a registration in ${country}, the place stays with the seller ` +
        '(Article 59c of Directive 2006/112/EC).',
    );
  return {
    ...untaxed('not_registered', 'O', 'outside', country),
    because: `${consumer} The merchant is registered neither in ${country} nor for the one-stop shop.`,
  };
}

const NUMBER_AT_HOME =
  'The VAT number is of the country of the seller, so the customer counts as one at home (Article 22 of Implementing ' +
  'Regulation 282/2011).';
const OUTSIDE_THE_UNION = 'The customer is outside the European Union (Articles 44 and 59 of Directive 2006/112/EC).';
const ARTICLE_58 = '(Article 58 of Directive 2006/112/EC)';

const CONSUMER: Readonly<Record<Exclude<TaxIdStanding, 'valid'>, string>> = {
  none: 'A customer without a VAT number counts as a consumer.',
  invalid: 'The VAT number is not valid, so the customer counts as a consumer.',
  unchecked: 'No register has confirmed the VAT number, so the customer counts as a consumer.',
};

/** If the merchant is not registered at home, its own rates still decide there. */
function atHome(facts: Facts, because: string): PlaceOfSupply {
  const { country } = facts.home;
  const registration = facts.registeredIn(country);
  if (registration !== null && country !== null) return taxed(facts, 'domestic', registration, country, because);
  return {
    treatment: 'not_registered',
    country,
    rate: null,
    category: 'S',
    noteKey: null,
    because: `${because} The merchant is not registered there, so its own rates decide.`,
    registration: null,
  };
}

const taxed = (
  { day }: Facts,
  treatment: TaxTreatment,
  registration: TaxRegistration,
  country: string,
  because: string,
): PlaceOfSupply => ({
  ...{ treatment, country, rate: standardRate(country, day), category: 'S', noteKey: null, because, registration },
});

const outside = (because: string): PlaceOfSupply => ({ ...untaxed('outside', 'O', 'outside', null), because });

const untaxed = (
  treatment: TaxTreatment,
  category: PlaceOfSupply['category'],
  noteKey: PlaceOfSupply['noteKey'],
  country: string | null,
): Omit<PlaceOfSupply, 'because'> => ({ treatment, country, rate: ZERO, category, noteKey, registration: null });

const EXEMPT: PlaceOfSupply = {
  ...untaxed('exempt', 'E', 'exempt', null),
  because: 'The sale is exempt from tax by contract.',
};
