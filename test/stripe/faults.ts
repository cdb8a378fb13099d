/** The faults of a request. */
export type Fault =
  /** 500 before anything is done. */
  | 'error_before'
  /** The request has its effect, and the answer is a 500, which the idempotency key keeps, as at Stripe. */
  | 'error_after'
  /** It is done, and the connection ends without an answer. */
  | 'lost'
  /** The request has no effect, and the connection ends. */
  | 'reset'
  /** The request has its effect, and no answer ever comes. */
  | 'hang'
  /** 429. */
  | 'rate_limit'
  /** An answer of some megabytes. */
  | 'flood';

interface PlannedFault {
  readonly fault: Fault;
  readonly method: string;
  readonly path: RegExp;
  times: number;
}

/** The failing requests. */
export interface Faults {
  /** The next `times` requests of this method and path. */
  plan(fault: Fault, method: string, path: RegExp, times?: number): void;
  /** From now on each POST fails with this probability, in one of these ways; the seed chooses the way. */
  sow(seed: number, probability: number, faults: readonly Fault[]): void;
  clear(): void;
}

export function createFaults(): Faults & { next(method: string, path: string): Fault | null } {
  let planned: PlannedFault[] = [];
  let sown: { random: () => number; probability: number; faults: readonly Fault[] } | null = null;
  return {
    plan: (fault, method, path, times = 1) => void planned.push({ fault, method, path, times }),
    sow: (seed, probability, faults) => {
      sown = { random: randomFrom(seed), probability, faults };
    },
    clear: () => {
      planned = [];
      sown = null;
    },
    next: (method, path) => {
      const found = planned.find((each) => each.times > 0 && each.method === method && each.path.test(path));
      if (found) {
        found.times -= 1;
        return found.fault;
      }
      if (!sown || method !== 'POST' || sown.random() >= sown.probability) return null;
      return sown.faults[Math.floor(sown.random() * sown.faults.length)] ?? null;
    },
  };
}

/** Numbers in [0, 1) that a seed decides (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
