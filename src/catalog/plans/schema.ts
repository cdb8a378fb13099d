import {
  DecimalOut,
  DecimalText,
  type FieldWords,
  Id,
  ListQuery,
  MapOf,
  Metadata,
  MetadataOut,
  Name,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { PriceReply, PriceSlotOut } from '../prices/schema.ts';
import { Currency, Percent, PercentOut } from '../words.ts';
import { BILLING_INTERVAL_WORDS, BILLING_INTERVALS } from './cadence.ts';
import { VERSION_STATUSES } from './version-states.ts';
import { TRIAL_END_BEHAVIORS } from './version-terms.ts';

const Duration = Type.String({ maxLength: 60 });
const TaxBehaviorWord = OneOf(['exclusive', 'inclusive']);
const TrialEndBehaviorWord = OneOf(TRIAL_END_BEHAVIORS);
const BillingIntervalWord = OneOf(BILLING_INTERVALS);
const BillingIntervalSent = OneOf(BILLING_INTERVAL_WORDS);

const PLAN_FIELDS: FieldWords = {
  name: ['The name of the plan, 1 to 255 characters.', 'Business'],
  description: ['The description of the plan, in your own words.', 'For teams'],
  invoiceDisplayName: ['The name of the plan on invoices. Absent or null: `name`.', 'Business plan'],
  currency: ['The currency of all prices of the plan: an ISO 4217 code.', 'EUR'],
  billingCadence: [
    'The length of a billing period: an ISO 8601 duration of whole days, weeks, months or years. Default: `P1M`.',
    'P1M',
  ],
  billingInterval:
    'Deprecated: send `billingCadence`. `monthly` is `P1M`, `quarterly` is `P3M`, `yearly` is `P1Y`. ' +
    'Null: the cadence has no such word.',
  billingVersion: ['The version of the billing rules. It is 1 and never changes.', 1],
  billingAnchor:
    'The time from which periods are counted. The first period is then shorter and prorated. Null: from ' +
    'the start of the subscription.',
  gracePeriod: [
    'How long late events still count for a period that has ended: an ISO 8601 duration. Default: `PT0S`.',
    'PT24H',
  ],
  trialPeriod: ['The free time at the start of a subscription: an ISO 8601 duration. Null: no trial.', 'P14D'],
  autoApprove: [
    '`true`: invoices are issued without an approval. `false`: they stay drafts until you approve them. ' +
      'Default: `true`.',
    true,
  ],
  defaultTaxCode: ['The tax code that a tax provider receives. Default: `eservice`.', 'eservice'],
  defaultTaxRate: [
    'The tax rate in percent of prices without a rate of their own: 20 is 20 %. Absent or null: the rate ' +
      'of the merchant.',
    20,
  ],
  taxBehavior: '`exclusive`: tax is added to prices. `inclusive`: prices include tax. Default: `exclusive`.',
  renewalReminderEnabled: ['`true`: customers get an email before a period ends. Default: `true`.', true],
  renewalReminderDays: ['How many days before the end of a period the reminder comes, 1 to 30. Default: 3.', 3],
  metadata: ['Data of your own. A change replaces all of it.', { tier: '2' }],
  defaultVersionId: 'The version that new subscriptions get.',
  minimumAmount: [
    'A commitment: the minimum total of all prices in a period of the plan, asked once the period has ended. In ' +
      'major units. Null: none.',
    '500',
  ],
  currencyMinimums: [
    'The commitment in other currencies, by ISO 4217 code. A plan with `minimumAmount` has a currency only if it ' +
      'is here.',
    { USD: '550' },
  ],
  trialRequiresPaymentMethod: [
    '`true`: a trial begins once the customer has a payment method. Nothing is charged for it. Default: `false`.',
    true,
  ],
  trialEndBehavior: [
    'What happens at the end of a trial without a payment method. `invoice` (default): billing starts. ' +
      '`terminate`: the subscription ends. `pause`: it is paused until it is resumed.',
    'pause',
  ],
  paymentTerm: 'The terms of the prices of the default version.',
  in_arrears: ['Is any price billed after its period?', true],
  in_advance: 'Is any price billed before its period?',
  prices: 'The prices of the default version. To create a plan, send their ids.',
};

const VERSION_FIELDS: FieldWords = {
  versionNumber: ['The number of the version; the first is 1.', 1],
  status:
    '`draft`: not for subscriptions yet. `published`: it never changes again. `archived`: not for new ' +
    'subscriptions.',
  publishedAt: 'When the version was published. Absent: it is a draft.',
  isDefault: ['Do new subscriptions get this version?', true],
  basedOnVersionId: 'The version before this one. Absent: it is the first.',
  prices: 'The prices of the version.',
  minimumAmount: [
    'The commitment of the version: the minimum total of all prices in a period. All prices ' +
      'together. Null: none. Not sent: the one of the version before; `"0"` is none.',
    '500',
  ],
  currencyMinimums: [
    'The commitment of the version in other currencies, by ISO 4217 code. Not sent: the ones of the version before.',
    { USD: '550' },
  ],
  trialRequiresPaymentMethod: [
    '`true`: a trial begins once the customer has a payment method. Not sent: as the version before.',
    true,
  ],
  trialEndBehavior: [
    'What happens at the end of a trial without a payment method: `invoice`, `terminate` or `pause`. Not sent: as ' +
      'the version before.',
    'pause',
  ],
  addPrices: 'The prices that are added to those of the default version.',
  removePrices: 'The prices of the default version that the new version no longer has.',
  replacePrices: 'The replaced prices of the default version.',
  replacesPriceId: 'The price of the default version.',
  withPriceId: 'The price in its place.',
  publish: '`true`: published at once as the new default. `false`: the version stays a draft. Default: `true`.',
  default: '`true`: new subscriptions get this version.',
};

const PLAN_FILTERS: FieldWords = {
  customerId: 'The customer of the plans.',
  search: 'Only plans with this text in their name, in any case.',
};

export const PlanReply = Type.Object(
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
    metadata: MetadataOut,
    defaultVersionId: Id('planVersion'),
    minimumAmount: Nullable(
      Type.Unsafe<string>({ ...DecimalOut, description: 'The commitment of the default version.' }),
    ),
    currencyMinimums: MapOf(Currency, DecimalOut),
    trialRequiresPaymentMethod: Type.Boolean(),
    trialEndBehavior: TrialEndBehaviorWord,
    paymentTerm: Type.Object(
      { in_arrears: Type.Boolean(), in_advance: Type.Boolean() },
      { description: 'Which terms the prices of the default version have.' },
    ),
    prices: Type.Array(PriceReply, { description: 'Of the default version.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Plan', description: 'A set of prices in versions, to which customers subscribe.', 'x-fields': PLAN_FIELDS },
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

/** A commitment: the minimum of all charges in a period together. */
const Commitment = Type.Optional(Nullable(DecimalText({ minimum: '0', accept: 'both' })));

/** The same in other currencies than the plan's, by ISO 4217 code. */
const CurrencyCommitments = Type.Optional(Nullable(MapOf(Currency, DecimalText({ minimum: '0', accept: 'both' }))));

/** A version has them; `trialPeriod` is of the plan. */
const trialTerms = {
  trialRequiresPaymentMethod: Type.Optional(Type.Boolean()),
  trialEndBehavior: Type.Optional(TrialEndBehaviorWord),
};

const PriceIds = Type.Optional(Type.Array(Id('price'), { uniqueItems: true, maxItems: 1000 }));

export const PlanCreateBody = Strict(
  {
    name: Name,
    productId: Id('product'),
    currency: Currency,
    prices: PriceIds,
    minimumAmount: Commitment,
    currencyMinimums: CurrencyCommitments,
    ...trialTerms,
    billingVersion: Type.Optional(
      Type.Unsafe<1>({ type: 'integer', enum: [1], description: 'Standard Billing; new plans have no other.' }),
    ),
    ...optional,
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'PlanCreate',
    'x-fields': PLAN_FIELDS,
    examples: [
      {
        name: 'Business',
        productId: 'prod_8c3d5e0f1a2b4c6d',
        currency: 'EUR',
        billingCadence: 'P1M',
        gracePeriod: 'PT24H',
        prices: ['price_8c3d5e0f1a2b4c6d'],
      },
    ],
    'x-minor-units': ['minimumAmount'],
  },
);
export type PlanCreateBody = Static<typeof PlanCreateBody>;

export const PlanUpdateBody = Strict(
  {
    name: Type.Optional(Name),
    productId: Type.Optional(Id('product')),
    currency: Type.Optional(Currency),
    prices: Type.Optional(
      Type.Array(Id('price'), {
        uniqueItems: true,
        maxItems: 1000,
      }),
    ),
    ...optional,
  },
  {
    $id: 'PlanUpdate',
    'x-fields': { ...PLAN_FIELDS, prices: 'The ids of all prices. Other prices are published as the next version.' },
    examples: [{ name: 'Business', description: 'For teams' }],
    'x-hints': {
      minimumAmount: 'is of a version, which never changes: POST …/versions makes the next one',
      currencyMinimums: 'are of a version, which never changes: POST …/versions makes the next one',
      trialRequiresPaymentMethod: 'is of a version, which never changes: POST …/versions makes the next one',
      trialEndBehavior: 'is of a version, which never changes: POST …/versions makes the next one',
    },
  },
);
export type PlanUpdateBody = Static<typeof PlanUpdateBody>;

export const PlanListQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  productId: Type.Optional(Id('product')),
});

export const AvailablePlansQuery = ListQuery(
  {
    customerId: Id('customer'),
    merchantId: Type.Optional(Id('organization')),
    productId: Type.Optional(Id('product')),
    search: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
  },
  { fields: PLAN_FILTERS },
);

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
    Type.Unsafe<string>({ ...DecimalOut, description: 'The minimum total of all prices in a period.' }),
  ),
  currencyMinimums: MapOf(Currency, DecimalOut),
  trialRequiresPaymentMethod: Type.Boolean(),
  trialEndBehavior: TrialEndBehaviorWord,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const PlanVersionSummaryReply = Type.Object(versionFields, {
  $id: 'PlanVersionSummary',
  description: 'A version of a plan without its prices.',
  'x-fields': VERSION_FIELDS,
});
export const PlanVersionReply = Type.Object(
  { ...versionFields, prices: Type.Array(PriceSlotOut) },
  {
    $id: 'PlanVersion',
    description: 'A version of a plan with its prices. A published version never changes.',
    'x-fields': VERSION_FIELDS,
  },
);

export const PlanVersionCreateBody = Strict(
  {
    addPrices: PriceIds,
    removePrices: PriceIds,
    replacePrices: Type.Optional(
      Type.Array(Strict({ replacesPriceId: Id('price'), withPriceId: Id('price') }), { maxItems: 1000 }),
    ),
    currencyMinimums: CurrencyCommitments,
    ...trialTerms,
    minimumAmount: Commitment, // absent: that of the version which it is based on; 0: none
    publish: Type.Optional(Type.Boolean({ default: true })),
  },
  { $id: 'PlanVersionCreate', 'x-fields': VERSION_FIELDS, examples: [{ minimumAmount: '500' }] },
);
export type PlanVersionCreateBody = Static<typeof PlanVersionCreateBody>;

export const PlanVersionUpdateBody = Strict(
  {
    default: Type.Optional(Type.Literal(true, { description: 'Points the plan at this version.' })),
    status: Type.Optional(OneOf(['published', 'archived'])),
  },
  { $id: 'PlanVersionUpdate', 'x-fields': VERSION_FIELDS, examples: [{ default: true }] },
);
export type PlanVersionUpdateBody = Static<typeof PlanVersionUpdateBody>;
