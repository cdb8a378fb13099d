import type { ApprovalKind } from '../identity/index.ts';

/**
 * The kinds that a resource still needs: those that the merchant requires less those that were given. Where none is
 * required, one approval of any kind is enough (domain.md §6).
 */
export const missingKinds = (
  required: readonly ApprovalKind[],
  given: ReadonlySet<ApprovalKind>,
): readonly ApprovalKind[] => required.filter((kind) => !given.has(kind));

/** Are all approvals given that a resource needs? Nothing is complete before the first is given. */
export const isComplete = (required: readonly ApprovalKind[], given: ReadonlySet<ApprovalKind>): boolean =>
  given.size > 0 && missingKinds(required, given).length === 0;
