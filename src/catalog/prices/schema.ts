import {
  DecimalNumber,
  DecimalText,
  Id,
  ListQuery,
  MapOut,
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
import { type PriceModelName, PriceProperties, priceModelNames } from '../../invoicing/rating/index.ts';
import { FEATURE_TYPES } from '../features/feature.ts';
import { Percent, PercentOut } from '../words.ts';
import { EntitlementTemplate } from './template.ts';

const PaymentTermWord = OneOf(['in_arrears', 'in_advance']);
const ModelWord = Type.Unsafe<PriceModelName>({ type: 'string', enum: [...priceModelNames], default: 'standard' });

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
  billingCadence: Nullable(Type.String({ description: "Null: the plan's." })),
  quantity: NumberOut,
  minimumAmount: Type.Optional(Type.String()),
  maximumAmount: Type.Optional(Type.String()),
  taxRate: Type.Optional(PercentOut),
  groupFilters: Type.Optional(MapOut),
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

export const PriceOut = Type.Object(priceFields, { $id: 'Price' });

/** A price as a version holds it: versions outlive their prices. */
export const PriceSlotOut = Type.Object(
  { ...priceFields, priceDeleted: Type.Boolean() },
  { $id: 'PlanVersionPriceSlot' },
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
    description: 'In the form of the model; see `properties` of Price.',
  }),
};
const optionalTerms = {
  billingCadence: Type.Optional(
    Nullable(
      Type.String({ maxLength: 20, description: "ISO 8601; P0D: once. Fees: required. Metrics: else the plan's." }),
    ),
  ),
  minimumAmount: Amount,
  maximumAmount: Amount,
  taxRate: Type.Optional(Nullable(Percent)),
  groupFilters: Type.Optional(Nullable(GroupFilters)),
  feature: Type.Optional(Nullable(Feature)),
};
const Quantity = DecimalNumber({ minimum: '0', maximum: '999999999999', fractionDigits: 0 });

export const PriceCreate = Strict(
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
  { $id: 'PriceCreate', 'x-some-of': ['billableMetricId', 'feeId'] },
);
export type PriceCreate = Static<typeof PriceCreate>;

export const PriceUpdate = Strict(
  {
    model: Type.Optional(OneOf(priceModelNames as [PriceModelName, ...PriceModelName[]])),
    invoiceDisplayName: Type.Optional(terms.invoiceDisplayName),
    paymentTerm: Type.Optional(terms.paymentTerm),
    properties: Type.Optional(terms.properties),
    ...optionalTerms,
    quantity: Type.Optional(Quantity),
    grantDiscountEnabled: Type.Optional(Type.Boolean()),
  },
  { $id: 'PriceUpdate' },
);
export type PriceUpdate = Static<typeof PriceUpdate>;

export const PriceListQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  billableMetricId: Type.Optional(Id('billableMetric')),
  feeId: Type.Optional(Id('fee')),
});
