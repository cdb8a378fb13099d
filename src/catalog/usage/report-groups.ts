import { inTurns, sortedInTurns } from '../../http/index.ts';
import { Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import { compareText } from '../../kernel/json.ts';

/** The amount of one cost for one group. */
export interface CostPart {
  /** The cost, the customer or the value of the dimension; null where the events have none. */
  readonly key: string | null;
  readonly label: string;
  readonly quantity: Decimal;
  readonly cost: Decimal;
  readonly unit: string | null;
}

/** A group of a report: parts of one key added up, or all those that did not make it to the top. */
export interface ReportGroup {
  readonly key: string;
  readonly label: string;
  readonly quantity: Decimal;
  readonly cost: Decimal;
  /** Null where units differ. */
  readonly unit: string | null;
  readonly isOther: boolean;
}

/** Keys that no value of a dimension is likely to have. */
export const NO_VALUE_KEY = '__none__';
export const OTHER_KEY = '__other__';

export interface ReportOrder {
  readonly by: 'cost' | 'quantity';
  readonly descending: boolean;
  /** How many groups stand alone. */
  readonly top: number;
}

/** Adds up parts of one key, in the order in which keys first appear. */
export const addUp = (parts: readonly CostPart[]): Promise<ReportGroup[]> => inTurns(addingUp(parts));

function* addingUp(parts: readonly CostPart[]): Generator<void, ReportGroup[]> {
  const groups = new Map<string, ReportGroup>();
  for (const part of parts) {
    const key = part.key ?? NO_VALUE_KEY;
    const known = groups.get(key);
    groups.set(key, {
      key,
      label: known?.label ?? part.label,
      quantity: (known?.quantity ?? ZERO).plus(part.quantity),
      cost: (known?.cost ?? ZERO).plus(part.cost),
      unit: known && known.unit !== part.unit ? null : part.unit,
      isOther: false,
    });
    yield;
  }
  return [...groups.values()];
}

/**
 * The first groups in order, and the others as one. Equal ones are in the order of their keys, so that a report is
 * reproducible.
 */
export async function topGroups(groups: readonly ReportGroup[], order: ReportOrder): Promise<ReportGroup[]> {
  const sign = order.descending ? -1 : 1;
  const sorted = await sortedInTurns(
    groups,
    (a, b) => sign * a[order.by].comparedTo(b[order.by]) || compareText(a.key, b.key),
  );
  const others = sorted.slice(order.top);
  if (others.length === 0) return sorted;
  const [first] = await addUp(others.map((group) => ({ ...group, key: OTHER_KEY })));
  return [...sorted.slice(0, order.top), { ...(first as ReportGroup), label: 'Other', isOther: true }];
}

/** The page of groups in a report. */
export interface ReportPage {
  readonly topN?: number | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const DEFAULT_TOP = 9;
const DEFAULT_LIMIT = 10;

/**
 * A page of groups. Without `limit` and `offset` the first `topN` stand alone, and all others are one. With them all
 * groups are paged, or, where `topN` is given too, those that stand alone with the one of all others. `alone` are the
 * keys of all groups that stand alone, on whatever page.
 */
export async function pageOfGroups(groups: readonly ReportGroup[], order: Omit<ReportOrder, 'top'>, page: ReportPage) {
  const isPaged = page.limit !== undefined || page.offset !== undefined;
  const top = page.topN ?? (isPaged ? groups.length : DEFAULT_TOP);
  const listed = await topGroups(groups, { ...order, top });
  const alone = new Set(listed.filter(({ isOther }) => !isOther).map(({ key }) => key));
  if (!isPaged) return { shown: listed, alone, pagination: { total: groups.length, limit: top, offset: 0 } };
  const { limit = DEFAULT_LIMIT, offset = 0 } = page;
  return { shown: listed.slice(offset, offset + limit), alone, pagination: { total: listed.length, limit, offset } };
}

/** `part` in percent of `whole`, to four digits after the point, half away from zero; 0 of nothing. */
export const percentOf = (part: Decimal, whole: Decimal): Decimal =>
  whole.isZero() ? ZERO : part.times(decimal(100)).div(whole).toDecimalPlaces(4, Decimal.ROUND_HALF_UP);
