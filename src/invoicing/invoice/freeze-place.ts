import { plain } from '../../kernel/decimal.ts';
import type { ChosenTaxRate, PlaceOfSupply, TaxIdStanding } from '../../tax/index.ts';
import type { FrozenPlace, FrozenTerms } from './frozen-terms.ts';

/** The frozen choice of tax rates: the rates by their keys, and the place of the sale. */
export function freezeRates(
  chosen: Readonly<Record<string, ChosenTaxRate>>,
  place: PlaceOfSupply | null,
  known: { readonly taxIdStatus: TaxIdStanding; readonly taxPoint: string },
): Pick<FrozenTerms, 'taxRates' | 'place'> {
  const each = <T>(of: (choice: ChosenTaxRate) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(chosen).map(([key, choice]) => [key, of(choice)]));
  const taxRates = each(({ rate }) => plain(rate));
  if (place === null) return { taxRates };
  const { registration, rate, ...decided } = place;
  const frozen: FrozenPlace = {
    ...decided,
    rate: rate && plain(rate),
    registration: registration && {
      country: registration.country,
      taxId: registration.taxId,
      scheme: registration.scheme,
    },
    ...known,
    sources: each(({ source }) => source),
  };
  return { taxRates, place: frozen };
}
