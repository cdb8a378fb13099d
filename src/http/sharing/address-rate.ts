import { addressGroup, isLoopback } from '../../kernel/network-address.ts';
import { recentlyUsed } from '../../kernel/recently-used.ts';
import { type Bucket, type RateLimit, takeToken } from './rate-limit.ts';

const ADDRESSES_KEPT = 100_000;

/**
 * A rate for each address that strangers call from; an IPv6 address counts as its /64. An address of this machine is
 * not counted: it may be a proxy that was not named, and stand for everybody. Behind a trusted proxy it is nothing
 * special.
 */
export class AddressRate {
  readonly #limit: RateLimit;
  readonly #clock: () => number;
  readonly #buckets = recentlyUsed<string, Bucket>(ADDRESSES_KEPT);

  /** @param clock milliseconds of a clock that only goes forward */
  constructor(limit: RateLimit, clock: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Counts a request from this address. @returns the seconds that it has to wait; null where it need not */
  count(address: string, isBehindProxy: boolean): number | null {
    if (!isBehindProxy && isLoopback(address)) return null;
    const group = addressGroup(address);
    const taken = takeToken(this.#buckets.get(group), this.#limit, this.#clock());
    this.#buckets.set(group, taken.bucket);
    return taken.isAllowed ? null : Math.max(1, taken.secondsToNext);
  }
}
