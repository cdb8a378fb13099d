import { BlockList, isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { type Instant, isBefore } from '../kernel/time.ts';

/** Failed authentications that one address may make within a minute (api.md, Limits). */
export const MOST_FAILURES = 1000;
const WINDOW_SECONDS = 60;
const ADDRESSES_KEPT = 100_000;
const MOST_CHARACTERS = 64; // whatever a proxy passes on as an address

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

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Is this an address of this machine? IPv4 written as IPv6 (`::ffff:127.0.0.1`) counts as what it stands for. */
export function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The addresses that are counted as one: an IPv4 address, or the /64 of an IPv6 address, of which one customer of a
 * provider has at least one. IPv4 written as IPv6 counts as what it stands for.
 */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address.slice(0, MOST_CHARACTERS);
  const groups = groupsOf(address.replace(/%.*$/, ''));
  const isIpv4 = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isIpv4)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = [], tail] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array.from({ length: zeros }, () => '0'), ...(tail ?? [])].map((group) =>
    Number.parseInt(group, 16),
  );
}

/**
 * Counts failed authentications by address, so that keys cannot be guessed at speed. Only failing calls are counted and
 * only failing calls are held up: a valid key never is, nor is a call from this machine, unless addresses come from a
 * proxy.
 */
export class FailedAuthentications {
  readonly #now: () => Instant;
  readonly #sparesThisMachine: boolean;
  readonly #windows = new LRUCache<string, FailureWindow>({ max: ADDRESSES_KEPT });

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
