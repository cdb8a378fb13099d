import {
  DecimalNumber,
  Id,
  ListOf,
  ListQuery,
  Nullable,
  NumberOut,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';

/** §2: integers, whatever is above is no bound. */
export const RolloverBound = DecimalNumber({ minimum: '0', maximum: '999999999999', fractionDigits: 0 });

export const GrantCreate = Strict(
  {
    amount: DecimalNumber({ exclusiveMinimum: '0' }),
    idempotencyKey: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    effectiveAt: Type.Optional(Timestamp),
    expiresAt: Type.Optional(Nullable(Timestamp)),
    recurrencePeriod: Type.Optional(
      Nullable(Type.String({ maxLength: 20, description: 'ISO 8601, whole days, weeks, months or years' })),
    ),
    resetMaxRollover: Type.Optional(RolloverBound),
    resetMinRollover: Type.Optional(RolloverBound),
    priority: Type.Optional(Type.Integer({ minimum: -32768, maximum: 32767, default: 0 })),
  },
  { $id: 'GrantCreate' },
);

export const Grant = Type.Object(
  {
    id: Id('grant'),
    object: Type.Literal('grant'),
    entitlementId: Id('entitlement'),
    amount: NumberOut,
    effectiveAt: Timestamp,
    expiresAt: Nullable(Timestamp),
    voidedAt: Nullable(Timestamp),
    recurrencePeriod: Nullable(Type.String()),
    idempotencyKey: Nullable(Type.String()),
    resetMaxRollover: NumberOut,
    resetMinRollover: NumberOut,
    priority: Type.Integer({ description: 'The lowest is burned first.' }),
    createdAt: Timestamp,
  },
  { $id: 'Grant' },
);

export const GrantList = ListOf(Grant);

/** `limit` 20 unless told (api.md, Lists). */
export const GrantListQuery = ListQuery(
  { includeVoided: Type.Optional(Type.Boolean({ default: false })) },
  { limit: 20 },
);
