import { addressGroup, isLoopback } from '../kernel/network-address.ts';
import { recentlyUsed } from '../kernel/recently-used.ts';
import { type Instant, isBefore } from '../kernel/time.ts';

/** Failed authentications that one address may make within a minute (api.md, Limits). */
export const MOST_FAILURES = 1000;
const WINDOW_SECONDS = 60;
const ADDRESSES_KEPT = 100_000;

/** The failures of one address since its minute began. */
export interface FailureWindow {
  readonly startedAt: Instant;
  readonly failures: number;
}

/** The window after one more failure: the same minute's, or a new one from now, also after the clock went back. */
export function countFailure(window: FailureWindow | undefined, now: Instant): FailureWindow {
  if (!window || isBefore(now, window.startedAt) || !isBefore(now, endOf(window)))
    return { startedAt: now, failures: 1 };
  return { startedAt: window.startedAt, failures: window.failures + 1 };
}

/** Whole seconds that an address above the limit has to wait, null for one that is not above it. */
export function secondsToWait(window: FailureWindow, now: Instant): number | null {
  if (window.failures <= MOST_FAILURES) return null;
  return Math.max(1, Math.ceil(Number(endOf(window).epochMilliseconds - now.epochMilliseconds) / 1000));
}

const endOf = ({ startedAt }: FailureWindow): Instant => startedAt.add({ seconds: WINDOW_SECONDS });

/**
 * Counts failed authentications by address, so that keys cannot be guessed at speed. Only failing calls are counted and
 * only failing calls are held up: a valid key never is, nor is a call from this machine, unless addresses come from a
 * proxy.
 */
export class FailedAuthentications {
  readonly #now: () => Instant;
  readonly #sparesThisMachine: boolean;
  readonly #windows = recentlyUsed<string, FailureWindow>(ADDRESSES_KEPT);

  constructor(now: () => Instant, { sparesThisMachine = true }: { readonly sparesThisMachine?: boolean } = {}) {
    this.#now = now;
    this.#sparesThisMachine = sparesThisMachine;
  }

  /** Counts one more. @returns the seconds to wait where the address is above the limit, else null. */
  count(address: string): number | null {
    if (this.#isSpared(address)) return null;
    const group = addressGroup(address);
    const now = this.#now();
    const window = countFailure(this.#windows.get(group), now);
    this.#windows.set(group, window);
    return secondsToWait(window, now);
  }

  /** The seconds that one more failing call would have to wait, null where it would not. Counts nothing. */
  held(address: string): number | null {
    if (this.#isSpared(address)) return null;
    const now = this.#now();
    return secondsToWait(countFailure(this.#windows.get(addressGroup(address)), now), now);
  }

  #isSpared(address: string): boolean {
    return this.#sparesThisMachine && isLoopback(address);
  }
}
