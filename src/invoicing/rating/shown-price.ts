import { type Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import type { Tiers } from './properties.ts';

/** A level of a price in tiers; `above` exclusive, `upTo` inclusive, null for no bound. */
interface ShownTier {
  readonly above: Decimal;
  readonly upTo: Decimal | null;
  readonly unitPrice: Decimal;
  readonly flatPrice: Decimal;
}

/** What a price list says of a price; without cadence, included units and limits. Each model has its form. */
export type ShownPrice =
  | { readonly kind: 'unit'; readonly unitPrice: Decimal }
  /** `byVolume`: all units at the price of the tier that the quantity falls in; else each unit at that of its own. */
  | { readonly kind: 'tiers'; readonly tiers: readonly ShownTier[]; readonly byVolume: boolean }
  | { readonly kind: 'packages'; readonly price: Decimal; readonly size: Decimal }
  /** A percentage of the value, and a fixed amount for each event; both within bounds. */
  | {
      readonly kind: 'share';
      readonly percent: Decimal;
      readonly fixed: Decimal;
      readonly least: Decimal | null;
      readonly most: Decimal | null;
      /** The bounds of each event, and how many are free in a period; null: it is no price on each event. */
      readonly each: { readonly least: Decimal | null; readonly most: Decimal | null; readonly free: Decimal } | null;
    }
  /** By the values of dimensions: the first cell that matches counts, else the price of all others. */
  | {
      readonly kind: 'cells';
      readonly dimensions: readonly string[];
      readonly cells: readonly { readonly match: Readonly<Record<string, string>>; readonly unitPrice: Decimal }[];
      readonly others: Decimal;
    }
  /** The cost that each event brings, times a factor. */
  | { readonly kind: 'cost'; readonly factor: Decimal };

/** Tiers as a price list shows them. */
export const shownTiers = (tiers: Tiers): ShownTier[] =>
  tiers.map(({ upTo, unitPrice, flatPrice }, index) => ({
    above: decimal(tiers[index - 1]?.upTo ?? 0),
    upTo: upTo === null ? null : decimal(upTo),
    unitPrice: decimal(unitPrice),
    flatPrice: decimal(flatPrice ?? ZERO),
  }));
