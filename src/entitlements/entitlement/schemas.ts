import {
  type CompactForms,
  type FieldWords,
  Id,
  ListQuery,
  MapOut,
  MetadataOut,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Timestamp,
  TimestampWith,
  Type,
} from '../../http/index.ts';

export const ENTITLEMENT_STATUSES = ['active', 'canceled', 'expired'] as const;

const ENTITLEMENT_FIELDS: FieldWords = {
  entitlementId: 'The same as `id`.',
  featureKey: ['The key of the feature.', 'api-calls'],
  featureType: 'The type of the feature. It decides the other fields.',
  planId: 'The plan of the subscription. Null: there is no subscription.',
  subscriptionId: 'The subscription with which the entitlement ends. Null: none.',
  status:
    '`active`: it counts, or begins later. `canceled`: its plan or subscription ended it. `expired`: ' +
    '`activeTo` is over.',
  activeFrom: 'When the entitlement begins.',
  activeTo: 'When the entitlement ends. Null: it has no end.',
  paused: '`true`: its subscription is paused, so it gives no access. Absent otherwise.',
  hasAccess: [
    'Does the entitlement give access? A metered one does while its balance is above 0, or its limit is ' +
      'soft. Budgets do not count here.',
    true,
  ],
  metadata: 'Data of your own.',
  config: ['The configuration of a static feature. Null for the other types.', { seats: 5 }],
  isSoftLimit: '`true`: there is access at a balance of 0 too.',
  balance: ['The units that are left. It is never below 0.', 970],
  usageInPeriod: ['The units that were used in the current usage period.', 30],
  overage: ['The units that were used and that no grant covers.', 0],
  reserved: ['The units of open reservations. They are not in the balance.', 0],
  currentPeriodStart: 'The beginning of the current usage period. Null: there is none.',
  currentPeriodEnd: 'The end of the current usage period, and the time of the next reset. Null: there is none.',
  lastResetAt: 'When the entitlement was last reset. Null: never.',
  billableMetrics: 'The ids of the measured metrics.',
  pricingUnitId: 'Always null.',
  verifiedAt: 'The time of the answer.',
};

const PLAIN_FIELDS: FieldWords = {
  ...ENTITLEMENT_FIELDS,
  config: 'Null: only static features have a configuration.',
};

const READ_FILTERS: FieldWords = {
  at: 'Answers for this time: usage before it, without reservations and budgets. Default: now.',
  customerId: 'Only entitlements of this customer. Not together with `externalCustomerId`.',
  externalCustomerId: 'Only entitlements of the customer with this `externalId`.',
  featureKey: 'Only the feature with this key.',
  productId: 'Only features of this product.',
  subscriptionId: 'Only entitlements of this subscription.',
  windowSize:
    'The size of the windows, in UTC. Default: `DAY`. There are at most 400 windows, and at most ' +
    '10,000 figures of grants in them.',
};

const ACCESS_FIELDS: FieldWords = {
  features: 'The features of the customer, each with the sum of its entitlements.',
  featureKey: ['The key of the feature.', 'api-calls'],
  type: 'The type of the feature.',
  hasAccess: ['May the customer use the feature now?', true],
  balance: ['The units that are left, of all entitlements together. Only metered features have it.', 970],
  config: 'The configuration of a static feature. The other types have none.',
  entitlementIds: 'The entitlements to the feature.',
};

const HISTORY_FIELDS: FieldWords = {
  windows: 'The windows, the earliest first.',
  from: 'The beginning of the window, inclusive.',
  to: ['The end of the window, exclusive.', '2026-03-02T00:00:00Z'],
  balanceAtStart: ['The balance at the beginning.', 1000],
  usage: ['The units that were used in the window.', 30],
  overage: ['The units of them that no grant covers.', 0],
  balanceAtEnd: ['The balance at the end.', 970],
  grants: 'The grants that were used in the window.',
  burned: ['The units that were taken from the grant.', 30],
  balance: ['The units that are left of the grant.', 970],
};

