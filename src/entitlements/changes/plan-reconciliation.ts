import type { CarriedFeature, EntitlementTemplate } from '../../catalog/index.ts';
import { canonicalJson } from '../../http/index.ts';
import { type Decimal, decimal, jsonNumber, ZERO } from '../../kernel/decimal.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { isMeasured } from '../entitlement/create.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';

interface Named {
  readonly featureId: string;
  readonly featureKey: string;
}

/** The changes of a kept feature: the allowance of a metered one, the config of a static one. */
export interface UpdatedFeature extends Named {
  readonly allowance?: { readonly before: number; readonly after: number };
  readonly config?: { readonly before: unknown; readonly after: unknown };
}

/** The result of a reconciliation for each feature, or its preview. */
export interface ReconciledFeatures {
  /** `billed`: a price of the version that the subscription is pinned to carries it. */
  readonly added: readonly (Named & { readonly billed: boolean })[];
  readonly updated: readonly UpdatedFeature[];
  readonly skipped: readonly Named[];
  readonly removed: readonly Named[];
  readonly failed: readonly (Named & { readonly reason: 'entitlement_failed' | 'grant_mint_failed' })[];
}

/** An entitlement that the plan made, as it stands. */
export interface HeldFeature {
  readonly row: EntitlementRow;
  readonly featureKey: string;
  /** The present template. */
  readonly template: EntitlementTemplate;
  /**
   * The grants of the plan in the current usage period that nobody has voided; null: the period has not begun, or there
   * is no balance.
   */
  readonly granted: Decimal | null;
}

/** The work for a feature that both the subscription and the plan have. */
export interface KeptFeature {
  readonly row: EntitlementRow;
  readonly carried: CarriedFeature;
  /** The template says something else from now on. */
  readonly isRetold: boolean;
  /** The grant to add now; null: none. */
  readonly grant: Decimal | null;
}

export interface ReconciliationPlan {
  readonly missing: readonly CarriedFeature[];
  readonly kept: readonly KeptFeature[];
  readonly left: readonly EntitlementRow[];
  readonly told: ReconciledFeatures;
}

/**
 * Brings what a subscription has into line with what the plan carries (§4; domain.md §5). A raised allowance of the
 * current usage period is granted now by its difference, and so is one that was voided; a lower one holds from the next
 * reset.
 * @param grantsNow false: allowances wait for the next reset, as at a change of plan
 */
export function planReconciliation(
  held: readonly HeldFeature[],
  carried: readonly CarriedFeature[],
  { billedIds, grantsNow }: { readonly billedIds: ReadonlySet<string>; readonly grantsNow: boolean },
  now: Instant,
): ReconciliationPlan {
  const heldById = new Map(held.map((each) => [each.row.featureId, each]));
  const carriedIds = new Set(carried.map(({ feature }) => feature.id));
  const missing = carried.filter(({ feature }) => !heldById.has(feature.id));
  const left = held.filter(({ row }) => !carriedIds.has(row.featureId));
  const decided = carried.flatMap((each) => {
    const known = heldById.get(each.feature.id);
    return known ? [decideKept(known, each, grantsNow, now)] : [];
  });
  const isDone = ({ isFailed }: Decided) => !isFailed;
  return {
    missing: missing.filter(isMeasured),
    kept: decided.map(({ kept }) => kept),
    left: left.map(({ row }) => row),
    told: {
      added: missing.filter(isMeasured).map((each) => ({ ...named(each), billed: billedIds.has(each.feature.id) })),
      updated: decided.filter(isDone).flatMap(({ updated }) => updated ?? []),
      skipped: decided.filter((each) => isDone(each) && !each.updated).map(({ kept }) => named(kept.carried)),
      removed: left.map(({ row, featureKey }) => ({ featureId: row.featureId, featureKey })),
      failed: [
        ...missing
          .filter((each) => !isMeasured(each))
          .map((each) => ({ ...named(each), reason: 'entitlement_failed' as const })),
        ...decided
          .filter(({ isFailed }) => isFailed)
          .map(({ kept }) => ({ ...named(kept.carried), reason: 'grant_mint_failed' as const })),
      ],
    },
  };
}

interface Decided {
  readonly kept: KeptFeature;
  /** null: nothing changes. */
  readonly updated: UpdatedFeature | null;
  /** A grant is due, and would never count. */
  readonly isFailed: boolean;
}

function decideKept(held: HeldFeature, carried: CarriedFeature, grantsNow: boolean, now: Instant): Decided {
  const { row, template, granted } = held;
  const isRetold = canonicalJson(template) !== canonicalJson(carried.template);
  const after = allowanceOf(carried.template);
  const due = grantsNow && granted !== null && after.gt(granted) ? after.minus(granted) : null;
  const isOver = row.activeTo !== null && !isAfter(row.activeTo, now);
  const kept = { row, carried, isRetold, grant: isOver ? null : due };
  const isFailed = isOver && due !== null;
  if (!isRetold && due === null) return { kept, updated: null, isFailed };
  return { kept, updated: { ...named(carried), ...changeOf(held, carried.template, due !== null) }, isFailed };
}

/** Before: the granted amount, if it is raised now; else the old template. */
function changeOf({ template, granted }: HeldFeature, carried: EntitlementTemplate, isGranted: boolean) {
  if (carried.type === 'static')
    return { config: { before: template.type === 'static' ? template.config : null, after: carried.config } };
  if (carried.type !== 'metered') return {};
  const before = isGranted && granted !== null ? granted : allowanceOf(template);
  return { allowance: { before: jsonNumber(before), after: jsonNumber(allowanceOf(carried)) } };
}

/** The grant of a template in a usage period. */
const allowanceOf = (template: EntitlementTemplate): Decimal =>
  template.type === 'metered' && template.issueAfterReset !== undefined ? decimal(template.issueAfterReset) : ZERO;

const named = ({ feature }: CarriedFeature): Named => ({ featureId: feature.id, featureKey: feature.key });
