/** A master key as the database remembers it. */
export interface RecordedKey {
  readonly name: string;
  /** A known text, sealed under it. */
  readonly proof: string;
  readonly isLost: boolean;
}

/** The state at a start, and its settings. */
export interface AdmissionFacts {
  readonly recorded: readonly RecordedKey[];
  /** How many secrets each key seals, by its name. */
  readonly sealed: ReadonlyMap<string, number>;
  /** The names of the keys that the start was given; the first seals. */
  readonly given: readonly [string, ...string[]];
  /** The names of lost keys. */
  readonly lost: readonly string[];
  /** No other process uses the database. */
  readonly isAlone: boolean;
}

/** The keys to record, to forget and to mark as lost; or the keys that a start lacks. */
export type Admission =
  | { readonly kind: 'refused'; readonly missing: readonly string[]; readonly secretCount: number }
  | {
      readonly kind: 'admitted';
      readonly record: readonly string[];
      readonly forget: readonly string[];
      readonly lose: readonly string[];
    };

/**
 * May a start work with its master keys? It must have each key that may seal secrets: one that the database records, or
 * that a sealed text names. A recorded key that seals nothing stands for processes that may be about to seal under it;
 * where there is no other process, it is forgotten.
 */
export function decideAdmission({ recorded, sealed, given, lost, isAlone }: AdmissionFacts): Admission {
  const countOf = (name: string): number => sealed.get(name) ?? 0;
  const givenUp = new Set(recorded.filter(({ isLost }) => isLost).map(({ name }) => name));
  const needed = new Set([...recorded.map(({ name }) => name), ...sealed.keys()]);
  const absent = [...needed].filter((name) => !given.includes(name) && !givenUp.has(name));
  const forget = absent.filter((name) => isAlone && countOf(name) === 0);
  const lose = absent.filter((name) => !forget.includes(name) && lost.includes(name));
  const missing = absent.filter((name) => !forget.includes(name) && !lose.includes(name));
  if (missing.length > 0)
    return { kind: 'refused', missing, secretCount: missing.reduce((sum, name) => sum + countOf(name), 0) };
  const known = new Set(recorded.filter(({ isLost }) => !isLost).map(({ name }) => name));
  const record = given.filter((name, place) => !known.has(name) && (place === 0 || needed.has(name)));
  return { kind: 'admitted', record, forget, lose };
}
