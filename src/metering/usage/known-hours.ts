import { recentlyUsed } from '../../kernel/recently-used.ts';
import type { UsageSource } from '../meter/usage-request.ts';
import type { FigureRow, KnownHour, ReadHour } from './figures.sql.ts';

const MOST_EDGES = 20_000;

/**
 * The readings of hours that questions cut, by the start or end of the cut. A figure is valid while its hour has as
 * many values, because events are only added; the database compares that in the statement that uses it. A stored
 * reading was committed before, so every later statement sees it. One for each database.
 */
export class KnownHours {
  readonly #edges = recentlyUsed<string, readonly KnownHour[]>(MOST_EDGES);

  /** @param meter the reading; figures of different meters are apart */
  of(meter: string, part: UsageSource): readonly KnownHour[] {
    return [this.#edges.get(edgeOf(meter, part, true)) ?? [], this.#edges.get(edgeOf(meter, part, false)) ?? []].flat();
  }

  /** Stores the reading of a part, in place of the known figures of the same hours. */
  keep(meter: string, part: UsageSource, { part: _, isFromCut, isToCut, ...read }: ReadHour): void {
    const edge = edgeOf(meter, part, isFromCut);
    const others = this.#edges.get(edge)?.filter(({ subject, hour }) => subject !== read.subject || hour !== read.hour);
    const hour = { ...read, from: isFromCut ? part.from : null, to: isToCut ? part.to : null };
    this.#edges.set(edge, [...(others ?? []), hour]);
  }
}

const edgeOf = (meter: string, { subject, from, to }: UsageSource, isFrom: boolean): string =>
  `${isFrom ? `from ${from.epochNanoseconds}` : `to ${to.epochNanoseconds}`} ${subject} ${meter}`;

/** The hours that were read for some questions. */
export const readHours = (rows: readonly FigureRow[]): ReadHour[] =>
  rows.flatMap(({ readHours: hours }) => hours ?? []).flat();
