import type { DueKind, DueRecord } from './due-kind.ts';

/** The most records of slow kinds at a time, while other work is due. */
const SLOW_WITH_OTHERS = 4;
/** The most records of slow kinds while a test clock is driven, which has no other place in the order. */
const SLOW_WITH_CLOCKS = 1;
/** The most records of slow kinds while nothing else is due. */
const SLOW_ALONE = 50;

const mostOf = (kind: DueKind | undefined): number => kind?.list?.most ?? 1;

/**
 * The units of work of one transaction each, the longest due ones first: records of one kind and merchant together, if
 * the kind allows it, else each alone. Of slow kinds only some, and only if they have their turn.
 */
export function unitsOf(
  found: readonly DueRecord[],
  kinds: readonly DueKind[],
  { drivesClocks, takesSlow }: { readonly drivesClocks: boolean; readonly takesSlow: boolean },
): DueRecord[][] {
  const of = new Map(kinds.map((kind) => [kind.kind, kind]));
  const isSlow = ({ kind }: DueRecord) => of.get(kind)?.isSlow === true;
  const mostAtOnce = drivesClocks ? SLOW_WITH_CLOCKS : found.every(isSlow) ? SLOW_ALONE : SLOW_WITH_OTHERS;
  const mostSlow = takesSlow ? mostAtOnce : 0;
  let slow = 0;
  const units: DueRecord[][] = [];
  const open = new Map<string, DueRecord[]>();
  for (const record of found) {
    if (isSlow(record)) slow += 1;
    if (isSlow(record) && slow > mostSlow) continue;
    const most = mostOf(of.get(record.kind));
    const key = `${record.kind} ${record.merchantId}`;
    const unit = open.get(key);
    if (unit && unit.length < most) {
      unit.push(record);
    } else {
      const begun = [record];
      units.push(begun);
      open.set(key, begun);
    }
  }
  return units;
}
