import type { Feature } from '../../catalog/index.ts';
import type { Tx } from '../../db/index.ts';
import { decimal, jsonNumber, sum } from '../../kernel/decimal.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Budget } from '../balance/index.ts';
import type { EntitlementDependencies, SpentBudget } from '../entitlement/dependencies.ts';
import type { CustomerAccessReply, EntitlementDetailReply } from '../entitlement/schemas.ts';
import { within } from '../inputs/bounds.ts';
import { loadInputs } from '../inputs/inputs.ts';
import { type BalanceQuestion, instantAsked } from './balances.ts';
import { toLoadedReply } from './present.ts';
import { selectAllActive, type TimedEntitlement } from './reading.sql.ts';

/**
 * Some entitlements as answered, each at its effective now or all at one instant, in the order given.
 * @returns 400 where that instant is so far away that too much happens before it
 */
export async function toAccessReplies(
  tx: Tx,
  entitlements: readonly TimedEntitlement[],
  question: BalanceQuestion,
): Promise<Result<EntitlementDetailReply[]>> {
  const loaded = await loadInputs(
    tx,
    entitlements.map((entitlement) => ({ entitlement, at: instantAsked(question, entitlement.effectiveNow) })),
  );
  const answerAll = async (budget?: Budget): Promise<Result<EntitlementDetailReply[]>> => {
    const shown: EntitlementDetailReply[] = [];
    for (const [index, each] of loaded.entries()) {
      const { effectiveNow: now } = entitlements[index] as TimedEntitlement;
      const own = tx.of(each.entitlement.merchantId); // an operator's list has several
      shown.push(await toLoadedReply(own, each, { ...question, budget }, now));
    }
    return ok(shown);
  };
  return question.at === null ? answerAll() : within('at', answerAll);
}

/** A feature that is asked for, whether or not the customer is entitled to it. */
export type AskedFeature = Pick<Feature, 'id' | 'key' | 'productId' | 'type'>;

/**
 * The rights of a customer, every feature at once (api.md, Entitlements): any of several active entitlements to one
 * feature can give access, balances are added up, and the newest one has the config. Budgets count for questions about
 * now alone.
 * @param of `asked`: these features alone, also if the customer is not entitled to them
 */
export async function accessOf(
  dependencies: Pick<EntitlementDependencies, 'findSpentBudgets'>,
  tx: Tx,
  of: { customerId: string; productId?: string | undefined; asked?: readonly AskedFeature[] },
  question: BalanceQuestion,
  now: Instant,
): Promise<Result<CustomerAccessReply>> {
  const { customerId, productId, asked } = of;
  const filters = { customerId, productId, ...(asked && { featureIds: asked.map(({ id }) => id) }) };
  const shown = await toAccessReplies(tx, await selectAllActive(tx, filters, question.at, now), question);
  if (!shown.ok) return shown;
  const budgets =
    question.at === null && shown.value.length > 0 ? await dependencies.findSpentBudgets(tx, customerId, now) : [];
  return ok(toAccessReply({ customerId, asked, details: shown.value, budgets }));
}

/** The access of a customer to features by its active entitlements, oldest first. */
export function toAccessReply(of: {
  readonly customerId: string;
  readonly asked?: readonly AskedFeature[] | undefined;
  readonly details: readonly EntitlementDetailReply[];
  readonly budgets: readonly SpentBudget[];
}): CustomerAccessReply {
  const byFeature = Map.groupBy(of.details, ({ featureId }) => featureId);
  const missing = (of.asked ?? []).filter(({ id }) => !byFeature.has(id));
  return {
    object: 'customerAccess',
    customerId: of.customerId,
    features: [
      ...[...byFeature.values()].map((details) => accessToFeature(details, of.budgets)),
      ...missing.map(notEntitled),
    ],
  };
}

/** Is what an entitlement gives covered by a budget that is spent? */
const isOverBudget = (
  {
    subscriptionId,
    featureType,
    billableMetrics,
  }: Pick<EntitlementDetailReply, 'subscriptionId' | 'featureType'> & {
    readonly billableMetrics?: readonly string[] | undefined;
  },
  budgets: readonly SpentBudget[],
): boolean =>
  budgets.some(({ subscriptionId: of, billableMetricId: metricId, byCredits }) => {
    if (byCredits && (of !== subscriptionId || featureType !== 'metered')) return false;
    return metricId === null
      ? of === subscriptionId
      : featureType === 'metered' && billableMetrics?.includes(metricId) === true;
  });

function accessToFeature(
  details: readonly EntitlementDetailReply[],
  budgets: readonly SpentBudget[],
): CustomerAccessReply['features'][number] {
  const newest = details.at(-1) as EntitlementDetailReply;
  const balances = details.flatMap((each) => (each.featureType === 'metered' ? [decimal(each.balance)] : []));
  const giving = details.filter(({ hasAccess }) => hasAccess);
  const hasAccess = giving.some((each) => !isOverBudget(each, budgets));
  const isPaused = details.some(({ paused }) => paused === true);
  const isSpent = giving.some((each) =>
    isOverBudget(
      each,
      budgets.filter(({ byCredits }) => !byCredits),
    ),
  );
  const limited = isSpent ? 'budget_spent' : 'credits_exhausted';
  const reason = giving.length > 0 ? limited : isPaused ? 'paused' : 'no_balance';
  return {
    featureKey: newest.featureKey,
    featureId: newest.featureId,
    productId: newest.productId,
    type: newest.featureType,
    hasAccess,
    reason: hasAccess ? null : reason,
    ...(newest.featureType === 'metered' && { balance: jsonNumber(sum(balances)) }),
    ...(newest.featureType === 'static' && { config: newest.config }),
    entitlementIds: details.map(({ id }) => id),
  };
}

const notEntitled = ({ key, id, productId, type }: AskedFeature): CustomerAccessReply['features'][number] => ({
  featureKey: key,
  featureId: id,
  productId,
  type,
  hasAccess: false,
  reason: 'not_entitled',
  entitlementIds: [],
});
