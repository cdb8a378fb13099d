import { type TSchema, Type } from 'typebox';
import { type PriceModelName, priceModelNames, priceModels } from './models.ts';
import { PROPERTY_FIELDS } from './properties.ts';

/** The other way to the same, where a model cannot take a field. */
const INSTEAD: Partial<Record<PriceModelName, Readonly<Record<string, string>>>> = {
  matrix: {
    includedUnits:
      'give free units by a second price of model standard, and let groupFilters divide the usage between both prices',
    tiers: 'make a price of model graduated or volume for each group, with groupFilters',
  },
  dynamic: { includedUnits: 'the values of its events are money, not units' },
};

interface Form {
  readonly properties?: Readonly<Record<string, Form>>;
  readonly items?: Form;
}

const formOf = (name: PriceModelName): Form => priceModels[name].schema as Form;
const fieldsOf = (form: Form): readonly string[] => Object.keys(form.properties ?? {});

/** The list of a form whose elements have the field; undefined for none. */
const listWith = (field: string, { properties = {} }: Form): string | undefined =>
  Object.keys(properties).find((list) => fieldsOf(properties[list]?.items ?? {}).includes(field));

/** Why a model does not take a field of the others, and what to send. Undefined for a field that it takes. */
function hintOf(name: PriceModelName, field: string): string | undefined {
  const form = formOf(name);
  if (fieldsOf(form).includes(field)) return undefined;
  const list = listWith(field, form);
  if (list !== undefined) return `${name} takes ${field} in each element of ${list}`;
  const takers = priceModelNames.filter((other) => fieldsOf(formOf(other)).includes(field));
  const instead = INSTEAD[name]?.[field] ?? `it takes ${listed(fieldsOf(form), 'and')}`;
  const models = takers.length === 0 ? '' : ` (${listed(takers, 'and')} ${takers.length === 1 ? 'does' : 'do'})`;
  return `${name} takes no ${field}${models}; ${instead}`;
}

const listed = (words: readonly string[], last: string): string =>
  words.join(', ').replace(/, (?=[^,]*$)/, ` ${last} `);

/** The form of a model's properties for checks, with a message for each field that only other models have. */
const CHECKED = new Map<PriceModelName, TSchema>(
  priceModelNames.map((name) => {
    const hints = Object.keys(PROPERTY_FIELDS).map((field) => [field, hintOf(name, field)]);
    return [name, { ...priceModels[name].schema, 'x-hints': Object.fromEntries(hints) as Record<string, string> }];
  }),
);

/** The schema that checks the properties of a model. */
export const propertiesSchema = (name: PriceModelName): TSchema => CHECKED.get(name) ?? Type.Never();
