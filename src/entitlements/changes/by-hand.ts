import {
  checkTemplate,
  EntitlementTemplate,
  type Feature,
  lockFeature,
  lockMetrics,
  publishedMetricsOf,
  whyNotBacking,
  withDefaults,
} from '../../catalog/index.ts';
import { findCustomer } from '../../customers/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { type FieldWords, Id, Metadata, Nullable, type Static, Strict, Timestamp, Type } from '../../http/index.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, invalid, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { type Instant, instantOf, instantOrNull, isAfter } from '../../kernel/time.ts';
import type { EntitlingSubscription } from '../entitlement/create.ts';
import type { EntitlementDependencies } from '../entitlement/dependencies.ts';
import { type EntitlementRow, followsBilling } from '../entitlement/entitlement.ts';
import { hasUnendedByHand, insertEntitlement, lockByHand } from '../entitlement/entitlements.sql.ts';
import { checkPast, MOST_PAST_RESETS } from '../inputs/bounds.ts';
import { loadInput } from '../inputs/inputs.ts';

export const EntitlementCreateBody = Strict(
  {
    customerId: Id('customer'),
    featureId: Id('feature'),
    template: EntitlementTemplate,
    activeFrom: Type.Optional(Timestamp),
    activeTo: Type.Optional(Nullable(Timestamp)),
    subscriptionId: Type.Optional(Id('subscription')),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'EntitlementCreate',
    'x-fields': {
      template: 'How much of the feature the customer gets. Its type is the type of the feature.',
      activeFrom: 'When the entitlement begins. It may lie in the past. Default: now.',
      activeTo: 'When the entitlement ends. Default: null, no end.',
      subscriptionId: 'The subscription with which the entitlement ends, on its test clock. Default: none.',
    } satisfies FieldWords,
    examples: [
      {
        customerId: 'cus_8c3d5e0f1a2b4c6d',
        featureId: 'feat_8c3d5e0f1a2b4c6d',
        template: {
          type: 'metered',
          billableMetricIds: ['bm_8c3d5e0f1a2b4c6d'],
          usagePeriod: { interval: 'P1M' },
          issueAfterReset: 1000,
        },
      },
    ],
  },
);
type EntitlementCreate = Static<typeof EntitlementCreateBody>;

/** The place of an entitlement created by hand, and its effective now. */
interface Place {
  readonly subscription: EntitlingSubscription | null;
  readonly now: Instant;
}

/**
 * Entitles a customer to a feature by hand (api.md, Entitlements), beside what a plan promises. With a subscription it
 * is on the subscription's clock and ends with it. `wall` is wall time.
 * @returns the entitlement with its effective now; 400 where too many resets lie before now; 404 where something
 *   named is not there, ENTITLEMENT_EXISTS where there is one
 */
export async function createByHand(
  dependencies: EntitlementDependencies,
  tx: Tx,
  input: EntitlementCreate,
  wall: Instant,
): Promise<Result<{ entitlement: EntitlementRow; now: Instant }>> {
  const placed = await place(dependencies, tx, input, wall);
  if (!placed.ok) return placed;
  const { subscription, now } = placed.value;
  const feature = await featureOf(tx, input.featureId);
  if (!feature.ok) return feature;
  const times = timesOf(input, now);
  if (!times.ok) return times;
  const metricIds = await measuredBy(tx, feature.value, input.template);
  if (!metricIds.ok) return metricIds;

  const of = { merchantId: tx.merchantId, customerId: input.customerId, featureId: input.featureId };
  await lockByHand(tx, of);
  if (await hasUnendedByHand(tx, of, now)) return fail('ENTITLEMENT_EXISTS');
  const entitlement = await insertEntitlement(
    tx,
    {
      merchantId: tx.merchantId,
      id: newId('entitlement'),
      customerId: input.customerId,
      featureId: input.featureId,
      featureType: feature.value.type,
      productId: feature.value.productId,
      planId: subscription?.planId ?? null,
      subscriptionId: subscription?.subscriptionId ?? null,
      isFromPlan: false,
      clockId: subscription?.clockId ?? null,
      activeFrom: times.value.from,
      activeTo: times.value.to,
      billableMetricIds: metricIds.value,
      pauses: subscription?.pauses ?? [],
      metadata: input.metadata ?? {},
      nextActionAt: feature.value.type === 'metered' ? times.value.from : null,
    },
    withDefaults(input.template, 'start'),
    now,
  );
  if (feature.value.type !== 'metered') return ok({ entitlement, now }); // nothing is reset
  const loaded = await loadInput(tx, { entitlement, at: now });
  const past = checkPast(loaded, now, 'activeFrom', MOST_PAST_RESETS);
  return past.ok ? ok({ entitlement, now }) : past;
}

