import type { Journal } from './journal.ts';

/** A row of an event as the database has it. */
export interface StoredEvent {
  readonly key: string;
  readonly id: string;
}

/** The faults; none if all lists are empty. Each fault names its event. */
export interface Verdict {
  /** Acknowledged, and not stored (I-01). */
  readonly lost: readonly string[];
  /** Stored more than once (I-02, I-03). */
  readonly doubled: readonly string[];
  /** Stored without a sender (I-02). */
  readonly unsent: readonly string[];
  /** Acknowledged under an id that is not the one it is stored under, or under two. */
  readonly renamed: readonly string[];
  /** Accepted again with other content after it was acknowledged (I-04). */
  readonly overwritten: readonly string[];
  /** Requests of which a part is stored and a part is not (I-07), by their events. */
  readonly torn: readonly string[];
}

export const FAULTLESS: Verdict = { lost: [], doubled: [], unsent: [], renamed: [], overwritten: [], torn: [] };

/** Compares the log of a load with the stored events. */
export function judge(journal: Journal, stored: readonly StoredEvent[]): Verdict {
  const ids = new Map<string, string>();
  const doubled: string[] = [];
  for (const { key, id } of stored) {
    if (ids.has(key)) doubled.push(key);
    else ids.set(key, id);
  }
  const acknowledged = [...journal.acknowledged];
  return {
    lost: acknowledged.flatMap(([key]) => (ids.has(key) ? [] : [key])),
    doubled,
    unsent: [...ids.keys()].filter((key) => !journal.sent.has(key)),
    renamed: acknowledged.flatMap(([key, told]) =>
      ids.has(key) && (told.size !== 1 || !told.has(ids.get(key) as string)) ? [key] : [],
    ),
    overwritten: journal.overwritten,
    torn: tornRequests(journal, ids),
  };
}

/**
 * An event in several requests is no proof for one of them. A request is judged if all its events are in no other
 * request.
 */
function tornRequests({ requests }: Journal, ids: ReadonlyMap<string, string>): string[] {
  const names = new Map(requests.map((keys) => [keys.toSorted().join(' '), new Set(keys)]));
  const homes = new Map<string, number>();
  for (const keys of names.values()) for (const key of keys) homes.set(key, (homes.get(key) ?? 0) + 1);
  return [...names].flatMap(([name, keys]) => {
    const stored = [...keys].filter((key) => ids.has(key)).length;
    const isAlone = [...keys].every((key) => homes.get(key) === 1);
    return isAlone && stored > 0 && stored < keys.size ? [name] : [];
  });
}
