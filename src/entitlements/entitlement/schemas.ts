import {
  Id,
  ListOf,
  ListQuery,
  MapOut,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Timestamp,
  Type,
} from '../../http/index.ts';

export const ENTITLEMENT_STATUSES = ['active', 'canceled', 'expired'] as const;

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
  metadata: MapOut,
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
  /** May lie beyond the times that can be asked about. */
  currentPeriodEnd: Nullable(Type.String({ description: 'A time.' })),
  lastResetAt: Nullable(Timestamp),
  billableMetrics: Type.Array(Id('billableMetric')),
  pricingUnitId: Type.Null(),
};
const fixed = { ...common, featureType: Type.Literal('static'), config: MapOut };
const plain = { ...common, featureType: Type.Literal('boolean'), config: Type.Null() };

/** A metered entitlement with its balance. */
export const MeteredEntitlementDetail = Type.Object(metered, { $id: 'MeteredEntitlementDetail' });

/** One of the three forms, by the feature's type. */
export const EntitlementDetail = Type.Union(
  [
    MeteredEntitlementDetail,
    Type.Object(fixed, { $id: 'StaticEntitlementDetail' }),
    Type.Object(plain, { $id: 'BooleanEntitlementDetail' }),
  ],
  { $id: 'EntitlementDetail' },
);
export type EntitlementDetail = Static<typeof EntitlementDetail>;

const listed = { entitlementId: Id('entitlement') };
const EntitlementItem = Type.Union(
  [
    Type.Object({ ...metered, ...listed }, { $id: 'MeteredEntitlement' }),
    Type.Object({ ...fixed, ...listed }, { $id: 'StaticEntitlement' }),
    Type.Object({ ...plain, ...listed }, { $id: 'BooleanEntitlement' }),
  ],
  { $id: 'Entitlement' },
);
export const EntitlementList = ListOf(EntitlementItem);

const At = Type.Optional(
  Type.String({
    format: 'date-time',
    description: 'Answers for this instant: usage strictly before it, no reservations.',
  }),
);

export const EntitlementQuery = Strict({ at: At });

export const EntitlementListQuery = ListQuery({
  customerId: Type.Optional(Id('customer')),
  externalCustomerId: Type.Optional(Type.String({ minLength: 1, maxLength: 255, 'x-text': true })),
  merchantId: Type.Optional(Id('organization')),
  productId: Type.Optional(Id('product')),
  featureKey: Type.Optional(Type.String({ minLength: 1, maxLength: 255, 'x-text': true })),
  subscriptionId: Type.Optional(Id('subscription')),
  at: At,
});
export type EntitlementListQuery = Static<typeof EntitlementListQuery>;

/** §2 Active entitlement. */
const ActiveEntitlement = Type.Object(
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
  { $id: 'ActiveEntitlement' },
);
export const ActiveEntitlementList = ListOf(ActiveEntitlement);

export const ActiveEntitlementQuery = ListQuery({
  customerId: Id('customer'),
  merchantId: Type.Optional(Id('organization')),
  productId: Type.Optional(Id('product')),
  subscriptionId: Type.Optional(Id('subscription')),
});
export type ActiveEntitlementQuery = Static<typeof ActiveEntitlementQuery>;

const accessed = {
  at: At,
  productId: Type.Optional(Id('product')),
  featureKey: Type.Optional(Type.String({ minLength: 1, maxLength: 255, 'x-text': true })),
};
export const AccessQuery = Strict(accessed);
export type AccessQuery = Static<typeof AccessQuery>;

export const ExternalAccessQuery = Strict({
  externalCustomerId: Type.String({ minLength: 1, maxLength: 255, 'x-text': true }),
  merchantId: Type.Optional(Id('organization')),
  ...accessed,
});

export const CustomerAccess = Type.Object(
  {
    object: Type.Literal('customerAccess'),
    customerId: Id('customer'),
    features: Type.Array(
      Type.Object({
        featureKey: Type.String(),
        featureId: Id('feature'),
        productId: Id('product'),
        type: OneOf(['metered', 'static', 'boolean']),
        hasAccess: Type.Boolean(),
        reason: Nullable({
          ...OneOf(['not_entitled', 'no_balance', 'budget_spent']),
          description: 'Why there is no access; null where there is.',
        }),
        balance: Type.Optional(NumberOut),
        config: Type.Optional(MapOut),
        entitlementIds: Type.Array(Id('entitlement')),
      }),
    ),
  },
  { $id: 'CustomerAccess' },
);
export type CustomerAccess = Static<typeof CustomerAccess>;

export const HISTORY_WINDOWS = ['MINUTE', 'HOUR', 'DAY', 'MONTH'] as const;

export const HistoryQuery = Strict({
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Default: the start of the current usage period.' }),
  ),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Default: now.' })),
  windowSize: Type.Optional(OneOf(HISTORY_WINDOWS)),
});
export type HistoryQuery = Static<typeof HistoryQuery>;

export const EntitlementHistory = Type.Object(
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
  { $id: 'EntitlementHistory' },
);
export type EntitlementHistory = Static<typeof EntitlementHistory>;
