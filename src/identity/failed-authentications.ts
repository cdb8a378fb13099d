import { BlockList, isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
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

/** The window after one more failure: the same minute's, or a new one from now. A clock that went back starts anew. */
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

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Is this an address of this machine? IPv4 written as IPv6 (`::ffff:127.0.0.1`) counts as what it stands for. */
export function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Counts failed authentications by address, so that keys cannot be guessed at speed. Only failing calls are counted and
 * only failing calls are held up: a valid key never is, nor is a call from this machine.
 */
export class FailedAuthentications {
  readonly #now: () => Instant;
  readonly #windows = new LRUCache<string, FailureWindow>({ max: ADDRESSES_KEPT });

  constructor(now: () => Instant) {
    this.#now = now;
  }

  /** Counts one more. @returns the seconds to wait where the address is above the limit, else null. */
  count(address: string): number | null {
    if (isLoopback(address)) return null;
    const now = this.#now();
    const window = countFailure(this.#windows.get(address), now);
    this.#windows.set(address, window);
    return secondsToWait(window, now);
  }
}