const common = {
  id: Id('entitlement'),
  object: Type.Literal('entitlement'),
  merchantId: Id('organization'),
  customerId: Id('customer'),
  featureId: Id('feature'),
  featureKey: Type.String(),
  productId: Id('product'),
  planId: Nullable(Id('plan')),
  subscriptionId: Nullable(Id('subscription')),
  status: OneOf(ENTITLEMENT_STATUSES),
  activeFrom: Timestamp,
  activeTo: Nullable(Timestamp),
  hasAccess: Type.Boolean(),
  paused: Type.Optional(Type.Boolean()),
  metadata: MetadataOut,
};

const metered = {
  ...common,
  featureType: Type.Literal('metered'),
  config: Type.Null(),
  isSoftLimit: Type.Boolean(),
  balance: NumberOut,
  usageInPeriod: NumberOut,
  overage: NumberOut,
  reserved: NumberOut,
  currentPeriodStart: Nullable(Timestamp),
  /** A time after 2199 is possible, so it is not a `Timestamp`. */
  currentPeriodEnd: Nullable(Type.String()),
  lastResetAt: Nullable(Timestamp),
  billableMetrics: Type.Array(Id('billableMetric')),
  pricingUnitId: Type.Null(),
};
const COMPACT: CompactForms = { config: 'null' };
const fixed = { ...common, featureType: Type.Literal('static'), config: MapOut };
const plain = { ...common, featureType: Type.Literal('boolean'), config: Type.Null() };

/** A metered entitlement with its balance. */
export const MeteredEntitlementDetail = Type.Object(metered, {
  $id: 'MeteredEntitlementDetail',
  description: 'A metered entitlement with its balance.',
  'x-fields': PLAIN_FIELDS,
  'x-compact': COMPACT,
});

/** One of the three forms, by the feature's type. */
export const EntitlementDetailReply = Type.Union(
  [
    MeteredEntitlementDetail,
    Type.Object(fixed, {
      $id: 'StaticEntitlementDetail',
      description: 'A static entitlement with its configuration.',
      'x-fields': ENTITLEMENT_FIELDS,
    }),
    Type.Object(plain, {
      $id: 'BooleanEntitlementDetail',
      description: 'A boolean entitlement in detail.',
      'x-fields': PLAIN_FIELDS,
      'x-compact': COMPACT,
    }),
  ],
  { $id: 'EntitlementDetail', description: 'An entitlement with its balance or its configuration.' },
);
export type EntitlementDetailReply = Static<typeof EntitlementDetailReply>;

const listed = { entitlementId: Id('entitlement') };
export const EntitlementItemReply = Type.Union(
  [
    Type.Object(
      { ...metered, ...listed },
      {
        $id: 'MeteredEntitlement',
        description: 'The right of a customer to units of a metered feature.',
        'x-fields': PLAIN_FIELDS,
        'x-compact': COMPACT,
      },
    ),
    Type.Object(
      { ...fixed, ...listed },
      {
        $id: 'StaticEntitlement',
        description: 'The right of a customer to a static feature, with its configuration.',
        'x-fields': ENTITLEMENT_FIELDS,
      },
    ),
    Type.Object(
      { ...plain, ...listed },
      {
        $id: 'BooleanEntitlement',
        description: 'The right of a customer to a boolean feature.',
        'x-fields': PLAIN_FIELDS,
        'x-compact': COMPACT,
      },
    ),
  ],
  {
    $id: 'Entitlement',
    description: 'The right of a customer to a feature. `featureType` decides the further fields.',
  },
);

const At = Type.Optional(Timestamp);

export const EntitlementQuery = Strict({ at: At }, { 'x-fields': READ_FILTERS });

export const EntitlementListQuery = ListQuery(
  {
    customerId: Type.Optional(Id('customer')),
    externalCustomerId: Type.Optional(Type.String({ minLength: 1, maxLength: 255, 'x-text': true })),
    merchantId: Type.Optional(Id('organization')),
    productId: Type.Optional(Id('product')),
    featureKey: Type.Optional(Type.String({ minLength: 1, maxLength: 255, 'x-text': true })),
    subscriptionId: Type.Optional(Id('subscription')),
    at: At,
  },
  { fields: READ_FILTERS },
);
export type EntitlementListQuery = Static<typeof EntitlementListQuery>;

