import { AddressRate, type Bucket, type RateLimit, takeToken } from '../http/index.ts';
import { addressGroup } from '../kernel/network-address.ts';
import { recentlyUsed } from '../kernel/recently-used.ts';
import type { Instant } from '../kernel/time.ts';

/** Attempts from one address, whatever they name. */
const OF_ADDRESS: RateLimit = { perSecond: 1 / 6, burst: 60 };
/** Attempts on one name from one address. */
const OF_BOTH: RateLimit = { perSecond: 1 / 30, burst: 10 };
/** Attempts on one name from all addresses from which it has not signed in. */
const OF_NAME: RateLimit = { perSecond: 1 / 5, burst: 50 };
const KEPT = 100_000;

/** One attempt to sign in: from where, and as whom. */
interface Attempt {
  readonly address: string;
  /** An e-mail address or a user's id. */
  readonly name: string;
}

/**
 * Counts attempts to sign in, in this process, so that passwords cannot be guessed at speed. A name that others attack
 * is never shut: an address from which it has signed in has attempts of its own, and each limit fills again by itself.
 */
export class SignInAttempts {
  readonly #now: () => number;
  readonly #isBehindProxy: boolean;
  readonly #addresses: AddressRate;
  readonly #buckets = recentlyUsed<string, Bucket>(KEPT);
  readonly #known = recentlyUsed<string, true>(KEPT);

  constructor(now: () => Instant, isBehindProxy: boolean) {
    this.#now = () => now().epochMilliseconds;
    this.#isBehindProxy = isBehindProxy;
    this.#addresses = new AddressRate(OF_ADDRESS, this.#now);
  }

  /** Counts a request from this address that names nobody. @returns the seconds to wait; null: none */
  countAddress(address: string): number | null {
    return this.#addresses.count(address, this.#isBehindProxy);
  }

  /** Counts an attempt. @returns the seconds to wait; null: none */
  count(attempt: Attempt): number | null {
    const both = keyOf(attempt);
    return (
      this.countAddress(attempt.address) ??
      this.#take(both, OF_BOTH) ??
      (this.#known.has(both) ? null : this.#take(nameOf(attempt), OF_NAME))
    );
  }

  /** A right password: what was counted for it is forgotten. */
  succeeded(attempt: Attempt): void {
    this.#known.set(keyOf(attempt), true);
    this.#buckets.delete(keyOf(attempt));
  }

  #take(key: string, limit: RateLimit): number | null {
    const taken = takeToken(this.#buckets.get(key), limit, this.#now());
    this.#buckets.set(key, taken.bucket);
    return taken.isAllowed ? null : Math.max(1, taken.secondsToNext);
  }
}

const nameOf = ({ name }: Attempt): string => name.trim().toLowerCase();
const keyOf = (attempt: Attempt): string => `${addressGroup(attempt.address)} ${nameOf(attempt)}`;
