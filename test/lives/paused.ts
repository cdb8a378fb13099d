import { type History, type Known, NEVER, type Pause, type Period, type Span } from './history.ts';

/** Some spans without the pauses of a subscription. @param usage only pauses of this kind */
export const unpaused = (spans: readonly Span[], { pauses }: History, usage?: Pause['usage']): Span[] =>
  pauses
    .filter((pause) => usage === undefined || pause.usage === usage)
    .reduce((left: readonly Span[], pause) => left.flatMap((span) => without(span, pause)), spans)
    .filter(({ from, to }) => from < to);

function without({ from, to }: Span, pause: Span): Span[] {
  if (pause.to <= from || to <= pause.from) return [{ from, to }];
  return [
    { from, to: pause.from },
    { from: pause.to, to },
  ];
}

/** Is a time paused throughout? */
export const isPausedThroughout = (span: Span, history: History): boolean => unpaused([span], history).length === 0;

/**
 * The parts of a time that is not paused in the end, by the instant of the invoice that bears a fee in advance for
 * them: what a pause took was credited, and is billed anew with the resumption. What was known as the period began,
 * also of a change that was scheduled by then, stands on the invoice of then. A pause that was withdrawn before it
 * began took nothing of what was billed before it was said.
 */
export function billedAnew(
  { pausesKnown }: History,
  { span: cell }: Period,
  { since, said: saidAt, ...span }: Known,
): (Span & { since: number })[] {
  const known = saidAt <= cell.from ? saidAt : since;
  const bounds = pausesKnown.flatMap(({ pauses }) => pauses.flatMap(({ from, to }) => [from, to]));
  const starts = [...new Set([span.from, ...bounds.filter((at) => span.from < at && at < span.to)])];
  return starts
    .toSorted((a, b) => a - b)
    .map((from, place, all) => {
      /** The bill of the part: the resumption from which on it is, and the instant of its invoice. */
      let bill: { readonly begins: number; readonly since: number | null } | null = { begins: -NEVER, since: null };
      for (const [turn, { madeAt, pauses: said }] of pausesKnown.entries()) {
        const until = pausesKnown[turn + 1]?.madeAt ?? NEVER;
        const pauses = said.filter((pause) => pause.from < until || madeAt <= cell.from);
        if (pauses.some((pause) => pause.from <= from && from < pause.to)) {
          bill = null;
          continue;
        }
        const begins = Math.max(-NEVER, ...pauses.filter((pause) => pause.to <= from).map(({ to }) => to));
        if (bill !== null && bill.begins >= begins) continue;
        bill = { begins, since: madeAt <= cell.from || begins <= cell.from ? null : Math.max(madeAt, begins) };
      }
      return { from, to: all[place + 1] ?? span.to, since: Math.max(known, bill?.since ?? known) };
    });
}
