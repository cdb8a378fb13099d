import { type CarriedFeature, type CatalogPrice, carriedFeatures, findFeatures } from '../../catalog/index.ts';
import type { Tx } from '../../db/index.ts';
import { type Decimal, decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { type Instant, isAfter, latest } from '../../kernel/time.ts';
import { issuedGrants, usagePeriodAt } from '../balance/index.ts';
import { type EntitlingSubscription, entitleTo, type SeriesAnchor } from '../entitlement/create.ts';
import type { EntitlementRow, TermTemplate } from '../entitlement/entitlement.ts';
import { insertTerm, lockEntitlementsOfPlan, selectTerms, updateEntitlement } from '../entitlement/entitlements.sql.ts';
import { insertGrants, selectPlanGrantsSince } from '../entitlement/grants.sql.ts';
import { issuedRow, writeGrant } from '../grants/grants.ts';
import { forgetSince } from '../grants/past-change.ts';
import { loadInput } from '../inputs/inputs.ts';
import { cancelEntitlement } from './end.ts';
import {
  type HeldFeature,
  type KeptFeature,
  planReconciliation,
  type ReconciledFeatures,
} from './plan-reconciliation.ts';

/** The options of a reconciliation. */
export interface Reconciling {
  /** Nothing is written. */
  readonly isDry: boolean;
  /** false: allowances wait for the next reset, as at a change of plan. */
  readonly grantsNow: boolean;
}

/**
 * Brings what a subscription's plan made into line with another version of the plan, which is the default one by now
 * (§4): what it carries and the subscription lacks begins now, what it no longer carries ends now, and where a template
 * has changed, its new words hold from now on. What the plan granted in the current usage period is raised to what it
 * grants by now; a lower allowance, or a new usage period, holds from the next reset. Direct and purchased grants stay,
 * and so does what an entitlement measures. The prices stay pinned.
 * @param prices those of the version that the subscription is pinned to, and those to reconcile with
 */
export async function reconcileEntitlements(
  tx: Tx,
  subscription: EntitlingSubscription,
  prices: { readonly pinned: readonly CatalogPrice[]; readonly current: readonly CatalogPrice[] },
  anchorOf: SeriesAnchor,
  { isDry, grantsNow }: Reconciling,
  now: Instant,
): Promise<ReconciledFeatures> {
  const { merchantId, subscriptionId } = subscription;
  const carried = await carriedFeatures(tx, merchantId, prices.current);
  const held = await heldFeatures(tx, await lockEntitlementsOfPlan(tx, merchantId, subscriptionId), now);
  const billedIds = new Set(prices.pinned.flatMap(({ features }) => features.map(({ featureId }) => featureId)));
  const plan = planReconciliation(held, carried, { billedIds, grantsNow, anchorOf }, now);
  if (isDry) return plan.told;
  const from = latest(subscription.startedAt, now);
  for (const each of plan.missing) await entitleTo(tx, subscription, each, anchorOf, from, now);
  for (const each of plan.kept) await converge(tx, each, now);
  for (const each of plan.left) await cancelEntitlement(tx, each, now, now);
  return plan.told;
}

/** The entitlements with what their templates say and have granted. */
async function heldFeatures(tx: Tx, rows: readonly EntitlementRow[], now: Instant): Promise<HeldFeature[]> {
  const merchantIds = rows.map(({ merchantId }) => merchantId);
  const ids = rows.map(({ featureId }) => featureId);
  const keys = new Map((await findFeatures(tx, merchantIds, ids)).map((feature) => [feature.id, feature.key]));
  const terms = Map.groupBy(
    await selectTerms(
      tx,
      merchantIds,
      rows.map(({ id }) => id),
    ),
    ({ entitlementId }) => entitlementId,
  );
  const held: HeldFeature[] = [];
  for (const row of rows) {
    const template = terms.get(row.id)?.at(-1)?.template;
    if (!template) throw new Error(`Entitlement ${row.id} has no term.`);
    held.push({ row, featureKey: keys.get(row.featureId) ?? '', template, granted: await grantedOf(tx, row, now) });
  }
  return held;
}

/** The grants of the plan in the current usage period, with unwritten ones; null: nothing is granted yet, or ever. */
async function grantedOf(tx: Tx, row: EntitlementRow, now: Instant): Promise<Decimal | null> {
  if (row.featureType !== 'metered' || isAfter(row.activeFrom, now)) return null;
  const { start } = usagePeriodAt((await loadInput(tx, { entitlement: row, at: now })).inputs, now);
  // with all rows of the period
  const { inputs } = await loadInput(tx, { entitlement: row, at: now, snapshotUntil: start });
  const written = await selectPlanGrantsSince(tx, row, start);
  const unwritten = issuedGrants(inputs, beforeStart(row, start), now);
  return sum([...written.map(({ amount }) => amount), ...unwritten.map(({ amount }) => amount)]);
}

/** Right before an instant, so that what happens at it is included; null: from the start of the entitlement on. */
const beforeStart = ({ activeFrom: from }: EntitlementRow, at: Instant): Instant | null =>
  isAfter(at, from) ? at.subtract({ microseconds: 1 }) : null;

/** The present template applies from now on, and the missing grant of the current usage period is added. */
async function converge(tx: Tx, { row, carried, retold, grant }: KeptFeature, now: Instant): Promise<void> {
  if (retold) await retell(tx, row, retold, now);
  if (grant !== null) await mint(tx, row, carried, grant, now);
}

async function retell(tx: Tx, row: EntitlementRow, template: TermTemplate, now: Instant): Promise<void> {
  const from = latest(row.activeFrom, now);
  if (row.featureType === 'metered' && !isAfter(row.activeFrom, now)) await writeIssued(tx, row, now);
  await insertTerm(tx, row, from, template);
  await forgetSince(tx, row, from, now);
  if (row.featureType === 'metered') await updateEntitlement(tx, row, { nextActionAt: from }, now);
}

/**
 * Writes the grants of the old template until now: at the instant of a reset the new template would issue another
 * amount.
 */
async function writeIssued(tx: Tx, row: EntitlementRow, now: Instant): Promise<void> {
  const { inputs } = await loadInput(tx, { entitlement: row, at: now });
  const issued = issuedGrants(inputs, beforeStart(row, now), now);
  await insertGrants(
    tx,
    issued.map((each) => issuedRow(row, each)),
  );
}

/** The template's grant of the missing amount; it rolls over by the template's bounds, like its other grants. */
async function mint(tx: Tx, row: EntitlementRow, { template }: CarriedFeature, amount: Decimal, now: Instant) {
  if (template.type !== 'metered') return;
  const { issueAfterResetPriority, resetMaxRollover, resetMinRollover } = template;
  await writeGrant(
    tx,
    row,
    {
      merchantId: row.merchantId,
      id: newId('grant'),
      entitlementId: row.id,
      origin: 'reconciliation',
      amount,
      priority: issueAfterResetPriority ?? 0,
      effectiveAt: now,
      expiresAt: null,
      recurrencePeriod: null,
      resetMaxRollover: resetMaxRollover === undefined ? ZERO : decimal(resetMaxRollover),
      resetMinRollover: resetMinRollover === undefined ? ZERO : decimal(resetMinRollover),
      idempotencyKey: null,
      idempotencyPrint: null,
      invoiceId: null,
      createdAt: now,
    },
    now,
  );
}
