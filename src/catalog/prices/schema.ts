import {
  DecimalNumber,
  DecimalOut,
  DecimalText,
  type FieldWords,
  Id,
  ListQuery,
  MapOf,
  Name,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import {
  casesOfModels,
  DisplayUnitReply,
  type PriceModelName,
  PriceProperties,
  priceModelNames,
} from '../../invoicing/rating/index.ts';
import { FEATURE_TYPES } from '../features/feature.ts';
import { Currency, DISPLAY_UNIT, DisplayUnitBody, Percent, PercentOut } from '../words.ts';
import { EntitlementTemplate } from './template.ts';

const PaymentTermWord = OneOf(['in_arrears', 'in_advance']);
const ModelWord = Type.Unsafe<PriceModelName>({ type: 'string', enum: [...priceModelNames], default: 'standard' });

const PRICE_FIELDS: FieldWords = {
  invoiceDisplayName: ['The name of the line on invoices, 1 to 255 characters.', 'API calls'],
  paymentTerm: '`in_arrears`: billed after the period. `in_advance`: billed before the period; only for fees.',
  model: 'How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`.',
  properties: ['The numbers of the model. Money is in major units of the currency of the plan.', { unitPrice: '0.02' }],
  billingCadence: [
    'How often the price is billed: an ISO 8601 duration. `P0D` is once. Fees need one. Null for a ' +
      'metric: the cadence of the plan.',
    'P1M',
  ],
  quantity: ['How many units of a fee are billed. Default: 1.', 1],
  minimumAmount: ['The minimum of the price in each period, in major units. Absent or null: no minimum.', '25'],
  maximumAmount: ['The maximum of the price in each period, in major units. Absent or null: no maximum.', '100'],
  currencyPrices: [
    'The price in other currencies than the one of the plan, by ISO 4217 code. An entry stands for itself: it has ' +
      'its own minimum and maximum, or none.',
    { USD: { properties: { unitPrice: '0.022' }, minimumAmount: '5', maximumAmount: '500' } },
  ],
  taxRate: [
    'The tax rate in percent: 20 is 20 %. Absent or null: the rate of the metric, the plan or the merchant.',
    20,
  ],
  displayUnit: DISPLAY_UNIT,
  groupFilters: [
    'Only usage with these values is billed: dimensions of the metric with lists of values. Absent or ' +
      'null: all usage.',
    { region: ['eu'] },
  ],
  grantDiscountEnabled: '`true`: units that grants cover are not billed. Default: `false`.',
  features: 'The features that a subscription gets with this price.',
  feature: 'The feature that a subscription gets with this price.',
  entitlementTemplate: 'How much of the feature the subscription gets. Default: the template of a boolean feature.',
  priceDeleted: '`true`: the price was deleted since. The version still has it.',
  key: ['The key of the feature.', 'api-calls'],
  name: ['The name of the feature.', 'API calls'],
  type: 'The type of the feature.',
  billableMetricId: ['The metric of the price. Send exactly one of metric and fee.', 'bm_8c3d5e0f1a2b4c6d'],
  feeId: 'The fee of the price. Send exactly one of metric and fee.',
};

const GroupFiltersOut = Type.Unsafe<Record<string, string[]>>({
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
});

const CURRENCY_PRICE_FIELDS: FieldWords = {
  properties: 'The numbers of the model of the price, in this currency.',
  minimumAmount: 'The minimum of the price in each period, in this currency. Absent or null: no minimum.',
  maximumAmount: 'The maximum of the price in each period, in this currency. Absent or null: no maximum.',
};

const CurrencyPricesOut = MapOf(
  Currency,
  Type.Object(
    {
      properties: PriceProperties,
      minimumAmount: Nullable(DecimalOut),
      maximumAmount: Nullable(DecimalOut),
    },
    { 'x-fields': CURRENCY_PRICE_FIELDS },
  ),
);

const priceFields = {
  id: Id('price'),
  object: Type.Literal('price'),
  merchantId: Id('organization'),
  billableMetricId: Type.Optional(Id('billableMetric')),
  feeId: Type.Optional(Id('fee')),
  invoiceDisplayName: Type.String(),
  paymentTerm: PaymentTermWord,
  model: OneOf(priceModelNames as [PriceModelName, ...PriceModelName[]]),
  properties: PriceProperties,
  billingCadence: Nullable(Type.String()),
  quantity: NumberOut,
  minimumAmount: Type.Optional(DecimalOut),
  maximumAmount: Type.Optional(DecimalOut),
  currencyPrices: CurrencyPricesOut,
  taxRate: Type.Optional(PercentOut),
  displayUnit: Nullable(DisplayUnitReply),
  groupFilters: Type.Optional(GroupFiltersOut),
  grantDiscountEnabled: Type.Boolean(),
  features: Type.Array(
    Type.Object({
      id: Id('priceFeature'),
      featureId: Id('feature'),
      entitlementTemplate: EntitlementTemplate,
      feature: Type.Object({ key: Type.String(), name: Type.String(), type: OneOf(FEATURE_TYPES) }),
    }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const PriceReply = Type.Object(priceFields, {
  $id: 'Price',
  description: 'How a metric or a fee is billed. `model` decides the form of `properties`.',
  'x-fields': PRICE_FIELDS,
  'x-cases': casesOfModels(),
});

/** A price as a version holds it: versions outlive their prices. */
export const PriceSlotOut = Type.Object(
  { ...priceFields, priceDeleted: Type.Boolean() },
  {
    $id: 'PlanVersionPriceSlot',
    description: 'A price as a version of a plan has it.',
    'x-fields': PRICE_FIELDS,
    'x-cases': casesOfModels(),
  },
);

const Amount = Type.Optional(Nullable(DecimalText({ minimum: '0', accept: 'both' })));

const Feature = Strict({
  featureId: Id('feature'),
  entitlementTemplate: Type.Optional(EntitlementTemplate), // absent: of a boolean feature
});

/** Dimension → the values that count. */
const GroupFilters = Type.Unsafe<Record<string, string[]>>({
  type: 'object',
  maxProperties: 50,
  propertyNames: { maxLength: 64, 'x-text': true },
  additionalProperties: {
    type: 'array',
    minItems: 1,
    maxItems: 1000,
    uniqueItems: true,
    items: Text({ maxLength: 500 }),
  },
});

const terms = {
  invoiceDisplayName: Name,
  paymentTerm: PaymentTermWord,
  properties: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    'x-document': PriceProperties,
  }),
};
const CurrencyPrices = MapOf(
  Currency,
  Strict(
    { properties: terms.properties, minimumAmount: Amount, maximumAmount: Amount },
    { 'x-fields': CURRENCY_PRICE_FIELDS },
  ),
);

const optionalTerms = {
  billingCadence: Type.Optional(Nullable(Type.String({ maxLength: 20 }))),
  minimumAmount: Amount,
  maximumAmount: Amount,
  currencyPrices: Type.Optional(Nullable(CurrencyPrices)),
  taxRate: Type.Optional(Nullable(Percent)),
  displayUnit: Type.Optional(Nullable(DisplayUnitBody)),
  groupFilters: Type.Optional(Nullable(GroupFilters)),
  feature: Type.Optional(Nullable(Feature)),
};
const Quantity = DecimalNumber({ minimum: '0', maximum: '999999999999', fractionDigits: 0 });

export const PriceCreateBody = Strict(
  {
    billableMetricId: Type.Optional(Id('billableMetric')),
    feeId: Type.Optional(Id('fee')),
    model: Type.Optional(ModelWord),
    ...terms,
    ...optionalTerms,
    quantity: Type.Optional(Quantity),
    grantDiscountEnabled: Type.Optional(Type.Boolean({ default: false })),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'PriceCreate',
    'x-fields': PRICE_FIELDS,
    'x-cases': casesOfModels(),
    examples: [
      {
        billableMetricId: 'bm_8c3d5e0f1a2b4c6d',
        invoiceDisplayName: 'API calls',
        paymentTerm: 'in_arrears',
        model: 'standard',
        properties: { unitPrice: '0.02', includedUnits: '500' },
      },
    ],
    'x-some-of': ['billableMetricId', 'feeId'],
  },
);
export type PriceCreateBody = Static<typeof PriceCreateBody>;

export const PriceUpdateBody = Strict(
  {
    model: Type.Optional(OneOf(priceModelNames as [PriceModelName, ...PriceModelName[]])),
    invoiceDisplayName: Type.Optional(terms.invoiceDisplayName),
    paymentTerm: Type.Optional(terms.paymentTerm),
    properties: Type.Optional(terms.properties),
    ...optionalTerms,
    quantity: Type.Optional(Quantity),
    grantDiscountEnabled: Type.Optional(Type.Boolean()),
  },
  { $id: 'PriceUpdate', 'x-fields': PRICE_FIELDS, examples: [{ invoiceDisplayName: 'Calls of the API' }] },
);
export type PriceUpdateBody = Static<typeof PriceUpdateBody>;

export const PriceListQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  billableMetricId: Type.Optional(Id('billableMetric')),
  feeId: Type.Optional(Id('fee')),
});
