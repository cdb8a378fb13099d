import type { Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import { minorDigits } from '../../kernel/currency.ts';
import { decimalOrNull } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { digitsProblem } from '../../kernel/money.ts';
import { fail, invalid, invalidField, notFound, noVersion, ok, type Result } from '../../kernel/result.ts';
import { next } from '../../kernel/state-table.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import type { CatalogOptions } from '../options.ts';
import type { Price } from '../prices/price.ts';
import { selectPricesOfVersions } from '../prices/prices.sql.ts';
import { toPriceReply } from '../prices/prices.ts';
import { checkReferences } from '../references-in-body.ts';
import { isSame } from '../same.ts';
import { currencyMinimumsOf, ownCurrencyErrors } from './in-currency.ts';
import { lockPlan, type Plan, selectPlan, updatePlan } from './plans.sql.ts';
import { checkTemplatesOf, takePrices } from './publish-prices.ts';
import type { PlanVersionCreateBody, PlanVersionUpdateBody } from './schema.ts';
import { addedPrices, decideVersionPrices, removedPrices, type VersionDiff } from './version-prices.ts';
import { planVersionStates, type VersionStatus } from './version-states.ts';
import { NO_TERMS, toTermsReply, type VersionTerms } from './version-terms.ts';
import {
  insertVersion,
  type PlanVersion,
  selectNextVersionNumber,
  selectVersionByNumber,
  selectVersions,
  selectVersionTerms,
  updateVersion,
} from './versions.sql.ts';

const toVersionSummaryReply = (version: PlanVersion, plan: Plan, subscriptionCount: number) => ({
  id: version.id,
  object: 'plan_version' as const,
  versionNumber: version.versionNumber,
  status: version.status,
  publishedAt: version.publishedAt ? formatInstant(version.publishedAt) : undefined,
  isDefault: version.id === plan.defaultVersionId,
  subscriptionCount,
  basedOnVersionId: version.basedOnVersionId ?? undefined,
  ...toTermsReply(version),
  createdAt: formatInstant(version.createdAt),
  updatedAt: formatInstant(version.updatedAt),
});

const toSlotReply = (price: Price) => ({ ...toPriceReply(price), priceDeleted: price.deletedAt !== null });

async function replyWith(tx: Tx, version: PlanVersion, plan: Plan, { countSubscriptions }: CatalogOptions) {
  const counts = await countSubscriptions(tx, [version.id]);
  const prices = (await selectPricesOfVersions(tx, [plan.merchantId], [version.id])).get(version.id) ?? [];
  return ok({ ...toVersionSummaryReply(version, plan, counts.get(version.id) ?? 0), prices: prices.map(toSlotReply) });
}

/** The versions of a plan, newest first, without their prices. */
export async function listVersions(tx: Tx, planId: string, page: PageRequest, { countSubscriptions }: CatalogOptions) {
  const plan = await selectPlan(tx, planId);
  if (!plan) return notFound('plan');
  const { rows, total } = await selectVersions(tx, planId, page);
  const counts = await countSubscriptions(
    tx,
    rows.map(({ id }) => id),
  );
  return ok({ data: rows.map((version) => toVersionSummaryReply(version, plan, counts.get(version.id) ?? 0)), total });
}

/** One version by its number; 404. */
export async function getVersion(tx: Tx, planId: string, versionNumber: string, options: CatalogOptions) {
  const plan = await selectPlan(tx, planId);
  if (!plan) return notFound('plan');
  const version = await findByNumber(tx, plan, versionNumber);
  return version ? replyWith(tx, version, plan, options) : noVersion(planId, versionNumber);
}

/** A version number as a path has it. */
const VERSION_NUMBER = /^[1-9]\d{0,8}$/;

const findByNumber = async (tx: Tx, plan: Plan, text: string): Promise<PlanVersion | undefined> =>
  VERSION_NUMBER.test(text) ? selectVersionByNumber(tx, plan.id, Number(text)) : undefined;

/**
 * Makes the next version of a plan from its default one. Published at once, it becomes the default for new
 * subscriptions; with `publish: false` it is a draft. Two at once wait for each other on the plan's row, so numbers
 * have no gap.
 */
export async function createVersion(
  tx: Tx,
  planId: string,
  body: PlanVersionCreateBody,
  now: Instant,
  options: CatalogOptions,
): Promise<Result<unknown>> {
  const plan = await lockPlan(tx, planId);
  if (!plan) return notFound('plan');
  const diff: VersionDiff = {
    addPrices: body.addPrices ?? [],
    removePrices: body.removePrices ?? [],
    replacePrices: body.replacePrices ?? [],
  };
  const after = await termsAfter(tx, plan, body);
  if (!after.ok) return after;
  const known = await checkReferences(tx, 'price', removedPrices(diff));
  if (!known.ok) return known;
  const taken = await takePrices(tx, addedPrices(diff));
  if (!taken.ok) return taken;
  const base =
    (await selectPricesOfVersions(tx, [tx.merchantId], [plan.defaultVersionId])).get(plan.defaultVersionId) ?? [];
  const priceIds = decideVersionPrices(
    base.map(({ id }) => id),
    diff,
    after.value.isChanged,
  );
  if (!priceIds.ok) return priceIds;
  const disagreements = checkTemplatesOf(priceIds.value, [...base, ...taken.value], addedPrices(diff), 'addPrices');
  const { isChanged: _, ...terms } = after.value;
  const fields = new Map(addedPrices(diff).map(({ id, field }) => [id, field]));
  const wrongCurrencies = ownCurrencyErrors(
    plan.currency,
    { prices: taken.value, ...terms },
    (id) => fields.get(id) ?? 'addPrices',
  );
  const errors = [...disagreements, ...wrongCurrencies];
  if (errors.length > 0) return invalid(errors);

  const isPublished = body.publish ?? true;
  const version: PlanVersion = {
    id: newId('planVersion'),
    merchantId: tx.merchantId,
    planId,
    versionNumber: await selectNextVersionNumber(tx, planId),
    status: isPublished ? 'published' : 'draft',
    basedOnVersionId: plan.defaultVersionId,
    ...terms,
    publishedAt: isPublished ? now : null,
    createdAt: now,
    updatedAt: now,
  };
  await insertVersion(tx, version, priceIds.value);
  const current = isPublished ? await updatePlan(tx, planId, { defaultVersionId: version.id }, now) : plan;
  return replyWith(tx, version, current, options);
}

/** The terms of a new version: those of the default one, unless the body says others. */
async function termsAfter(
  tx: Tx,
  { merchantId, defaultVersionId, currency }: Plan,
  { minimumAmount: asked, currencyMinimums: others, ...trial }: PlanVersionCreateBody,
): Promise<Result<VersionTerms & { isChanged: boolean }>> {
  const base = (await selectVersionTerms(tx, [merchantId], [defaultVersionId])).get(defaultVersionId) ?? NO_TERMS;
  const minimumAmount = asked === undefined ? base.minimumAmount : decimalOrNull(asked);
  if (minimumAmount !== null && minimumAmount.decimalPlaces() > minorDigits(currency) && asked !== undefined)
    return invalidField('minimumAmount', digitsProblem(currency));
  const terms: VersionTerms = {
    minimumAmount,
    currencyMinimums: others === undefined ? base.currencyMinimums : currencyMinimumsOf(others),
    trialRequiresPaymentMethod: trial.trialRequiresPaymentMethod ?? base.trialRequiresPaymentMethod,
    trialEndBehavior: trial.trialEndBehavior ?? base.trialEndBehavior,
  };
  return ok({ ...terms, isChanged: !isSame(toTermsReply(terms), toTermsReply(base)) });
}

/** The result of a change of a version: its state, and whether it becomes the version of the plan. */
export function decideVersionChange(
  version: Pick<PlanVersion, 'status'>,
  isDefault: boolean,
  change: PlanVersionUpdateBody,
): Result<{ status: VersionStatus; makeDefault: boolean }> {
  const makeDefault = change.default === true && !isDefault;
  if (change.status === 'archived' && (isDefault || change.default)) return fail('VERSION_IS_DEFAULT');
  const event = change.status === 'published' ? 'publish' : 'archive';
  const state = change.status === undefined ? ok(version.status) : next(planVersionStates, version.status, event);
  if (!state.ok) return state;
  if (makeDefault && state.value !== 'published') return fail('VERSION_NOT_PUBLISHED', { status: state.value });
  return ok({ status: state.value, makeDefault });
}

interface VersionKey {
  readonly merchantId: string;
  readonly planId: string;
  readonly versionNumber: string;
}

/** Publishes, archives, or makes the default. What a version holds never changes. */
export async function changeVersion(
  tx: Tx,
  { planId, versionNumber }: VersionKey,
  body: PlanVersionUpdateBody,
  now: Instant,
  options: CatalogOptions,
): Promise<Result<unknown>> {
  const plan = await lockPlan(tx, planId);
  if (!plan) return notFound('plan');
  const version = await findByNumber(tx, plan, versionNumber);
  if (!version) return noVersion(planId, versionNumber);
  const decided = decideVersionChange(version, version.id === plan.defaultVersionId, body);
  if (!decided.ok) return decided;
  const { status, makeDefault } = decided.value;
  const isPublishing = status === 'published' && version.status !== 'published';
  const changed =
    status === version.status
      ? version
      : await updateVersion(tx, version, { status, ...(isPublishing && { publishedAt: now }) }, now);
  const after = makeDefault ? await updatePlan(tx, planId, { defaultVersionId: version.id }, now) : plan;
  return replyWith(tx, changed, after, options);
}
