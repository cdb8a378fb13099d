import { type FieldError, invalid, ok, type Result } from '../../kernel/result.ts';
import type { Price } from '../prices/price.ts';
import { meaningOf } from '../prices/template.ts';

/** The difference between the prices of a new version and its base. */
export interface VersionDiff {
  readonly addPrices: readonly string[];
  readonly removePrices: readonly string[];
  readonly replacePrices: readonly { readonly replacesPriceId: string; readonly withPriceId: string }[];
}

/** A price id of a diff, and the field that names it. */
export interface DiffEntry {
  readonly id: string;
  readonly field: string;
}

/** The prices that a diff removes from the base, removed or replaced, each with its field. */
export const removedPrices = ({ removePrices, replacePrices }: VersionDiff): DiffEntry[] => [
  ...removePrices.map((id, index) => ({ id, field: `removePrices.${index}` })),
  ...replacePrices.map(({ replacesPriceId: id }, index) => ({ id, field: `replacePrices.${index}.replacesPriceId` })),
];

/** The prices that a diff adds, new or as a replacement, each with its field. */
export const addedPrices = ({ addPrices, replacePrices }: VersionDiff): DiffEntry[] => [
  ...addPrices.map((id, index) => ({ id, field: `addPrices.${index}` })),
  ...replacePrices.map(({ withPriceId: id }, index) => ({ id, field: `replacePrices.${index}.withPriceId` })),
];

/**
 * The prices of a new version: those of its base, replaced ones in their place, removed ones gone, new ones at the end.
 * A version that would equal its base, or have no price left, is refused (domain.md §2).
 * @param differs whether it differs from its base by more than its prices
 */
export function decideVersionPrices(base: readonly string[], diff: VersionDiff, differs = false): Result<string[]> {
  const errors: FieldError[] = [];
  const removed = new Set<string>();
  for (const { id, field } of removedPrices(diff)) {
    if (!base.includes(id))
      errors.push({ field, message: 'is not in the default version, which the new one is based on' });
    else if (removed.has(id)) errors.push({ field, message: 'is removed or replaced twice' });
    removed.add(id);
  }
  const present = new Set(base.filter((id) => !removed.has(id)));
  for (const { id, field } of addedPrices(diff)) {
    if (present.has(id)) errors.push({ field, message: 'is in the version already' });
    present.add(id);
  }
  if (errors.length > 0) return invalid(errors);

  const replacement = new Map(diff.replacePrices.map((each) => [each.replacesPriceId, each.withPriceId]));
  const kept = base.flatMap((id) => (removed.has(id) ? (replacement.get(id) ?? []) : id));
  const result = [...kept, ...diff.addPrices];
  if (result.length === 0)
    return invalid([{ field: 'removePrices', message: 'would leave the version without a price' }]);
  const isSame = result.length === base.length && base.every((id) => present.has(id));
  if (isSame && !differs)
    return invalid([
      {
        field: 'addPrices',
        message:
          'or removePrices, replacePrices, minimumAmount or the terms of trials must change something: the version ' +
          'would equal its base',
      },
    ]);
  return ok(result);
}

/**
 * All prices with a feature make one entitlement, so their templates must agree (domain.md §5).
 * @param fieldOf the field of the error for a price
 */
export function checkTemplatesAgree(prices: readonly Price[], fieldOf: (priceId: string) => string): FieldError[] {
  const templates = new Map<string, string>();
  const errors: FieldError[] = [];
  for (const { id, features } of prices) {
    for (const { featureId, entitlementTemplate } of features) {
      const text = meaningOf(entitlementTemplate);
      const known = templates.get(featureId);
      if (known === undefined) templates.set(featureId, text);
      else if (known !== text)
        errors.push({
          field: fieldOf(id),
          message: `carries ${featureId} with another entitlementTemplate than another price`,
        });
    }
  }
  return errors;
}
