import { describe, expect, it } from 'vitest';
import { validate } from '../../http/index.ts';
import { propertiesSchema } from './fields-of-models.ts';
import { type PriceModelName, priceModelNames, priceModels } from './models.ts';

const messageOf = (model: PriceModelName, field: string): string | undefined =>
  validate('body', propertiesSchema(model), { [field]: '1' }).find((error) => error.field === field)?.message;

const fieldsOf = (model: PriceModelName): string[] =>
  Object.keys((priceModels[model].schema as unknown as { properties: object }).properties);
const all = [...new Set(priceModelNames.flatMap(fieldsOf))];

describe('a field that one price model has and another has not', () => {
  it.each(
    priceModelNames.flatMap((model) =>
      all.filter((field) => !fieldsOf(model).includes(field)).map((field) => ({ model, field })),
    ),
  )('$model says that it takes no $field, and what it takes', ({ model, field }) => {
    expect(messageOf(model, field)).toMatch(
      new RegExp(`^${model} takes (no ${field} \\(.+ do(?:es)?\\); .+|${field} in each element of \\w+)$`),
    );
  });

  it.each<{ model: PriceModelName; field: string; message: string }>([
    {
      model: 'matrix',
      field: 'includedUnits',
      message:
        'matrix takes no includedUnits (standard, graduated, volume, package and percentage do); give free units by a ' +
        'second price of model standard, and let groupFilters divide the usage between both prices',
    },
    { model: 'matrix', field: 'unitPrice', message: 'matrix takes unitPrice in each element of cells' },
    { model: 'volume', field: 'flatPrice', message: 'volume takes flatPrice in each element of tiers' },
    {
      model: 'standard',
      field: 'tiers',
      message: 'standard takes no tiers (graduated and volume do); it takes unitPrice and includedUnits',
    },
    {
      model: 'package',
      field: 'unitPrice',
      message: 'package takes no unitPrice (standard does); it takes size, price and includedUnits',
    },
    {
      model: 'dynamic',
      field: 'percentage',
      message: 'dynamic takes no percentage (percentage does); it takes multiplier',
    },
    { model: 'standard', field: 'unitprice', message: 'is not a known field; did you mean unitPrice?' },
  ])('$model with $field: $message', ({ model, field, message }) => {
    expect(messageOf(model, field)).toBe(message);
  });
});
