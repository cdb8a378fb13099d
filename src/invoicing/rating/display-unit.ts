import type { Pricing } from './models.ts';
import type { Workings } from './workings.ts';

/** The unit in which quantities and prices are shown: so many units, under a name (commercial.md §5). */
export type DisplayUnit = NonNullable<Workings['display']>;

/** Has a price a unit that can be shown as another one? A package has its own, and a percentage has none. */
export const canBeShownIn = ({ model }: Pick<Pricing, 'model'>): boolean =>
  model !== 'package' && model !== 'percentage';

/** The display unit of a price: its own, else the metric's. */
export function displayUnitOf({
  pricing,
  displayUnit,
  metric,
}: {
  readonly pricing: Pick<Pricing, 'model'>;
  readonly displayUnit?: DisplayUnit | null;
  readonly metric: { readonly displayUnit?: DisplayUnit | null } | null;
}): DisplayUnit | null {
  return canBeShownIn(pricing) ? (displayUnit ?? metric?.displayUnit ?? null) : null;
}
