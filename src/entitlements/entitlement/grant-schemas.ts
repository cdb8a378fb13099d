import {
  type CompactForms,
  DecimalNumber,
  type FieldWords,
  Id,
  ListQuery,
  Nullable,
  NumberOut,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';

/** §2: integers, and a larger value is no bound. */
export const RolloverBound = DecimalNumber({ minimum: '0', maximum: '999999999999', fractionDigits: 0 });

const GRANT_FIELDS: FieldWords = {
  amount: ['The number of units, above 0.', 1000],
  effectiveAt: 'When the grant begins to count. Default: now.',
  expiresAt: 'When the grant stops counting. Default: null, never.',
  voidedAt: 'When the grant was voided. Null: it was not.',
  recurrencePeriod: [
    'After each such period the grant is full again: an ISO 8601 duration of whole days, weeks, months ' +
      'or years. Default: null, given once.',
    'P1M',
  ],
  idempotencyKey: [
    'The key that makes the grant once. A known key answers the first grant. Null: none was sent.',
    'goodwill-1',
  ],
  resetMaxRollover: [
    'The units that a reset carries over at most. Default: 999999999999, which is no bound.',
    999999999999,
  ],
  resetMinRollover: ['The units that there are after a reset at least. Default: 0.', 0],
  priority: ['The lowest is used first, then the earliest expiry, then the oldest grant. Default: 0.', 0],
};

export const GrantCreateBody = Strict(
  {
    amount: DecimalNumber({ exclusiveMinimum: '0' }),
    idempotencyKey: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    effectiveAt: Type.Optional(Timestamp),
    expiresAt: Type.Optional(Nullable(Timestamp)),
    recurrencePeriod: Type.Optional(Nullable(Type.String({ maxLength: 20 }))),
    resetMaxRollover: Type.Optional(RolloverBound),
    resetMinRollover: Type.Optional(RolloverBound),
    priority: Type.Optional(Type.Integer({ minimum: -32768, maximum: 32767, default: 0 })),
  },
  {
    $id: 'GrantCreate',
    'x-fields': GRANT_FIELDS,
    examples: [{ amount: 50, priority: -1, idempotencyKey: 'goodwill-1' }],
  },
);

export const GrantReply = Type.Object(
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
    priority: Type.Integer(),
    createdAt: Timestamp,
  },
  {
    $id: 'Grant',
    description: 'Units that were given to an entitlement. Usage burns them.',
    'x-fields': GRANT_FIELDS,
    'x-compact': { recurrencePeriod: 'null', idempotencyKey: 'null' } satisfies CompactForms,
  },
);

/** `limit` 20 unless told (api.md, Lists). */
export const GrantListQuery = ListQuery(
  { includeVoided: Type.Optional(Type.Boolean({ default: false })) },
  { limit: 20, fields: { includeVoided: '`true`: voided grants are listed too.' } },
);