/** The customer and the subscription that the body names, held; the subscription must be the customer's. */
async function place(
  dependencies: EntitlementDependencies,
  tx: Tx,
  { customerId, subscriptionId }: EntitlementCreate,
  wall: Instant,
): Promise<Result<Place>> {
  const owned = await checkReference(tx, 'customer', customerId, 'customerId');
  if (!owned.ok) return owned;
  const held = subscriptionId === undefined ? null : await subscriptionOf(dependencies, tx, subscriptionId, wall);
  if (held && !held.ok) return held;
  // a deletion waits for us
  if (!(await findCustomer(tx, customerId, { keep: true }))) return notFound('customer', 'customerId');
  if (held === null) return ok({ subscription: null, now: wall }); // a customer is on no clock
  return held.value.subscription.customerId === customerId
    ? held
    : invalidField('subscriptionId', "must be the customer's");
}

async function subscriptionOf(dependencies: EntitlementDependencies, tx: Tx, id: string, wall: Instant) {
  const owned = await checkReference(tx, 'subscription', id, 'subscriptionId');
  return owned.ok ? dependencies.lockActiveSubscription(tx, id, wall) : owned;
}

async function featureOf(tx: Tx, id: string): Promise<Result<Feature>> {
  const owned = await checkReference(tx, 'feature', id, 'featureId');
  if (!owned.ok) return owned;
  const feature = await lockFeature(tx, id);
  return feature ? ok(feature) : notFound('feature', 'featureId'); // it is deleted
}

/** From when to when (null: no end) an entitlement is asked for; by default from now on. */
function timesOf(
  { activeFrom, activeTo }: EntitlementCreate,
  now: Instant,
): Result<{ from: Instant; to: Instant | null }> {
  const from = activeFrom === undefined ? now : instantOf(activeFrom);
  const to = instantOrNull(activeTo);
  return to === null || isAfter(to, from)
    ? ok({ from, to })
    : invalidField('activeTo', 'must be after activeFrom, which by default is now');
}

/**
 * The metrics of an entitlement: those of its template, else those of all published prices with the feature (domain.md
 * §5).
 */
async function measuredBy(
  tx: Tx,
  { id, type }: Feature,
  template: EntitlementTemplate,
): Promise<Result<readonly string[]>> {
  const errors = checkTemplate(template, type);
  if (followsBilling(template))
    errors.push({ field: 'usagePeriod.anchor', message: 'may be billing only in the template of a price' });
  if (errors.length > 0) return invalid(errors.map((error) => ({ ...error, field: `template.${error.field}` })));
  if (template.type !== 'metered') return ok([]);
  if (template.billableMetricIds) return namedMetrics(tx, template.billableMetricIds);
  const published = await publishedMetricsOf(tx, id);
  return published.length > 0
    ? ok(published)
    : invalidField(
        'template.billableMetricIds',
        'is required: no published price gives this feature a metric to measure',
      );
}

/** The metrics that a template names, in its order, held as they are. */
async function namedMetrics(tx: Tx, ids: readonly string[]): Promise<Result<readonly string[]>> {
  const field = (index: number) => `template.billableMetricIds.${index}`;
  for (const [index, id] of ids.entries()) {
    const owned = await checkReference(tx, 'billable metric', id, field(index));
    if (!owned.ok) return owned;
  }
  const metrics = new Map((await lockMetrics(tx, ids)).map((metric) => [metric.id, metric]));
  const errors = ids.flatMap((id, index) => {
    const metric = metrics.get(id);
    const message = metric ? whyNotBacking(metric) : 'does not exist any more';
    return message === null ? [] : [{ field: field(index), message }];
  });
  return errors.length === 0 ? ok(ids) : invalid(errors);
}
