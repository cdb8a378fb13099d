import { type CarriedFeature, type EntitlementTemplate, meaningOf } from '../../catalog/index.ts';
import { type Decimal, decimal, jsonNumber, ZERO } from '../../kernel/decimal.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { isMeasured, type SeriesAnchor } from '../entitlement/create.ts';
import { type EntitlementRow, type TermTemplate, termOf } from '../entitlement/entitlement.ts';

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
  readonly template: TermTemplate;
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
  /** What the template says from now on; null: the same. */
  readonly retold: TermTemplate | null;
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
 * @param grantsNow false: allowances wait for the next reset, as at a change of plan. But where a change begins the
 *   billing periods anew, that reset is up to an interval later, so the difference is granted now.
 */
export function planReconciliation(
  held: readonly HeldFeature[],
  carried: readonly CarriedFeature[],
  { billedIds, grantsNow, anchorOf }: Reconciled,
  now: Instant,
): ReconciliationPlan {
  const heldById = new Map(held.map((each) => [each.row.featureId, each]));
  const carriedIds = new Set(carried.map(({ feature }) => feature.id));
  const missing = carried.filter(({ feature }) => !heldById.has(feature.id));
  const left = held.filter(({ row }) => !carriedIds.has(row.featureId));
  const decided = carried.flatMap((each) => {
    const known = heldById.get(each.feature.id);
    const term = termOf(each.template, anchorOf(each.cadences));
    return known ? [decideKept(known, each, term, grantsNow, now)] : [];
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

/** What a reconciliation goes by. */
interface Reconciled {
  readonly billedIds: ReadonlySet<string>;
  readonly grantsNow: boolean;
  readonly anchorOf: SeriesAnchor;
}

const countedFrom = (template: TermTemplate): string | undefined =>
  template.type === 'metered' ? template.usagePeriod?.countedFrom : undefined;

interface Decided {
  readonly kept: KeptFeature;
  /** null: nothing changes. */
  readonly updated: UpdatedFeature | null;
  /** A grant is due, and would never count. */
  readonly isFailed: boolean;
}

function decideKept(
  held: HeldFeature,
  carried: CarriedFeature,
  term: TermTemplate,
  grantsNow: boolean,
  now: Instant,
): Decided {
  const { row, template, granted } = held;
  const isRetold = meaningOf(template) !== meaningOf(term);
  const after = allowanceOf(carried.template);
  const restarts = countedFrom(term) !== undefined && countedFrom(term) !== countedFrom(template);
  const due = (grantsNow || restarts) && granted !== null && after.gt(granted) ? after.minus(granted) : null;
  const isOver = row.activeTo !== null && !isAfter(row.activeTo, now);
  const kept = { row, carried, retold: isRetold ? term : null, grant: isOver ? null : due };
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
