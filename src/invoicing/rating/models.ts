import { Type } from 'typebox';
import type { Cases } from '../../http/schema.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Fraction } from '../../kernel/fraction.ts';
import type { FieldError } from '../../kernel/result.ts';
import { dynamic } from './dynamic.ts';
import { graduated } from './graduated.ts';
import { matrix } from './matrix.ts';
import type { Charge, Measured, PriceModel } from './model.ts';
import { packaged } from './package.ts';
import { percentage } from './percentage.ts';
import { scaledProperties } from './properties.ts';
import { standard } from './standard.ts';
import type { EventRule } from './usage.ts';
import { volume } from './volume.ts';

/** The one table of price models: a model is a file, and a line here. */
export const priceModels = { standard, graduated, volume, package: packaged, percentage, dynamic, matrix } as const;

export type PriceModelName = keyof typeof priceModels;

/** The names of the models, in the order of the documentation. */
export const priceModelNames = Object.keys(priceModels) as readonly PriceModelName[];

/** Is this the name of a model? */
export const isPriceModel = (name: string): name is PriceModelName => Object.hasOwn(priceModels, name);

export type PropertiesOf<Name extends PriceModelName> =
  (typeof priceModels)[Name] extends PriceModel<infer Properties> ? Properties : never;

/** A model with its own properties. */
export type Pricing = {
  [Name in PriceModelName]: { readonly model: Name; readonly properties: PropertiesOf<Name> };
}[PriceModelName];

/** `properties` of any model, for the OpenAPI document; a request is validated with the schema of its own model. */
export const PriceProperties = Type.Union(priceModelNames.map((name) => priceModels[name].schema));

/** The kinds of an object with a model and its properties, for the OpenAPI document. */
export const casesOfModels = (): Cases => ({
  by: 'model',
  of: Object.fromEntries(priceModelNames.map((name) => [name, { fields: { properties: priceModels[name].schema } }])),
});

/**
 * The model of a name. Name and properties belong together by the type `Pricing`; that the compiler cannot follow it
 * here is said once.
 */
export const modelOf = ({ model }: { readonly model: PriceModelName }): PriceModel<unknown> =>
  priceModels[model] as PriceModel<unknown>;

/** The same model with all its money scaled by a factor; sums of what events carry by their own factor. */
export function scaledPricing({ model, properties }: Pricing, factor: Decimal): Pricing {
  const whole = model === 'dynamic' ? { multiplier: '1', ...properties } : properties;
  return { model, properties: scaledProperties(whole, factor) } as Pricing;
}

/** The dimensions by whose values a price bills apart. */
export const dimensionsOf = ({ model, properties }: { readonly model: PriceModelName; readonly properties: unknown }) =>
  modelOf({ model }).byGroup?.dimensions(properties);

/** The rule of a price on each event by itself, in a part of a period; null: it is none. */
export const eventRuleOf = ({ model, properties }: Pricing, share: Fraction): EventRule | null =>
  modelOf({ model }).byEvent?.ruleOf(properties, share) ?? null;

/** The faults of properties that have the form of their model, by path inside `properties`; none if they make sense. */
export const checkProperties = (pricing: Pricing): FieldError[] => modelOf(pricing).check(pricing.properties);

/** The cost of a quantity: exact, unrounded. */
export const rateModel = (pricing: Pricing, measured: Measured): readonly [Charge, ...Charge[]] =>
  modelOf(pricing).rate(pricing.properties, measured);
