import { Id, ListOf, ListQuery, Nullable, OneOf, type Static, Strict, Timestamp, Type } from '../../http/index.ts';
import { CreditWord, Effective, ProrationWord, VersionNumber } from '../changes/change-schemas.ts';

const PriceReplacementBody = Strict({ replacesPriceId: Id('price'), withPriceId: Id('price') });

export const PlanMigrationCreate = Strict(
  {
    fromVersion: VersionNumber,
    toVersion: VersionNumber,
    replacePrices: Type.Optional(
      Type.Array(PriceReplacementBody, {
        maxItems: 1000,
        description: 'Fee prices of `toVersion` that take over the quantity of one of `fromVersion`.',
      }),
    ),
    effective: Type.Optional(Effective),
    proration: Type.Optional(ProrationWord),
    credit: Type.Optional(CreditWord),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: 'true: only tells what would be.' })),
  },
  { $id: 'PlanMigrationCreate' },
);
export type PlanMigrationCreate = Static<typeof PlanMigrationCreate>;

const job = {
  id: Id('planMigration'),
  object: Type.Literal('plan_migration'),
  planId: Id('plan'),
  fromVersion: Type.Integer(),
  toVersion: Type.Integer(),
  replacePrices: Type.Array(Type.Object({ replacesPriceId: Id('price'), withPriceId: Id('price') })),
  effective: Effective,
  proration: ProrationWord,
  credit: CreditWord,
  dryRun: Type.Boolean(),
  status: OneOf(['running', 'completed', 'cancelled']),
  progress: Type.Object({
    total: Type.Integer({ description: 'Subscriptions of the migration, fixed when it begins.' }),
    done: Type.Integer({ description: 'Changed, or to be changed at the end of their period.' }),
    failed: Type.Integer({ description: 'Refused.' }),
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  endedAt: Nullable(Timestamp),
};

const outcome = <const Words extends readonly string[]>(words: Words) => ({
  subscriptionId: Id('subscription'),
  outcome: OneOf(words),
  effectiveAt: Nullable(Timestamp),
  changeId: Nullable(Id('subscriptionChange')),
  reason: Nullable(Type.String({ description: 'The code of the refusal.' })),
});

const OUTCOMES = ['applied', 'scheduled', 'refused'] as const;
const MEMBER_OUTCOMES = [...OUTCOMES, 'waiting', 'cancelled'] as const;

export const PlanMigrationReply = Type.Object(job, { $id: 'PlanMigrationProgress' });

/** What starts a migration answers the subscriptions too that are changed by then. */
export const PlanMigrationStarted = Type.Object(
  {
    ...job,
    subscriptions: Type.Array(Type.Object(outcome(OUTCOMES)), {
      description: 'The outcomes of a migration that is completed by now; none while it is running.',
    }),
  },
  { $id: 'PlanMigration' },
);

export const PlanMigrationList = ListOf(PlanMigrationReply);
export const PlanMigrationListQuery = ListQuery({});

const PlanMigrationSubscription = Type.Object(
  { object: Type.Literal('plan_migration_subscription'), ...outcome(MEMBER_OUTCOMES) },
  { $id: 'PlanMigrationSubscription' },
);
export const PlanMigrationSubscriptionList = ListOf(PlanMigrationSubscription);
export const PlanMigrationSubscriptionListQuery = ListQuery({ outcome: Type.Optional(OneOf(MEMBER_OUTCOMES)) });
