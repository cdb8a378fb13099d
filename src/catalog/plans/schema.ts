import {
  DecimalText,
  Id,
  ListOf,
  ListQuery,
  MapOut,
  Metadata,
  Name,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { PriceOut, PriceSlotOut } from '../prices/schema.ts';
import { Currency, Percent, PercentOut } from '../words.ts';
import { BILLING_INTERVAL_WORDS, BILLING_INTERVALS } from './cadence.ts';
import { VERSION_STATUSES } from './version-states.ts';

const Duration = Type.String({ maxLength: 60, description: 'ISO 8601' });
const TaxBehaviorWord = OneOf(['exclusive', 'inclusive']);
const BillingIntervalWord = OneOf(BILLING_INTERVALS);
const BillingIntervalSent = OneOf(BILLING_INTERVAL_WORDS);

export const PlanOut = Type.Object(
  {
    id: Id('plan'),
    object: Type.Literal('plan'),
    merchantId: Id('organization'),
    productId: Id('product'),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    invoiceDisplayName: Type.Optional(Type.String()),
    currency: Type.String(),
    billingCadence: Type.String(),
    billingInterval: Nullable(Type.Unsafe<string>({ ...BillingIntervalWord, deprecated: true })),
    billingVersion: Type.Integer(),
    billingAnchor: Nullable(Timestamp),
    gracePeriod: Type.String(),
    trialPeriod: Nullable(Type.String()),
    autoApprove: Type.Boolean(),
    defaultTaxCode: Type.String(),
    defaultTaxRate: Type.Optional(PercentOut),
    taxBehavior: TaxBehaviorWord,
    renewalReminderEnabled: Type.Boolean(),
    renewalReminderDays: Type.Integer(),
    metadata: MapOut,
    defaultVersionId: Id('planVersion'),
    minimumAmount: Nullable(Type.String({ description: 'The commitment of the default version.' })),
    paymentTerm: Type.Object(
      { in_arrears: Type.Boolean(), in_advance: Type.Boolean() },
      { description: 'Which terms the prices of the default version have.' },
    ),
    prices: Type.Array(PriceOut, { description: 'Of the default version.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Plan' },
);

const optional = {
  billingCadence: Type.Optional(Type.String({ maxLength: 20, description: 'ISO 8601; default P1M' })),
  billingInterval: Type.Optional(
    Nullable(Type.Unsafe<Static<typeof BillingIntervalSent>>({ ...BillingIntervalSent, deprecated: true })),
  ),
  description: Type.Optional(Nullable(Text())),
  invoiceDisplayName: Type.Optional(Nullable(Name)),
  billingAnchor: Type.Optional(Nullable(Timestamp)),
  gracePeriod: Type.Optional(Duration),
  autoApprove: Type.Optional(Type.Boolean()),
  trialPeriod: Type.Optional(Nullable(Duration)),
  defaultTaxCode: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
  defaultTaxRate: Type.Optional(Nullable(Percent)),
  taxBehavior: Type.Optional(TaxBehaviorWord),
  renewalReminderEnabled: Type.Optional(Type.Boolean()),
  renewalReminderDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 30 })),
  metadata: Type.Optional(Metadata),
};

/** A commitment: what the charges of a period come to at least, all prices of the version together. */
const Commitment = Type.Optional(Nullable(DecimalText({ minimum: '0', accept: 'both' })));

const PriceIds = Type.Optional(Type.Array(Id('price'), { uniqueItems: true, maxItems: 1000 }));

export const PlanCreate = Strict(
  {
    name: Name,
    productId: Id('product'),
    currency: Currency,
    prices: PriceIds,
    minimumAmount: Commitment,
    billingVersion: Type.Optional(
      Type.Unsafe<1>({ type: 'integer', enum: [1], description: 'Standard Billing; new plans have no other.' }),
    ),
    ...optional,
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'PlanCreate', 'x-minor-units': ['minimumAmount'] },
);
export type PlanCreate = Static<typeof PlanCreate>;

export const PlanUpdate = Strict(
  {
    name: Type.Optional(Name),
    productId: Type.Optional(Id('product')),
    currency: Type.Optional(Currency),
    prices: Type.Optional(
      Type.Array(Id('price'), {
        uniqueItems: true,
        maxItems: 1000,
        description: 'Another set than that of the default version is published as the next version.',
      }),
    ),
    ...optional,
  },
  {
    $id: 'PlanUpdate',
    'x-hints': {
      minimumAmount: 'is of a version, which never changes: POST …/versions makes the next one',
    },
  },
);
export type PlanUpdate = Static<typeof PlanUpdate>;

export const PlanListQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  productId: Type.Optional(Id('product')),
});

export const AvailablePlansQuery = ListQuery({
  customerId: Id('customer'),
  merchantId: Type.Optional(Id('organization')),
  productId: Type.Optional(Id('product')),
  search: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
});

const versionFields = {
  id: Id('planVersion'),
  object: Type.Literal('plan_version'),
  versionNumber: Type.Integer(),
  status: OneOf(VERSION_STATUSES),
  publishedAt: Type.Optional(Timestamp),
  isDefault: Type.Boolean(),
  subscriptionCount: Type.Integer({ description: 'Subscriptions pinned to it that have not ended.' }),
  basedOnVersionId: Type.Optional(Id('planVersion')),
  minimumAmount: Nullable(
    Type.String({ description: 'What the charges of a period come to at least, all prices together.' }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

const PlanVersionSummary = Type.Object(versionFields, { $id: 'PlanVersionSummary' });
export const PlanVersionList = ListOf(PlanVersionSummary);

export const PlanVersionOut = Type.Object(
  { ...versionFields, prices: Type.Array(PriceSlotOut) },
  { $id: 'PlanVersion' },
);

export const PlanVersionCreate = Strict(
  {
    addPrices: PriceIds,
    removePrices: PriceIds,
    replacePrices: Type.Optional(
      Type.Array(Strict({ replacesPriceId: Id('price'), withPriceId: Id('price') }), { maxItems: 1000 }),
    ),
    minimumAmount: Commitment, // absent: that of the version which it is based on; 0: none
    publish: Type.Optional(Type.Boolean({ default: true })),
  },
  { $id: 'PlanVersionCreate' },
);
export type PlanVersionCreate = Static<typeof PlanVersionCreate>;

export const PlanVersionUpdate = Strict(
  {
    default: Type.Optional(Type.Literal(true, { description: 'Points the plan at this version.' })),
    status: Type.Optional(OneOf(['published', 'archived'])),
  },
  { $id: 'PlanVersionUpdate' },
);
export type PlanVersionUpdate = Static<typeof PlanVersionUpdate>;

export const VersionListQuery = ListQuery({});
