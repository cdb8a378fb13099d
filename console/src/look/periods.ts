const CADENCE = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?$/;

/** An instant moved by so many whole cadences in the UTC calendar; of a month that is too short, its last day. */
export function movedBy(instant: string, cadence: string, times = 1): string {
  const [years, months, weeks, days] = (CADENCE.exec(cadence) ?? []).slice(1).map((part) => Number(part ?? 0));
  const at = new Date(instant);
  const day = at.getUTCDate();
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() + ((years ?? 0) * 12 + (months ?? 0)) * times);
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  at.setUTCDate(Math.min(day, last) + ((weeks ?? 0) * 7 + (days ?? 0)) * times);
  return at.toISOString();
}

export interface Span {
  readonly start: string;
  readonly end: string;
}

/** The period of a series that holds an instant; it is counted from the anchor. Null: the cadence has no periods. */
export function periodAt(anchor: string, cadence: string, instant: string): Span | null {
  const at = new Date(instant).getTime();
  const starts = (number: number) => new Date(movedBy(anchor, cadence, number)).getTime();
  const length = starts(1) - starts(0);
  if (!(length > 0)) return null;
  let number = Math.floor((at - starts(0)) / length);
  while (starts(number) > at) number -= 1;
  while (starts(number + 1) <= at) number += 1;
  return { start: movedBy(anchor, cadence, number), end: movedBy(anchor, cadence, number + 1) };
}
