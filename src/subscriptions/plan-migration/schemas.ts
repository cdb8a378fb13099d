import { Id, ListQuery, Nullable, OneOf, type Static, Strict, Timestamp, Type } from '../../http/index.ts';
import { CreditWord, Effective, ProrationWord, VersionNumber } from '../changes/change-schemas.ts';

const PriceReplacementBody = Strict(
  { replacesPriceId: Id('price'), withPriceId: Id('price') },
  {
    'x-fields': {
      replacesPriceId: 'The fee price of the old version.',
      withPriceId: 'The fee price of the new version.',
    },
  },
);

export const PlanMigrationCreateBody = Strict(
  {
    fromVersion: VersionNumber,
    toVersion: VersionNumber,
    replacePrices: Type.Optional(
      Type.Array(PriceReplacementBody, {
        maxItems: 1000,
        description: 'Fee prices of `toVersion` with the quantity of a price of `fromVersion`.',
      }),
    ),
    effective: Type.Optional(Effective),
    proration: Type.Optional(ProrationWord),
    credit: Type.Optional(CreditWord),
    dryRun: Type.Optional(Type.Boolean({ default: false })),
  },
  {
    $id: 'PlanMigrationCreate',
    examples: [{ fromVersion: 1, toVersion: 2, effective: 'periodEnd', dryRun: true }],
    'x-fields': {
      fromVersion: 'The version that the subscriptions have.',
      toVersion: 'The published version that they get.',
      effective: '`now` (default), or `periodEnd`: at the end of the open period of each subscription.',
      proration:
        'How fees are divided: `second` (default), by whole `day`s, or `none`: the old fees apply to the whole period.',
      credit: 'How unused charges in advance are credited: `invoice` (default), `wallet`, or `none`.',
      dryRun: '`true`: no subscription is changed. The answer is 200 with the outcomes that a migration would have.',
    },
  },
);
export type PlanMigrationCreateBody = Static<typeof PlanMigrationCreateBody>;

const job = {
  id: Id('planMigration'),
  object: Type.Literal('plan_migration'),
  planId: Id('plan'),
  fromVersion: Type.Integer(),
  toVersion: Type.Integer(),
  replacePrices: Type.Array(
    Type.Object(
      { replacesPriceId: Id('price'), withPriceId: Id('price') },
      {
        'x-fields': {
          replacesPriceId: 'The fee price of the old version.',
          withPriceId: 'The fee price of the new version.',
        },
      },
    ),
  ),
  effective: Effective,
  proration: ProrationWord,
  credit: CreditWord,
  dryRun: Type.Boolean(),
  status: OneOf(['running', 'completed', 'cancelled']),
  progress: Type.Object(
    {
      total: Type.Integer({ description: 'Subscriptions of the migration, fixed when it begins.' }),
      done: Type.Integer(),
      failed: Type.Integer(),
    },
    {
      'x-fields': {
        done: 'Subscriptions that are changed, or will be changed at the end of their period.',
        failed: 'Subscriptions that were refused.',
      },
    },
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  endedAt: Nullable(Timestamp),
};
const jobWords = {
  fromVersion: 'The number of the old version.',
  toVersion: 'The number of the new version.',
  replacePrices: 'Fee prices of the new version with a quantity of the old one.',
  effective: '`now`, or `periodEnd`: the end of the open period of each subscription.',
  proration: 'How fees are divided: by `second`, by whole `day`, or `none`.',
  credit: 'How unused charges in advance are credited: `invoice`, `wallet`, or `none`.',
  dryRun: '`true`: no subscription is changed.',
  status:
    '`running`: some subscriptions are still to come. `completed`: each has an outcome. `cancelled`: it ' +
    'was cancelled before.',
  progress: 'The numbers of subscriptions.',
  endedAt: 'The time at which it was completed or cancelled. Null: it is running.',
} as const;

const outcome = <const Words extends readonly string[]>(words: Words) => ({
  subscriptionId: Id('subscription'),
  outcome: OneOf(words),
  effectiveAt: Nullable(Timestamp),
  changeId: Nullable(Id('subscriptionChange')),
  reason: Nullable(Type.String()),
});
const outcomeWords = {
  outcome:
    '`applied`: changed. `scheduled`: to be changed at `effectiveAt`. `refused`: left as it is. ' +
    '`waiting`: still to come. `cancelled`: the migration was cancelled before its turn.',
  effectiveAt: 'The start of the new version. Null: no change.',
  changeId: 'The change of the subscription. Null: without a change, and in a dry run.',
  reason: 'The code of the refusal; `INTERNAL_ERROR` for a fault of ours. Null: not refused.',
} as const;

const OUTCOMES = ['applied', 'scheduled', 'refused'] as const;
const MEMBER_OUTCOMES = [...OUTCOMES, 'waiting', 'cancelled'] as const;

export const PlanMigrationReply = Type.Object(job, {
  $id: 'PlanMigrationProgress',
  description: 'The progress of a migration from one version of a plan to another.',
  'x-fields': jobWords,
});

/** The answer to a new migration also has the subscriptions that are already changed. */
export const PlanMigrationStartedReply = Type.Object(
  {
    ...job,
    subscriptions: Type.Array(Type.Object(outcome(OUTCOMES), { 'x-fields': outcomeWords }), {
      description: 'The outcomes of a migration that is completed by now; none while it is running.',
    }),
  },
  {
    $id: 'PlanMigration',
    description: 'The new migration, with the outcomes if it is already completed.',
    'x-fields': jobWords,
  },
);

export const PlanMigrationSubscriptionReply = Type.Object(
  { object: Type.Literal('plan_migration_subscription'), ...outcome(MEMBER_OUTCOMES) },
  {
    $id: 'PlanMigrationSubscription',
    description: 'The outcome of a migration for one subscription.',
    'x-fields': outcomeWords,
  },
);
export const PlanMigrationSubscriptionListQuery = ListQuery(
  { outcome: Type.Optional(OneOf(MEMBER_OUTCOMES)) },
  { fields: { outcome: 'Only subscriptions with this outcome.' } },
);