/** §2 Active entitlement. */
export const ActiveEntitlementReply = Type.Object(
  {
    id: Id('entitlement'),
    object: Type.Literal('entitlement'),
    billableMetrics: Type.Array(Id('billableMetric')),
    customerId: Id('customer'),
    planId: Nullable(Id('plan')),
    productId: Id('product'),
    subscriptionId: Nullable(Id('subscription')),
    verifiedAt: Timestamp,
  },
  {
    $id: 'ActiveEntitlement',
    description: 'An entitlement of a customer that holds now.',
    'x-fields': ENTITLEMENT_FIELDS,
  },
);
export const ActiveEntitlementQuery = ListQuery(
  {
    customerId: Id('customer'),
    merchantId: Type.Optional(Id('organization')),
    productId: Type.Optional(Id('product')),
    subscriptionId: Type.Optional(Id('subscription')),
  },
  { fields: { customerId: 'The customer of the entitlements.' } },
);
export type ActiveEntitlementQuery = Static<typeof ActiveEntitlementQuery>;

const accessed = {
  at: At,
  productId: Type.Optional(Id('product')),
  featureKey: Type.Optional(Type.String({ minLength: 1, maxLength: 255, 'x-text': true })),
};
export const AccessQuery = Strict(accessed, { 'x-fields': READ_FILTERS });
export type AccessQuery = Static<typeof AccessQuery>;

export const ExternalAccessQuery = Strict(
  {
    externalCustomerId: Type.String({ minLength: 1, maxLength: 255, 'x-text': true }),
    merchantId: Type.Optional(Id('organization')),
    ...accessed,
  },
  { 'x-fields': { ...READ_FILTERS, externalCustomerId: 'The `externalId` of the customer.' } },
);

export const CustomerAccessReply = Type.Object(
  {
    object: Type.Literal('customerAccess'),
    customerId: Id('customer'),
    features: Type.Array(
      Type.Object(
        {
          featureKey: Type.String(),
          featureId: Id('feature'),
          productId: Id('product'),
          type: OneOf(['metered', 'static', 'boolean']),
          hasAccess: Type.Boolean(),
          reason: Nullable({
            ...OneOf(['not_entitled', 'no_balance', 'budget_spent', 'paused', 'credits_exhausted']),
            description: 'Why there is no access; null where there is.',
          }),
          balance: Type.Optional(NumberOut),
          config: Type.Optional(MapOut),
          entitlementIds: Type.Array(Id('entitlement')),
        },
        {
          $id: 'FeatureAccess',
          description: 'May the customer use this feature now?',
          'x-fields': ACCESS_FIELDS,
          'x-cases': {
            by: 'type',
            of: {
              metered: { without: ['config'] },
              static: { without: ['balance'] },
              boolean: { without: ['balance', 'config'] },
            },
          },
        },
      ),
    ),
  },
  { $id: 'CustomerAccess', description: 'The features that a customer may use now.', 'x-fields': ACCESS_FIELDS },
);
export type CustomerAccessReply = Static<typeof CustomerAccessReply>;

export const HISTORY_WINDOWS = ['MINUTE', 'HOUR', 'DAY', 'MONTH'] as const;

export const HistoryQuery = Strict(
  {
    from: Type.Optional(
      TimestampWith({ description: 'The beginning of the history. Default: the start of the current usage period.' }),
    ),
    to: Type.Optional(TimestampWith({ description: 'The end of the history. Default: now.' })),
    windowSize: Type.Optional(OneOf(HISTORY_WINDOWS)),
  },
  { 'x-fields': READ_FILTERS },
);
export type HistoryQuery = Static<typeof HistoryQuery>;

export const EntitlementHistoryReply = Type.Object(
  {
    object: Type.Literal('entitlementHistory'),
    windows: Type.Array(
      Type.Object({
        from: Timestamp,
        to: Timestamp,
        balanceAtStart: NumberOut,
        usage: NumberOut,
        overage: NumberOut,
        balanceAtEnd: NumberOut,
        grants: Type.Array(Type.Object({ grantId: Id('grant'), burned: NumberOut, balance: NumberOut })),
      }),
    ),
  },
  {
    $id: 'EntitlementHistory',
    description: 'The balance and the usage of an entitlement, by windows of time.',
    'x-fields': HISTORY_FIELDS,
  },
);
export type EntitlementHistoryReply = Static<typeof EntitlementHistoryReply>;
