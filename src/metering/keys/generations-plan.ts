/** A generation of keys that is sealed. */
export interface Generation {
  readonly name: string;
  readonly bytes: number;
  /** Null: not in the sieve yet. */
  readonly keyCount: number | null;
}

/** A table of the sieve, which says of most keys that they are in none of some generations. */
export interface SievePart {
  readonly name: string;
  readonly keyCount: number;
}

/** The present tables, and the kinds of those in construction. */
export interface KeyTables {
  /** In the order in which they were made. */
  readonly generations: readonly Generation[];
  readonly parts: readonly SievePart[];
  readonly underWay: readonly KeyWork['kind'][];
}

/** One table is made of others, and takes their place. */
export interface KeyWork {
  readonly kind: 'sieve' | 'generation';
  readonly generations: readonly string[];
  readonly parts: readonly string[];
  /** How many hexadecimal digits of a hash lead to its place in the sieve; null for a generation. */
  readonly digits: number | null;
  /** In how many transactions: a power of two, so that each begins with a whole number of the first four digits. */
  readonly slices: number;
}

export interface KeyLimits {
  /** Generations that there may be before some are merged. */
  readonly generations: number;
  /** The largest ratio of an old part of the filter to the new keys for which it is written again with them. */
  readonly sieveRatio: number;
  /** Keys behind one place of the sieve, on average. */
  readonly keysOfPlace: number;
  readonly bytesOfSlice: number;
}

/**
 * Eight generations are asked only for a key that is there already. The sieve is asked for each key, so it has
 * one part up to 17 times the keys of a generation, a second one up to about 300 times, and so on.
 */
export const KEY_LIMITS: KeyLimits = {
  generations: 8,
  sieveRatio: 16,
  keysOfPlace: 512,
  bytesOfSlice: 64_000_000,
};

/** The work to start now, most urgent first. */
export function planKeyWork(tables: KeyTables, limits: KeyLimits = KEY_LIMITS): KeyWork[] {
  const { underWay } = tables;
  return [planSieve(tables, limits), planMerge(tables, limits)].filter(
    (work): work is KeyWork => work !== null && !underWay.includes(work.kind),
  );
}

const KEY_BYTES = 68;
/** The approximate size of a key in the filter. */
const SIEVE_BYTES = 4;
const PLACES = 65_536;

/** The oldest generation that is not in the sieve goes there, with the parts that are not much larger. */
function planSieve({ generations, parts }: KeyTables, limits: KeyLimits): KeyWork | null {
  const generation = generations.find(({ keyCount }) => keyCount === null);
  if (generation === undefined) return null;
  const taken: string[] = [];
  let keys = generation.bytes / KEY_BYTES;
  for (const part of parts.toSorted((a, b) => a.keyCount - b.keyCount)) {
    if (part.keyCount > limits.sieveRatio * keys) break;
    taken.push(part.name);
    keys += part.keyCount;
  }
  const digits = [4, 5].find((each) => keys <= limits.keysOfPlace * 16 ** each) ?? 6;
  const bytes = generation.bytes + keys * SIEVE_BYTES;
  return { kind: 'sieve', generations: [generation.name], parts: taken, digits, slices: slicesOf(bytes, limits) };
}

/**
 * With too many generations, the smallest are merged, together with those that are not larger than all before them: so
 * a key is copied only a few times for any number of generations.
 */
function planMerge({ generations }: KeyTables, limits: KeyLimits): KeyWork | null {
  if (generations.length <= limits.generations) return null;
  const sifted = generations.filter(({ keyCount }) => keyCount !== null).toSorted((a, b) => a.bytes - b.bytes);
  const taken: Generation[] = [];
  let bytes = 0;
  for (const generation of sifted) {
    if (taken.length >= 2 && generation.bytes > bytes) break;
    taken.push(generation);
    bytes += generation.bytes;
  }
  if (taken.length < 2) return null;
  const names = taken.map(({ name }) => name);
  return { kind: 'generation', generations: names, parts: [], digits: null, slices: slicesOf(bytes, limits) };
}

function slicesOf(bytes: number, { bytesOfSlice }: KeyLimits): number {
  let slices = 1;
  while (slices < PLACES && bytes / slices > bytesOfSlice) slices *= 2;
  return slices;
}
