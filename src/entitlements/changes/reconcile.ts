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
import { loadInput, loadInputs } from '../inputs/inputs.ts';
import { cancelEntitlement } from './end.ts';
import {
  type HeldFeature,
  type KeptFeature,
  planReconciliation,
  type ReconciledFeatures,
  type ReconciliationPlan,
} from './plan-reconciliation.ts';

/** The options of a reconciliation. */
export interface Reconciling {
  /** Nothing is written. */
  readonly isDry: boolean;
  /** false: allowances wait for the next reset, as at a change of plan. */
  readonly grantsNow: boolean;
}

/** A subscription to reconcile. */
export interface ToReconcile {
  readonly subscription: EntitlingSubscription;
  /** Those of the version that the subscription is pinned to, and those to reconcile with. */
  readonly prices: { readonly pinned: readonly CatalogPrice[]; readonly current: readonly CatalogPrice[] };
  readonly anchorOf: SeriesAnchor;
}

/**
 * Brings what the plans of some subscriptions of one merchant made into line with another version of the plan, which is
 * the default one by now (§4): what it carries and the subscription lacks begins now, what it no longer carries ends
 * now, and where a template has changed, its new words hold from now on. What the plan granted in the current usage
 * period is raised to what it grants by now; a lower allowance, or a new usage period, holds from the next reset.
 * Direct and purchased grants stay, and so does what an entitlement measures. The prices stay pinned. Facts are loaded
 * together; what begins, ends or changes is written one by one.
 * @returns what became of each, in their order
 */
export async function reconcileEntitlements(
  tx: Tx,
  asked: readonly ToReconcile[],
  { isDry, grantsNow }: Reconciling,
  now: Instant,
): Promise<ReconciledFeatures[]> {
  const [first] = asked;
  if (!first) return [];
  const carriedBy = new Map<readonly CatalogPrice[], CarriedFeature[]>();
  for (const prices of new Set(asked.map(({ prices: { current } }) => current)))
    carriedBy.set(prices, await carriedFeatures(tx, prices));
  const ids = asked.map(({ subscription }) => subscription.subscriptionId);
  const held = await heldFeatures(tx, await lockEntitlementsOfPlan(tx, ids), now);
  const heldBy = Map.groupBy(held, ({ row }) => row.subscriptionId);
  const told: ReconciledFeatures[] = [];
  for (const { subscription, prices, anchorOf } of asked) {
    const own = heldBy.get(subscription.subscriptionId) ?? [];
    const billedIds = new Set(prices.pinned.flatMap(({ features }) => features.map(({ featureId }) => featureId)));
    const carried = carriedBy.get(prices.current) ?? [];
    const plan = planReconciliation(own, carried, { billedIds, grantsNow, anchorOf }, now);
    if (!isDry) await save(tx, subscription, plan, anchorOf, now);
    told.push(plan.told);
  }
  return told;
}

async function save(
  tx: Tx,
  subscription: EntitlingSubscription,
  { missing, kept, left }: ReconciliationPlan,
  anchorOf: SeriesAnchor,
  now: Instant,
): Promise<void> {
  const from = latest(subscription.startedAt, now);
  for (const each of missing) await entitleTo(tx, subscription, each, anchorOf, from, now);
  for (const each of kept) await converge(tx, each, now);
  for (const each of left) await cancelEntitlement(tx, each, now, now);
}

/** The entitlements with what their templates say and have granted. */
async function heldFeatures(tx: Tx, rows: readonly EntitlementRow[], now: Instant): Promise<HeldFeature[]> {
  if (rows.length === 0) return [];
  const featureIds = [...new Set(rows.map(({ featureId }) => featureId))];
  const keys = new Map(
    (await findFeatures(tx, [tx.merchantId], featureIds)).map((feature) => [feature.id, feature.key]),
  );
  const ids = rows.map(({ id }) => id);
  const terms = Map.groupBy(await selectTerms(tx, [tx.merchantId], ids), ({ entitlementId }) => entitlementId);
  const granted = await grantedOf(tx, rows, now);
  return rows.map((row) => {
    const template = terms.get(row.id)?.at(-1)?.template;
    if (!template) throw new Error(`Entitlement ${row.id} has no term.`);
    return { row, featureKey: keys.get(row.featureId) ?? '', template, granted: granted.get(row.id) ?? null };
  });
}

/**
 * The grants of the plan in the current usage period, with unwritten ones, by entitlement; none where nothing is
 * granted yet, or ever.
 */
async function grantedOf(tx: Tx, rows: readonly EntitlementRow[], now: Instant): Promise<ReadonlyMap<string, Decimal>> {
  const metered = rows
    .filter(({ featureType, activeFrom }) => featureType === 'metered' && !isAfter(activeFrom, now))
    .map((entitlement) => ({ entitlement, at: now }));
  if (metered.length === 0) return new Map();
  const starts = (await loadInputs(tx, metered)).map(({ inputs }) => usagePeriodAt(inputs, now).start);
  const startAt = (place: number) => starts[place] as Instant;
  // with all rows of the period
  const wanted = metered.map((each, place) => ({ ...each, snapshotUntil: startAt(place) }));
  const loaded = await loadInputs(tx, wanted);
  const since = metered.map(({ entitlement: { id } }, place) => ({ entitlementId: id, from: startAt(place) }));
  const grants = await selectPlanGrantsSince(tx, since);
  const written = Map.groupBy(grants, ({ entitlementId }) => entitlementId);
  return new Map(
    loaded.map(({ entitlement, inputs }, place) => {
      const unwritten = issuedGrants(inputs, beforeStart(entitlement, startAt(place)), now);
      const all = [...(written.get(entitlement.id) ?? []), ...unwritten];
      return [entitlement.id, sum(all.map(({ amount }) => amount))];
    }),
  );
}

/** Right before an instant, so that what happens at it is included; null: from the start of the entitlement on. */
const beforeStart = ({ activeFrom: from }: Pick<EntitlementRow, 'activeFrom'>, at: Instant): Instant | null =>
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
