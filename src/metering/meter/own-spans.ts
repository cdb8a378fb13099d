import { earliest, type Instant, isBefore, latest, type Period } from '../../kernel/time.ts';

/** When a subscription is active: from its start until it ended, or will; half-open. */
export interface ActiveSpan {
  readonly from: Instant;
  /** null: no end is set. */
  readonly to: Instant | null;
}

/**
 * The parts of a period in which usage addressed to the customer is this subscription's to bill: it is active, and no
 * older one that prices the metric is. Where several do, the oldest bills: never twice, never not at all (domain.md
 * §3).
 */
export function ownSpans(period: Period, own: ActiveSpan, older: readonly ActiveSpan[]): Period[] {
  const mine = clip(period, own);
  return older.reduce<Period[]>(
    (spans, other) => spans.flatMap((span) => without(span, other)),
    mine === null ? [] : [mine],
  );
}

function clip(period: Period, span: ActiveSpan): Period | null {
  const start = latest(period.start, span.from);
  const end = span.to === null ? period.end : earliest(period.end, span.to);
  return isBefore(start, end) ? { start, end } : null;
}

/** The remainder of a stretch without another one: nothing, one or two parts. */
function without(span: Period, taken: ActiveSpan): Period[] {
  const overlap = clip(span, taken);
  if (overlap === null) return [span];
  return [
    { start: span.start, end: overlap.start },
    { start: overlap.end, end: span.end },
  ].filter(({ start, end }) => isBefore(start, end));
}
